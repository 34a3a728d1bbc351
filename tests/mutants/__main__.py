"""A seeded random sample of small changes to the program: how many of them do the tests notice?

    make mutants ARGS="--sample 300 --seed 7"
    python -m tests.mutants --only game/judge.py --sample 20

Each change is made in a copy of the packages, and the tests are run on it in five stages until one fails:
those that import the changed module, those of its folder, the slow ones of both, those of the whole box in
play, all of `make test`.
Before that they are run without any change; if one fails then, this ends with 2. Prints a line for each
change; ends with 1 if fewer than 95 % are noticed. Some change nothing that anybody could notice: a person
has to look at the survivors.

mutmut has no seeded sample and cannot change what is outside functions; cosmic-ray knows one command for the
tests of all its changes. So this is our own.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutants.changes import Change, changed, changes

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware"
PACKAGES = {FIRMWARE: ("shutthebox", "luma_spans")}
TESTS = ROOT / "tests"
ELSEWHERE = (
    *("virtual_pi", "package", "image", "benchmarks", "mutants", "support", "hardware"),
    *("test_architecture.py", "test_examples.py"),
)
"""The last two look for the other packages beside the program, and its copy stands alone."""
PLAY = (
    "tests/simulator/scenario",
    "tests/simulator/test_matches.py",
    "tests/runtime",
    "tests/game",
    "tests/adapters",
    "tests/cli",
)
"""The whole box in play, and what shows and keeps it."""

SLOW = ("-m", "slow and not virtual_pi and not package and not image")
AT_MOST_S = 900
WANTED = 0.95


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change to a module.

    Attributes:
        path: of the module, below the folder of the packages.
        change: to it.
    """

    path: Path
    change: Change

    def __str__(self) -> str:
        return f"{self.path}:{self.change.line}: {self.change.text}"


def mutants(only: str) -> list[Mutant]:
    """All changes to modules that have this in their path."""
    return [
        Mutant(path.relative_to(FIRMWARE), change)
        for package in PACKAGES[FIRMWARE]
        for path in sorted((FIRMWARE / package).rglob("*.py"))
        if only in str(path)
        for change in changes(path.read_text(encoding="utf-8"))
    ]


def test_files() -> Iterator[Path]:
    """The tests that `make test` runs."""
    for path in sorted(TESTS.rglob("test_*.py")):
        if path.relative_to(TESTS).parts[0] not in ELSEWHERE:
            yield path


def stages(path: Path, most: int) -> Iterator[tuple[str, ...]]:
    """The tests to run for a module, as arguments of pytest; at most so many stages, no test twice."""
    dotted, parts = ".".join(path.with_suffix("").parts), path.parts[1:-1]
    parent, name = dotted.rpartition(".")[::2]
    imports = (f"from {dotted} import", f"import {dotted}", f"from {parent} import {name}")
    files = list(test_files())
    direct = [file for file in files if any(text in file.read_text(encoding="utf-8") for text in imports)]
    mirrored = TESTS.joinpath(*parts)
    # Those whose names are alike first.
    direct.sort(key=lambda file: (path.stem not in file.stem, mirrored not in file.parents))
    folder = [file for file in files if parts and mirrored in file.parents]
    play = [file for file in files if str(file.relative_to(ROOT)).startswith(PLAY)]
    done: set[Path] = set()
    for stage in (direct, folder, None, play, files)[:most]:
        if stage is None:
            if near := {*direct, *folder}:
                yield (*SLOW, *map(str, sorted(near)))
        elif rest := [file for file in stage if file not in done]:
            done.update(rest)
            yield tuple(map(str, rest))


def is_noticed(mutant: Mutant, most: int, jobs: str) -> bool:
    """Whether a test of so many stages fails with the change, or does not end."""
    for stage in stages(mutant.path, most):
        if fails(stage, mutant, jobs):
            # Only those of `make test` are known to pass without a change.
            return stage[0] not in SLOW or not fails_unchanged(stage, jobs)
    return False


@cache
def fails_unchanged(stage: tuple[str, ...], jobs: str) -> bool:
    """Whether these tests fail without any change."""
    return fails(stage, None, jobs)


def fails(stage: tuple[str, ...], mutant: Mutant | None, jobs: str) -> bool:
    """Whether one of these tests fails with the change, or does not end."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = Path(folder)
        copy.chmod(0o755)  # some tests go on as another user
        for package in PACKAGES[FIRMWARE]:
            # Compiled code comes along, and holds: only the changed module has another time.
            shutil.copytree(FIRMWARE / package, copy / package)
        if mutant:
            source = (FIRMWARE / mutant.path).read_text(encoding="utf-8")
            (copy / mutant.path).write_text(changed(source, mutant.change), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": f"{copy}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-n", jobs, *stage]
        try:
            done = subprocess.run(
                command, env=environment, cwd=ROOT, capture_output=True, timeout=AT_MOST_S, check=False
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode not in (0, 5)  # 5: none of them is to be run


def main() -> int:
    """Tries the sample."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--sample", metavar="N", type=int, default=300, help="so many changes (300)")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--only", metavar="PATH", default="", help="only modules with this in their path")
    parser.add_argument("--skip", metavar="N", type=int, default=0, help="go on after so many of the sample")
    parser.add_argument("--jobs", metavar="N", default="0", help="processes for the tests (0: in one)")
    parser.add_argument(
        "--stages", type=int, choices=range(1, 6), default=5, help="of the tests: fewer are quicker (5)"
    )
    args = parser.parse_args()
    if fails_unchanged(tuple(map(str, test_files())), "auto"):
        print("the tests fail without any change, so they would notice all of them", file=sys.stderr)
        return 2
    everything = mutants(args.only)
    sample = random.Random(args.seed).sample(everything, min(args.sample, len(everything)))[args.skip :]
    survivors: list[Mutant] = []
    for number, mutant in enumerate(sample, 1):
        noticed = is_noticed(mutant, args.stages, args.jobs)
        if not noticed:
            survivors.append(mutant)
        print(f"{number:4} of {len(sample)}  {'noticed ' if noticed else 'SURVIVES'}  {mutant}", flush=True)
    noticed_all = len(sample) - len(survivors)
    print(f"\n{noticed_all} of {len(sample)} noticed, of {len(everything)} that there are; seed {args.seed}")
    for mutant in survivors:
        print(f"  {mutant}")
    return noticed_all < WANTED * len(sample)


if __name__ == "__main__":
    sys.exit(main())
