"""The rules restated without bitmasks, tables or caches, to compare the engine and the box with.

Everything here is written from the wording of the rules over plain sets of numbers; nothing
calls the functions under test.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod
from typing import NamedTuple

from shutthebox.rules.profile import Profile

Row = frozenset[int]


def row(tiles: int) -> Row:
    """A bitmask as a set of numbers."""
    return frozenset(n for n in range(1, 55) if tiles & (1 << (n - 1)))


def moves(profile: Profile, opened: Row, faces: Sequence[int], *, first: bool = False) -> set[Row]:
    """Every legal move, found by trying all subsets of the open tiles that are not worth too much."""
    most = max([sum(faces), *results(profile, faces)])
    if profile.move.value == "knipsen":
        most += sum(faces)
    return {
        frozenset(subset)
        for subset in _subsets(sorted(opened), most)
        if _answers(profile, subset, opened, faces) and _permitted(profile, subset, first)
    }


def _subsets(tiles: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """All but the empty one that add up to this at most; the tiles go up."""
    for at, tile in enumerate(tiles, start=1):
        if tile > most:
            return
        yield (tile,)
        for others in _subsets(tiles[at:], most - tile):
            yield (tile, *others)


def _permitted(profile: Profile, subset: Collection[int], first: bool) -> bool:
    if not profile.min_tiles <= len(subset) <= (profile.max_tiles or len(subset)):
        return False
    must = profile.first_move_must_include
    return not first or must is None or must in subset


def _answers(profile: Profile, subset: tuple[int, ...], opened: Row, faces: Sequence[int]) -> bool:
    wanted = results(profile, faces)
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
        case "knipsen":
            # A throw without a total, such as 5+3 to be divided, still has its faces.
            return any(set(subset) <= {*faces, total} for total in (0, *wanted))
    raise AssertionError(profile.move)


def are_columns(profile: Profile) -> bool:
    """Whether a tile may bear another number than its column, or both of a column go at once."""
    return profile.rows == 2 and (profile.back.value == "reversed" or profile.through)


def numbers_behind(profile: Profile) -> dict[int, int]:
    """By column what the tile behind bears."""
    back = profile.tiles if profile.back.value == "same" else tuple(reversed(profile.tiles))
    return dict(zip(profile.tiles, back, strict=True))


def column_moves(
    profile: Profile, opened: Row, behind: Row, faces: Sequence[int], *, first: bool = False
) -> set[Row]:
    """Every legal move where columns are named: a tile behind by its column, raised by the highest one."""
    wanted, shown, back, kind = (
        results(profile, faces),
        set(faces),
        numbers_behind(profile),
        profile.move.value,
    )
    most = sum(faces) + max(wanted, default=0)
    found: list[tuple[frozenset[int], list[int]]] = [(frozenset(), [])]
    for column in sorted(opened):
        in_front = column if column in behind else back[column]
        ways = [(frozenset({column}), [in_front])]
        if profile.through and column in behind:
            ways.append((frozenset({column, column + max(profile.tiles)}), [column, back[column]]))
        found += [
            (tiles | more, numbers + borne)
            for tiles, numbers in found
            for more, borne in ways
            if sum(numbers) + sum(borne) <= most
        ]
    moves, by_faces = set[Row](), list[tuple[Row, list[int]]]()
    for tiles, numbers in found[1:]:
        once = len(set(numbers)) == len(numbers)
        whole = len(numbers) == 1 and numbers[0] in wanted
        if kind == "faces" and once and set(numbers) <= shown:
            by_faces.append((tiles, numbers))
        right = {
            "set": sum(numbers) in wanted,
            "single": whole or (len(numbers) == 1 and numbers[0] in shown),
            "exact": whole or (once and sorted(numbers) == sorted(faces)),
            "faces": whole,
            "faces-free": whole or (once and set(numbers) <= shown),
            "knipsen": once and any(set(numbers) <= {*shown, total} for total in (0, *wanted)),
        }[kind]
        if right and _permitted(profile, numbers, first):
            moves.add(tiles)
    longest = max((len(numbers) for _, numbers in by_faces), default=0)
    return moves | {
        tiles
        for tiles, numbers in by_faces
        if len(numbers) == longest and _permitted(profile, numbers, first)
    }


def results(profile: Profile, faces: Sequence[int]) -> set[int]:
    """What a throw may be read as."""
    if len(faces) == 1 or not any(faces):
        return set(faces) - {0}
    twice = profile.doubles.value == "doubled" and len(set(faces)) == 1
    wanted = set[int]()
    ways = [each.value for each in profile.operations]
    if "sum" in ways or profile.difference:
        wanted.add(sum(faces))
    if "difference" in ways or profile.difference:
        signed = (sum(s * f for s, f in zip(signs, faces, strict=True)) for signs in _signs(len(faces)))
        wanted |= {total for total in signed if total > 0}
    if "product" in ways and all(faces):
        wanted.add(prod(faces))
    if "quotient" in ways and min(faces) and max(faces) % min(faces) == 0:
        wanted.add(max(faces) // min(faces))
    return {2 * total for total in wanted} if twice else wanted


def ends_turn(profile: Profile, faces: Sequence[int]) -> bool:
    """Whether a throw ends the turn whatever is open."""
    alike = len(faces) > 1 and len(set(faces)) == 1
    if alike and profile.doubles.value == "ends-turn":
        return True
    return bool(read_as(profile, faces) & profile.ends_turn_on)


def read_as(profile: Profile, faces: Sequence[int]) -> set[int]:
    """The total of a throw where it must have one: an only operation's result, else the sum; may be empty."""
    alike = len(faces) > 1 and len(set(faces)) == 1
    ways = ["sum", "difference"] if profile.difference else [each.value for each in profile.operations]
    unclear = len(ways) > 1 or (ways == ["difference"] and profile.dice > 2)
    if len(faces) == 1 or not any(faces) or not unclear:
        return results(profile, faces) if any(faces) else {0}
    return {sum(faces) * (2 if alike and profile.doubles.value == "doubled" else 1)}


def _signs(count: int) -> Iterator[tuple[int, ...]]:
    """Every choice of so many signs with a minus."""
    return (signs for signs in product((1, -1), repeat=count) if -1 in signs)


def dice_counts(profile: Profile, opened: Row, behind: Row = frozenset()) -> set[int]:
    """How many dice may be thrown; `behind` are the tiles that stand open behind open ones."""
    if profile.draw.value == "dominoes":
        return {2}
    when = profile.one_die.value
    at = profile.one_die_at or (1 if when.endswith("tiles") else 6)
    back = numbers_behind(profile)
    front = [n if profile.rows == 1 or n in behind else back[n] for n in opened]
    every = front + [back[n] for n in behind]
    low = {
        "never": False,
        "high": all(tile <= at for tile in every),
        "sum": sum(every) <= at,
        "tiles": len(every) <= at,
        "front": sum(front) <= at,
        "only-one": set(every) == {1},
        "shut": set(every).isdisjoint(profile.one_die_tiles or (7, 8, 9)),
    }[when.removeprefix("optional-").removeprefix("forced-")]
    if not low:
        return {profile.dice}
    return {1, profile.dice} if when.startswith("optional") else {1}


def rolls(dice: int, sides: int) -> Iterable[tuple[int, ...]]:
    """What dice can show; which one shows what makes no difference."""
    return combinations_with_replacement(range(1, sides + 1), dice)


NO_SEAT = 99
"""The number of a seat without a head start."""


def head_start(profile: Profile, seat: int) -> int | tuple[int, ...]:
    """The head start of a seat, from 0: points, or tiles that start shut."""
    return profile.handicap[seat] if seat < len(profile.handicap) else 0


def start(profile: Profile, seat: int = 0) -> Row:
    """The tiles open in front when a turn of this seat, from 0, starts."""
    given = head_start(profile, seat)
    already_shut = set() if isinstance(given, int) else set(given)
    wanted = profile.tiles if profile.start_open is None else profile.start_open
    return frozenset(set(wanted) & set(profile.tiles) - already_shut)


def starts_behind(profile: Profile, seat: int = 0) -> Row:
    """The tiles of the back row that are open when a turn of this seat, from 0, starts."""
    return start(profile, seat) if profile.rows == 2 else frozenset()


def points(
    profile: Profile,
    opened: Row,
    throws: int,
    lost: bool,
    *,
    behind: Row = frozenset(),
    late: bool = False,
    seat: int = 0,
    last: Sequence[int] = (),
) -> int:
    """The score of a turn that has ended with these tiles open, on this last throw.

    With two rows `opened` are the numbers of which a tile is open, `behind` those of which both are.
    """
    more = sum(read_as(profile, last)) if profile.add_throw and opened and last else 0
    at_start, back = start(profile, seat), starts_behind(profile, seat)
    if lost:
        # The same for every seat, whatever its head start.
        return more + (_worst(profile, NO_SEAT) if profile.lost_score is None else profile.lost_score)
    if late and _idle_pays(profile, seat):
        return more + _worst(profile, seat)
    rising = sorted(opened)
    return (
        more
        + {
            "sum": _counted(profile, opened, behind, sum),
            "count": _counted(profile, opened, behind, len),
            "digits": int("0" + "".join(str(n) for n in rising)),
            "digits-reversed": int("0" + "".join(str(n) for n in rising[::-1])),
            "shut-sum": _counted(profile, at_start - opened, back - behind, sum),
            "throws": throws,
        }[profile.score.value]
    )


def _counted(profile: Profile, opened: Row, behind: Row, count: Callable[[Collection[int]], int]) -> int:
    """What tiles count, each row by its points; with two rows `behind` are the columns in front."""
    if profile.rows == 1:
        return count(opened)
    front, back = profile.row_points or (1, 1)
    numbers = numbers_behind(profile)
    return front * count(behind) + back * count([numbers[n] for n in opened])


def _worst(profile: Profile, seat: int) -> int:
    """The worst that a turn of this seat can come to."""
    at_start, back = start(profile, seat), starts_behind(profile, seat)
    longest = len(at_start) + len(back) + profile.strikes - 1
    if profile.blocked.value != "ends-turn" or profile.insurance:
        longest = 999
    every = [
        points(profile, opened, throws, False, behind=behind, seat=seat, last=_largest(profile))
        for opened, behind in ((frozenset[int](), frozenset[int]()), (at_start, back))
        for throws in (1, longest)
    ]
    return max(every) if profile.win.value != "highest" else min(every)


def _largest(profile: Profile) -> Sequence[int]:
    """The throw that adds most to a score; none if throws aren't added."""
    if not profile.add_throw:
        return ()
    ones = [dice_counts(profile, frozenset({n}), frozenset({n})) for n in start(profile, NO_SEAT)]
    ones += [dice_counts(profile, frozenset({n})) for n in start(profile, NO_SEAT)]
    counts = {profile.dice}.union(*ones)
    every = [faces for dice in counts for faces in rolls(dice, profile.sides)]
    return max(every, key=lambda faces: sum(read_as(profile, faces)))


def _idle_pays(profile: Profile, seat: int) -> bool:
    """Whether a turn in which nothing is done would not be the worst there is."""
    back, last = starts_behind(profile, seat), _largest(profile)
    idle = points(profile, start(profile, seat), 0, False, behind=back, seat=seat, last=last)
    worst = _worst(profile, seat)
    return idle > worst if profile.win.value == "highest" else idle < worst


def paid(profile: Profile, total: int) -> int:
    """The bank's payment for a total: the most that it promises for this score or a worse one."""
    highest = profile.win.value == "highest"
    reached = [stakes for mark, stakes in profile.pays if (total >= mark if highest else total <= mark)]
    return max(reached, default=0)


def mates(profile: Profile, players: int, seat: int) -> set[int]:
    """The seats that play together with this one, itself included."""
    count = profile.teams
    if count is None or players % count:
        return {seat}
    return {other for other in range(players) if other % count == seat % count}


class Ended(NamedTuple):
    """A turn of a round that has ended, in the order of ending; unplayed ones come last.

    In a tug `left` are the tiles that the player still had to move, and who `opened` them all has shut no
    box.
    """

    player: int
    points: int
    shut: bool
    played: bool
    left: int = 0
    opened: bool = False


def penalties(
    profile: Profile, teams: Sequence[set[int]], ended: Sequence[Ended], *, extra: bool
) -> dict[int, int]:
    """By player what a round that is over costs those who have not shut the box while somebody has."""
    spared = {mate for turn in ended if turn.shut for mate in teams[turn.player]}
    if not spared or (extra and profile.tie.value == "play-off"):
        return {}
    more = profile.shut_others
    return {
        turn.player: turn.points if isinstance(more, str) else more
        for turn in ended
        if turn.player not in spared
    }


class Verdict(NamedTuple):
    """The umpire's verdict after the rounds so far; `winners` is empty while the match goes on.

    `seated` play the next round, which `first` begins, from `fresh` totals; the last `ties` rounds were
    extra ones. A match can be `over` without a winner: a player alone has reached the limit. `owes` are
    the stakes once it is over.
    """

    over: bool
    winners: tuple[int, ...]
    totals: tuple[int, ...]
    seated: tuple[int, ...]
    ties: int
    owes: tuple[Fraction, ...]
    fresh: tuple[int, ...]
    first: int


def umpire(
    profile: Profile, players: int, rounds: int, played: Sequence[Sequence[Ended]], first: int = 0
) -> Verdict:
    """Totals, winners and stakes after these rounds, by the wording of the keys.

    Raises AssertionError if players sat down who should not have, or play went on after the end.
    """
    given = [head_start(profile, seat) for seat in range(players)]
    better = 1 if profile.win.value == "highest" else -1
    at_first = [better * head if isinstance(head, int) else 0 for head in given]
    totals, fresh = list(at_first), list(at_first)
    teams = [mates(profile, players, seat) for seat in range(players)]
    everybody = list(range(players))
    seated = list(everybody)
    ties = 0
    winners: tuple[int, ...] = ()
    over = False
    money = _Money(profile, players, rounds, teams)
    counted, carries, carried = profile.match.value == "rounds-won", profile.tie.value == "carry", 0
    for number, ended in enumerate(played, 1):
        assert not over, "play went on after the match was won"
        totals = list(fresh)
        whole = sorted(turn.player for turn in ended) == seated
        due = penalties(profile, teams, ended, extra=ties > 0) if whole or _cut_short(profile, ended) else {}
        last = ended[-1:] if ended and ended[-1].played else [turn for turn in ended if not turn.played]
        scored_last = {turn.player: turn.points + due.get(turn.player, 0) for turn in last}
        ended = [turn._replace(points=turn.points + due.get(turn.player, 0)) for turn in ended]
        adds_up = not ties or profile.tie.value == "replay-all"
        for turn in ended:
            if adds_up and not counted and profile.turns.value != "tug":
                totals[turn.player] += turn.points
        shutters = [turn.player for turn in ended if turn.shut]
        money.plays(ended, seated, ties)
        if profile.turns.value == "shared":
            over, winners = last_in(players, teams, ended)
            continue
        one_round = profile.match.value == "total" and rounds == 1
        at_once = profile.shut_wins.value == "match" or (
            profile.shut_wins.value == "round" and (ties > 0 or one_round)
        )
        limit = profile.limit or 0
        together = totals if counted else [sum(totals[mate] for mate in team) for team in teams]
        loses = profile.match.value == "target-loses"
        somebody_lost = loses and not ties and max(together) >= limit
        assert whole or somebody_lost or _cut_short(profile, ended)
        if shutters and at_once:
            winners, over = tuple(_who_shut(profile, teams, shutters)), True
            continue
        took = _round_winners(profile, teams, seated, ended) if whole else []
        if profile.turns.value == "tug" and one_round:
            winners, over = tuple(took), True
            continue
        if took and carries and not ties and not one_round and set(took) != teams[took[0]]:
            money.stays(took)
            carried, took = carried + 1, []
        elif whole and not ties and not one_round:
            money.round_is_over(took)
        if counted and adds_up and took:
            for i in took:
                totals[i] += 1 + carried
            carried = 0
        if somebody_lost:
            lost = at_the_limit(profile, together)
            if profile.turns.value != "together":
                # Nobody had reached it before the turn that ended last (or was cut short by a shut).
                before = [total - scored_last.get(i, due.get(i, 0)) for i, total in enumerate(totals)]
                assert max(sum(before[mate] for mate in team) for team in teams) < limit
            money.have_lost(lost)
            if len(lost) == players:
                # A player alone, or all that a shut box has brought there together.
                winners, over = (), True
                continue
        if profile.stakes.value == "bank":
            over, winners = True, tuple(i for i in seated if paid(profile, totals[i]) > profile.stake)
            continue
        if profile.match.value == "ladder":
            over = number == rounds
            winners = (0,) if over and _climbs(profile, totals[0], rounds) else ()
            fresh = list(totals)
            continue
        begun_by, first = first, (first + 1) % players
        all_out = extra = False
        if profile.match.value == "drop-out" and not ties:
            out = [i for i in seated if together[i] >= limit]
            money.have_lost(out)
            all_out = out == seated
            if all_out and players == 1:
                over = True
                continue
        candidates = _candidates(profile, rounds, number, seated, together, teams, ties)
        fresh = list(totals)
        if candidates is None:
            if profile.match.value == "drop-out":
                seated = [i for i in seated if together[i] < limit]
        else:
            own = profile.tie.value == "replay-all" or not ties
            marks = totals if own else _marks(profile, ended)
            sums = {i: sum(marks[mate] for mate in teams[i]) for i in candidates}
            upwards = profile.win.value == "highest" or (counted and own)
            best = (max if upwards else min)(sums.values())
            tied = [i for i in candidates if sums[i] == best]
            plays_on = carries and profile.match.value in ("total", "rounds-won")
            no_more = number == 999 if plays_on else ties == 20
            if set(tied) == teams[tied[0]] or profile.tie.value == "share" or no_more:
                winners, over = tuple(tied), True
                continue
            if plays_on:
                ties -= 1
                if one_round:
                    money.stays(took)
                    took, fresh = [], list(at_first)
            elif profile.tie.value == "replay-all":
                # Who has lost or is out never comes back, and keeps the total that said so.
                if not ties and profile.match.value in ("total", "target-wins", "rounds-won"):
                    seated = everybody
                elif not ties:
                    seated = tied if all_out else candidates
                for i in seated:
                    fresh[i] = at_first[i]
                money.is_void()
            else:
                seated, extra = tied, True
            ties += 1
        if profile.first.value == "seat-1":
            first = seated[0]
        elif profile.first.value == "roll":
            first = begun_by
        beginners = [i for i in took if i in seated] if profile.first.value == "winner" and not extra else []
        while first not in (beginners or seated):
            first = (first + 1) % players
    owes = money.at_the_end(winners, totals) if over else [Fraction(0)] * players
    return Verdict(over, winners, tuple(totals), tuple(seated), ties, tuple(owes), tuple(fresh), first)


def _who_shut(profile: Profile, teams: Sequence[set[int]], shutters: Sequence[int]) -> list[int]:
    """Whom a shut box makes the winners: several only where everybody has answered the same throw."""
    told = shutters if profile.turns.value == "together" else shutters[:1]
    return sorted({mate for i in told for mate in teams[i]})


def _round_winners(
    profile: Profile, teams: Sequence[set[int]], seated: Sequence[int], ended: Sequence[Ended]
) -> list[int]:
    """Those with the best scores of a round that all have played, or who has ended it by a shut box."""
    shutters = [turn.player for turn in ended if turn.shut]
    if shutters and profile.shut_wins.value == "round":
        return _who_shut(profile, teams, shutters)
    own = _marks(profile, ended)
    points = {i: sum(own.get(mate, 0) for mate in teams[i]) for i in seated}
    best = (max if profile.win.value == "highest" else min)(points.values())
    return [i for i in seated if points[i] == best]


def _marks(profile: Profile, ended: Sequence[Ended]) -> Mapping[int, int]:
    """By player what is compared at the end of a round: points, or in a tug the tiles that are left."""
    return {turn.player: turn.left if profile.turns.value == "tug" else turn.points for turn in ended}


class _Money:
    """The stakes of a match: who has paid what, round by round."""

    def __init__(self, profile: Profile, players: int, rounds: int, teams: list[set[int]]) -> None:
        self._profile, self._players, self._rounds, self._teams = profile, players, rounds, teams
        self._owes = [Fraction(0)] * players
        self._shut: set[int] = set()
        self._lost: list[int] = []
        self._pot = 0
        self._staked: list[int] = []
        self._settled = False
        self._thrown: set[int] = set()
        self._points: dict[int, int] = {}
        self._kind, self._match = profile.stakes.value, profile.match.value

    def plays(self, ended: Sequence[Ended], seated: list[int], ties: int) -> None:
        """A round is played, or an extra one."""
        if not ties:
            self._shut, self._settled, self._staked = set(), False, list(seated)
            self._points = {turn.player: turn.points for turn in ended}
        self._shut |= {turn.player for turn in ended if turn.shut and not turn.opened}
        self._thrown |= {turn.player for turn in ended}

    def is_void(self) -> None:
        """Everybody starts over."""
        self._shut = set()

    def have_lost(self, players: list[int]) -> None:
        """These are out, or have reached the limit that loses; the first to do so count."""
        self._lost = self._lost or players

    def round_is_over(self, winners: Sequence[int]) -> None:
        """The end of a round of several."""
        self._settle(winners)
        self._empties_pot(winners)

    def stays(self, tied: Sequence[int]) -> None:
        """Nobody has won the round: what is paid in stays on the table."""
        self._settled = True
        if self._kind == "loser-pays":
            self._settle(tied)
        elif self._kind in ("pool", "pool-double"):
            for i in self._staked:
                self._owes[i] += 1
            self._pot += len(self._staked)

    def _empties_pot(self, winners: Sequence[int]) -> None:
        heirs = winners or range(self._players)
        for i in heirs:
            self._owes[i] -= Fraction(self._pot, len(heirs))
        self._pot = 0

    def _settle(self, winners: Sequence[int]) -> None:
        """The stakes of one round."""
        self._settled = True
        if self._kind in ("pool", "pool-double"):
            doubled = [i for i in winners if self._teams[i] & self._shut and self._kind == "pool-double"]
            for i in self._staked:
                self._owes[i] += 1
                if doubled and i not in doubled:
                    self._owes[i] += 1
            for i in winners:
                self._owes[i] -= Fraction(len(self._staked), len(winners))
            for i in doubled:
                self._owes[i] -= Fraction(len(self._staked) - len(doubled), len(doubled))
        if self._kind == "loser-pays" and self._match in ("total", "target-wins", "ladder", "rounds-won"):
            self._buy([i for i in self._staked if i not in winners] or self._staked, self._points)

    def _buy(self, losers: Sequence[int], points: Mapping[int, int], *, few: bool = False) -> None:
        """The worst of the losers buys the round; who has no points yet only if nobody has any.

        `few` points are bad whatever the score is.
        """
        if self._players == 1:
            return
        marks = {
            i: sum(points[mate] for mate in self._teams[i] if mate in points)
            for i in losers
            if any(mate in points for mate in self._teams[i])
        }
        few = few or self._profile.win.value == "highest"
        worst = (min if few else max)(marks.values(), default=None)
        payers = [i for i in losers if not marks or marks.get(i) == worst]
        for i in payers:
            self._owes[i] += Fraction(1, len(payers))

    def at_the_end(self, winners: tuple[int, ...], totals: list[int]) -> list[Fraction]:
        """The stakes of the whole match."""
        if self._kind == "bank":
            return [Fraction(self._profile.stake - paid(self._profile, own)) for own in totals]
        self._empties_pot(winners)
        if not winners and not (self._lost and self._kind in ("loser-pays", "loser-pays-match")):
            return self._owes
        everybody = list(range(self._players))
        one_round = self._match == "total" and self._rounds == 1
        of_match = one_round or self._match in ("target-loses", "drop-out")
        if self._kind == "loser-pays-match" or (self._kind == "loser-pays" and of_match):
            losers = [i for i in self._lost if i not in winners] or [i for i in everybody if i not in winners]
            totalled = {i: totals[i] for i in self._thrown}
            self._buy(losers or everybody, totalled, few=self._match == "rounds-won")
        elif not self._settled:
            self._settle(winners)
        return self._owes


def _cut_short(profile: Profile, ended: Sequence[Ended]) -> bool:
    if profile.turns.value == "together":
        return profile.shut_wins.value != "no" and any(turn.shut for turn in ended)
    return profile.shut_wins.value != "no" and [turn.shut for turn in ended if turn.played][-1]


def last_in(players: int, teams: list[set[int]], ended: Sequence[Ended]) -> tuple[bool, tuple[int, ...]]:
    """One row for all: whether the match is over, and who has won."""
    if ended and ended[-1].shut:
        return True, tuple(sorted(teams[ended[-1].player]))
    out = {turn.player for turn in ended}
    still_in = {tuple(sorted(teams[i])) for i in range(players) if i not in out}
    if players == 1:
        return bool(out), (0,) if out else ()
    return len(still_in) == 1, still_in.pop() if len(still_in) == 1 else ()


def _climbs(profile: Profile, total: int, rounds: int) -> bool:
    """Whether this total is one rung higher, or the top."""
    if profile.limit is None:
        return True
    highest = profile.win.value == "highest"
    if total > profile.limit if highest else total < profile.limit:
        return True
    whole, back = start(profile), starts_behind(profile)
    ends = ((frozenset[int](), frozenset[int](), 1), (whole, back, 1))
    if profile.score.value == "throws" and highest:
        endless = profile.blocked.value != "ends-turn" or profile.insurance
        ends = ((whole, back, 999 if endless else len(whole) + len(back) + profile.strikes - 1),) * 2
    every = [
        points(profile, opened, throws, False, behind=behind, last=_largest(profile))
        for opened, behind, throws in ends
    ]
    return total == (max if highest else min)(every) * rounds


def _candidates(
    profile: Profile,
    rounds: int,
    number: int,
    seated: list[int],
    totals: list[int],
    teams: list[set[int]],
    ties: int,
) -> list[int] | None:
    """The possible winners after this round; None if the match goes on anyway. Totals are those of teams."""
    if ties:
        return seated
    everybody = list(range(len(totals)))
    match profile.match.value:
        case "total":
            return everybody if number >= rounds else None
        case "rounds-won" if profile.limit is None:
            return everybody if number >= rounds else None
        case "rounds-won":
            there = [i for i in everybody if totals[i] >= (profile.limit or 0)]
            return there or (everybody if number == 999 else None)
        case "target-loses":
            lost = at_the_limit(profile, totals)
            below = [i for i in everybody if i not in lost]
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
            alone = set(left) == teams[left[0]] and len(left) < len(totals)
            return left if number == 999 or alone else None


def at_the_limit(profile: Profile, totals: Sequence[int]) -> list[int]:
    """Who has lost at the limit; where one throw may bring several there, the worst of them."""
    there = [i for i, total in enumerate(totals) if total >= (profile.limit or 0)]
    if profile.turns.value == "together":
        return [i for i in there if totals[i] == max(totals)]
    return there


def verdict_on(
    down: Row,
    start: Row,
    held_open: Row,
    throw: tuple[int, ...] | None,
    legal: Collection[Row],
    *,
    reopens: bool,
) -> str:
    """The verdict on the levers that are down, in the words of a scenario.

    `start` are the tiles open when a turn starts, `held_open` those that the game holds open now,
    `legal` the moves for the throw on the table; `reopens`: a tile has to be opened instead.
    """
    lifted, flipped = start - held_open - down, down & held_open
    if reopens and not flipped and len(lifted) == 1:
        return f"complete {min(lifted)}"
    if lifted and not (reopens and flipped):
        return "put-back " + " ".join(map(str, sorted(lifted)))
    if flipped and (throw is None or reopens):
        return "lift " + " ".join(map(str, sorted(flipped)))
    if not flipped:
        return "ok"
    if flipped in legal:
        return "complete"
    rest = [sum(move - flipped) for move in legal if flipped < move]
    over = sum(flipped) - sum(throw or ())
    if rest:
        return f"missing {min(rest)}"
    return f"over {over}" if over > 0 else "dead-end"
