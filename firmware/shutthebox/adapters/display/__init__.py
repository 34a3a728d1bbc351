"""The display: its worker, the panel, and the drawing of screens."""
