"""What both pages have in common, and the scoreboard."""
