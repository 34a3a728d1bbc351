"""The coach's pages: what luck and decisions did for each player, and what cost most."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from shutthebox.game.messages import ListRow, Message, Text, TileSum, decimal, message
from shutthebox.rules.faces import faces_to_text
from shutthebox.texts import plural

if TYPE_CHECKING:  # displaying a review needs no solver
    from shutthebox.odds.coach import Decision, MatchReview


class CoachPage(NamedTuple):
    """A page of the coach.

    Attributes:
        heading: None for the player's name and the unit.
        player: whose page, from 0.
        lines: each a text, and what's at its right.
        in_chance: figures are chances to win; otherwise points.
    """

    heading: Message | None
    player: int
    lines: tuple[tuple[Message | None, Text], ...]
    in_chance: bool = False

    def title(self, names: Sequence[Text]) -> Text:
        """The page's top line: its heading, or the player and the unit of the figures."""
        name = names[self.player]
        if self.heading is not None:
            return self.heading
        if self.in_chance:
            return message("{player}, to win", player=name)
        return message("{player}, in points", player=name)

    def rows(self, names: Sequence[Text]) -> tuple[ListRow, ...]:
        """The other lines; a line without a text begins with the player's name."""
        return tuple(ListRow(text or names[self.player], value) for text, value in self.lines)


def coach_pages(review: MatchReview, *, highest_wins: bool) -> tuple[CoachPage, ...]:
    """A page for each player who has thrown, then the turning point and the costliest decision.

    Args:
        review: of a match or a turn.
        highest_wins: more points are better.
    """
    threw = (i for i, player in enumerate(review.players) if player.accuracy is not None)
    pages = [_player_page(review, player, highest_wins) for player in threw]
    point, worst = review.turning_point, review.worst
    if point is not None:
        by = message("by the move") if point.decision else message("by the dice")
        in_chance = _in_chance(review)
        changed = signed_text(point.change, in_chance=in_chance)
        unit = message("to win") if in_chance else message("points")
        lines = ((None, faces_to_text(point.throw)), (by, ""), (unit, changed))
        pages.append(CoachPage(message("Turning point"), point.player, lines))
    if worst is not None:
        pages.append(_worst_page(worst))
    return tuple(pages)


def _in_chance(review: MatchReview) -> bool:
    return review.players[0].win is not None


def _player_page(review: MatchReview, player: int, highest_wins: bool) -> CoachPage:
    found = review.players[player]
    balance = found.points if found.win is None else found.win
    in_chance = found.win is not None
    good = 1 if in_chance or highest_wins else -1
    lines = (
        (message("accuracy"), f"{found.accuracy:.0f} %"),
        (message("luck"), signed_text(good * balance.luck, in_chance=in_chance)),
        (message("decisions"), signed_text(good * balance.skill, in_chance=in_chance)),
    )
    return CoachPage(None, player, lines, in_chance)


def _worst_page(worst: Decision) -> CoachPage:
    in_chance = worst.win is not None
    cost = signed_text(-worst.cost, in_chance=in_chance)
    unit = message("to win") if in_chance else message("points")
    if worst.throw is None:
        asked = message("dice")
        chosen: Text = str(worst.chosen)
        best: Text = str(worst.best)
    else:
        asked = message("for {throw}", throw=faces_to_text(worst.throw))
        chosen, best = (TileSum(worst.numbers(tiles)) for tiles in (worst.chosen, worst.best))
    lines = ((None, ""), (unit, cost), (asked, chosen), (message("better"), best))
    return CoachPage(message("Costliest move"), worst.player, lines, in_chance)


def better_text(decision: Decision) -> Message:
    """What would have been better, in one line of the panel."""
    if decision.throw is None:
        return message(plural("better: one die", "better: {dice} dice"), dice=decision.best)
    tiles = TileSum(decision.numbers(decision.best))
    return message("{throw}: better {tiles}", throw=faces_to_text(decision.throw), tiles=tiles)


def signed_text(value: Fraction, *, in_chance: bool) -> Text:
    """Chances as a percentage, points with one decimal; gains have a plus sign."""
    if not in_chance:
        return decimal(float(value), 1, "+")
    percent = round(100 * float(value))
    return f"{percent:+d} %" if percent else "0 %"
