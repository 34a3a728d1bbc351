"""The Debian package: what its files say, and what becomes of a Debian that it is installed in."""
