"""What is counted and listed from a store: worked examples, whole."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.adapters.store.test_fame import CAPTAIN, HIGH, LEFT_4, LEFT_6, PLAIN, SHUT, house
from tests.support.kept import keep_match

from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.queries import (
    past,
    read,
    statistics_lines,
)
from shutthebox.game.facts import Signed
from shutthebox.game.messages import told
from shutthebox.game.past import Past
from shutthebox.rules.actions import Action, Advanced
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile

THROWS = "insert into throws (dice, sides, die, value, count) values (?, ?, ?, ?, ?)"


class Evening:
    """A store on which matches are played, one a minute."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 0
        self.store = Store(folder, lambda: self.now_s)

    def play(
        self,
        profile: Profile,
        *actions: Action,
        seats: int = 1,
        rounds: int = 1,
        conditions: Conditions | None = None,
        sign: str = "",
    ) -> None:
        self.now_s += 60
        match = keep_match(self.store, begin(profile, seats, rounds), *actions, conditions=conditions)
        if sign and match.result is not None:
            self.store.keep(Signed(match.result.winners[0], sign))


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    opened = Evening(tmp_path)
    with closing(opened.store):
        yield opened


@pytest.mark.parametrize(("heads", "marked"), [("[0, 5]", ()), ("[5, 0]", ("head start",))])
def test_a_win_with_a_head_start_is_marked_and_one_against_it_is_not(
    heads: str, marked: tuple[str, ...], evening: Evening
) -> None:
    headed = house("headed", 'shut_wins = "match"\nhandicap = ' + heads)
    evening.play(headed, *SHUT, seats=2, sign="ANN")
    (famous,) = read(evening.store.connection).fame
    assert famous.unproven == marked


def test_the_lines_on_the_panel(evening: Evening) -> None:
    """Chi-square of the die is 4.88 at 3 degrees of freedom: p is 0.18. The others had too few throws."""
    evening.play(PLAIN, *LEFT_4, sign="ANN")
    evening.store.connection.executemany(
        THROWS,
        [
            (1, 4, die, value, count)
            for die in (0, 1)
            for value, count in ((1, 20), (2, 30), (3, 19), (4, 31))
        ],
    )
    assert [told(line, str) for line in statistics_lines(read(evening.store.connection))] == [
        "Matches: 1",
        "Throws: 102",
        "ANN 4 plain",
        "1d4 Die 1\t100",
        " 1 ========\t20",
        " 2 ============\t30",
        " 3 =======\t19",
        " 4 ============\t31",
        "2d6 Total\t2",
        " 2 ============\t1",
        "12 ============\t1",
        "2d6 Die 1\t2",
        " 1 ============\t1",
        " 6 ============\t1",
        "2d6 Die 2\t2",
        " 1 ============\t1",
        " 6 ============\t1",
    ]


def test_the_past_of_three_letters(evening: Evening) -> None:
    """The best score in the same game of as many rounds; a computer beaten in any game."""
    evening.play(PLAIN, *LEFT_6, sign="ANN")
    evening.play(PLAIN, *LEFT_4, sign="ANN")
    evening.play(PLAIN, *SHUT, sign="BOB", conditions=Conditions(computers=(2,)))
    evening.play(PLAIN, *SHUT, Advanced(), *LEFT_6, rounds=2, sign="ANN")
    evening.play(CAPTAIN, *SHUT, sign="ANN")
    evening.play(HIGH, *LEFT_4, sign="ANN")
    evening.play(HIGH, *LEFT_6, sign="ANN")

    def of(letters: str, profile: Profile, rounds: int = 1) -> Past:
        return past(evening.store.connection, begin(profile, 1, rounds), letters)

    assert of("ANN", PLAIN) == Past(4, beat_computer=False)
    assert of("ANN", PLAIN, 2) == Past(6, beat_computer=False)
    assert of("ANN", HIGH) == Past(6, beat_computer=False)
    assert of("BOB", PLAIN) == Past(0, beat_computer=True)
    assert of("BOB", HIGH) == Past(None, beat_computer=True)
    assert of("CAT", PLAIN) == Past()
