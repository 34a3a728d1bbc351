"""The owner's side of a box: its card, its sticks, its updates, and what it tells its owner."""
