"""Who owes what after a round or a match, in stakes by player; negative if they're owed."""

from collections.abc import Collection, Sequence
from fractions import Fraction

from shutthebox.rules.profile import Profile

Debts = tuple[Fraction, ...]
"""The stakes each player owes; negative if they're owed."""


def nothing(players: int) -> Debts:
    """The debts of players who owe nothing."""
    return (Fraction(0),) * players


def pool(
    players: int, staked: Collection[int], winners: Collection[int], doubled: Collection[int] = ()
) -> Debts:
    """What each player owes to a pool (sheet 002).

    Args:
        players: how many there are.
        staked: players who pay one stake in.
        winners: players who share the pool.
        doubled: winners who share a second stake from everyone else who has staked, including those who share
            the pool (`Stakes.POOL_DOUBLE`).
    """
    owes = [Fraction(i in staked) for i in range(players)]
    for i in winners:
        owes[i] -= Fraction(len(staked), len(winners))
    if doubled:
        others = [i for i in staked if i not in doubled]
        for i in others:
            owes[i] += 1
        for i in doubled:
            owes[i] -= Fraction(len(others), len(doubled))
    return tuple(owes)


def loser_pays(
    players: int, losers: Collection[int], scores: Sequence[int | None], *, highest_wins: bool
) -> Debts:
    """What each player owes if the worst score buys the round (sheet 003): one stake, shared by those tied.

    Args:
        players: how many there are; one alone buys nothing.
        losers: players who may have to pay.
        scores: by player; None for players without one, who only pay if nobody has one.
        highest_wins: more points are better.
    """
    if players < 2 or not losers:
        return nothing(players)
    payers = worst_of(losers, scores, highest_wins=highest_wins)
    return tuple(Fraction(i in payers, len(payers)) for i in range(players))


def worst_of(losers: Collection[int], scores: Sequence[int | None], *, highest_wins: bool) -> tuple[int, ...]:
    """The losers with the worst score; all of them if none has a score."""
    played = [score for i in losers if (score := scores[i]) is not None]
    worst = (min if highest_wins else max)(played, default=None)
    return tuple(i for i in losers if scores[i] == worst)


def bank(game: Profile, totals: Sequence[int | None]) -> Debts:
    """What players with these totals owe the bank; None for those who haven't played."""
    return tuple(Fraction(0 if total is None else game.stake - pays(game, total)) for total in totals)


def pays(game: Profile, total: int) -> int:
    """The bank's payment for a total, in stakes."""
    better = reversed(game.pays) if game.highest_wins else game.pays
    return next((paid for mark, paid in better if _reaches(game, total, mark)), 0)


def _reaches(game: Profile, total: int, mark: int) -> bool:
    return total >= mark if game.highest_wins else total <= mark
