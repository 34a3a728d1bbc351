"""The helper through which a box plays with another one, over an MQTT broker."""
