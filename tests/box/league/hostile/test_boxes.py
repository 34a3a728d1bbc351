"""An enrolled box that is hostile hurts itself only: five honest boxes beside it notice nothing."""

import threading
import time
from dataclasses import replace

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from sqlalchemy import select
from tests.box.league.hostile.town import Attack, HostileBox, Town, a_match_of_a_week
from tests.support.cpu import cpu_s
from tests.support.generate import random_record
from tests.support.league import CONDITIONS, Listener, played_record

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import MAX_BYTES, MatchPlayed, PlayerSigned
from shutthebox.rules.record import Record, write
from shutthebox_league.enrolment import revoke
from shutthebox_league.ledger import MAX_MESSAGE_BYTES
from shutthebox_league.schema import MATCH
from shutthebox_uplink.mqtt import Message
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED
from shutthebox_uplink.uplink import HELLO_TOPIC, tls_context

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

MOST_CPU_S = 400
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
            box.publish(report, "state")
            box.publish(report, "availability")
        ends.wait(0.02)


def text_that_nobody_can_store(box: HostileBox, ends: threading.Event) -> None:
    good = write(played_record(1))
    while not ends.is_set():
        for odd in ("\0", "\ud800", "\x1b[2J"):
            now_s = int(time.time())
            text = good.replace("0.1.0", f"0.1{odd}0")
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
        box.publish(good if count % 2 else good[:-8] + b"%08d" % count)
        if count % 10 == 0:
            ends.wait(0.01)


def messages_as_large_as_the_broker_takes(box: HostileBox, ends: threading.Event) -> None:
    while not ends.is_set():
        box.publish(box.random.randbytes(MAX_MESSAGE_BYTES - 1))
        box.publish(box.sign(box.random.randbytes(MAX_BYTES)))
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


def what_others_send(box: HostileBox, ends: threading.Event) -> None:
    """Subscribes to the consumers' share, under every name that it can think of."""
    topics = tuple(
        f"$share/{name}/shutthebox/+/{what}"
        for name in ("league", "league-consumer", "shutthebox", box.enrolment.name)
        for what in ("entry", "state", "#")
    )
    spy = Listener(box.enrolment.port, topics, tls_context(box.enrolment), box.enrolment.name)
    ends.wait()
    assert spy.nothing(lambda event: isinstance(event, Message) and event.topic != HELLO_TOPIC)
    spy.broker.close()


def sessions_that_never_end(box: HostileBox, ends: threading.Event) -> None:
    """Wills and retained messages, on the topics of others and the own ones."""
    name = box.enrolment.name
    others = ("honest0.1/availability", "honest1.1/receipt", f"{name}/x", f"{name}/entry", f"{name}/state")
    topics = ["$CONTROL/dynamic-security/v1", HELLO_TOPIC, *(f"shutthebox/{other}" for other in others)]
    session, will = (Properties(of) for of in (PacketTypes.CONNECT, PacketTypes.WILLMESSAGE))  # type: ignore[no-untyped-call]
    session.SessionExpiryInterval = will.MessageExpiryInterval = 2**32 - 1
    box.close()
    while not ends.is_set():
        client = Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTProtocolVersion.MQTTv5)
        client.tls_set_context(tls_context(box.enrolment))
        client.will_set(box.random.choice(topics), b"w" * 60_000, 1, retain=True, properties=will)
        client.connect("127.0.0.1", box.enrolment.port, clean_start=False, properties=session)
        client.loop_start()
        for _ in range(20):
            for topic in topics:
                client.publish(topic, b"x" * 5000, qos=1, retain=True)
        ends.wait(0.5)
        if (line := client.socket()) is not None:
            line.close()
        client.loop_stop()


ATTACKS = [
    eight_tables_of_nine,
    a_match_of_a_week,
    reports_in_other_encodings,
    text_that_nobody_can_store,
    matches_of_three_years_ago,
    nonsense_as_fast_as_it_can,
    messages_as_large_as_the_broker_takes,
    a_new_chain_with_every_entry,
    an_old_card_with_every_entry,
    games_whose_odds_take_minutes,
    everybodys_initials,
    what_others_send,
    sessions_that_never_end,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_honest_boxes_do_not_notice(town: Town, attack: Attack) -> None:
    town.beside(attack)


def test_honest_boxes_do_not_notice_all_of_it_at_once(town: Town) -> None:
    town.beside(*(attack for attack in ATTACKS if attack is not what_others_send))


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
            assert cpu_s(reviewer.process.pid) - begin_s < MOST_CPU_S
            time.sleep(0.5)
