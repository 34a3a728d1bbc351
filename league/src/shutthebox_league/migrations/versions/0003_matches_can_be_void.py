"""Matches can be void, ratings go back to before one, and the tables of events are kept.

All matches are rated once more, in the order of arrival, by the service that does it. An event of before
counts matches at the boxes that there are, as it did.
"""

from datetime import UTC, datetime, time, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_GRACE_S = (6 + 14 + 24) * 3600  # A night ends at six in the morning, anywhere on earth; and a day of grace.


def upgrade() -> None:
    """To this version."""
    op.add_column("match", sa.Column("rated", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("match", sa.Column("voided", sa.Integer(), nullable=False, server_default="0"))
    for column in (
        sa.Column("named_s", sa.BigInteger()),
        sa.Column("mu", sa.Float()),
        sa.Column("sigma", sa.Float()),
    ):
        op.add_column("seat", column)
    op.drop_index("ix_match_due_s", "match")
    op.execute(
        "update match set rated = id, due_s = 0 where unranked = '' and unrated = '' and due_s is null"
    )
    op.execute("delete from rating")
    op.create_index("ix_match_due_s", "match", ["due_s", "rated", "id"])
    op.create_index("ix_match_rated", "match", ["rated"])
    _keep_events()
    op.create_table(
        "voiding",
        sa.Column("id", _ID, nullable=False),
        sa.Column("what", sa.String(120), nullable=False),
        sa.Column("pub_id", _ID),
        sa.Column("made_s", sa.BigInteger(), nullable=False),
        sa.Column("undone_s", sa.BigInteger()),
        sa.ForeignKeyConstraint(["pub_id"], ["pub.id"], name="fk_voiding_pub_id"),
        sa.PrimaryKeyConstraint("id", name="pk_voiding"),
    )
    op.create_index("ix_voiding_pub_id", "voiding", ["pub_id"])
    op.create_table(
        "voided",
        sa.Column("voiding_id", _ID, nullable=False),
        sa.Column("match_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["voiding_id"], ["voiding.id"], name="fk_voided_voiding_id"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_voided_match_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("voiding_id", "match_id", name="pk_voided"),
    )
    op.create_index("ix_voided_match_id", "voided", ["match_id"])


def _keep_events() -> None:
    op.add_column("event", sa.Column("closes_s", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("event", sa.Column("state", sa.Text(), nullable=False, server_default=""))
    op.add_column("event", sa.Column("stale", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("entrant", sa.Column("code_hash", sa.String(64), nullable=False, server_default=""))
    with op.batch_alter_table("event") as event:
        event.drop_column("after_match")
        event.alter_column("closes_s", server_default=None)
        event.alter_column("category_id", server_default=None)
    op.create_index("ix_event_category_id", "event", ["category_id", "last_night"])
    op.create_index("ix_event_stale", "event", ["stale"])
    op.create_table(
        "event_box",
        sa.Column("event_id", _ID, nullable=False),
        sa.Column("box_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name="fk_event_box_event_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["box_id"], ["box.id"], name="fk_event_box_box_id"),
        sa.PrimaryKeyConstraint("event_id", "box_id", name="pk_event_box"),
    )
    op.create_table(
        "event_game",
        sa.Column("event_id", _ID, nullable=False),
        sa.Column("match_id", _ID, nullable=False),
        sa.Column("who", sa.String(7), nullable=False),
        sa.Column("winner", sa.String(3)),
        sa.Column("total", sa.BigInteger()),
        sa.Column("box_id", sa.BigInteger(), nullable=False),
        sa.Column("waits_for", sa.String(7), nullable=False),
        sa.Column("position", sa.BigInteger()),
        sa.Column("used", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name="fk_event_game_event_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name="fk_event_game_match_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "match_id", "who", name="pk_event_game"),
    )
    for name, *columns in (
        ("position", "event_id", "position"),
        ("used", "event_id", "used", "position"),
        ("who", "event_id", "who", "position"),
        ("total", "event_id", "who", "total"),
        ("waits_for", "event_id", "box_id", "waits_for", "match_id"),
        ("match_id", "match_id"),
    ):
        op.create_index(f"ix_event_game_{name}", "event_game", columns)
    op.execute("insert into event_box (event_id, box_id) select event.id, box.id from event, box")
    events = sa.table("event", sa.column("id"), sa.column("last_night", sa.Date()), sa.column("closes_s"))
    for row in op.get_bind().execute(sa.select(events.c.id, events.c.last_night)).all():
        end = datetime.combine(row.last_night + timedelta(days=1), time(), UTC)
        closes_s = int(end.timestamp()) + _GRACE_S
        op.execute(sa.update(events).where(events.c.id == row.id).values(closes_s=closes_s))
