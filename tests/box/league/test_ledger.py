"""The ledger commits every entry once, in order, if the rules give its result, and keeps the rest aside."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, event, func, select, text
from tests.support.league import (
    CONDITIONS,
    FakeBox,
    LeagueBox,
    Place,
    found_league,
    in_a_thread,
    played_record,
    tables_scanned,
    take,
    take_all,
)  # fmt: skip
from tests.support.linked import linked_record
from tests.support.postgresql import Postgresql
from tests.support.waiting import HANG_S, until

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import CHAIN_BEGINS_AGAIN, NO_HASH, MatchPlayed, hash_of
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.profile import MAX_LIMIT
from shutthebox.rules.record import Record, write
from shutthebox_league import ledger as ledgers
from shutthebox_league.chains import notes_of
from shutthebox_league.checking import MAX_RECORD
from shutthebox_league.database import open_database
from shutthebox_league.enrolment import revoke
from shutthebox_league.intake import BATCH
from shutthebox_league.keys import Keys, open_signed
from shutthebox_league.ledger import KEPT_BYTES, MAX_CHAINS, NO_MORE_MATCHES, Ledger
from shutthebox_league.notices import notices
from shutthebox_league.reviewer import Reviewer
from shutthebox_league.schema import ASIDE, CHAIN, ENTRY, GAP, KEY, MATCH, SEAT, TOURNAMENT
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED

NOW_S = 1_790_000_100.0


class Sut(LeagueBox):
    """A ledger, and one box that is enrolled in it."""

    def __init__(self, place: Place) -> None:
        super().__init__(place, wall_clock_s=lambda: NOW_S)

    def count(self, table: object) -> int:
        with self.engine.begin() as db:
            return int(db.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]

    def column(self, column: Column[str]) -> list[str]:
        with self.engine.begin() as db:
            return list(db.execute(select(column).order_by(column.table.c.id)).scalars())

    def make(self, tournament: Tournament, closes_s: int) -> None:
        row = {"commitment": tournament.commitment, "name": "Cup", "text": tournament.to_text()}
        with self.engine.begin() as db:
            db.execute(TOURNAMENT.insert(), {**row, "made_s": 0, "closes_s": closes_s})


@pytest.fixture
def sut(new_database: Callable[[], str], tmp_path: Path) -> Iterator[Sut]:
    place = found_league(tmp_path, new_database())
    yield Sut(place)
    place.engine.dispose()


def test_a_match_is_committed_once_however_often_it_comes(sut: Sut) -> None:
    entry = sut.box.play(played_record(1))
    first = sut.take(entry)
    assert first.kind == "committed"
    assert first.receipt is not None
    assert (first.receipt.status, first.receipt.hash) == (COMMITTED, hash_of(entry))
    for _ in range(3):
        again = sut.take(entry)
        assert again.kind == "repeated"
        assert again.receipt == first.receipt
    assert (sut.count(ENTRY), sut.count(MATCH), sut.count(SEAT)) == (1, 1, 2)


@pytest.mark.parametrize(("game", "sign"), [("traditional", 1), ("misere", -1)])
def test_places_and_totals_are_those_of_the_record(sut: Sut, game: str, sign: int) -> None:
    sut.play(played_record(5, game=game, players=4))
    with sut.engine.begin() as db:
        seats = db.execute(select(SEAT.c.total, SEAT.c.place)).all()
    scores = [sign * seat.total for seat in seats if seat.total is not None]
    assert len(seats) == 4
    for seat in seats:
        better = sum(score < sign * seat.total for score in scores) if seat.total is not None else -1
        assert seat.place == 1 + better


@pytest.mark.slow
def test_a_full_batch_takes_no_more_trips_to_the_database_than_one_message(
    postgresql: Postgresql, tmp_path: Path
) -> None:
    place = found_league(tmp_path, postgresql.new_database())
    boxes = [LeagueBox(place, f"box{number}", wall_clock_s=lambda: NOW_S) for number in range(9)]
    statements: list[str] = []
    for box in boxes:
        box.play(played_record(0))
    event.listen(place.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))

    def trips(some: list[LeagueBox], *, signed: bool) -> int:
        statements.clear()
        messages = [
            (
                box.enrolment.name,
                box.sign(box.box.sign(1, "ANN") if signed else box.box.play(played_record(1))),
            )
            for box in some
        ]
        outcomes = take_all(some[0].ledger, messages)
        assert [outcome.kind for outcome in outcomes] == ["committed"] * len(some)
        return len(statements)

    for signed in (False, True):
        assert trips(boxes[:8], signed=signed) == trips(boxes[8:], signed=signed)
    place.engine.dispose()


def test_two_keys_of_a_box_that_both_send_the_same_match_count_it_once(sut: Sut) -> None:
    other = LeagueBox(sut.place, "lion", wall_clock_s=lambda: NOW_S)
    entry = sut.box.play(played_record(1))
    messages = [(sut.enrolment.name, sut.sign(entry)), (other.enrolment.name, other.sign(entry))]
    outcomes = take_all(sut.ledger, messages)
    assert [outcome.kind for outcome in outcomes] == ["committed"]  # and the other is for the next time
    assert take(sut.ledger, *messages[1]).kind == "committed"
    assert (sut.count(ENTRY), sut.count(MATCH)) == (2, 1)


@pytest.mark.slow
def test_a_box_that_begins_its_chain_again_and_again_is_stopped(sut: Sut) -> None:
    """All its chains are looked at for each of its entries."""
    for seed in range(20):
        sut.box.sequence, sut.box.previous = 0, NO_HASH
        assert sut.take(sut.box.play(played_record(seed))).kind == "committed"
    goes_on = replace(sut.box)
    sut.box.sequence, sut.box.previous = 0, NO_HASH
    held = sut.take(sut.box.play(played_record(20)))
    assert (held.kind, held.reason) == ("held", "it began again 20 times; enrol the box again")
    assert sut.take(goes_on.play(played_record(21))).kind == "committed"


@pytest.mark.slow
def test_a_batch_is_looked_up_by_indexes(tmp_path: Path) -> None:
    """However many entries there are, those of several boxes at once are found without reading them all."""
    place = found_league(tmp_path, "")
    boxes = [LeagueBox(place, name, wall_clock_s=lambda: NOW_S) for name in ("anchor", "crown", "lion")]
    with tables_scanned(place.engine) as scanned:
        for number in range(4):
            entries = [
                box.box.sign(1, "ANN") if number % 2 else box.box.play(played_record(number)) for box in boxes
            ]
            messages = [
                (box.enrolment.name, box.sign(entry)) for box, entry in zip(boxes, entries, strict=True)
            ]
            for kind in ("committed", "repeated"):
                assert [outcome.kind for outcome in take_all(boxes[0].ledger, messages)] == [kind] * 3
    assert scanned == []
    place.engine.dispose()


@pytest.mark.slow
def test_boxes_that_began_all_their_chains_do_not_hinder_the_others_of_their_batch(sut: Sut) -> None:
    """However many entries are to be compared with theirs at once."""
    hostile = [LeagueBox(sut.place, f"box{n}", wall_clock_s=lambda: NOW_S) for n in range(BATCH - 1)]
    head = {"head_sequence": 2, "head_hash": NO_HASH}
    chains = [
        {"key_name": box.enrolment.name, "journal": box.box.journal, "number": n, **head}
        for box in hostile
        for n in range(1, MAX_CHAINS + 1)
    ]
    with sut.engine.begin() as db:
        db.execute(CHAIN.insert(), chains)
    messages = [(box.enrolment.name, box.sign(box.box.play(played_record(1)))) for box in (*hostile, sut)]
    outcomes = take_all(sut.ledger, messages)
    assert [outcome.kind for outcome in outcomes] == [*["held"] * len(hostile), "committed"]


def test_an_entry_that_came_too_early_is_held(sut: Sut) -> None:
    first, second = sut.box.play(played_record(1)), sut.box.play(played_record(2))
    held = sut.take(second)
    assert (held.kind, held.reason) == ("held", "entry 1 is missing before it")
    assert held.receipt is not None
    assert held.receipt.status == HELD
    assert sut.take(first).kind == "committed"
    assert sut.take(second).kind == "committed"
    sut.box.previous = "e" * 64
    outcome = sut.take(sut.box.play(played_record(3)))
    assert (outcome.kind, outcome.reason) == ("held", "it doesn't follow the entry before it")


def test_what_a_box_had_to_drop_is_a_gap_and_the_chain_goes_on(sut: Sut) -> None:
    entries = [sut.box.play(played_record(seed)) for seed in range(5)]
    sut.take(entries[0])
    assert sut.take(entries[3], oldest=4).kind == "committed"
    assert sut.take(entries[4], oldest=4).kind == "committed"
    with sut.engine.begin() as db:
        (gap,) = db.execute(select(GAP.c.first, GAP.c.last)).all()
    assert tuple(gap) == (2, 3)


def test_a_card_from_an_older_image_begins_a_new_chain_and_nothing_stays_behind(sut: Sut) -> None:
    sut.take(sut.box.play(played_record(1)))
    image = replace(sut.box)
    for seed in (2, 3, 4):
        entry = sut.box.play(played_record(seed), 1_790_000_000 + seed)
        assert sut.take(entry).kind == "committed"
    with sut.engine.begin() as db:
        assert notes_of(db, 1) == [], "no landlord is warned of a box that just plays"
    # Its next entries have the numbers 2, 3, 4 and 5, of which the league has three already.
    for number in range(2, 6):
        entry = image.play(played_record(10 + number), 1_790_001_000 + number)
        outcome = sut.take(entry, oldest=number)
        assert outcome.receipt is not None
        reason = CHAIN_BEGINS_AGAIN if number == 2 else ""
        assert (outcome.receipt.status, outcome.reason) == (COMMITTED, reason)
        again = sut.take(entry, oldest=number)
        assert (again.kind, again.receipt) == ("repeated", outcome.receipt)
    assert (sut.count(MATCH), sut.count(CHAIN), sut.count(GAP)) == (8, 2, 0)
    with sut.engine.begin() as db:
        (note,) = notes_of(db, 1)
    assert note.text.startswith("The box began again from an older copy of its card.")


@pytest.mark.slow
def test_what_an_older_image_had_lost_is_a_gap_of_its_new_chain(sut: Sut) -> None:
    for seed in range(1, 5):
        sut.take(sut.box.play(played_record(seed), 1_790_000_000 + seed))
    image = FakeBox(sut.box.journal, 2, "ab" * 32, 2)
    image.play(played_record(20))  # dropped
    for number, oldest in ((4, 4), (5, 4)):
        entry = image.play(played_record(20 + number), 1_790_001_000 + number)
        assert sut.take(entry, oldest=oldest).kind == "committed"
    image.play(played_record(26))
    late = image.play(played_record(27), 1_790_001_007)
    assert sut.take(late, oldest=7).kind == "committed"
    with sut.engine.begin() as db:
        gaps = db.execute(select(GAP.c.chain_id, GAP.c.first, GAP.c.last)).all()
    assert [tuple(gap) for gap in gaps] == [(2, 6, 6)]
    assert sut.count(MATCH) == 7


@pytest.mark.slow
def test_two_boxes_with_copies_of_one_card_both_count_and_the_owner_is_told(sut: Sut) -> None:
    now_s = NOW_S
    ledger = Ledger(sut.engine, UTC, lambda: now_s)
    take(ledger, "lion.1", sut.sign(sut.box.play(played_record(1))))
    boxes = (sut.box, replace(sut.box))
    for turn in range(6):
        now_s += 10
        box = boxes[turn % 2]
        entry = box.play(played_record(2 + turn), 1_790_000_010 + turn)
        assert take(ledger, "lion.1", sut.sign(entry, oldest=box.sequence)).kind == "committed"
    assert (sut.count(MATCH), sut.count(CHAIN)) == (7, 2)
    with sut.engine.begin() as db:
        said = [note.text for note in notes_of(db, 1)]
    assert "Two boxes use lion.1 at once. Each needs its own: shutthebox-league enrol." in said


def altered(record: str, before: str, after: str) -> str:
    assert before in record
    return record.replace(before, after, 1)


@pytest.mark.slow
def test_a_result_that_the_rules_do_not_give_is_refused_named_and_kept(sut: Sut) -> None:
    record, printed = played_record(1), "record: use characters that can be printed"
    good = write(record)
    refused = [
        (altered(good, "winners 2", "winners 1"), "record:"),
        (altered(good, "totals 38 22", "totals 18 22"), "record:"),
        (altered(good, "1 2+5 1,2,4", "1 2+5 1,2,5"), "record:"),
        (altered(good, "1 1+3\n1 blocked 38", "1 3+5 3,5\n1 blocked 30"), "record:"),
        (write(replace(record, actions=record.actions[:3])), "record: the match has not ended"),
        (good + "#\n" * MAX_RECORD, "record: "),
        *((f"{before}{odd}\n{good}", printed) for before in ("", "# ") for odd in "\x00\ud800\u2028\x1b"),
    ]
    for number, (claimed, reason) in enumerate(refused, 1):
        outcome = sut.take(sut.box.add(MatchPlayed(number, 1_789_000_000, 1_790_000_000, claimed)))
        assert outcome.receipt is not None
        assert (outcome.kind, outcome.receipt.status) == ("refused", REFUSED)
        assert outcome.reason.startswith(reason), outcome.reason
    with sut.engine.begin() as db:
        kept = db.execute(select(ENTRY.c.status, ENTRY.c.reason).order_by(ENTRY.c.sequence)).all()
    assert [row.status for row in kept] == [REFUSED] * len(refused)
    assert kept[-1].reason == printed
    assert sut.count(MATCH) == 0
    # The chain goes on: one bad match does not shut a box out.
    assert sut.take(sut.box.play(record)).kind == "committed"


@pytest.mark.slow
def test_one_altered_byte_is_rejected_wherever_it_is(sut: Sut) -> None:
    message = sut.sign(sut.box.play(played_record(1)))
    for place in range(0, len(message), 7):
        changed = bytearray(message)
        changed[place] ^= 1
        outcome = take(sut.ledger, "lion.1", bytes(changed))
        assert (outcome.kind, outcome.receipt) == ("rejected", None)
    assert sut.count(ENTRY) == 0
    assert take(sut.ledger, "lion.1", message).kind == "committed"


def test_nobody_can_send_for_another_box(sut: Sut) -> None:
    crown = LeagueBox(sut.place, "crown")
    entry = sut.box.play(played_record(1))
    assert take(sut.ledger, "lion.1", crown.sign(entry)).kind == "rejected"
    assert take(sut.ledger, "nobody.1", sut.sign(entry)).reason == "no box is enrolled as nobody.1"
    assert (sut.count(ENTRY), sut.count(ASIDE)) == (0, 0), "nothing is kept that its key has not signed"


def test_commands_at_once_enrol_all_boxes_of_a_new_pub_and_bring_no_revoked_key_back(sut: Sut) -> None:
    """Two owners' commands; one of them makes the pub."""
    boxes = [f"box{number}" for number in range(8)]
    with ThreadPoolExecutor(len(boxes) + 1) as commands:
        enrolled = [commands.submit(sut.place.enrol, box, "The Ship") for box in boxes]
        commands.submit(revoke, sut.engine, sut.place.authority, "lion.1").result()
        names = [each.result().name for each in enrolled]
    assert names == [f"{box}.1" for box in boxes]
    with sut.engine.begin() as db:
        good = set(db.execute(select(KEY.c.name).where(KEY.c.revoked_s.is_(None))).scalars())
    assert {*names} <= good
    assert "lion.1" not in good


def test_a_stolen_key_that_was_revoked_brings_nothing_in_and_the_box_goes_on_under_a_new_one(
    sut: Sut,
) -> None:
    before = sut.box.play(played_record(1))
    sut.take(before)
    revoke(sut.engine, sut.place.authority, "lion.1")
    forged = FakeBox("2" * 32).play(played_record(2))
    outcome = sut.take(forged)
    assert (outcome.kind, outcome.reason) == ("held", "the key is revoked")
    new = LeagueBox(sut.place, wall_clock_s=lambda: NOW_S)
    assert new.enrolment.name == "lion.2"
    # The outbox goes on at its number, and what the old key had brought in does not count twice.
    after = sut.box.play(played_record(3))
    new.send(before)
    new.send(after)
    assert sut.count(MATCH) == 2


@pytest.mark.parametrize("sequence", [1, 2])
def test_a_key_that_is_revoked_once_its_entry_was_checked_brings_nothing_in(sut: Sut, sequence: int) -> None:
    for seed in range(1, sequence):
        sut.take(sut.box.play(played_record(seed)))
    message, key = sut.sign(sut.box.play(played_record(sequence))), Keys(sut.engine).find("lion.1")
    prepared = sut.ledger.prepare([open_signed(message, "lion.1", key)])
    revoke(sut.engine, sut.place.authority, "lion.1")
    (outcome,) = sut.ledger.commit(prepared)
    assert (outcome.kind, outcome.reason) == ("held", "the key is revoked")


@pytest.mark.slow
def test_workers_side_by_side_count_everything_once(sut: Sut) -> None:
    entries = [sut.sign(sut.box.play(played_record(seed))) for seed in range(12)]
    kinds: list[str] = []

    def consume() -> None:
        engine = open_database(sut.engine.url.render_as_string(hide_password=False))
        ledger = Ledger(engine, UTC, lambda: NOW_S)
        for entry in entries:
            while (kind := take(ledger, "lion.1", entry).kind) == "held":
                pass
            kinds.append(kind)
        engine.dispose()

    threads = [threading.Thread(target=consume) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(50)
    assert sorted(kinds) == ["committed"] * 12 + ["repeated"] * 36
    assert (sut.count(MATCH), sut.count(CHAIN)) == (12, 1)


@pytest.mark.slow
def test_boxes_do_not_have_to_send_again_after_a_deadlock(postgresql: Postgresql, tmp_path: Path) -> None:
    place = found_league(tmp_path, postgresql.new_database())
    boxes = [LeagueBox(place, name, wall_clock_s=lambda: NOW_S) for name in ("anchor", "lion")]
    for box in boxes:
        box.play(played_record(1))
    messages = [(box.enrolment.name, box.sign(box.box.play(played_record(2)))) for box in boxes]
    locks = [select(CHAIN).where(CHAIN.c.key_name == name).with_for_update() for name, _ in messages]
    waits = text(
        "select count(*) from pg_stat_activity where query like '%FOR UPDATE%' and wait_event_type = 'Lock'"
    )
    held, both = threading.Event(), list[str]()

    def in_the_other_order() -> None:
        with place.engine.begin() as db:
            # So that the ledger is the one that notices.
            db.execute(text("set local deadlock_timeout = '1h'"))
            db.execute(locks[1])
            held.set()
            with place.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as watch:
                until(lambda: watch.execute(waits).scalar_one() == 1)
            db.execute(locks[0])
            both.append("locked")

    def before_it_locks(_db: Any, _cursor: Any, statement: str, *_: Any) -> None:
        is_first = "FOR UPDATE" in statement and threading.current_thread() is threading.main_thread()
        if is_first and not held.is_set():
            other.start()
            assert held.wait(HANG_S)

    other = threading.Thread(target=in_the_other_order)
    event.listen(place.engine, "before_cursor_execute", before_it_locks)
    outcomes = take_all(boxes[0].ledger, messages)
    other.join(HANG_S)
    assert both == ["locked"]
    assert [outcome.kind for outcome in outcomes] == ["committed"] * 2
    place.engine.dispose()


@pytest.mark.slow
def test_counting_does_not_wait_for_a_match_that_is_just_being_signed(
    postgresql: Postgresql, tmp_path: Path
) -> None:
    """Whoever signs it may be waiting for one that is just being counted."""
    box = LeagueBox(found_league(tmp_path, postgresql.new_database()), wall_clock_s=lambda: NOW_S)
    for seed, initials in enumerate(("ANN", "BOB"), 1):
        box.play(played_record(seed), initials)
    ends, reviewer = threading.Event(), Reviewer(box.engine, UTC, lambda: NOW_S)

    def counted() -> list[int]:
        with box.engine.connect().execution_options(reads=True) as db:
            return sorted(db.execute(select(SEAT.c.match_id).where(SEAT.c.counted)).scalars())

    with ExitStack() as reviewing:
        with box.engine.begin() as signing:
            signing.execute(select(MATCH.c.id).where(MATCH.c.id == 2).with_for_update())
            reviewing.enter_context(in_a_thread(lambda: reviewer.run(ends), ends.set))
            until(lambda: counted() == [1])
        until(lambda: counted() == [1, 2])
    box.engine.dispose()


def test_a_transaction_that_fails_changes_nothing(sut: Sut) -> None:
    entry = sut.sign(sut.box.play(played_record(1)))
    with sut.engine.begin() as db:
        db.execute(text("alter table seat rename to seat_away"))
    with pytest.raises(Exception, match="seat"):
        take(sut.ledger, "lion.1", entry)
    assert (sut.count(ENTRY), sut.count(CHAIN)) == (0, 0)
    with sut.engine.begin() as db:
        db.execute(text("alter table seat_away rename to seat"))
    assert take(sut.ledger, "lion.1", entry).kind == "committed"


def test_a_match_on_two_linked_boxes_does_not_rank(sut: Sut) -> None:
    linked = linked_record()
    sut.play(linked)
    sut.play(replace(linked, conditions=CONDITIONS))
    assert sut.column(MATCH.c.unranked) == ["two linked boxes", ""]


def test_equal_dice_have_to_be_those_of_the_seed(sut: Sut) -> None:
    tournament = Tournament("Cup", "a" * 64)
    forged = replace(played_record(1), conditions=CONDITIONS._replace(equal_dice=tournament.commitment))
    unknown = sut.take(sut.box.play(forged))
    assert unknown.reason.startswith("no tournament of this league has the commitment")
    sut.make(tournament, closes_s=2**31)
    sut.play(played_record(2, equal_dice=tournament))
    assert sut.count(MATCH) == 1
    refused = sut.take(sut.box.play(forged))
    assert (refused.kind, refused.reason) == ("refused", "equal dice: not every throw is the seed's")
    for guess in (forged, played_record(3, equal_dice=tournament)):
        refused = sut.take(sut.box.play(guess))
        assert refused.reason == f"equal dice: {NO_MORE_MATCHES}", "whether it's right"
    with sut.engine.begin() as db:
        assert [row.text for row in notices(db, 1, int(NOW_S))] == [NO_MORE_MATCHES]
        db.execute(TOURNAMENT.update().values(closes_s=int(NOW_S)))
    refused = sut.take(sut.box.play(forged))
    assert refused.kind == "refused"
    assert refused.reason.startswith("equal dice: action "), "nothing is secret any more"
    sut.play(played_record(4, equal_dice=tournament))
    assert sut.count(MATCH) == 2


def test_equal_dice_of_a_tournament_that_has_closed_count_for_nothing(sut: Sut) -> None:
    tournament = Tournament("Cup", "a" * 64)
    sut.make(tournament, closes_s=int(NOW_S) + 1)
    sut.play(played_record(1, equal_dice=tournament))
    with sut.engine.begin() as db:
        db.execute(TOURNAMENT.update().values(closes_s=int(NOW_S)))
    sut.play(played_record(2, equal_dice=tournament))
    assert sut.column(MATCH.c.unranked) == ["", "came after its tournament had closed"]


def test_an_error_of_storing_belongs_to_its_message(sut: Sut, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, after = sut.box.play(played_record(1)), sut.box.play(played_record(2))

    def fails(played: MatchPlayed, received_s: int) -> int:
        return 10**30 if played.number == 1 else played.ended_s

    monkeypatch.setattr("shutthebox_league.filing.time_of", fails)
    crown = LeagueBox(sut.place, "crown")
    good = crown.sign(crown.box.play(played_record(3)))
    message = sut.sign(entry)
    outcomes = take_all(sut.ledger, [("crown.1", b"nonsense"), ("lion.1", message)])
    assert [outcome.kind for outcome in outcomes] == ["rejected", "refused"]
    assert outcomes[1].reason.startswith("it can't be stored: ")
    assert take(sut.ledger, "lion.1", message).kind == "repeated"
    assert sut.take(after).kind == "committed"
    monkeypatch.undo()
    assert take(sut.ledger, "crown.1", good).kind == "committed"


def test_an_error_of_checking_belongs_to_its_message(sut: Sut) -> None:
    """One damaged row stopped every batch with a message that needs it, and so all other boxes."""
    tournament, messages = Tournament("Cup", "a" * 64), list[tuple[str, bytes]]()
    sut.make(tournament, closes_s=2**31)
    for name, dice in ("anchor", None), ("crown", None), ("swan", tournament):
        box = LeagueBox(sut.place, name)
        messages.append((f"{name}.1", box.sign(box.box.play(played_record(1, equal_dice=dice)))))
    with sut.engine.begin() as db:
        db.execute(TOURNAMENT.update().values(text="damaged"))
        db.execute(KEY.update().where(KEY.c.name == "crown.1").values(public_key="damaged"))
    outcomes = take_all(sut.ledger, messages)
    assert [outcome.kind for outcome in outcomes] == ["committed", "rejected", "refused"]


def test_a_limit_that_nobody_plays_to_can_be_stored(sut: Sut) -> None:
    """PostgreSQL has smaller numbers for it: every batch with such a match was committed piece by piece."""
    tournament = Tournament("Cup", "a" * 64)
    sut.make(tournament, closes_s=2**31)
    conditions = CONDITIONS._replace(equal_dice=tournament.commitment)
    game = builtin("tournament-100").with_limit(MAX_LIMIT)
    sut.play(Record(game, 2, 1, conditions=conditions, given_up=True))


@pytest.mark.slow
def test_one_message_that_cannot_be_stored_costs_the_others_little(sut: Sut) -> None:
    """Each of the others was committed by itself then, and waited for the disk."""
    boxes, begun = [LeagueBox(sut.place, f"box{number}") for number in range(16)], list[object]()
    with sut.engine.begin() as db:
        db.execute(text("create unique index as_a_fault on match (number)"))
    sut.play(played_record(0))
    messages = list[tuple[str, bytes]]()
    for number, box in enumerate(boxes):
        box.box.matches = number
        messages.append((box.enrolment.name, box.sign(box.box.play(played_record(number)))))
    keys = Keys(sut.engine)
    prepared = sut.ledger.prepare([open_signed(message, name, keys.find(name)) for name, message in messages])
    assert len(prepared) == len(boxes)
    event.listen(sut.engine, "begin", begun.append)
    outcomes = sut.ledger.commit(prepared)
    assert [outcome.kind for outcome in outcomes] == ["refused"] + ["committed"] * 15
    assert len(begun) < len(boxes)


@pytest.mark.slow
def test_of_what_was_refused_a_megabyte_is_kept_and_the_reasons_of_all(sut: Sut) -> None:
    for number in range(1, 14):
        content = MatchPlayed(number, 5, 6, "#" * MAX_RECORD)
        assert sut.take(sut.box.add(content)).kind == "refused"
    for number in range(14):
        take(sut.ledger, "lion.1", sut.sign(b"%d" % number * 100_000))
    for table in (ENTRY, ASIDE):
        with sut.engine.begin() as db:
            kept = db.execute(select(table.c.message, table.c.hash, table.c.reason)).all()
        assert sum(len(row.message) for row in kept) <= KEPT_BYTES
        assert len(kept) >= 13
        assert all(row.hash and row.reason for row in kept)


def test_a_clock_of_the_league_that_is_years_away_files_nothing_and_says_so(sut: Sut) -> None:
    sut.take(sut.box.play(played_record(1)))
    after = sut.sign(sut.box.play(played_record(2)))
    for wrong_s in (0.0, NOW_S + 10 * 365 * 86400):
        outcome = take(Ledger(sut.engine, UTC, iter((wrong_s,) * 5).__next__), "lion.1", after)
        assert outcome.kind == "held"
        assert outcome.receipt is not None
        assert outcome.receipt.reason.startswith("the league's clock is wrong: it says ")
        with sut.engine.begin() as db:
            assert any(row.text == outcome.reason for row in notices(db, 1, int(wrong_s)))
    assert sut.count(MATCH) == 1
    assert take(sut.ledger, "lion.1", after).kind == "committed"


def test_a_box_with_a_wrong_clock_is_filed_by_ours(sut: Sut) -> None:
    for seed, ended_s in enumerate((5, 2**52, int(NOW_S) - 500 * 86400)):
        entry = sut.box.play(played_record(seed), ended_s + 600)
        assert sut.take(entry).kind == "committed"


@pytest.mark.slow
def test_a_flood_of_nonsense_is_bounded(sut: Sut, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "KEPT_ASIDE", 20)
    for number in range(25):
        take(sut.ledger, "lion.1", sut.sign(b"nonsense %d" % number))
    assert sut.count(ASIDE) == 20


@pytest.mark.slow
def test_another_match_with_the_same_number_and_second_is_kept_beside_the_first(sut: Sut) -> None:
    """A card was put back, and its clock with it: a match was committed and dropped."""
    image = replace(sut.box)
    sut.play(played_record(1), "ANN", "BOB")
    sut.box = image
    sut.take(sut.box.play(played_record(2)), sut.box.sequence)
    sut.take(sut.box.sign(1, "CAT"), sut.box.sequence)
    with sut.engine.begin() as db:
        matches = db.execute(select(MATCH.c.id, MATCH.c.record).order_by(MATCH.c.id)).all()
        seats = db.execute(select(SEAT.c.initials).order_by(SEAT.c.match_id, SEAT.c.seat)).scalars().all()
    assert [row.record for row in matches] == [write(played_record(seed)) for seed in (1, 2)]
    assert list(seats) == ["ANN", "BOB", "CAT", None]
    # What comes again is still counted once.
    enrolment = sut.place.enrol("lion")
    sut.enrolment, sut.box = enrolment, FakeBox(sut.box.journal)
    sut.play(played_record(1), "ANN", "BOB")
    with sut.engine.begin() as db:
        assert db.execute(select(func.count()).select_from(MATCH)).scalar() == 2


@pytest.mark.slow
def test_initials_stay_protected_where_a_box_has_moved_and_its_card_was_put_back(sut: Sut) -> None:
    """The landlord of the pub that it had left was asked for."""
    sut.play(played_record(1), "ANN")
    sut.enrolment, sut.box = sut.place.enrol("lion", "The Crown"), FakeBox(sut.box.journal)
    sut.protect(["PIN"], 2)
    sut.play(played_record(2), "PIN")
    signed = select(SEAT.c.initials, SEAT.c.pub_id, SEAT.c.confirmed).where(SEAT.c.initials.is_not(None))
    with sut.engine.begin() as db:
        assert set(map(tuple, db.execute(signed))) == {("ANN", 1, True), ("PIN", 2, False)}
