"""What a hostile box, a card of before and a crowd once did to a league: nobody beside them notices."""

import threading
import time
from datetime import UTC, date, timedelta
from itertools import combinations
from string import ascii_uppercase

import pytest
from sqlalchemy import func, insert, select, update
from tests.box.league.hostile.town import (
    HONEST,
    HostileBox,
    Town,
    a_match_of_a_week,
    ask,
    is_open,
)
from tests.support.league import played_record
from tests.support.waiting import HANG_S, until

from shutthebox.outbox_entry import NO_HASH
from shutthebox_league.categories import usual_category
from shutthebox_league.checking import night_of
from shutthebox_league.enrolment import revoke
from shutthebox_league.events import make_event, read_event
from shutthebox_league.formats import Format
from shutthebox_league.main import main
from shutthebox_league.schema import (
    BOX,
    CHAIN,
    EVENT,
    EVENT_GAME,
    IS_RERATED,
    MATCH,
    RATING,
    SEAT,
    TO_RERATE,
)
from shutthebox_league.voiding import void_key
from shutthebox_uplink.signing import COMMITTED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_matches_of_people_who_were_not_there(town: Town) -> None:
    """Signed by one box of another pub, for tonight and for three weeks ago; taken back in the end."""
    now_s, entrants = int(time.time()), [box.players[0] for box in town.boxes[:4]]
    tonight = night_of(now_s, UTC)
    nights = {"open": tonight, "over": tonight - timedelta(days=21)}
    with town.place.engine.begin() as db:
        cups = {
            (name, form): make_event(
                db, f"{name} {form}", form, usual_category("traditional"), entrants, night, night,
                boxes=["honest0"], zone=UTC,
            )[0]
            for name, night in nights.items()
            for form in (Format.KNOCKOUT, Format.ROUND_ROBIN, Format.SWISS)
        }  # fmt: skip
    keys = list[str]()

    def forged() -> int:
        with town.place.engine.connect().execution_options(reads=True) as db:
            own = MATCH.c.chain_id.in_(select(CHAIN.c.id).where(CHAIN.c.key_name.in_(keys)))
            rated = own & MATCH.c.rated.is_not(None) & ~TO_RERATE & ~IS_RERATED & (MATCH.c.voided == 0)
            return int(db.execute(select(func.count()).where(rated)).scalar_one())

    def attack(box: HostileBox, ends: threading.Event) -> None:
        keys.append(box.enrolment.name)
        for number, (first, second) in enumerate(combinations(entrants, 2)):
            for ended_s in (now_s, now_s - 21 * 24 * 3600):
                box.send(box.chain.play(played_record(number), ended_s))
                for seat, initials in enumerate((first, second), 1):
                    assert box.send(box.chain.sign(seat, initials, ended_s)).status == COMMITTED

    town.beside(attack)
    until(lambda: forged() == 12)
    with town.place.engine.connect().execution_options(reads=True) as db:
        evil = select(BOX.c.id).where(BOX.c.name.startswith("evil"))
        counts = EVENT_GAME.c.position.is_not(None) & EVENT_GAME.c.box_id.in_(evil)
        assert db.execute(select(func.count()).where(counts)).scalar() == 0
        for number in cups.values():
            event = read_event(db, number, now_s)
            assert event is not None
            assert event.standing is None or not any(line.played for line in event.standing.lines)
    revoke(town.place.engine, town.place.authority, keys[0])
    with town.place.engine.begin() as db:
        assert void_key(db, keys[0], None, now_s, tonight)[1] == 12
    assert forged() == 0
    town.is_well()


def test_the_card_of_a_forgotten_player_under_new_keys(town: Town) -> None:
    initials, began_s = "ZZQ", int(time.time()) - 60

    def old_card(box: HostileBox) -> None:
        assert box.send(box.chain.play(played_record(1), began_s)).status == COMMITTED
        assert box.send(box.chain.sign(1, initials, began_s)).status == COMMITTED

    def attack(box: HostileBox, ends: threading.Event) -> None:
        old_card(box)
        assert main(["--folder", str(town.folder), "forget", initials]) == 0
        for _ in range(5):
            box.chain.journal, box.chain.previous = box.random.randbytes(16).hex(), NO_HASH
            box.chain.sequence = box.chain.matches = 0
            old_card(box)
        with town.hostile_box() as other:
            old_card(other)

    town.beside(attack)
    with town.place.engine.connect().execution_options(reads=True) as db:
        for table in (SEAT, RATING):
            assert db.execute(select(func.count()).where(table.c.initials == initials)).scalar() == 0


def test_a_crowd_at_an_event_of_64_entrants_and_2000_games(town: Town) -> None:
    """Its page took 644 MB and 20 s for everybody."""
    entrants = [f"{a}{b}Y" for a in ascii_uppercase[:8] for b in ascii_uppercase[:8]]
    with town.place.engine.begin() as db:
        tonight = date.today()
        event_id, _ = make_event(
            db, "Giant", Format.ROUND_ROBIN, usual_category("traditional"), entrants, tonight, tonight,
            boxes=["honest0"], zone=UTC,
        )  # fmt: skip
        match = db.execute(select(MATCH)).mappings().first()
        assert match is not None
        first = db.execute(select(func.max(MATCH.c.id))).scalar_one() + 10**6
        games = [(first + number, *pair) for number, pair in enumerate(combinations(entrants, 2))]
        # None of an honest box's, and nobody has to see to them.
        other = {**match, "journal": "e" * 32, "due_s": None, "reviewed_s": 1}
        db.execute(insert(MATCH), [{**other, "id": number, "number": number} for number, *_ in games])
        db.execute(
            insert(EVENT_GAME),
            [
                {
                    "event_id": event_id, "match_id": number, "player": player, "opponent": opponent,
                    "winner": player, "box_id": 1, "player_waits": False, "opponent_waits": False,
                    "position": number - first + 1, "used": True,
                }
                for number, player, opponent in games
            ],
        )  # fmt: skip
        db.execute(update(EVENT).where(EVENT.c.id == event_id).values(stale=True))

    def attack(box: HostileBox, ends: threading.Event) -> None:
        def look() -> None:
            while not ends.is_set():
                assert ask(town, f"/event/{event_id}") in (200, 503)

        crowd = [threading.Thread(target=look, daemon=True) for _ in range(20)]
        for visitor in crowd:
            visitor.start()
        for visitor in crowd:
            visitor.join(HANG_S * 4)

    town.beside(attack)
    assert is_open(town)


def test_the_longest_records_of_many_keys(town: Town) -> None:
    town.beside(*[a_match_of_a_week] * 2)
    assert len(town.boxes) == HONEST
