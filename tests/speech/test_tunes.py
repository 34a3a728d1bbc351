"""Sound alone: what has happened can be told from the buzzer, with the eyes shut and without the voice."""

import itertools
import threading
from collections.abc import Callable, Sequence

import pytest
from tests.support.machine import Table, settings_for, sounds
from tests.support.waiting import HANG_S

from shutthebox.adapters.buzzer import TUNES, Buzzer
from shutthebox.game.effects import Effect, Sound
from shutthebox.simulator.hardware.box import BUZZER_LINE, Change, SimulatedBox

NEEDED = (Sound.ROLL, Sound.FAULT, Sound.COMPLETE, Sound.BLOCKED, Sound.SHUT)


def told_from(tones: Sequence[float]) -> Sound | None:
    """The guess of a listener who has heard these tones, in Hz, and knows no tune."""
    steps = [after - before for before, after in itertools.pairwise(tones)]
    if len(tones) == 1:
        return Sound.FAULT if tones[0] < 300 else None
    if all(step > 0 for step in steps):
        return Sound.COMPLETE if len(tones) == 2 else Sound.SHUT
    if all(step < 0 for step in steps):
        return Sound.BLOCKED if len(tones) > 2 else None
    return Sound.ROLL if len(tones) > 4 else None


def heard(sound: Sound) -> list[float]:
    """The tones of the real buzzer on a simulated pin, one after the other."""
    tones: list[float] = []
    over = threading.Event()
    length = sum(1 for frequency, _ in TUNES[sound] if frequency)
    with SimulatedBox(1) as box:
        last: list[float | None] = [None]

        def listen(change: Change) -> None:
            if change is Change.SOUND and box.sound != last[0]:
                last[0] = box.sound
                if box.sound is not None:
                    tones.append(box.sound)
                elif len(tones) >= length:
                    over.set()

        box.subscribe(listen)
        buzzer = Buzzer(box.factory, BUZZER_LINE)
        buzzer.play(sound)
        assert over.wait(HANG_S)
        buzzer.close()
    return tones


@pytest.mark.parametrize("sound", NEEDED)
def test_the_tune_tells_what_has_happened(sound: Sound) -> None:
    assert told_from(heard(sound)) is sound


def test_the_number_of_tones_alone_tells_them_apart() -> None:
    """For those who do not hear which of two tones is higher."""
    counts = [sum(1 for frequency, _ in TUNES[sound] if frequency) for sound in NEEDED]
    assert len(set(counts)) == len(NEEDED)


@pytest.mark.parametrize("sound", Sound)
def test_a_tune_is_short(sound: Sound) -> None:
    assert 0 < sum(length_ms for _, length_ms in TUNES[sound]) <= 1100


def a_throw(table: Table) -> list[Effect]:
    table.dice.throws.append((3, 5))
    return table.press()


def a_fault(table: Table) -> list[Effect]:
    table.throw(3, 5)
    return table.flip(9)


def complete(table: Table) -> list[Effect]:
    table.throw(3, 5)
    return table.flip(8)


def answered(table: Table, faces: tuple[int, ...], levers: tuple[int, ...]) -> list[Effect]:
    """Throws, with another press where the number of dice is a choice, and shuts these."""
    table.throw(*faces)
    if table.dice.throws:
        table.press()
        table.wait(2_000_000_000)
    return table.flip(*levers)


def blocked(table: Table) -> list[Effect]:
    for levers in ((3, 9), (4, 8), (5, 7)):
        answered(table, (6, 6), levers)
    table.press()
    table.dice.throws.append((6, 6))
    table.press()
    return table.wait(2_000_000_000)


def shut(table: Table) -> list[Effect]:
    for faces, levers in (((4, 5), (9,)), ((4, 4), (8,)), ((3, 4), (7,)), ((5, 6), (5, 6)), ((4, 2), (2, 4))):
        answered(table, faces, levers)
    return answered(table, (3, 1), (1, 3))


@pytest.mark.parametrize(
    ("happens", "sound"),
    [
        (a_throw, Sound.ROLL),
        (a_fault, Sound.FAULT),
        (complete, Sound.COMPLETE),
        (blocked, Sound.BLOCKED),
        (shut, Sound.SHUT),
    ],
)
def test_each_has_its_sound(happens: Callable[[Table], list[Effect]], sound: Sound) -> None:
    table = Table(settings_for("traditional"))
    table.press()
    assert sounds(happens(table)) == [sound]
