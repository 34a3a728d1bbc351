"""The times that a league of very many matches takes for a receipt, its pages, and the ratings of a night.

`python -m tests.benchmarks.league_growth [--postgresql] [MATCHES…]`: fills a league with so many, 50,000 and
1,000,000 by default, and measures. Where two columns are alike, the number of matches does not matter.
"""

import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from datetime import UTC, date, timedelta
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from sqlalchemy import Connection, Engine, insert, text, update
from tests.support.league import FakeBox, Place, found_league, played_record
from tests.support.mosquitto import free_port
from tests.support.postgresql import Postgresql

from shutthebox.rules.record import write
from shutthebox_league.categories import category_id, usual_category
from shutthebox_league.counting import WHOLE_LEAGUE
from shutthebox_league.ledger import Ledger
from shutthebox_league.ratings import rate
from shutthebox_league.reviewer import Reviewer
from shutthebox_league.schema import CATEGORY, CHAIN, ENTRY, MATCH, RATING, SEAT, STANDING
from shutthebox_league.standings import Period, first_of
from shutthebox_uplink.signing import sign_entry

BOXES, PLAYERS, NIGHT = 200, 5000, 200
_AT_ONCE = 20_000
_ID = "abcdefghijklmnopqrstuvwxyz".upper()


def initials(number: int) -> str:
    """Of a player."""
    return _ID[number // 676 % 26] + _ID[number // 26 % 26] + _ID[number % 26]


def fill(place: Place, matches: int) -> None:
    """Fills a league with matches of four years, and with the sums of them."""
    for number in range(BOXES):
        place.enrol(f"box{number}", f"Pub {number // 3}")
    random, record, now_s = Random(1), write(played_record(1)), int(time.time())
    tonight = date.today()
    with place.engine.begin() as db:
        category = category_id(db, usual_category("traditional"))
        chains = [
            {"key_name": f"box{n}.1", "journal": f"{n:032x}", "head_sequence": matches, "head_hash": "0" * 64}
            for n in range(BOXES)
        ]
        db.execute(insert(CHAIN), chains)
        db.execute(update(CATEGORY).values(matches=matches))
    for begin in range(0, matches, _AT_ONCE):
        entries, rows, seats = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
        for number in range(begin, min(begin + _AT_ONCE, matches)):
            ended_s = now_s - (matches - number) * 4 * 365 * 86400 // matches
            box = number % BOXES
            entries.append({
                "chain_id": box + 1, "sequence": number + 1, "hash": f"{number:064x}", "received_s": ended_s,
                "status": "committed", "reason": "", "message": b"signed", "initials": None,
            })  # fmt: skip
            rows.append({
                "id": number + 1, "chain_id": box + 1, "sequence": number + 1, "box_id": box + 1,
                "pub_id": box // 3 + 1, "journal": f"{box:032x}", "number": number + 1,
                "began_s": ended_s - 600,
                "ended_s": ended_s, "night": tonight - timedelta(days=(matches - number) * 1460 // matches),
                "game": "traditional", "category_id": category, "players": 2, "unranked": "",
                "commitment": "", "record": record, "reviewed_s": ended_s, "due_s": None,
            })  # fmt: skip
            for seat in (1, 2):
                seats.append({
                    "match_id": number + 1, "seat": seat, "place": seat, "total": random.randrange(46),
                    "initials": initials(random.randrange(PLAYERS)), "confirmed": True, "computer": False,
                    "counted": True, "turns": 1, "score_sum": 9.0, "luck_sum": 0.0, "given_away_sum": 1.0,
                })  # fmt: skip
        with place.engine.begin() as db:
            for table, values in ((ENTRY, entries), (MATCH, rows), (SEAT, seats)):
                db.execute(insert(table), values)
    with place.engine.begin() as db:
        fill_sums(db, random, category, tonight, matches)
        if db.dialect.name == "postgresql":
            db.execute(text("select setval(pg_get_serial_sequence('match', 'id'), :last)"), {"last": matches})


def fill_sums(db: Connection, random: Random, category: int, tonight: date, matches: int) -> None:
    """Fills the sums of every player, of the league and of each pub, and the ratings."""
    each = max(1, 2 * matches // PLAYERS)
    for pub in (WHOLE_LEAGUE, *range(1, BOXES // 3 + 1)):
        many = PLAYERS if pub == WHOLE_LEAGUE else PLAYERS // 10
        for period in (Period.SEASON, Period.EVER):
            db.execute(
                insert(STANDING),
                [
                    {
                        "category_id": category, "pub_id": pub, "period": period.value,
                        "first": first_of(period, tonight), "initials": initials(number), "matches": each,
                        "wins": random.randrange(each + 1), "total_sum": each * 20.0, "turns": each,
                        "luck_sum": 0.0, "given_away_sum": each * 1.0, "mean_total": random.random() * 40,
                        "given_away": random.random() * 5,
                    }
                    for number in range(many)
                ],
            )  # fmt: skip
    rated = [
        {"initials": initials(n), "mu": 25.0, "sigma": 2.0, "at_least": random.random()}
        for n in range(PLAYERS)
    ]
    db.execute(insert(RATING), rated)


def seconds(times: int, do: Callable[[], object]) -> float:
    """The median of so many times."""
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        do()
        took.append(time.perf_counter() - begin)
    return median(took)


def measure(folder: Path, url: str, matches: int) -> dict[str, float]:
    """Milliseconds of everything."""
    place = found_league(folder, url, with_broker=False)
    fill(place, matches)
    found: dict[str, float] = {}
    enrolment, box = place.enrol("new", "Pub 1"), FakeBox("f" * 32)
    ledger, now_s = Ledger(place.engine, UTC), int(time.time())
    messages = []
    for seed in range(NIGHT):
        for entry in (
            box.play(played_record(seed), now_s),
            *(box.sign(n, initials(seed * 2 + n), now_s) for n in (1, 2)),
        ):
            messages.append(sign_entry(entry, 1, enrolment.name, enrolment.key))
    waiting = iter(messages)
    found["an entry, from its message to its receipt"] = seconds(
        len(messages), lambda: ledger.take(enrolment.name, next(waiting))
    )
    found[f"the ratings of a night of {NIGHT} matches"] = seconds(
        1, lambda: rate_a_night(place.engine, matches)
    )
    reviewer = Reviewer(place.engine, UTC)

    def review() -> None:
        while reviewer.work():
            pass

    found[f"the sums and reviews of these {NIGHT} matches"] = seconds(1, review)
    port = free_port()
    command = (
        sys.executable,
        "-m",
        "shutthebox_league.main",
        "--folder",
        str(folder),
        "serve",
        "--port",
        str(port),
    )
    page = subprocess.Popen(command)
    try:
        for name, path in (
            ("the front page", "/"), ("the front page by rating, ever", "/?by=rating&period=ever"),
            ("a pub's page", "/pub/pub-1"), ("a player's page", f"/player/{initials(7)}"),
            ("a match", f"/match/{matches}"),
        ):  # fmt: skip
            get = _getter(f"http://127.0.0.1:{port}{path}", page)
            get()
            found[name] = seconds(20, get)
    finally:
        page.kill()
        page.wait()
        place.engine.dispose()
    return {name: second * 1000 for name, second in found.items()}


def rate_a_night(engine: Engine, matches: int) -> None:
    """Rates the matches that have been added."""
    with engine.begin() as db:
        for number in range(matches + 1, matches + NIGHT + 1):
            rate(db, number)


def _getter(url: str, page: subprocess.Popen[bytes]) -> Callable[[], None]:
    def get() -> None:
        while True:
            try:
                with urllib.request.urlopen(url, timeout=60) as answer:
                    answer.read()
                return
            except ConnectionError:
                pass
            except urllib.error.URLError as error:
                if not isinstance(error.reason, ConnectionError):
                    raise
            assert page.poll() is None
            time.sleep(0.1)

    return get


def main() -> None:
    """Prints a table."""
    sizes = [int(word) for word in sys.argv[1:] if word.isdecimal()] or [50_000, 1_000_000]
    server = Postgresql(fsync=True) if "--postgresql" in sys.argv else None
    columns = []
    for matches in sizes:
        with tempfile.TemporaryDirectory(prefix="league-growth-") as name:
            url = server.new_database() if server else f"sqlite:///{name}/league.sqlite3"
            columns.append(measure(Path(name), url, matches))
    if server is not None:
        server.stop()
    print(f"{'ms':48}" + "".join(f"{size:>14,}" for size in sizes))
    for row in columns[0]:
        print(f"{row:48}" + "".join(f"{column[row]:14.1f}" for column in columns))


if __name__ == "__main__":
    main()
