"""The buzzer on a simulated pin; its tunes are in `tests/unit/speech/test_tunes.py`."""

from collections.abc import Iterator

import pytest
from tests.support.waiting import until

from shutthebox.adapters.buzzer import Buzzer
from shutthebox.game.effects import Sound
from shutthebox.simulator.hardware.box import BUZZER_LINE, SimulatedBox


@pytest.fixture
def box() -> Iterator[SimulatedBox]:
    with SimulatedBox(1) as opened:
        yield opened


def test_a_tune_that_cannot_be_played_is_said_and_the_buzzer_lives(
    box: SimulatedBox, caplog: pytest.LogCaptureFixture
) -> None:
    buzzer = Buzzer(box.factory, BUZZER_LINE)
    buzzer._device.close()
    for number in (1, 2):
        buzzer.play(Sound.FANFARE)
        until(lambda number=number: len(caplog.messages) == number)  # type: ignore[misc]
    assert all(message.startswith("buzzer: ") for message in caplog.messages)
    assert buzzer.alive
    buzzer.close()
    assert not buzzer.alive


def test_closing_it_ends_a_tune_and_lets_the_line_go(box: SimulatedBox) -> None:
    buzzer = Buzzer(box.factory, BUZZER_LINE)
    assert box.sound is None
    buzzer.play(Sound.FANFARE)
    until(lambda: box.sound is not None)
    buzzer.close()
    assert not buzzer.alive
    assert box.sound is None
    Buzzer(box.factory, BUZZER_LINE).close()
