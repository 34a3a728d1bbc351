"""Software PWM: the timetable without a clock, and the helper process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.benches import until

from gpiozero_gpiod import pwm
from gpiozero_gpiod.pwm import Pulser
from gpiozero_gpiod.pwm_helper import Wave


def play(wave: Wave, steps: int, late: list[int]) -> list[tuple[int, int]]:
    """Plays ``steps`` steps, each as late as told, and returns when which level was written."""
    written: list[tuple[int, int]] = []
    now = 0
    wave.write = lambda level: written.append((now, level))
    wave.begin(0)
    due = 0
    for step in range(steps):
        now = max(now, due) + late[step % len(late)]
        due = wave.step(now)
    return written


def new_wave(frequency: float, duty: float) -> Wave:
    return Wave(lambda level: None, frequency, duty)


def test_a_wave_in_time() -> None:
    written = play(new_wave(100, 0.25), 6, [0])
    ms = 1_000_000
    assert written == [
        (0, 1), (2.5 * ms, 0), (10 * ms, 1), (12.5 * ms, 0), (20 * ms, 1), (22.5 * ms, 0)
    ]  # fmt: skip


@pytest.mark.parametrize("frequency", [1, 50, 10_000])
def test_little_time_is_spent_awake(frequency: float) -> None:
    wave = new_wave(frequency, 0.5)
    assert 0 < wave.awake_ns <= wave.period_ns / 100
    assert wave.awake_ns <= 200_000


@given(
    st.floats(1, 10_000),
    st.floats(0.01, 0.99),
    st.lists(st.integers(0, 100_000), min_size=1, max_size=20),
)
def test_lateness_never_adds_up(frequency: float, duty: float, late: list[int]) -> None:
    wave = new_wave(frequency, duty)
    written = play(wave, 200, late)
    rises = [t for t, level in written if level]
    longest = max(late)
    for number, t in enumerate(rises):
        # Waves may be left out, but every one begins on the timetable or late by what was waited.
        phase = t % wave.period_ns
        assert t >= number * wave.period_ns - 1
        if longest * 4 < wave.period_ns * min(duty, 1 - duty):
            assert number == t // wave.period_ns
            assert phase <= longest


def test_far_too_late_leaves_waves_out() -> None:
    wave = new_wave(1000, 0.5)
    wave.begin(0)
    wave.step(0)
    assert wave.step(10_200_000) == 10_000_000, "ten waves late"


# -- the helper as a process


@pytest.fixture
def pulser() -> Iterator[Pulser]:
    made = Pulser()
    yield made
    made.close()


def wave_on(fd: int) -> pwm.Wave:
    return pwm.Wave(fd, lambda: None, lambda level: None, 100)


def test_a_line_that_cannot_be_switched_ends_its_wave_and_no_other(pulser: Pulser) -> None:
    """What is no line of the kernel's refuses at once."""
    with socket.socket() as no_line:
        first, second = wave_on(no_line.fileno()), wave_on(no_line.fileno())
        for wave in (first, second):
            pulser.set(wave, duty=0.5)
        pulser.remove(first)
        pulser.set(second, duty=0.25)
        pulser.remove(second)


@pytest.mark.slow
def test_the_helper_ends_with_its_program() -> None:
    """Killed, the program can clean nothing up."""
    code = (
        "import os, time; from gpiozero_gpiod.pwm import Pulser\n"
        "pulser = Pulser(); pulser.prepare(); print(pulser.helper.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        helper = Path("/proc") / program.stdout.readline().strip()
        assert helper.exists()
        program.kill()
    assert until(lambda: not helper.exists() or "\nState:\tZ" in (helper / "status").read_text())


def test_the_helper_leaves_signals_to_its_program(pulser: Pulser) -> None:
    """A service manager sends SIGTERM to all processes of a service; the program then closes its pins."""
    pulser.prepare()
    assert pulser.helper is not None
    helper = pulser.helper
    with socket.socket() as no_line:
        wave = wave_on(no_line.fileno())
        pulser.set(wave, duty=0.5)
        pulser.remove(wave)  # answered, so it runs
        os.kill(helper.pid, signal.SIGTERM)
        os.kill(helper.pid, signal.SIGINT)
        pulser.set(wave, duty=0.5)
        pulser.remove(wave)
    assert pulser.helper is helper
