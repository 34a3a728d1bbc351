"""The scoreboard: one page for everybody to read, and nothing that anybody can do."""
