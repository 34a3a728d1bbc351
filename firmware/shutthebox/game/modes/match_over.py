"""Match over: the winner, the table, and who owes what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from shutthebox.game.coach_pages import CoachPage, coach_pages
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.effects import Ask, PlaySound, Sound
from shutthebox.game.facts import RematchWanted, Signed
from shutthebox.game.messages import CommaList, ListRow, Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.picker import Flicks
from shutthebox.game.play import MatchInPlay, tell_peer
from shutthebox.game.screen import Screen
from shutthebox.game.settings import Settings, ShownStakes
from shutthebox.game.state import Context, Shared, Step, ask_link, keep, refuse
from shutthebox.game.targets import (
    AfterAction,
    BackToAttract,
    BeginLinked,
    BeginMatch,
    BreakOff,
    EndMatch,
    ShowResult,
    SignResult,
    Tumble,
    begin_again,
)
from shutthebox.game.wording import player_name, reason_text, seat
from shutthebox.link.match import LinkedMatch
from shutthebox.link.messages import Message as LinkMessage
from shutthebox.link.messages import Rematch
from shutthebox.link.rematch import hear_rematch, want_rematch
from shutthebox.link.requests import Peer, Send
from shutthebox.odds.questions import AskReview, OddsReady, ReviewReady
from shutthebox.rules.match import Match, begin
from shutthebox.rules.position import Result
from shutthebox.rules.profile import Stakes
from shutthebox.rules.reader import with_options
from shutthebox.rules.tiles import Tiles, to_tiles
from shutthebox.rules.turn import Outcome
from shutthebox.texts import plural

if TYPE_CHECKING:  # displaying a review needs no solver
    from shutthebox.odds.coach import MatchReview

SIGN_LEVERS = (1, 2)
TALLY_LEVER = 3
COACH_LEVER = 4


@dataclass(frozen=True, slots=True, eq=False)
class MatchOver(MatchMode):
    """The match has been decided.

    Attributes:
        signed: the winner has signed.
        honours: a best score, a first win against the computer.
        shows_tally: show the evening's stakes instead of the result.
        flicks: levers moved and not yet put back.
        asks_review: the coach was asked for and hasn't answered.
        review: the coach's review; None until it arrives.
        page: the coach's page, from 1; 0 for the result.
        held: players have held the button since they saw the result of a linked match.
    """

    name: ClassVar[Mode] = Mode.MATCH_OVER
    asks_to_leave: ClassVar[bool] = False
    takes_settings: ClassVar[bool] = True
    shows_tournament: ClassVar[bool] = True

    signed: bool = False
    honours: tuple[Message, ...] = ()
    shows_tally: bool = False
    flicks: Flicks = field(default_factory=Flicks)
    asks_review: bool = False
    review: MatchReview | None = None
    page: int = 0
    held: bool = False

    def screen(self, shared: Shared) -> Screen:
        """The result with its reason; on request, the evening's stakes or the coach's pages."""
        play, reminder = self.play, self.flicks.reminder
        first = reminder if self.flicks.away & self._levers_in_use(shared.settings) else None
        if self.page:
            page = self._coach_pages()[self.page - 1]
            names = [player_name(player, shared) for player in range(play.match.players)]
            title, rows = page.title(names), page.rows(names)
            shown = Screen(self.name, title=title, rows=rows, also=(_END,))
            first = message("Lever 4: next") if first is None else first
        elif self.shows_tally:
            rows = tuple(ListRow(seat(i, shared), _owes(owes)) for i, owes in enumerate(tally(play)))
            also = (message("Lever 3: result"), _END)
            shown = Screen(self.name, title=message("Evening"), rows=rows, also=also)
        else:
            shown = self._result_screen(shared)
        is_stuck = self._is_unsent(shared) and shared.peer is not Peer.HERE
        shown = shown._replace(prompt=message("Hold 10 s: end") if is_stuck else self.to_go_on(shared))
        if self.linked is not None and first is None:
            first = _others_want(self.linked, shared)
        is_waiting = first is _WAITING
        return shown.led_by(message("Thinking…") if self.asks_review else first)._replace(lit=not is_waiting)

    def may_insist(self, shared: Shared) -> bool:
        """Whether ten seconds of holding end a linked match whose result the other box may lack."""
        return self.held and self._is_unsent(shared)

    def to_go_on(self, shared: Shared) -> Message:
        """What a press does, in words that can't be taken for showing the same page again."""
        if self.linked is not None and shared.peer is Peer.LEFT:
            return message("Press: end")
        if self.linked is not None and self.linked.next_secret:
            return _END
        return (
            message("Press: new match")
            if self.page or self.shows_tally
            else message("Press: again · hold: end").say_as("Press: again. Hold: end")
        )

    def _result_screen(self, shared: Shared) -> Screen:
        """The winner, the scores and the reason, and which levers show more."""
        match, result = self.play.match, _result(self.play)
        reason = reason_text(match) if match.players > 1 else None
        cause: Text = self.honours[0] if self.honours else reason or ""
        if not cause and match.players > 1 and match.has_totals:
            cause = message("Points")  # the word for the numbers above
        coach = message("4: coach").say_as("Lever 4: coach") if self.play.beginning is not None else ""
        also = [message("Lever 1: sign")] if self._may_sign(shared.settings) else []
        if shared.settings.game.stakes is ShownStakes.EVENING:
            also.append(message("Lever 3: stakes"))
        before = _rows_before(match)
        rows = (*before, *_rows(self.play, result, shared))
        return Screen(
            self.name,
            title=_title(match, result, shared),
            rows=rows,
            cursor=len(before) + result.winners[0] if result.winners else None,
            paragraph=ListRow(cause, coach) if cause or coach else "",
            also=tuple(also),
            celebrates=bool(self.honours) or result.captain,
        )

    def press(self, context: Context) -> Step[BeginMatch | BeginLinked | MatchOver | BackToAttract]:
        """Starts a new match with the same players; a linked one once those at the other box want it, too."""
        if self.linked is not None:
            return self._want_rematch(self.linked, context)
        match, settings = self.play.match, context.shared.settings
        before = match.game
        # The levers may have been taken out of play, or put back, while the power was off.
        played = next((game for game in settings.games if game.name == before.name), before)
        game = with_options(
            played,
            limit=before.limit,
            best=settings.best(played),
            teams=before.teams or 0,
            handicap=before.handicap,
            turn_seconds=before.turn_seconds or 0,
            first=before.first,
        )
        first = match.begins_next_match if game.any_seat_begins else 0
        return Step(BeginMatch(begin(game, match.players, match.rounds, first), tally(self.play)))

    def _want_rematch(
        self, linked: LinkedMatch, context: Context
    ) -> Step[BeginLinked | MatchOver | BackToAttract]:
        if context.shared.peer is Peer.LEFT or self._is_unsent(context.shared):
            return self._end(context)
        if linked.next_secret:
            return refuse(self, _WAITING)
        secret = context.dice.secret()
        play, wanted = self.play._replace(linked=want_rematch(linked, secret)), keep(RematchWanted(secret))
        if (target := begin_again(play)) is not None:
            return Step(target, wanted)
        shared = context.shared._replace(sent_ns=context.now_ns)
        return Step(replace(self, play=play), (*wanted, *tell_peer(play), PlaySound(Sound.CHOICE)), shared)

    def hear(
        self, heard: LinkMessage, context: Context
    ) -> Step[MatchOver | BeginLinked | Tumble | AfterAction | BreakOff]:
        """Notes that players at the other box want a rematch, and begins it if those here do, too."""
        if self.linked is None or not isinstance(heard, Rematch):
            return self.hear_of_match(heard, context)
        linked, answer = hear_rematch(self.linked, self.play.match, heard)
        play, sent = self.play._replace(linked=linked), ask_link(Send(answer)) if answer else ()
        if (target := begin_again(play)) is not None:
            return Step(target, (PlaySound(Sound.WAKE),))
        called = (
            (PlaySound(Sound.WAKE),) if linked.next_commitment and not self.linked.next_commitment else ()
        )
        return Step(replace(self, play=play), (*sent, *called), refusal=context.shared.refusal)

    def hold(self, context: Context) -> Step[MatchOver | BackToAttract]:
        """Leaves the result; that of a linked match once the other box has it."""
        return replace(self, held=True)._end(context)

    def _end(self, context: Context) -> Step[MatchOver | BackToAttract]:
        if self._is_unsent(context.shared):
            return refuse(self, message("Not sent yet"))
        return self.leave(context)

    def hold_long(self, context: Context) -> Step[MatchOver | BackToAttract]:
        """Ends a linked match even if the other box may lack the result.

        Unless the hold began before the result arrived: then it was meant to end an undecided match.
        """
        return self.leave(context) if self.may_insist(context.shared) else Step(self)

    def deserted(self, context: Context) -> Step[MatchOver | BackToAttract]:
        """Leaves the result, unless the other box of a linked match still has to get it."""
        return Step(self) if self._is_unsent(context.shared) else self.leave(context)

    def _is_unsent(self, shared: Shared) -> bool:
        """Whether the other box of a linked match may still lack the result."""
        return self.play.awaits_confirmation and shared.peer is not Peer.LEFT

    def levers(self, context: Context) -> Step[MatchOver | SignResult]:
        """Lever 1 or 2 signs, lever 3 toggles the evening's stakes, lever 4 opens the coach."""
        flicks, chosen = self.flicks.follow(context.moved)
        mode = replace(self, flicks=flicks)
        winner = None if mode.signed else _signer(mode.play, context.shared.settings)
        if set(chosen) & set(SIGN_LEVERS) and winner is not None:
            return Step(SignResult(mode.play, winner), (PlaySound(Sound.CHOICE),))
        if TALLY_LEVER in chosen and context.shared.settings.game.stakes is ShownStakes.EVENING:
            return Step(replace(mode, shows_tally=not mode.shows_tally, page=0), (PlaySound(Sound.CHOICE),))
        if COACH_LEVER in chosen and mode.play.beginning is not None and not mode.asks_review:
            return mode._next_page(mode.play.beginning)
        return refuse(mode, mode.to_go_on(context.shared)) if chosen and not mode.asks_review else Step(mode)

    def take_advice(self, advice: OddsReady, context: Context) -> Step[MatchOver]:
        """Shows the coach's first page, unless there are no odds."""
        if not isinstance(advice, ReviewReady) or not self.asks_review or advice.actions != self.play.actions:
            return Step(self)
        mode = replace(self, asks_review=False)
        if advice.review is None:
            return refuse(mode, message("No coach here"))
        return Step(replace(mode, review=advice.review, page=1, shows_tally=False))

    def _next_page(self, beginning: Match) -> Step[MatchOver]:
        """Shows the coach's next page, and after the last one the result; first asks for the review."""
        if self.review is None:
            asked = Ask(AskReview(beginning, self.play.actions, real_dice=self.play.real_dice))
            return Step(replace(self, asks_review=True), (asked, PlaySound(Sound.CHOICE)))
        page = (self.page + 1) % (len(self._coach_pages()) + 1)
        return Step(replace(self, page=page, shows_tally=False), (PlaySound(Sound.CHOICE),))

    def _levers_in_use(self, settings: Settings) -> Tiles:
        """The levers that do something here."""
        sign = SIGN_LEVERS if self._may_sign(settings) else ()
        tally = (TALLY_LEVER,) if settings.game.stakes is ShownStakes.EVENING else ()
        coach = (COACH_LEVER,) if self.play.beginning is not None else ()
        return to_tiles((*sign, *tally, *coach))

    def _may_sign(self, settings: Settings) -> bool:
        return not self.signed and _signer(self.play, settings) is not None

    def _coach_pages(self) -> tuple[CoachPage, ...]:
        if self.review is None:
            return ()
        return coach_pages(self.review, highest_wins=self.play.match.rules.highest_wins)


_END = message("Hold: end")
_WAITING = message("Waiting for them")


def _others_want(linked: LinkedMatch, shared: Shared) -> Message | None:
    """What the players at the other box are about to do, as far as that's known."""
    if shared.peer is Peer.LEFT:
        return message("They have left")
    if linked.next_secret:
        return _WAITING
    return message("They want more") if linked.next_commitment else None


def enter(target: EndMatch, context: Context) -> Step[MatchOver]:
    """Ends the match; players who gave names sign with them, winners first."""
    play = target.play
    played = (player for player, score in enumerate(play.match.scores) if score is not None)
    order = dict.fromkeys((*_result(play).winners, *played))
    letters = {player: name for player in order if (name := context.shared.name(player))}
    return _sign(play, letters, context)


def show(target: ShowResult, context: Context) -> Step[MatchOver]:
    """Shows the result again, with the new signature."""
    return _sign(target.play, target.letters, context) if target.letters else Step(MatchOver(target.play))


def _sign(play: MatchInPlay, letters: Mapping[int, str], context: Context) -> Step[MatchOver]:
    """Signs for the players with these letters."""
    winners, past = _result(play).winners, context.lookups.past
    honours = tuple(
        honour
        for player, name in letters.items()
        if player in winners
        for honour in _honours(play.match, player, past(play.match, name), context.shared.settings)
    )
    facts = (Signed(player, name) for player, name in letters.items())
    mode = MatchOver(play, signed=any(winner in letters for winner in winners), honours=honours)
    return Step(mode, (*keep(*facts), PlaySound(_sound(play, honours))))


def _signer(play: MatchInPlay, settings: Settings) -> int | None:
    """The first winner (from 0) who isn't the computer; None if there is none. Boxes sign nothing."""
    if play.linked is not None:
        return None
    winners = _result(play).winners
    return next((winner for winner in winners if winner + 1 not in settings.game.computers), None)


def tally(play: MatchInPlay) -> tuple[Fraction, ...]:
    """What each player owes for this match and the evening's earlier ones."""
    pairs = zip_longest(play.tally, play.owes, fillvalue=Fraction(0))
    return tuple(before + owes for before, owes in pairs)


def _honours(match: Match, player: int, past: EarlierResults, settings: Settings) -> Iterator[Message]:
    """The honours of a winner with these earlier results."""
    score, best, highest = match.totals[player], past.best, match.rules.highest_wins
    if match.rules.on_total and best is not None and (score > best if highest else score < best):
        yield message("Best yet: {score}", score=score)
    seats = [seat for seat in settings.game.computers if seat <= match.players]
    if seats and player + 1 not in seats and not past.beat_computer:
        yield message("Computer beaten!")


def _sound(play: MatchInPlay, honours: Sequence[Message]) -> Sound:
    return Sound.FANFARE if honours or _result(play).captain else Sound.WIN


def _result(play: MatchInPlay) -> Result:
    assert play.match.result is not None, "a match that is over has a result"
    return play.match.result


def _title(match: Match, result: Result, shared: Shared) -> Message:
    winners = CommaList(tuple(seat(winner, shared) for winner in result.winners))
    if match.rules.stakes is Stakes.BANK:
        return _bank_title(match, winners)
    if match.players == 1:
        return _solo_title(match, result, shared)
    if result.captain:
        # In teams it is the player's title, too, and the rows say which team has won.
        return message("Captain {player}!", player=seat(match.player, shared))
    if match.in_teams and result.winners:
        teams = sorted({winner % match.teams + 1 for winner in result.winners})
        if len(teams) == 1:
            return message("Team {number} wins!", number=teams[0])
        return message("Shared: teams {teams}", teams=", ".join(map(str, teams)))
    if len(result.winners) > 1:
        return message("Shared: {players}", players=winners)
    if not result.winners:
        return message("Nobody wins")
    name = player_name(result.winners[0], shared)
    return message("{player} wins!", player=name)


def _solo_title(match: Match, result: Result, shared: Shared) -> Message:
    """In a solo game: the score, or whether the ladder's total was beaten (the computer beats none)."""
    if 1 in shared.settings.game.computers:
        name = player_name(0, shared)
        return message("{player}: {score}", player=name, score=match.totals[0])
    if match.rules.is_solo and result.winners:
        return message("New best: {score}", score=match.totals[0])
    if result.captain:
        return message("Captain!")
    if match.turn.outcome is Outcome.SHUT:
        return message("Box shut!")
    return message("Your score: {score}", score=match.totals[0])


def _bank_title(match: Match, winners: Text) -> Message:
    if not winners:
        return message("The bank wins")
    if match.players == 1:
        return message("You beat the bank!")
    return message("Bank beaten: {players}", players=winners)


def _rows_before(match: Match) -> tuple[Message, ...]:
    """The rows above the players: the teams' totals, or the total to beat."""
    if match.rules.is_solo and match.rules.limit is not None:
        return (message("best {score}", score=match.rules.limit).say_as("Best so far: {score}"),)
    if not match.in_teams or not match.has_totals:
        return ()
    totals = match.team_totals[: match.teams]
    return tuple(
        message("Team {number}: {score}", number=number, score=total)
        for number, total in enumerate(totals, 1)
    )


def _rows(play: MatchInPlay, result: Result, shared: Shared) -> Iterator[Text]:
    """A row for each player: the total and the stakes."""
    match = play.match
    # A game against the bank is played for its payments.
    staked = shared.settings.game.stakes is not ShownStakes.OFF or match.rules.stakes is Stakes.BANK
    for player, score in enumerate(match.scores):
        shown: Text = "–" if score is None else str(match.totals[player])
        if match.order_of_play.one_row:
            shown = message("in") if player in result.winners else message("out")
        elif not match.has_totals:
            shown = message(plural("1 left", "{count} left"), count=match.round.rows[player].open.bit_count())
        owes = result.owes[player] if staked else Fraction(0)
        who: Text = seat(player, shared)
        if play.linked is not None:  # the boxes' names would be cut here
            who = message("us") if player == play.linked.seat else message("them")
        line = message("{player}: {score}", player=who, score=shown)
        yield ListRow(line, _owes(owes)) if owes else line


def _owes(owes: Fraction) -> Message:
    """What a player owes or is owed."""
    if owes > 0:
        return message("owes {stakes}", stakes=str(owes))
    return message("gets {stakes}", stakes=str(-owes)) if owes else message("even")
