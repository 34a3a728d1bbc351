"""Hostile visitors of the page and landlords keep no box waiting."""

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import UTC
from random import Random

import pytest
import sqlalchemy.event
from sqlalchemy import delete, func, insert, select
from starlette.types import Message
from tests.box.league.hostile.town import Attack, HostileBox, Town, ask, is_open
from tests.support.waiting import HANG_S

from shutthebox.rules.equal_dice import Tournament
from shutthebox_league.enrolment import new_owner_token
from shutthebox_league.page.app import application
from shutthebox_league.schema import MATCH, SEAT
from shutthebox_league.tournaments import SHOWN, add_tournament, read_tables

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

VISITORS = 24


def many(visit: Callable[[Random], object]) -> Attack:
    """As many visitors at once, each again and again."""

    def attack(box: HostileBox, ends: threading.Event) -> None:
        def one(seed: int) -> None:
            random = Random(seed)
            while not ends.is_set():
                visit(random)

        threads = [threading.Thread(target=one, args=(seed,), daemon=True) for seed in range(VISITORS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(HANG_S * 4)

    return attack


def test_a_crowd_that_reads(town: Town) -> None:
    paths = ("/", "/?period=ever&by=rating", "/pub/pub-0", "/pub/pub-0/tv", "/match/1", "/player/AAX")
    town.beside(many(lambda random: ask(town, random.choice(paths))))
    assert is_open(town)


def test_a_crowd_that_guesses_keys_and_sends_forms_everywhere(town: Town) -> None:
    def visit(random: Random) -> None:
        guess = {"do": "sign-in", "key": random.randbytes(24).hex(), "pin": "1234", "initials": "AAX"}
        path = random.choice(("/owner", "/player/AAX/pin", "/player/AAX/forget", "/match/1/confirm", "/"))
        assert ask(town, path, guess) in (403, 404, 405)

    town.beside(many(visit))
    assert is_open(town)


def test_a_landlord_who_never_rests(town: Town) -> None:
    """The own key, the own pub, and every form of the page as often as it goes."""
    with town.hostile_box():
        cookie = f"owner={new_owner_token(town.place.engine, 'The Evil Eye')}"
    initials = " ".join(f"{a}{b}X" for a in "ABCDE" for b in "ABCDEFGHIJ")

    def visit(random: Random) -> None:
        do = random.choice(("protect", "free", "forget", "confirm", "deny"))
        form = {"do": do, "initials": initials, "sure": "yes", "seat": f"{random.randint(1, 99)}-1"}
        answers.add(ask(town, "/owner", form, cookie))

    answers = set[int]()
    town.beside(many(visit))
    assert 429 in answers, "one change a second"
    assert answers <= {200, 429, 503}
    assert is_open(town)


def test_nothing_is_computed_for_a_visitor_who_has_hung_up(town: Town) -> None:
    """32 who never read an answer kept everybody else waiting for seconds, or without one."""
    page = application(town.place.engine, UTC, town.place.authority, secure=False)
    asked = list[str]()

    def note(*given: object) -> None:
        asked.append(str(given[2]))

    async def look(path: str, received: str) -> None:
        async def receive() -> Message:
            return {"type": received}

        async def send(message: Message) -> None:
            pass

        head = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
        await page(head, receive, send)

    sqlalchemy.event.listen(town.place.engine, "before_cursor_execute", note)
    try:
        for path in ("/", "/pub/pub-0", "/player/AAX", "/match/1", "/owner", "/metrics"):
            asked.clear()
            asyncio.run(look(path, "http.disconnect"))
            assert asked == []
        asyncio.run(look("/", "http.request"))
        assert asked
    finally:
        sqlalchemy.event.remove(town.place.engine, "before_cursor_execute", note)


def test_a_crowd_at_a_tournament_that_a_box_has_filled(town: Town) -> None:
    """Each look sorted all of its matches."""
    cup = Tournament("Cup", "a" * 64)
    now_s = int(time.time())
    with town.place.engine.begin() as db:
        add_tournament(db, cup, now_s + 86400, now_s)
        match = db.execute(select(MATCH)).mappings().first()
        seat = db.execute(select(SEAT)).mappings().first()
        assert match is not None
        assert seat is not None
        last = db.execute(select(func.max(MATCH.c.id))).scalar_one()
        numbers = range(last + 10**6, last + 10**6 + 500)
        # None of an honest box's, and nobody has to see to them.
        other = {**match, "journal": "f" * 32, "due_s": None, "reviewed_s": 1}
        db.execute(insert(MATCH), [{**other, "id": n, "number": n} for n in numbers])
        of_cup = {**seat, "tournament": cup.commitment, "highest_wins": False, "confirmed": True}
        of_cup |= {"initials": None, "counted": True}
        seats = [{**of_cup, "match_id": n, "seat": number} for n in numbers for number in range(1, 21)]
        db.execute(insert(SEAT), seats)

    def visit(_: Random) -> None:
        assert ask(town, f"/tournament/{cup.commitment}") in (200, 503)

    town.beside(many(visit))
    assert is_open(town)
    with town.place.engine.begin() as db:
        assert sum(len(table.rows) for table in read_tables(db, cup.commitment)) == 20 * SHOWN
        db.execute(delete(SEAT).where(SEAT.c.match_id.in_(numbers)))
        db.execute(delete(MATCH).where(MATCH.c.id.in_(numbers)))
