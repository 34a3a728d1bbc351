"""Match over: the winner, the table, and who owes what."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import zip_longest
from typing import ClassVar

from shutthebox.game.effects import Play, Sound
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, initials, raising, ready
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.picker import Flicks
from shutthebox.game.play import MatchInPlay
from shutthebox.game.screen import Screen
from shutthebox.game.settings import ShownStakes
from shutthebox.game.state import Context, Step, View
from shutthebox.game.wording import luck_text
from shutthebox.rules.match import Match, Result, begin
from shutthebox.rules.turn import Outcome

SIGN_LEVERS = (1, 2)
TALLY_LEVER = 3


@dataclass(frozen=True, slots=True)
class MatchOver(MatchMode):
    """The match has been decided.

    Attributes:
        signed: the winner has signed.
        shows_tally: the stakes of the evening are shown instead of the result.
        flicks: levers on their way.
    """

    name: ClassVar[Mode] = Mode.MATCH_OVER

    signed: bool = False
    shows_tally: bool = False
    flicks: Flicks = field(default_factory=Flicks)


def press(mode: MatchOver, context: Context) -> Step[raising.Raise | ready.Ready]:
    """A new match of the same players."""
    match, settings = mode.play.match, context.settings
    # The levers may have been taken out of play, or put back, while the power was off.
    played = (game for game in settings.games if game.name == match.profile.name)
    profile = next(played, match.profile).with_limit(match.profile.limit)
    return ready.begin_anew(begin(profile, match.players, match.rounds), context, tally(mode.play))


def hold(mode: MatchOver, context: Context) -> Step[attract.Attract]:
    """Leaves the match; the evening is over, and with it its tally."""
    return ready.leave(mode.play, context)


def time(mode: MatchOver, context: Context) -> Step[attract.Attract]:
    """Nobody has touched the box for long."""
    return ready.leave(mode.play, context)


def levers(mode: MatchOver, context: Context) -> Step[MatchOver | initials.Initials]:
    """Lever 1 or 2: the winner signs. Lever 3: the stakes of the evening and back."""
    flicks, chosen = mode.flicks.moved(context.flipped | context.lifted)
    mode = replace(mode, flicks=flicks)
    if set(chosen) & set(SIGN_LEVERS) and not mode.signed and _result(mode.play).winners:
        return Step(initials.Initials(mode.play), (Play(Sound.CHOICE),))
    if TALLY_LEVER in chosen and context.settings.stakes is ShownStakes.EVENING:
        return Step(replace(mode, shows_tally=not mode.shows_tally), (Play(Sound.CHOICE),))
    return Step(mode)


def tally(play: MatchInPlay) -> tuple[Fraction, ...]:
    """Per player the stakes owed for this match and those before it in the evening."""
    pairs = zip_longest(play.tally, play.owes, fillvalue=Fraction(0))
    return tuple(before + owes for before, owes in pairs)


def screen(mode: MatchOver, view: View) -> Screen:
    """The result with its table, or the stakes of the evening."""
    play, _ = mode.play, view.translate
    result = _result(play)
    prompt = _("Press: play again")
    if mode.shows_tally:
        rows = tuple(f"{i}: {_owes(owes).told(_)}" for i, owes in enumerate(tally(play), 1))
        return Screen(mode.name, title=_("Stakes of the evening"), rows=rows, prompt=prompt, lit=True)
    staked = view.settings.stakes is not ShownStakes.OFF
    rows = tuple(_row(play.match, result, i, view, staked=staked) for i in range(play.match.players))
    if any(play.luck) or any(play.given_away):
        accounts = zip(play.luck, play.given_away, strict=True)
        profile = play.match.profile
        rows += tuple(
            f"{i}: {luck_text(profile, luck, cost).told(_)}" for i, (luck, cost) in enumerate(accounts, 1)
        )
    cursor = result.winners[0] if result.winners else None
    title = _title(play.match, result).told(_)
    return Screen(mode.name, title=title, rows=rows, cursor=cursor, prompt=prompt, lit=True)


def _result(play: MatchInPlay) -> Result:
    assert play.match.result is not None, "a match that is over has a result"
    return play.match.result


def _title(match: Match, result: Result) -> Message:
    winners = ", ".join(str(winner + 1) for winner in result.winners)
    if match.players == 1:
        return _solo_title(match, result)
    if len(result.winners) > 1:
        return message("Shared by {players}", players=winners)
    if result.captain:
        return message("Captain {player} wins!", player=winners)
    return message("Player {player} wins!", player=winners)


def _solo_title(match: Match, result: Result) -> Message:
    """A player alone beats nobody: the score is what there is to say."""
    if result.captain:
        return message("Captain!")
    if match.turn.outcome is Outcome.SHUT:
        return message("You shut the box!")
    return message("Your score: {score}", score=match.totals[0])


def _row(match: Match, result: Result, player: int, view: View, *, staked: bool) -> str:
    score = "–" if match.scores[player] is None else str(match.totals[player])
    owes = result.owes[player] if staked else Fraction(0)
    return f"{player + 1}: {score} {_owes(owes).told(view.translate)}" if owes else f"{player + 1}: {score}"


def _owes(owes: Fraction) -> Message:
    """What a player owes or gets."""
    if owes > 0:
        return message("owes {stakes}", stakes=str(owes))
    return message("gets {stakes}", stakes=str(-owes)) if owes else message("quits")
