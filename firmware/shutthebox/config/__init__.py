"""The configuration and the profiles: what an owner writes, read and checked."""
