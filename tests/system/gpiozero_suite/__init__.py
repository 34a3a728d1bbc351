"""gpiozero's own tests, unchanged, on our pins."""
