"""How to play, for both pages, and the scoreboard."""
