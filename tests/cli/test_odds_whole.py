"""Whole outputs of the odds command for positions so small that they can be worked out by hand."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from shutthebox.cli import odds, odds_players
from shutthebox.cli.main import main
from shutthebox.cli.odds_fair import fair_document, fair_text
from shutthebox.cli.odds_text import percent, points
from shutthebox.config.profiles import builtin
from shutthebox.odds.head_start import FairHeadStart
from shutthebox.odds.strengths import Strength

TINY = 'like = "traditional"\ntiles = [1, 2]\ndice = 1\nsides = 3\n'
"""Of nine turns five shut the box (3, 1 then 2, 2 then 1), two leave 1 and two leave 2."""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


def said(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["odds", *map(str, words)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_a_turns_start(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        said(capsys, tiny)
        == """\
tiny: 1 2 open (playing for the lowest score)

expected score   0.67
chance to shut   55.56 %

for comparison
  highest first        0.67   55.56 %
  lowest first         0.67   55.56 %
  fewest tiles         0.67   55.56 %
  at random            0.67   55.56 %

final score
  0  55.56 % ########################################
  1  22.22 % ################
  2  22.22 % ################
"""
    )


def test_a_turn_that_is_played_for_many_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "most.toml"
    path.write_text(TINY.replace("traditional", "misere"))
    first, *_ = said(capsys, path).splitlines()
    assert first == "most: 1 2 open (playing for the highest score)"


def test_one_die_or_two(capsys: pytest.CaptureFixture[str]) -> None:
    """With 1, 2 and 3 open one die is better."""
    assert (
        said(capsys, "traditional", "--open", "1, 2, 3")
        == """\
Traditional: 1 2 3 open (playing for the lowest score)

expected score   1.69
chance to shut   33.33 %
best to throw    one die

final score
  0  33.33 % ########################################
  1  18.52 % ######################
  2  18.52 % ######################
  3  12.96 % ################
  4   8.33 % ##########
  5   8.33 % ##########
"""
    )


def test_every_answer_to_a_throw(capsys: pytest.CaptureFixture[str]) -> None:
    """After 3 the box is shut by 3, by 1 and 2, or by 2 and 1: 8 of 36. After 1 and 2 only by 3: 1 of 6."""
    assert (
        said(capsys, "traditional", "--open", "1,2,3", "--throw", "2 + 1")
        == """\
Traditional: 1 2 3 open, 2+1 thrown (playing for the lowest score)

expected score   1.92
chance to shut   22.22 %

move               expected   to shut     costs
3                      1.92   22.22 %      0.00
1,2                    2.50   16.67 %      0.58

final score
  0  22.22 % ##################
  1  13.89 % ###########
  2  13.89 % ###########
  3  50.00 % ########################################
"""
    )
    shut = said(capsys, "traditional", "--open", "1,2,3", "--throw", "2+1", "--objective", "shut")
    assert shut.splitlines()[:8] == [
        "Traditional: 1 2 3 open, 2+1 thrown (playing for the best chance to shut)",
        "",
        "expected score   1.92",
        "chance to shut   22.22 %",
        "",
        "move               expected   to shut     costs",
        "3                      1.92   22.22 %    0.00 %",
        "1,2                    2.50   16.67 %    5.56 %",
    ]


def test_every_answer_to_a_throw_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, "traditional", "--open", "1,2,3", "--throw", "2,1", "--json"))
    scores = {"0": 8 / 36, "1": 5 / 36, "2": 5 / 36, "3": 1 / 2}
    assert found.pop("distribution") == pytest.approx(scores)
    best, other = found.pop("moves")
    assert best == {"tiles": [3], "expected_score": found["expected_score"], "probability_shut": 8 / 36}
    assert other == {"tiles": [1, 2], "expected_score": 2.5, "probability_shut": 1 / 6}
    assert found.pop("expected_score") == pytest.approx(69 / 36)
    assert found.pop("probability_shut") == pytest.approx(8 / 36)
    assert found == {"profile": "traditional", "open": [1, 2, 3], "objective": "score", "one_die": None}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["traditional", "--open", "1,2", "--throw", "2,2"], "no move: the turn is blocked"),
        (["the-300", "--open", "24", "--throw", "1,1,1,1", "--samples", "2"], "no move: the turn is blocked"),
    ],
)
def test_a_throw_without_an_answer(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert line in said(capsys, *words).splitlines()


@pytest.mark.parametrize(
    ("value", "as_points", "as_percent"),
    [
        (0.0, "0.00", "0.00 %"),
        (0.5, "0.50", "50.00 %"),
        (0.01, "0.01", "1.00 %"),
        (0.0099, "0.01", "0.99 %"),
        (0.003, "0.003", "0.30 %"),
        (0.0001, "0.0001", "0.01 %"),
        (0.00001, "1e-05", "0.001 %"),
        (-0.003, "-0.003", "-0.30 %"),
        (999.994, "999.99", "99999 %"),
        (1000.0, "1000", "100000 %"),
        (12345.678, "12346", "1234568 %"),
    ],
)
def test_numbers_for_people(value: float, as_points: str, as_percent: str) -> None:
    """Hundredths; what would look like 0 keeps its first digit, and long numbers have no fraction."""
    assert (points(value), percent(value)) == (as_points, as_percent)


# -- players -----------------------------------------------------------------------------------


def test_the_seats_of_a_round(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first shuts the box, or the second does, or the lower score wins, or they play off."""
    assert (
        said(capsys, tiny, "--players", "2")
        == """\
tiny: 2 players, all playing their best for the win

seat      to win    stakes
1        67.12 %    +0.342
2        32.88 %    -0.342
"""
    )


def test_the_aim_of_a_seat(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (tiny, "--players", "3", "--seat", "3", "--best", "2")
    assert (
        said(capsys, *words)
        == """\
tiny: 3 players, all playing their best for the win
Seat 3 plays; the best score so far is 2, of the seat before.

seat      to win    stakes
1         0.00 %    -1.000
2        14.92 %    -0.553
3        85.08 %    +1.553

Aim for 1 or less.

score     to win
0       100.00 %
1       100.00 %
2        32.88 %
"""
    )
    assert json.loads(said(capsys, *words, "--json")) == {
        "profile": "tiny",
        "players": 3,
        "win": pytest.approx([0, 0.1491628615, 0.8508371385]),
        "stakes": pytest.approx([-1, -0.5525114155, 1.5525114155]),
        "seat": 3,
        "best": 2,
        "aim": 1,
        "scores": pytest.approx({"0": 1, "1": 1, "2": 0.3287671233, "3": 0}),
    }


def test_a_game_without_stakes_and_of_several_rounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "long.toml"
    path.write_text(f'{TINY}rounds = 3\nstakes = "none"\n')
    assert (
        said(capsys, path, "--players", "2")
        == """\
long: 2 players, all playing their best for the win
One round alone; the totals of several rounds are not in these figures.

seat      to win
1        67.12 %
2        32.88 %
"""
    )


def test_every_seat_against_the_bank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It takes 2, and pays 3 for a shut box (5 of 9) and 2 for a score of 1 (2 of 9).

    With a point off, a shut box and 1 are paid 3, and 2 is paid 2. With tile 2 shut one throw of three shuts
    the box; the others score 1.
    """
    path = tmp_path / "fair.toml"
    path.write_text(
        'like = "bank"\ntiles = [1, 2]\ndice = 1\nsides = 3\nstake = 2\npays = {0 = 3, 1 = 2}\n'
        "handicap = [0, 1, [2]]\n"
    )
    found = json.loads(said(capsys, path, "--players", "3", "--json"))
    assert found == {
        "profile": "fair",
        "players": 3,
        "win": pytest.approx([5 / 9, 7 / 9, 1 / 3]),
        "stakes": pytest.approx([19 / 9 - 2, 25 / 9 - 2, 7 / 3 - 2]),
    }


def test_head_starts_in_tiles_are_not_worked_out_where_seats_play_each_other(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny.write_text(f"{TINY}handicap = [0, [2]]\n")
    assert main(["odds", str(tiny), "--players", "2"]) == 2
    complaint = "tiny has head starts in tiles; only those in points are worked out"
    assert capsys.readouterr().err == f"shutthebox odds: --players: {complaint}\n"


def test_a_head_start_in_points_counts(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first wins with a shut box, and from the play-off if 1 of its own meets 2 of the other."""
    tiny.write_text(f"{TINY}handicap = [0, 1]\n")
    play_off = 0.671233
    found = json.loads(said(capsys, tiny, "--players", "2", "--json"))
    assert found["win"][0] == pytest.approx(5 / 9 + 2 / 9 * 2 / 9 * play_off, abs=1e-6)


def test_games_whose_seats_do_not_play_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "teams.toml"
    path.write_text(f"{TINY}teams = 2\n")
    assert main(["odds", str(path), "--players", "4"]) == 2
    complaint = "--players: teams is played in teams, whose chances are not worked out"
    assert capsys.readouterr().err == f"shutthebox odds: {complaint}\n"
    assert said(capsys, path, "--players", "3").startswith("teams: 3 players"), (
        "they cannot be divided evenly"
    )


def test_a_seat_that_nothing_helps() -> None:
    answer = odds_players.PlayersAnswer((0.75, 0.25), (0.5, -0.5), 2, 0, {0: 0.25, 3: 0.0}, None)
    assert odds_players.players_text(builtin("pub"), answer).splitlines()[5:] == [
        "2        25.00 %    -0.500",
        "",
        "No score makes the chance better than it is now.",
        "",
        "score     to win",
        "0        25.00 %",
    ]


def test_a_seat_that_can_only_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody can have fewer points than none, where a shut box does not win at once."""
    path = tmp_path / "plain.toml"
    path.write_text(f'{TINY}shut_wins = "no"\nstakes = "none"\ntie = "share"\n')
    found = said(capsys, path, "--players", "2", "--seat", "2", "--best", "0").splitlines()
    assert found[7] == "Aim for 0 or less."


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--players", "10"], "--players: 10 is not allowed; 2 to 9 are"),
        (["--players", "2", "--best", "1"], "--best and --seat go together"),
        (["--players", "2", "--best", "1", "--seat", "1"], "--seat: 1 is not allowed; 2 to 2 are"),
        (["--players", "2", "--best", "4", "--seat", "2"], "--best: 4 is no score here; allowed are 0 to 3"),
        (
            ["--players", "2", "--best", "0", "--seat", "2"],
            "--best: 0 is a shut box, which has won the round",
        ),
        (["--seat", "2"], "--best and --seat need --players: how many play the round"),
        *(
            ([option, value, "--players", "2"], f"{option} is for one player's turn; it does not go with")
            for option, value in (
                ("--open", "1"),
                ("--throw", "1"),
                ("--objective", "shut"),
                ("--plot", "x.svg"),
                ("--samples", "5"),
            )
        ),
        *(
            ([option, value, "--fair"], f"{option} does not go with --fair, which is about a round of two")
            for option, value in (
                ("--open", "1"),
                ("--throw", "1"),
                ("--objective", "shut"),
                ("--players", "2"),
                ("--best", "1"),
                ("--seat", "2"),
                ("--plot", "x.svg"),
                ("--samples", "5"),
            )
        ),
        (["--samples", "10000001"], "--samples: 10000001 is not allowed; 2 to 10000000 are"),
        (["--throw", "99999"], "--throw: '99999' is no throw; allowed are faces with commas, as in 3,5"),
        (["--throw", "9999"], "--throw: 9999 cannot be thrown here; allowed are 1 die with faces 1 to 3"),
    ],
)
def test_what_does_not_go_together(
    words: list[str], complaint: str, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["odds", str(tiny), *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"shutthebox odds: {complaint}")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("samples", ["2", "10000000"])
def test_exact_odds_need_no_samples(samples: str, tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, tiny, "--samples", samples) == said(capsys, tiny)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([3], "3"),
        ([0, 1, 2], "0 to 2"),
        ([0, 2, 3, 7], "0, 2 to 3, 7"),
        (range(0, 15, 2), "0, 2, 4, 6, 8, 10, 12, 14"),
        (range(0, 17, 2), "0, 2, 4, 6, 8, 10, 12, 14 …"),
    ],
)
def test_scores_in_words(scores: Iterable[int], words: str) -> None:
    """Runs from one to another; no more than eight of them."""
    assert odds_players._ranges(list(scores)) == words


# -- fair head starts --------------------------------------------------------------------------

FAIR = (
    FairHeadStart((Strength.MASTER, Strength.MASTER), 1, 0, 0.4985, 0.4985),
    FairHeadStart((Strength.BEGINNER, Strength.MASTER), 0, 1, 0.5103, 0.4856),
    FairHeadStart((Strength.MASTER, Strength.BEGINNER), 1, 12, 0.51648, 0.482),
)


def test_the_table_of_fair_head_starts() -> None:
    assert fair_text(builtin("pub"), FAIR).splitlines() == [
        "English pub: fair head starts in points, two players, one round",
        "",
        "first seat  second seat  head start               to win     without",
        "master      master       seat 2: 0 points        49.85 %     49.85 %",
        "beginner    master       seat 1: 1 point         51.03 %     48.56 %",
        "master      beginner     seat 2: 12 points       51.65 %     48.20 %",
        "",
        "A master plays best for the win; a beginner shuts the highest tiles, with all the dice.",
    ]


def test_fair_head_starts_as_json() -> None:
    document = fair_document(builtin("pub"), FAIR[1:])
    assert document == {
        "profile": "pub",
        "fair": [
            {"seats": ["beginner", "master"], "seat": 1, "points": 1, "win": 0.5103, "win_without": 0.4856},
            {"seats": ["master", "beginner"], "seat": 2, "points": 12, "win": 0.51648, "win_without": 0.482},
        ],
    }


def test_fair_head_starts_of_a_small_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "four.toml"
    path.write_text('like = "pub"\ntiles = [1, 2, 3, 4]\ndice = 1\n')
    text = said(capsys, path, "--fair").splitlines()
    assert [line.split()[:2] for line in text[3:6]] == [
        ["master", "master"],
        ["beginner", "master"],
        ["master", "beginner"],
    ]
    found = json.loads(said(capsys, path, "--fair", "--json"))
    assert [entry["seats"] for entry in found["fair"]] == [line.split()[:2] for line in text[3:6]]


# -- estimates ---------------------------------------------------------------------------------


def test_the_answers_of_an_estimate_are_ranked_and_cost_what_they_lose(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("the-300", "--samples", "30", "--throw", "1,1,2,2")
    for objective in ("score", "shut"):
        lines = said(capsys, *words, "--objective", objective).splitlines()
        assert "(an estimate, playing for the" in lines[0]
        assert lines[2].startswith("An ESTIMATE from ")
        rows = [line.split() for line in lines[lines.index("") :] if line[:1] in "1246" and "%" in line]
        assert sorted(row[0] for row in rows) == ["1,2,3", "1,5", "2,4", "6"]
        assert rows[0][-1 if objective == "score" else -2] == "0.00"
        if objective == "score":
            scores = [float(row[1]) for row in rows]
            assert scores == sorted(scores)
            assert [float(row[-1]) for row in rows] == pytest.approx(
                [score - scores[0] for score in scores], abs=0.011
            )


def test_of_a_turn_that_is_over_nothing_is_estimated(capsys: pytest.CaptureFixture[str]) -> None:
    """The tiles from 12 to 24 are too many for exact odds, but no four ones shut any of them."""
    words = ("the-300", "--open", ",".join(map(str, range(12, 25))), "--throw", "1,1,1,1")
    found = json.loads(said(capsys, *words, "--json"))
    assert found == {
        "profile": "the-300",
        "open": list(range(12, 25)),
        "objective": "score",
        "expected_score": 234,
        "probability_shut": 0.0,
        "one_die": None,
        "moves": [],
        "distribution": {"234": 1.0},
    }
    assert "no move: the turn is blocked" in said(capsys, *words).splitlines()


def test_an_estimate_as_json_has_its_errors(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("the-300", "--samples", "30", "--json")
    found = json.loads(said(capsys, *words))
    assert list(found)[8:] == [
        "estimate",
        "standard_error",
        "standard_error_shut",
        "samples",
    ]
    assert found["standard_error"] > found["standard_error_shut"] >= 0
    assert found["expected_score"] == pytest.approx(
        sum(int(score) * chance for score, chance in found["distribution"].items())
    )
    assert json.loads(said(capsys, *words, "--seed", "1")) == found
    assert json.loads(said(capsys, *words, "--seed", "2"))["distribution"] != found["distribution"]


def test_a_bar_on_the_terminal_while_an_estimate_is_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert odds._progress() is None, "only there"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    show = odds._progress()
    assert show is not None
    for done in (0, 100, 150, 300):
        show(done, 300)
    cleared = "\r" + " " * 50 + "\r"
    assert capsys.readouterr().err == (
        f"\restimate [{' ' * 30}]   0 %"
        f"\restimate [{'#' * 10}{' ' * 20}]  33 %"
        f"\restimate [{'#' * 15}{' ' * 15}]  50 %"
        f"\restimate [{'#' * 30}] 100 %{cleared}"
    )
