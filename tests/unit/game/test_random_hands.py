"""Random hands on the machine in every mode: menus, setup, names, puzzles, sticks and service, too.

At every step: no exception; what is kept is where the players are; the lamp says whether a press does
anything. Matches alone are gone through state by state in `test_walk`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import get_args

import hypothesis
from tests.support.box import MS, S
from tests.support.machine import settings_for
from tests.support.network import End

from doctools.diagram import modes
from shutthebox.config.puzzles import puzzle_games, puzzle_of
from shutthebox.game.board import lever_offset, read_board
from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.daily import Daily
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Ask, AskLink, Effect, Keep, Show
from shutthebox.game.facts import Began, Finished, PlayersLeft, Resumed
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.game.inputs import (
    CursorMoved,
    DeliveryReported,
    FaultReported,
    HealthChanged,
    Held,
    HeldLong,
    HeldOn,
    Input,
    LeaveAsked,
    LeversMoved,
    LinkReported,
    MemoryRead,
    NamesGiven,
    Pressed,
    RulesGiven,
    ServicePressed,
    SettingChosen,
    StickReported,
    TimePassed,
)
from shutthebox.game.lookups import NoLookups
from shutthebox.game.machine import Machine
from shutthebox.game.menu_items import Destination, entries, offered_items
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.initials import Initials
from shutthebox.game.modes.linking import Linking
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.menu import Menu
from shutthebox.game.modes.puzzle import PuzzleMode
from shutthebox.game.modes.roll_off import RollOff
from shutthebox.game.settings import DiceKind, Settings, SetupChoice
from shutthebox.game.state import Overlay
from shutthebox.game.stick import Stick, StickJob, StickOutcome
from shutthebox.game.stored_match import NO_MATCH, KeptMatch
from shutthebox.link.invitation import agree, invite, invited_game, linkable
from shutthebox.link.match import join
from shutthebox.link.messages import Accept, Decline, Invite, Levers, Sync
from shutthebox.link.requests import (
    EnterRoom,
    Leave,
    LinkReport,
    LinkRequest,
    NotPaired,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Received,
    RoomOpened,
    Send,
    WhyNotPaired,
)
from shutthebox.odds.questions import OddsReady, answer_without_odds
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, apply
from shutthebox.rules.linked_dice import DiceChain
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import Blocked, First, OneDie, Profile, Stakes, Turns
from shutthebox.rules.tiles import to_tiles

SMALL = Profile(
    "small", tiles=(1, 2, 3, 4), dice=2, sides=3, one_die=OneDie.OPTIONAL_HIGH, stakes=Stakes.POOL
)
ALTERNATES = Profile(
    "alternates", tiles=(1, 2, 3), dice=1, sides=3, turns=Turns.ALTERNATE, blocked=Blocked.PASSES
)
CLOCKED = replace(SMALL, turn_seconds=5)
TWO_ROWS = Profile("two-rows", tiles=(1, 2), rows=2, dice=1, sides=3, blocked=Blocked.PASSES, turn_seconds=5)
KINDS = {
    "clock and real dice": settings_for(CLOCKED, players=2, dice=DiceKind.REAL),
    "two rows of levers": settings_for(TWO_ROWS, players=2, levers=4),
    "asks": settings_for(SMALL, setup=SetupChoice.ASK, players=2),
    "computer": settings_for(ALTERNATES, players=2, computers=(2,)),
    "computer alone": settings_for(SMALL, players=1, computers=(1,)),
    "match over": settings_for(SMALL, players=1),
    "roll-off": settings_for(replace(SMALL, first=First.ROLL), players=2),
    "puzzles": settings_for(SMALL, players=1),
    "another box": settings_for(SMALL, players=2, link="The Anchor"),
    "names": settings_for(SMALL, players=3, names=True, setup=SetupChoice.ASK, computers=(1,)),
}

HOUSE = replace(SMALL, name="house")
HEALTH = (ContactHealth(), ContactHealth(restless=True), ContactHealth(stuck=True))

JOBS = tuple(job for job in StickJob if job.is_offered)
STICKS: tuple[Stick | None, ...] = (
    None,
    Stick(offers=JOBS, version="1.0"),
    Stick(offers=JOBS, doing=StickJob.SAVE, percent=3),
    Stick(offers=JOBS[1:], outcome=StickOutcome.UPDATE_WRITTEN),
    Stick(offers=JOBS[3:], version="1.0", is_card=True),
)


def hands(machine: Machine, random: Random) -> int:
    """Levers for the machine: right, or anyhow."""
    mode, levers = machine.state.mode, machine.state.shared.levers
    match = mode.play.match if isinstance(mode, MatchMode) else None
    if mode.name is Mode.MENU and random.random() < 0.9:
        return levers ^ 1 << machine.settings.levers - 2  # from the first item back to the last ones
    if isinstance(mode, PuzzleMode) and random.random() < 0.9:
        puzzle = mode.daily.puzzle
        row = puzzle.game.starting & ~puzzle.open
        return row | random.choice(puzzle.answers).choice if mode.is_set else row
    if match is None or match.result or random.random() < 0.25:
        return levers ^ 1 << random.randrange(machine.settings.levers)
    profile, turn = match.rules, match.turn
    offset = lever_offset(profile, machine.settings.levers)
    wanted = profile.starting & ~turn.open
    if offset:
        wanted = profile.starting & ~turn.behind | wanted << offset
    if turn.throw and (answers := turns.answers(profile, turn)):
        board = read_board(profile, turn, wanted, offset=offset)
        return wanted | to_tiles(board.levers_of(random.choice(answers)))
    return wanted


REPORTS: tuple[LinkReport, ...] = (
    *map(PeerIs, Peer),
    *map(NotPaired, WhyNotPaired),
    Received(Decline(1)),
    Received(Levers(1, 2)),
)
"""What a helper reports of itself, or another box says out of place."""


class FarBox:
    """The other box of a linked match, with whatever lies between the boxes."""

    def __init__(self, random: Random) -> None:
        self.random, self.chain = random, DiceChain("fa" * 32)
        self.end: End | None = None
        self.mail: list[LinkReport] = []

    def hear(self, request: LinkRequest) -> None:
        """Answers what the box asks, as helper and other box do."""
        match request:
            case OpenRoom():
                self.mail += [RoomOpened("1234", "4321"), Paired("5e" * 16)]
            case EnterRoom():
                game = linkable(SMALL)
                assert game is not None
                invited = invite(game, 1, "The Crown", self.chain)
                self.mail += [Paired("5e" * 16), Received(invited)]
                self.invited = invited
            case Send(Invite() as invited):
                accept = Accept("The Crown", self.chain.commitment)
                agreement = agree(invited, invited_game(invited), accept, "5e" * 16)
                self.end = End(join(agreement, 1, self.chain))
                self.mail.append(Received(accept))
            case Send(Accept() as accept):
                agreement = agree(self.invited, invited_game(self.invited), accept, "5e" * 16)
                self.end = End(join(agreement, 0, self.chain))
            case Send(Sync() as sync) if self.end is not None:
                if self.end.receive(sync):
                    self.mail.append(Received(self.end.message()))
            case Leave():
                self.end, self.mail = None, []

    def report(self) -> LinkReport:
        """What the helper reports next."""
        if self.mail:
            return self.mail.pop(0)
        if self.end is not None and self.random.random() < 0.95:
            self.end.act(self.random)
            return Received(self.end.message())
        return self.random.choice(REPORTS)


class Walk(NoLookups):
    """One machine in random hands, watched."""

    def __init__(self, settings: Settings, random: Random) -> None:
        self.settings, self.random = settings, random
        self.now_ns, self.lit = 0, False
        self.kept: Match | None = None
        game = settings.usual_game
        assert game is not None
        self.stored = KeptMatch(begin(game, settings.game.players))
        """In a memory that couldn't be read at the start."""
        self.seen = set[Mode]()
        self.rolled_off = False
        self.far = FarBox(random)
        self.machine = Machine(settings, RandomDice(random.randrange), 0, 0, lookups=self)
        self._advise(self.machine.start())

    def daily(self, games: Sequence[Profile]) -> Daily:
        """A day is half a minute, so that some puzzles have their answer and others have not."""
        day = 1 + self.now_ns // (30 * S)
        return Daily(day, puzzle_of(day, puzzle_games(games)))

    def meet(self) -> None:
        """Goes to a match with another box, which hands alone seldom find."""
        self._give(Held())
        while not isinstance(mode := self.machine.state.mode, Linking):
            assert isinstance(mode, Menu)
            if entries(self.machine.settings)[mode.picker.cursor] is Destination.LINK:
                self._give(Pressed())
            else:
                self._give(LeversMoved(self.machine.state.shared.levers ^ 1 << self.settings.levers - 2))
        for lever in (2, 2):
            self._give(LeversMoved(self.machine.state.shared.levers ^ 1 << lever - 1))
        self._give(Pressed())
        for _ in range(16):
            self._give(LeversMoved(self.machine.state.shared.levers ^ 1))
        while self.far.mail:
            self._give(LinkReported(self.far.report()))
        self._give(Pressed())
        while self.machine.state.mode.name is Mode.WATCHING:
            self._give(LinkReported(self.far.report()))

    def _give(self, given: Input) -> None:
        self.now_ns += 100 * MS
        self._advise(self.machine.step(given, self.now_ns))
        self.seen.add(self.machine.state.mode.name)

    def step(self) -> None:
        given: type = self.random.choice(OFTEN if self.random.random() < 0.9 else SELDOM)
        self.now_ns += self.random.choice([MS, 100 * MS, 500 * MS])
        if given in (ServicePressed, HeldLong, LeaveAsked) and self.random.random() < 0.7:
            return
        before, shared, lit = self.machine.state.mode, self.machine.state.shared, self.lit
        if isinstance(before, Menu) and before.entry is None and self.random.random() < 0.6:
            at = entries(self.machine.settings)[before.picker.cursor]
            given = Pressed if at in (Destination.PUZZLE, Destination.LINK) else LeversMoved
        deadline = self.machine.deadline_ns
        if given is TimePassed:
            if deadline is None or deadline > self.now_ns + 10 * S:
                return
            self.now_ns = max(self.now_ns, deadline)
        effects = self.machine.step(INPUTS[given](self), self.now_ns)
        if given is Pressed and shared.overlay is Overlay.NONE:
            self._lamp_was_right(lit, before)
        self._advise(effects)
        mode = self.machine.state.mode
        self.seen.add(mode.name)
        # A throw that tumbles has been kept already.
        seen = mode.play.match if isinstance(mode, MatchMode) else None
        if self.rolled_off and seen is None:
            return  # the match before is over; a pulled plug leads back to its result
        self.rolled_off = isinstance(mode, RollOff)
        assert self.rolled_off or seen == self.kept

    def _lamp_was_right(self, lit: bool, before: BoxMode) -> None:
        """It was lit where the press has done something, else dark; the refusal is said."""
        if isinstance(before, Flipping):
            before = replace(before, asks_hint=False)  # a press stops waiting for it, and is refused
        after, refusal = self.machine.state.mode, self.machine.state.shared.refusal
        if isinstance(before, Menu) and refusal is not None:
            return  # the list does not know whether there is a puzzle
        assert lit == (refusal is None or after != before), (before, refusal)

    def _advise(self, effects: Sequence[Effect]) -> None:
        """The odds answer at once, or not at all: then the computer has to do without them."""
        for effect in effects:
            match effect:
                case Show(screen):
                    self.lit = screen.lit
                case Keep(Began(match)):
                    self.kept = match
                case Keep(Resumed()):
                    self.kept = self.stored.beginning
                case AskLink(request):
                    self.far.hear(request)
                case Keep(PlayersLeft()):
                    self.kept = None
                case Keep(Finished(match)):
                    assert match == self.kept
                case Keep(action) if isinstance(action, Action):
                    assert self.kept is not None
                    self.kept = apply(self.kept, action)
        for effect in effects:
            if (
                isinstance(effect, Ask)
                and (advice := answer_without_odds(effect.question))
                and self.random.random() < 0.5
            ):
                self._advise(self.machine.step(advice, self.now_ns))


def setting(walk: Walk) -> Input:
    item = walk.random.choice(offered_items(walk.machine.settings))
    return SettingChosen(item.key, walk.random.choice(item.values(walk.machine.settings)))


def names(walk: Walk) -> Input:
    return NamesGiven(tuple(walk.random.choices(["", "ANN", "BOB"], k=walk.machine.settings.game.players)))


INPUTS: Mapping[type, Callable[[Walk], Input]] = {
    Pressed: lambda walk: Pressed(),
    Held: lambda walk: Held(),
    HeldLong: lambda walk: HeldLong(),
    LeversMoved: lambda walk: LeversMoved(hands(walk.machine, walk.random)),
    TimePassed: lambda walk: TimePassed(),
    ServicePressed: lambda walk: ServicePressed(),
    LinkReported: lambda walk: LinkReported(walk.far.report()),
    StickReported: lambda walk: StickReported(walk.random.choice(STICKS)),
    FaultReported: lambda walk: FaultReported(walk.random.choice([None, *Fault])),
    DeliveryReported: lambda walk: DeliveryReported(walk.random.choice([None, *Undelivered])),
    HealthChanged: lambda walk: HealthChanged({walk.random.randint(1, 4): walk.random.choice(HEALTH)}),
    SettingChosen: setting,
    NamesGiven: names,
    CursorMoved: lambda walk: CursorMoved(walk.random.choice([-1, 1])),
    RulesGiven: lambda walk: RulesGiven(walk.random.choice([SMALL, HOUSE])),
    LeaveAsked: lambda walk: LeaveAsked(),
    HeldOn: lambda walk: HeldOn(walk.random.random() < 0.5),
    MemoryRead: lambda walk: MemoryRead(NO_MATCH if walk.random.random() < 0.5 else walk.stored),
}
"""All that hands and the world do; the odds answer when they are asked."""

OFTEN = (*tuple(INPUTS)[:8], Pressed, LeversMoved)
SELDOM = tuple(INPUTS)[8:]


STEPS = min(400, 200 + 2 * hypothesis.settings().max_examples)


def test_whatever_hands_do_the_box_knows_where_it_is() -> None:
    seen = set[Mode]()
    for kind, settings in KINDS.items():
        walk = Walk(settings, Random(f"four hands {kind}"))
        if settings.link:
            walk.meet()
        for _ in range(STEPS):
            walk.step()
        seen |= walk.seen
    assert seen >= set(Mode) - {Mode.INITIALS}


def test_every_input_is_among_them() -> None:
    assert INPUTS.keys() == set(get_args(Input)) - set(get_args(OddsReady))


def test_every_mode_of_a_match_can_be_abandoned_until_it_is_over() -> None:
    of_match = {mode for classes in modes().values() for mode in classes if issubclass(mode, MatchMode)}
    assert {mode for mode in of_match if not mode.asks_to_leave} == {MatchOver, Initials}
