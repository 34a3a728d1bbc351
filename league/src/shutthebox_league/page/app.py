"""The page as an ASGI application."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from sqlalchemy import Connection, Engine, select
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shutthebox.config.profiles import builtin, builtins
from shutthebox.rules.equal_dice import tournament_from_text
from shutthebox_league import __version__
from shutthebox_league.authority import Authority
from shutthebox_league.categories import Category, highest_wins, usual_category
from shutthebox_league.checking import night_of
from shutthebox_league.database import UNAVAILABLE, in_transaction
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import check_code, confirm_by_code, event_names, read_event, waiting_games
from shutthebox_league.health import read_health
from shutthebox_league.initials import INITIALS
from shutthebox_league.league_health import FAULTY, OFFLINE_S, read_league_health
from shutthebox_league.page.owner import (
    FORM_HEADERS,
    ChangeLimit,
    Form,
    OwnersPage,
    discard_form,
    first_value,
)
from shutthebox_league.schema import BOX, MATCH, PUB, REVIEW, SEAT, TOURNAMENT
from shutthebox_league.shown import NOTICED, unpack
from shutthebox_league.standings import (
    WHOLE_LEAGUE,
    Measure,
    Period,
    boxes_health,
    categories_played,
    latest_matches,
    standings,
)
from shutthebox_league.tournaments import SHOWN, is_open, read_tables
from shutthebox_league.voiding import voidings_of

FOLDER = Path(__file__).parent

_NUMBER = re.compile("[1-9][0-9]{0,17}", re.ASCII)  # as large as a database's numbers
_SLUG = re.compile("[a-z0-9-]{1,60}", re.ASCII)
_COMMITMENT = re.compile("[0-9a-f]{64}", re.ASCII)
_LATEST = 20
_READERS = 32  # answered at once: Starlette has 40 threads, and forms and `health` need some
_BOARD_S = 15  # seconds after which a board asks again

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}

Render = Callable[[Connection, Request], Response]


class _Headers:
    """Adds `HEADERS` to every response, unless it sets a header itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {key for key, _ in message["headers"]}
                added = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
                added = [(key, value) for key, value in added if key not in known]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, with_headers)


def application(engine: Engine, zone: tzinfo, authority: Authority, *, secure: bool) -> Starlette:
    """The page of a league.

    Args:
        engine: its database.
        zone: of the league, for its nights.
        authority: has the league's name, and the register of forgotten initials.
        secure: visitors come over TLS, which a web server in front of the page terminates.
    """
    page = _Page(engine, zone, authority.settings.name)
    owner = OwnersPage(engine, zone, authority, page.render, secure=secure)
    routes = [
        Route("/", page.read_endpoint(page.front)),
        Route("/pub/{slug}", page.read_endpoint(page.pub)),
        Route("/pub/{slug}/tv", page.read_endpoint(page.television)),
        Route("/match/{id}", page.read_endpoint(page.match)),
        Route("/match/{id}/record", page.read_endpoint(page.record)),
        Route("/player/{initials}", page.read_endpoint(page.player)),
        Route("/events", page.read_endpoint(page.events)),
        Route("/event/{id}", page.read_endpoint(page.event)),
        Route("/event/{id}", owner.form_endpoint(page.confirm), methods=["POST"]),
        Route("/tournament/{commitment}", page.read_endpoint(page.tournament)),
        Route("/owner", page.read_endpoint(owner.show)),
        Route("/owner", owner.change, methods=["POST"]),
        Route("/data", page.read_endpoint(page.data)),
        Route("/health", page.health),
        Route("/metrics", page.read_endpoint(page.metrics)),
        Route("/style.css", page.style),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(_Headers)],
        exception_handlers={HTTPException: page.refuse, **dict.fromkeys(UNAVAILABLE, page.unavailable)},
    )
    # It would name the page as the web server in front reaches it.
    app.router.redirect_slashes = False
    return app


class _Page:
    def __init__(self, engine: Engine, zone: tzinfo, name: str) -> None:
        self._engine, self._zone, self._name = engine, zone, name
        self._change_limit = ChangeLimit()
        self._readers = asyncio.Semaphore(_READERS)
        self._templates = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {
            "points": _points,
            "signed": _signed,
            "when": self._when,
            "title": game_title,
            "category": _category_text,
        }
        self._style = (FOLDER / "style.css").read_text("utf-8")

    # -- frame ------------------------------------------------------------------------

    def read_endpoint(self, render: Render) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that only reads, in a thread. Visitors who hang up while they wait cost nothing."""

        def answer(request: Request) -> Response:
            with self._engine.connect().execution_options(reads=True) as db:
                return render(db, request)

        async def endpoint(request: Request) -> Response:
            async with self._readers:
                if await request.is_disconnected():
                    return Response(status_code=499)  # as nginx calls it; nobody gets it
                return await run_in_threadpool(answer, request)

        return endpoint

    def render(
        self,
        template: str,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **values: Any,  # noqa: ANN401
    ) -> Response:
        """A page from a template."""
        text = self._templates.get_template(template).render(league=self._name, **values)
        return HTMLResponse(text, status, headers)

    async def refuse(self, request: Request, error: Exception) -> Response:
        """A page that says why something can't be shown."""
        assert isinstance(error, HTTPException), "it is registered for these"
        # Starlette's own words are for developers.
        text = "There is no such page." if error.detail == "Not Found" else error.detail
        if request.method not in ("GET", "HEAD"):  # `read_endpoint` may have read what there was
            await discard_form(request)
        return self.render("message.html", error.status_code, heading="Not here", text=text, leads_on=True)

    def unavailable(self, request: Request, error: Exception) -> Response:
        """The page while the league's database is unavailable."""
        text = (
            "The league's database can't be reached just now. Boxes keep their matches and send them later."
        )
        return self.render("message.html", 503, heading="One moment", text=text)

    def health(self, request: Request) -> Response:
        """The league's health, as a line of JSON: 200 if all is well, else 503."""
        try:
            with self._engine.connect().execution_options(reads=True) as db:
                found = read_league_health(db, int(time.time())).to_json()
        except UNAVAILABLE:
            found = {"status": FAULTY, "faults": ["the database can't be reached"], "version": __version__}
        status = 503 if found["status"] == FAULTY else 200
        return Response(json.dumps(found) + "\n", status, media_type="application/json")

    def metrics(self, db: Connection, request: Request) -> Response:
        """The numbers of `health`, in Prometheus' text format."""
        return Response(read_league_health(db, int(time.time())).to_prometheus(), media_type="text/plain")

    def style(self, request: Request) -> Response:
        """The style sheet of all pages."""
        return Response(self._style, media_type="text/css")

    def _when(self, time_s: int) -> str:
        return datetime.fromtimestamp(time_s, UTC).astimezone(self._zone).strftime("%Y-%m-%d %H:%M")

    @property
    def _tonight(self) -> date:
        return night_of(int(time.time()), self._zone)

    # -- tables -----------------------------------------------------------------------

    def _table(self, db: Connection, request: Request, pub_id: int) -> dict[str, Any]:
        played = categories_played(db)
        asked = request.query_params
        usual = played[0][0] if played else 0
        number = int(_one_of(asked.get("table"), [str(row) for row, _ in played], str(usual)))
        category = dict(played).get(number) or usual_category("traditional")
        period = Period(_one_of(asked.get("period"), list(Period), Period.SEASON))
        measure = Measure(_one_of(asked.get("by"), list(Measure), Measure.WINS))
        night = self._tonight
        rows = standings(
            db, number, period, night, measure, highest_wins=highest_wins(category.game), pub_id=pub_id
        )
        return {
            "tables": played, "table": number, "category": category, "period": period, "by": measure,
            "rows": rows, "periods": list(Period), "measures": list(Measure), "night": night,
        }  # fmt: skip

    def front(self, db: Connection, request: Request) -> Response:
        """The league's table and its latest matches."""
        pubs = db.execute(select(PUB.c.name, PUB.c.slug).order_by(PUB.c.name)).all()
        tournaments = db.execute(
            select(TOURNAMENT.c.name, TOURNAMENT.c.commitment).order_by(TOURNAMENT.c.made_s.desc()).limit(5)
        ).all()
        return self.render(
            "front.html",
            pubs=pubs,
            tournaments=tournaments,
            events=event_names(db, 10),
            latest=latest_matches(db, _LATEST),
            **self._table(db, request, WHOLE_LEAGUE),
        )

    def pub(self, db: Connection, request: Request) -> Response:
        """A pub's table and its latest matches."""
        pub = _pub(db, request)
        return self.render(
            "pub.html",
            pub=pub,
            latest=latest_matches(db, _LATEST, pub_id=pub.id),
            **self._table(db, request, pub.id),
        )

    def television(self, db: Connection, request: Request) -> Response:
        """A board to be read across the room: the boxes in play, tonight's table, the latest matches."""
        pub = _pub(db, request)
        now_s = time.time()
        playing = []
        for box in boxes_health(db, pub.id):
            state = read_health(box.state or "")
            if now_s - (box.seen_s or 0) < OFFLINE_S and state.get("playing", "nobody") != "nobody":
                playing.append((box.name, state))
        table = self._table(db, request, pub.id)
        rows = standings(
            db, table["table"], Period.NIGHT, table["night"], Measure.WINS,
            highest_wins=highest_wins(table["category"].game), pub_id=pub.id, most=8,
        )  # fmt: skip
        board = self.render(
            "television.html",
            pub=pub,
            playing=playing,
            tonight=rows,
            category=table["category"],
            latest=latest_matches(db, 6, pub_id=pub.id),
        )
        # The pub's own page has the same without reloading, for reading at leisure.
        board.headers["refresh"] = str(_BOARD_S)
        return board

    # -- matches ----------------------------------------------------------------------

    def match(self, db: Connection, request: Request) -> Response:
        """A match: result, conditions, every throw, and its review; in an open tournament only the result."""
        found = db.execute(
            select(MATCH, PUB.c.name.label("pub"), PUB.c.slug, BOX.c.name.label("box"))
            .join(PUB, PUB.c.id == MATCH.c.pub_id)
            .join(BOX, BOX.c.id == MATCH.c.box_id)
            .where(MATCH.c.id == _number(request))
        ).first()
        if found is None:
            raise HTTPException(404, "There is no such match.")
        seats = db.execute(select(SEAT).where(SEAT.c.match_id == found.id).order_by(SEAT.c.seat)).all()
        stored = db.execute(select(REVIEW.c.shown).where(REVIEW.c.match_id == found.id)).scalar()
        return self.render(
            "match.html",
            match=found,
            voidings=voidings_of(db, found.id) if found.voided else (),
            seats=seats,
            is_secret=is_open(db, found.commitment, time.time()),
            shown=stored and unpack(stored),
            noticed=NOTICED,
            names={seat.seat: seat.initials or f"player {seat.seat}" for seat in seats},
        )

    def record(self, db: Connection, request: Request) -> Response:
        """The record's text, which `shutthebox replay` and `verify` read."""
        where = MATCH.c.id == _number(request)
        found = db.execute(
            select(MATCH.c.record, MATCH.c.category_id, MATCH.c.commitment).where(where)
        ).first()
        if found is None:
            raise HTTPException(404, "There is no such match.")
        if found.category_id is None:
            raise HTTPException(404, "House rules aren't shown, because they could say anything.")
        if is_open(db, found.commitment, time.time()):
            raise HTTPException(404, "The record is shown when its tournament has closed.")
        return PlainTextResponse(found.record)

    # -- players ----------------------------------------------------------------------

    def player(self, db: Connection, request: Request) -> Response:
        """A player's latest matches in the whole league."""
        initials = _path_part(request, "initials", INITIALS)
        return self.render(
            "player.html", initials=initials, latest=latest_matches(db, 100, initials=initials)
        )

    # -- the rest ---------------------------------------------------------------------

    def events(self, db: Connection, request: Request) -> Response:
        """The newest events, with links to their tables."""
        return self.render("events.html", events=event_names(db))

    def event(self, db: Connection, request: Request) -> Response:
        """An event: its table and the pairings that come next."""
        return self._event(db, _number(request))

    def _event(self, db: Connection, event_id: int, said: str = "") -> Response:
        event = read_event(db, event_id, int(time.time()))
        if event is None:
            raise HTTPException(404, "There is no such event.")
        return self.render(
            "event.html",
            headers=FORM_HEADERS,
            event=event,
            number=event_id,
            said=said,
            waiting=waiting_games(db, event_id, _LATEST) if time.time() <= event.closes_s else (),
            latest=latest_matches(db, _LATEST, ids=event.matches),
        )

    def confirm(self, request: Request, form: Form) -> Response:
        """Confirms a match for an entrant, who gives the code."""
        event_id, now_s = _number(request), int(time.time())
        initials, match, code = (first_value(form, name).strip() for name in ("initials", "match", "code"))
        initials = initials.upper()
        said = "Thank you. The match counts when everybody whose word it needs has said so."
        try:
            if not INITIALS.fullmatch(initials) or not _NUMBER.fullmatch(match):
                raise LeagueError("three letters and the number of a match are needed")
            # Before anything is locked: strangers guess codes.
            with self._engine.connect().execution_options(reads=True) as db:
                check_code(db, event_id, initials, code)
            self._change_limit.note_change(f"{event_id} {initials}")
            in_transaction(
                self._engine, lambda db: confirm_by_code(db, event_id, int(match), initials, code, now_s)
            )
        except LeagueError as error:
            said = f"Nothing was changed: {error}."
        with self._engine.connect().execution_options(reads=True) as db:
            return self._event(db, event_id, said)

    def tournament(self, db: Connection, request: Request) -> Response:
        """A tournament of equal dice: its commitment; after it has closed its seed too."""
        where = TOURNAMENT.c.commitment == _path_part(request, "commitment", _COMMITMENT)
        found = db.execute(select(TOURNAMENT).where(where)).first()
        if found is None:
            raise HTTPException(404, "There is no such tournament.")
        is_secret = is_open(db, found.commitment, time.time())
        seed = "" if is_secret else tournament_from_text(found.text, "tournament").seed
        tables = read_tables(db, found.commitment)
        return self.render("tournament.html", tournament=found, seed=seed, tables=tables, most=SHOWN)

    def data(self, db: Connection, request: Request) -> Response:
        """The data that is stored about people, and its deletion."""
        return self.render("data.html")


def _pub(db: Connection, request: Request) -> Any:  # noqa: ANN401  (a row)
    pub = db.execute(select(PUB).where(PUB.c.slug == _path_part(request, "slug", _SLUG))).first()
    if pub is None:
        raise HTTPException(404, "There is no such pub.")
    return pub


def _path_part(request: Request, name: str, pattern: re.Pattern[str]) -> str:
    """A part of the address, checked before the database sees it."""
    part = str(request.path_params[name])
    if pattern.fullmatch(part) is None:
        raise HTTPException(404, "There is no such page.")
    return part


def _number(request: Request) -> int:
    return int(_path_part(request, "id", _NUMBER))


def _one_of(asked: str | None, allowed: list[Any], default: str) -> str:
    return asked if asked is not None and asked in allowed else default


@lru_cache
def game_title(name: str) -> str:
    """A game's name for people."""
    if name in {profile.name for profile in builtins()}:
        return builtin(name).title()
    return "House rules"  # Anybody can name them anything.


def _category_text(category: Category) -> str:
    rounds = f"{category.rounds} round{'s' * (category.rounds > 1)}"
    length = f"to {category.points} points" if category.points else rounds
    return f"{game_title(category.game)}, {category.tiles} tiles, {length}"


def _points(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1f}".replace("-", "−")
