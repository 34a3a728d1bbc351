"""Head starts: the game as each seat plays it."""

from dataclasses import replace

from shutthebox.rules.handicap import for_seat, points_off, tiles_off
from shutthebox.rules.profile import Profile
from shutthebox.rules.score import lost_score
from shutthebox.rules.tiles import to_text, to_tiles

SEATS = replace(Profile("x", start_open=(1, 2, 3, 4, 9)), handicap=(0, 5, (2, 9), (7,), (1, 7)))


def test_points_and_tiles_by_seat() -> None:
    assert [points_off(SEATS, seat) for seat in range(7)] == [0, 5, 0, 0, 0, 0, 0]
    assert [to_text(tiles_off(SEATS, seat)) for seat in range(7)] == ["-", "-", "2,9", "-", "1", "-", "-"]


def test_a_seat_plays_without_the_tiles_of_its_head_start() -> None:
    assert [to_text(for_seat(SEATS, seat).starting) for seat in range(6)] == [
        *("1,2,3,4,9", "1,2,3,4,9", "1,3,4", "1,2,3,4,9", "2,3,4,9", "1,2,3,4,9")
    ]
    assert for_seat(SEATS, 1) is for_seat(SEATS, 3) is SEATS, "tiles that start shut anyway are no head start"
    seat = for_seat(SEATS, 2)
    assert (seat.tiles, seat.lost_score) == (SEATS.tiles, None)


def test_a_turn_lost_on_its_first_move_costs_every_seat_the_same() -> None:
    game = replace(SEATS, first_move_must_include=3)
    assert [lost_score(for_seat(game, seat)) for seat in range(5)] == [19] * 5
    assert for_seat(game, 2).starting == to_tiles([1, 3, 4])
    given = replace(game, lost_score=60)
    assert [lost_score(for_seat(given, seat)) for seat in range(5)] == [60] * 5
