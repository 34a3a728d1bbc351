"""Adapters to the outside world, one module each: pins, buzzer, systemd, odds worker, display, store."""
