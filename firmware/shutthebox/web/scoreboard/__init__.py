"""The scoreboard: a read-only page, served by its own process."""
