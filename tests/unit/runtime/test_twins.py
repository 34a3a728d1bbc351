"""The daemon and the box in virtual time are the same box: the same evening has the same effects on both."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.support.box import BoxUnderTest, S, config_with
from tests.support.daemon import Served, run_daemon
from tests.support.fast import fast_among
from tests.support.small_disk import small_disk

from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.adapters.store.queries import read
from shutthebox.config.profiles import builtin
from shutthebox.config.schema import Config
from shutthebox.game.effects import Ask, AskLink, AskStick, Effect
from shutthebox.game.facts import Began
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.tiles import to_tiles
from shutthebox.simulator.scenario.effect_lines import as_json
from shutthebox.simulator.virtual_box import QueuedDice, VirtualBox

EPOCH_S = 1.8e9
Step: TypeAlias = "Callable[[BoxUnderTest | Served], None]"
Evening: TypeAlias = tuple[Config, tuple[Step, ...]]


def press(box: BoxUnderTest | Served) -> None:
    box.press()


def flip(lever: int) -> Step:
    def do(box: BoxUnderTest | Served) -> None:
        (box.hardware if isinstance(box, Served) else box.box).set_lever(lever, True)

    return do


STEPS: tuple[Step, ...] = (press, press, flip(3), flip(5), press, flip(4), press, flip(6), press)
"""A match is begun, 3 and 5 are thrown and flipped, then 6 and 4 with a press too early between."""


def dice() -> QueuedDice:
    found = QueuedDice(1)
    found.queue += [(3, 5), (6, 4), (1, 2)]
    return found


def outline(effects: list[Effect], state: Path) -> list[str]:
    """Effects without their times, places and dates, each show once."""
    lines = list[str]()
    for effect in effects:
        if not isinstance(effect, Ask | AskStick | AskLink):
            line = json.loads(as_json(effect, 0))
            text = unplaced(json.dumps(line), state)
            if not lines or lines[-1] != text:
                lines.append(text)
    return lines


def unplaced(text: str, state: Path) -> str:
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d", "DATE", text.replace(str(state), "STATE"))


def faults(state: Path) -> list[tuple[str, str]]:
    """What the memory has of faults in the end."""
    with suppress(OSError, ValueError), closing(open_to_read(state / STORE_FILE)) as db:
        return [(fault.kind, unplaced(fault.text, state)) for fault in read(db).faults]
    return []


def on_virtual_box(evening: Evening, state: Path) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The outline after the start and after each step."""
    config, steps = evening
    box = BoxUnderTest(state, config, make=partial(VirtualBox, epoch_s=EPOCH_S))
    box.box.dice.queue += dice().queue
    with closing(box.box):
        box.wait(S // 5)
        outlines = [outline(box.effects, state)]
        for step in steps:
            step(box)
            box.wait(2 * S)
            outlines.append(outline(box.effects, state))
    return outlines, faults(state)


def on_daemon(
    evening: Evening, state: Path, expected: list[list[str]]
) -> tuple[list[str], list[tuple[str, str]]]:
    """The outline in the end; each step waits for as many effects as the other box had."""
    config, steps = evening

    def act(hands: Served) -> None:
        def has(effects: list[str]) -> bool:
            return len(outline(hands.effects, state)) >= len(effects)

        for step, before, after in zip(steps, expected[:-1], expected[1:], strict=True):
            hands.until(partial(has, before))
            step(hands)
            hands.until(partial(has, after))

    served = run_daemon(config, state, act, dice=dice())
    return outline(served.effects, state), faults(state)


def new_box(state: Path) -> Evening:
    return config_with(), STEPS


def bad_house_rules(state: Path) -> Evening:
    rules = state.parent / "rules"
    rules.mkdir(exist_ok=True)
    (rules / "bad.toml").write_text("tiles = true\n")
    return config_with(rules__folder=str(rules)), STEPS


def damaged_store(state: Path) -> Evening:
    kept_match(state)
    path = state / STORE_FILE
    path.write_bytes(path.read_bytes()[:5000])
    return config_with(), STEPS


def kept_match(state: Path) -> Evening:
    """8 has been shut; its lever stands up."""
    with closing(Store(state, lambda: EPOCH_S)) as store:
        for fact in (Began(begin(builtin("traditional"), 2)), Thrown((6, 2)), Moved(to_tiles([8]))):
            store.keep(fact)
    return config_with(), (flip(8), *STEPS[1:])


def full_disk(state: Path) -> Evening:
    with suppress(OSError), (state / "pictures").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1000))
    return config_with(), STEPS


@pytest.mark.parametrize(
    "prepare", fast_among([new_box, bad_house_rules, damaged_store, kept_match], [new_box])
)
def test_an_evening_is_the_same_on_both(prepare: Callable[[Path], Evening], tmp_path: Path) -> None:
    virtual, real = tmp_path / "virtual/state", tmp_path / "real/state"
    for state in (virtual, real):
        state.mkdir(parents=True)
    compare(prepare(virtual), virtual, prepare(real), real)


@pytest.fixture
def small_disks(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    with small_disk(tmp_path / "one", "400k") as one, small_disk(tmp_path / "two", "400k") as two:
        yield one, two


@pytest.mark.slow
def test_an_evening_with_a_full_disk_is_the_same_on_both(small_disks: tuple[Path, Path]) -> None:
    virtual, real = small_disks
    compare(full_disk(virtual), virtual, full_disk(real), real)


def compare(virtual_evening: Evening, virtual: Path, real_evening: Evening, real: Path) -> None:
    expected, kept = on_virtual_box(virtual_evening, virtual)
    told, kept_there = on_daemon(real_evening, real, expected)
    assert told == expected[-1]
    assert [(kind, text.replace(str(real.parent), "")) for kind, text in kept_there] == [
        (kind, text.replace(str(virtual.parent), "")) for kind, text in kept
    ]
