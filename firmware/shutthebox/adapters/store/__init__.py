"""The store: all that must survive a pulled plug, in one SQLite file."""
