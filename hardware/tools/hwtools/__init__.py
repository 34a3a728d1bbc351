"""Builds, checks and draws the hardware. Nothing here is part of the firmware."""
