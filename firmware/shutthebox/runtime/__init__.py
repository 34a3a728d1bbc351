"""The box at work: the loop, its ports to the world, and the assembly of a box."""
