"""Random hands on the machine: every way of its table is gone, and no other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, get_args, get_type_hints

import pytest
from tests.support.box import MS, S
from tests.support.machine import settings_for

from shutthebox.config.puzzles import puzzle_of
from shutthebox.game.daily import Daily
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Ask, Effect, Keep, Show
from shutthebox.game.facts import Began, Finished, Left
from shutthebox.game.inputs import (
    Deserted,
    Held,
    HeldLong,
    LeversMoved,
    OddsCame,
    Pressed,
    ServicePressed,
    SettingChosen,
    TimeCame,
)
from shutthebox.game.judge import lever_of, levers_behind
from shutthebox.game.machine import Machine
from shutthebox.game.menu_items import ToPuzzle, entries
from shutthebox.game.mode import Mode
from shutthebox.game.modes.attract import Attract
from shutthebox.game.modes.base import BoxMode, MatchMode
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.initials import Initials
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.menu import Menu
from shutthebox.game.modes.naming import Naming
from shutthebox.game.modes.puzzle import Puzzling
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.questions import plain
from shutthebox.game.resuming import KeptMatch
from shutthebox.game.settings import Settings
from shutthebox.game.state import Overlay
from shutthebox.game.table import ADVICE, INPUT_NAMES, ROWS, TABLE, diagram, modes_of
from shutthebox.game.targets import AfterAction
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import apply
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import (
    Blocked,
    MatchFormat,
    OneDie,
    Profile,
    ShutWins,
    Stakes,
    Turns,
    Win,
)
from shutthebox.rules.tiles import to_numbers, to_tiles

pytestmark = pytest.mark.timeout(300)
"""The walks are long where the machine is busy."""

SMALL = Profile(
    "small", tiles=(1, 2, 3, 4), dice=2, sides=3, one_die=OneDie.OPTIONAL_HIGH, stakes=Stakes.POOL
)
OPENS = Profile("opens", tiles=(1, 2, 3), dice=1, sides=4, blocked=Blocked.OPENS_ONE)
ALTERNATES = Profile(
    "alternates", tiles=(1, 2, 3), dice=1, sides=3, turns=Turns.ALTERNATE, blocked=Blocked.PASSES
)
CLOCKED = replace(SMALL, turn_seconds=5)
TWO_ROWS = Profile("two-rows", tiles=(1, 2), rows=2, dice=1, sides=3, blocked=Blocked.PASSES, turn_seconds=5)
SHARED = Profile(
    "shared",
    tiles=(1, 2, 3, 4, 5),
    sides=3,
    turns=Turns.SHARED,
    blocked=Blocked.LOSES,
    insurance=True,
    win=Win.LAST_IN,
    shut_wins=ShutWins.MATCH,
)
LADDER = Profile("ladder", tiles=(1, 2, 3), dice=1, sides=3, match=MatchFormat.LADDER, shut_wins=ShutWins.NO)
KINDS = {
    "clock": settings_for(CLOCKED, players=2),
    "clock and real dice": settings_for(CLOCKED, players=2, real_dice=True),
    "two rows": settings_for(TWO_ROWS, players=2),
    "two rows of levers": settings_for(TWO_ROWS, players=2, levers=4),
    "shared row": settings_for(SHARED, players=3),
    "ladder": settings_for(LADDER, skips_setup=False, players=2),
    "teams and head starts": settings_for(SMALL, players=4, teams=2, handicap=(0, 3, (1, 2))),
    "asks": settings_for(SMALL, skips_setup=False, players=2),
    "usual": settings_for(SMALL, players=2),
    "names": settings_for(SMALL, players=2, names=True),
    "names asked for": settings_for(SMALL, players=3, names=True, skips_setup=False, computers=(1,)),
    "names of nobody": settings_for(SMALL, players=1, names=True, computers=(1,)),
    "real dice": settings_for(SMALL, players=2, real_dice=True),
    "opens one": settings_for(OPENS, players=2),
    "computer": settings_for(ALTERNATES, players=2, computers=(2,)),
    "computer alone": settings_for(SMALL, players=1, computers=(1,)),
    "computer thinks": settings_for(ALTERNATES, players=2, computers=(2,)),
    "computer thinks long": settings_for(ALTERNATES, players=2, computers=(2,)),
    "computer thinks alone": settings_for(SMALL, players=2, computers=(1,)),
    "match over": settings_for(SMALL, players=1),
    "alternates": settings_for(ALTERNATES, players=2),
    "puzzles": settings_for(SMALL, players=1),
}
BY_HANDS = [row for row in ROWS if row.given is not SettingChosen]
"""A form beside the box goes its ways in tests/simulator/test_form.py."""

INPUTS = (Pressed, Held, LeversMoved, TimeCame, HeldLong, ServicePressed)
Way = tuple[type | Overlay, type, type]


def hands(machine: Machine, random: Random) -> int:
    """Levers for the machine: right, or nearly, or anyhow."""
    mode, levers = machine.state.mode, machine.state.shared.levers
    match = mode.thrown if isinstance(mode, Rolling) else machine.state.match
    if mode.name is Mode.MENU and random.random() < 0.9:
        return levers ^ 1 << machine.settings.levers - 2  # from the first item back to the last ones
    if isinstance(mode, Naming) and random.random() < 0.7:
        return 0
    if isinstance(mode, Puzzling) and random.random() < 0.9:
        puzzle = mode.daily.puzzle
        return puzzle.profile.starting & ~puzzle.open | random.choice(puzzle.answers).choice
    if match is None or random.random() < 0.25:
        return levers ^ 1 << random.randrange(9)
    profile, turn = match.rules, match.turn
    behind = levers_behind(profile, machine.settings.levers)
    wanted = profile.starting & ~turn.open
    if behind:
        wanted = profile.starting & ~turn.behind | wanted << behind
    if isinstance(mode, Flipping | Rolling):
        answers = turns.answers(profile, turn)
        if answers:
            chosen = to_numbers(random.choice(answers))
            return wanted | to_tiles(lever_of(turn, tile, behind) for tile in chosen)
        reopenings = turns.reopenings(profile, turn)
        return wanted & ~(reopenings & -reopenings)
    if mode.name in (Mode.MATCH_OVER, Mode.INITIALS):
        return random.choice([0, levers ^ 1, levers ^ 2])
    return wanted


def finished() -> Match:
    """A match that its only player has lost at the second throw."""
    return begin(SMALL, 1).throw((1, 1)).move(to_tiles([2])).throw((1, 1)).advance()


class Walk:
    """One machine in random hands, watched.

    Args:
        settings: the machine's.
        random: the hands'.
        from_the_end: begin with a finished match, and with it again whenever it has been left.
        readiness: how often the odds answer after an input, 0 to 1.
        puzzles: the box has puzzles, and the hands like them.
    """

    def __init__(
        self, settings: Settings, random: Random, *, from_the_end: bool, readiness: float, puzzles: bool
    ) -> None:
        self.readiness, self.puzzles = readiness, puzzles
        self.settings, self.random, self.from_the_end = settings, random, from_the_end
        self.now_ns = 0
        self.given: Counter[tuple[type | Overlay, type]] = Counter()
        self.ways: Counter[Way] = Counter()
        self.late: list[OddsCame] = []
        self.lit = False
        self.start()

    def start(self) -> None:
        self.kept = finished() if self.from_the_end else None
        dice = RandomDice(self.random.randrange)
        resumed = KeptMatch(self.kept) if self.kept else None
        self.machine = Machine(
            self.settings,
            dice,
            0,
            self.now_ns,
            resumed=resumed,
            statistics=lambda: ("a", "b"),
            daily=self.daily,
        )
        self._advise(self.machine.start())

    def daily(self) -> Daily | None:
        """A day is half a minute, so that some puzzles have their answer and others have not."""
        if not self.puzzles:
            return None
        day = 1 + self.now_ns // (30 * S)
        return Daily(day, puzzle_of(day))

    def step(self) -> None:
        if self.from_the_end and self.machine.state.mode.name not in (Mode.MATCH_OVER, Mode.INITIALS):
            self.start()
        before, shared = self.machine.state.mode, self.machine.state.shared
        given: type = self.random.choice(INPUTS)
        if self.puzzles and self.random.random() < 0.7:
            given = self._towards_the_puzzle(before) or given
        self.now_ns += self.random.choice([MS, 100 * MS, 500 * MS])
        if given in (ServicePressed, HeldLong) and self.random.random() < 0.7:
            return
        lit, deserted = self.lit, False
        if given is LeversMoved:
            effects = self.machine.step(LeversMoved(hands(self.machine, self.random)), self.now_ns)
        elif given is TimeCame:
            deadline = self.machine.deadline_ns
            if deadline is None or (deadline > self.now_ns + S and self.random.random() < 0.5):
                return
            self.now_ns = max(self.now_ns, deadline)
            effects = self.machine.step(TimeCame(), self.now_ns)
            deserted = not shared.asleep and self.now_ns >= shared.touched_ns + self.settings.sleep_ns
        else:
            assert given in (Pressed, Held, HeldLong, ServicePressed)
            effects = self.machine.step(given(), self.now_ns)
            if given is Pressed and shared.overlay is Overlay.NONE:
                self._lamp_was_right(lit, before)
        after = self.machine.state.mode
        row = TABLE.get((shared.overlay, given))
        given = Deserted if deserted else given
        state: type | Overlay = shared.overlay if row and not row.goes_on else type(before)
        self.given[state, given] += 1
        if row:
            self.given[shared.overlay, given] += 1
        if type(after) is not type(before):
            self.ways[state, given, type(after)] += 1
        self._advise(effects)
        mode = self.machine.state.mode
        # What has been kept is where the players are; a throw that tumbles has been kept already.
        match = mode.thrown if isinstance(mode, Rolling) else self.machine.state.match
        assert match == self.kept

    def _lamp_was_right(self, lit: bool, before: BoxMode) -> None:
        """It was lit where the press has done something, else dark; the refusal is said."""
        after, refusal = self.machine.state.mode, self.machine.state.shared.refusal
        if isinstance(before, Menu) and refusal is not None:
            return  # the list does not know whether there is a puzzle
        assert lit == (refusal is None or after != before), (before, refusal)

    def _towards_the_puzzle(self, mode: BoxMode) -> type | None:
        """The input that leads there; None where the puzzle is open or far away."""
        if isinstance(mode, Menu) and mode.entry is None:
            at = entries(self.settings)[mode.picker.cursor]
            return Pressed if isinstance(at, ToPuzzle) else LeversMoved
        return Held if isinstance(mode, Attract | Menu) else None

    def _advise(self, effects: Sequence[Effect]) -> None:
        """The odds answer at once, later or not at all: then the computer has to do without them."""
        self._note(effects)
        for effect in effects:
            if isinstance(effect, Ask) and (advice := plain(effect.question)):
                self.late.append(advice)
        while self.late and self.random.random() < self.readiness:
            advice = self.late.pop(self.random.randrange(len(self.late)))
            before = type(self.machine.state.mode)
            more = self.machine.step(advice, self.now_ns)
            after = type(self.machine.state.mode)
            if after is not before:
                self.ways[before, type(advice), after] += 1
            self._advise(more)

    def _note(self, effects: Sequence[object]) -> None:
        for effect in effects:
            if isinstance(effect, Show):
                self.lit = effect.screen.lit
                assert effect.screen.mode is effect.mode
            if isinstance(effect, Keep):
                match effect.fact:
                    case Began(match):
                        self.kept = match
                    case Left():
                        self.kept = None
                    case Finished(match):
                        assert match == self.kept
                    case fact if hasattr(fact, "faces") or hasattr(fact, "shut") or hasattr(fact, "tile"):
                        assert self.kept is not None
                        self.kept = apply(self.kept, fact)  # type: ignore[arg-type]
                    case fact if type(fact).__name__ in ("Advanced", "OutOfTime"):
                        assert self.kept is not None
                        self.kept = apply(self.kept, fact)  # type: ignore[arg-type]


WALKED = 800
"""Steps after which nearly every way of the table has been gone."""

LONG = 8_000

RARE = (
    "computer",
    "computer alone",
    "names asked for",
    "match over",
    "two rows of levers",
    "asks",
    "puzzles",
)
"""Hands on these go the ways that are rare."""


def walk_in(kind: str) -> Walk:
    readiness = 0.05 if "long" in kind else 0.2 if "thinks" in kind else 0.5
    return Walk(
        KINDS[kind],
        Random(f"walk {kind}"),
        from_the_end=kind == "match over",
        readiness=readiness,
        puzzles=kind == "puzzles",
    )


def ways_of_the_table(*, by_stage: bool = True) -> set[Way]:
    """Per mode and input the modes that it may lead to; on request without those that the stage decides."""
    rows: list[tuple[type | Overlay, type, Any]] = [(row.state, row.given, row.handler) for row in BY_HANDS]
    rows += [(mode, came, handler) for (mode, came), handler in ADVICE.items()]
    return {
        (mode, given, target)
        for mode, given, handler in rows
        if by_stage or not _by_stage(handler)
        for target in modes_of(handler)
        if target is not mode
    }


def _by_stage(handler: Any) -> bool:
    places = get_args(get_type_hints(handler)["return"])[0] if callable(handler) else type(handler)
    return set(get_args(places)) >= set(get_args(AfterAction))


def test_every_way_of_the_table_is_gone_and_no_other() -> None:
    """At every step, what is kept is where the players are; every input is given in every mode."""
    walks, ways = {kind: walk_in(kind) for kind in KINDS}, ways_of_the_table(by_stage=False)
    for walk in walks.values():
        for _ in range(WALKED):
            walk.step()
    for _ in range(4 * LONG // WALKED):
        if {way for walk in walks.values() for way in walk.ways} >= ways:
            break
        for kind in RARE:
            for _ in range(WALKED):
                walks[kind].step()
    gone = {way for walk in walks.values() for way in walk.ways}
    assert ways <= gone <= ways_of_the_table()
    assert {(row.state, row.given) for row in BY_HANDS} <= {
        pair for walk in walks.values() for pair in walk.given
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_long_walk_goes_no_other_way(kind: str) -> None:
    walk = walk_in(kind)
    for _ in range(LONG):
        walk.step()
    assert walk.ways
    assert walk.ways.keys() <= ways_of_the_table()


def test_every_mode_of_a_match_can_be_abandoned_until_it_is_over() -> None:
    modes = {row.state for row in ROWS if isinstance(row.state, type) and issubclass(row.state, MatchMode)}
    abandoned = {row.state for row in ROWS if row.overlay is Overlay.ABANDON}
    assert modes - abandoned == {MatchOver, Initials}


def test_the_diagram_names_every_mode_and_every_input() -> None:
    drawn = diagram()
    for mode in Mode:
        assert mode.value.replace("-", "_") in drawn
    for name in INPUT_NAMES.values():
        assert name in drawn
