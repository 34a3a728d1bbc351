"""The built-in games, written down a second time from the rule sheets."""

from typing import Any

from shutthebox.rules.profile import Profile

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

GAMES: dict[str, dict[str, Any]] = {
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
    "lucky-seven": {**LIKE_TRADITIONAL, **YOUNG, "start_open": [7], "one_die": "never"},
    "add-or-subtract": {**LIKE_TRADITIONAL, "difference": True},
    "unlucky-seven": {**LIKE_TRADITIONAL, "ends_turn_on": [7]},
    "against-all-odds": {**LIKE_TRADITIONAL, "start_open": [1, 3, 5, 7, 9, 11]},
    "even-stevens": {**LIKE_TRADITIONAL, "start_open": [2, 4, 6, 8, 10, 12]},
    "full-house": {**ONE_BOX, "tiles": list(range(1, 13))},
    "ten": {**ONE_BOX, "tiles": list(range(1, 11))},
    "the-300": {**ONE_BOX, "tiles": list(range(1, 25)), "dice": 4, "one_die": "never"},
    "thai": {**LIKE_TRADITIONAL, "move": "single", "one_die": "never"},
    "2012": {"shut_wins": "match", "tiles": list(range(1, 13)), "dice": 1, "sides": 20},
    "young": {**LIKE_TRADITIONAL, **YOUNG, "move": "faces-free", "one_die": "never"},
    "tournament-45": {**LIKE_TRADITIONAL, "shut_wins": "no", "match": "drop-out", "limit": 45},
    "tournament-100": {**LIKE_TRADITIONAL, "shut_wins": "no", "match": "target-loses", "limit": 100},
    "box-for-four": {
        **LIKE_TRADITIONAL,
        "boxes": [],
        "tiles": list(range(1, 11)),
        "shut_wins": "no",
        "shut_others": "doubled",
        "match": "drop-out",
        "limit": 101,
    },
    "head-to-head": {
        **LIKE_TRADITIONAL,
        "turns": "together",
        "own_throws": 1,
        "shut_wins": "round",
        "shut_others": "doubled",
    },
    "long-game": {
        "one_die": "optional-high",
        "turns": "tug",
        "insurance": True,
        "win": "first-to-shut",
        "first": "roll",
    },
    "best-of-five": {**LIKE_TRADITIONAL, "shut_wins": "no", "match": "rounds-won", "rounds": 5},
    "domino-bag": {**LIKE_TRADITIONAL, "one_die": "never", "draw": "dominoes"},
    "double-eighteen": {**ONE_BOX, "tiles": list(range(1, 37)), "dice": 6, "one_die": "never"},
    "cards": {**ONE_BOX, "tiles": list(range(1, 55)), "dice": 9, "one_die": "never"},
    "exact": {**LIKE_TRADITIONAL, "move": "exact"},
    "max-two": {**LIKE_TRADITIONAL, "max_tiles": 2, "one_die": "forced-sum"},
    "below-six": {**LIKE_TRADITIONAL, "one_die": "forced-sum", "one_die_at": 5},
    "four-operations": {
        **LIKE_TRADITIONAL,
        "one_die": "never",
        "operations": ["sum", "difference", "product", "quotient"],
    },
    "times": {**ONE_BOX, "tiles": list(range(1, 13)), "operations": ["sum", "product"]},
    "plus-minus": {
        **LIKE_TRADITIONAL,
        "one_die": "never",
        "dice": 3,
        "operations": ["sum", "difference"],
    },
    "three-strikes": {**LIKE_TRADITIONAL, "one_die": "never", "strikes": 3},
    "doubles-end": {**LIKE_TRADITIONAL, "doubles": "ends-turn"},
    "blanks": {**LIKE_TRADITIONAL, "one_die": "never", "draw": "dominoes", "bag": 28},
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
    "double-row": {**LIKE_TRADITIONAL, **ONE_BOX, "boxes": [9], "rows": 2},
    "double-shutter": {
        "boxes": [9],
        "rows": 2,
        "back": "reversed",
        "through": True,
        "row_points": [2, 1],
        "one_die": "optional-front",
        "shut_wins": "no",
        "match": "rounds-won",
        "rounds": 5,
    },
    "knipsen": {**LIKE_TRADITIONAL, "move": "knipsen"},
    "high-rollers": {
        "turns": "shared",
        "blocked": "loses",
        "insurance": True,
        "win": "last-in",
        "shut_wins": "match",
    },
    "bank": {
        **LIKE_TRADITIONAL,
        "boxes": [9],
        "shut_wins": "no",
        "stakes": "bank",
        "pays": {"0": 5, "4": 2, "9": 1},
    },
    "ladder": {**LIKE_TRADITIONAL, "match": "ladder", "shut_wins": "no"},
}
"""The keys that each sets beside the defaults, those of the game that it is like included."""

DEFAULTS: dict[str, Any] = {
    "tiles": ROW,
    "boxes": [],
    "rows": 1,
    "back": "same",
    "through": False,
    "row_points": [],
    "start_open": None,
    "dice": 2,
    "sides": 6,
    "draw": "dice",
    "bag": 21,
    "one_die": "never",
    "one_die_at": None,
    "one_die_tiles": None,
    "move": "set",
    "min_tiles": 1,
    "max_tiles": None,
    "operations": ["sum"],
    "difference": False,
    "first_move_must_include": None,
    "ends_turn_on": [],
    "doubles": "plain",
    "blocked": "ends-turn",
    "strikes": 1,
    "insurance": False,
    "turns": "whole",
    "own_throws": 0,
    "score": "sum",
    "lost_score": None,
    "add_throw": False,
    "win": "lowest",
    "shut_wins": "round",
    "shut_others": 0,
    "rounds": 1,
    "match": "total",
    "limit": None,
    "tie": "play-off",
    "stakes": "none",
    "stake": 1,
    "pays": {},
    "first": "seat-1",
    "captain": False,
    "teams": None,
    "handicap": [],
    "turn_seconds": None,
}
"""The value of every key that a game does not set."""

CHOSEN_BY_PLAYERS = ("rounds", "limit", "teams", "handicap", "turn_seconds", "start_open", "boxes", "tiles")
"""Keys in which a match may differ from its game: choices of the players, and the row of the box."""


def differences(played: Profile) -> list[str]:
    """The keys in which a game on the table is not the one of the rule sheets.

    Args:
        played: a built-in game, or one called ``NAME-on-…`` that is like it on another row.
    """
    stated = {**DEFAULTS, **GAMES[played.name.partition("-on-")[0]]}
    return [
        f"{key}: {_value(played, key)!r}, right is {stated[key]!r}"
        for key in stated
        if key not in CHOSEN_BY_PLAYERS and _value(played, key) != stated[key]
    ]


def _value(played: Profile, key: str) -> object:
    value = getattr(played, key)
    if key == "pays":
        return {str(score): stakes for score, stakes in value}
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value
