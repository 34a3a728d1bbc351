"""What only the terminal prints: simple players, estimates, fair head starts, and whether dice are fair."""
