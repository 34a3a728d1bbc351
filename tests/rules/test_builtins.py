"""The built-in profiles against the table of the rules, key by key."""

from typing import Any

import pytest

from shutthebox.config import profiles
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import ProfileError
from shutthebox.rules.tiles import to_text
from shutthebox.rules.writer import to_keys, to_lines

ROW = list(range(1, 10))
LIKE_TRADITIONAL: dict[str, Any] = {
    "boxes": [9, 10, 12],
    "one_die": "optional-high",
    "shut_wins": "match",
}
TRAC: dict[str, Any] = {
    "boxes": [9, 12],
    "move": "faces",
    "one_die": "forced-high",
    "shut_wins": "no",
    "stakes": "loser-pays",
}
ONE_BOX: dict[str, Any] = {"one_die": "optional-high", "shut_wins": "match"}
YOUNG: dict[str, Any] = {"turns": "alternate", "blocked": "passes", "win": "first-to-shut"}

# What each sets beside the defaults, with what it has from the profile that it is like.
TABLE: dict[str, dict[str, Any]] = {
    "jouhet": {"one_die": "forced-sum", "shut_wins": "match", "rounds": 3, "captain": True},
    "traditional": {**LIKE_TRADITIONAL, "stakes": "pool"},
    "pub": {**ONE_BOX, "stakes": "pool-double"},
    "trac": TRAC,
    "trac-free": {**TRAC, "move": "faces-free"},
    "trac-digits": {**TRAC, "score": "digits"},
    "trac-reversed": {**TRAC, "score": "digits-reversed"},
    "trac-100": {**TRAC, "match": "target-loses", "limit": 100},
    "digits": {"one_die": "forced-sum", "score": "digits", "shut_wins": "no", "tie": "replay-all"},
    "golf": {**LIKE_TRADITIONAL, "shut_wins": "no"},
    "missionary": {**LIKE_TRADITIONAL, "score": "count"},
    "two-to-go": {**LIKE_TRADITIONAL, "first_move_must_include": 2},
    "three-to-go": {**LIKE_TRADITIONAL, "first_move_must_include": 3},
    "three-down": {**ONE_BOX, "tiles": ROW, "start_open": [4, 5, 6, 7, 8, 9]},
    "lucky-seven": {**LIKE_TRADITIONAL, **YOUNG, "start_open": [7]},
    "add-or-subtract": {**LIKE_TRADITIONAL, "difference": True},
    "unlucky-seven": {**LIKE_TRADITIONAL, "ends_turn_on": [7]},
    "against-all-odds": {**LIKE_TRADITIONAL, "start_open": [1, 3, 5, 7, 9, 11]},
    "even-stevens": {**LIKE_TRADITIONAL, "start_open": [2, 4, 6, 8, 10, 12]},
    "full-house": {**ONE_BOX, "tiles": list(range(1, 13))},
    "ten": {**ONE_BOX, "tiles": list(range(1, 11))},
    "the-300": {**ONE_BOX, "tiles": list(range(1, 25)), "dice": 4, "one_die": "never"},
    "thai": {**LIKE_TRADITIONAL, "move": "single", "one_die": "never"},
    "2012": {**ONE_BOX, "tiles": list(range(1, 13)), "dice": 1, "sides": 20},
    "young": {**LIKE_TRADITIONAL, **YOUNG, "move": "faces-free"},
    "tournament-45": {**LIKE_TRADITIONAL, "shut_wins": "no", "match": "drop-out", "limit": 45},
    "tournament-100": {**LIKE_TRADITIONAL, "shut_wins": "no", "match": "target-loses", "limit": 100},
    "domino-bag": {**LIKE_TRADITIONAL, "draw": "dominoes"},
    "double-eighteen": {**ONE_BOX, "tiles": list(range(1, 37)), "dice": 6, "one_die": "never"},
    "cards": {**ONE_BOX, "tiles": list(range(1, 55)), "dice": 9, "one_die": "never"},
    "exact": {**LIKE_TRADITIONAL, "move": "exact"},
    "max-two": {**LIKE_TRADITIONAL, "max_tiles": 2, "one_die": "forced-sum"},
    "misere": {**LIKE_TRADITIONAL, "win": "highest", "shut_wins": "no"},
    "open-one": {**LIKE_TRADITIONAL, "blocked": "opens-one", "score": "throws", "shut_wins": "no"},
    "cover-200": {
        **LIKE_TRADITIONAL,
        "score": "shut-sum",
        "win": "highest",
        "shut_wins": "no",
        "match": "target-wins",
        "limit": 200,
    },
}

DEFAULTS: dict[str, Any] = {
    "tiles": ROW,
    "boxes": [],
    "start_open": None,
    "dice": 2,
    "sides": 6,
    "draw": "dice",
    "one_die": "never",
    "move": "set",
    "max_tiles": None,
    "difference": False,
    "first_move_must_include": None,
    "ends_turn_on": [],
    "blocked": "ends-turn",
    "turns": "whole",
    "score": "sum",
    "lost_score": None,
    "win": "lowest",
    "shut_wins": "round",
    "rounds": 1,
    "match": "total",
    "limit": None,
    "tie": "play-off",
    "stakes": "none",
    "captain": False,
}


def rules(profile: Profile) -> dict[str, Any]:
    shown = ("name", "title.en", "title.fr", "source")
    return {key: value for key, value in to_keys(profile).items() if key not in shown}


def test_defaults() -> None:
    assert rules(Profile("plain")) == DEFAULTS


def test_all_profiles_of_the_table_are_built_in_and_no_others() -> None:
    names = [profile.name for profile in profiles.builtins()]
    assert names[0] == "traditional"
    assert sorted(names) == sorted(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_keys(name: str) -> None:
    profile = profiles.builtin(name)
    assert profile.name == name
    assert rules(profile) == {**DEFAULTS, **TABLE[name]}
    assert dict(profile.titles)["en"]
    assert profile.source


@pytest.mark.parametrize(
    ("name", "boxes"),
    [("traditional", (9, 10, 12)), ("trac", (9, 12)), ("pub", (9,)), ("ten", (10,)), ("cards", (54,))],
)
def test_boxes(name: str, boxes: tuple[int, ...]) -> None:
    profile = profiles.builtin(name)
    assert profile.allowed_boxes == boxes
    for count in range(1, 60):
        played = profile.for_box(count)
        assert (played is not None) == (count in boxes)
        if played is not None:
            assert played.tiles == tuple(range(1, count + 1))


@pytest.mark.parametrize(
    ("name", "levers", "tiles"),
    [
        ("traditional", 9, 9),
        ("traditional", 10, 10),
        ("traditional", 11, 10),
        ("traditional", 12, 12),
        ("traditional", 24, 12),
        ("traditional", 8, None),
        ("trac", 10, 9),
        ("pub", 12, 9),
        ("full-house", 10, None),
        ("cards", 12, None),
    ],
)
def test_levers_decide_which_box_is_played(name: str, levers: int, tiles: int | None) -> None:
    played = profiles.builtin(name).for_levers(levers)
    assert (None if played is None else len(played.tiles)) == tiles


@pytest.mark.parametrize(
    ("name", "count", "starting"),
    [
        ("against-all-odds", 9, "1,3,5,7,9"),
        ("against-all-odds", 12, "1,3,5,7,9,11"),
        ("even-stevens", 10, "2,4,6,8,10"),
        ("three-down", 9, "4,5,6,7,8,9"),
        ("lucky-seven", 12, "7"),
    ],
)
def test_tiles_that_start_open(name: str, count: int, starting: str) -> None:
    played = profiles.builtin(name).for_box(count)
    assert played is not None
    assert to_text(played.starting) == starting


@pytest.mark.parametrize("name", ["", "Traditional", "../traditional", "x" * 500, "a\nb", "."])
def test_fail__builtin(name: str) -> None:
    with pytest.raises(ProfileError, match=r"^profile: .* is not known; allowed are 2012, ") as caught:
        profiles.builtin(name)
    assert "\n" not in str(caught.value)


def test_a_profile_is_written_back_whole() -> None:
    lines = to_lines(profiles.builtin("open-one"))
    assert lines[0] == 'name = "open-one"'
    assert "tiles = [1, 2, 3, 4, 5, 6, 7, 8, 9]" in lines
    assert 'blocked = "opens-one"' in lines
    assert not any(line.startswith(("dice", "limit", "captain")) for line in lines)
