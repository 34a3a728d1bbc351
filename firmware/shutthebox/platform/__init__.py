"""One file per way to the world: pins, display, buzzer, store, systemd."""
