"""Turn over: blocked, lost, or shut, with the score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, assert_never

from shutthebox.game.coach_pages import better_text
from shutthebox.game.effects import PlaySound, Sound
from shutthebox.game.facts import BestTotal
from shutthebox.game.judge import FINE
from shutthebox.game.match_screen import total_text, with_ended_row
from shutthebox.game.messages import CommaList, Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.play import MatchInPlay, apply_and_keep, keep_result
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings, ladder_of
from shutthebox.game.state import Context, Shared, Step, keep, refuse
from shutthebox.game.targets import AfterAction, EndTurn, after
from shutthebox.game.wording import REACHED, luck_texts, player_name
from shutthebox.rules.actions import Advanced
from shutthebox.rules.faces import faces_to_text
from shutthebox.rules.match import Match
from shutthebox.rules.moves import ending_total, totals
from shutthebox.rules.profile import MatchFormat, Tie
from shutthebox.rules.turn import Outcome
from shutthebox.texts import plural

if TYPE_CHECKING:  # displaying a review needs no solver
    from shutthebox.odds.coach import MatchReview


@dataclass(frozen=True, slots=True, eq=False)
class TurnOver(MatchMode):
    """The turn has ended; its score is shown.

    Attributes:
        tells: show the coach's comment.
    """

    name: ClassVar[Mode] = Mode.TURN_OVER
    in_turn: ClassVar[bool] = True
    flips_tiles: ClassVar[bool] = True

    tells: bool = False

    @property
    def review(self) -> MatchReview | None:
        """The coach's review of the match so far."""
        return self.play.review

    def screen(self, shared: Shared) -> Screen:
        """The score or who is out, and how the turn ended; on request, what dice and decisions did."""
        match = self.play.match
        word, out = _coachs_word(self.play, shared.settings), _knocked_out(match)
        prompt = _kind_ending(match) if shared.settings.game.family else _ending(match)
        name, score = player_name(match.player, shared), str(match.turn.score)
        if self.tells and word:
            return Screen(self.name, title=name, rows=word, prompt=message("Press: go on"), lit=True)
        big: Text = message("Score: {score}", score=score)
        if out:
            name, big = (
                message("{player}: {score}", player=name, score=score),
                message("{players}: out!", players=_names(match, out, shared)),
            )
        elif match.order_of_play.one_row and match.turn.outcome is not Outcome.SHUT:
            big = message("OUT!")
        elif is_to_cheer(match):
            big = message("OPEN!") if match.turn.opens else message("SHUT!")
        elif not match.order_of_play.has_points:
            big = message(plural("1 left", "{count} left"), count=match.turn.open.bit_count())
        screen = Screen(
            self.name,
            title=name,
            aside=total_text(match) or faces_to_text(match.turn.throw or ()),
            big=big,
            prompt=prompt,
            also=(
                *_penalty(match),
                *_round_won(match, shared),
                *_say_reached(match),
                message("Press: go on"),
                *((message("Hold: coach"),) if word else ()),
            ),
            lit=True,
            celebrates=is_to_cheer(match),
        )
        return screen if out else with_ended_row(screen, match, shared)

    def press(self, context: Context) -> Step[AfterAction]:
        """Goes on to the next player, or ends the match."""
        play, effects = apply_and_keep(self.play, Advanced())
        return Step(after(play), effects)

    def levers(self, context: Context) -> Step[TurnOver]:
        """Nothing: the next turn asks for what it needs."""
        return Step(self)

    def hold(self, context: Context) -> Step[TurnOver]:
        """Toggles the coach's comment on the turn."""
        if not _coachs_word(self.play, context.shared.settings):
            return refuse(self, message("Press: go on"))
        return Step(replace(self, tells=not self.tells))


def is_to_cheer(match: Match) -> bool:
    """Whether the box was shut and that's a good score."""
    turn = match.turn
    return turn.outcome is Outcome.SHUT and not (match.rules.highest_wins and turn.score == 0)


def _penalty(match: Match) -> tuple[Message, ...]:
    """The cost of the shut box to everyone else at the end of the round."""
    if not any(match.round.penalties):
        return ()
    if isinstance(match.game.shut_others, str):
        return (message("Others doubled"),)
    points = match.game.shut_others
    return (message("Others +{points}", points=points).say_as("Everyone else scores {points} more"),)


def _round_won(match: Match, shared: Shared) -> tuple[Message, ...]:
    """Who won the round, if rounds are counted, or that its pool or point carries over."""
    if match.game.tie is Tie.CARRY and match.ledger.carried and match.next_round and not match.round.winners:
        return (message("Tied: pool stays") if match.game.has_pool else message("Tied: no point"),)
    if not match.game.counts_rounds_won or not match.round.winners or match.round.tie_rounds:
        return ()
    return (message("Point: {players}", players=_names(match, match.round.winners, shared)),)


def _names(match: Match, seats: Iterable[int], shared: Shared) -> CommaList:
    """These players, or the teams that they are."""
    if not match.in_teams:
        return CommaList(tuple(player_name(seat, shared) for seat in seats))
    teams = sorted({seat % match.teams + 1 for seat in seats})
    return CommaList(tuple(message("team {number}", number=team) for team in teams))


def _say_reached(match: Match) -> tuple[Message, ...]:
    """Says that the player or team has reached the match's limit."""
    rules = match.rules
    if rules.match not in _TO_A_LIMIT or rules.limit is None or match.round.tie_rounds:
        return ()
    if match.team_totals[match.player] < rules.limit:
        return ()
    return (message(REACHED, points=rules.limit),)


_TO_A_LIMIT = (
    MatchFormat.TARGET_LOSES,
    MatchFormat.TARGET_WINS,
    MatchFormat.DROP_OUT,
    MatchFormat.ROUNDS_WON,
)


def _knocked_out(match: Match) -> tuple[int, ...]:
    """The players knocked out by the round that this turn ended."""
    following = match.next_round
    if following is None or following.breaks_tie:
        return ()
    return tuple(seat for seat in match.round.seats if seat not in following.seats)


def _coachs_word(play: MatchInPlay, settings: Settings) -> tuple[Text, ...]:
    """The effect of dice and decisions on this turn; no blame for a shut box or for running out of time."""
    match, review = play.match, play.review
    if review is None or settings.game.family:
        return ()
    found = review.players[match.player]
    points = found.points if match.order_of_play.has_points else found.win or found.points
    if match.turn.outcome in (Outcome.SHUT, Outcome.TIME):
        return luck_texts(match.rules, points.luck, None)
    better = (better_text(review.worst),) if review.worst is not None else ()
    return (*luck_texts(match.rules, points.luck, points.given_away), *better)


def enter(target: EndTurn, context: Context) -> Step[TurnOver]:
    """Shows how a turn ended; if the match ended with it, stores the result."""
    match = target.play.match
    sound = Sound.SHUT if is_to_cheer(match) else Sound.BLOCKED
    step = Step(TurnOver(target.play._replace(verdict=FINE)), (*keep_result(target.play), PlaySound(sound)))
    return _raise_best(step, match, context) if match.rules.is_solo and match.result else step


def _raise_best(step: Step[TurnOver], match: Match, context: Context) -> Step[TurnOver]:
    """Raises the ladder's total to beat, if this one is better; stored like a choice at the box."""
    assert match.result is not None, "the match is decided"
    if not match.result.winners or match.totals[0] == match.rules.limit:
        return step
    if 1 in context.shared.settings.game.computers:
        return step  # the best total stands
    ladder, total = ladder_of(match.game), match.totals[0]
    settings = context.shared.settings
    shared = context.shared._replace(own_settings=settings._replace(bests={**settings.bests, ladder: total}))
    return step.preceded_by(*keep(BestTotal(ladder, total)))._replace(shared=shared)


def _ending(match: Match) -> Message:
    """How the turn ended."""
    rules, throw, outcome = match.rules, match.turn.throw or (), match.turn.outcome
    match outcome:
        case Outcome.SHUT:
            return message("All open!") if match.turn.opens else message("Box shut!")
        case Outcome.TIME:
            return message("Time's up")
        case Outcome.LOST:
            return message("Lost: no {tile} this\u00a0time", tile=rules.first_move_must_include or 0)
        case Outcome.ENDED:
            total = ending_total(rules, throw)
            if total is None or total not in rules.ends_turn_on:
                return message("A double ends it")
            return message("{total} ends it", total=total)
        case Outcome.UNPLAYED:
            return message("Round over")
        case Outcome.BLOCKED | None:
            total = next(iter(totals(rules, throw)), sum(throw))
            return message("Blocked by {total}", total=total)
    assert_never(outcome)


def _kind_ending(match: Match) -> Message:
    """How the turn ended, in a gentler wording for children."""
    if match.turn.outcome is not Outcome.BLOCKED:
        return _ending(match)
    rules, turn = match.rules, match.turn
    shut = (rules.starting & ~turn.open).bit_count() + (rules.starting_behind & ~turn.behind).bit_count()
    if not shut:
        return message("Next time!")
    if turn.opens:
        return message(plural("1 open, bravo!", "{count} open, bravo!"), count=shut)
    return message(plural("1 shut, bravo!", "{count} shut, bravo!"), count=shut)
