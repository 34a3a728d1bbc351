"""Random profiles that the engine plays, and matches of them played at random."""

import random
from collections.abc import Iterator
from dataclasses import fields
from enum import StrEnum
from typing import Any

import hypothesis.strategies as st
from hypothesis import reject
from tests.support.chance import next_action
from tests.support.house import house

from shutthebox.rules.actions import ACTIONS, Action, apply
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import Match, begin
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import (
    Back,
    Blocked,
    Doubles,
    Draw,
    MatchFormat,
    MoveKind,
    OneDie,
    Operation,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.reader import ProfileError, to_played_profile
from shutthebox.rules.record import Record

NO_RULES = ("name", "titles", "source", "group", "boxes")
"""What a game is called, where it stands, and on which boxes: read by no rule."""


@st.composite
def profiles(draw: st.DrawFn, most_tiles: int = 10, having: str = "") -> Profile:
    """A profile that the engine plays, on any of the keys' values but with short rows.

    Args:
        draw: given by Hypothesis.
        most_tiles: in a row.
        having: a key that all of them have, if any.
    """
    numbers = st.lists(st.integers(1, 14), min_size=1, max_size=most_tiles, unique=True).map(sorted)
    tiles = draw(st.one_of(st.integers(1, most_tiles).map(lambda n: list(range(1, n + 1))), numbers))
    keys: dict[str, Any] = {"tiles": tuple(tiles)}

    # Some games have a few keys, and some have most: faults hide where three or four of them meet.
    others = draw(st.sampled_from([3, 1]))

    def sometimes(key: str, values: st.SearchStrategy[Any]) -> None:
        if key == having or draw(st.integers(0, others)) == 0:
            keys[key] = draw(values)

    sometimes("start_open", st.sets(st.sampled_from(tiles), min_size=1).map(lambda s: tuple(sorted(s))))
    sometimes("rows", st.just(2))
    sometimes("dice", st.integers(1, 4))
    sometimes("sides", st.integers(2, 9))
    sometimes("draw", st.just(Draw.DOMINOES))
    if keys.get("draw"):
        keys["bag"] = draw(st.sampled_from([21, 28, 32]))
    sometimes("max_tiles", st.integers(1, 3))
    sometimes("min_tiles", st.integers(2, 3))
    sometimes("difference", st.just(True))
    if not keys.get("difference"):
        ways = st.lists(st.sampled_from(list(Operation)), min_size=1, unique=True)
        sometimes("operations", ways.map(lambda some: tuple(way for way in Operation if way in some)))
    if Operation.QUOTIENT in keys.get("operations", ()):
        keys.pop("dice", None)
    sometimes("first_move_must_include", st.sampled_from(tiles))
    sometimes("ends_turn_on", st.frozensets(st.integers(1, 14), min_size=1, max_size=3))
    sometimes("lost_score", st.integers(0, 99))
    sometimes("captain", st.just(True))
    sometimes("rounds", st.integers(2, 4))
    sometimes("turn_seconds", st.integers(5, 60))
    for key, kind in ENUMS.items():
        # These have more to them.
        if key not in ("win", "shut_wins", "draw", "doubles", "back"):
            keys[key] = draw(
                st.sampled_from([value for value in kind if value not in (*SHARED, Stakes.BANK)])
            )
    sometimes("add_throw", st.just(True))
    if keys.get("add_throw"):
        keys.update(draw=Draw.DICE, turns=Turns.WHOLE)
        keys.pop("bag", None)
        keys["score"] = _other(keys["score"], *set(Scoring) - {Scoring.COUNT}, instead=Scoring.SUM)
    if keys.get("rows"):
        sometimes("back", st.just(Back.REVERSED))
        sometimes("through", st.just(True))
        sometimes("row_points", st.tuples(st.integers(0, 3), st.integers(0, 3)))
    if keys["one_die"] in (OneDie.OPTIONAL_SHUT, OneDie.FORCED_SHUT):
        among = st.sampled_from([(tile,) for tile in keys["tiles"]] + [keys["tiles"][-3:]])
        keys["one_die_tiles"] = draw(among)
    elif keys["one_die"] not in (OneDie.NEVER, OneDie.ONLY_ONE):
        sometimes("one_die_at", st.integers(1, 20))
    if keys["one_die"] in (OneDie.OPTIONAL_FRONT, OneDie.FORCED_FRONT):
        keys["rows"] = 2
    if keys["turns"] is Turns.TOGETHER:
        sometimes("own_throws", st.integers(1, 3))
    sometimes("strikes", st.integers(2, 4))
    if keys.get("strikes"):
        keys["blocked"] = Blocked.ENDS_TURN
        keys.pop("first_move_must_include", None)
    else:
        sometimes("insurance", st.just(True))
    if keys["move"] is not MoveKind.SET or keys.get("min_tiles", 1) > keys.get("max_tiles", 3):
        keys.pop("min_tiles", None)
    doubles = [Doubles.ENDS_TURN] * (not keys.get("insurance")) + [Doubles.DOUBLED] * (
        keys["move"] is MoveKind.SET
    )
    if doubles and keys.get("dice") != 1:
        sometimes("doubles", st.sampled_from(doubles))
    if keys.get("insurance"):
        keys["blocked"], keys["dice"] = Blocked.ENDS_TURN, max(2, keys.get("dice", 2))
    if keys.get("rows"):
        keys["score"] = _other(keys["score"], Scoring.DIGITS, Scoring.DIGITS_REVERSED, instead=Scoring.SUM)
        keys["blocked"] = _other(keys["blocked"], Blocked.OPENS_ONE, instead=Blocked.ENDS_TURN)
    if keys["match"] is MatchFormat.ROUNDS_WON:
        if draw(st.booleans()):
            keys.pop("rounds", None)
            keys["limit"] = draw(st.integers(1, 4))
    elif keys["match"] not in (MatchFormat.TOTAL, MatchFormat.LADDER):
        keys["limit"] = draw(st.integers(1, 60))
    which = draw(st.integers(0, 12))
    if which == 0:
        _share(keys, draw)
    elif which == 1:
        _bank(keys, draw)
    elif which == 2:
        _tug(keys, draw)
    elif keys["match"] is MatchFormat.LADDER:
        _ladder(keys, draw)
    else:
        _who_wins(keys, draw)
    _carry(keys, draw)
    if keys["match"] is not MatchFormat.LADDER:
        if which != 1:
            sometimes("teams", st.integers(2, 2 if which == 2 else 4))
        if which:
            sometimes("handicap", _head_starts(tiles, keys))
    if having and having not in keys:
        reject()
    try:
        return to_played_profile(keys, "generated.toml", "generated")
    except ProfileError:
        reject()


SHARED = (Turns.TUG, Turns.SHARED, Blocked.LOSES, Win.LAST_IN)
"""Keys that go together only."""


def _other(value: Any, *unwanted: Any, instead: Any) -> Any:
    return instead if value in unwanted else value


def _share(keys: dict[str, Any], draw: st.DrawFn) -> None:
    """One row for all."""
    for key in (
        "first_move_must_include",
        "ends_turn_on",
        "captain",
        "rounds",
        "limit",
        "lost_score",
        "strikes",
        "add_throw",
    ):
        keys.pop(key, None)
    keys.pop("own_throws", None)
    keys.update(turns=Turns.SHARED, match=MatchFormat.TOTAL)
    keys["blocked"] = Blocked.LOSES
    keys["score"] = _other(keys["score"], Scoring.SHUT_SUM, Scoring.THROWS, instead=Scoring.COUNT)
    keys["shut_wins"] = draw(st.sampled_from([ShutWins.MATCH, ShutWins.ROUND]))


def _tug(keys: dict[str, Any], draw: st.DrawFn) -> None:
    """One player shuts the tiles, the other opens them."""
    points, box = (
        ("captain", "limit", "rounds", "strikes", "own_throws", "add_throw"),
        ("rows", "back", "through", "row_points"),
    )
    for key in (*points, *box, "draw", "bag"):
        keys.pop(key, None)
    keys.update(turns=Turns.TUG, blocked=Blocked.ENDS_TURN, match=MatchFormat.TOTAL)
    keys["one_die"] = _other(
        keys["one_die"], OneDie.OPTIONAL_FRONT, OneDie.FORCED_FRONT, instead=OneDie.OPTIONAL_HIGH
    )
    keys["score"] = _other(keys["score"], Scoring.SHUT_SUM, Scoring.THROWS, instead=Scoring.COUNT)
    keys["shut_wins"] = draw(st.sampled_from([ShutWins.MATCH, ShutWins.ROUND]))
    if draw(st.booleans()):
        keys.update(match=MatchFormat.ROUNDS_WON, rounds=draw(st.integers(1, 4)), shut_wins=ShutWins.ROUND)


def _bank(keys: dict[str, Any], draw: st.DrawFn) -> None:
    """Everybody against the bank."""
    for key in ("captain", "rounds", "limit", "add_throw"):
        keys.pop(key, None)
    win = draw(st.sampled_from([Win.LOWEST, Win.HIGHEST]))
    marks = sorted(draw(st.sets(st.integers(0, 40), min_size=1, max_size=4)))
    paid = draw(st.lists(st.integers(0, 9), min_size=len(marks), max_size=len(marks)))
    paid.sort(reverse=win is Win.LOWEST)
    keys.update(stakes=Stakes.BANK, match=MatchFormat.TOTAL, win=win, stake=draw(st.integers(1, 3)))
    keys["pays"] = tuple(zip(marks, paid, strict=True))


def _carry(keys: dict[str, Any], draw: st.DrawFn) -> None:
    """A tie that leaves something on the table needs something to leave."""
    if keys["tie"] is not Tie.CARRY:
        return
    if keys["match"] is MatchFormat.LADDER or keys["stakes"] is Stakes.BANK:
        keys["tie"] = Tie.SHARE
        return
    if keys["match"] is MatchFormat.TOTAL:
        keys.pop("rounds", None)
    if keys["match"] is not MatchFormat.ROUNDS_WON:
        keys["stakes"] = draw(st.sampled_from([Stakes.POOL, Stakes.POOL_DOUBLE]))


def _ladder(keys: dict[str, Any], draw: st.DrawFn) -> None:
    """Alone, against a total."""
    keys.pop("captain", None)
    keys["win"] = draw(st.sampled_from([Win.LOWEST, Win.HIGHEST]))
    if draw(st.booleans()):
        keys["limit"] = draw(st.integers(0, 60))


def _head_starts(tiles: list[int], keys: dict[str, Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    no_points = keys["match"] is MatchFormat.ROUNDS_WON or keys["turns"] is Turns.TUG
    most = 0 if no_points else min(20, keys.get("limit", 20) - 1)
    some = st.sets(st.sampled_from(tiles), min_size=1, max_size=max(1, len(tiles) - 1))
    seat = st.one_of(st.integers(0, most), some.map(lambda s: tuple(sorted(s))))
    return st.lists(seat, min_size=1, max_size=3).map(tuple)


def _who_wins(keys: dict[str, Any], draw: st.DrawFn) -> None:
    """The keys that say who wins: by default, or any that do not contradict the others."""
    wins = {
        MatchFormat.TOTAL: [Win.LOWEST, Win.HIGHEST, Win.FIRST_TO_SHUT],
        MatchFormat.ROUNDS_WON: [Win.LOWEST, Win.HIGHEST, Win.FIRST_TO_SHUT],
        MatchFormat.TARGET_WINS: [Win.HIGHEST],
    }.get(keys["match"], [Win.LOWEST])
    if draw(st.booleans()):
        keys["win"] = draw(st.sampled_from(wins))
    win = keys.get("win", wins[0])
    shut_is_best = win is not Win.HIGHEST and keys["score"] not in (Scoring.SHUT_SUM, Scoring.THROWS)
    if draw(st.booleans()):
        keys["shut_wins"] = draw(st.sampled_from(list(ShutWins) if shut_is_best else [ShutWins.NO]))
    if win is Win.FIRST_TO_SHUT:
        if keys["match"] is MatchFormat.TOTAL:
            keys.pop("rounds", None)
        if keys.get("shut_wins") is ShutWins.NO:
            keys["shut_wins"] = ShutWins.ROUND
    if keys.get("captain"):
        keys["shut_wins"] = ShutWins.MATCH
    if (
        shut_is_best
        and win is Win.LOWEST
        and keys.get("shut_wins") is not ShutWins.MATCH
        and draw(st.booleans())
    ):
        keys["shut_others"] = draw(st.sampled_from([5, "doubled"]))


ENUMS = {
    key.name: type(key.default)
    for key in fields(Profile)
    if isinstance(key.default, StrEnum) and key.name != "group"  # in the menu
}
"""The keys that are a choice, and what there is to choose."""


def seats(profile: Profile, players: int) -> int:
    """So many players, or one where the profile is played alone, or two in a tug."""
    return order_of(profile).seats(profile, players)


def play(
    profile: Profile, players: int, seed: int, most: int = 2000
) -> Iterator[tuple[Match, Action, Match]]:
    """A match at random, as positions before, actions and positions after; at most so many."""
    chance = random.Random(seed)
    players = seats(profile, players)
    match = begin(profile, players, first=seed % players if profile.any_seat_begins else 0)
    for _ in range(most):
        if match.stage is Stage.FINISHED:
            return
        action = next_action(match, chance)
        after = apply(match, action)
        yield match, action, after
        match = after


def random_record(profile: Profile, players: int, seed: int, most: int = 2000) -> Record:
    """A match at random, up to so many actions."""
    played = list(play(profile, players, seed, most))
    actions = tuple(action for _, action, _ in played)
    first = played[0][0].round.first_player if played else 0
    conditions = Conditions(first=first + 1) if first else None
    return Record(profile, seats(profile, players), profile.rounds, actions, conditions)


_OPENS = 'tiles = 3\nblocked = "opens-one"\nscore = "throws"\nshut_wins = "no"'

WITH_EVERY_ACTION = (house(_OPENS), house(f"{_OPENS}\nturn_seconds = 5"))
"""Small games in which every kind of action occurs."""


def records_of_every_action(times: int) -> Iterator[Record]:
    """Finished matches at random, until every kind of action was in so many of them.

    Raises:
        AssertionError: if one isn't drawn.
    """
    left = dict.fromkeys(ACTIONS, times)
    for seed in range(200):
        record = random_record(WITH_EVERY_ACTION[seed % len(WITH_EVERY_ACTION)], 2, seed)
        kinds = {*map(type, record.actions)}
        if any(left[kind] > 0 for kind in kinds):
            yield record
        left = {kind: count - (kind in kinds) for kind, count in left.items()}
    missing = [kind.__name__ for kind, count in left.items() if count > 0]
    assert not missing, "tests/support: draw them in chance.py, and add a game to WITH_EVERY_ACTION"
