"""The match on the table as the box sees it: what all modes of a match have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from shutthebox.game.effects import Ask, Effect, Keep, PlaySound, Sound
from shutthebox.game.judge import FINE, WHOLE, Half, Verdict, is_setback, judge, levers_behind, take_part
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared
from shutthebox.odds.questions import AskReview, Prepare, ReviewReady
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, apply
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.profile import Profile, Turns
from shutthebox.rules.tiles import Tiles, to_numbers

if TYPE_CHECKING:  # a reader of reviews needs no solver
    from shutthebox.odds.coach import MatchReview

_SECOND_NS = 1_000_000_000

TUMBLE_NS = 800_000_000
"""How long the dice tumble; a press shows them at once."""


class Clock(NamedTuple):
    """The time that a player has left.

    Attributes:
        over_ns: when it is over.
        shown_s: whole seconds left, as the screen shows them.
    """

    over_ns: int
    shown_s: int

    @property
    def next_ns(self) -> int:
        """When the shown seconds change; when none is left to be shown, the time is over."""
        return self.over_ns - max(0, self.shown_s - 1) * _SECOND_NS

    def at(self, now_ns: int) -> Clock:
        """The clock with the seconds that are left now, a begun one counted."""
        return self._replace(shown_s=max(0, -(-(self.over_ns - now_ns) // _SECOND_NS)))


class PlayedTurn(NamedTuple):
    """A turn, or its part until now.

    Attributes:
        beginning: the match before its first throw.
        actions: what has happened in it.
    """

    beginning: Match
    actions: tuple[Action, ...]


class MatchInPlay(NamedTuple):
    """A match between two inputs.

    Attributes:
        match: the position as the players have seen it.
        verdict: on the levers.
        wrong_ns: since when the same levers have been wrong.
        turn: the running turn, for its review; None before its first throw, and where it cannot be reviewed.
        unreviewed: turns that have ended and whose review has not come yet.
        given_away: per player, points that decisions have cost in this match.
        luck: per player, points that the dice have added in this match.
        review: of the turn that has just ended; None before, and where the odds are not known.
        for_win: turns are reviewed in chance to win, too.
        tally: per player the stakes owed from earlier matches of the evening; negative: to get.
        beginning: the match before its first throw; None where it was joined half-way.
        actions: what has happened in it since.
        clock: the time that the player at turn has left; None where no clock runs.
        half: the part of an answer that a press has taken, before the tiles behind.
    """

    match: Match
    verdict: Verdict = FINE
    wrong_ns: int = 0
    turn: PlayedTurn | None = None
    unreviewed: tuple[PlayedTurn, ...] = ()
    given_away: tuple[Fraction, ...] = ()
    luck: tuple[Fraction, ...] = ()
    review: MatchReview | None = None
    for_win: bool = False
    tally: tuple[Fraction, ...] = ()
    beginning: Match | None = None
    actions: tuple[Action, ...] = ()
    clock: Clock | None = None
    half: Half = WHOLE

    @property
    def is_out_of_time(self) -> bool:
        """Whether the clock has come to its end."""
        return self.clock is not None and self.clock.shown_s == 0

    @property
    def must_pass(self) -> bool:
        """Whether the throw on the table has neither an answer nor a tile to open: it is passed."""
        profile, turn = self.match.rules, self.match.turn
        return not turns.answers(profile, turn) and not turns.reopenings(profile, turn)

    @property
    def owes(self) -> tuple[Fraction, ...]:
        """Per player the stakes owed for this match; empty before it is decided."""
        return self.match.result.owes if self.match.result else ()


def conditions_of(match: Match, settings: Settings) -> Conditions:
    """The conditions under which this match, at its beginning, is played from now on."""
    return Conditions(
        first=match.first + 1,
        real_dice=settings.real_dice,
        computers=tuple(sorted(seat for seat in settings.game.computers if seat <= match.players)),
        equal_dice=settings.tournament.commitment if settings.tournament and not settings.real_dice else "",
        out_of_play=to_numbers(settings.out & match.game.all_tiles & ~match.game.starting),
    )


def new_match(profile: Profile, settings: Settings) -> Match:
    """A match of the usual number of players and rounds."""
    return begin(profile, 1 if profile.is_solo else settings.game.players, settings.game.rounds)


def begin_play(
    match: Match, settings: Settings, tally: tuple[Fraction, ...] = ()
) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """A match at its beginning, and the question for its odds."""
    players = match.players if settings.game.computers or settings.game.hints else 0
    nothing = (Fraction(0),) * match.players
    play = MatchInPlay(
        match, given_away=nothing, luck=nothing, tally=tally, beginning=match, for_win=players > 0
    )
    return play, (Ask(Prepare(match.game, players)),)


def apply_and_keep(play: MatchInPlay, action: Action) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """The match after an action; the action is to be kept, and the review of an ended turn asked for."""
    after = apply_action(play, action)
    asked = ask_reviews(after)[len(play.unreviewed) :]
    return after, (Keep(action), *asked)


def ask_reviews(play: MatchInPlay) -> tuple[Ask, ...]:
    """The questions for the reviews that have not come."""
    return tuple(Ask(AskReview(turn.beginning, turn.actions, play.for_win)) for turn in play.unreviewed)


def apply_action(play: MatchInPlay, action: Action) -> MatchInPlay:
    """The match after an action. Every action of every match on the box goes through here, once."""
    match = apply(play.match, action)
    after = play._replace(match=match, actions=(*play.actions, action), half=WHOLE)
    if play.match.stage is Stage.ADVANCE:
        return after._replace(turn=None, review=None)
    turn = _continued(play, action)
    if turn is None or match.rows[play.match.player].outcome is None:
        return after._replace(turn=turn)
    return after._replace(turn=turn, unreviewed=(*play.unreviewed, turn))


def _continued(play: MatchInPlay, action: Action) -> PlayedTurn | None:
    """The running turn with one more action; None if it was joined half-way, or is played in rotation."""
    match, turn = play.match, play.turn
    if turn is not None:
        return turn._replace(actions=(*turn.actions, action))
    begins = match.stage is Stage.THROW and match.turn.throws == 0 and match.rules.turns is Turns.WHOLE
    return PlayedTurn(match, (action,)) if begins else None


def add_review(play: MatchInPlay, came: ReviewReady) -> MatchInPlay:
    """The match with luck and decisions of one more turn; unchanged if that turn is not awaited."""
    turn, review = PlayedTurn(came.beginning, came.actions), came.review
    if turn not in play.unreviewed:
        return play
    play = play._replace(unreviewed=tuple(other for other in play.unreviewed if other != turn))
    if review is None:
        return play
    player = turn.beginning.player
    points = review.players[player].points
    return play._replace(
        review=review if turn == play.turn else play.review,
        luck=_added(play.luck, player, points.luck),
        given_away=_added(play.given_away, player, points.given_away),
    )


def judge_levers(
    play: MatchInPlay, context: Context, only: Tiles | None = None
) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """The match with the verdict on the levers as they stand, and the sound of a new fault.

    Args:
        play: the match.
        context: the levers and the time.
        only: the one answer that counts; None for all that are legal.
    """
    match, shared = play.match, context.shared
    half = play.half._replace(to_lift=play.half.to_lift & shared.levers)
    verdict = judge(match.rules, match.turn, shared.levers, only, row_behind(match, shared), half)
    beep = is_setback(verdict, play.verdict, context.moved, shared.levers)
    wrong_ns = play.wrong_ns if verdict.tiles == play.verdict.tiles else context.now_ns
    play = play._replace(verdict=verdict, wrong_ns=wrong_ns, clock=_clock(play, context), half=half)
    return play, (PlaySound(Sound.FAULT),) if beep else ()


def take_half(play: MatchInPlay, shared: Shared, only: Tiles | None = None) -> Half | None:
    """What a press takes of an answer whose rest goes through the tiles behind; None if it takes nothing."""
    match = play.match
    return take_part(match.rules, match.turn, shared.levers, row_behind(match, shared), play.half, only)


def row_behind(match: Match, shared: Shared) -> int:
    """How far from a lever of the front row that of the tile behind is; 0 if one stands for both."""
    return levers_behind(match.game, shared.settings.levers, shared.settings.out)


def tick_clock(play: MatchInPlay, context: Context) -> MatchInPlay:
    """The match with the seconds left that its clock now shows."""
    return play._replace(clock=play.clock.at(context.now_ns)) if play.clock else play


def _clock(play: MatchInPlay, context: Context) -> Clock | None:
    """The clock of the player at turn; no hand could help the computer to be in time, so it has none."""
    seconds = play.match.rules.turn_seconds
    if seconds is None or not play.match.clock_runs or is_computers_turn(play, context.shared):
        return None
    return play.clock or clock_of(seconds, context.now_ns)


def clock_of(seconds: int, now_ns: int) -> Clock:
    """A clock with so many seconds left now."""
    return Clock(now_ns + seconds * _SECOND_NS, seconds)


def is_computers_turn(play: MatchInPlay, shared: Shared) -> bool:
    """Whether the computer plays the seat whose turn it is."""
    return play.match.player + 1 in shared.settings.game.computers


def _added(sums: tuple[Fraction, ...], at: int, more: Fraction) -> tuple[Fraction, ...]:
    return tuple(value + more * (i == at) for i, value in enumerate(sums))
