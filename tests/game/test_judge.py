"""The judge against a plain restatement of its rule, over all positions of a nine-tile box."""

from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement
from random import Random

import pytest

from shutthebox.config.profiles import builtin
from shutthebox.game.judge import (
    Verdict,
    judge,
    lever_of,
    levers_behind,
)
from shutthebox.rules.profile import Blocked, MoveKind, Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Turn, start

Set = frozenset[int]
Said = tuple[str, tuple[int, ...], int]

NINE = range(1, 10)
SETS: tuple[Set, ...] = tuple(frozenset(n for n in NINE if mask >> (n - 1) & 1) for mask in range(512))
SUMS = tuple(sum(tiles) for tiles in SETS)
PAIRS = tuple(combinations_with_replacement(range(1, 7), 2))
THROWS = (*PAIRS, *((face,) for face in range(1, 7)))


def said(verdict: Verdict) -> Said:
    return verdict.kind.value, verdict.tiles, verdict.amount


def restated(held_open: Set, total: int | None, legal: Iterable[Set], down: Set) -> Said:
    """The verdict, in the words of the rule; `legal` are the moves that answer the throw."""
    lifted = set(NINE) - held_open - down
    if lifted:
        return "put-back", tuple(sorted(lifted)), 0
    flipped = down & held_open
    if total is None:
        return ("lift", tuple(sorted(flipped)), 0) if flipped else ("ok", (), 0)
    if not flipped:
        return "ok", (), 0
    ways = [move for move in legal if flipped <= move]
    if flipped in ways:
        return "complete", (), 0
    if ways:
        return "missing", (), min(sum(move - flipped) for move in ways)
    if sum(flipped) > total:
        return "over", (), sum(flipped) - total
    return "dead-end", (), 0


def answers(kind: MoveKind, throw: tuple[int, ...], move: Set, held_open: Set) -> bool:
    """Whether this set of open tiles answers the throw, as the kinds of move are defined."""
    total = sum(throw)
    if kind is MoveKind.SET:
        return sum(move) == total
    if len(throw) == 1 or move == {total}:
        return move == {total}
    a, b = throw
    match kind:
        case MoveKind.SINGLE:
            return len(move) == 1 and move <= {a, b}
        case MoveKind.EXACT:
            return a != b and move == {a, b}
        case MoveKind.FACES_FREE:
            return move <= {a, b}
        case MoveKind.KNIPSEN:
            return move <= {a, b, total}
        case _ if a == b:
            return move == {a}
        case _:
            other_is_shut = (move == {a} and b not in held_open) or (move == {b} and a not in held_open)
            return move == {a, b} or other_is_shut


@pytest.mark.parametrize("every", [17, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("total", [None, *range(1, 13)])
def test_every_position_of_the_traditional_game(total: int | None, every: int) -> None:
    """By `make test` some of the positions, each time others for another total."""
    profile = builtin("traditional")
    throw = None if total is None else (total,) if total <= 6 else (6, total - 6)
    wrong = []
    for open_mask in range(1 + (total or 0) % every, 512, every):
        held_open = SETS[open_mask]
        legal = [SETS[mask] for mask in range(1, 512) if SUMS[mask] == total and SETS[mask] <= held_open]
        turn = Turn(open_mask, throw, throws=3, moves=2)
        for down_mask in range(512):
            expected = restated(held_open, total, legal, SETS[down_mask])
            verdict = judge(profile, turn, down_mask)
            if said(verdict) != expected:
                wrong.append((held_open, throw, SETS[down_mask], verdict, expected))
    assert not wrong


@pytest.mark.parametrize("kind", [kind for kind in MoveKind if kind is not MoveKind.SET])
def test_positions_of_the_other_kinds_of_move(kind: MoveKind) -> None:
    profile, random = Profile("x", move=kind), Random(f"judge {kind}")
    seen = set()
    for _ in range(1_500):
        throw, open_mask = random.choice(THROWS), random.randrange(1, 512)
        held_open = SETS[open_mask]
        # Levers that a hand has moved at random, but only seldom up again.
        shut = 511 & ~open_mask
        down_mask = random.choice([shut, shut, shut, random.randrange(512)]) | open_mask & random.randrange(
            512
        )
        legal = [
            move for move in SETS if move and move <= held_open and answers(kind, throw, move, held_open)
        ]
        expected = restated(held_open, sum(throw), legal, SETS[down_mask])
        assert said(judge(profile, Turn(open_mask, throw, 3, 2), down_mask)) == expected
        seen.add(expected[0])
    assert seen >= {"put-back", "ok", "complete", "over", "dead-end"}


@pytest.mark.parametrize("throw", PAIRS)
def test_a_difference_answers_too(throw: tuple[int, int]) -> None:
    profile, totals = builtin("add-or-subtract"), {sum(throw), abs(throw[0] - throw[1])}
    legal = [tiles for tiles in SETS if tiles and sum(tiles) in totals]
    for down_mask in range(512):
        expected = restated(SETS[511], sum(throw), legal, SETS[down_mask])
        assert said(judge(profile, Turn(511, throw, 1), down_mask)) == expected


# -- the position text by text ------------------------------------------------------------------


def test_the_levers_of_two_rows() -> None:
    profile = builtin("double-shutter")
    assert levers_behind(profile, 18, 0) == 9
    assert levers_behind(profile, 17, 0) == 0
    assert levers_behind(profile, 9, 0) == 0
    assert levers_behind(profile, 18, to_tiles([12])) == 0, "a lever of the back row is broken"
    assert levers_behind(profile, 18, to_tiles([3])) == 9
    assert levers_behind(builtin("traditional"), 18, 0) == 0
    turn = start(profile)
    assert lever_of(turn, 3, behind=9) == 3
    assert lever_of(turn._replace(behind=turn.behind & ~to_tiles([3])), 3, behind=9) == 12
    assert lever_of(turn._replace(behind=0), 3) == 3


def test_a_blocked_player_answers_by_lifting_one() -> None:
    profile = builtin("open-one")
    assert profile.blocked is Blocked.OPENS_ONE
    for shut in (frozenset(tiles) for tiles in combinations(NINE, 3) if 1 in tiles):
        held_open = frozenset(NINE) - shut
        turn = Turn(to_tiles(held_open), (1,), 4, 3)
        for mask in range(512):
            flipped, lifted = SETS[mask] & held_open, shut - SETS[mask]
            if flipped:
                expected: Said = ("lift", tuple(sorted(flipped)), 0)
            elif len(lifted) > 1:
                expected = ("put-back", tuple(sorted(lifted)), 0)
            else:
                expected = ("complete", tuple(lifted), 0) if lifted else ("ok", (), 0)
            assert said(judge(profile, turn, mask)) == expected


def test_a_blocked_computer_opens_the_tile_that_it_has_chosen() -> None:
    profile = builtin("open-one")
    turn = Turn(profile.starting & ~to_tiles([1, 2, 3]), (1, 1), 4, 3)
    verdicts = [str(judge(profile, turn, to_tiles(down), only=to_tiles([3]))) for down in ((1, 2), (1, 3))]
    assert verdicts == ["complete 3", "put-back 2"]
