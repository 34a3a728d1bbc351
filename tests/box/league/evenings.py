"""Evenings of a league that tests play: matches, events, and what is forged."""

import asyncio
from collections.abc import Callable
from datetime import UTC, date
from pathlib import Path
from typing import Any

from sqlalchemy import select
from tests.support.league import FakeBox, LeagueBox, found_league, journal_of, played_record, reviewed

from shutthebox_league.categories import usual_category
from shutthebox_league.enrolment import new_owner_token
from shutthebox_league.events import GRACE_H, Event, make_event, read_event
from shutthebox_league.formats import Format, Standing
from shutthebox_league.page.app import application
from shutthebox_league.players import forget
from shutthebox_league.schema import CATEGORY, PUB, RATING, STANDING
from shutthebox_league.standings import Measure, Period, Row, categories_played, standings
from shutthebox_league.voiding import undo, void_key, void_match

NOW_S = 1_790_000_000
NIGHT = date(2026, 9, 21)
DAY_S = 24 * 3600


class Evening(LeagueBox):
    """A league, a box in it, and the time of day."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.now_s = NOW_S
        super().__init__(found_league(folder, url), wall_clock_s=lambda: self.now_s)

    def review(self) -> None:
        reviewed(self.place.engine, UTC, lambda: self.now_s)

    def void(self, match_id: int) -> int:
        """The operator voids a match; returns the number of the voiding."""
        with self.engine.begin() as db:
            return void_match(db, match_id, self.now_s, NIGHT)[0]

    def void_key(self, name: str, from_s: int | None = None) -> tuple[int, int]:
        """The operator voids a key; returns the number of the voiding and of its matches."""
        with self.engine.begin() as db:
            return void_key(db, name, from_s, self.now_s, NIGHT)

    def undo(self, voiding: int, pub: int | None = None) -> int:
        """The operator, or a landlord, undoes a voiding; returns the number of its matches."""
        with self.engine.begin() as db:
            return undo(db, voiding, pub, self.now_s)

    def forget(self, initials: str, pub: int | None = None) -> int:
        with self.engine.begin() as db:
            return forget(db, initials, pub, self.now_s)

    def ratings(self) -> dict[str, tuple[float, float]]:
        with self.place.engine.begin() as db:
            rows = db.execute(select(RATING)).all()
        return {row.initials: (row.mu, row.sigma) for row in rows}

    def table(
        self, period: Period = Period.EVER, measure: Measure = Measure.WINS, number: int = 0
    ) -> list[Row]:
        with self.place.engine.begin() as db:
            category = categories_played(db)[number][0]
            return list(standings(db, category, period, NIGHT, measure, highest_wins=False))


ENTRANTS = ("ANN", "BOB", "CAT", "DAN")
CLOSES_S = NOW_S - NOW_S % DAY_S + DAY_S + (6 + GRACE_H) * 3600


class Cup(Evening):
    """A league with the box `lion`, which events name, and `evil`, which they do not."""

    def __init__(self, folder: Path, url: str = "") -> None:
        super().__init__(folder, url)
        self.codes: dict[str, str] = {}
        self.lion = (self.enrolment, self.box)
        enrolment = self.place.enrol("evil", "The Evil Eye")
        self.evil = (enrolment, FakeBox(journal_of(enrolment.name)))

    def at(self, box: str) -> None:
        """Plays on this box from now on."""
        self.enrolment, self.box = getattr(self, box)

    def make(self, format_: Format, first_night: date = NIGHT, *, boxes: tuple[str, ...] = ("lion",)) -> int:
        cup = ("Cup", format_, usual_category("traditional"), ENTRANTS, first_night, NIGHT)
        with self.engine.begin() as db:
            number, self.codes = make_event(db, *cup, boxes=boxes, zone=UTC)
        return number

    def read(self, number: int) -> Event:
        self.review()
        with self.engine.begin() as db:
            found = read_event(db, number, self.now_s)
        assert found is not None
        return found

    def standing(self, number: int) -> Standing:
        standing = self.read(number).standing
        assert standing is not None
        return standing

    def counted(self, number: int) -> dict[str, int]:
        return {line.name: line.played for line in self.standing(number).lines}

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        with self.engine.begin() as db:
            return [tuple(row) for row in db.exec_driver_sql(statement)]


HONEST = (("ANN", "BOB"), ("BOB", "CAT"), ("CAT", "ANN"))


class Town(Cup):
    """A league, and what everybody sees of it."""

    def __init__(self, folder: Path, url: str = "") -> None:
        super().__init__(folder, url)
        self.event = self.make(Format.LADDER, boxes=("lion", "evil"))

    def honest(self, first: int) -> None:
        self.at("lion")
        for seed, pair in enumerate(HONEST, first):
            self.play(played_record(seed), *pair)
            self.now_s += 60
        self.review()

    def forged(self) -> None:
        self.at("evil")
        for seed in range(4):
            self.play(played_record(100 + seed), "MAL", "ANN")
            self.now_s += 60
        self.review()

    def delete_forged(self) -> int:
        """The landlord deletes the players of the forged matches; returns the pub."""
        with self.engine.begin() as db:
            evil = int(db.execute(select(PUB.c.id).where(PUB.c.name == "The Evil Eye")).scalar_one())
        for initials in ("ANN", "MAL"):
            self.forget(initials, evil)
        return evil

    def seen(self) -> Any:
        """Standings, categories, ratings and the event, rounded as far as sums of floats agree."""
        self.review()
        with self.engine.begin() as db:
            sums = [tuple(row) for row in db.execute(select(STANDING).order_by(*STANDING.primary_key))]
            categories = [tuple(row) for row in db.execute(select(CATEGORY).where(CATEGORY.c.matches > 0))]
        rounded = [tuple(round(x, 9) if isinstance(x, float) else x for x in row) for row in sums]
        event = self.read(self.event)
        return rounded, categories, self.ratings(), event.standing, list(event.matches)


def post(
    town: LeagueBox, form: bytes, pub: str = "The Red Lion", app: Callable[..., Any] | None = None
) -> tuple[int, str]:
    """What the owner's page answers to a form."""
    key, sent = new_owner_token(town.engine, pub), list[dict[str, Any]]()
    headers = {"host": "league", "origin": "http://league", "cookie": f"owner={key}"}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": form}

    async def send(message: Any) -> None:
        sent.append(message)

    app = app or application(town.engine, UTC, town.place.authority, secure=False)
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/owner", "query_string": b"", "headers": pairs}
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()
