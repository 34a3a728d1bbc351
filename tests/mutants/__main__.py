"""A seeded random sample of small changes to the program: how many of them do the tests notice?

    make mutants ARGS="--sample 300 --seed 7"
    python -m tests.mutants --only game/judge.py --sample 20

First the tests of `make test` run without any change, measured by coverage.py: that takes minutes. Then each
change is made in a fork and the tests that run its line are tried, until one fails (`trial.py`). A change
outside functions takes a new process and its tests in four stages: those that import the module, those of
its folder, those of the whole box in play, all. What none of these notices is tried with the slow tests near
the module. A test counts only if it passes without the change.

Prints a line for each change, and another for each that these first tests have not noticed; ends with 1 if
fewer than 95 % are noticed. Some change nothing that anybody could notice: a person has to look at the
survivors.

mutmut has no seeded sample and cannot change what is outside functions; cosmic-ray knows one command for the
tests of all its changes. So this is our own.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.mutants.changes import changed, changes
from tests.mutants.trial import FIRMWARE, PACKAGES, ROOT, Mutant, copied, record, tried

TESTS = ROOT / "tests"
ELSEWHERE = (
    *("virtual_pi", "package", "image", "benchmarks", "mutants", "support", "hardware", "gpiozero_suite"),
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


def mutants(only: str) -> list[Mutant]:
    """All changes to modules that have this in their path."""
    return [
        Mutant(path.relative_to(FIRMWARE), change)
        for package in PACKAGES
        for path in sorted((FIRMWARE / package).rglob("*.py"))
        if only in str(path)
        for change in changes(path.read_text(encoding="utf-8"))
    ]


def test_files() -> Iterator[Path]:
    """The tests that `make test` runs."""
    for path in sorted(TESTS.rglob("test_*.py")):
        if path.relative_to(TESTS).parts[0] not in ELSEWHERE:
            yield path


def near(path: Path) -> tuple[list[Path], list[Path]]:
    """The tests that import a module, and those of its folder."""
    dotted, parts = ".".join(path.with_suffix("").parts), path.parts[1:-1]
    parent, name = dotted.rpartition(".")[::2]
    imports = (f"from {dotted} import", f"import {dotted}", f"from {parent} import {name}")
    files, mirrored = list(test_files()), TESTS.joinpath(*parts)
    direct = [file for file in files if any(text in file.read_text(encoding="utf-8") for text in imports)]
    # Those whose names are alike first.
    direct.sort(key=lambda file: (path.stem not in file.stem, mirrored not in file.parents))
    return direct, [file for file in files if parts and mirrored in file.parents]


def stages(path: Path) -> Iterator[tuple[str, ...]]:
    """The tests to run for a change outside functions, as arguments of pytest; no test twice."""
    files = list(test_files())
    play = [file for file in files if str(file.relative_to(ROOT)).startswith(PLAY)]
    done: set[Path] = set()
    for stage in (*near(path), play, files):
        if rest := [file for file in stage if file not in done]:
            done.update(rest)
            yield tuple(map(str, rest))


def is_noticed(mutant: Mutant) -> bool:
    """Whether a test fails in a new process with the change, or does not end."""
    return any(fails(stage, mutant) and not fails_unchanged(stage) for stage in stages(mutant.path))


def is_noticed_slowly(mutant: Mutant) -> bool:
    """Whether a slow test near the module notices the change."""
    slow = (*SLOW, *map(str, sorted({file for files in near(mutant.path) for file in files})))
    return len(slow) > len(SLOW) and fails(slow, mutant) and not fails_unchanged(slow)


@cache
def fails_unchanged(tests: tuple[str, ...]) -> bool:
    """Whether one of these tests fails without any change."""
    return fails(tests, None)


def fails(tests: tuple[str, ...], mutant: Mutant | None) -> bool:
    """Whether one of these tests fails with the change, or does not end."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = Path(folder)
        copy.chmod(0o755)  # some tests go on as another user
        environment = dict(os.environ)
        if mutant:
            source = (FIRMWARE / mutant.path).read_text(encoding="utf-8")
            environment |= copied(copy, mutant.path, changed(source, mutant.change))
        command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-n", "auto", *tests]
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
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="at once")
    args = parser.parse_args()
    files = list(test_files())
    known = record(files)
    if known.failed:
        print("left out, because they fail without any change:", *known.failed, sep="\n  ", file=sys.stderr)
    everything = mutants(args.only)
    sample = random.Random(args.seed).sample(everything, min(args.sample, len(everything)))
    left: list[tuple[Mutant, bool]] = []
    for number, (mutant, test) in enumerate(tried(sample, files, known, args.jobs), 1):
        print(f"{number:4} of {len(sample)}  {'noticed' if test else '-      '}  {mutant}", flush=True)
        if not test:
            left.append((mutant, test is None))
    survivors: list[Mutant] = []
    for number, (mutant, at_import) in enumerate(left, 1):
        noticed = (at_import and is_noticed(mutant)) or is_noticed_slowly(mutant)
        print(f"{number:4} of {len(left)}  {'noticed' if noticed else 'SURVIVES'}  {mutant}", flush=True)
        if not noticed:
            survivors.append(mutant)
    noticed_all = len(sample) - len(survivors)
    print(f"\n{noticed_all} of {len(sample)} noticed, of {len(everything)} that there are; seed {args.seed}")
    for mutant in survivors:
        print(f"  {mutant}")
    return noticed_all < WANTED * len(sample)


if __name__ == "__main__":
    sys.exit(main())
