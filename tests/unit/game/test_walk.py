"""Every state of tiny games, whatever hands, time, the odds and the plug do: nobody is stuck or betrayed.

In every state: no exception; the prompt can be followed, and whoever follows prompts alone comes to the end
of the match; what is shown was kept, and the facts that were kept give the same match; who has lost plays and
wins no more; a lit lamp means that a press does something; a power cut leads back to the same picture.

In the short walks of a few games hands do one thing in a match that no prompt asks for, at any moment; in the
slow ones of all games anything, any number of times.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pytest
from tests.support.fast import fast_among
from tests.support.house import house
from tests.support.machine import settings_for
from tests.support.walk import Walk

from shutthebox.adapters.odds_worker import InlineOdds
from shutthebox.game.settings import DiceKind
from shutthebox.odds.questions import (
    AnswerReady,
    AskAnswer,
    AskHint,
    OddsReady,
    Question,
    answer_without_odds,
)
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers, to_tiles

Keys: TypeAlias = dict[str, object]
TINY: Keys = {"name": "house", "tiles": [1, 2, 3], "dice": 1, "sides": 3}
SMALLER: Keys = {"tiles": [1, 2], "sides": 2}
SMALLEST: Keys = {"tiles": [1], "sides": 2}
COUNTED: Keys = {"score": "count", "shut_wins": "no", "tie": "share"}

GAMES: Mapping[str, tuple[Keys, Keys]] = {
    "two players": ({**SMALLER, **COUNTED}, {}),
    "shut wins": ({**SMALLEST, "tie": "play-off"}, {"stakes": "match"}),
    "opens one, the computer with a head start": (
        {**SMALLER, **COUNTED, "blocked": "opens-one", "handicap": [[1], 0]},
        {"computers": (1,)},
    ),
    "passes, in turns": ({**SMALLER, "blocked": "passes", "turns": "alternate", "win": "first-to-shut"}, {}),
    "one row for all": ({"turns": "shared"}, {}),
    "insurance": (
        {"dice": 2, "sides": 2, "turns": "shared", "blocked": "loses"}
        | {"win": "last-in", "insurance": True},
        {},
    ),
    "the bank": (
        {**SMALLER, "score": "count", "shut_wins": "no", "stakes": "bank", "pays": {"0": 9, "2": 3}},
        {"stakes": "match"},
    ),
    "drop-out, all start over": (
        {**SMALLEST, **COUNTED, "match": "drop-out", "limit": 1, "tie": "replay-all"},
        {"players": 3},
    ),
    "the limit loses, all start over": (
        {**SMALLEST, **COUNTED, "match": "target-loses", "limit": 2, "tie": "replay-all"},
        {},
    ),
    "one throw for all, the limit loses": (
        {**SMALLER, **COUNTED, "turns": "together", "match": "target-loses", "limit": 2},
        {},
    ),
    "own throws, made again": (
        {**SMALLER, **COUNTED, "turns": "together", "own_throws": 1, "strikes": 2},
        {},
    ),
    "the loser begins, a pool each round": (
        {**SMALLEST, **COUNTED, "first": "loser", "rounds": 2, "stakes": "pool-double"},
        {"stakes": "match"},
    ),
    "a computer's seat": ({**SMALLEST, **COUNTED}, {"computers": (2,)}),
    "a clock": ({**SMALLER, **COUNTED, "turn_seconds": 10}, {}),
    "real dice": ({**SMALLER, **COUNTED}, {"dice": DiceKind.REAL, "players": 1}),
    "real dice, die by die": ({**SMALLER, "dice": 2, "move": "faces"}, {"dice": DiceKind.REAL, "players": 1}),
    "a lever out of play": (COUNTED, {"out_of_play": (2,)}),
    "hints": ({**SMALLER, **COUNTED}, {"hints": True, "players": 1}),
    "one die or two": ({"dice": 2, "sides": 2, "one_die": "optional-sum"}, {"players": 1}),
    "two rows": ({**SMALLER, "rows": 2}, {"players": 1}),
    "two rows, a lever for each tile": ({**SMALLER, "rows": 2}, {"players": 1, "levers": 4}),
}
"""By what is tried: the keys of the game, and the settings of the box."""


def game(keys: Mapping[str, object]) -> Profile:
    """The game with these keys, written as its file would be."""

    def value(given: object) -> str:
        if isinstance(given, dict):
            return "{" + ", ".join(f"{key} = {value(inner)}" for key, inner in given.items()) + "}"
        return json.dumps(given)

    text = "".join(f"{key} = {value(given)}\n" for key, given in {**TINY, **keys}.items())
    return house(text)


def odds(question: Question) -> Sequence[OddsReady]:
    """Whatever the odds might say: every answer that the rules allow, or no hint and a real one."""
    match question:
        case AskAnswer(match):
            moves = turns.answers(match.rules, match.turn)
            opened = to_numbers(turns.reopenings(match.rules, match.turn))
            tiles = moves or tuple(to_tiles([tile]) for tile in opened) or (0,)
            return [AnswerReady(match, answer) for answer in tiles]
        case AskHint():
            return [
                advice
                for advice in (answer_without_odds(question), *InlineOdds().ask(question))
                if advice is not None
            ]
    advice = answer_without_odds(question)
    return [] if advice is None else [advice]


def walked(name: str, slips: int | None) -> Walk:
    keys, values = GAMES[name]
    profile = game(keys)
    settings = settings_for(profile, **{"levers": profile.tiles[-1], "players": 2, **values})
    walk = Walk(settings, odds, slips=slips)()
    print(f"{name}: {len(walk.states)} states, {walk.steps} steps")
    return walk


@pytest.mark.parametrize("name", fast_among(["shut wins", "a computer's seat", "hints"], ["hints"]))
def test_whoever_slips_once_and_then_does_as_told_comes_to_the_end(name: str) -> None:
    walked(name, slips=1)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", GAMES)
def test_whoever_does_as_told_comes_to_the_end_from_every_state(name: str) -> None:
    walked(name, slips=None)
