"""Scenarios: scripts of what hands do to a box; played, recorded, or made from match records."""
