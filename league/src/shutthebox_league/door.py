"""The league's door, an ASGI application: boxes send signed entries and states, and get signed receipts.

Entries that come while a batch is being committed go into the next one. No entry is answered before it's
committed. Several processes may do this side by side. If one is killed, the boxes that have no receipts send
again.
"""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from sqlalchemy import Connection, Engine, select
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from shutthebox.outbox_entry import hash_of
from shutthebox_league.allowance import BYTES_A_DAY, CPU_S_AN_HOUR, MESSAGES_A_MINUTE, Allowance
from shutthebox_league.database import UNAVAILABLE, connect_to_read, in_a_line, in_transaction
from shutthebox_league.health import MAX_BYTES, keep_health
from shutthebox_league.intake import BusyError, Intake
from shutthebox_league.keys import Keys, UnknownKeyError, open_signed
from shutthebox_league.league_health import DOOR, PULSE_EVERY_S, note_pulse
from shutthebox_league.ledger import MAX_MESSAGE_BYTES, Ledger, receipt_of
from shutthebox_league.notices import notice
from shutthebox_league.schema import KEY
from shutthebox_uplink.signing import (
    COMMITTED,
    ENTRY,
    HELD,
    STATE,
    Receipt,
    SignatureError,
    open_state,
    sign_receipt,
    signer,
)

_log = logging.getLogger(__name__)

HEALTH_EVERY_S = 2.0
"""How often the states that have come are stored."""

_BODY_S = 10.0
"""Seconds for a whole body. A web server in front has it before it asks."""

_AGAIN_S = 5
"""Seconds after which a box may ask again while the database is away."""

_NOTICE_EVERY_S = 10.0
_LOOK_UPS = 4
"""Keys looked up at once: strangers can ask for any."""

_LOOK_S = 0.5
_HANGS_S = 60.0
"""A batch that takes longer hangs: the database gives up, or says that it's busy, much earlier."""

_Result = TypeVar("_Result")


class Door:
    """Takes entries and states.

    Args:
        engine: the league's database.
        ledger: on the same database.
        key: signs the receipts.
        beat: called every second or so while all is well.
    """

    def __init__(
        self, engine: Engine, ledger: Ledger, key: Ed25519PrivateKey, beat: Callable[[], None]
    ) -> None:
        self._engine, self._ledger, self._key, self._beat = engine, ledger, key, beat
        self._keys = Keys(engine)
        self._messages = Allowance(MESSAGES_A_MINUTE, 60)
        self._cpu = Allowance(CPU_S_AN_HOUR, 3600)
        self._bytes = Allowance(BYTES_A_DAY, 24 * 3600)
        self._intake = Intake(lambda name: self._cpu.spent(name, time.monotonic()))
        self._filing, self._small = ThreadPoolExecutor(1), ThreadPoolExecutor(_LOOK_UPS + 2)
        self._began_s = math.inf  # of the batch under way
        self._states: dict[str, bytes] = {}
        self._told_s: dict[str, float] = {}
        self._look_ups = asyncio.Semaphore(_LOOK_UPS)

    # -- requests -----------------------------------------------------------------------

    async def take_entry(self, request: Request) -> Response:
        """Takes an entry; the receipt is in the answer."""
        message = await _body(request, MAX_MESSAGE_BYTES)
        name, key = await self._signer(message, ENTRY)
        if self._intake.is_waiting(name):
            raise _too_much("one entry at a time", 1)
        signed = open_signed(message, name, key)
        self._messages.spend(name, 1, time.monotonic())
        try:
            outcome = await self._intake.put(signed)
        except BusyError:
            raise _too_much("too many entries wait", 1) from None
        self._cpu.spend(name, outcome.cpu_s, time.monotonic())
        if outcome.kind in ("committed", "refused"):
            self._bytes.spend(name, len(message), time.monotonic())
        if outcome.kind not in ("committed", "repeated"):
            _log.warning("%s: %s: %s", name, outcome.kind, outcome.reason)
        if outcome.receipt is None:
            raise HTTPException({"rejected": 400, "unknown": 401}.get(outcome.kind, 503), outcome.reason)
        return self._answer(outcome.receipt)

    async def take_state(self, request: Request) -> Response:
        """Takes the state of a box; it's stored soon after."""
        message = await _body(request, 2 * MAX_BYTES)
        name, key = await self._signer(message, STATE)
        state = open_state(message, name, key)
        self._messages.spend(name, 1, time.monotonic())
        if len(state) > MAX_BYTES:
            raise HTTPException(413, f"at most {MAX_BYTES} bytes are allowed")
        is_revoked = await self._in_a_thread(self._is_revoked, name)
        if not is_revoked:
            self._states[name] = state
        status, reason = (HELD, "the key is revoked") if is_revoked else (COMMITTED, "")
        return self._answer(receipt_of("", 0, hash_of(state), status, reason))

    def _answer(self, receipt: Receipt) -> Response:
        return Response(sign_receipt(receipt, self._key), media_type="application/jose")

    async def _signer(self, message: bytes, kind: str) -> tuple[str, Ed25519PublicKey]:
        """The key that a message claims to be signed with, and its name; of no key that has sent too much."""
        name = signer(message, kind)
        if (key := self._keys.known(name)) is None:
            async with self._look_ups:
                key = await self._in_a_thread(self._keys.find, name)
        now_s = time.monotonic()
        for allowance, reason in (
            (self._messages, f"more than {MESSAGES_A_MINUTE} messages a minute"),
            (self._cpu, f"its entries took more than {CPU_S_AN_HOUR:.0f} s of computing in an hour"),
            (self._bytes, f"more than {BYTES_A_DAY // 2**20} MB in a day"),
        ):
            if wait_s := allowance.wait_s(name, now_s):
                await self._tell_owner(name, reason, now_s)
                raise _too_much(reason, wait_s)
        return name, key

    def _is_revoked(self, name: str) -> bool:
        with connect_to_read(self._engine) as db:
            return db.execute(select(KEY.c.revoked_s).where(KEY.c.name == name)).scalar() is not None

    async def _tell_owner(self, name: str, reason: str, now_s: float) -> None:
        """Notes now and then, for the owner's page, that a key has sent too much."""
        if now_s < self._told_s.get(name, 0.0):
            return
        self._told_s[name] = now_s + _NOTICE_EVERY_S
        _log.warning("%s: later: %s", name, reason)
        note = partial(notice, key_name=name, kind="later", text=reason, now_s=int(time.time()))
        await self._in_a_thread(in_transaction, self._engine, note)

    async def _in_a_thread(self, do: Callable[..., _Result], *given: object) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._small, do, *given)

    # -- batches -------------------------------------------------------------------------

    @asynccontextmanager
    async def open(self, app: object) -> AsyncIterator[None]:
        """Files what comes, until the end; the application's lifespan."""
        tasks = [asyncio.create_task(work) for work in (self._file(), self._store_and_beat())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._filing.shutdown()
            self._small.shutdown()
            self._store_states()

    async def _file(self) -> None:
        """Has the ledger file batches, one after the other.

        In one thread: a second one that checks the next batch meanwhile would compete with it for Python's
        lock, and halve the batches.
        """
        loop = asyncio.get_running_loop()
        while True:
            batch = await self._intake.take()
            self._began_s = time.monotonic()
            try:
                messages = [each.signed for each in batch]
                outcomes = await loop.run_in_executor(self._filing, self._ledger.file_first, messages)
            except Exception as error:
                if isinstance(error, UNAVAILABLE):
                    _log.error("the database: %s; boxes will send again", in_a_line(error))
                else:  # the database is not as it should be
                    _log.exception("nothing is committed")
                self._intake.done(batch)
                for each in batch:
                    if not each.answer.done():
                        each.answer.set_exception(_unavailable())
            else:
                self._intake.put_back(batch[len(outcomes) :])
                del batch[len(outcomes) :]
                self._intake.done(batch)
                for each, outcome in zip(batch, outcomes, strict=True):
                    if not each.answer.done():
                        each.answer.set_result(outcome)
            self._began_s = math.inf

    async def _store_and_beat(self) -> None:
        """Stores states, and tells that it works: to the league's health, and to the watchdog."""
        loop, pulse_s, health_s = asyncio.get_running_loop(), 0.0, 0.0
        while True:
            now_s = time.monotonic()
            try:
                if now_s >= health_s:
                    health_s = now_s + HEALTH_EVERY_S
                    await loop.run_in_executor(self._small, self._store_states)
                if now_s >= pulse_s:
                    pulse_s = now_s + PULSE_EVERY_S
                    pulse = partial(note_pulse, name=DOOR, now_s=int(time.time()))
                    await self._in_a_thread(in_transaction, self._engine, pulse)
            except UNAVAILABLE as error:
                _log.error("the database: %s", in_a_line(error))
            except Exception:
                _log.exception("the database is not as it should be")
            if now_s - self._began_s < _HANGS_S:
                self._beat()
            await asyncio.sleep(_LOOK_S)

    def _store_states(self) -> None:
        states, self._states = self._states, {}
        if not states:
            return

        def keep(db: Connection) -> None:
            for name, state in sorted(states.items()):
                keep_health(db, name, state, int(time.time()))

        in_transaction(self._engine, keep)


def application(
    engine: Engine, ledger: Ledger, key: Ed25519PrivateKey, beat: Callable[[], None] = lambda: None
) -> Starlette:
    """The door of a league.

    Args:
        engine: its database.
        ledger: on the same database.
        key: signs the receipts.
        beat: called every second or so while all is well, in the event loop's thread.
    """
    door = Door(engine, ledger, key, beat)
    app = Starlette(
        routes=[
            Route("/entry", door.take_entry, methods=["POST"]),
            Route("/state", door.take_state, methods=["POST"]),
        ],
        lifespan=door.open,
        exception_handlers={
            HTTPException: _refuse,
            SignatureError: lambda request, error: _text_response(400, str(error)),
            UnknownKeyError: lambda request, error: _text_response(401, str(error)),
            **dict.fromkeys(UNAVAILABLE, lambda request, error: _refuse(request, _unavailable())),
        },
    )
    app.router.redirect_slashes = False
    return app


async def _body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        HTTPException: if it's too long, or too slow.
    """
    length = request.headers.get("content-length", "")
    if length.isdecimal() and (len(length) > 12 or int(length) > most):
        raise HTTPException(413, f"at most {most} bytes are allowed", {"connection": "close"})
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise HTTPException(413, f"at most {most} bytes are allowed", {"connection": "close"})
    except TimeoutError:
        raise HTTPException(408, "that took too long", {"connection": "close"}) from None
    except ClientDisconnect:
        raise HTTPException(400, "not all of it came") from None
    return bytes(body)


def _unavailable() -> HTTPException:
    return HTTPException(503, "the league's database is away", {"retry-after": str(_AGAIN_S)})


def _too_much(reason: str, wait_s: float) -> HTTPException:
    return HTTPException(429, reason, {"retry-after": str(math.ceil(wait_s))})


def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "it is registered for these"
    return _text_response(error.status_code, error.detail, error.headers)


def _text_response(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    return PlainTextResponse(f"{text}\n", status, headers)
