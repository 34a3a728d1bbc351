"""A match on two boxes, each of which trusts only its own rules and dice."""
