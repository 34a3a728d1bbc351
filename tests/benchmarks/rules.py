"""The speed of the rules, beside plain engines in the same run.

    python tests/benchmarks/rules.py [--turns N]

For each profile the same turns are played twice with the same dice, by the rules engine and by a
plain one: sets of numbers, and moves found by trying every combination of open tiles. Both must
come to the same scores. Trying every combination is out of the question on a pack of cards, so
there the plain engine takes or skips one tile after the other and stops above the total.

Printed are look-ups of legal moves a second (of positions met for the first time, and met again),
whole turns a second, and both as ratios. The seconds depend on the machine, the ratios hardly do.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from shutthebox.config import profiles
from shutthebox.rules import moves
from shutthebox.rules import turn as turns
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers, to_tiles

Numbers = tuple[int, ...]
NAMES = ("traditional", "trac", "thai", "full-house", "the-300", "double-eighteen", "cards")
EVERY_COMBINATION = 12
"""The longest row on which every combination is tried."""


def plain_moves(profile: Profile, opened: Numbers, faces: Numbers) -> list[Numbers]:
    """The legal moves as one writes them first."""
    total = sum(faces)
    if len(profile.tiles) > EVERY_COMBINATION:
        return list(take_or_skip(opened, total))
    found = []
    for size in range(1, len(opened) + 1):
        for tiles in combinations(opened, size):
            match profile.move.value:
                case "set":
                    legal = sum(tiles) == total
                case "single":
                    legal = size == 1 and (tiles[0] == total or tiles[0] in faces)
                case _:
                    alone = all(face in tiles or face not in opened for face in faces)
                    legal = tiles == (total,) or (set(tiles) <= set(faces) and alone)
            if legal:
                found.append(tiles)
    return found


def take_or_skip(opened: Numbers, total: int) -> Iterator[Numbers]:
    """Subsets with this sum, one tile after the other."""
    if total == 0:
        yield ()
    elif opened and opened[0] <= total:
        for rest in take_or_skip(opened[1:], total - opened[0]):
            yield (opened[0], *rest)
        yield from take_or_skip(opened[1:], total)


def one_die_allowed(profile: Profile, opened: Numbers) -> bool:
    """Whether the plain player throws one die; both throw as few as they may."""
    return profile.one_die.value.endswith("-high") and max(opened) <= 6


def plain_turn(profile: Profile, dice: random.Random) -> int:
    """A turn by the plain engine: the move with the highest tiles is played. Gives the sum left."""
    opened = profile.tiles
    while opened:
        count = 1 if one_die_allowed(profile, opened) else profile.dice
        faces = tuple(dice.randint(1, profile.sides) for _ in range(count))
        found = plain_moves(profile, opened, faces)
        if not found:
            break
        best = max(found, key=lambda tiles: tiles[::-1])
        opened = tuple(tile for tile in opened if tile not in best)
    return sum(opened)


def engine_turn(profile: Profile, dice: random.Random, met: list[tuple[int, Numbers]]) -> int:
    """The same turn by the rules engine; notes the positions and throws that it meets."""
    turn = turns.start(profile)
    while turn.outcome is None:
        count = min(moves.dice_allowed(profile, turn.open))
        faces = tuple(dice.randint(1, profile.sides) for _ in range(count))
        met.append((turn.open, faces))
        turn = turns.throw(profile, turn, faces)
        if turn.outcome is None:
            turn = turns.move(profile, turn, max(turns.answers(profile, turn)))
    return sum(to_numbers(turn.open))


def forget() -> None:
    """Empties what the engine keeps."""
    for kept in (moves._legal_moves, moves._legal_moves_long, moves._table):
        kept.cache_clear()


def rate(call: Callable[[], int]) -> float:
    """Things done in a second of CPU time, where `call` gives how many it has done."""
    began = time.process_time()
    done = call()
    return done / (time.process_time() - began)


def look_ups(profile: Profile, met: Iterable[tuple[int, Numbers]]) -> int:
    """Looks all these positions up."""
    done = 0
    for opened, faces in met:
        moves.legal_moves(profile, opened, faces)
        done += 1
    return done


def measure(name: str, wanted: int) -> None:
    """Prints the lines of one profile."""
    profile = profiles.builtin(name)
    count = wanted if len(profile.tiles) <= EVERY_COMBINATION else max(1, wanted // 250)
    met: list[tuple[int, Numbers]] = []
    scores: dict[str, list[int]] = {"engine": [], "plain": []}

    def play_engine() -> int:
        scores["engine"] = [engine_turn(profile, random.Random(seed), met) for seed in range(count)]
        return count

    def play_plain() -> int:
        scores["plain"] = [plain_turn(profile, random.Random(seed)) for seed in range(count)]
        return count

    def plain_look_ups() -> int:
        for opened, faces in few:
            plain_moves(profile, to_numbers(opened), faces)
        return len(few)

    forget()
    engine_turns, plain_turns = rate(play_engine), rate(play_plain)
    if scores["engine"] != scores["plain"]:
        raise SystemExit(f"{name}: the engines do not come to the same scores")
    for opened, faces in met[:50]:
        found = {to_tiles(tiles) for tiles in plain_moves(profile, to_numbers(opened), faces)}
        if found != set(moves.legal_moves(profile, opened, faces)):
            raise SystemExit(f"{name}: the engines do not find the same moves")
    fresh, few = list(dict.fromkeys(met)), met[: 20 * count]
    forget()
    first = rate(lambda: look_ups(profile, fresh))
    again = rate(lambda: look_ups(profile, [entry for entry in fresh[-100:] for _ in range(200)]))
    plain = rate(plain_look_ups)
    most = max(len(moves.legal_moves(profile, opened, faces)) for opened, faces in fresh)
    print(
        f"{name:16} {most:5}  {first:10,.0f} {again:10,.0f} {plain:10,.0f}  {first / plain:6.1f} x"
        f"  {engine_turns:9,.0f} {plain_turns:9,.0f}  {engine_turns / plain_turns:6.1f} x"
    )


def main() -> None:
    """Measures every profile."""
    parser = argparse.ArgumentParser(description="Rules engine beside plain engines.")
    parser.add_argument("--turns", type=int, default=5000, help="turns on boxes up to 12 tiles (5000)")
    wanted = parser.parse_args().turns
    print(f"{'':23}  look-ups a second {'':18} engine    turns a second   {'':5} engine")
    print(f"{'':11} most moves  {'first':>10} {'again':>10} {'plain':>10} {'by plain':>9}", end="")
    print(f"  {'engine':>9} {'plain':>9} {'by plain':>9}")
    for name in NAMES:
        measure(name, wanted)


if __name__ == "__main__":
    main()
