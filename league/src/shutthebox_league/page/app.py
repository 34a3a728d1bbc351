"""The page as an ASGI application."""

import json
import re
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

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
from shutthebox.rules.record import unproven
from shutthebox_league import players
from shutthebox_league.checking import night_of, read_record
from shutthebox_league.database import UNAVAILABLE
from shutthebox_league.enrolment import token_hash
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import event_names, read_event
from shutthebox_league.page.replay import shown_turns
from shutthebox_league.schema import BOX, MATCH, PUB, SEAT, TOURNAMENT
from shutthebox_league.standings import (
    Measure,
    Period,
    boxes_health,
    games_played,
    latest_matches,
    standings,
)

FOLDER = Path(__file__).parent

_INITIALS = re.compile("[A-Z]{3}", re.ASCII)
_MOST_FORM = 1024  # bytes
_LATEST = 20
_BOARD_S = 15  # seconds after which a board asks again
_STALE_S = 180  # A box that has said nothing for so long is not playing.

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}

Render = Callable[[Connection, Request], Response]


class _Headers:
    """Adds `HEADERS` to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, with_headers)


def application(engine: Engine, zone: tzinfo, name: str) -> Starlette:
    """The page of a league.

    Args:
        engine: its database.
        zone: of the league, for its nights.
        name: of the league.
    """
    page = _Page(engine, zone, name)
    routes = [
        Route("/", page.reads(page.front)),
        Route("/pub/{slug}", page.reads(page.pub)),
        Route("/pub/{slug}/tv", page.reads(page.television)),
        Route("/match/{id:int}", page.reads(page.match)),
        Route("/match/{id:int}/record", page.reads(page.record)),
        Route("/match/{id:int}/confirm", page.confirm, methods=["POST"]),
        Route("/player/{initials}", page.reads(page.player)),
        Route("/player/{initials}/pin", page.set_pin, methods=["POST"]),
        Route("/player/{initials}/forget", page.forget, methods=["POST"]),
        Route("/events", page.reads(page.events)),
        Route("/event/{id:int}", page.reads(page.event)),
        Route("/tournament/{commitment}", page.reads(page.tournament)),
        Route("/owner/{token}", page.reads(page.owner)),
        Route("/data", page.reads(page.data)),
        Route("/style.css", page.style),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(_Headers)],
        exception_handlers={HTTPException: page.refuse, **dict.fromkeys(UNAVAILABLE, page.away)},
    )


class _Page:
    def __init__(self, engine: Engine, zone: tzinfo, name: str) -> None:
        self._engine, self._zone, self._name = engine, zone, name
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
        }
        self._style = (FOLDER / "style.css").read_text("utf-8")

    # -- frame ------------------------------------------------------------------------

    def reads(self, render: Render) -> Callable[[Request], Response]:
        """An endpoint that only reads; Starlette runs it in a thread."""

        def endpoint(request: Request) -> Response:
            with self._engine.connect().execution_options(reads=True) as db:
                return render(db, request)

        return endpoint

    def _show(self, template: str, status: int = 200, **values: Any) -> Response:  # noqa: ANN401
        text = self._templates.get_template(template).render(league=self._name, **values)
        return HTMLResponse(text, status)

    def refuse(self, request: Request, error: Exception) -> Response:
        """A page that says why something cannot be shown."""
        assert isinstance(error, HTTPException), "it is registered for these"
        return self._show("message.html", error.status_code, heading="Not here", text=error.detail)

    def away(self, request: Request, error: Exception) -> Response:
        """A page for a league whose database is away."""
        text = (
            "The league's database cannot be reached just now. Boxes keep their matches and send them later."
        )
        return self._show("message.html", 503, heading="One moment", text=text)

    def style(self, request: Request) -> Response:
        """The style sheet."""
        return Response(self._style, media_type="text/css")

    def _when(self, time_s: int) -> str:
        return datetime.fromtimestamp(time_s, UTC).astimezone(self._zone).strftime("%Y-%m-%d %H:%M")

    @property
    def _tonight(self) -> date:
        return night_of(int(time.time()), self._zone)

    # -- tables -----------------------------------------------------------------------

    def _table(self, db: Connection, request: Request, pub_id: int | None) -> dict[str, Any]:
        games = games_played(db)
        asked = request.query_params
        game = _one_of(
            asked.get("game"), [name for name, _ in games], games[0][0] if games else "traditional"
        )
        period = Period(_one_of(asked.get("period"), list(Period), Period.SEASON))
        measure = Measure(_one_of(asked.get("by"), list(Measure), Measure.WINS))
        highest = _highest_wins(game)
        night = self._tonight
        rows = standings(db, game, period, night, measure, highest_wins=highest, pub_id=pub_id)
        return {
            "games": games, "game": game, "period": period, "by": measure, "rows": rows,
            "periods": list(Period), "measures": list(Measure), "night": night,
        }  # fmt: skip

    def front(self, db: Connection, request: Request) -> Response:
        """The league's table and its latest matches."""
        pubs = db.execute(select(PUB.c.name, PUB.c.slug).order_by(PUB.c.name)).all()
        tournaments = db.execute(
            select(TOURNAMENT.c.name, TOURNAMENT.c.commitment).order_by(TOURNAMENT.c.made_s.desc()).limit(5)
        ).all()
        return self._show(
            "front.html",
            pubs=pubs,
            tournaments=tournaments,
            events=event_names(db)[:10],
            latest=latest_matches(db, _LATEST),
            **self._table(db, request, None),
        )

    def pub(self, db: Connection, request: Request) -> Response:
        """A pub's table and its latest matches."""
        pub = _pub(db, request)
        return self._show(
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
            state = _state(box.state)
            if box.online and now_s - box.seen_s < _STALE_S and state.get("playing", "nobody") != "nobody":
                playing.append((box.name, state))
        table = self._table(db, request, pub.id)
        rows = standings(
            db, table["game"], Period.NIGHT, table["night"], Measure.WINS,
            highest_wins=_highest_wins(table["game"]), pub_id=pub.id, most=8,
        )  # fmt: skip
        board = self._show(
            "television.html",
            pub=pub,
            playing=playing,
            tonight=rows,
            game=table["game"],
            latest=latest_matches(db, 6, pub_id=pub.id),
        )
        # The pub's own page has the same and stays as it is, for everybody who reads at leisure.
        board.headers["refresh"] = str(_BOARD_S)
        return board

    # -- matches ----------------------------------------------------------------------

    def match(self, db: Connection, request: Request) -> Response:
        """A match: result, conditions, every throw, and its review."""
        found = db.execute(
            select(MATCH, PUB.c.name.label("pub"), PUB.c.slug, BOX.c.name.label("box"))
            .join(PUB, PUB.c.id == MATCH.c.pub_id)
            .join(BOX, BOX.c.id == MATCH.c.box_id)
            .where(MATCH.c.id == request.path_params["id"])
        ).first()
        if found is None:
            raise HTTPException(404, "There is no such match.")
        seats = db.execute(select(SEAT).where(SEAT.c.match_id == found.id).order_by(SEAT.c.seat)).all()
        record = read_record(found.record)
        return self._show(
            "match.html",
            match=found,
            seats=seats,
            turns=shown_turns(record),
            conditions=unproven(record),
            names={seat.seat: seat.initials or f"player {seat.seat}" for seat in seats},
        )

    def record(self, db: Connection, request: Request) -> Response:
        """The record's text, which `shutthebox replay` and `verify` read."""
        where = MATCH.c.id == request.path_params["id"]
        text = db.execute(select(MATCH.c.record).where(where)).scalar()
        if text is None:
            raise HTTPException(404, "There is no such match.")
        return PlainTextResponse(text)

    # -- players ----------------------------------------------------------------------

    def player(self, db: Connection, request: Request) -> Response:
        """A player's matches, and the forms for a PIN."""
        initials = _initials(request)
        return self._show("player.html", initials=initials, latest=latest_matches(db, 100, initials=initials))

    async def set_pin(self, request: Request) -> Response:
        """Protects initials with a PIN."""
        form, initials = await _form(request), _initials(request)

        def change(db: Connection) -> str:
            players.set_pin(db, initials, form.get("pin", ""))
            return (
                f"{initials} has a PIN from now on. Matches signed {initials} count once they are confirmed."
            )

        return await self._change(change, initials)

    async def confirm(self, request: Request) -> Response:
        """Counts a match for protected initials."""
        form = await _form(request)
        initials = form.get("initials", "").upper()
        match_id = request.path_params["id"]

        def change(db: Connection) -> str:
            if not players.pin_is_right(db, initials, form.get("pin", ""), int(time.time())):
                return "This PIN is wrong. Nothing was changed."
            if not players.confirm(db, initials, match_id):
                return f"{initials} has not signed this match."
            return f"The match counts for {initials}."

        return await self._change(change, initials)

    async def forget(self, request: Request) -> Response:
        """Removes initials from everything."""
        form, initials = await _form(request), _initials(request)

        def change(db: Connection) -> str:
            if not players.pin_is_right(db, initials, form.get("pin", ""), int(time.time())):
                return "This PIN is wrong. Nothing was changed."
            return f"{initials} was removed from {players.forget(db, initials)} matches."

        return await self._change(change, initials)

    async def _change(self, change: Callable[[Connection], str], heading: str) -> Response:
        def run() -> Response:
            try:
                with self._engine.begin() as db:
                    said = change(db)
            except LeagueError as error:
                return self._show("message.html", 400, heading=heading, text=f"{error}.")
            return self._show("message.html", heading=heading, text=said)

        return await run_in_threadpool(run)

    # -- the rest ---------------------------------------------------------------------

    def events(self, db: Connection, request: Request) -> Response:
        """All events."""
        return self._show("events.html", events=event_names(db))

    def event(self, db: Connection, request: Request) -> Response:
        """An event: its table and the pairings that come next."""
        found = read_event(db, request.path_params["id"], self._tonight)
        if found is None:
            raise HTTPException(404, "There is no such event.")
        return self._show("event.html", event=found)

    def tournament(self, db: Connection, request: Request) -> Response:
        """A tournament of equal dice: its commitment; after it has closed its seed too."""
        where = TOURNAMENT.c.commitment == request.path_params["commitment"]
        found = db.execute(select(TOURNAMENT).where(where)).first()
        if found is None:
            raise HTTPException(404, "There is no such tournament.")
        closed = time.time() >= found.closes_s
        seed = tournament_from_text(found.text, "tournament").seed if closed else ""
        rows = db.execute(
            select(SEAT.c.initials, SEAT.c.seat, SEAT.c.total, MATCH.c.id)
            .join(MATCH, MATCH.c.id == SEAT.c.match_id)
            .where(MATCH.c.commitment == found.commitment, SEAT.c.total.is_not(None), SEAT.c.confirmed)
            .order_by(SEAT.c.seat, SEAT.c.total)
        ).all()
        return self._show("tournament.html", tournament=found, seed=seed, rows=rows)

    def owner(self, db: Connection, request: Request) -> Response:
        """The health of a pub's boxes, for people with the owner's address."""
        where = PUB.c.owner_hash == token_hash(request.path_params["token"])
        pub = db.execute(select(PUB).where(where)).first()
        if pub is None:
            raise HTTPException(404, "There is no such page.")
        boxes = [(box, _state(box.state)) for box in boxes_health(db, pub.id)]
        return self._show("owner.html", pub=pub, boxes=boxes)

    def data(self, db: Connection, request: Request) -> Response:
        """The data that is stored about people, and its deletion."""
        return self._show("data.html")


def _pub(db: Connection, request: Request) -> Any:  # noqa: ANN401  (a row)
    pub = db.execute(select(PUB).where(PUB.c.slug == request.path_params["slug"])).first()
    if pub is None:
        raise HTTPException(404, "There is no such pub.")
    return pub


def _initials(request: Request) -> str:
    initials = str(request.path_params["initials"])
    if not _INITIALS.fullmatch(initials):
        raise HTTPException(404, "Initials are three letters.")
    return initials


async def _form(request: Request) -> dict[str, str]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM:
            raise HTTPException(413, "That is too much.")
    return {key: values[0] for key, values in parse_qs(body.decode("utf-8", "replace")).items()}


def _one_of(asked: str | None, allowed: list[Any], default: str) -> str:
    return asked if asked is not None and asked in allowed else default


def _state(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


@lru_cache
def game_title(name: str) -> str:
    """A game's name for people."""
    if name in {profile.name for profile in builtins()}:
        return builtin(name).title()
    return name


def _highest_wins(game: str) -> bool:
    return game in {profile.name for profile in builtins()} and builtin(game).highest_wins


def _points(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1f}".replace("-", "−")
