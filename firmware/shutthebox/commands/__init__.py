"""One module per command: its arguments, and what it does with them."""
