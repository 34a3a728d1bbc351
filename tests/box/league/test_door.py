"""The league's door on real sockets: what a box gets for what it sends, and what it takes from others."""

import asyncio
import json
import socket
import threading
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Select, event, func, select
from tests.support import http_client
from tests.support.league import BoxLine, Place, found_league, open_door, played_record
from tests.support.waiting import HANG_S, rests, until

from shutthebox import __version__ as box_version
from shutthebox.outbox_entry import hash_of
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox_league import door
from shutthebox_league.allowance import Allowance
from shutthebox_league.database import UNAVAILABLE
from shutthebox_league.enrolment import revoke
from shutthebox_league.intake import BATCH, LIGHT, BusyError, Intake
from shutthebox_league.keys import Signed
from shutthebox_league.ledger import MAX_MESSAGE_BYTES, Outcome
from shutthebox_league.schema import ASIDE, ENTRY, HEALTH, NOTICE
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt, sign_entry, sign_receipt, sign_state


@pytest.fixture
def place(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Place]:
    found = found_league(tmp_path, new_database())
    yield found
    found.engine.dispose()


Enter = Callable[[str], BoxLine]


@pytest.fixture
def enter(place: Place) -> Iterator[Enter]:
    """Enrols a box, and opens its line to the league until the end of the test."""
    with ExitStack() as lines:
        yield lambda name: lines.enter_context(closing(BoxLine(place.enrol(name))))


def answer(place: Place, query: Select[Any]) -> object:
    with place.engine.connect().execution_options(reads=True) as db:
        return db.execute(query).scalar()


def count(place: Place, table: Any) -> object:
    return answer(place, select(func.count()).select_from(table))


# -- what a box gets ---------------------------------------------------------------------


def test_a_match_gets_a_signed_receipt_that_names_the_leagues_version_and_rules(
    place: Place, enter: Enter
) -> None:
    lion = enter("lion")
    entry = lion.chain.play(played_record(1))
    with open_door(place):
        receipt = lion.send(entry)
        assert receipt == Receipt(
            lion.chain.journal, 1, hash_of(entry), COMMITTED, "", box_version, RULES_VERSION
        )
        assert count(place, ENTRY) == 1, "before the answer"
        assert lion.send(entry) == receipt, "a repeated entry gets its first receipt"
        refused = lion.chain.play(replace(played_record(2), conditions=None))
        first = lion.send(refused)
        assert (first.status, lion.send(refused)) == (REFUSED, first)
        lion.chain.play(played_record(3))
        held = lion.send(lion.chain.play(played_record(4)))
        assert (held.status, held.reason) == (HELD, "entry 3 is missing before it")


def test_a_revoked_key_is_held_with_a_signature_and_its_state_is_not_kept(place: Place, enter: Enter) -> None:
    lion = enter("lion")
    with open_door(place):
        assert lion.send(lion.chain.play(played_record(1))).status == COMMITTED
        revoke(place.engine, place.authority, "lion.1")
        held = lion.send(lion.chain.play(played_record(2)))
        assert (held.status, held.reason) == (HELD, "the key is revoked")
        assert lion.tell(b"{}").status == HELD
    assert count(place, HEALTH) == 0


def test_the_state_of_a_box_is_stored_and_an_older_one_replaced(
    place: Place, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "HEALTH_EVERY_S", 0.05)
    lion = enter("lion")
    with open_door(place):
        state = b'{"version": "1.2", "waiting": 3, "secret": 1}'
        receipt = lion.tell(state)
        assert (receipt.status, receipt.hash, receipt.version) == (COMMITTED, hash_of(state), box_version)
        until(lambda: answer(place, select(HEALTH.c.state)) == '{"version": "1.2", "waiting": 3}')
        lion.tell(b'{"version": "1.3"}')
        until(lambda: answer(place, select(HEALTH.c.state)) == '{"version": "1.3"}')
        for odd in (
            b"",
            b"\xff",
            b"[" * 8000,
            b"[1]",
            '{"version": "1"}'.encode("utf-16"),
            b'{"faults": 1e999}',
        ):
            assert lion.tell(odd).status == COMMITTED
        assert lion.send(lion.chain.play(played_record(1))).status == COMMITTED


@pytest.mark.slow
def test_states_are_not_written_one_by_one(
    place: Place, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The league's disk is for matches, however often thousands of boxes tell how they are."""
    monkeypatch.setattr(door, "HEALTH_EVERY_S", 3600)
    lion = enter("lion")
    with open_door(place):
        for number in range(50):
            lion.tell(b'{"waiting": %d}' % number)
        assert count(place, HEALTH) == 0
    assert answer(place, select(HEALTH.c.state)) == '{"waiting": 49}', "the last one, at the end"


# -- what is none ------------------------------------------------------------------------


def jws(header: Mapping[str, object], payload: bytes = b"{}") -> bytes:
    parts = (json.dumps(header).encode(), payload, bytes(64))
    return b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts)


def test_what_is_no_entry_is_400_and_costs_nobody_anything(place: Place, enter: Enter) -> None:
    """A stranger can name any key. Only what its owner has signed is counted, or set aside."""
    lion, crown = enter("lion"), enter("crown")
    good = lion.sign(lion.chain.play(played_record(1)))
    altered = [bytearray(good) for _ in range(40)]
    for number, message in enumerate(altered):
        message[number * len(good) // 40] ^= 1
    name, key = lion.enrolment.name, lion.enrolment.key
    header = {"typ": "shutthebox-entry+jws", "alg": "EdDSA", "kid": name}
    wrong = [
        b"", b"nonsense", b"..", b"\xff\xfe", b"[" * 10_000, b"<html>Welcome to our Wi-Fi</html>", *altered,
        sign_entry(b"{}", 1, name, crown.enrolment.key),
        sign_entry(b"{}", 1, name, Ed25519PrivateKey.generate()),
        sign_entry(b"{}", 1, crown.enrolment.name, key), sign_state(b"{}", name, key),
        sign_receipt(Receipt("", 1, "", COMMITTED), key), jws(header | {"kid": 7}),
        jws(header | {"alg": "x"}),
        jws(header | {"alg": "HS256"}), jws(header | {"kid": None}), jws(header | {"crit": ["exp"]}),
        sign_entry(b"{}", 0, name, key), good + b"=", good + b".x",
    ]  # fmt: skip
    with open_door(place):
        found = {wrong.index(each): lion.post("/entry", bytes(each)).status for each in wrong}
        assert set(found.values()) <= {400, 401}, found
        assert (count(place, ENTRY), count(place, ASIDE)) == (0, 0)
        assert lion.post("/entry", good).status == 200
        # This is signed, but no entry.
        assert lion.post("/entry", sign_entry(b"{}", 1, name, key)).status == 400
        assert answer(place, select(ASIDE.c.key_name)) == "lion.1"


def test_a_key_that_the_register_does_not_know_is_401(place: Place, enter: Enter) -> None:
    lion = enter("lion")
    names = ("lion.2", "nobody.1", "", "x" * 1000, "lion.1\0", "\ud800", "' or 1=1 --", "lion.1 ", "LION.1")
    with open_door(place):
        for name in names:
            assert lion.post("/entry", sign_entry(b"{}", 1, name, lion.enrolment.key)).status == 401
            assert lion.post("/state", sign_state(b"{}", name, lion.enrolment.key)).status == 401
        assert lion.send(lion.chain.play(played_record(1))).status == COMMITTED
        crown = enter("crown")
        assert crown.send(crown.chain.play(played_record(1))).status == COMMITTED, "enrolled meanwhile"


def test_other_methods_and_addresses_lead_nowhere(place: Place) -> None:
    with open_door(place):
        for method, path, status in (
            ("GET", "/entry", 405), ("PUT", "/entry", 405), ("GET", "/", 404), ("POST", "/", 404),
            ("POST", "/entry/", 404), ("POST", "/%65ntry", 400), ("DELETE", "/state", 405),
        ):  # fmt: skip
            assert http_client.ask(place.port, path, method)[0].status == status, (method, path)


def test_what_is_too_large_is_413_unread(place: Place, enter: Enter) -> None:
    lion = enter("lion")
    with open_door(place):
        for path, most in (("/entry", MAX_MESSAGE_BYTES), ("/state", 16 * 1024)):
            said = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (path.encode(), most + 1)
            assert http_client.answer_to(place.port, said).startswith(b"HTTP/1.1 413"), path
            head = b"POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" % path.encode()
            chunk = b"%x\r\n%s\r\n" % (most, bytes(most))
            assert http_client.answer_to(place.port, head + chunk * 2).startswith(b"HTTP/1.1 413"), path
        assert lion.tell(b" " * 8 * 1024).status == COMMITTED
        assert lion.post("/state", sign_state(b" " * 8193, "lion.1", lion.enrolment.key)).status == 413
        assert lion.send(lion.chain.play(played_record(1))).status == COMMITTED


@pytest.mark.slow
def test_a_body_that_comes_byte_by_byte_is_ended(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause of it is long."""
    monkeypatch.setattr(door, "_BODY_S", 1.0)
    with open_door(place), socket.create_connection(("127.0.0.1", place.port), timeout=HANG_S) as line:
        line.sendall(b"POST /entry HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n")
        line.settimeout(0.1)
        until_s, said = time.monotonic() + HANG_S, b""
        while not said and time.monotonic() < until_s:
            line.sendall(b"x")
            try:
                said = line.recv(1000)
            except TimeoutError:
                continue
        assert said.startswith(b"HTTP/1.1 408")


# -- too much ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("status", [COMMITTED, REFUSED])
def test_a_key_that_has_filled_its_day_waits_and_nobody_else_does(
    place: Place, enter: Enter, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """What has a receipt stays for ever: without a bound one box fills the league's disk."""
    lion, crown = enter("lion"), enter("crown")
    records = [played_record(seed) for seed in (1, 2)]
    if status == REFUSED:
        records = [replace(record, conditions=None) for record in records]
    first, second = (lion.sign(lion.chain.play(record)) for record in records)
    monkeypatch.setattr(door, "BYTES_A_DAY", len(first) + len(second) // 2)
    with open_door(place):
        for message in (first, second):
            assert lion.receipt(lion.post("/entry", message)).status == status
        late = lion.sign(lion.chain.play(played_record(3)))
        too_much = lion.post("/entry", late)
        assert (too_much.status, too_much.body) == (429, b"more than 0 MB in a day\n")
        assert int(too_much.headers["retry-after"]) > 600
        assert crown.send(crown.chain.play(played_record(4))).status == COMMITTED
    assert answer(place, select(NOTICE.c.text)) == "more than 0 MB in a day"


def test_nobody_can_use_up_what_another_key_may_send(
    place: Place, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MESSAGES_A_MINUTE", 10)
    lion, stranger = enter("lion"), Ed25519PrivateKey.generate()
    with open_door(place):
        assert lion.send(lion.chain.play(played_record(1))).status == COMMITTED
        for _ in range(30):
            assert lion.post("/entry", sign_entry(b"{}", 1, "lion.1", stranger)).status == 400
            assert lion.post("/state", sign_state(b"{}", "lion.1", stranger)).status == 400
        assert lion.send(lion.chain.play(played_record(2))).status == COMMITTED
        found = [lion.post("/entry", lion.sign(lion.chain.play(played_record(3)))).status for _ in range(20)]
        assert found[0] == 200
        assert found[-1] == 429


def test_what_a_key_has_spent_comes_back_with_time() -> None:
    allowance = Allowance(10, within_s=100)
    allowance.spend("loud", 15, 0)
    assert allowance.is_spent("loud", 49)
    assert 51 <= allowance.wait_s("loud", 0) <= 52
    assert not allowance.is_spent("loud", 51)
    assert allowance.wait_s("loud", 51) == 0
    assert not allowance.is_spent("quiet", 0)


def test_a_second_entry_of_a_key_is_told_to_wait_and_both_arrive_once(place: Place, enter: Enter) -> None:
    lion, other = enter("lion"), BoxLine(place.enrol("crown"))
    copy = BoxLine(lion.enrolment)
    message = lion.sign(lion.chain.play(played_record(1)))
    holds, waits = threading.Event(), threading.Event()

    def commit(connection: object) -> None:
        waits.set()
        assert holds.wait(HANG_S)

    with open_door(place), ThreadPoolExecutor(2) as pool:
        assert other.send(other.chain.play(played_record(2))).status == COMMITTED
        event.listen(place.engine, "commit", commit)
        first = pool.submit(lion.post, "/entry", message)
        assert waits.wait(HANG_S)
        event.remove(place.engine, "commit", commit)
        second = copy.post("/entry", message)
        assert (second.status, second.headers["retry-after"]) == (429, "1")
        holds.set()
        assert lion.receipt(first.result()) == copy.receipt(copy.post("/entry", message))
    assert count(place, ENTRY) == 2
    for line in (copy, other):
        line.close()


# -- batches -----------------------------------------------------------------------------


def test_entries_that_come_while_one_is_committed_go_into_the_next_batch(place: Place, enter: Enter) -> None:
    boxes = [enter(f"box{number}") for number in range(9)]
    messages = [box.sign(box.chain.play(played_record(number))) for number, box in enumerate(boxes)]
    holds, waits, commits = threading.Event(), threading.Event(), list[object]()

    def commit(connection: object) -> None:
        commits.append(connection)
        waits.set()
        assert holds.wait(HANG_S)

    with open_door(place), ThreadPoolExecutor(len(boxes)) as pool:
        warm = enter("warm")
        assert warm.send(warm.chain.play(played_record(1))).status == COMMITTED
        before = count(place, ENTRY)
        event.listen(place.engine, "commit", commit)
        answers = [pool.submit(boxes[0].post, "/entry", messages[0])]
        assert waits.wait(HANG_S)
        assert count(place, ENTRY) == before
        assert not answers[0].done(), "it is answered before the commit"
        answers += [
            pool.submit(box.post, "/entry", m) for box, m in zip(boxes[1:], messages[1:], strict=True)
        ]
        time.sleep(1.0)  # while they wait, whatever it takes them: at worst there are more batches
        holds.set()
        assert {answer.result().status for answer in answers} == {200}
        event.remove(place.engine, "commit", commit)
    assert count(place, ENTRY) == 10
    assert len(commits) < 12, "not one by one"


def test_a_door_whose_batch_hangs_is_no_longer_said_to_work(
    place: Place, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its watchdog starts it again."""
    monkeypatch.setattr(door, "_LOOK_S", 0.02)
    monkeypatch.setattr(door, "_HANGS_S", 0.1)
    monkeypatch.setattr(door, "PULSE_EVERY_S", 3600)  # it would wait for the batch, too
    hangs, goes_on, beats = threading.Event(), threading.Event(), list[None]()

    def commit(connection: object) -> None:
        hangs.set()
        assert goes_on.wait(HANG_S)

    lion = enter("lion")
    with open_door(place, lambda: beats.append(None)), ThreadPoolExecutor(1) as pool:
        assert lion.send(lion.chain.play(played_record(1))).status == COMMITTED
        event.listen(place.engine, "commit", commit)
        answer = pool.submit(lion.send, lion.chain.play(played_record(2)))
        assert hangs.wait(HANG_S)
        rests(lambda: len(beats))
        count = len(beats)
        goes_on.set()
        assert answer.result(HANG_S).status == COMMITTED
        until(lambda: len(beats) > count)
        event.remove(place.engine, "commit", commit)


def test_a_database_that_is_away_is_503_and_nothing_is_lost(place: Place, enter: Enter) -> None:
    lion = enter("lion")
    entry = lion.chain.play(played_record(1))
    away = threading.Event()

    def begin(connection: Any) -> None:
        if away.is_set():
            raise UNAVAILABLE[0]("begin", None, Exception("it's away"))

    with open_door(place):
        assert lion.tell(b"{}").status == COMMITTED
        event.listen(place.engine, "begin", begin)
        away.set()
        said = lion.post("/entry", lion.sign(entry))
        assert (said.status, said.headers["retry-after"]) == (503, "5")
        away.clear()
        assert lion.send(entry).status == COMMITTED
    assert count(place, ENTRY) == 1


@pytest.mark.slow
def test_a_full_disk_at_the_league_loses_nothing(tmp_path: Path) -> None:
    place = found_league(tmp_path)
    with closing(BoxLine(place.enrol("lion"))) as lion, open_door(place):
        entries = [lion.chain.play(played_record(seed)) for seed in range(30)]
        full = threading.Event()

        @event.listens_for(place.engine, "begin", insert=True)
        def _limit(connection: Any) -> None:
            pages = 1 if full.is_set() else 2**30  # SQLite takes 1 for what the file has now.
            connection.exec_driver_sql(f"pragma max_page_count = {pages}")

        assert lion.send(entries[0]).status == COMMITTED
        full.set()
        # The free pages of the file take a few matches.
        statuses = [lion.post("/entry", lion.sign(entry)).status for entry in entries[1:]]
        assert 503 in statuses
        full.clear()
        assert {lion.send(entry).status for entry in entries} == {COMMITTED}
    assert count(place, ENTRY) == len(entries)
    place.engine.dispose()


# -- who goes first ----------------------------------------------------------------------


def waiting(name: str, size: int = 1) -> Signed:
    return Signed(name, bytes(size), b"", 1)


def at_the_intake(
    test: Callable[[Intake, Counter[str]], Coroutine[Any, Any, None]],
) -> Callable[[], None]:
    def run() -> None:
        async def inner() -> None:
            spent = Counter[str]()
            await test(Intake(spent.__getitem__), spent)
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        asyncio.run(inner())

    return run


_TASKS = list[asyncio.Task[Outcome]]()


async def put(intake: Intake, *messages: Signed) -> None:
    for message in messages:
        _TASKS.append(asyncio.create_task(intake.put(message)))
    await asyncio.sleep(0)


@at_the_intake
async def test_each_key_has_one_place(intake: Intake, spent: Counter[str]) -> None:
    await put(intake, waiting("loud"), waiting("quiet"))
    with pytest.raises(BusyError):
        await intake.put(waiting("loud"))
    batch = await intake.take()
    assert [each.signed.name for each in batch] == ["loud", "quiet"]
    with pytest.raises(BusyError):
        await intake.put(waiting("loud"))
    intake.put_back(batch[1:])
    intake.done(batch[:1])
    await put(intake, waiting("loud"))
    assert [each.signed.name for each in await intake.take()] == ["quiet", "loud"]


@at_the_intake
async def test_however_many_send_large_records_another_waits_for_one_at_most(
    intake: Intake, spent: Counter[str]
) -> None:
    """Each of 94 KB takes 0.8 s: twenty keys had everybody wait for 16 s."""
    await put(intake, *(waiting(f"evil{number}", LIGHT + 1) for number in range(20)))
    before = 0
    for number in range(10):
        await put(intake, waiting(f"honest{number}"))
        heavy = 0
        while True:
            batch = await intake.take()
            taken = [each.signed.name for each in batch]
            spent.update(taken)
            intake.done(batch)
            await put(intake, *(each.signed for each in batch if each.signed.name.startswith("evil")))
            if f"honest{number}" in taken:
                break
            heavy += len(taken)
        assert heavy <= 1
        before += heavy
    assert before > 5, "the large ones have their turn, too"
    assert max(spent[f"evil{number}"] for number in range(20)) <= 1, "and each of them"


@at_the_intake
async def test_many_small_messages_of_some_keep_no_new_sender_waiting(
    intake: Intake, spent: Counter[str]
) -> None:
    for number in range(500):
        spent[f"evil{number}"] = 1
    await put(intake, *map(waiting, spent), waiting("honest"))
    batch = [each.signed.name for each in await intake.take()]
    assert len(batch) == BATCH
    assert "honest" in batch


def test_boxes_that_are_answered_together_are_filed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """With backlogs, half of four boxes were in each batch, which took nearly as long as one of all four."""
    monkeypatch.setattr("shutthebox_league.intake.QUIET_S", 3600)

    @at_the_intake
    async def run(intake: Intake, spent: Counter[str]) -> None:
        await put(intake, waiting("lion"), waiting("swan"))
        intake.done(await intake.take())
        next_batch = asyncio.create_task(intake.take())
        await put(intake, waiting("lion"))
        await put(intake, waiting("swan"))
        assert [each.signed.name for each in await next_batch] == ["lion", "swan"]

    run()


@at_the_intake
async def test_a_box_that_has_nothing_more_keeps_nobody_waiting(intake: Intake, spent: Counter[str]) -> None:
    await put(intake, waiting("lion"), waiting("swan"))
    intake.done(await intake.take())
    await put(intake, waiting("swan"))
    assert [each.signed.name for each in await intake.take()] == ["swan"]


@at_the_intake
async def test_what_waits_is_bounded(intake: Intake, spent: Counter[str]) -> None:
    most = 64 * 1024 * 1024
    await put(intake, waiting("large", most - 10))
    with pytest.raises(BusyError):
        await intake.put(waiting("small", 11))
    batch = await intake.take()
    intake.done(batch)
    await put(intake, waiting("small", 11))
    assert len(intake) == 1
