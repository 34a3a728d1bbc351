"""The best signed results and the Captains, from a store."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.kept import alter, keep_match

from shutthebox.adapters.store.database import FILE_NAME, Store, open_to_read
from shutthebox.adapters.store.queries import read, statistics_lines
from shutthebox.adapters.store.scores import best, captains
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Signed
from shutthebox.game.messages import Message
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import parse_keys, to_profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.translations import translations

SHUT = (Thrown((1, 1)), Moved(to_tiles([2])), Thrown((2, 2)), Moved(to_tiles([1, 3])))
LEFT_4 = (Thrown((1, 1)), Moved(to_tiles([2])), Thrown((6, 6)))
LEFT_6 = (Thrown((6, 6)),)

Play = Callable[..., None]


def house(name: str, text: str = "") -> Profile:
    keys = parse_keys(f'name = "{name}"\ntiles = 3\n{text}', "test", lambda name: {})
    return to_profile(keys, "test", name)


PLAIN = house("plain")
HIGH = house("high", 'win = "highest"\nshut_wins = "no"')
CAPTAIN = house("captain", 'captain = true\nshut_wins = "match"')


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def play(tmp_path: Path, clock: Clock) -> Iterator[Play]:
    with closing(Store(tmp_path, clock)) as store:

        def play(
            profile: Profile, initials: str, *actions: Action, players: int = 1, at_s: float = 0
        ) -> None:
            clock.now_s = at_s
            match = keep_match(store, begin(profile, players), *actions)
            if initials and match.result is not None:
                store.keep(Signed(match.result.winners[0], initials))

        yield play


def game(profile: Profile, rounds: int) -> str:
    return profile.name


def told(folder: Path, *span: float) -> list[tuple[str, str, int]]:
    with closing(open_to_read(folder / FILE_NAME)) as db:
        found = best(db, game, *span)
        return [(honour["game"], honour["initials"], honour["score"]) for honour in found]


def test_the_best_first_and_by_the_rules_of_the_game(play: Play, tmp_path: Path) -> None:
    for initials, actions in (("ANN", LEFT_6), ("BOB", SHUT), ("CAT", LEFT_4), ("", SHUT)):
        play(PLAIN, initials, *actions)
        play(HIGH, initials, *actions)
    play(PLAIN, "DAN", *LEFT_6)
    assert told(tmp_path) == [
        ("plain", "BOB", 0), ("plain", "CAT", 4), ("plain", "ANN", 6),
        ("high", "ANN", 6), ("high", "CAT", 4), ("high", "BOB", 0),
    ]  # fmt: skip


def test_the_games_played_most(play: Play, tmp_path: Path) -> None:
    for number, games in ((1, "abcd"), (2, "bcd"), (3, "cd"), (4, "d")):
        for name in games:
            play(house(name), "ANN", *LEFT_6, at_s=number)
    assert {name for name, _, _ in told(tmp_path)} == {"d", "c", "b"}
    assert [name for name, _, _ in told(tmp_path)] == ["d", "d", "c", "c", "b", "b"]


def test_captains(play: Play, tmp_path: Path) -> None:
    play(CAPTAIN, "ANN", *SHUT, players=2)
    play(CAPTAIN, "LAT", *LEFT_6, Advanced(), *SHUT, players=2)
    play(PLAIN, "BOB", *SHUT, players=2)
    play(CAPTAIN, "", *SHUT)
    play(CAPTAIN, "CAT", *SHUT)
    with closing(open_to_read(tmp_path / FILE_NAME)) as db:
        assert [honour["initials"] for honour in captains(db, game)] == ["CAT", "ANN"]


def test_a_profile_that_is_refused_now_is_left_out(play: Play, tmp_path: Path) -> None:
    play(CAPTAIN, "ANN", *SHUT)
    alter(tmp_path, "update match set profile = replace(profile, 'tiles', 'tails')")
    with closing(open_to_read(tmp_path / FILE_NAME)) as db:
        assert best(db, game) == captains(db, game) == []


def test_a_match_that_cannot_be_read_hides_no_other(play: Play, tmp_path: Path) -> None:
    for initials in ("ANN", "BOB", "CAT"):
        play(CAPTAIN, initials, *SHUT, players=2)
    play(PLAIN, "DAN", *LEFT_4)
    alter(tmp_path, "update match set profile = replace(profile, 'tiles', 'tails') where id in (1, 2, 3)")
    with closing(open_to_read(tmp_path / FILE_NAME)) as db:
        assert [honour["initials"] for honour in best(db, game)] == ["DAN"]


def test_the_panel_names_a_game_by_its_title_in_the_language_of_the_box(play: Play, tmp_path: Path) -> None:
    play(builtin("against-all-odds"), "ANN", Thrown((1, 1)), Advanced())
    with closing(open_to_read(tmp_path / FILE_NAME)) as db:
        found = read(db)
    shown = [line.told(translations()["de"]) for line in statistics_lines(found) if isinstance(line, Message)]
    assert shown[:3] == ["Partien: 1", "Würfe: 1", "ANN 25 Die Ungeraden"]
