"""Scenarios: scripts of the moves of hands on a box; played, recorded, or made of match records."""
