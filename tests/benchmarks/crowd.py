"""A crowd that plays badly in every way known, in virtual time, under the eyes of a referee.

    python tests/benchmarks/crowd.py [--throws 1000000] [--seed N] [--jobs N] [--out FOLDER]

All built-in games that fit twelve levers, and house rules on rows of 1 to 12 tiles, one to eight
players, dice of the box or the players' own, computers, lost edges, pulled plugs. At each table one
person plays well and one to three others disturb: they lean on the button, move two levers at once,
flip in others' turns, cheat between turns, never raise levers, have a button that bounces for
300 ms, hammer, rattle, explore the menu, walk away. Then they leave, and a skilled player has to get
the match to its end from there. tests/box/crowd/README.md has the checks and the results of a million throws.

Ends with 1 at the first fault, and writes the moves of all hands until then as a scenario, as short as
possible, that `shutthebox replay` plays.
"""

import argparse
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.box.crowd import table
from tests.box.crowd.table import FaultError, Faults, Plan
from tests.support.progress import end_progress, show_progress
from tests.support.referee import WAYS, Seen


def report(seen: Seen, faults: Faults, tables: int, passed_s: float, jobs: int) -> str:
    """The figures, for people."""
    ways = {way for way in seen.ways if way in WAYS}
    never = ", ".join(sorted(f"{a} to {b}" for a, b in WAYS - ways)) or "none"
    games = sorted(seen.games.items(), key=lambda entry: entry[1])
    (rarest, fewest), (commonest, most) = games[0], games[-1]
    lines = [
        f"throws        {seen.throws}: {seen.thrown_shown} shown, {seen.thrown_left} left while they rolled",
        f"matches       {seen.begun} begun, {seen.finished} decided, {seen.left} left, at {tables} tables",
        f"rescues       {faults.rescues}: each brought what the crowd had left to the end of a match",
        f"power cuts    {seen.cuts}",
        f"games         {len(games)}, from {fewest} throws ({rarest}) to {most} ({commonest})",
        f"rows          {_by_number(seen.rows)} (tiles: throws)",
        f"players       {_by_number(seen.players)} (players: throws)",
        f"verdicts      {_counted(seen.verdicts)}",
        f"modes         {_counted(seen.modes)}",
        f"transitions   {len(ways)} of {len(WAYS)} ways of the machine's table; never: {never}",
        f"time          {passed_s:.0f} s for {faults.virtual_ns / 3.6e12:.0f} h at the box, "
        f"{seen.throws / passed_s:.0f} throws a second, {jobs} processes",
        "",
        "who           touches  put-back    lift    over  dead-end  refused",
    ]
    for who, touches in faults.touches.most_common():
        found = [faults.found[who, kind] for kind in (*table.FAULTS, "refused")]
        lines.append(
            f"{who:12} {touches:8}  {found[0]:8} {found[1]:7} {found[2]:7}  {found[3]:8} {found[4]:8}"
        )
    lines += ["", "checked"]
    lines += [f"{count:12}  {what}" for what, count in seen.checks.most_common()]
    return "\n".join(lines)


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def _by_number(counter: Counter[int]) -> str:
    return ", ".join(f"{number}: {count}" for number, count in sorted(counter.items()))


def keep(fault: FaultError, folder: Path) -> Path:
    """Writes the script that shows the fault."""
    folder.mkdir(parents=True, exist_ok=True)
    if fault.plan.profile:
        (folder / "crowd.toml").write_text(fault.plan.profile, encoding="utf-8")
    script = folder / f"fault-{fault.plan.seed}.scn"
    script.write_text(table.scenario(fault.plan, fault.moves, str(fault)), encoding="utf-8")
    return script


def played(plan: Plan) -> tuple[Seen, Faults, FaultError | None]:
    """One table from beginning to end, or to its fault."""
    seen, faults = Seen(), Faults()
    try:
        for _ in table.play(plan, seen, faults):
            pass
    except FaultError as fault:
        return seen, faults, fault
    return seen, faults, None


def tables(seed: int, jobs: int) -> Iterator[tuple[Seen, Faults, FaultError | None]]:
    """The result of each table, in their order, played by so many processes at once."""
    plans = table.plans(seed)
    with ProcessPoolExecutor(jobs) as pool:
        waiting = deque(pool.submit(played, plan) for plan in islice(plans, 2 * jobs))
        try:
            while True:
                waiting.append(pool.submit(played, next(plans)))
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def main() -> int:
    """Plays, and reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--throws", metavar="N", type=int, default=1_000_000)
    parser.add_argument("--seed", metavar="N", type=int, default=1)
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--out", metavar="FOLDER", type=Path, default=Path("build/crowd"))
    args = parser.parse_args()
    seen, faults, number, started = Seen(), Faults(), 0, time.perf_counter()
    for more_seen, more_faults, fault in tables(args.seed, args.jobs):
        seen.add(more_seen)
        faults.add(more_faults)
        if fault is not None:
            end_progress()
            print(f"FAULT: {fault}\nseed {args.seed}, table {number}: {fault.plan}")
            script = keep(fault, args.out)
            print(f"see it again: cd {script.parent} && shutthebox replay {script.name} --json")
            return 1
        number += 1
        show_progress(seen.throws, args.throws, started)
        if seen.throws >= args.throws:
            break
    end_progress()
    passed_s = time.perf_counter() - started
    print(f"No fault, seed {args.seed}.\n\n{report(seen, faults, number, passed_s, args.jobs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
