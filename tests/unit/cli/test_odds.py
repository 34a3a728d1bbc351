"""The odds command: its JSON, its table, its charts, and its errors."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import printed, refused


def document(*words: object) -> Any:
    return json.loads(printed("odds", *words, "--json"))


def test_a_turns_start() -> None:
    found = document("traditional")
    assert list(found) == [
        "profile", "open", "objective", "expected_score", "probability_shut", "one_die", "moves",
        "distribution",
    ]  # fmt: skip
    assert found["open"] == list(range(1, 10))
    assert (found["objective"], found["one_die"], found["moves"]) == ("score", None, None)
    assert found["expected_score"] == pytest.approx(431363714383 / 39182082048, rel=1e-12)
    assert found["distribution"]["0"] == pytest.approx(found["probability_shut"])
    mean = sum(int(score) * chance for score, chance in found["distribution"].items())
    assert mean == pytest.approx(found["expected_score"])


def test_a_turn_that_only_the_last_throw_ends(tmp_path: Path) -> None:
    rules = tmp_path / "opens.toml"
    rules.write_text('name = "opens"\ntiles = [2, 13]\nblocked = "opens-one"\nshut_wins = "no"\n')
    # A throw without a move opens the 2 again, so before the last throw it's shut once in 37 times, and the
    # last throw shuts it as often.
    found = document(rules)
    assert found["last_throw"] == 999
    assert found["expected_score"] == pytest.approx(13 * 2 / 37 + 15 * 35 / 37, abs=1e-9)
    assert "From throw 999 on, a throw without a move ends the turn." in printed("odds", rules)
    assert "From throw 999 on, a throw without a move ends the turn." in printed("profiles", rules)


@pytest.mark.slow
def test_no_figure_is_the_noise_of_rounding(tmp_path: Path) -> None:
    rules = tmp_path / "opens.toml"
    rules.write_text('name = "opens"\ntiles = 6\nblocked = "opens-one"\nshut_wins = "no"\n')
    for words in ((), ("--throw", "6,5")):
        found = document(rules, *words)
        assert (found["expected_score"], found["probability_shut"]) == (0, 1)
        assert "-0" not in printed("odds", rules, *words)
        assert "e-" not in printed("odds", rules, *words)
        assert "e-" not in printed("odds", rules, *words, "--json")


def test_a_throw() -> None:
    found = document("traditional", "--throw", "3,5")
    moves = [move["tiles"] for move in found["moves"]]
    assert sorted(moves) == [[1, 2, 5], [1, 3, 4], [1, 7], [2, 6], [3, 5], [8]]
    assert found["moves"][0]["expected_score"] == found["expected_score"]
    scores = [move["expected_score"] for move in found["moves"]]
    assert scores == sorted(scores)


def test_a_position() -> None:
    assert document("traditional", "--open", "1,2")["one_die"] is True
    blocked = document("traditional", "--open", "2,3,5", "--throw", "1")
    assert (blocked["moves"], blocked["one_die"]) == ([], None)
    assert (blocked["expected_score"], blocked["distribution"]) == (10, {"10": 1.0})


def test_an_estimate() -> None:
    found = document("the-300", "--samples", "40")
    assert (found["estimate"], found["samples"]) == (True, 40)
    assert found["standard_error"] > 0
    assert document("the-300", "--samples", "40") == found
    thrown = document("the-300", "--samples", "40", "--throw", "1,1,2,2")
    assert sorted(move["tiles"] for move in thrown["moves"]) == [[1, 2, 3], [1, 5], [2, 4], [6]]
    done = document("the-300", "--samples", "50", "--open", "4", "--throw", "1,1,1,1")
    assert (done["expected_score"], done["probability_shut"]) == (0, 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nowhere", "not known"),
        ("traditional --open 1,1", "twice"),
        ("traditional --open 10", "tile 10 is not on the box; use 1, 2, 3"),
        ("traditional --open x", "'x' is not a tile"),
        ("traditional --open -", "no tile is open"),
        ("traditional --throw 7,1", "use 2 dice with faces 1 to 6"),
        ("traditional --open 1,2 --throw 1,1,1", "2 dice or 1 die"),
        ("traditional --throw a,b", "is not a throw"),
        ("domino-bag --throw 7,7", "two ends of a domino"),
        ("traditional --tiles 11", "traditional has no box of 11; use 9, 10, 12"),
        ("traditional --samples 1", "--samples: 1 is not allowed"),
        ("traditional --plot chart.png", "use a name ending in .svg"),
        ("traditional --players 1", "--players: 1 is not allowed; 2 to 20 are"),
        ("traditional --best 3", "need --players"),
        ("traditional --players 3 --seat 2", "--best and --seat go together"),
        ("traditional --players 3 --seat 4 --best 5", "--seat: 4 is not allowed; 2 to 3 are"),
        ("traditional --players 3 --throw 3,5", "--throw: not allowed with --players"),
        ("young --players 2", 'turns = "alternate": there are only odds'),
        ("long-game --players 3", "it is for two players, or two teams"),
        ("long-game --objective shut", "--objective: not allowed in a tug"),
        ("head-to-head --players 3", "one throw for everyone has odds for two players"),
        ("head-to-head --tiles 12 --players 2", "too many pairs"),
        ("high-rollers --players 2 --best 5 --seat 2", '--seat: turns = "shared"'),
        ("the-300 --players 2", "24 tiles"),
    ],
)
def test_bad_input(words: str, said: str) -> None:
    complaint = refused("odds", *words.split())
    assert complaint.startswith("shutthebox")
    assert said in complaint


def test_a_chart(tmp_path: Path) -> None:
    printed("odds", "lucky-seven", "--plot", tmp_path / "chart.SVG")
    assert (tmp_path / "chart.SVG").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
def test_players() -> None:
    found = document("traditional", "--players", "2")
    assert list(found) == ["profile", "players", "win", "stakes"]
    assert found["win"] == pytest.approx([0.501541, 0.498459], abs=1e-6)
    assert found["stakes"] == pytest.approx([2 * chance - 1 for chance in found["win"]])
    assert document("golf", "--players", "2")["stakes"] == [0, 0]


@pytest.mark.slow
def test_figures_end_where_the_noise_of_floats_begins(tmp_path: Path) -> None:
    """A half is 0.5, and nobody owes -7e-16."""
    for win, ties in product(("lowest", "highest"), ("share", "play-off")):
        rules = tmp_path / "even.toml"
        rules.write_text(
            f'like = "pub"\ntiles = 6\ntie = "{ties}"\nwin = "{win}"\nshut_wins = "no"\nstakes = "pool"\n'
        )
        for players in ("2", "3"):
            found = document(rules, "--players", players)
            figures = [*found["win"], *found["stakes"]]
            assert all(figure == round(figure, 12) for figure in figures)
            assert not [figure for figure in figures if 0 < abs(figure) < 1e-9]
            assert "-0.000" not in printed("odds", rules, "--players", players)


@pytest.mark.slow
def test_what_a_seat_should_aim_for() -> None:
    found = document("traditional", "--players", "2", "--best", "12", "--seat", "2")
    assert (found["seat"], found["best"], found["aim"]) == (2, 12, 11)
    assert found["win"][0] + found["win"][1] == pytest.approx(1)
    assert (found["scores"]["11"], found["scores"]["13"]) == (1, 0)
    assert found["scores"]["12"] == pytest.approx(0.498459, abs=1e-6), "a play-off, as the second of two"
    said = printed("odds", "misere", "--players", "2", "--best", "30", "--seat", "2")
    assert "Aim for 30 or more." in said


CORNER = 'name = "corner"\ntiles = [1, 2, 3]\none_die = "optional-high"\nstakes = "pool"\n'
HIGH = 'name = "high"\ntiles = [1, 2, 3]\nwin = "highest"\nshut_wins = "no"\nrounds = 2\n'
# The worths of three tiles and one die can be worked out by hand: 61/36, and 23/12 or 5/2 after a 3.
SHOWN = {
    "a turn's start": (
        CORNER,
        "",
        """\
corner: 1 2 3 open (playing for the lowest score)

expected score   1.69
chance to shut   33.33 %
best to throw    one die

for comparison, throwing one die wherever it's allowed
  highest first          1.69   33.33 %
  lowest first           1.79   32.41 %
  fewest tiles           1.69   33.33 %
  most tiles             1.79   32.41 %
  best next chance       1.69   33.33 %
  at random              2.99   21.71 %

final score
  0  33.33 % ########################################
  1  18.52 % ######################
  2  18.52 % ######################
  3  12.96 % ################
  4   8.33 % ##########
  5   8.33 % ##########
""",
    ),
    "players": (
        HIGH,
        "--players 2 --seat 2 --best 3",
        """\
high: 2 players, all playing their best for the win
One round alone; the totals of several rounds are not in these figures.
Seat 2 plays; the best score so far is 3, of the seat before.

seat      to win
1        36.65 %
2        63.35 %

Aim for 4 or more.

score     to win
3        50.00 %
4       100.00 %
5       100.00 %
6       100.00 %
""",
    ),
}


def test_a_race_is_counted_in_throws() -> None:
    found = document("young")
    assert found["expected_score"] == pytest.approx(15.0143832)
    assert min(map(int, found["distribution"])) == 6
    said = printed("odds", "lucky-seven")
    assert "expected throws  6.00" in said
    assert "for comparison\n" in said, "there is no choice of dice"


@pytest.mark.parametrize(
    ("keys", "players", "key"),
    [
        ("teams = 2", 4, "teams = 2"),
        ("handicap = [[1]]", 2, "handicap"),
        ('match = "ladder"', 2, 'match = "ladder"'),
        ('turns = "alternate"', 2, 'turns = "alternate"'),
        ('win = "first-to-shut"\nshut_wins = "match"', 2, 'win = "first-to-shut"'),
        ('score = "throws"', 2, 'score = "throws"'),
        ('blocked = "opens-one"', 2, 'blocked = "opens-one"'),
        ('tie = "replay-all"\nstakes = "loser-pays"', 3, 'tie = "replay-all"'),
    ],
)
def test_what_is_not_worked_out_for_several_players_is_refused_by_its_key(
    keys: str, players: int, key: str, tmp_path: Path
) -> None:
    file = tmp_path / "house.toml"
    shut = "" if "shut_wins" in keys else 'shut_wins = "no"\n'
    file.write_text(f"tiles = 3\nsides = 2\n{shut}{keys}\n", "utf-8")
    assert key in refused("odds", file, "--players", str(players))


def test_one_round_of_several_says_so(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('like = "trac-100"\ntiles = 3\nboxes = [3]\n', "utf-8")
    found = document(file, "--players", "2")
    assert found["one_round"] is True
    assert found["stakes"] is None, "who loses the match pays"
    assert "No stakes: the loser of the match pays" in printed("odds", file, "--players", "2")


@pytest.mark.parametrize("stakes", ["pool-double", "loser-pays"])
def test_stakes_that_are_not_worked_out_are_never_shown(stakes: str, tmp_path: Path) -> None:
    """The pool's are: so a wrong sum would look as good as a right one."""
    file = tmp_path / "house.toml"
    rules = 'tiles = 3\nturns = "shared"\nblocked = "loses"\nwin = "last-in"\nshut_wins = "match"\n'
    file.write_text(f'{rules}stakes = "{stakes}"\n', "utf-8")
    assert document(file, "--players", "2")["stakes"] is None
    assert f'No stakes: stakes = "{stakes}"' in printed("odds", file, "--players", "2")
    file.write_text(f'{rules}stakes = "pool"\n', "utf-8")
    assert sum(document(file, "--players", "2")["stakes"]) == pytest.approx(0)


def test_the_worst_score_that_pays_is_not_known_to_a_later_seat(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('like = "trac"\ntiles = 3\nboxes = [3]\n', "utf-8")
    assert document(file, "--players", "3", "--best", "2", "--seat", "2")["stakes"] is not None
    found = document(file, "--players", "3", "--best", "2", "--seat", "3")
    assert found["stakes"] is None
    assert sum(found["win"]) == pytest.approx(1)


@pytest.mark.parametrize(("rules", "words", "text"), SHOWN.values(), ids=SHOWN)
def test_all_that_people_read(rules: str, words: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(rules, "utf-8")
    assert printed("odds", file, *words.split()) == text
