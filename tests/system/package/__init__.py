"""The Debian package: its files, and a Debian in which it is installed."""
