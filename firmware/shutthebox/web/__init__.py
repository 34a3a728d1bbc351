"""The common parts of both pages, and the scoreboard."""
