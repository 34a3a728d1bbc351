"""One module a way to the world: pins, buzzer, systemd, the odds' worker, the display, the store."""
