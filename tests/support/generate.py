"""Random profiles that the reader accepts, and matches of them played at random."""

import random
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
from hypothesis import reject

from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, Reopened, Thrown, apply
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import (
    Blocked,
    Draw,
    MatchFormat,
    MoveKind,
    OneDie,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.reader import ProfileError, to_profile
from shutthebox.rules.record import Record
from shutthebox.rules.tiles import to_numbers


@st.composite
def profiles(draw: st.DrawFn, most_tiles: int = 10) -> Profile:
    """A profile that the reader accepts, on any of the keys' values but with short rows."""
    numbers = st.lists(st.integers(1, 14), min_size=1, max_size=most_tiles, unique=True).map(sorted)
    tiles = draw(st.one_of(st.integers(1, most_tiles).map(lambda n: list(range(1, n + 1))), numbers))
    keys: dict[str, Any] = {"tiles": tuple(tiles)}

    def sometimes(key: str, values: st.SearchStrategy[Any]) -> None:
        if draw(st.integers(0, 3)) == 0:
            keys[key] = draw(values)

    sometimes("start_open", st.sets(st.sampled_from(tiles), min_size=1).map(lambda s: tuple(sorted(s))))
    sometimes("dice", st.integers(1, 4))
    sometimes("sides", st.integers(2, 9))
    sometimes("draw", st.just(Draw.DOMINOES))
    sometimes("max_tiles", st.integers(1, 3))
    sometimes("difference", st.just(True))
    sometimes("first_move_must_include", st.sampled_from(tiles))
    sometimes("ends_turn_on", st.frozensets(st.integers(1, 14), min_size=1, max_size=3))
    sometimes("lost_score", st.integers(0, 99))
    sometimes("captain", st.just(True))
    sometimes("rounds", st.integers(2, 4))
    for key, kind in ENUMS.items():
        if key not in ("win", "shut_wins"):
            keys[key] = draw(st.sampled_from(list(kind)))
    if keys["match"] is not MatchFormat.TOTAL:
        keys["limit"] = draw(st.integers(1, 60))
    _who_wins(keys, draw)
    try:
        return to_profile(keys, "generated.toml", "generated")
    except ProfileError:
        reject()


def _who_wins(keys: dict[str, Any], draw: st.DrawFn) -> None:
    """The keys that say who wins: by default, or any that do not contradict the others."""
    wins = {
        MatchFormat.TOTAL: list(Win),
        MatchFormat.TARGET_WINS: [Win.HIGHEST],
    }.get(keys["match"], [Win.LOWEST])
    if draw(st.booleans()):
        keys["win"] = draw(st.sampled_from(wins))
    win = keys.get("win", wins[0])
    shut_is_best = win is not Win.HIGHEST and keys["score"] not in (Scoring.SHUT_SUM, Scoring.THROWS)
    if draw(st.booleans()):
        keys["shut_wins"] = draw(st.sampled_from(list(ShutWins) if shut_is_best else [ShutWins.NO]))
    if win is Win.FIRST_TO_SHUT:
        keys.pop("rounds", None)
        if keys.get("shut_wins") is ShutWins.NO:
            keys["shut_wins"] = ShutWins.ROUND
    if keys.get("captain"):
        keys["shut_wins"] = ShutWins.MATCH


ENUMS = {
    "one_die": OneDie,
    "move": MoveKind,
    "blocked": Blocked,
    "turns": Turns,
    "score": Scoring,
    "win": Win,
    "shut_wins": ShutWins,
    "match": MatchFormat,
    "tie": Tie,
    "stakes": Stakes,
}


def next_action(match: Match, chance: random.Random) -> Action:
    """Something that the rules allow now, by chance."""
    profile, turn = match.profile, match.turn
    if match.stage is Stage.ADVANCE:
        return Advanced()
    if match.stage is Stage.THROW:
        if profile.draw is Draw.DOMINOES:
            return Thrown(chance.choice(turns.bag(turn)))
        dice = chance.choice(dice_allowed(profile, turn.open))
        return Thrown(tuple(chance.randint(1, profile.sides) for _ in range(dice)))
    if legal := turns.answers(profile, turn):
        return Moved(chance.choice(legal))
    if openable := turns.reopenings(profile, turn):
        return Reopened(chance.choice(to_numbers(openable)))
    return Moved(0)


def play(
    profile: Profile, players: int, seed: int, most: int = 2000
) -> Iterator[tuple[Match, Action, Match]]:
    """A match at random, as positions before, actions and positions after; at most so many."""
    chance = random.Random(seed)
    match = begin(profile, players)
    for _ in range(most):
        if match.stage is Stage.FINISHED:
            return
        action = next_action(match, chance)
        after = apply(match, action)
        yield match, action, after
        match = after


def random_record(profile: Profile, players: int, seed: int, most: int = 2000) -> Record:
    """A match at random, up to so many actions."""
    actions = tuple(action for _, action, _ in play(profile, players, seed, most))
    return Record(profile, players, profile.rounds, actions)
