"""A league as version 0.1.0 has left it."""

from datetime import date
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Engine, MetaData, insert
from tests.support.league import FakeBox, played_record

from shutthebox.rules.record import write
from shutthebox_league.database import migrate
from shutthebox_uplink.signing import sign_entry

_GAMES = ("traditional", "pub", "tournament-100", "misere")


def old_league(engine: Engine, matches: int) -> None:
    """Fills an empty database with matches of four games for ANN and BOB; each tenth counts for nothing."""
    migrate(engine, "0001")
    tables = MetaData()
    tables.reflect(engine)
    key, box = Ed25519PrivateKey.generate(), FakeBox("a" * 32)
    records = [played_record(seed, game=_GAMES[seed % len(_GAMES)]) for seed in range(matches)]
    signed = [sign_entry(box.sign(1, initials), 1, "box.1", key) for initials in ("ANN", "BOB")]
    rows: dict[str, list[dict[str, Any]]] = {
        "pub": [{"id": 1, "name": "Pub", "slug": "pub", "owner_hash": ""}],
        "box": [{"id": 1, "pub_id": 1, "name": "box"}],
        "key": [{"name": "box.1", "box_id": 1, "public_key": "", "enrolled_s": 0}],
        "chain": [{
            "id": 1, "key_name": "box.1", "journal": box.journal, "head_sequence": 3 * matches,
            "head_hash": "",
        }],
        "player": [{"initials": "ANN", "pin_hash": "", "salt": "", "failures": 0, "locked_until_s": 0}],
        "event": [{
            "id": 1, "name": "Cup", "format": "ladder", "game": "traditional",
            "first_night": date(2026, 1, 1), "last_night": date(2026, 1, 1),
        }],
        "entrant": [{"event_id": 1, "position": 1, "initials": "ANN"}],
        "rating": [{
            "night": date(2026, 1, 1), "initials": "ANN", "rating": 1500, "deviation": 350,
            "volatility": 0.06,
        }],
        "entry": [], "match": [], "seat": [],
    }  # fmt: skip
    for number, record in enumerate(records, 1):
        began_s = 1_760_000_000 + 600 * number
        messages = (sign_entry(box.play(record), 1, "box.1", key), *signed)
        for sequence, message in enumerate(messages, 3 * number):
            rows["entry"].append({
                "chain_id": 1, "sequence": sequence, "hash": f"{sequence:064x}", "received_s": began_s,
                "status": "committed", "reason": "", "message": message,
            })  # fmt: skip
        rows["match"].append({
            "id": number, "chain_id": 1, "sequence": 3 * number, "box_id": 1, "pub_id": 1,
            "journal": box.journal, "number": number, "began_s": began_s, "ended_s": began_s + 500,
            "night": date(2026, 1, 1), "game": record.profile.name, "players": 2,
            "unranked": "" if number % 10 else "real dice", "commitment": "", "record": write(record),
            "reviewed_s": began_s, "rated": True,
        })  # fmt: skip
        rows["seat"] += [
            {
                "match_id": number, "seat": seat, "place": seat, "total": 9 * seat, "initials": initials,
                "confirmed": True, "computer": False, "turns": 1, "score_sum": 9.0, "luck_sum": 0.0,
                "given_away_sum": 0.0,
            }
            for seat, initials in ((1, "ANN"), (2, "BOB"))
        ]  # fmt: skip
    with engine.begin() as db:
        for table, values in rows.items():
            db.execute(insert(tables.tables[table]), values)
