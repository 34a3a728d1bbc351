"""The configuration and the profiles that an owner writes: read and checked."""
