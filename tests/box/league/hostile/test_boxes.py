"""An enrolled box that is hostile hurts itself only: five honest boxes beside it notice nothing."""

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from http.client import HTTPException
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select
from tests.box.league.hostile.town import HONEST, Attack, HostileBox, Town, a_match_of_a_week
from tests.support.cpu import cpu_s
from tests.support.generate import random_record
from tests.support.league import CONDITIONS, BoxLine, played_record
from tests.support.waiting import HANG_S

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import MAX_BYTES, MatchPlayed, PlayerSigned
from shutthebox.rules.record import Record, write
from shutthebox_league.enrolment import revoke
from shutthebox_league.ledger import MAX_MESSAGE_BYTES
from shutthebox_league.schema import MATCH
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, sign_entry, sign_state
from shutthebox_uplink.uplink import ENTRY_PATH, STATE_PATH

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

MAX_CPU_S = 400
"""The reviewer sees to all that the attacks before have left in less: a box may have 120 s an hour."""

YEAR_S = 365 * 24 * 3600


def nine(number: int) -> str:
    return f"N{chr(65 + number)}Q"


def eight_tables_of_nine(box: HostileBox, ends: threading.Event) -> None:
    """Its winner always wins: the ratings of before divided by zero."""
    for seed in range(8):
        now_s = int(time.time())
        assert box.send(box.chain.play(played_record(seed, players=9), now_s)).status == COMMITTED
        for seat in range(9):
            assert box.send(box.chain.sign(seat + 1, nine(seat), now_s)).status == COMMITTED


def reports_in_other_encodings(box: HostileBox, ends: threading.Event) -> None:
    reports = [
        '{"version": "1"}'.encode("utf-16"), b'{"version": "\xff"}', b'{"version": "\\ud800"}',
        b'{"version": "\\u0000"}', b"[" * 8000, b'{"faults": 1e999}', b'{"waiting": ' + b"9" * 5000,
    ]  # fmt: skip
    while not ends.is_set():
        for report in reports:
            assert box.tell(report).status == COMMITTED
        ends.wait(0.02)


def text_that_nobody_can_store(box: HostileBox, ends: threading.Event) -> None:
    good = write(played_record(1))
    while not ends.is_set():
        for odd in ("\0", "\ud800", "\x1b[2J"):
            now_s = int(time.time())
            text = good.replace("1.0.0", f"1.0{odd}0")
            assert box.send(box.chain.add(MatchPlayed(1, now_s, now_s, text))).status == REFUSED


def matches_of_three_years_ago(box: HostileBox, ends: threading.Event) -> None:
    while not ends.is_set():
        for days in range(0, 1000, 7):
            ended_s = int(time.time()) - 3 * YEAR_S + days * 86_400
            assert box.send(box.chain.play(played_record(days), ended_s)).status == COMMITTED
            for seat in (1, 2):
                box.send(box.chain.sign(seat, nine(seat), ended_s))
            if ends.is_set():
                return


def nonsense_as_fast_as_it_can(box: HostileBox, ends: threading.Event) -> None:
    good = box.sign(box.chain.play(played_record(1)))
    count = 0
    while not ends.is_set():
        count += 1
        assert box.post(ENTRY_PATH, good if count % 2 else good[:-8] + b"%08d" % count).status in (
            200,
            400,
            429,
        )


def in_parallel(do: Callable[[BoxLine, threading.Event], None], lines: int) -> Attack:
    """The same over so many connections of one key at once."""

    def attack(box: HostileBox, ends: threading.Event) -> None:
        def one() -> None:
            with closing(BoxLine(box.enrolment)) as line:
                do(line, ends)

        with ThreadPoolExecutor(lines) as pool:
            for done in [pool.submit(one) for _ in range(lines)]:
                done.result()

    return attack


def the_same_over_and_over(line: BoxLine, ends: threading.Event) -> None:
    message = line.sign(line.chain.play(played_record(1)))
    while not ends.is_set():
        assert line.post(ENTRY_PATH, message).status in (200, 429)


def a_flood_over_many_connections(box: HostileBox, ends: threading.Event) -> None:
    in_parallel(the_same_over_and_over, 30)(box, ends)


def messages_as_large_as_the_league_takes(box: HostileBox, ends: threading.Event) -> None:
    while not ends.is_set():
        assert box.post(ENTRY_PATH, box.random.randbytes(MAX_MESSAGE_BYTES)).status == 400
        assert box.post(ENTRY_PATH, box.sign(box.random.randbytes(MAX_BYTES))).status in (400, 429)
        with suppress(OSError, HTTPException):  # it may hang up before it has read all of it
            assert box.post(ENTRY_PATH, bytes(MAX_MESSAGE_BYTES + 1)).status == 413
        ends.wait(0.1)


def half_open_connections(box: HostileBox, ends: threading.Event) -> None:
    """Some say nothing, some begin a request, some a body, and some read no answer."""
    begun = (
        b"", b"POST /entry HTTP/1.1\r\nHost: x\r\nX: ",
        b"POST /entry HTTP/1.1\r\nContent-Length: 9\r\n\r\nx",
        b"POST /entry HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx" * 200,
    )  # fmt: skip
    url = urlsplit(box.enrolment.url)
    while not ends.is_set():
        with ExitStack() as stack:
            for number in range(100):
                line = stack.enter_context(socket.create_connection((url.hostname or "", url.port or 0)))
                line.setblocking(False)
                with suppress(OSError):
                    line.send(begun[number % len(begun)])
            ends.wait(3)


def requests_that_are_smuggled(box: HostileBox, ends: threading.Event) -> None:
    """Whatever else there's in a request, nothing of it is taken for another."""
    message = box.sign(box.chain.play(played_record(1)))
    inner = b"POST /entry HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(message), message)
    heads = (
        b"Content-Length: 0\r\nContent-Length: %d" % len(inner), b"Content-Length: -1",
        b"Transfer-Encoding: chunked\r\nContent-Length: 3", b"Transfer-Encoding: xchunked",
        b"Transfer-Encoding: chunked, identity", b"Content-Length : 5", b"Content-Length: 0x10",
    )  # fmt: skip
    url = urlsplit(box.enrolment.url)
    while not ends.is_set():
        for head in heads:
            with socket.create_connection((url.hostname or "", url.port or 0), timeout=HANG_S) as line:
                begins = b"POST /state HTTP/1.1\r\nHost: x\r\n"
                line.sendall(begins + head + b"\r\n\r\n0\r\n\r\n" + inner)
                line.shutdown(socket.SHUT_WR)
                with suppress(ConnectionError):
                    line.recv(1000)
        ends.wait(0.1)


def a_new_chain_with_every_entry(box: HostileBox, ends: threading.Event) -> None:
    while not ends.is_set():
        box.chain.journal, box.chain.sequence = box.random.randbytes(16).hex(), 2**40
        for _ in range(3):
            box.chain.sequence += 2**30
            box.send(box.chain.play(played_record(1)), oldest=box.chain.sequence)


def an_old_card_with_every_entry(box: HostileBox, ends: threading.Event) -> None:
    """Each entry begins again beside all the chains before."""
    while not ends.is_set():
        box.chain.sequence, box.chain.previous = 4, box.random.randbytes(32).hex()
        entry = box.chain.play(played_record(box.random.randrange(1000)), int(time.time()))
        assert box.send(entry, oldest=5).status in (COMMITTED, HELD)


def games_whose_odds_take_minutes(box: HostileBox, ends: threading.Event) -> None:
    """112 s of computing for the first; 4 s for each of the others, again and again."""
    for seed, game in enumerate(("open-one", *["domino-bag"] * 20)):
        assert box.send(box.chain.play(on_twelve(game, seed), int(time.time()))).status == COMMITTED


def on_twelve(game: str, seed: int) -> Record:
    profile = builtin(game).for_box(12)
    assert profile is not None
    return replace(random_record(profile, 2, seed), conditions=CONDITIONS)


def everybodys_initials(box: HostileBox, ends: threading.Event) -> None:
    """Signs one match again and again, with other initials, at seats that are not there."""
    now_s = int(time.time())
    box.send(box.chain.play(played_record(1, players=3), now_s))
    while not ends.is_set():
        for seat in range(1, 10):
            letters = "".join(chr(65 + box.random.randrange(26)) for _ in range(3))
            signed = PlayerSigned(1, 2**53, 1, seat, letters)
            assert box.send(box.chain.add(signed)).status == COMMITTED
            assert box.send(box.chain.sign(seat, letters, now_s)).status == COMMITTED


def receipts_and_entries_of_others(box: HostileBox, ends: threading.Event) -> None:
    """Under the names of the honest boxes, with its own key and with none."""
    while not ends.is_set():
        for number in range(HONEST):
            name = f"honest{number}.1"
            entry = box.chain.play(played_record(number))
            for signer in (box.enrolment.key, Ed25519PrivateKey.generate()):
                said = box.post(ENTRY_PATH, sign_entry(entry, 1, name, signer))
                assert said.status in (400, 429), "429 while an entry of the real one waits"
                assert box.post(STATE_PATH, sign_state(b"{}", name, signer)).status == 400
        assert (
            box.post(ENTRY_PATH, sign_entry(entry, 1, f"honest9.{number}", box.enrolment.key)).status == 401
        )


ATTACKS = [
    eight_tables_of_nine,
    a_match_of_a_week,
    reports_in_other_encodings,
    text_that_nobody_can_store,
    matches_of_three_years_ago,
    nonsense_as_fast_as_it_can,
    a_flood_over_many_connections,
    messages_as_large_as_the_league_takes,
    half_open_connections,
    requests_that_are_smuggled,
    a_new_chain_with_every_entry,
    an_old_card_with_every_entry,
    games_whose_odds_take_minutes,
    everybodys_initials,
    receipts_and_entries_of_others,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_honest_boxes_do_not_notice(town: Town, attack: Attack) -> None:
    town.beside(attack)


def test_honest_boxes_do_not_notice_all_of_it_at_once(town: Town) -> None:
    town.beside(*ATTACKS)


def test_a_key_that_was_revoked_meanwhile_hurts_nobody(town: Town) -> None:
    def attack(box: HostileBox, ends: threading.Event) -> None:
        revoke(town.place.engine, town.place.authority, box.enrolment.name)
        nonsense_as_fast_as_it_can(box, ends)

    town.beside(attack)


@pytest.mark.timeout(1800)
def test_in_the_end_every_match_has_been_seen_to(town: Town) -> None:
    """Reviewed, or marked with the reason: nothing is tried for ever."""
    (reviewer,) = (service for service in town.services if service.unit.endswith("review"))
    begin_s = cpu_s(reviewer.process.pid)
    with town.hostile_box() as box:
        box.send(box.chain.play(played_record(1), int(time.time())))

        def reviewed() -> object:
            own = select(MATCH.c.reviewed_s).where(MATCH.c.journal == box.chain.journal)
            with town.place.engine.connect().execution_options(reads=True) as db:
                return db.execute(own).scalar()

        while not reviewed():
            assert reviewer.process.poll() is None
            assert cpu_s(reviewer.process.pid) - begin_s < MAX_CPU_S
            time.sleep(0.5)
