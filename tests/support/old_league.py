"""A league as version 0.1.0 has left it."""

from datetime import date, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Engine, MetaData, insert
from tests.support.league import FakeBox, played_record

from shutthebox.rules.record import write
from shutthebox_league.database import migrate
from shutthebox_uplink.signing import sign_entry

_GAMES = ("traditional", "pub", "tournament-100", "misere")
_BOXES, _AT_ONCE = 10, 5000


def old_league(engine: Engine, matches: int) -> None:
    """Fills an empty database with matches of four games for ANN and BOB; each tenth counts for nothing."""
    migrate(engine, "0001")
    tables = MetaData()
    tables.reflect(engine)
    records = [played_record(seed, game=_GAMES[seed % len(_GAMES)]) for seed in range(min(40, matches))]
    texts = [write(record) for record in records]
    key, box = Ed25519PrivateKey.generate(), FakeBox("a" * 32)
    played = [sign_entry(box.play(record), 1, "box0.1", key) for record in records]
    signed = [sign_entry(box.sign(1, initials), 1, "box0.1", key) for initials in ("ANN", "BOB")]
    with engine.begin() as db:
        rows: dict[str, list[dict[str, Any]]] = {
            "pub": [{"id": 1, "name": "Pub", "slug": "pub", "owner_hash": ""}],
            "box": [{"id": n + 1, "pub_id": 1, "name": f"box{n}"} for n in range(_BOXES)],
            "key": [
                {"name": f"box{n}.1", "box_id": n + 1, "public_key": "", "enrolled_s": 0}
                for n in range(_BOXES)
            ],
            "chain": [
                {
                    "id": n + 1, "key_name": f"box{n}.1", "journal": f"{n:032x}", "head_sequence": matches,
                    "head_hash": "",
                }
                for n in range(_BOXES)
            ],
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
        }  # fmt: skip
        for table, values in rows.items():
            db.execute(insert(tables.tables[table]), values)
    for begin in range(0, matches, _AT_ONCE):
        rows = {"entry": [], "match": [], "seat": []}
        for number in range(begin, min(begin + _AT_ONCE, matches)):
            chain, which = number % _BOXES + 1, number % len(records)
            began_s, night = 1_760_000_000 + 600 * number, date(2026, 1, 1) + timedelta(number // 1000)
            for sequence, text in enumerate((played[which], *signed), 3 * number):
                rows["entry"].append({
                    "chain_id": chain, "sequence": sequence, "hash": f"{sequence:064x}",
                    "received_s": began_s, "status": "committed", "reason": "", "message": text,
                })  # fmt: skip
            rows["match"].append({
                "id": number + 1, "chain_id": chain, "sequence": 3 * number, "box_id": chain, "pub_id": 1,
                "journal": f"{chain:032x}", "number": number + 1, "began_s": began_s,
                "ended_s": began_s + 500, "night": night, "game": records[which].profile.name, "players": 2,
                "unranked": "real dice" if number % 10 == 9 else "", "commitment": "",
                "record": texts[which],
                "reviewed_s": began_s, "rated": True,
            })  # fmt: skip
            rows["seat"] += [
                {
                    "match_id": number + 1, "seat": seat, "place": seat, "total": 9 * seat,
                    "initials": initials, "confirmed": True, "computer": False, "turns": 1,
                    "score_sum": 9.0, "luck_sum": 0.0, "given_away_sum": 0.0,
                }
                for seat, initials in ((1, "ANN"), (2, "BOB"))
            ]  # fmt: skip
        with engine.begin() as db:
            for table, values in rows.items():
                db.execute(insert(tables.tables[table]), values)
