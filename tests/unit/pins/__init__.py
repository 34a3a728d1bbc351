"""Tests of pins: our factory for gpiozero, and what all back ends have in common."""
