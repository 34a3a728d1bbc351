"""From edges of contacts to inputs of the machine: debouncing, gestures, the health of contacts."""
