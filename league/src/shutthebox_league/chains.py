"""Warnings for owners about the entry chains of their pub's boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, func, select

from shutthebox_league.schema import BOX, CHAIN, ENTRY, GAP, KEY

_MAX = 20


@dataclass(frozen=True, slots=True)
class Note:
    """A warning for the owner.

    Attributes:
        box: the name of the box.
        time_s: when the league noticed.
        text: one sentence.
    """

    box: str
    time_s: int
    text: str


def notes_of(db: Connection, pub_id: int) -> Sequence[Note]:
    """Lists gaps, restarted chains and keys used by two boxes at once, latest first.

    Only the latest chains count: a hostile box begins one with every entry.
    """
    keys = select(KEY.c.name).join(BOX, BOX.c.id == KEY.c.box_id).where(BOX.c.pub_id == pub_id)
    own = select(CHAIN.c.id).where(CHAIN.c.key_name.in_(keys)).order_by(CHAIN.c.id.desc()).limit(5 * _MAX)
    chains_of_pub = db.execute(own).scalars().all()
    notes = [
        Note(
            row.name,
            row.noticed_s,
            f"Entries {row.first} to {row.last} never came: the box had no room for them, or lost them.",
        )
        for row in db.execute(
            select(BOX.c.name, GAP.c.first, GAP.c.last, GAP.c.noticed_s)
            .join(CHAIN, CHAIN.c.id == GAP.c.chain_id)
            .join(KEY, KEY.c.name == CHAIN.c.key_name)
            .join(BOX, BOX.c.id == KEY.c.box_id)
            .where(CHAIN.c.id.in_(chains_of_pub))
            .order_by(GAP.c.noticed_s.desc())
            .limit(_MAX)
        )
    ]
    of_key: dict[str, list[Any]] = {}
    first = (
        select(func.min(ENTRY.c.sequence)).where(ENTRY.c.chain_id == CHAIN.c.id).correlate(CHAIN)
    ).scalar_subquery()
    began, latest = ENTRY.alias(), ENTRY.alias()
    for row in db.execute(
        select(
            BOX.c.name,
            CHAIN.c.key_name,
            CHAIN.c.number,
            began.c.received_s,
            latest.c.received_s.label("latest_s"),
        )
        .join(KEY, KEY.c.name == CHAIN.c.key_name)
        .join(BOX, BOX.c.id == KEY.c.box_id)
        .join(began, (began.c.chain_id == CHAIN.c.id) & (began.c.sequence == first))
        .join(latest, (latest.c.chain_id == CHAIN.c.id) & (latest.c.sequence == CHAIN.c.head_sequence))
        .where(CHAIN.c.id.in_(chains_of_pub), KEY.c.revoked_s.is_(None))
        .order_by(CHAIN.c.id.desc())
    ):
        of_key.setdefault(row.key_name, []).append(row)
    for key_name, chains in of_key.items():
        chains.reverse()
        for chain in chains:
            if chain.number > 1:
                text = "The box began again from an older copy of its card. Some matches may be missing."
                notes.append(Note(chain.name, chain.received_s, text))
        for before, after in pairwise(chains):
            if before.latest_s > after.received_s:
                text = f"Two boxes use {key_name} at once. Each needs its own: shutthebox-league enrol."
                notes.append(Note(after.name, before.latest_s, text))
    return sorted(notes, key=lambda note: note.time_s, reverse=True)[:_MAX]
