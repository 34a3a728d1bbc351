"""The scoreboard: a page to be read, in a process of its own."""
