"""Software PWM: the timetable without a clock, and the helper process."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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


def test_a_new_duty_counts_from_the_next_wave() -> None:
    wave = new_wave(100, 0.25)
    wave.begin(0)
    assert wave.step(0) == 2_500_000
    wave.duty = 0.5
    assert wave.step(2_500_000) == 10_000_000
    assert wave.step(10_000_000) == 15_000_000


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
    due = wave.step(10_200_000)  # ten waves late
    assert due == 10_000_000
    assert wave.step(10_200_000) == 10_500_000
