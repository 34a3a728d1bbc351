"""Turn over: blocked, lost, or shut, with the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.effects import Effect, Play, Sound
from shutthebox.game.facts import Finished
from shutthebox.game.judge import FINE
from shutthebox.game.messages import Message, message, told
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract, match_over, raising, ready
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.play import MatchInPlay, done, with_verdict
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.state import Context, Step, View, kept, refused
from shutthebox.game.wording import luck_texts, player_name
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
        return match_over.enter(play, context).after(*effects)
    return ready.await_throw(play, context).after(*effects)


def hold(mode: TurnOver, context: Context) -> Step[TurnOver]:
    """Only a press goes on."""
    return refused(mode, message("Press: go on"))


def abandon(mode: TurnOver, context: Context) -> Step[attract.Attract]:
    """Leaves the match."""
    return ready.leave(mode.play, context)


def screen(mode: TurnOver, view: View) -> Screen:
    """The score, how the turn ended, and what dice and decisions did."""
    match, account, _ = mode.play.match, mode.play.account, view.translate
    turn, shut = match.turn, match.turn.outcome is Outcome.SHUT
    also = [_("Press: go on")]
    if account is not None:
        also += [text.told(_) for text in luck_texts(match.profile, account.luck, account.given_away)]
    tiles = tuple(
        (tile, TileState.OPEN if turn.open & to_tiles([tile]) else TileState.SHUT)
        for tile in match.profile.tiles
    )
    return Screen(
        mode.name,
        title=told(player_name(match.player, view.shared), _),
        aside="+".join(map(str, turn.throw or ())),
        big=_("SHUT!") if shut else str(turn.score),
        tiles=tiles,
        prompt=_ending(match).told(_),
        also=tuple(also),
        lit=True,
        celebrates=shut,
    )


def _ending(match: Match) -> Message:
    """How the turn has ended."""
    total = sum(match.turn.throw or ())
    match match.turn.outcome:
        case Outcome.SHUT:
            return message("Shut the box!")
        case Outcome.LOST:
            return message("No {tile} this time", tile=match.profile.first_move_must_include or 0)
        case Outcome.ENDED:
            return message("{total} ends it", total=total)
        case _:
            return message("Blocked by {total}", total=total)
