"""The odds of each order of play, where it isn't solved like whole turns.

An order of play without a class here has no chances to win; `shutthebox.odds.seat_limits` says why.
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
    """The odds of an order of play; here, of whole turns."""

    def prepare(self, profile: Profile) -> None:
        """Solves in advance what will be needed first."""
        odds_for_points(profile).value(turns.start(profile))

    def points(self, match: Match) -> Odds | NoPoints:
        """The odds in points of a turn."""
        return odds_for_points(match.own_rules)

    def round_chances(self, profile: Profile, players: int) -> tuple[float, ...] | None:
        """Every seat's chance to win a round; None if `shutthebox.odds.seats` has it, with the stakes."""
        return None

    def chances(self, match: Match) -> tuple[float, ...]:
        """Every player's chance to win an undecided match, at the start of a turn."""
        return whole_turns.chances(match)

    def play(self, match: Match) -> TurnPlay[float]:
        """The best play of the current turn for the win."""
        return whole_turns.play(match)

    def options(self, match: Match) -> list[tuple[int, float]] | None:
        """The options, each with the chance to win, best first; None if play is for points."""
        return None


class SharedRowOdds(OrderOdds):
    """One row for all."""

    def round_chances(self, profile: Profile, players: int) -> tuple[float, ...]:
        """Solves all positions of the row."""
        return SharedRow(profile).wins(players)

    def options(self, match: Match) -> list[tuple[int, float]]:
        """Judges each option by what it leaves the others."""
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
        """Solves all pairs of positions."""
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
        """As in `shutthebox.odds.tug`."""
        return tug_chances(begin(profile, players))

    def chances(self, match: Match) -> tuple[float, ...]:
        """As in `shutthebox.odds.tug`."""
        return tug_chances(match)

    def play(self, match: Match) -> TurnPlay[float]:
        """As in `shutthebox.odds.tug`."""
        return tug_play(match.game)

    def options(self, match: Match) -> list[tuple[int, float]]:
        """As in `shutthebox.odds.tug`."""
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
    """Whether chances to win can be calculated for a match of this profile."""
    return why_no_seat_odds(profile, players, About.MATCH) is None


def match_chances(match: Match) -> tuple[float, ...]:
    """Every player's chance to win, at the start of a turn or when the match is decided.

    Raises:
        OddsError: the rules have no such chances, see `has_chances`.
    """
    if match.result is not None:
        winners = match.result.winners
        return tuple(
            (player in winners) / len(winners) if winners else 0.0 for player in range(match.players)
        )
    check_seats(match.game, match.players, About.MATCH)
    return order_odds(match.game).chances(match)


def match_play(match: Match) -> TurnPlay[float]:
    """The best play of the current turn for the win.

    Raises:
        OddsError: like `match_chances`.
    """
    check_seats(match.game, match.players, About.MATCH)
    return order_odds(match.game).play(match)
