"""The time that the uplink takes for each entry of an outbox, a short one and a full one.

    python tests/benchmarks/outbox_drain.py [--entries 16000]

The network is left out: what is measured is to find the oldest entry, to read it and to remove it. The
time for each should be the same however many there are.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.league import FakeBox, played_record

from shutthebox.adapters.outbox import entry_name
from shutthebox_uplink.spool import Spool


def drained_ms(folder: Path, entries: int) -> float:
    """Milliseconds for each of so many entries."""
    box, record = FakeBox("1" * 32), played_record(1)
    for _ in range(entries):
        data = box.play(record)
        (folder / entry_name(box.sequence, box.journal)).write_bytes(data)
    spool, began_s = Spool(folder), time.perf_counter()
    while (entry := spool.oldest()) is not None:
        spool.count()
        spool.remove(entry)
    return 1000 * (time.perf_counter() - began_s) / entries


def main() -> None:
    """Prints both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=16_000)
    full = parser.parse_args().entries
    found = {}
    for entries in (full // 100, full):
        with tempfile.TemporaryDirectory() as name:
            found[entries] = drained_ms(Path(name), entries)
        print(f"{entries:6} entries: {found[entries]:.2f} ms each")
    print(f"ratio {found[full] / found[full // 100]:.2f}")


if __name__ == "__main__":
    main()
