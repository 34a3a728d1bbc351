"""Sums and ratings that only go forward, categories, stored reviews, and notices for owners.

Every match is reviewed, counted and rated once more, in the order of arrival, by the service that does it.
"""

import json
from base64 import urlsafe_b64decode

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_SOME = 500  # messages at a time


def upgrade() -> None:
    """To this version."""
    for table in ("notice", "category", "review", "standing", "rating"):
        if table == "rating":
            op.drop_table(table)
        _TABLES[table].create(op.get_bind())
    op.add_column("key", sa.Column("refused_bytes", sa.BigInteger(), nullable=False, server_default="0"))
    for table in ("entry", "aside"):
        op.add_column(table, sa.Column("initials", sa.String(3)))
        _find_initials(table)
        op.create_index(f"ix_{table}_initials", table, ["initials"])
    for name in ("game_night", "reviewed", "rated", "night", "pub_id"):
        op.drop_index(f"ix_match_{name}", "match")
    op.drop_column("match", "rated")
    op.add_column("match", sa.Column("category_id", sa.BigInteger()))
    op.add_column("match", sa.Column("unreviewed", sa.String(100), nullable=False, server_default=""))
    op.add_column("match", sa.Column("unrated", sa.String(100), nullable=False, server_default=""))
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
    op.execute(f"update seat set counted = true where computer or total is null or match_id in {unranked}")
    op.execute("update seat set turns = 0, score_sum = 0, luck_sum = 0, given_away_sum = 0")
    op.execute("update match set reviewed_s = null")
    op.execute("update match set due_s = 0 where unranked = ''")
    due = sa.text("initials IS NOT NULL AND confirmed IS TRUE AND counted IS FALSE")
    if op.get_bind().dialect.name == "sqlite":
        due = sa.text("initials IS NOT NULL AND confirmed IS 1 AND counted IS 0")
    waits = sa.text("confirmed IS FALSE" if op.get_bind().dialect.name != "sqlite" else "confirmed IS 0")
    op.create_index("ix_seat_not_confirmed", "seat", ["match_id"], sqlite_where=waits, postgresql_where=waits)
    op.create_index("ix_seat_not_counted", "seat", ["match_id"], sqlite_where=due, postgresql_where=due)


def _find_initials(table: str) -> None:
    """Notes the initials that messages sign with."""
    db = op.get_bind()
    row_id = "rowid" if db.dialect.name == "sqlite" else "ctid"
    found = db.execute(sa.text(f"select {row_id}, message from {table}"))
    for rows in found.partitions(_SOME):
        for row, message in rows:
            if initials := _initials(bytes(message)):
                db.execute(
                    sa.text(f"update {table} set initials = :initials where {row_id} = :row"),
                    {"initials": initials, "row": row},
                )


def _initials(message: bytes) -> str | None:
    try:
        payload = message.split(b".")[1]
        initials = json.loads(urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))["initials"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None
    return initials if isinstance(initials, str) and len(initials) == 3 and initials.isascii() else None


def _find_categories() -> None:
    """Gives every match and every event its category."""
    from shutthebox_league.categories import category_id, category_of, usual_category
    from shutthebox_league.checking import read_record

    db = op.get_bind()
    matches = db.execute(sa.text("select id, record from match where unranked = ''")).partitions(_SOME)
    for rows in matches:
        for match_id, record in rows:
            try:
                category = category_of(read_record(record))
            except ValueError:
                category = None
            values = {"id": match_id, "category": None if category is None else category_id(db, category)}
            if category is None:
                db.execute(sa.text("update match set unranked = 'older rules' where id = :id"), values)
            db.execute(sa.text("update match set category_id = :category where id = :id"), values)
    op.add_column("event", sa.Column("category_id", sa.BigInteger(), nullable=False, server_default="0"))
    for event_id, game in db.execute(sa.text("select id, game from event")).all():
        values = {"id": event_id, "category": category_id(db, usual_category(game))}
        db.execute(sa.text("update event set category_id = :category where id = :id"), values)
    op.drop_column("event", "game")


_METADATA = sa.MetaData()
sa.Table("match", _METADATA, sa.Column("id", _ID, primary_key=True))  # which a review belongs to
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
