"""Entering the throws of real dice."""

from shutthebox.game.typed_throw import DOUBLE_PRESS_NS, TypedThrow

S = 1_000_000_000


def pressed(entry: TypedThrow, times: int, start_ns: int = 0) -> TypedThrow:
    for i in range(times):
        after = entry.press(start_ns + i * S)
        assert after is not None
        entry = after
    return entry


def test_presses_count_up_and_a_hold_enters() -> None:
    entry = pressed(TypedThrow(1, 12), 8).enter()
    assert entry.entered == (8,)
    assert entry.complete


def test_counting_starts_again_after_the_highest() -> None:
    assert pressed(TypedThrow(1, 12), 13).count == 1
    assert pressed(TypedThrow(2, 6), 7).count == 1


def test_faces_one_by_one() -> None:
    entry = pressed(TypedThrow(2, 6), 3).enter()
    assert not entry.complete
    assert entry.count == 0
    entry = pressed(entry, 5, 10 * S).enter()
    assert entry.entered == (3, 5)
    assert entry.complete


def test_a_double_press_voids() -> None:
    entry = pressed(TypedThrow(1, 12), 1)
    assert entry.press(DOUBLE_PRESS_NS - 1) is None
    assert entry.press(DOUBLE_PRESS_NS) is not None


def test_a_hold_between_two_presses_makes_them_no_double_press() -> None:
    assert pressed(TypedThrow(2, 6), 1).enter().press(1) is not None
