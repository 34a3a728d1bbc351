"""Turns contact edges into machine inputs: debouncing, button gestures, contact health."""
