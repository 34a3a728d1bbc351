"""The owner's page: the boxes of one pub, and the initials of its players.

The key that `shutthebox-league owner` prints is typed into a form and kept in a cookie, so it is in no
address, no history and no log. A new key invalidates the old one everywhere.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import tzinfo
from threading import Lock
from typing import Any
from urllib.parse import parse_qs

from sqlalchemy import Connection, Engine, select
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from shutthebox.rules.profile import MAX_PLAYERS
from shutthebox_league import players
from shutthebox_league.allowance import Allowance
from shutthebox_league.authority import Authority, token_hash
from shutthebox_league.chains import notes_of
from shutthebox_league.checking import night_of
from shutthebox_league.database import empty_log, in_transaction, lock_books
from shutthebox_league.errors import LeagueError
from shutthebox_league.events import check_landlord, confirm_by_landlord, waiting_for_landlord
from shutthebox_league.health import read_health
from shutthebox_league.initials import digest_of, read_initials
from shutthebox_league.league_health import OFFLINE_S
from shutthebox_league.notices import notices
from shutthebox_league.ratings import has_changed
from shutthebox_league.schema import MATCH, PUB, SEAT
from shutthebox_league.standings import boxes_health, latest_matches
from shutthebox_league.voiding import note_voidings, undo, void_at_pub, voidings

_COOKIE = "owner"
_COOKIE_S = 30 * 24 * 3600
_MAX_BYTES = 16 * 1024
_MAX_FIELDS = 300
_CHANGE_EVERY_S = 1.0
_FORM_S = 10.0  # from its first byte to its last
_LATEST = 20
_NUMBER = re.compile("[1-9][0-9]{0,17}", re.ASCII)
_SEAT = re.compile(f"([1-9][0-9]{{0,17}})-({'|'.join(map(str, range(1, MAX_PLAYERS + 1)))})", re.ASCII)
_GAME = re.compile("([1-9][0-9]{0,17})-([1-9][0-9]{0,17})-([A-Z]{3})", re.ASCII)

MAX_PROTECTED = 500
"""The most initials that a landlord may protect. The page lists them all."""

FORGETS_A_DAY = 100
"""The most initials that a landlord may delete in a day. Each deletion holds up matches for a moment."""

FORM_HEADERS = {
    # Under the public page's policy a browser sends no Origin with a form.
    "referrer-policy": "same-origin",
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}

Form = Mapping[str, Sequence[str]]


class ChangeLimit:
    """Allows everyone one change a second, because the boxes' matches need the database, too."""

    def __init__(self) -> None:
        self._changed_s: dict[object, float] = {}
        self._lock = Lock()

    def note_change(self, who: object) -> None:
        """Notes a change.

        Raises:
            HTTPException: if the last one was less than a second ago.
        """
        with self._lock:
            now_s = time.monotonic()
            if now_s - self._changed_s.get(who, -_CHANGE_EVERY_S) < _CHANGE_EVERY_S:
                raise HTTPException(429, "One moment, please: go back and try again.")
            self._changed_s[who] = now_s


class OwnersPage:
    """The owner's page.

    Args:
        engine: the league's database.
        zone: of the league, for its nights.
        authority: has the register of the forgotten.
        render: makes a page from a template.
        secure: visitors come over TLS.
    """

    def __init__(
        self,
        engine: Engine,
        zone: tzinfo,
        authority: Authority,
        render: Callable[..., Response],
        *,
        secure: bool,
    ) -> None:
        self._engine, self._zone, self._authority = engine, zone, authority
        self._render, self._secure = render, secure
        self._change_limit = ChangeLimit()
        self._forget_lock = Lock()
        self._forget_limit = Allowance(FORGETS_A_DAY, 24 * 3600)
        self._actions: Mapping[str, Callable[[Connection, int, Form], str]] = {
            "confirm": lambda db, pub_id, form: _confirm(db, pub_id, form, right=True),
            "deny": lambda db, pub_id, form: _confirm(db, pub_id, form, right=False),
            "protect": _protect,
            "free": _free,
            "forget": self._forget,
            "speak": _confirm_games,
            "void": self._void,
            "undo": _undo,
        }

    def show(self, db: Connection, request: Request) -> Response:
        """The page of the pub whose key the visitor has; without one, the form for the key."""
        return self._page(db, _key(request))

    async def change(self, request: Request) -> Response:
        """Does what a form of the page asks for."""
        return await self.form_endpoint(lambda request, form: self._change(_key(request), form))(request)

    def form_endpoint(
        self, change: Callable[[Request, Form], Response]
    ) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint for a form on one of this site's pages."""

        async def endpoint(request: Request) -> Response:
            self._check_origin(request)
            return await run_in_threadpool(change, request, await _form(request))

        return endpoint

    def _check_origin(self, request: Request) -> None:
        scheme = "https" if self._secure else "http"
        if request.headers.get("origin") != f"{scheme}://{request.headers.get('host')}":
            raise HTTPException(403, "This form belongs to another page.")

    def _change(self, key: str, form: Form) -> Response:
        action = first_value(form, "do")
        if action == "sign-out":
            return self._with_cookie(self._render("owner-key.html", headers=FORM_HEADERS), "")
        if action == "sign-in":
            key = first_value(form, "key").strip()
            with self._engine.connect().execution_options(reads=True) as db:
                page = self._page(db, key, wrong="This is not the key of a pub.")
            return self._with_cookie(page, key) if page.status_code == 200 else page
        do = self._actions.get(action)
        if do is None:
            raise HTTPException(400, "This form doesn't belong to this page.")
        with self._engine.connect().execution_options(reads=True) as db:
            pub = _pub(db, key)
            if pub is None:
                return self._page(db, key)
        self._change_limit.note_change(pub.id)
        try:
            page = in_transaction(self._engine, lambda db: self._page(db, key, said=do(db, pub.id, form)))
            if action == "forget":
                count = len(read_initials(first_value(form, "initials")))
                with self._forget_lock:
                    # After the transaction, which is retried after a deadlock.
                    self._forget_limit.spend(str(pub.id), count, time.monotonic())
                empty_log(self._engine)
            if action in ("void", "undo"):
                note_voidings(self._engine, self._authority)
            return page
        except LeagueError as error:
            with self._engine.connect().execution_options(reads=True) as db:
                return self._page(db, key, said=f"Nothing was changed: {error}.")

    def _page(self, db: Connection, key: str, *, said: str = "", wrong: str = "") -> Response:
        pub = _pub(db, key)
        if pub is None:
            return self._render("owner-key.html", 403 if key else 200, wrong=wrong, headers=FORM_HEADERS)
        return self._render(
            "owner.html",
            pub=pub,
            said=said,
            now_s=int(time.time()),
            offline_s=OFFLINE_S,
            boxes=[(box, read_health(box.state or "")) for box in boxes_health(db, pub.id)],
            notes=notes_of(db, pub.id),
            notices=notices(db, pub.id, int(time.time())),
            waiting=players.waiting_seats(db, pub.id),
            protected=players.protected_at(db, pub.id),
            games=waiting_for_landlord(db, pub.id, int(time.time())),
            latest=latest_matches(db, _LATEST, pub_id=pub.id),
            voidings=voidings(db, pub_id=pub.id, most=_LATEST),
            headers=FORM_HEADERS,
        )

    def _void(self, db: Connection, pub_id: int, form: Form) -> str:
        numbers = [text for text in form.get("match", []) if _NUMBER.fullmatch(text)]
        numbers += [word for word in first_value(form, "number").split() if _NUMBER.fullmatch(word)]
        if not numbers:
            raise LeagueError("no match is ticked")
        now_s, matches = int(time.time()), sorted({int(number) for number in numbers})
        _, count = void_at_pub(db, pub_id, matches, now_s, night_of(now_s, self._zone))
        return f"Void: {count}."

    def _forget(self, db: Connection, pub_id: int, form: Form) -> str:
        initials, now_s = read_initials(first_value(form, "initials")), int(time.time())
        if not form.get("sure"):
            raise LeagueError("tick that you are sure; it can't be undone")
        lock_books(db)
        if has_changed(db):
            # They'd start over each time a landlord asks.
            raise LeagueError("ratings are being computed again; try again in a few minutes")
        signed = MATCH.c.id.in_(select(SEAT.c.match_id).where(SEAT.c.initials.in_(initials)))
        check_landlord(db, signed & (MATCH.c.pub_id == pub_id), now_s)
        with self._forget_lock:
            spent = self._forget_limit.spent(str(pub_id), time.monotonic())
        if spent + len(initials) / FORGETS_A_DAY > 1:
            raise LeagueError(f"only {FORGETS_A_DAY} initials a day are allowed; the operator can do more")
        self._authority.note_forgotten([digest_of(each) for each in initials], pub_id, now_s)
        counts = [f"{each} from {players.forget(db, each, pub_id, now_s)} matches" for each in initials]
        return f"Removed: {', '.join(counts)} of this pub."

    def _with_cookie(self, page: Response, key: str) -> Response:
        page.set_cookie(
            _COOKIE,
            key,
            max_age=_COOKIE_S if key else 0,
            path="/owner",
            secure=self._secure,
            httponly=True,
            samesite="strict",
        )
        return page


def _pub(db: Connection, key: str) -> Any:  # noqa: ANN401  (a row)
    if not key:
        return None
    return db.execute(select(PUB).where(PUB.c.owner_hash == token_hash(key))).first()


def _key(request: Request) -> str:
    return request.cookies.get(_COOKIE, "")


async def _form(request: Request) -> Form:
    body = b""
    try:
        async with asyncio.timeout(_FORM_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > _MAX_BYTES:
                    raise HTTPException(413, "That form is too large.")
        return parse_qs(body.decode("ascii"), max_num_fields=_MAX_FIELDS)
    except TimeoutError:
        raise HTTPException(408, "That took too long.", {"connection": "close"}) from None
    except (ValueError, ClientDisconnect):
        raise HTTPException(400, "This form doesn't belong to this page.") from None


async def discard_form(request: Request) -> None:
    """Reads and discards a refused form, within the usual limits.

    A web server still sending it would take an early answer for a broken connection.
    """
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):  # the last: it was read before
        async with asyncio.timeout(_FORM_S):
            left = _MAX_BYTES
            async for chunk in request.stream():
                left -= len(chunk)
                if left < 0:
                    return


def first_value(form: Form, name: str) -> str:
    """The value of a field; empty without one."""
    return form.get(name, [""])[0]


def _confirm(db: Connection, pub_id: int, form: Form, *, right: bool) -> str:
    found = [_SEAT.fullmatch(text) for text in form.get("seat", [])]
    seats = [(int(seat[1]), int(seat[2])) for seat in found if seat is not None]
    if not seats:
        raise LeagueError("no match is ticked")
    count = players.confirm(db, seats, pub_id, int(time.time()), right=right)
    return f"Counted: {count}." if right else f"Initials removed: {count}."


def _protect(db: Connection, pub_id: int, form: Form) -> str:
    initials = read_initials(first_value(form, "initials"))
    known = {each for each, everywhere in players.protected_at(db, pub_id) if not everywhere}
    if len(known.union(initials)) > MAX_PROTECTED:
        raise LeagueError(f"a pub can have at most {MAX_PROTECTED} protected initials")
    players.protect(db, initials, pub_id)
    return f"Protected in this pub: {', '.join(initials)}."


def _free(db: Connection, pub_id: int, form: Form) -> str:
    initials = read_initials(" ".join(form.get("initials", [])))
    return f"No longer protected in this pub: {players.free(db, initials, pub_id)}."


def _confirm_games(db: Connection, pub_id: int, form: Form) -> str:
    found = [_GAME.fullmatch(text) for text in form.get("game", [])]
    games = [(int(game[1]), int(game[2]), game[3]) for game in found if game is not None]
    if not games:
        raise LeagueError("no match is ticked")
    return f"Confirmed: {confirm_by_landlord(db, pub_id, games, int(time.time()))}."


def _undo(db: Connection, pub_id: int, form: Form) -> str:
    number = first_value(form, "voiding")
    if not _NUMBER.fullmatch(number):
        raise LeagueError("no line is chosen")
    return f"They count again: {undo(db, int(number), pub_id, int(time.time()))}."
