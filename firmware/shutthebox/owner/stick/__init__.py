"""The helper that mounts an owner's stick, and does what the box asks of it."""
