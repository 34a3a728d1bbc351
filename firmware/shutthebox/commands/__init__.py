"""The commands, one module each: ``add_parser`` and ``run``."""
