"""What a league of very many matches computes for a receipt, its pages, and the ratings of a night.

`python -m tests.benchmarks.league_growth [MATCHES…] [--postgresql]`: fills a league with so many, all of them
in one event of 64 entrants and in one tournament, and measures; 10,000, 100,000 and 1,000,000 by default.
Where columns are alike, their number does not matter. Milliseconds are those of a core, a server's among
them, so a busy machine doesn't change them much.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, date, timedelta
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, update
from tests.box.league.hostile.town import peak_memory
from tests.support.http_client import ask, is_served
from tests.support.league import LeagueBox, Place, found_league, league_command, played_record
from tests.support.mosquitto import free_port
from tests.support.postgresql import Postgresql
from tests.support.waiting import until

from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.record import write
from shutthebox_league.categories import category_id, usual_category
from shutthebox_league.database import insert_all
from shutthebox_league.enrolment import new_owner_token
from shutthebox_league.events import make_event, settle_event
from shutthebox_league.ratings import rate
from shutthebox_league.schema import (
    CATEGORY,
    CHAIN,
    ENTRY,
    EVENT,
    EVENT_GAME,
    MATCH,
    RATING,
    SEAT,
    STANDING,
)
from shutthebox_league.standings import WHOLE_LEAGUE, Period, first_of
from shutthebox_league.tournaments import add_tournament

BOXES, PLAYERS, NIGHT = 200, 5000, 200
TOURNAMENT_OF_ALL = Tournament("Benchmark", "a" * 64)
_AT_ONCE = 20_000
_ID = "abcdefghijklmnopqrstuvwxyz".upper()


def initials(number: int) -> str:
    """Of a player."""
    return _ID[number // 676 % 26] + _ID[number // 26 % 26] + _ID[number % 26]


@contextmanager
def filling(place: Place, *tables: Table) -> Iterator[None]:
    """Makes the indexes of these tables again at the end: row by row they take most of an hour."""
    indexes = [index for table in tables for index in table.indexes]
    with place.engine.begin() as db:
        for index in indexes:
            index.drop(db)
    yield
    with place.engine.begin() as db:
        for index in indexes:
            index.create(db)


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
        add_tournament(db, TOURNAMENT_OF_ALL, now_s + 86400, now_s)
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
                "commitment": TOURNAMENT_OF_ALL.commitment, "record": record,
                "reviewed_s": ended_s, "due_s": None,
            })  # fmt: skip
            for seat in (1, 2):
                seats.append({
                    "match_id": number + 1, "seat": seat, "place": seat, "total": random.randrange(46),
                    "initials": initials(random.randrange(PLAYERS)), "confirmed": True, "computer": False,
                    "counted": True, "turns": 1, "score_sum": 9.0, "luck_sum": 0.0, "given_away_sum": 1.0,
                    "tournament": TOURNAMENT_OF_ALL.commitment, "highest_wins": False,
                })  # fmt: skip
        with place.engine.begin() as db:
            for table, values in ((ENTRY, entries), (MATCH, rows), (SEAT, seats)):
                insert_all(db, table, values)
    with place.engine.begin() as db:
        if db.dialect.name == "postgresql":
            db.execute(select(func.setval(func.pg_get_serial_sequence("match", "id"), matches)))
        fill_sums(db, random, category, tonight, matches)


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


def fill_event(place: Place, matches: int) -> int:
    """An event, a ladder of 64 entrants that has taken every match; returns its number."""
    random, tonight = Random(2), date.today()
    entrants = [initials(number) for number in range(64)]
    with place.engine.begin() as db:
        nights = tonight - timedelta(days=1461), tonight
        event_id, _ = make_event(
            db, "Ladder", "ladder", usual_category("traditional"), entrants, *nights, boxes=(), zone=UTC
        )
    with filling(place, EVENT_GAME):
        for begin in range(0, matches, _AT_ONCE):
            pairs = [random.sample(entrants, 2) for _ in range(begin, min(begin + _AT_ONCE, matches))]
            with place.engine.begin() as db:
                db.execute(
                    insert(EVENT_GAME),
                    [game_of(event_id, begin + n, *pair) for n, pair in enumerate(pairs, 1)],
                )
    of_event = EVENT.c.id == event_id
    with place.engine.begin() as db:
        db.execute(update(EVENT).where(of_event).values(state=json.dumps({"noted": matches})))
    stale = True
    while stale:
        with place.engine.begin() as db:
            settle_event(db, event_id)
            stale = db.execute(select(EVENT.c.stale).where(of_event)).scalar_one()
    return event_id


def game_of(event_id: int, match_id: int, *pair: str) -> dict[str, Any]:
    """A game that an event has taken."""
    return {
        "event_id": event_id, "match_id": match_id, "who": " ".join(sorted(pair)), "winner": pair[0],
        "box_id": 1, "waits_for": "", "position": match_id, "used": False,
    }  # fmt: skip


def seconds(times: int, do: Callable[[], object], clock: Callable[[], float]) -> float:
    """The median of so many times, in seconds of a core: those of a wall clock are the machine's."""
    took = []
    for _ in range(times):
        begin = clock()
        do()
        took.append(clock() - begin)
    return median(took)


def core_seconds(pid: int) -> float:
    """What all threads of a process have computed so far."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def server_seconds(server: Postgresql | None) -> float:
    """What the processes of a server that answer queries have computed so far."""
    if server is None:
        return 0.0
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    return sum(core_seconds(int(pid)) for pid in children if answers_queries(int(pid)))


def answers_queries(pid: int) -> bool:
    """Whether this process of PostgreSQL is that of a connection."""
    with suppress(FileNotFoundError):
        return b"[local]" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def measure(folder: Path, matches: int, server: Postgresql | None) -> dict[str, float]:
    """Milliseconds of a core for everything, and the memory of the page."""
    place = found_league(folder, server.new_database() if server else "", with_broker=False)
    with filling(place, ENTRY, MATCH, SEAT):
        fill(place, matches)
    event = fill_event(place, matches)
    if server:
        # As its own cleaner does, in time.
        with place.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.exec_driver_sql("vacuum analyze")
    box, now_s = LeagueBox(place, "new", "Pub 1"), int(time.time())
    entries = [
        entry
        for seed in range(NIGHT)
        for entry in (
            box.box.play(played_record(seed), now_s),
            *(box.box.sign(n, initials(seed * 2 + n), now_s) for n in (1, 2)),
        )
    ]
    waiting, new = iter(entries), iter(range(matches + 1, matches + NIGHT + 1))

    def rate_next() -> None:
        with place.engine.begin() as db:
            rate(db, next(new), int(time.time()))

    games = iter(range(matches + 1, matches + NIGHT + 1))

    def take_next() -> None:
        with place.engine.begin() as db:
            db.execute(insert(EVENT_GAME), game_of(event, next(games), initials(1), initials(2)))
            settle_event(db, event)

    def clock() -> float:
        return time.process_time() + server_seconds(server)

    def clock_of_page() -> float:
        return core_seconds(page.pid) + server_seconds(server)

    found = {
        "an entry, from its message to its receipt": seconds(
            len(entries), lambda: box.send(next(waiting)), clock
        ),
        "the rating of a match": seconds(NIGHT, rate_next, clock),
        "a match that an event takes": seconds(NIGHT, take_next, clock),
    }
    port = free_port()
    page = subprocess.Popen(league_command(folder, "serve", "--port", str(port)))
    try:
        until(lambda: is_served(port))
        cookie = f"owner={new_owner_token(place.engine, 'Pub 1')}"
        for name, path in (
            ("the front page", "/"), ("the front page by rating, ever", "/?by=rating&period=ever"),
            ("a pub's page", "/pub/pub-1"), ("a player's page", f"/player/{initials(7)}"),
            ("a match", f"/match/{matches}"), ("an event", f"/event/{event}"),
            ("an owner's page", "/owner"),
            ("a tournament", f"/tournament/{TOURNAMENT_OF_ALL.commitment}"), ("health", "/health"),
        ):  # fmt: skip
            found[name] = seconds(20, partial(ask, port, path, Cookie=cookie), clock_of_page)
        memory = peak_memory(page.pid)
    finally:
        page.kill()
        page.wait()
        place.engine.dispose()
    milliseconds = {name: second * 1000 for name, second in found.items()}
    return {**milliseconds, "the most memory of the page, in MB": memory / 2**20}


def main() -> None:
    """Prints a table."""
    sizes = [int(word) for word in sys.argv[1:] if word.isdecimal()] or [10_000, 100_000, 1_000_000]
    columns = []
    for matches in sizes:
        with tempfile.TemporaryDirectory(prefix="league-growth-") as name, ExitStack() as stack:
            server = None
            if "--postgresql" in sys.argv:
                server = Postgresql()
                stack.callback(server.stop)
            columns.append(measure(Path(name), matches, server))
    print(f"{'ms of a core':48}" + "".join(f"{size:>14,}" for size in sizes))
    for row in columns[0]:
        print(f"{row:48}" + "".join(f"{column[row]:14.1f}" for column in columns))


if __name__ == "__main__":
    main()
