"""`shutthebox doctor`: the checks of the live hardware."""
