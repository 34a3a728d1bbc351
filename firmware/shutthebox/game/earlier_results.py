"""Earlier results recorded under the winner's initials."""

from typing import NamedTuple


class EarlierResults(NamedTuple):
    """Earlier wins recorded under the same initials.

    Attributes:
        best: the best total in the same game over the same number of rounds; None if there is none.
        beat_computer: whether the computer played in any of them, in any game.
    """

    best: int | None = None
    beat_computer: bool = False
