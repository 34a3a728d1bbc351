"""Work is counted before it is done: every game of the sheets is within it, hostile house rules are not."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from shutthebox.config.profiles import builtin, builtins
from shutthebox.odds import estimate as estimates
from shutthebox.odds import evaluate, model, throw_classes
from shutthebox.odds.estimate import estimate, estimated_moves
from shutthebox.odds.model import MOST_EVENTS, TurnModel
from shutthebox.odds.odds import Odds
from shutthebox.odds.row import TileRow
from shutthebox.odds.throw_classes import MOST_ENTRIES, throws_of
from shutthebox.odds.worths import Objective, TooLargeError
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import legal_moves
from shutthebox.rules.profile import Blocked, Draw, MoveKind, Profile, Scoring
from shutthebox.rules.reader import parse_keys, to_profile


def house(text: str) -> Profile:
    """House rules that the reader takes."""
    return to_profile(parse_keys(f'name = "hostile"\n{text}', "test", lambda name: {}), "test", "hostile")


SHEETS = [
    box
    for profile in builtins()
    for count in profile.allowed_boxes
    if (box := profile.for_box(count)) and box.draw is Draw.DICE and box.starting.bit_count() <= 12
]


def test_the_sheets_are_well_within() -> None:
    assert len(SHEETS) > 30
    for profile in SHEETS:
        row = TileRow(profile.starting)
        assert len(throws_of(profile, row, profile.dice).classes) * row.size < MOST_ENTRIES / 10
        if profile.blocked is Blocked.OPENS_ONE:
            TurnModel(profile)


def test_estimates_of_the_sheets_have_hundreds_of_turns() -> None:
    for name in ("cards", "double-eighteen", "the-300", "domino-bag"):
        profile = builtin(name)
        longest = profile.for_box(profile.allowed_boxes[-1])
        assert longest is not None
        assert estimates._most_turns(longest, turns.start(longest)) > 300


HOSTILE = {
    "positions that come round": 'blocked = "opens-one"\ndice = 9\nsides = 20',
    "many answers that come round": 'blocked = "opens-one"\nmove = "faces-free"\ndice = 5',
    "many kinds of throws": 'move = "faces"\ndice = 6\nsides = 20',
    "many answers to a throw": 'move = "faces-free"\ndice = 4\nsides = 12',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_would_take_too_long_is_refused_before_it_is_begun(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(evaluate, "Iteration", lambda *given: begun.append("iteration"))
    monkeypatch.setattr(evaluate, "best_values", lambda *given: begun.append("backward induction"))
    with pytest.raises(TooLargeError):
        Odds(house(f"tiles = 12\n{text}"))
    assert not begun


def test_what_dice_can_show_is_counted_while_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = house('tiles = 9\nmove = "faces"')
    Odds(profile)
    monkeypatch.setattr(throw_classes, "_MOST_STATES", 20)
    with pytest.raises(TooLargeError, match="2 dice of 6 sides show too much"):
        Odds(profile)


def test_a_turn_of_many_throws_has_its_value_but_no_list_of_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "_MOST_FOLLOWED", 1000)
    odds = Odds(house('tiles = 9\nblocked = "passes"\nscore = "throws"'))
    turn = turns.start(odds.profile)
    assert odds.value(turn, Objective.SCORE).score > 5
    with pytest.raises(TooLargeError, match="too many throws"):
        odds.distribution(turn, Objective.SCORE)


def test_a_turn_that_hardly_ends_is_not_followed_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "_MOST_FOLLOWED", 1_000_000)
    odds = Odds(house('tiles = 12\ndice = 9\nsides = 20\nblocked = "passes"\nscore = "throws"'))
    with pytest.raises(TooLargeError, match="too many throws"):
        odds.distribution(turns.start(odds.profile), Objective.SCORE)


LONG = 'tiles = 20\nblocked = "opens-one"\nscore = "throws"'
"""A turn of it is cut off at its 999th throw."""


def test_an_estimate_of_long_turns_plays_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "MOST_THROWS", 7_000)
    profile = house(LONG)
    assert profile.score is Scoring.THROWS
    throws = 0

    class Counted(random.Random):
        def randint(self, a: int, b: int) -> int:
            nonlocal throws
            throws += 1
            return super().randint(a, b)

    found = estimate(profile, turns.start(profile), rng=Counted(1))
    assert 2 <= found.samples < 10
    assert throws / 2 < 3 * 7_000, "two dice a throw; at least two turns for each rule"
    asked = estimate(profile, turns.start(profile), rng=random.Random(1), samples=12)
    assert asked.samples == 12, "who says how many gets as many"


def test_combinations_of_faces_count_as_more_work() -> None:
    profile = house('tiles = 30\ndice = 9\nmove = "faces-free"')
    simpler = replace(profile, move=MoveKind.SINGLE)
    start = turns.start(profile)
    assert estimates._most_turns(simpler, start) > 1.5 * estimates._most_turns(profile, start)


def test_too_many_moves_to_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = builtin("cards")
    turn = turns.throw(profile, turns.start(profile), (2,) * 9)
    assert len(turns.answers(profile, turn)) > 5
    monkeypatch.setattr(estimates, "MOST_THROWS", 20)
    monkeypatch.setattr(estimates, "SAMPLES", 20)
    with pytest.raises(TooLargeError, match="moves are too many to rank"):
        estimated_moves(profile, turn, rng=random.Random(1))


def events(found: TurnModel) -> int:
    return sum(len(way.forced) + len(way.several) for ways in found.ways for way in ways)


def test_the_most_is_the_most() -> None:
    """The bound itself is still solved."""
    assert events(TurnModel(builtin("open-one"))) < MOST_EVENTS


def test_events_that_come_round_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = replace(builtin("open-one"), tiles=(1, 2, 3, 4))
    count = events(TurnModel(profile))
    monkeypatch.setattr(model, "MOST_EVENTS", count)
    assert TurnModel(profile).comes_back
    monkeypatch.setattr(model, "MOST_EVENTS", count - 1)
    with pytest.raises(TooLargeError, match=f"more than {count - 1} events are too many"):
        TurnModel(profile)
    ending = replace(profile, blocked=Blocked.ENDS_TURN)
    assert not TurnModel(ending).comes_back, "without positions that come back they are gone through once"


def test_kinds_of_throws_are_counted_at_every_position(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = house('tiles = 4\nmove = "faces"')
    row = TileRow(profile.starting)
    # The faces 1 to 4 alone or two of them, and none; by the total, as far as a tile bears it.
    kinds = len(throw_classes._throws(profile, row, 2))
    monkeypatch.setattr(throw_classes, "MOST_ENTRIES", kinds * 16)
    assert throws_of(profile, row, 2).total == 36
    monkeypatch.setattr(throw_classes, "MOST_ENTRIES", kinds * 16 - 1)
    with pytest.raises(TooLargeError, match="2 dice of 6 sides show too much"):
        throws_of(profile, row, 2)


@pytest.mark.parametrize("move", MoveKind)
@pytest.mark.parametrize("more", ["", "difference = true", "dice = 3\nsides = 4", "ends_turn_on = [4, 5]"])
def test_every_throw_is_in_one_class_that_has_its_moves(move: MoveKind, more: str) -> None:
    """The throws of a class, those that end the turn and the idle ones add up to all."""
    profile = house(f'tiles = [1, 2, 4, 7]\nmove = "{move}"\n{more}')
    row = TileRow(profile.starting)
    roll = throws_of(profile, row, profile.dice)
    throws = list(product(range(1, profile.sides + 1), repeat=profile.dice))
    going = [throw for throw in throws if sum(throw) not in profile.ends_turn_on]
    assert roll.total == len(throws)
    assert roll.ended == len(throws) - len(going)
    assert roll.idle + sum(each.weight for each in roll.classes) == len(going)
    for mask in range(16):
        moves = [legal_moves(profile, row.sparse(mask), throw) for throw in going]
        expected = Counter(tuple(sorted(map(row.dense, each))) for each in moves if each)
        found = Counter[tuple[int, ...]]()
        for each in roll.classes:
            if there := each.table[mask & each.relevant]:
                found[tuple(sorted(there))] += each.weight
        assert found == expected
