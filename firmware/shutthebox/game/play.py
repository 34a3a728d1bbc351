"""The match in progress, as all modes of a match share it."""

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from shutthebox.game.board import NOTHING, Board, Confirmed, lever_offset, read_board
from shutthebox.game.effects import Ask, Effect, Keep, PlaySound, Sound
from shutthebox.game.facts import BoxLeft, Finished
from shutthebox.game.judge import FINE, Verdict, is_setback, judge
from shutthebox.game.messages import Text
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, ask_link, keep
from shutthebox.link.match import Agreement, LinkedMatch, LinkFact, Revealed, Rolled
from shutthebox.link.rematch import latest_message
from shutthebox.link.requests import Leave, Send
from shutthebox.odds.questions import AskReview, Prepare, ReviewReady
from shutthebox.rules.actions import Action, apply
from shutthebox.rules.conditions import Conditions, LinkProof
from shutthebox.rules.match import Match, begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.rules.turn import Turn

if TYPE_CHECKING:  # displaying a review needs no solver
    from shutthebox.odds.coach import MatchReview

_SECOND_NS = 1_000_000_000

TUMBLE_NS = 800_000_000
"""How long the dice tumble; a press shows them at once."""


class Clock(NamedTuple):
    """A player's remaining time.

    Attributes:
        over_ns: when time runs out.
        shown_s: whole seconds left, as shown.
    """

    over_ns: int
    shown_s: int

    @property
    def next_ns(self) -> int:
        """When the seconds shown change next; once none are left, time has run out."""
        return self.over_ns - max(0, self.shown_s - 1) * _SECOND_NS

    def at(self, now_ns: int) -> "Clock":
        """The clock with its seconds left now, rounded up."""
        return self._replace(shown_s=max(0, -(-(self.over_ns - now_ns) // _SECOND_NS)))


class PlayedTurn(NamedTuple):
    """A turn, or as much of it as has been played.

    Attributes:
        beginning: the match before its first throw.
        actions: what has happened in it.
    """

    beginning: Match
    actions: tuple[Action, ...]


class MatchInPlay(NamedTuple):
    """The state of a match between two inputs.

    Attributes:
        match: the position: `beginning` after `actions`, and `linked` after its entries.
        verdict: the judgement of the levers.
        wrong_ns: since when the same levers have been wrong.
        turn: the current turn, for its review; None before its first throw, or if it can't be reviewed.
        unreviewed: finished turns still waiting for their review.
        given_away: points each player's decisions have cost in this match.
        luck: points the dice have added for each player in this match.
        review: the review of the turn that just ended; None before that, or if the odds are unknown.
        for_win: whether turns are also reviewed by chance of winning.
        real_dice: whether players throw their own dice.
        tally: what each player owes from earlier matches this evening; negative if they're owed.
        beginning: the match before its first throw; None if we joined it half-way.
        actions: its actions so far.
        clock: the time the current player has left; None if no clock runs.
        board: the levers as the judge read them last; None before that.
        linked: this box's log of a linked match; None for a match on this box alone.
        heard: the latest move of the other box of a linked match, in words; empty once it's followed by more.
    """

    match: Match
    verdict: Verdict = FINE
    wrong_ns: int = 0
    turn: PlayedTurn | None = None
    unreviewed: tuple[PlayedTurn, ...] = ()
    given_away: tuple[Fraction, ...] = ()
    luck: tuple[Fraction, ...] = ()
    review: "MatchReview | None" = None
    for_win: bool = False
    real_dice: bool = False
    tally: tuple[Fraction, ...] = ()
    beginning: Match | None = None
    actions: tuple[Action, ...] = ()
    clock: Clock | None = None
    board: Board | None = None
    linked: LinkedMatch | None = None
    heard: Text = ""

    @property
    def is_out_of_time(self) -> bool:
        """Whether time has run out."""
        return self.clock is not None and self.clock.shown_s == 0

    @property
    def confirmed(self) -> Confirmed:
        """The part of the answer to the throw on the table that's confirmed."""
        return self.board.confirmed if self.board and self.board.turn == self.match.turn else NOTHING

    @property
    def standing(self) -> Turn:
        """The turn with the confirmed tiles shut."""
        return self.board.standing if self.board and self.confirmed.move else self.match.turn

    @property
    def is_ours(self) -> bool:
        """Whether this box plays next: always, but in a linked match."""
        return self.linked is None or self.linked.is_ours(self.match)

    @property
    def is_settled(self) -> bool:
        """Whether nothing can take the result back: the other box of a linked match has it, too."""
        return self.match.result is not None and (self.linked is None or self.linked.is_settled(self.match))

    @property
    def awaits_confirmation(self) -> bool:
        """Whether the other box of a linked match may lack something."""
        return self.linked is not None and self.linked.awaits_confirmation(self.match)

    @property
    def awaits_answer(self) -> bool:
        """Whether the other box of a linked match has to be told again how it stands, until it answers."""
        return self.linked is not None and self.linked.awaits_answer(self.match)

    @property
    def owes(self) -> tuple[Fraction, ...]:
        """What each player owes for this match; empty until it's decided."""
        return self.match.result.owes if self.match.result else ()


def conditions_of(match: Match, settings: Settings, linked: Agreement | None = None) -> Conditions:
    """The conditions this match is played under."""
    return Conditions(
        first=match.round.first_player + 1,
        real_dice=settings.real_dice,
        computers=tuple(sorted(seat for seat in settings.game.computers if seat <= match.players)),
        linked=linked and LinkProof(linked.commitments, linked.commitments),
        equal_dice=settings.tournament.commitment if settings.tournament and not settings.real_dice else "",
        out_of_play=to_numbers(settings.out & match.game.all_tiles & ~match.game.starting),
    )


def new_match(game: Profile, settings: Settings) -> Match:
    """A match with the usual number of players and rounds."""
    return begin(game, order_of(game).seats(game, settings.game.players), settings.game.rounds)


def begin_play(
    match: Match, settings: Settings, tally: tuple[Fraction, ...] = ()
) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """Begins a match; returns it with the question to prepare its odds."""
    players = match.players if settings.game.computers or settings.game.hints else 0
    nothing = (Fraction(0),) * match.players
    play = MatchInPlay(
        match,
        given_away=nothing,
        luck=nothing,
        tally=tally,
        beginning=match,
        for_win=players > 0,
        real_dice=settings.real_dice,
    )
    return play, (Ask(Prepare(match.game, players)),)


def apply_and_keep(play: MatchInPlay, fact: LinkFact) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """Applies a fact from this box; also returns the effects that store it and tell the other box of it."""
    after, effects = take_fact(play, fact)
    return after, (*effects, *tell_peer(after))


def take_fact(play: MatchInPlay, fact: LinkFact) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """Applies a fact from either box; also returns the effects that store it and ask for a turn's review.

    Raises:
        ValueError: it isn't allowed now.
    """
    after = apply_fact(play, fact)
    return after, (Keep(fact), *ask_reviews(after)[len(play.unreviewed) :])


def tell_peer(play: MatchInPlay) -> tuple[Effect, ...]:
    """Tells the other box of a linked match how it stands. Everything it's told must already be kept."""
    return ask_link(Send(latest_message(play.linked, play.match))) if play.linked else ()


def keep_result(play: MatchInPlay) -> tuple[Effect, ...]:
    """Stores the result, if there is one; that of a linked match once both boxes have it."""
    return keep(Finished(play.match)) if play.is_settled else ()


def keep_departure(play: MatchInPlay, player: int) -> tuple[Effect, ...]:
    """Stores that a player's box leaves a linked match that isn't decided; nothing for any other match."""
    linked = play.linked
    if linked is None or play.match.result is not None:
        return ()
    return keep(BoxLeft(player, linked.has_thrown(player, play.match)))


def leave_peer(play: MatchInPlay) -> tuple[Effect, ...]:
    """Says goodbye to the other box of a linked match."""
    return ask_link(Leave()) if play.linked else ()


def ask_reviews(play: MatchInPlay) -> tuple[Ask, ...]:
    """Asks again for the reviews that haven't arrived."""
    return tuple(
        Ask(AskReview(turn.beginning, turn.actions, play.for_win, play.real_dice)) for turn in play.unreviewed
    )


def apply_fact(play: MatchInPlay, fact: LinkFact) -> MatchInPlay:
    """Applies a fact. Every fact of every match on the box goes through here, exactly once.

    It may come from levers, from the other box or from the memory. In a linked match the log gets it, too.

    Raises:
        LinkError: it isn't allowed now, in a linked match.
        ValueError: likewise, in any other.
    """
    linked = play.linked.after(fact, play.match) if play.linked else None
    if isinstance(fact, Rolled | Revealed):
        return play._replace(linked=linked)
    match = apply(play.match, fact)
    after = play._replace(match=match, actions=(*play.actions, fact), linked=linked, heard="")
    if play.match.stage is Stage.ADVANCE:
        return after._replace(turn=None, review=None)
    turn = _continue_turn(play, fact)
    if turn is None or match.round.rows[play.match.player].outcome is None:
        return after._replace(turn=turn)
    return after._replace(turn=turn, unreviewed=(*play.unreviewed, turn))


def _continue_turn(play: MatchInPlay, action: Action) -> PlayedTurn | None:
    """The current turn with one more action; None if we joined it half-way, or turns rotate."""
    match, turn = play.match, play.turn
    if turn is not None:
        return turn._replace(actions=(*turn.actions, action))
    begins = match.stage is Stage.THROW and match.turn.throws == 0 and match.order_of_play.whole_turns
    return PlayedTurn(match, (action,)) if begins else None


def add_review(play: MatchInPlay, advice: ReviewReady) -> MatchInPlay:
    """Adds a turn's review to the match's luck and decisions; ignores a review that isn't awaited."""
    turn, review = PlayedTurn(advice.beginning, advice.actions), advice.review
    if turn not in play.unreviewed:
        return play
    play = play._replace(unreviewed=tuple(other for other in play.unreviewed if other != turn))
    if review is None:
        return play
    player = turn.beginning.player
    points = review.players[player].points
    return play._replace(
        review=review if turn == play.turn else play.review,
        luck=_add_at(play.luck, player, points.luck),
        given_away=_add_at(play.given_away, player, points.given_away),
    )


def judge_levers(
    play: MatchInPlay, context: Context, asked: Tiles | None = None
) -> tuple[MatchInPlay, tuple[Effect, ...]]:
    """Reads and judges the levers as they stand; also returns the sound of a new fault.

    Args:
        play: the match.
        context: the levers and the time.
        asked: the only answer that counts, because the computer has chosen it; None if any legal one does.
    """
    board = _read(play, context.shared, asked)
    verdict = judge(board)
    beep = is_setback(verdict, play.verdict, context.moved, board.levers)
    wrong_ns = play.wrong_ns if verdict.tiles == play.verdict.tiles else context.now_ns
    play = play._replace(verdict=verdict, wrong_ns=wrong_ns, clock=_clock(play, context), board=board)
    return play, (PlaySound(Sound.FAULT),) if beep else ()


def confirm_part(play: MatchInPlay, board: Board) -> MatchInPlay | None:
    """Confirms the part of an answer whose rest uses the tiles behind; None if there's none."""
    if (confirmed := board.confirm()) is None:
        return None
    after = read_board(
        board.rules, board.turn, board.levers, offset=board.offset, asked=board.asked, confirmed=confirmed
    )
    return play._replace(board=after)


def board_of(play: MatchInPlay, shared: Shared) -> Board:
    """The levers as they stand: as the judge read them, unless they or the turn have changed since."""
    board = play.board
    if board is None or board.turn != play.match.turn:
        return _read(play, shared, None)
    return board if board.levers == shared.levers else _read(play, shared, board.asked)


def _read(play: MatchInPlay, shared: Shared, asked: Tiles | None) -> Board:
    match, offset = play.match, offset_of(play.match, shared)
    return read_board(
        match.rules, match.turn, shared.levers, offset=offset, asked=asked, confirmed=play.confirmed
    )


def offset_of(match: Match, shared: Shared) -> int:
    """The distance from a front tile's lever to that of the tile behind; 0 if one lever stands for both."""
    return lever_offset(match.game, shared.settings.levers, shared.settings.out)


def tick_clock(play: MatchInPlay, context: Context) -> MatchInPlay:
    """Updates the seconds shown by the match's clock."""
    return play._replace(clock=play.clock.at(context.now_ns)) if play.clock else play


def _clock(play: MatchInPlay, context: Context) -> Clock | None:
    """The clock of the current player; None for the computer, which nobody could hurry."""
    seconds = play.match.rules.turn_seconds
    if seconds is None or not play.match.clock_runs or is_computers_turn(play, context.shared):
        return None
    return play.clock or clock_of(seconds, context.now_ns)


def clock_of(seconds: int, now_ns: int) -> Clock:
    """A clock with `seconds` left from now."""
    return Clock(now_ns + seconds * _SECOND_NS, seconds)


def is_computers_turn(play: MatchInPlay, shared: Shared) -> bool:
    """Whether the computer plays the seat whose turn it is."""
    return play.linked is None and play.match.player + 1 in shared.settings.game.computers


def _add_at(sums: tuple[Fraction, ...], at: int, more: Fraction) -> tuple[Fraction, ...]:
    return tuple(value + more * (i == at) for i, value in enumerate(sums))
