"""Simulated hardware: contacts, pins, the panel's controller."""
