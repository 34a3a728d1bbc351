"""The league's own health, for the operator's monitoring: `/health` and `/metrics` of the page.

The page has no network access, so door, reviewer and backup record in the database when they last worked.
"""

from dataclasses import asdict, dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from sqlalchemy import Connection, func, select

from shutthebox_league import __version__
from shutthebox_league.database import upsert
from shutthebox_league.schema import BROUGHT_BY, ENTRY, HEALTH, KEY, MATCH, NOTICE, PULSE

DOOR, REVIEWER, BACKUP = "door", "reviewer", "backup"
"""The parts: what takes the boxes' entries, the reviewer, and the timer's back-up."""

PULSE_EVERY_S = 15.0
"""How often door and reviewer note that they work."""

SILENT_S = 120
"""A door or reviewer that has recorded nothing for this long is a fault."""

BACKUP_S = 26 * 3600
"""A daily back-up that is older is a fault. If none was ever made, nobody has asked for one."""

OFFLINE_S = 660
"""A box reports every five minutes; one that has been silent for this long is offline."""

MAX_COUNTED = 10_000
"""The backlog is counted up to here."""

OK, FAULTY = "ok", "faulty"


@dataclass(frozen=True, slots=True)
class LeagueHealth:
    """The content of `/health`.

    Attributes:
        faults: in words; empty if all is well.
        version: of the league's program.
        door: whether the boxes' matches are taken.
        reviewer: whether the reviewer works.
        backlog: matches without a review, `MAX_COUNTED` at most.
        last_match_age_s: since the latest match came; None without any.
        boxes: with a valid key.
        boxes_offline: how many of them are offline; not a fault, because pubs close.
        backup_age_s: since the timer's latest back-up; None without any.
    """

    faults: tuple[str, ...]
    version: str
    door: bool
    reviewer: bool
    backlog: int
    last_match_age_s: int | None
    boxes: int
    boxes_offline: int
    backup_age_s: int | None

    def to_json(self) -> dict[str, Any]:
        """As `/health` prints it."""
        return {"status": FAULTY if self.faults else OK, **asdict(self)}

    def to_prometheus(self) -> bytes:
        """The numbers, in Prometheus' text format."""
        registry = CollectorRegistry()
        for name, value in ("healthy", not self.faults), *asdict(self).items():
            if isinstance(value, int):
                name = f"shutthebox_league_{name.replace('_age_s', '_age_seconds')}"
                Gauge(name, "As /health tells it", registry=registry).set(value)
        return generate_latest(registry)


def note_pulse(db: Connection, name: str, now_s: int) -> None:
    """Notes that a part of the league has done its work."""
    _note(db, name, {"seen_s": now_s, "failed": False})


def note_failure(db: Connection, name: str) -> None:
    """Notes that a part of the league could not do its work."""
    _note(db, name, {"failed": True})


def _note(db: Connection, name: str, values: dict[str, Any]) -> None:
    row = upsert(db, PULSE).values(name=name, **values)
    db.execute(row.on_conflict_do_update(index_elements=["name"], set_=values))


def read_league_health(db: Connection, now_s: int) -> LeagueHealth:
    """The league's health. The work is bounded, however many matches there are."""
    pulses = {row.name: row for row in db.execute(select(PULSE))}
    ages_s = {name: _age_s(row.seen_s, now_s) for name, row in pulses.items()}
    door, reviewer = (_is_fresh(ages_s.get(name), SILENT_S) for name in (DOOR, REVIEWER))
    backup_age_s = ages_s.get(BACKUP)
    clock = (NOTICE.c.key_name == "") & (NOTICE.c.kind == "clock") & (NOTICE.c.last_s > now_s - SILENT_S)
    faults = {
        "the boxes' matches are not taken": not door,
        "the reviewer is not running": not reviewer,
        "the league's clock is wrong": db.execute(select(NOTICE.c.last_s).where(clock)).first() is not None,
        "the latest back-up failed": BACKUP in pulses and pulses[BACKUP].failed,
        "the latest back-up is too old": backup_age_s is not None and backup_age_s > BACKUP_S,
    }
    waiting = select(MATCH.c.id).where(MATCH.c.reviewed_s.is_(None)).limit(MAX_COUNTED).subquery()
    came_s = select(ENTRY.c.received_s).join(MATCH, BROUGHT_BY).order_by(MATCH.c.id.desc()).limit(1)
    with_key = select(KEY.c.box_id).where(KEY.c.revoked_s.is_(None)).distinct().subquery()
    boxes = db.execute(select(func.count()).select_from(with_key)).scalar_one()
    is_online = HEALTH.c.seen_s > now_s - OFFLINE_S
    online = (
        select(func.count())
        .join_from(HEALTH, with_key, with_key.c.box_id == HEALTH.c.box_id)
        .where(is_online)
    )
    return LeagueHealth(
        faults=tuple(fault for fault, is_so in faults.items() if is_so),
        version=__version__,
        door=door,
        reviewer=reviewer,
        backlog=db.execute(select(func.count()).select_from(waiting)).scalar_one(),
        last_match_age_s=_age_s(db.execute(came_s).scalar(), now_s),
        boxes=boxes,
        boxes_offline=boxes - db.execute(online).scalar_one(),
        backup_age_s=backup_age_s,
    )


def _age_s(seen_s: int | None, now_s: int) -> int | None:
    return None if seen_s is None else max(0, now_s - seen_s)


def _is_fresh(age_s: int | None, most_s: int) -> bool:
    return age_s is not None and age_s <= most_s
