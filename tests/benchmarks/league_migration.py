"""The time in which a league of version 0.1.0 is brought up to date, and the memory that it takes.

`python -m tests.benchmarks.league_migration [--postgresql] [MATCHES…]`, by default 50,000 and 200,000.
"""

import resource
import subprocess
import sys
import tempfile
import time

from tests.support.old_league import old_league
from tests.support.postgresql import Postgresql

from shutthebox_league.database import migrate, open_database


def bring_up_to_date(url: str) -> None:
    """Does it, and prints the seconds and the megabytes of this process."""
    engine, begin = open_database(url), time.perf_counter()
    migrate(engine)
    took_s = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{took_s:10.1f} s {memory:8} MB")


def main() -> None:
    """A line for each number of matches."""
    if sys.argv[1:2] == ["--url"]:
        bring_up_to_date(sys.argv[2])
        return
    server = Postgresql(fsync=True) if "--postgresql" in sys.argv else None
    try:
        for matches in [int(word) for word in sys.argv[1:] if word.isdecimal()] or [50_000, 200_000]:
            with tempfile.TemporaryDirectory(prefix="league-migration-") as folder:
                url = server.new_database() if server else f"sqlite:///{folder}/league.sqlite3"
                engine = open_database(url)
                old_league(engine, matches)
                engine.dispose()
                print(f"{matches:10,} matches", end="", flush=True)
                # In a process of its own, because of the memory.
                subprocess.run([sys.executable, "-m", __spec__.name, "--url", url], check=True)
    finally:
        if server is not None:
            server.stop()


if __name__ == "__main__":
    main()
