"""Tools that make, check and picture the hardware; none of them is part of the firmware."""
