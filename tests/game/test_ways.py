"""Random hands on the machine: every way of its table is gone, and no other."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from random import Random

import pytest
from tests.game.table import MS, S, english, settings_for

from shutthebox.game.button import Gesture
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Began, Finished, Left, Record, Show
from shutthebox.game.machine import Machine
from shutthebox.game.mode import Mode
from shutthebox.game.modes import TABLE, Input
from shutthebox.game.settings import Settings
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import apply
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import Blocked, OneDie, Profile, Stakes, Turns
from shutthebox.rules.tiles import to_tiles

SMALL = Profile(
    "small", tiles=(1, 2, 3, 4), dice=2, sides=3, one_die=OneDie.OPTIONAL_HIGH, stakes=Stakes.POOL
)
OPENS = Profile("opens", tiles=(1, 2, 3), dice=1, sides=4, blocked=Blocked.OPENS_ONE)
ALTERNATES = Profile(
    "alternates", tiles=(1, 2, 3), dice=1, sides=3, turns=Turns.ALTERNATE, blocked=Blocked.PASSES
)
KINDS = {
    "asks": settings_for(SMALL, usual=False, players=2),
    "usual": settings_for(SMALL, players=2),
    "real dice": settings_for(SMALL, players=2, real_dice=True),
    "opens one": settings_for(OPENS, players=2),
    "computer": settings_for(ALTERNATES, players=2, computers=(2,)),
    "computer alone": settings_for(SMALL, players=1, computers=(1,)),
    "match over": settings_for(SMALL, players=1),
    "alternates": settings_for(ALTERNATES, players=2),
}
GESTURES = {Input.PRESS: Gesture.PRESS, Input.HOLD: Gesture.HOLD}
Way = tuple[Mode, Input, Mode]


def hands(machine: Machine, random: Random) -> int:
    """Levers for the machine: right, or nearly, or anyhow."""
    state = machine.state
    match = state.rolled or state.match
    if state.mode is Mode.MENU and random.random() < 0.3:
        return state.levers ^ 1 << 7  # the menu's last item
    if match is None or random.random() < 0.25:
        return state.levers ^ 1 << random.randrange(9)
    levers = match.profile.starting & ~match.turn.open
    if state.mode is Mode.FLIPPING or state.rolled is not None:
        answers = turns.answers(match.profile, match.turn)
        if answers:
            return levers | random.choice(answers)
        reopenings = turns.reopenings(match.profile, match.turn)
        return levers & ~(reopenings & -reopenings)
    if state.mode in (Mode.MATCH_OVER, Mode.INITIALS):
        return random.choice([0, state.levers ^ 1, state.levers ^ 2])
    return levers


def finished() -> Match:
    """A match that its only player has lost at the second throw."""
    return begin(SMALL, 1).throw((1, 1)).move(to_tiles([2])).throw((1, 1)).advance()


class Walk:
    """One machine in random hands, watched.

    Args:
        settings: the machine's.
        random: the hands'.
        from_the_end: begin with a finished match, and with it again whenever it has been left.
    """

    def __init__(self, settings: Settings, random: Random, *, from_the_end: bool) -> None:
        self.settings, self.random, self.from_the_end = settings, random, from_the_end
        self.now_ns = 0
        self.given: Counter[tuple[Mode, Input]] = Counter()
        self.ways: Counter[Way] = Counter()
        self.start()

    def start(self) -> None:
        self.kept = finished() if self.from_the_end else None
        words = {"en": english, "fr": english}
        dice = RandomDice(self.random.randrange)
        self.machine = Machine(
            self.settings, words, dice, 0, self.now_ns, match=self.kept, statistics=lambda words: ("a", "b")
        )
        self.machine.start()

    def step(self) -> None:
        if self.from_the_end and self.machine.state.mode not in (Mode.MATCH_OVER, Mode.INITIALS):
            self.start()
        before = self.machine.state
        given = self.random.choice(list(Input))
        # What only wakes the box, or answers its question, is no input of the table.
        counts = not before.offering and not before.asleep
        self.now_ns += self.random.choice([MS, 100 * MS, 500 * MS])
        if given in GESTURES:
            effects = self.machine.gesture(GESTURES[given], self.now_ns)
        elif given is Input.LEVERS:
            effects = self.machine.move_levers(hands(self.machine, self.random), self.now_ns)
            counts = True
        elif given is Input.TIME:
            deadline = self.machine.deadline_ns
            if deadline is None or (deadline > self.now_ns + S and self.random.random() < 0.5):
                return
            counts = before.mode is not Mode.ROLLING or before.rolled is not None
            self.now_ns = max(self.now_ns, deadline)
            effects = self.machine.elapse(self.now_ns)
        elif given is Input.SERVICE:
            if self.random.random() < 0.7:
                return
            effects = self.machine.service(self.now_ns)
            counts = not before.asleep
        else:
            if self.random.random() < 0.7:
                return
            effects = self.machine.gesture(Gesture.LONG_HOLD, self.now_ns)
            counts = self.machine.state.offering
            if counts:
                effects += self.machine.gesture(Gesture.PRESS, self.now_ns)
        after = self.machine.state
        if counts:
            self.given[before.mode, given] += 1
            if after.mode is not before.mode:
                self.ways[before.mode, given, after.mode] += 1
        self._check(effects)

    def _check(self, effects: Sequence[object]) -> None:
        for effect in effects:
            if isinstance(effect, Record):
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
                    case fact if type(fact).__name__ == "Advanced":
                        assert self.kept is not None
                        self.kept = apply(self.kept, fact)  # type: ignore[arg-type]
        show = effects[-1] if effects else None
        state = self.machine.state
        # What has been kept is where the players are; a throw that tumbles has been kept already.
        assert (state.rolled or state.match) == self.kept
        if isinstance(show, Show):
            assert show.mode is state.mode
            assert show.screen.mode is state.mode


@cache
def walked(kind: str) -> Walk:
    walk = Walk(KINDS[kind], Random(f"walk {kind}"), from_the_end=kind == "match over")
    for _ in range(6_000):
        walk.step()
    return walk


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_is_where_the_players_are(kind: str) -> None:
    """Checked at every step of the walk."""
    assert walked(kind).ways


def test_every_input_is_given_in_every_mode() -> None:
    given = {pair for kind in KINDS for pair in walked(kind).given}
    assert set(TABLE) <= given


def test_every_way_of_the_table_is_gone_and_no_other() -> None:
    table = {(mode, given, target) for (mode, given), (_, targets) in TABLE.items() for target in targets}
    assert {way for kind in KINDS for way in walked(kind).ways} == table
