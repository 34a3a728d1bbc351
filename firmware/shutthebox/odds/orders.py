"""The odds of each order of play: what it answers by another method than that of whole turns.

An order of play without a class here has no chances to win; `shutthebox.odds.seat_limits` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from shutthebox.odds import match_play as whole_turns
from shutthebox.odds.common_throw import CommonThrow
from shutthebox.odds.evaluate import TurnPlay
from shutthebox.odds.odds import Odds, odds_for_points
from shutthebox.odds.seat_limits import About, check_seats, why_no_seat_odds
from shutthebox.odds.shared_row import SharedRow
from shutthebox.odds.tug import NoPoints, tug_chances, tug_play
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile, Turns


class OrderOdds:
    """What is worked out for an order of play; here by whole turns."""

    def prepare(self, profile: Profile) -> None:
        """Solves what will be asked for first."""
        odds_for_points(profile).value(turns.start(profile))

    def points(self, match: Match) -> Odds | NoPoints:
        """What counts the points of a turn."""
        return odds_for_points(match.rules)

    def round_chances(self, profile: Profile, players: int) -> tuple[float, ...] | None:
        """Every seat's chance to win a round; None where `shutthebox.odds.seats` has it, with the stakes."""
        return None

    def chances(self, match: Match) -> tuple[float, ...]:
        """Every player's chance to win a match that goes on, at the start of a turn."""
        return whole_turns.chances(match)

    def play(self, match: Match) -> TurnPlay[float]:
        """The best play for the win of the turn that is being played."""
        return whole_turns.play(match)

    def options(self, match: Match) -> list[tuple[int, float]] | None:
        """What may be done, each with the chance to win, the best first; None where it's done for points."""
        return None


class SharedRowOdds(OrderOdds):
    """One row for all."""

    def round_chances(self, profile: Profile, players: int) -> tuple[float, ...]:
        """By all positions of the row."""
        return SharedRow(profile).wins(players)

    def options(self, match: Match) -> list[tuple[int, float]]:
        """By what each leaves to the others."""
        row = _shared_row(match.game)
        if match.turn.awaits_answer:
            found = [(shut, row.chances(match.move(shut))) for shut in turns.answers(match.rules, match.turn)]
        else:
            allowed = dice_allowed(match.rules, match.turn.open, match.turn.behind)
            found = [(dice, row.with_dice(match, dice)) for dice in allowed]
        own = [(choice, chances[match.player]) for choice, chances in found]
        return sorted(own, key=lambda option: row.order(option[1]), reverse=True)


@lru_cache(maxsize=1)
def _shared_row(profile: Profile) -> SharedRow:
    return SharedRow(profile)


class CommonThrowOdds(OrderOdds):
    """One throw for everyone."""

    def round_chances(self, profile: Profile, players: int) -> tuple[float, ...]:
        """By all pairs of positions."""
        return CommonThrow(profile).wins()


class TugOdds(OrderOdds):
    """One shuts the tiles, the other opens them: only the chance to win counts."""

    def prepare(self, profile: Profile) -> None:
        """Solves the tug."""
        tug_play(profile)

    def points(self, match: Match) -> NoPoints:
        """There are none."""
        return NoPoints(match.game)

    def round_chances(self, profile: Profile, players: int) -> tuple[float, ...]:
        """By the play of a tug."""
        return tug_chances(begin(profile, players))

    def chances(self, match: Match) -> tuple[float, ...]:
        """By the play of a tug."""
        return tug_chances(match)

    def play(self, match: Match) -> TurnPlay[float]:
        """That of a tug."""
        return tug_play(match.game)

    def options(self, match: Match) -> list[tuple[int, float]]:
        """By the play of a tug."""
        return tug_play(match.game).choices(match.turn)


_USUAL = OrderOdds()
_OTHERS: Mapping[Turns, OrderOdds] = {
    Turns.SHARED: SharedRowOdds(),
    Turns.TOGETHER: CommonThrowOdds(),
    Turns.TUG: TugOdds(),
}


def order_odds(profile: Profile) -> OrderOdds:
    """The odds of a game's order of play."""
    return _OTHERS.get(profile.turns, _USUAL)


def has_chances(profile: Profile, players: int) -> bool:
    """Whether a match of this profile has chances to win that can be worked out."""
    return why_no_seat_odds(profile, players, About.MATCH) is None


def match_chances(match: Match) -> tuple[float, ...]:
    """Every player's chance to win, at the start of a turn or when the match is decided.

    Raises:
        OddsError: for rules without such chances, see `has_chances`.
    """
    if match.result is not None:
        winners = match.result.winners
        return tuple(
            (player in winners) / len(winners) if winners else 0.0 for player in range(match.players)
        )
    check_seats(match.game, match.players, About.MATCH)
    return order_odds(match.game).chances(match)


def match_play(match: Match) -> TurnPlay[float]:
    """The best play for the win of the turn that is being played.

    Raises:
        OddsError: as for `match_chances`.
    """
    check_seats(match.game, match.players, About.MATCH)
    return order_odds(match.game).play(match)
