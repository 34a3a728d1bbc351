"""Turn over: blocked, lost, or shut, with the score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.coach_pages import better_text
from shutthebox.game.effects import Effect, Sound, Sounded
from shutthebox.game.facts import BEST, Chosen, Finished
from shutthebox.game.judge import FINE
from shutthebox.game.match_screen import ended_row
from shutthebox.game.messages import Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import MatchMode
from shutthebox.game.play import done
from shutthebox.game.screen import Screen
from shutthebox.game.settings import ladder_of
from shutthebox.game.state import Context, Shared, Step, kept, refused
from shutthebox.game.targets import AfterAction, EndTurn, after
from shutthebox.game.wording import luck_texts, player_name
from shutthebox.rules.actions import Advanced
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Turns
from shutthebox.rules.turn import Outcome


@dataclass(frozen=True, slots=True)
class TurnOver(MatchMode):
    """The turn has ended; its score is shown."""

    name: ClassVar[Mode] = Mode.TURN_OVER

    def screen(self, shared: Shared) -> Screen:
        """The score, how the turn ended, and what dice and decisions did."""
        match, review = self.play.match, self.play.review
        turn, shut = match.turn, match.turn.outcome is Outcome.SHUT
        also = [message("Press: go on")]
        if review is not None and not shared.settings.family:
            points = review.players[match.player].points
            also += luck_texts(match.rules, points.luck, points.given_away)
            if review.worst is not None:
                also.append(better_text(review.worst))
        out = match.rules.turns is Turns.SHARED
        return Screen(
            self.name,
            title=player_name(match.player, shared),
            aside=faces_to_text(turn.throw or ()),
            big=message("SHUT!") if shut else message("OUT!") if out else str(turn.score),
            tiles=ended_row(match),
            prompt=_kind_ending(match) if shared.settings.family else _ending(match),
            also=tuple(also),
            lit=True,
            celebrates=shut,
        )


def enter(target: EndTurn, context: Context) -> Step[TurnOver]:
    """A turn has ended, and perhaps the match with it: then its result is kept."""
    match = target.play.match
    effects: tuple[Effect, ...] = kept(Finished(match)) if match.result is not None else ()
    sound = Sound.SHUT if match.turn.outcome is Outcome.SHUT else Sound.BLOCKED
    step = Step(TurnOver(replace(target.play, verdict=FINE)), (*effects, Sounded(sound)))
    return _climbed(step, match, context) if match.rules.is_solo and match.result else step


def _climbed(step: Step[TurnOver], match: Match, context: Context) -> Step[TurnOver]:
    """The ladder's next total to beat, where this one is better; kept like a choice at the box."""
    assert match.result is not None, "the match is decided"
    if not match.result.winners or match.totals[0] == match.rules.limit:
        return step
    if 1 in context.shared.settings.computers:
        return step  # nobody has climbed
    ladder, total = ladder_of(match.game), match.totals[0]
    settings = context.shared.settings
    shared = replace(context.shared, settings=replace(settings, bests={**settings.bests, ladder: total}))
    return replace(step.preceded_by(*kept(Chosen(BEST + ladder, total))), shared=shared)


def press(mode: TurnOver, context: Context) -> Step[AfterAction]:
    """The next player, or the end of the match."""
    play, effects = done(mode.play, Advanced())
    return Step(after(play), effects)


def hold(mode: TurnOver, context: Context) -> Step[TurnOver]:
    """Only a press goes on."""
    return refused(mode, message("Press: go on"))


def _ending(match: Match) -> Message:
    """How the turn has ended."""
    total = sum(match.turn.throw or ())
    match match.turn.outcome:
        case Outcome.SHUT:
            return message("Shut the box!")
        case Outcome.TIME:
            return message("Time is over")
        case Outcome.LOST:
            return message("No {tile} this time", tile=match.rules.first_move_must_include or 0)
        case Outcome.ENDED:
            return message("{total} ends it", total=total)
        case _:
            return message("Blocked by {total}", total=total)


def _kind_ending(match: Match) -> Message:
    """How the turn has ended, for children: what was done, where a move was missing."""
    if match.turn.outcome is not Outcome.BLOCKED:
        return _ending(match)
    profile, turn = match.rules, match.turn
    shut = (profile.starting & ~turn.open).bit_count() + (profile.starting_behind & ~turn.behind).bit_count()
    return message("{count} shut, bravo!", count=shut) if shut else message("Next time!")
