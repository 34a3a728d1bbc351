"""What is counted and listed from a store: worked examples, whole."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.adapters.store.test_fame import CAPTAIN, HIGH, LEFT_4, LEFT_6, PLAIN, SHUT, house
from tests.support.kept import keep_match

from shutthebox import __version__
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.queries import (
    DieCount,
    Famous,
    LoggedFault,
    Statistics,
    SwitchWear,
    finished_since,
    past,
    read,
    statistics_lines,
)
from shutthebox.game.facts import Began, Chosen, Faulted, Left, Signed
from shutthebox.game.messages import told
from shutthebox.game.past import Past
from shutthebox.odds.fairness import Fairness
from shutthebox.rules.actions import Action, Advanced, Thrown
from shutthebox.rules.conditions import RULES_VERSION, Conditions
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


def test_everything_that_is_counted(evening: Evening) -> None:
    before = Conditions(versions=("0.0.9 rules 1",))
    everything = Conditions(real_dice=True, computers=(2,), out_of_play=(4, 7))
    evening.play(PLAIN, *SHUT, sign="ANN", conditions=before)
    evening.play(CAPTAIN, *SHUT, seats=2, sign="BOB", conditions=everything)
    evening.play(HIGH, *LEFT_4, Advanced(), *LEFT_6, seats=2)
    evening.store.keep(Left())
    evening.store.keep(Signed(1, "CAT"))
    evening.now_s += 60
    evening.store.keep(Began(begin(PLAIN, 1), Conditions(computers=(1,))))
    evening.store.keep(Left())
    evening.store.keep(Began(begin(PLAIN, 1), Conditions(out_of_play=(1,))))
    evening.store.keep(Thrown((1, 2)))
    evening.store.keep(Faulted("lever", "lever 3 chatters"))
    evening.now_s += 1
    evening.store.keep(Faulted("display", "no answer"))
    evening.store.keep(Chosen("box.out_of_play", (7, 4)))
    evening.store.keep_health({3: 2, 0: 5}, {3: 7})
    few = Fairness(0.0, 0, 1.0, 8)
    assert read(evening.store.connection) == Statistics(
        matches=5,
        finished=3,
        given_up=1,
        real_dice=1,
        with_computer=2,
        without_levers=2,
        versions=("0.0.9 rules 1", f"{__version__} rules {RULES_VERSION}"),
        throws=8,
        fame=(
            Famous("CAT", 6, "high", 180),
            Famous("BOB", 0, "captain", 120, ("real dice", "computer", "levers out")),
            Famous("ANN", 0, "plain", 60),
        ),
        dice=(
            DieCount(2, 6, 0, {2: 3, 3: 1, 4: 2, 12: 2}, few),
            DieCount(2, 6, 1, {1: 4, 2: 2, 6: 2}, few),
            DieCount(2, 6, 2, {1: 3, 2: 3, 6: 2}, few),
        ),
        switches={0: SwitchWear(5, 0), 3: SwitchWear(2, 7)},
        faults=(LoggedFault(241, "display", "no answer"), LoggedFault(240, "lever", "lever 3 chatters")),
        out_of_play=(4, 7),
    )
    assert [finished_since(evening.store.connection, since_s) for since_s in (0, 120, 120.9, 121, 181)] == [
        3, 2, 2, 1, 0,
    ]  # fmt: skip
    assert finished_since(evening.store.connection, 0, 120) == 1


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
        "1d4 Die 1\tp=0.18",
        " 1 ========\t20",
        " 2 ============\t30",
        " 3 =======\t19",
        " 4 ============\t31",
        "2d6 Total\t-",
        " 2 ============\t1",
        "12 ============\t1",
        "2d6 Die 1\t-",
        " 1 ============\t1",
        " 6 ============\t1",
        "2d6 Die 2\t-",
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
