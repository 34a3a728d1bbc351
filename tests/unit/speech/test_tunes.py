"""Sound alone: what has happened can be told from the buzzer, with the eyes shut and without the voice."""

import itertools
import threading
from collections.abc import Sequence

import pytest
from tests.support.waiting import HANG_S

from shutthebox.adapters.buzzer import TUNES, Buzzer
from shutthebox.game.effects import Sound
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


def heard(sound: Sound) -> list[float | None]:
    """What the real buzzer does on a simulated pin, one after the other: tones in Hz, None for silence."""
    said: list[float | None] = [None]
    over = threading.Event()
    length = sum(1 for frequency, _ in TUNES[sound] if frequency)
    with SimulatedBox(1) as box:

        def listen(change: Change) -> None:
            if change is Change.SOUND and box.sound != said[-1]:
                said.append(box.sound)
                if box.sound is None and len(tones_of(said)) >= length:
                    over.set()

        box.subscribe(listen)
        buzzer = Buzzer(box.factory, BUZZER_LINE)
        buzzer.play(sound)
        assert over.wait(HANG_S)
        buzzer.close()
    return said[1:]


def tones_of(said: Sequence[float | None]) -> list[float]:
    return [tone for tone in said if tone is not None]


@pytest.mark.parametrize("sound", NEEDED)
def test_the_tune_tells_what_has_happened(sound: Sound) -> None:
    assert told_from(tones_of(heard(sound))) is sound


@pytest.mark.parametrize("sound", [Sound.ROLL, Sound.WIN])
def test_notes_and_rests_are_heard_as_they_are_written(sound: Sound) -> None:
    """In the rests of a tune nothing sounds, nor after it."""
    assert heard(sound) == [*(frequency or None for frequency, _ in TUNES[sound]), None]


def test_the_number_of_tones_alone_tells_them_apart() -> None:
    """For those who do not hear which of two tones is higher."""
    counts = [sum(1 for frequency, _ in TUNES[sound] if frequency) for sound in NEEDED]
    assert len(set(counts)) == len(NEEDED)


@pytest.mark.parametrize("sound", Sound)
def test_a_tune_is_short(sound: Sound) -> None:
    assert 0 < sum(length_ms for _, length_ms in TUNES[sound]) <= 1100
