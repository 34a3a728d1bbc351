"""The box at work: the loop, what it needs of the world, and how a box is put together."""
