"""A match of two turns, as its record."""

TWO_TURNS = """shut-the-box record 1
profile traditional
players 2
1 6+4 4,6
1 6+6 5,7
1 4+3
1 blocked 23
2 6+3 9
2 5+5 2,8
2 6+6 5,7
2 1+1
2 blocked 14
scores 23 14
totals 23 14
winners 2
owes 1 -1
"""
