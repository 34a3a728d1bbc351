"""Turn over: blocked, lost, or shut, with the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.effects import Effect, Play, Sound
from shutthebox.game.facts import Finished
from shutthebox.game.judge import FINE
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, match_over, raising, ready
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.play import MatchInPlay, done, with_verdict
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.state import Context, Step, View, kept
from shutthebox.game.wording import luck_text, player_name
from shutthebox.rules.actions import Advanced
from shutthebox.rules.match import Match, Stage
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome


@dataclass(frozen=True, slots=True)
class TurnOver(MatchMode):
    """The turn has ended; its score is shown."""

    name: ClassVar[Mode] = Mode.TURN_OVER


def enter(play: MatchInPlay, context: Context) -> Step[TurnOver]:
    """A turn has ended, and perhaps the match with it: then its result is kept."""
    match = play.match
    effects: tuple[Effect, ...] = kept(Finished(match)) if match.result is not None else ()
    sound = Sound.SHUT if match.turn.outcome is Outcome.SHUT else Sound.BLOCKED
    return Step(TurnOver(with_verdict(play, FINE)), (*effects, Play(sound)))


def press(mode: TurnOver, context: Context) -> Step[raising.Raise | ready.Ready | match_over.MatchOver]:
    """The next player, or the end of the match."""
    play, effects = done(mode.play, Advanced())
    if play.match.stage is Stage.FINISHED:
        return Step(match_over.MatchOver(play), (*effects, Play(Sound.WIN)))
    return ready.await_throw(play, context).after(*effects)


def abandon(mode: TurnOver, context: Context) -> Step[attract.Attract]:
    """Leaves the match."""
    return ready.leave(mode.play, context)


def screen(mode: TurnOver, view: View) -> Screen:
    """The score, how the turn ended, and what dice and decisions did."""
    match, account, _ = mode.play.match, mode.play.account, view.translate
    turn, shut = match.turn, match.turn.outcome is Outcome.SHUT
    rows: tuple[str, ...] = ()
    if account is not None:
        rows = (luck_text(match.profile, account.luck, account.given_away).told(_),)
    tiles = tuple(
        (tile, TileState.OPEN if turn.open & to_tiles([tile]) else TileState.SHUT)
        for tile in match.profile.tiles
    )
    return Screen(
        mode.name,
        title=player_name(match).told(_),
        aside="+".join(map(str, turn.throw or ())),
        big=_("SHUT!") if shut else str(turn.score),
        rows=rows,
        # The levers themselves show what is open; the score needs the room.
        tiles=() if rows else tiles,
        prompt=_ending(match).told(_),
        alert=not shut,
        lit=True,
    )


def _ending(match: Match) -> Message:
    """How the turn has ended."""
    total = sum(match.turn.throw or ())
    match match.turn.outcome:
        case Outcome.SHUT:
            return message("Shut the box!")
        case Outcome.LOST:
            return message("Lost: no {tile} to shut", tile=match.profile.first_move_must_include or 0)
        case Outcome.ENDED if str(total).startswith("8") or total in (11, 18):
            return message("An {total} ends the turn", total=total)
        case Outcome.ENDED:
            return message("A {total} ends the turn", total=total)
        case _:
            return message("Blocked by {total}", total=total)
