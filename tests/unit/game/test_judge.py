"""The judge against the oracle, over all positions of a nine-tile box."""

from collections.abc import Collection
from itertools import combinations, combinations_with_replacement
from random import Random

import pytest
from tests.support import oracle
from tests.support.account import legal_moves
from tests.support.fast import fast_among

from shutthebox.config.profiles import builtin
from shutthebox.game.board import lever_offset, read_board
from shutthebox.game.judge import judge
from shutthebox.rules.profile import Blocked, Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn, start

NINE = range(1, 10)
FULL = oracle.row(0b111111111)
PAIRS = tuple(combinations_with_replacement(range(1, 7), 2))


def legal(profile: Profile, turn: Turn) -> frozenset[oracle.Row]:
    """The moves for the throw on the table, by the oracle."""
    if turn.throw is None:
        return frozenset()
    return legal_moves(profile, oracle.row(turn.open), turn.throw, not turn.moves)


def right(profile: Profile, turn: Turn, down: int, moves: Collection[oracle.Row]) -> str:
    """The verdict by the oracle."""
    held_open, reopens = oracle.row(turn.open), profile.blocked is Blocked.OPENS_ONE and not moves
    return oracle.verdict_on(oracle.row(down), FULL, held_open, turn.throw, moves, reopens=reopens)


@pytest.mark.parametrize("every", [151, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("total", fast_among([None, *range(1, 13)], [None, 4, 9]))
def test_positions_of_the_traditional_game(total: int | None, every: int) -> None:
    """Each time others for another total, so that every row of tiles meets two totals; and all hands each."""
    profile = builtin("traditional")
    throw = None if total is None else (total,) if total <= 6 else (6, total - 6)
    for held_open in range(1 + (total or 0) % every, 512, every):
        turn = Turn(held_open, throw, throws=3, moves=2)
        moves = legal(profile, turn)
        wrong = [
            down
            for down in range(512)
            if str(judge(read_board(profile, turn, down))) != right(profile, turn, down, moves)
        ]
        assert not wrong, turn


@pytest.mark.parametrize(
    ("total", "every"),
    [(9, 151), *(pytest.param(n, 17, marks=pytest.mark.slow) for n in (None, *range(1, 13)))],
)
def test_where_tiles_are_opened_every_verdict_is_upside_down(total: int | None, every: int) -> None:
    """A lever lifted from a shut tile is what a lever flipped from an open one is to the others."""
    profile = builtin("long-game")
    throw = None if total is None else (total,) if total <= 6 else (6, total - 6)
    kinds = {"lift": "put-back", "put-back": "lift"}
    for shut in range(1 + (total or 0), 512, every):
        turn = Turn(shut, throw, throws=3, moves=2)
        moves = legal(profile, turn)
        for down in range(512):
            kind, *numbers = right(profile, turn, 511 & ~down, moves).split()
            expected = " ".join((kinds.get(kind, kind), *numbers))
            assert str(judge(read_board(profile, turn._replace(opens=True), down))) == expected, (turn, down)


@pytest.mark.parametrize(
    "name",
    fast_among(
        ["trac", "trac-free", "thai", "exact", "knipsen", "add-or-subtract", "open-one"], ["trac", "open-one"]
    ),
)
def test_positions_of_the_other_kinds_of_move(name: str) -> None:
    profile, random = builtin(name), Random(f"judge {name}")
    seen = set()
    for _ in range(400):
        turn = Turn(random.randrange(1, 511), random.choice(PAIRS), 3, 2)
        # Levers that a hand has moved at random, but only seldom up again.
        shut = 511 & ~turn.open
        down = random.choice([shut, shut, shut, random.randrange(512)]) | turn.open & random.randrange(512)
        verdict = right(profile, turn, down, legal(profile, turn))
        assert str(judge(read_board(profile, turn, down))) == verdict
        seen.add(verdict.split()[0])
    assert seen >= {"put-back", "ok", "complete", "over", "dead-end"}


def test_the_levers_of_two_rows() -> None:
    profile = builtin("double-shutter")
    assert lever_offset(profile, 18, 0) == 9
    assert lever_offset(profile, 17, 0) == 0
    assert lever_offset(profile, 9, 0) == 0
    assert lever_offset(profile, 18, to_tiles([12])) == 0, "a lever of the back row is broken"
    assert lever_offset(profile, 18, to_tiles([3])) == 9
    assert lever_offset(builtin("traditional"), 18, 0) == 0
    turn = start(profile)
    three = to_tiles([3])
    assert read_board(profile, turn, 0, offset=9).levers_of(three) == (3,)
    shut = turn._replace(behind=turn.behind & ~three)
    assert read_board(profile, shut, 0, offset=9).levers_of(three) == (12,)
    assert read_board(profile, turn._replace(behind=0), 0).levers_of(three) == (3,)


def test_a_blocked_player_answers_by_lifting_one() -> None:
    profile = builtin("open-one")
    for shut in (to_tiles(tiles) for tiles in combinations(NINE, 3) if {1, 9} <= {*tiles}):
        turn = Turn(511 & ~shut, (1,), 4, 3)
        assert not legal(profile, turn)
        for down in range(512):
            assert str(judge(read_board(profile, turn, down))) == right(profile, turn, down, ())


def test_a_blocked_computer_opens_the_tile_that_it_has_chosen() -> None:
    profile = builtin("open-one")
    turn = Turn(profile.starting & ~to_tiles([1, 2, 3]), (1, 1), 4, 3)
    verdicts = [
        str(judge(read_board(profile, turn, to_tiles(down), asked=to_tiles([3]))))
        for down in ((1, 2), (1, 3))
    ]
    assert verdicts == ["complete 3", "put-back 2"]
