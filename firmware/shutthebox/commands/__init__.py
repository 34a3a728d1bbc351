"""The commands of `shutthebox`, one module each: `add_parser` and `run`."""
