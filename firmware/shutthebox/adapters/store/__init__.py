"""The store: what must survive a pulled plug, in one SQLite file."""
