"""Whole turns by a simple player: `shutthebox.play_turns` against a loop over `rules.turn`, in one process.

    python tests/benchmarks/turns.py [GAME] [TURNS]

Prints turns per second of CPU time for both, and the ratio, for a first run and for one that finds the
positions known. Ends with 1 if the results differ, or if the second run isn't 3.2 times as fast as the loop.
"""

import sys
import time
from itertools import product
from random import Random

from shutthebox import Game, SimplePlayer, Turn, play_turns
from shutthebox.odds.strengths import simple_answer
from shutthebox.rules import turn as turns
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import Profile

LEAST = 3.2


def loop(profile: Profile, count: int, random: Random) -> list[tuple[int | None, str, int]]:
    """Plays turns with the rules alone: highest tiles first, the usual number of dice."""
    faces = {dice: list(product(range(1, profile.sides + 1), repeat=dice)) for dice in (1, profile.dice)}
    ends = []
    for _ in range(count):
        turn = turns.start(profile)
        while turn.outcome is None:
            throws = faces[dice_allowed(profile, turn.open, turn.behind)[0]]
            turn = turns.throw(profile, turn, throws[random.randrange(len(throws))])
            if turn.awaits_answer:
                turn = turns.move(profile, turn, simple_answer(profile, turn))
        ends.append((turn.score, turn.outcome.value, turn.throws))
    return ends


def main(name: str = "traditional", count: str = "20000") -> int:
    """Measures."""
    game, number = Game.from_name(name), int(count)
    began = time.process_time()
    expected = loop(game.profile, number, Random(1))
    by_rules = number / (time.process_time() - began)
    print(f"rules.turn: {by_rules:,.0f} turns a second")
    ratio = 0.0
    for run in ("first", "second"):
        began = time.process_time()
        ends = play_turns(Turn.start(game), SimplePlayer(), number, Random(1))
        rate = number / (time.process_time() - began)
        ratio = rate / by_rules
        print(f"play_turns, {run} run: {rate:,.0f} turns a second, {ratio:.1f} times")
        if [(end.score, end.outcome, end.throws) for end in ends] != expected:
            print("the results differ", file=sys.stderr)
            return 1
    return int(ratio < LEAST)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
