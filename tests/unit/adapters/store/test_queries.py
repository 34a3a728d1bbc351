"""What is counted and listed from a store: results, the best, the famous; no score without a turn."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.command import printed
from tests.support.kept import CAPTAIN, HIGH, LEFT_4, LEFT_6, PLAIN, SHUT, Matches, alter, house
from tests.support.shows import SHOW, changed
from tests.support.writer import linked_to

from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.queries import Player, latest, past, read, statistics_lines
from shutthebox.adapters.store.scores import best, captains
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.config.profiles import builtin
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.facts import Began, Finished
from shutthebox.game.messages import Translate, localize
from shutthebox.owner.stick.saving import results
from shutthebox.rules.actions import Advanced, Moved, Thrown, apply
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile
from shutthebox.translations import translations
from shutthebox.web.scoreboard.folder import FOLDER_NAME

THROWS = "insert into throws (dice, sides, die, value, count) values (?, ?, ?, ?, ?)"
OTHERS_WIN = house("house", 'match = "target-loses"\nlimit = 5\ntie = "share"')
"""The first player reaches the limit at once, so all others win."""


class Evening(Matches):
    def panel(self, translate: Translate = str) -> list[str]:
        return [localize(line, translate) for line in statistics_lines(read(self.db))]


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    with closing(Evening(tmp_path)) as opened:
        yield opened


def by_name(profile: Profile, rounds: int) -> str:
    return profile.name


def the_best(evening: Evening) -> list[tuple[str, str, int]]:
    return [(honour.game, honour.initials, honour.score) for honour in best(evening.db, by_name)]


def the_captains(evening: Evening) -> list[str]:
    return [honour.initials for honour in captains(evening.db, by_name)]


def test_the_best_first_and_by_the_rules_of_the_game(evening: Evening) -> None:
    for sign, actions in (("ANN", LEFT_6), ("BOB", SHUT), ("CAT", LEFT_4), ("", SHUT)):
        evening.play(PLAIN, *actions, sign=sign)
        evening.play(HIGH, *actions, sign=sign)
    evening.play(PLAIN, *LEFT_6, sign="DAN")
    assert the_best(evening) == [
        ("plain", "BOB", 0), ("plain", "CAT", 4), ("plain", "ANN", 6),
        ("high", "ANN", 6), ("high", "CAT", 4), ("high", "BOB", 0),
    ]  # fmt: skip


def test_the_games_played_most(evening: Evening) -> None:
    for games in ("abcd", "bcd", "cd", "d"):
        for name in games:
            evening.play(house(name), *LEFT_6, sign="ANN")
    assert [name for name, _, _ in the_best(evening)] == ["d", "d", "c", "c", "b", "b"]


def test_captains(evening: Evening) -> None:
    evening.play(CAPTAIN, *SHUT, seats=2, sign="ANN")
    evening.play(CAPTAIN, *LEFT_6, Advanced(), *SHUT, seats=2, sign="LAT")
    evening.play(PLAIN, *SHUT, seats=2, sign="BOB")
    evening.play(CAPTAIN, *SHUT)
    evening.play(CAPTAIN, *SHUT, sign="CAT")
    assert the_captains(evening) == ["CAT", "ANN"]


def test_a_match_whose_profile_is_refused_now_hides_no_other(evening: Evening, tmp_path: Path) -> None:
    for sign in ("ANN", "BOB", "CAT"):
        evening.play(CAPTAIN, *SHUT, seats=2, sign=sign)
    evening.play(PLAIN, *LEFT_4, sign="DAN")
    alter(tmp_path, "update match set profile = replace(profile, 'tiles', 'tails') where id in (1, 2, 3)")
    assert [initials for _, initials, _ in the_best(evening)] == ["DAN"]
    assert the_captains(evening) == []


@pytest.mark.parametrize(("heads", "marked"), [("[0, 5]", ()), ("[5, 0]", ("head start",))])
def test_a_win_with_a_head_start_is_marked_and_one_against_it_is_not(
    heads: str, marked: tuple[str, ...], evening: Evening
) -> None:
    headed = house("headed", 'shut_wins = "match"\nhandicap = ' + heads)
    evening.play(headed, *SHUT, seats=2, sign="ANN")
    assert [famous.unproven for famous in read(evening.db).fame] == [marked]


def test_the_lines_on_the_panel(evening: Evening) -> None:
    evening.play(PLAIN, *LEFT_4, sign="ANN")
    evening.db.executemany(
        THROWS,
        [
            (1, 4, die, value, count)
            for die in (0, 1)
            for value, count in ((1, 20), (2, 30), (3, 19), (4, 31))
        ],
    )
    assert evening.panel() == [
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


def test_the_panel_names_a_game_by_its_title_in_the_language_of_the_box(evening: Evening) -> None:
    evening.play(builtin("against-all-odds"), Thrown((1, 1)), Advanced(), sign="ANN")
    assert evening.panel(translations()["de"])[:3] == ["Partien: 1", "Würfe: 1", "ANN 25 Die Ungeraden"]


def test_the_past_of_three_letters(evening: Evening) -> None:
    """The best score in the same game of as many rounds; a computer beaten in any game."""
    evening.play(PLAIN, *LEFT_6, sign="ANN")
    evening.play(PLAIN, *LEFT_4, sign="ANN")
    evening.play(PLAIN, *SHUT, sign="BOB", conditions=Conditions(computers=(2,)))
    evening.play(PLAIN, *SHUT, Advanced(), *LEFT_6, rounds=2, sign="ANN")
    evening.play(CAPTAIN, *SHUT, sign="ANN")
    evening.play(HIGH, *LEFT_4, sign="ANN")
    evening.play(HIGH, *LEFT_6, sign="ANN")

    def of(letters: str, profile: Profile, rounds: int = 1) -> EarlierResults:
        return past(evening.db, begin(profile, 1, rounds), letters)

    assert of("ANN", PLAIN) == EarlierResults(4, beat_computer=False)
    assert of("ANN", PLAIN, 2) == EarlierResults(6, beat_computer=False)
    assert of("ANN", HIGH) == EarlierResults(6, beat_computer=False)
    assert of("BOB", PLAIN) == EarlierResults(0, beat_computer=True)
    assert of("BOB", HIGH) == EarlierResults(None, beat_computer=True)
    assert of("CAT", PLAIN) == EarlierResults()


def test_a_match_on_two_boxes_is_listed_under_their_names(evening: Evening) -> None:
    match = begin(PLAIN, 2)
    link = linked_to(match)
    assert link is not None
    evening.store.keep(Began(match, link=link))
    for action in SHUT:
        match = apply(match, action)
        evening.store.keep(action)
    evening.store.keep(Finished(match))
    evening.play(PLAIN, *SHUT)
    alone, linked = latest(evening.db, 10)
    assert [player.initials for player in alone.players] == [None]
    assert [player.initials for player in linked.players] == ["The Anchor", "The Crown"]
    assert "The Crown" in results(evening.db)


# -- players who had no turn -------------------------------------------------------------------


def scores(evening: Evening) -> list[tuple[int | None, ...]]:
    """Per match, the latest first."""
    return [tuple(player.score for player in match.players) for match in latest(evening.db, 10)]


def test_the_first_shuts_the_box_and_nobody_else_plays(evening: Evening) -> None:
    evening.play(house("house"), *SHUT, seats=3)
    (match,) = latest(evening.db, 1)
    assert match.players == (
        Player(1, 0, True, None),
        Player(2, None, False, None),
        Player(3, None, False, None),
    )


def test_a_player_without_a_turn_may_owe_a_stake(evening: Evening) -> None:
    profile = house("house", 'stakes = "pool"')
    evening.play(profile, *SHUT, seats=3)
    evening.play(profile, *LEFT_6, Advanced(), *SHUT, seats=3)
    assert scores(evening) == [(6, 0, None), (0, None, None)]


def test_in_alternate_turns_the_last_throws_and_shuts_the_box_before_the_first_has_finished(
    evening: Evening,
) -> None:
    profile = house(
        "house", 'turns = "alternate"\nblocked = "passes"\nshut_wins = "match"\nwin = "first-to-shut"'
    )
    first = (Thrown((6, 6)), Moved(0))
    evening.play(profile, *first, *SHUT[:2], *first, *SHUT[2:], seats=2)
    assert scores(evening) == [(None, 0)]


def test_a_winner_who_never_played(evening: Evening, tmp_path: Path) -> None:
    """Has a dash on the panel, in `stats` and on the scoreboard, and no record there."""
    evening.play(house("house"), *SHUT, seats=3)
    evening.play(OTHERS_WIN, *LEFT_6, seats=3, sign="ANN")
    assert scores(evening)[0] == (6, None, None)
    assert "ANN - house" in evening.panel()
    shown = [line.split() for line in printed("stats", "--state", tmp_path).splitlines() if "ANN" in line]
    assert shown[0][:3] == ["ANN", "–", "house"]
    show = changed(SHOW, seats=("Player 1", "Player 2", "Player 3"), scores=(0, None, None), totals=(0, 0, 0))
    ScoresWriter(tmp_path, lambda: open_to_read(tmp_path / STORE_FILE))(show, 0)
    page = (tmp_path / FOLDER_NAME / "index.html").read_text("utf-8")
    assert "<td>Player 1</td><td>0</td><td>0</td>" in page
    assert "<td>Player 2</td><td>–</td><td>–</td>" in page
    assert "1:\u00a00\u00a0★, 2:\u00a0–, 3:\u00a0–" in page
    assert "1:\u00a06, ANN:\u00a0–\u00a0★, 3:\u00a0–\u00a0★" in page
    assert "<td>ANN</td>" not in page
