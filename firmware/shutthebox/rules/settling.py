"""Settles the stakes of a round and of a match: what goes into its ledger, and who has lost it."""

from collections.abc import Sequence
from fractions import Fraction

from shutthebox.rules import stakes
from shutthebox.rules.position import Ledger, Position
from shutthebox.rules.profile import MatchFormat, Stakes
from shutthebox.rules.stakes import Debts


def settle_round(match: Position, winners: tuple[int, ...]) -> Ledger:
    """The ledger after one of several rounds, which these players have won (sheet 002)."""
    owed = _add(match.ledger.owed, _stakes_of_round(match, winners), _take_pool(match, winners))
    return Ledger(owed, settled=True)


def carry_over(match: Position, best: tuple[int, ...]) -> Ledger:
    """The ledger after a round that nobody has won: the pool stays on the table.

    Args:
        match: at the end of the round.
        best: the players tied for it.
    """
    game, ledger = match.game, match.ledger
    paid = tuple(Fraction(i in match.round.seats and game.has_pool) for i in match.everybody)
    owes = paid if game.has_pool else _stakes_of_round(match, best)
    return Ledger(_add(ledger.owed, owes), True, ledger.pool + int(sum(paid)), ledger.carried + 1)


def settle_match(match: Position, winners: tuple[int, ...]) -> Debts:
    """What each player owes at the end of the match."""
    return _add(match.ledger.owed, _stakes_left(match, winners), _take_pool(match, winners))


def losers_of_match(match: Position, winners: tuple[int, ...]) -> tuple[int, ...]:
    """Of the players who have lost a finished match, those with the worst total of a team."""
    marks = _marks(match, _played(match, match.totals))
    return stakes.worst_of(_beaten(match, winners), marks, highest_wins=match.game.highest_total_wins)


def _take_pool(match: Position, winners: tuple[int, ...]) -> Debts:
    """Gives the pool left on the table to these players, or back to everybody."""
    heirs = winners or match.everybody
    return tuple(Fraction(-match.ledger.pool * (i in heirs), len(heirs)) for i in match.everybody)


def _has_loser(match: Position) -> bool:
    """Whether the match, not each of its rounds, has a loser, who pays."""
    return match.game.match in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT)


def _stakes_of_round(match: Position, winners: tuple[int, ...]) -> Debts:
    """The stakes of one round."""
    seats = match.round.seats
    if match.game.stakes is not Stakes.LOSER_PAYS or _has_loser(match):
        return _pool(match, winners)
    scores = tuple(score if i in seats else None for i, score in enumerate(match.round_scores))
    losers = tuple(i for i in seats if i not in winners) or seats
    highest_wins = match.game.highest_wins
    return stakes.loser_pays(match.players, losers, _marks(match, scores), highest_wins=highest_wins)


def _stakes_left(match: Position, winners: tuple[int, ...]) -> Debts:
    """The stakes settled at the end of the match: the current round, or who has lost the match."""
    game, nothing = match.game, stakes.nothing(match.players)
    if game.stakes is Stakes.BANK:
        return stakes.bank(game, _played(match, match.totals))
    if not winners:
        # All have lost together, and so all may have to pay.
        return _match_bought(match, ()) if game.loser_pays and match.losers else nothing
    if game.stakes is Stakes.LOSER_PAYS_MATCH:
        return _match_bought(match, winners)
    if game.stakes is Stakes.LOSER_PAYS and (_has_loser(match) or match.is_one_round):
        return _match_bought(match, winners)
    return nothing if match.ledger.settled else _stakes_of_round(match, winners)


def _pool(match: Position, winners: tuple[int, ...]) -> Debts:
    """What each player owes to the pool of the round."""
    if not match.game.has_pool:
        return stakes.nothing(match.players)
    staked = match.everybody if match.round.tie_rounds else match.round.seats
    shut = tuple(i for i in winners if any(mate in match.round.shutters for mate in match.team(i)))
    return stakes.pool(
        match.players, staked, winners, shut if match.game.stakes is Stakes.POOL_DOUBLE else ()
    )


def _match_bought(match: Position, winners: tuple[int, ...]) -> Debts:
    """What each player owes if whoever has lost the match, with the worst total of a team, buys once."""
    losers, marks = _beaten(match, winners) or match.everybody, _marks(match, _played(match, match.totals))
    return stakes.loser_pays(match.players, losers, marks, highest_wins=match.game.highest_total_wins)


def _beaten(match: Position, winners: tuple[int, ...]) -> tuple[int, ...]:
    """Players who have lost the match; if some have lost it for good, only those."""
    lost = tuple(i for i in match.losers if i not in winners)
    return lost or tuple(i for i in match.everybody if i not in winners)


def _played(match: Position, points: Sequence[int]) -> tuple[int | None, ...]:
    """Each player's points; None for a player who hasn't had a turn."""
    return tuple(None if score is None else own for score, own in zip(match.scores, points, strict=True))


def _marks(match: Position, points: Sequence[int | None]) -> tuple[int | None, ...]:
    """Each player's team points; None if nobody in the team has any."""
    teams = ([own for mate in match.team(i) if (own := points[mate]) is not None] for i in match.everybody)
    return tuple(sum(team) if team else None for team in teams)


def _add(*owed: Debts) -> Debts:
    return tuple(sum(each, Fraction(0)) for each in zip(*owed, strict=True))
