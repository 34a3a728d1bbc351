"""The pure rules engine: profiles, tiles, moves, turns and matches. Standard library only."""
