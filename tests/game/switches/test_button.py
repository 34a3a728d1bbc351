"""Gestures of the one button."""

import pytest

from shutthebox.game.switches.button import HOLD_NS, LONG_HOLD_NS, Button, Gesture

S = 1_000_000_000
START = 7 * S


def pressed() -> Button:
    button = Button()
    assert button.changed(True, START) is None
    return button


def test_the_thresholds() -> None:
    assert (HOLD_NS, LONG_HOLD_NS) == (800_000_000, 10 * S)


@pytest.mark.parametrize("lasts_ns", [0, 1, S // 10, HOLD_NS - 1])
def test_a_press_counts_at_release(lasts_ns: int) -> None:
    button = pressed()
    assert button.elapsed(START + lasts_ns) is None
    assert button.changed(False, START + lasts_ns) is Gesture.PRESS
    assert button.deadline_ns is None
    assert button.elapsed(START + 100 * S) is None


def test_a_hold_counts_when_it_is_reached_and_not_again_at_release() -> None:
    button = pressed()
    assert button.deadline_ns == START + HOLD_NS
    assert button.elapsed(START + HOLD_NS - 1) is None
    assert button.elapsed(START + HOLD_NS) is Gesture.HOLD
    assert button.elapsed(START + HOLD_NS) is None
    assert button.changed(False, START + 2 * S) is None
    assert button.deadline_ns is None


def test_ten_seconds_count_when_they_are_reached() -> None:
    button = pressed()
    assert button.elapsed(START + HOLD_NS) is Gesture.HOLD
    assert button.deadline_ns == START + LONG_HOLD_NS
    assert button.elapsed(START + LONG_HOLD_NS - 1) is None
    assert button.elapsed(START + LONG_HOLD_NS) is Gesture.LONG_HOLD
    assert button.deadline_ns is None
    assert button.elapsed(START + 100 * S) is None
    assert button.changed(False, START + 100 * S) is None


def test_asked_late_it_tells_one_gesture_after_the_other() -> None:
    button = pressed()
    assert button.elapsed(START + 20 * S) is Gesture.HOLD
    assert button.elapsed(START + 20 * S) is Gesture.LONG_HOLD
    assert button.elapsed(START + 20 * S) is None


def test_every_press_starts_anew() -> None:
    button = pressed()
    button.elapsed(START + LONG_HOLD_NS)
    button.changed(False, START + LONG_HOLD_NS)
    button.changed(True, START + 11 * S)
    assert button.deadline_ns == START + 11 * S + HOLD_NS
    assert button.changed(False, START + 11 * S + 1) is Gesture.PRESS


def test_found_down_at_the_start_it_is_ignored_until_let_go() -> None:
    button = Button()
    assert button.deadline_ns is None
    assert button.elapsed(100 * S) is None
    assert button.changed(False, 100 * S) is None
    button.changed(True, 101 * S)
    assert button.changed(False, 101 * S + 1) is Gesture.PRESS
