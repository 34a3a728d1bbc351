"""The CPU time of a lever move in the middle of a turn: simulated contacts, rules, judge and panel's screen.

    python tests/benchmarks/lever.py

Flips and lifts levers that answer a throw, in a game with one row and in one with two, and prints ms a move.
To compare two versions, run it in both, in turns.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.box import BoxUnderTest, config_with

MOVES = 2_000


def ms_a_move(game: str) -> float:
    box = BoxUnderTest(config=config_with(game__profile=game, game__players=1))
    box.press()
    box.throw(3, 6)
    began_s = time.process_time()
    for _ in range(MOVES // 4):
        box.flip(4)
        box.flip(5)
        box.lift(4)
        box.lift(5)
    return (time.process_time() - began_s) * 1000 / MOVES


for name in ("traditional", "double-shutter"):
    print(f"{name}: {min(ms_a_move(name) for _ in range(5)):.3f} ms")
