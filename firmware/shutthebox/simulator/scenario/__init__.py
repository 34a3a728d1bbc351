"""Scenarios: scripts of what hands do to a box, played, recorded, made of records."""
