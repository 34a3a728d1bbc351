"""The simulated box as a page in the browser."""
