"""The helper that mounts the owner's stick and does what the box asks for."""
