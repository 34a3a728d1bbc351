"""The rules restated without bitmasks, tables or caches, as an independent judge of the engine.

Everything here is written from the wording of the rules over plain sets of numbers; nothing
calls the functions under test.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, product
from typing import NamedTuple

from shutthebox.rules.profile import Profile

Row = frozenset[int]


def row(tiles: int) -> Row:
    """A bitmask as a set of numbers."""
    return frozenset(n for n in range(1, 55) if tiles & (1 << (n - 1)))


def moves(profile: Profile, opened: Row, faces: Sequence[int], *, first: bool = False) -> set[Row]:
    """Every legal move, found by trying all subsets of the open tiles."""
    found = set()
    for size in range(1, len(opened) + 1):
        for subset in combinations(sorted(opened), size):
            if _answers(profile, subset, opened, faces) and _permitted(profile, subset, first):
                found.add(frozenset(subset))
    return found


def _permitted(profile: Profile, subset: Collection[int], first: bool) -> bool:
    if profile.max_tiles is not None and len(subset) > profile.max_tiles:
        return False
    must = profile.first_move_must_include
    return not first or must is None or must in subset


def _answers(profile: Profile, subset: tuple[int, ...], opened: Row, faces: Sequence[int]) -> bool:
    wanted = {sum(faces)}
    if profile.difference and len(faces) == 2:
        wanted |= {abs(faces[0] - faces[1])} - {0}
    whole = len(subset) == 1 and subset[0] in wanted
    match profile.move.value:
        case "set":
            return sum(subset) in wanted
        case "single":
            return whole or (len(subset) == 1 and subset[0] in faces)
        case "exact":
            return whole or (len(faces) > 1 and sorted(faces) == list(subset))
        case "faces":
            shown = set(subset) <= set(faces)
            left_out = [face for face in faces if face in opened and face not in subset]
            return whole or (shown and not left_out)
        case "faces-free":
            return whole or set(subset) <= set(faces)
    raise AssertionError(profile.move)


def dice_counts(profile: Profile, opened: Row) -> set[int]:
    """How many dice may be thrown."""
    if profile.draw.value == "dominoes":
        return {2}
    low = {
        "never": False,
        "optional-high": all(tile <= 6 for tile in opened),
        "forced-high": all(tile <= 6 for tile in opened),
        "optional-sum": sum(opened) <= 6,
        "forced-sum": sum(opened) <= 6,
        "only-one": opened == {1},
    }[profile.one_die.value]
    if not low:
        return {profile.dice}
    return {1, profile.dice} if profile.one_die.value.startswith("optional") else {1}


def rolls(dice: int, sides: int) -> Iterable[tuple[int, ...]]:
    """Every way that dice fall."""
    return product(range(1, sides + 1), repeat=dice)


def points(profile: Profile, opened: Row, throws: int, lost: bool) -> int:
    """The score of a turn that has ended with these tiles open."""
    at_start = set(profile.tiles if profile.start_open is None else profile.start_open) & set(profile.tiles)
    if lost and profile.lost_score is not None:
        return profile.lost_score
    if lost:
        # The worst that a turn can come to.
        ends = [frozenset[int](), frozenset(at_start)]
        longest = len(at_start) if profile.blocked.value == "ends-turn" else 999
        every = [points(profile, end, throws, lost=False) for end in ends for throws in (1, longest)]
        return max(every) if profile.win.value != "highest" else min(every)
    rising = sorted(opened)
    return {
        "sum": sum(rising),
        "count": len(rising),
        "digits": int("0" + "".join(str(n) for n in rising)),
        "digits-reversed": int("0" + "".join(str(n) for n in rising[::-1])),
        "shut-sum": sum(at_start - opened),
        "throws": throws,
    }[profile.score.value]


class Ended(NamedTuple):
    """A turn of a round that has ended, in the order of ending; unplayed ones come last."""

    player: int
    points: int
    shut: bool
    played: bool


class Verdict(NamedTuple):
    """What an umpire says after the rounds so far; `winners` is empty while the match goes on.

    `seated` play the next round, the last `ties` rounds were extra ones. A match can be `over`
    without a winner: a player alone has reached the limit that loses.
    """

    over: bool
    winners: tuple[int, ...]
    totals: tuple[int, ...]
    seated: tuple[int, ...]
    ties: int


def umpire(profile: Profile, players: int, rounds: int, played: Sequence[Sequence[Ended]]) -> Verdict:
    """Totals and winners after these rounds, by the wording of the keys.

    Raises AssertionError if players sat down who should not have, or play went on after the end.
    """
    totals = [0] * players
    seated = list(range(players))
    ties = 0
    winners: tuple[int, ...] = ()
    over = False
    for number, ended in enumerate(played, 1):
        assert not over, "play went on after the match was won"
        whole = sorted(turn.player for turn in ended) == seated
        for turn in ended:
            if not ties or profile.tie.value == "replay-all":
                totals[turn.player] += turn.points
        shutters = [turn.player for turn in ended if turn.shut]
        one_round = profile.match.value == "total" and rounds == 1
        at_once = profile.shut_wins.value == "match" or (
            profile.shut_wins.value == "round" and (ties > 0 or one_round)
        )
        limit = profile.limit or 0
        somebody_lost = profile.match.value == "target-loses" and not ties and max(totals) >= limit
        assert whole or somebody_lost or _cut_short(profile, ended)
        if shutters and at_once:
            winners, over = (shutters[0],), True
            continue
        if somebody_lost:
            # Nobody had reached it before the turn that ended last (or was cut short by a shut).
            before = list(totals)
            for turn in ended[-1:] if ended[-1].played else [turn for turn in ended if not turn.played]:
                before[turn.player] -= turn.points
            assert max(before) < limit
            if players == 1:
                winners, over = (), True
                continue
        candidates = _candidates(profile, rounds, number, seated, totals, ties)
        if candidates is None:
            if profile.match.value == "drop-out":
                seated = [i for i in seated if totals[i] < (profile.limit or 0)]
            continue
        marks = {turn.player: turn.points for turn in ended} if ties else dict(enumerate(totals))
        best = (max if profile.win.value == "highest" else min)(marks[i] for i in candidates)
        tied = [i for i in candidates if marks[i] == best]
        if len(tied) == 1 or profile.tie.value == "share" or ties == 20:
            winners, over = tuple(tied), True
            continue
        ties += 1
        seated = tied
        if profile.tie.value == "replay-all":
            seated, totals = list(range(players)), [0] * players
    return Verdict(over, winners, tuple(totals), tuple(seated), ties)


def _cut_short(profile: Profile, ended: Sequence[Ended]) -> bool:
    return profile.shut_wins.value != "no" and [turn.shut for turn in ended if turn.played][-1]


def _candidates(
    profile: Profile, rounds: int, number: int, seated: list[int], totals: list[int], ties: int
) -> list[int] | None:
    """Who can have won after this round; None if the match goes on anyway."""
    if ties:
        return seated
    everybody = list(range(len(totals)))
    match profile.match.value:
        case "total":
            return everybody if number == rounds else None
        case "target-loses":
            below = [i for i in everybody if totals[i] < (profile.limit or 0)]
            if len(below) < len(everybody):
                return below
            return everybody if number == 999 else None
        case "target-wins":
            there = [i for i in everybody if totals[i] >= (profile.limit or 0)]
            return there or (everybody if number == 999 else None)
        case _:
            left = [i for i in seated if totals[i] < (profile.limit or 0)]
            if not left:
                return seated
            return left if number == 999 or (len(left) == 1 and len(totals) > 1) else None
