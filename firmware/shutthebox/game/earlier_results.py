"""The earlier results of a winner, by the three letters of the signature."""

from typing import NamedTuple


class EarlierResults(NamedTuple):
    """The matches that were won before under the same three letters.

    Attributes:
        best: the best total in a match of the same game and as many rounds; None for none.
        beat_computer: the computer sat in one of them, whatever the game.
    """

    best: int | None = None
    beat_computer: bool = False
