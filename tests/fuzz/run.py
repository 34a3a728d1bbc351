"""Feeds one reader for long, or with the worst there is.

    python tests/fuzz/run.py READER [--seconds 60]    guided by coverage, with atheris
    python tests/fuzz/run.py READER --hostile         inputs made to take long or much memory

`pip install -e '.[fuzz]'` brings atheris, which some Pythons and systems do not have: then the
inputs are spoilt samples, by chance alone, and it says so. Starts from the real profiles, config,
scenarios and matches. An input that breaks a reader is kept in build/fuzz/READER.
"""

import argparse
import resource
import signal
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    import atheris
except ImportError:
    atheris = None


def guided(name: str, seconds: int, crashes: Path) -> None:
    """Does not return: libFuzzer ends the process, with something else than 0 after a fault."""
    from tests.fuzz.readers import LONGEST_S, MIB, READERS

    reader = READERS[name]
    samples = Path(tempfile.mkdtemp(prefix="shutthebox-corpus-"))
    for number, sample in enumerate(reader.samples()):
        (samples / str(number)).write_bytes(sample)
    options = [
        f"-max_total_time={seconds}",
        f"-timeout={2 * LONGEST_S:.0f}",
        f"-rss_limit_mb={256 + reader.most_memory // MIB}",
        f"-max_len={min(reader.most_bytes, 16 << 10)}",
        f"-artifact_prefix={crashes}/",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(samples)], reader.read)
    atheris.Fuzz()


def by_chance(name: str, seconds: int, crashes: Path) -> int:
    """Spoilt samples for so long."""
    from tests.fuzz.readers import READERS, spoilt

    reader, random, until, count = READERS[name], Random(time.time_ns()), time.monotonic() + seconds, 0
    samples = reader.samples()
    while time.monotonic() < until:
        content = spoilt(samples, random)
        try:
            reader.read(content)
        except BaseException:
            (crashes / "crash").write_bytes(content)
            raise
        count += 1
    print(f"{name}: {count} inputs, no fault")
    return 0


def hostile(name: str) -> int:
    """The worst that is known, each within the bounds of time and memory that the reader has."""
    from tests.fuzz.hostile import HOSTILE
    from tests.fuzz.readers import LONGEST_S, MIB, READERS

    reader, slowest, worst = READERS[name], 0.0, ""
    for sample in reader.samples()[:3]:
        reader.read(sample)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for case, content in HOSTILE[name].items():
        # Processor time, so that a busy machine makes nothing late; nothing returns after it.
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_S)
        started = time.process_time()
        reader.read(content)
        slowest, worst = max((slowest, worst), (time.process_time() - started, case))
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    print(
        f"{name}: {len(HOSTILE[name])} hostile inputs, the slowest {slowest:.2f} s ({worst}), "
        f"{grown / MIB:.0f} MiB of memory"
    )
    if grown > reader.most_memory:
        print(f"{name}: {reader.most_memory / MIB:.0f} MiB of memory are allowed")
        return 1
    return 0


def main() -> int:
    """Chooses."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("reader", metavar="READER")
    parser.add_argument("--seconds", metavar="N", type=int, default=60)
    parser.add_argument("--hostile", action="store_true", help="only what was made to be bad")
    args = parser.parse_args()
    guides = atheris is not None and not args.hostile
    # What is imported in here tells which of its code an input has reached.
    with atheris.instrument_imports(include=["shutthebox"]) if guides else nullcontext():
        from tests.fuzz.readers import READERS
    if args.reader not in READERS:
        parser.error(f"{args.reader} is not a reader; use one of {', '.join(READERS)}")
    crashes = ROOT / "build" / "fuzz" / args.reader
    crashes.mkdir(parents=True, exist_ok=True)
    if args.hostile:
        return hostile(args.reader)
    if not guides:
        print("SKIPPED: no atheris here (pip install -e '.[fuzz]'), so nothing guides the inputs")
        return by_chance(args.reader, args.seconds, crashes)
    guided(args.reader, args.seconds, crashes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
