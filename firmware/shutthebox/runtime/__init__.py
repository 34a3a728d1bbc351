"""Running a box: the loop, its ports to the outside world, and the assembly of a box."""
