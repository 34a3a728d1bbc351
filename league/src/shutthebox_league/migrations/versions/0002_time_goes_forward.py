"""Sums and ratings that only go forward, categories, stored reviews, notices, and protection by landlords.

Every match is reviewed, counted and rated once more, in the order of arrival, by the service that does it.
All of this is one transaction, so that an interrupted one leaves nothing.
"""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_SOME = 1000  # rows in memory
_FIRST_TURN = re.compile("^[1-9] ", re.MULTILINE)


def upgrade() -> None:
    """To this version."""
    for table in ("notice", "category", "review", "standing", "protected", "rating"):
        if table == "rating":
            op.drop_table(table)
        _TABLES[table].create(op.get_bind())
    op.execute("insert into protected (initials) select initials from player")
    op.drop_table("player")
    op.add_column("chain", sa.Column("origin", sa.String(32)))
    op.create_index("ix_chain_origin", "chain", ["key_name", "origin"])
    op.add_column("key", sa.Column("refused_bytes", sa.BigInteger(), nullable=False, server_default="0"))
    for table, keys in (("entry", ("chain_id", "sequence")), ("aside", ("id",))):
        op.add_column(table, sa.Column("initials", sa.String(3)))
        _find_initials(table, *keys)
        op.create_index(f"ix_{table}_initials", table, ["initials"])
    for name in ("game_night", "reviewed", "rated", "night", "pub_id"):
        op.drop_index(f"ix_match_{name}", "match")
    op.drop_column("match", "rated")
    op.add_column("match", sa.Column("category_id", sa.BigInteger()))
    op.add_column("match", sa.Column("unreviewed", sa.String(100), nullable=False, server_default=""))
    op.add_column("match", sa.Column("unrated", sa.String(100), nullable=False, server_default=""))
    op.add_column("match", sa.Column("ended", sa.String(100), nullable=False, server_default=""))
    op.add_column("match", sa.Column("due_s", sa.BigInteger()))
    op.create_index("ix_match_category_id", "match", ["category_id", "night"])
    op.create_index("ix_match_pub_id", "match", ["pub_id", "id"])
    op.create_index("ix_match_due_s", "match", ["due_s"])
    unreviewed = sa.text("reviewed_s IS NULL")
    op.create_index(
        "ix_match_not_reviewed",
        "match",
        ["box_id", "id"],
        sqlite_where=unreviewed,
        postgresql_where=unreviewed,
    )
    op.drop_index("ix_seat_initials", "seat")
    op.create_index("ix_seat_initials", "seat", ["initials", "match_id"])
    op.add_column("seat", sa.Column("counted", sa.Boolean(), nullable=False, server_default=sa.false()))
    _find_categories()
    unranked = "(select id from match where unranked <> '')"
    op.execute(
        f"update seat set counted = computer or total is null or match_id in {unranked}, turns = 0, "
        "score_sum = 0, luck_sum = 0, given_away_sum = 0"
    )
    op.execute("update match set reviewed_s = null, due_s = case when unranked = '' then 0 end")
    due = sa.text("initials IS NOT NULL AND confirmed IS TRUE AND counted IS FALSE")
    if op.get_bind().dialect.name == "sqlite":
        due = sa.text("initials IS NOT NULL AND confirmed IS 1 AND counted IS 0")
    waits = sa.text("confirmed IS FALSE" if op.get_bind().dialect.name != "sqlite" else "confirmed IS 0")
    op.create_index("ix_seat_not_confirmed", "seat", ["match_id"], sqlite_where=waits, postgresql_where=waits)
    op.create_index("ix_seat_not_counted", "seat", ["match_id"], sqlite_where=due, postgresql_where=due)


def _pages(table: str, column: str, *keys: str, where: str = "true") -> Iterator[Sequence[Any]]:
    """The keys and a column of all rows, some rows at a time."""
    order, after = ", ".join(keys), ", ".join(f":{key}" for key in keys)
    page = sa.text(
        f"select {order}, {column} from {table} where {where} and ({order}) > ({after}) "
        f"order by {order} limit {_SOME}"
    )
    last: Sequence[int] = [-1] * len(keys)
    while rows := op.get_bind().execute(page, dict(zip(keys, last, strict=True))).all():
        last = rows[-1][:-1]
        yield rows


def _find_initials(table: str, *keys: str) -> None:
    """Notes the initials that messages sign with."""
    of_row = " and ".join(f"{key} = :{key}" for key in keys)
    noted = sa.text(f"update {table} set initials = :initials where {of_row}")
    for rows in _pages(table, "message", *keys):
        signed = [(row, _initials(bytes(message))) for *row, message in rows]
        if found := [
            {**dict(zip(keys, row, strict=True)), "initials": initials}
            for row, initials in signed
            if initials
        ]:
            op.get_bind().execute(noted, found)


def _initials(message: bytes) -> str | None:
    try:
        payload = message.split(b".")[1]
        initials = json.loads(urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))["initials"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None
    return initials if isinstance(initials, str) and len(initials) == 3 and initials.isascii() else None


def _find_categories() -> None:
    """Gives every match and every event its category, by what its record says before the first turn."""
    from shutthebox_league.categories import RENAMED, category_id, category_of, usual_category
    from shutthebox_league.checking import read_record

    db = op.get_bind()
    for table in ("match", "event"):
        renamed = sa.text(f"update {table} set game = :now where game = :former")
        db.execute(renamed, [{"now": now, "former": former} for former, now in RENAMED.items()])

    @lru_cache(_SOME)
    def category(head: str) -> int | None:
        try:
            found = category_of(read_record(head))
        except ValueError:
            return None
        return None if found is None else category_id(db, found)

    noted = sa.text("update match set category_id = :category, unranked = :unranked where id = :id")
    for rows in _pages("match", "record", "id", where="unranked = ''"):
        found = [(match_id, category(_FIRST_TURN.split(record, 1)[0])) for match_id, record in rows]
        db.execute(noted, [
            {"id": match_id, "category": number, "unranked": "" if number else "older rules"}
            for match_id, number in found
        ])  # fmt: skip
    op.add_column("event", sa.Column("category_id", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("event", sa.Column("after_match", sa.BigInteger(), nullable=False, server_default="0"))
    for event_id, game in db.execute(sa.text("select id, game from event")).all():
        values = {"id": event_id, "category": category_id(db, usual_category(game))}
        db.execute(sa.text("update event set category_id = :category where id = :id"), values)
    op.drop_column("event", "game")


_METADATA = sa.MetaData()
for _table in ("match", "pub"):  # which the new tables name
    sa.Table(_table, _METADATA, sa.Column("id", _ID, primary_key=True))
_TABLES = {
    table.name: table
    for table in (
        sa.Table(
            "notice",
            _METADATA,
            sa.Column("key_name", sa.String(50), nullable=False),
            sa.Column("kind", sa.String(20), nullable=False),
            sa.Column("text", sa.String(300), nullable=False),
            sa.Column("first_s", sa.BigInteger(), nullable=False),
            sa.Column("last_s", sa.BigInteger(), nullable=False),
            sa.PrimaryKeyConstraint("key_name", "kind", name="pk_notice"),
        ),
        sa.Table(
            "category",
            _METADATA,
            sa.Column("id", _ID, nullable=False),
            sa.Column("game", sa.String(40), nullable=False),
            sa.Column("tiles", sa.Integer(), nullable=False),
            sa.Column("rounds", sa.Integer(), nullable=False),
            sa.Column("points", sa.Integer(), nullable=False),
            sa.Column("matches", sa.BigInteger(), nullable=False),
            sa.PrimaryKeyConstraint("id", name="pk_category"),
            sa.UniqueConstraint("game", "tiles", "rounds", "points", name="uq_category_game"),
        ),
        sa.Table(
            "review",
            _METADATA,
            sa.Column("match_id", _ID, nullable=False),
            sa.Column("shown", sa.LargeBinary(), nullable=False),
            sa.ForeignKeyConstraint(
                ["match_id"], ["match.id"], name="fk_review_match_id", ondelete="CASCADE"
            ),
            sa.PrimaryKeyConstraint("match_id", name="pk_review"),
        ),
        sa.Table(
            "protected",
            _METADATA,
            sa.Column("id", _ID, nullable=False),
            sa.Column("initials", sa.String(3), nullable=False),
            sa.Column("pub_id", _ID),
            sa.ForeignKeyConstraint(["pub_id"], ["pub.id"], name="fk_protected_pub_id"),
            sa.PrimaryKeyConstraint("id", name="pk_protected"),
            sa.Index("ix_protected_pub_id", "pub_id"),
            sa.Index("ix_protected_initials", "initials", "pub_id"),
        ),
        sa.Table(
            "standing",
            _METADATA,
            sa.Column("category_id", sa.BigInteger(), autoincrement=False, nullable=False),
            sa.Column("pub_id", sa.BigInteger(), autoincrement=False, nullable=False),
            sa.Column("period", sa.String(6), nullable=False),
            sa.Column("first", sa.Date(), nullable=False),
            sa.Column("initials", sa.String(3), nullable=False),
            sa.Column("matches", sa.Integer(), nullable=False),
            sa.Column("wins", sa.Integer(), nullable=False),
            sa.Column("total_sum", sa.Float(), nullable=False),
            sa.Column("turns", sa.Integer(), nullable=False),
            sa.Column("luck_sum", sa.Float(), nullable=False),
            sa.Column("given_away_sum", sa.Float(), nullable=False),
            sa.Column("mean_total", sa.Float(), nullable=False),
            sa.Column("given_away", sa.Float()),
            sa.PrimaryKeyConstraint(
                "category_id", "pub_id", "period", "first", "initials", name="pk_standing"
            ),
            sa.Index("ix_standing_wins", "category_id", "pub_id", "period", "first", "wins"),
            sa.Index("ix_standing_mean", "category_id", "pub_id", "period", "first", "mean_total"),
            sa.Index("ix_standing_skill", "category_id", "pub_id", "period", "first", "given_away"),
            sa.Index("ix_standing_initials", "initials"),
        ),
        sa.Table(
            "rating",
            _METADATA,
            sa.Column("initials", sa.String(3), nullable=False),
            sa.Column("mu", sa.Float(), nullable=False),
            sa.Column("sigma", sa.Float(), nullable=False),
            sa.Column("at_least", sa.Float(), nullable=False),
            sa.PrimaryKeyConstraint("initials", name="pk_rating"),
            sa.Index("ix_rating_at_least", "at_least"),
        ),
    )
}
