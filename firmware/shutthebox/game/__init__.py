"""The box as a machine, without input or output: debounce, judge, modes and screens."""
