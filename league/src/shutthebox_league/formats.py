"""Formats of events: make a table and the next pairings from the entrants and the results so far.

Pure: names and results in, a table out. Entrants are in the order of their seeding, the best first.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, log2
from typing import Any

from shutthebox_league.places import places_of


class Format(StrEnum):
    """How an event is played."""

    LADDER = "ladder"
    BEST_OF_NIGHT = "best-of-the-night"
    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"

    @property
    def games(self) -> int | None:
        """How many games of a pair, or of one entrant alone, can matter; None if all do."""
        match self:
            case Format.LADDER:
                return None
            case Format.SWISS:
                return 2  # In a small one a pair may have to meet twice.
            case Format.BEST_OF_NIGHT | Format.ROUND_ROBIN | Format.KNOCKOUT:
                return 1

    @property
    def ties(self) -> tuple[str, ...]:
        """The names of the tie-breaks on points, in order."""
        match self:
            case Format.SWISS:
                return "Buchholz", "Sonneborn–Berger"
            case Format.ROUND_ROBIN:
                return ("Sonneborn–Berger",)
            case Format.LADDER | Format.BEST_OF_NIGHT | Format.KNOCKOUT:
                return ()


Pairing = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Game:
    """A match between two entrants.

    Attributes:
        first: an entrant.
        second: the other.
        winner: one of the two; None for a draw.
    """

    first: str
    second: str
    winner: str | None

    @property
    def pair(self) -> frozenset[str]:
        """Both entrants."""
        return frozenset((self.first, self.second))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an event's table.

    Attributes:
        place: from 1; equals share it.
        name: of the entrant.
        points: wins, and a half for a draw; the best total for `BEST_OF_NIGHT`, None without one.
        played: matches that count.
        out: has lost in a knockout.
        ties: the tie-breaks on points, in the order of `Format.ties`.
    """

    place: int
    name: str
    points: float | None
    played: int
    out: bool = False
    ties: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """The table of an event, and its next pairings.

    Attributes:
        lines: the best first; equals in the order of their seeding.
        next: pairings that may be played now; for `BEST_OF_NIGHT` each with an empty second name.
        champions: everybody in the first place, once it is decided.
    """

    lines: tuple[Line, ...]
    next: tuple[Pairing, ...]
    champions: tuple[str, ...] = ()


def ladder(entrants: Sequence[str], games: Sequence[Game]) -> Standing:
    """Each may challenge the one above; a challenger who wins takes that place."""
    order = list(entrants)
    played = Counter[str]()
    for game in games:
        upper, lower = sorted(game.pair, key=order.index)
        if order.index(lower) - order.index(upper) != 1:
            continue  # No challenge, just a match.
        played.update(game.pair)
        if game.winner == lower:
            at = order.index(upper)
            order[at], order[at + 1] = lower, upper
    lines = tuple(Line(place, name, None, played[name]) for place, name in enumerate(order, 1))
    return Standing(lines, tuple((order[i + 1], order[i]) for i in range(len(order) - 1)))


def round_robin(entrants: Sequence[str], games: Sequence[Game]) -> Standing:
    """Everybody plays everybody once; the first match of a pair counts."""
    first = {game.pair: game for game in reversed(games)}
    rounds = [[pair for pair in found if all(pair)] for found in _circle(entrants)]
    left = [[pair for pair in found if frozenset(pair) not in first] for found in rounds]
    counted = list(first.values())
    points = _points(counted)
    ties = {name: (_sonneborn_berger(name, counted, points),) for name in entrants}
    lines = _lines(entrants, points, Counter(name for game in counted for name in game.pair), ties)
    upcoming = next((tuple(found) for found in left if found), ())
    return Standing(lines, upcoming, () if upcoming else first_of(lines))


def swiss(entrants: Sequence[str], games: Sequence[Game]) -> Standing:
    """Rounds in which equals meet, never the same pair twice; as many as it takes for only one to win all.

    A round is paired when the one before is complete. With an odd number, somebody has a bye, which counts
    as a win: the last in the table who has had none.
    """
    rounds = ceil(log2(len(entrants))) if len(entrants) > 1 else 0
    points = Counter[str]()
    met, byes = set[frozenset[str]](), set[str]()
    played = Counter[str]()
    waiting, counted = _by_pair(games), list[Game]()

    def table() -> tuple[Line, ...]:
        ties = {
            name: (
                sum(points[_other(game, name)] for game in counted if name in game.pair),
                _sonneborn_berger(name, counted, points),
            )
            for name in entrants
        }
        return _lines(entrants, points, played, ties)

    for _ in range(rounds):
        order = sorted(entrants, key=lambda name: (-points[name], entrants.index(name)))
        if len(order) % 2:
            bye = next(name for name in reversed(order) if name not in byes)
            order.remove(bye)
            byes.add(bye)
        else:
            bye = None
        pairs = _pair_off(order, met) or _neighbours(order)
        missing = []
        found_games = []
        for pair in pairs:
            if found := waiting[frozenset(pair)]:
                found_games.append(found.popleft())
            else:
                missing.append(pair)
        counted += found_games
        for game in found_games:
            met.add(game.pair)
            played.update(game.pair)
            for name in game.pair:
                points[name] += _score(game, name)  # type: ignore[assignment]
        if missing:
            return Standing(table(), tuple(missing))
        if bye is not None:
            points[bye] += 1
    lines = table()
    return Standing(lines, (), first_of(lines))


def knockout(entrants: Sequence[str], games: Sequence[Game]) -> Standing:
    """The loser is out; the best seeded have the byes and meet late. After a draw the pair plays again."""
    size = 1 << max(len(entrants) - 1, 0).bit_length()
    alive: list[str | None] = [entrants[seed] if seed < len(entrants) else None for seed in _bracket(size)]
    out: list[list[str]] = []
    played = Counter[str]()
    waiting = _by_pair([game for game in games if game.winner is not None])
    while len(alive) > 1:
        missing: list[Pairing] = []
        following: list[str | None] = []
        out.append([])
        for first, second in zip(alive[::2], alive[1::2], strict=True):
            if first is None or second is None:
                following.append(first or second)
                continue
            found = waiting[frozenset((first, second))]
            if not found:
                missing.append((first, second))
                continue
            decided = found.popleft()
            played.update(decided.pair)
            following.append(decided.winner)
            out[-1].append(second if decided.winner == first else first)
        if missing:
            return Standing(_knockout_lines(entrants, out, played), tuple(missing))
        alive = following
    lines = _knockout_lines(entrants, out, played)
    return Standing(lines, (), first_of(lines))


def best_of_night(
    entrants: Sequence[str], totals: Mapping[str, int], *, highest: bool, over: bool
) -> Standing:
    """The best total of a match wins; entrants who have not played are next.

    Args:
        entrants: of the night.
        totals: the best total of each who has played.
        highest: whether the highest total is the best.
        over: whether the night is over.
    """
    sign = -1 if highest else 1
    keys = {name: (name not in totals, sign * totals.get(name, 0)) for name in entrants}
    lines = tuple(
        Line(place, name, totals.get(name), int(name in totals)) for place, name in _ranked(entrants, keys)
    )
    upcoming = () if over else tuple((name, "") for name in entrants if name not in totals)
    return Standing(lines, upcoming, first_of(lines) if over and totals else ())


def first_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """The names of everybody in the first place."""
    return tuple(line.name for line in lines if line.place == 1)


def _ranked(entrants: Sequence[str], keys: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """The entrants, those with the lowest keys first, each after the place."""
    order = sorted(entrants, key=keys.__getitem__)  # equals stay in the order of their seeding
    return zip(places_of([keys[name] for name in order]), order, strict=True)


def _by_pair(games: Sequence[Game]) -> defaultdict[frozenset[str], deque[Game]]:
    found = defaultdict[frozenset[str], deque[Game]](deque)
    for game in games:
        found[game.pair].append(game)
    return found


def _score(game: Game, name: str) -> float:
    return 0.5 if game.winner is None else float(game.winner == name)


def _points(games: Sequence[Game]) -> Mapping[str, float]:
    found = defaultdict[str, float](float)
    for game in games:
        for name in game.pair:
            found[name] += _score(game, name)
    return found


def _other(game: Game, name: str) -> str:
    return game.second if game.first == name else game.first


def _sonneborn_berger(name: str, games: Sequence[Game], points: Mapping[str, float]) -> float:
    """The points of those whom somebody has beaten, and half of those after a draw."""
    own = (game for game in games if name in game.pair)
    return sum(_score(game, name) * points.get(_other(game, name), 0.0) for game in own)


def _lines(
    entrants: Sequence[str],
    points: Mapping[str, float],
    played: Mapping[str, int],
    ties: Mapping[str, tuple[float, ...]],
) -> tuple[Line, ...]:
    keys = {name: (-points.get(name, 0), *(-each for each in ties[name])) for name in entrants}
    return tuple(
        Line(place, name, float(points.get(name, 0)), played.get(name, 0), ties=ties[name])
        for place, name in _ranked(entrants, keys)
    )


def _knockout_lines(
    entrants: Sequence[str], out: Sequence[Sequence[str]], played: Mapping[str, int]
) -> tuple[Line, ...]:
    """The lines of those still in, and of those who lost in each round: a round later is a place better."""
    lost = {name: number for number, losers in enumerate(out) for name in losers}
    keys = {name: -lost.get(name, len(out)) for name in entrants}
    return tuple(
        Line(place, name, float(played.get(name, 0) - (name in lost)), played.get(name, 0), name in lost)
        for place, name in _ranked(entrants, keys)
    )


def _circle(entrants: Sequence[str]) -> Iterator[list[Pairing]]:
    """Rounds by the circle method; an empty name stands for a bye."""
    ring = [*entrants, *([""] if len(entrants) % 2 else [])]
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        yield list(zip(ring[:half], reversed(ring[half:]), strict=True))
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _pair_off(order: Sequence[str], met: set[frozenset[str]]) -> list[Pairing] | None:
    """Neighbours that have not met, by backtracking; None if there is no such pairing."""
    if not order:
        return []
    first = order[0]
    for other in order[1:]:
        if frozenset((first, other)) not in met:
            rest = _pair_off([name for name in order[1:] if name != other], met)
            if rest is not None:
                return [(first, other), *rest]
    return None


def _neighbours(order: Sequence[str]) -> list[Pairing]:
    return list(zip(order[::2], order[1::2], strict=True))


def _bracket(size: int) -> list[int]:
    """The order of seeds in which the best two meet in the final."""
    seeds = [0]
    while len(seeds) < size:
        most = 2 * len(seeds) - 1
        seeds = [seed for pair in ((seed, most - seed) for seed in seeds) for seed in pair]
    return seeds
