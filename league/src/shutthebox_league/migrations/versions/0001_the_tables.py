"""Makes the tables of a league.

Migrations are frozen: each makes what `schema.py` had at its time, whatever it becomes later. A change of the
schema is another migration.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes tables and indexes in an empty database."""
    op.create_table(
        "aside",
        sa.Column("id", _ID, nullable=False),
        sa.Column("key_name", sa.String(length=50), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("received_s", sa.BigInteger(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=300), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=False),
        sa.Column("initials", sa.String(length=3)),
        sa.PrimaryKeyConstraint("id", name="pk_aside"),
        sa.UniqueConstraint("key_name", "hash", name="uq_aside_key_name"),
    )
    op.create_index("ix_aside_initials", "aside", ["initials"])
    op.create_index("ix_aside_key_name", "aside", ["key_name"])
    op.create_table(
        "category",
        sa.Column("id", _ID, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("tiles", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("pubs", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_category"),
        sa.UniqueConstraint("game", "tiles", "rounds", "points", name="uq_category_game"),
    )
    _create_partial_index(
        "ix_category_pubs",
        "category",
        [sa.column("pubs").desc(), sa.column("matches").desc(), "id"],
        sa.column("matches") > sa.literal_column("0"),
    )
    op.create_table(
        "event",
        sa.Column("id", _ID, nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=False),
        sa.Column("category_id", sa.BigInteger(), nullable=False),
        sa.Column("first_night", sa.Date(), nullable=False),
        sa.Column("last_night", sa.Date(), nullable=False),
        sa.Column("closes_s", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default="", nullable=False),
        sa.Column("stale", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
    )
    op.create_index("ix_event_category_id", "event", ["category_id", "last_night"])
    op.create_index("ix_event_stale", "event", ["stale"])
    op.create_table(
        "forgotten",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("pub_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("before_s", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", "pub_id", name="pk_forgotten"),
    )
    op.create_table(
        "notice",
        sa.Column("key_name", sa.String(length=50), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("text", sa.String(length=300), nullable=False),
        sa.Column("first_s", sa.BigInteger(), nullable=False),
        sa.Column("last_s", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key_name", "kind", name="pk_notice"),
    )
    op.create_table(
        "pub",
        sa.Column("id", _ID, nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("owner_hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pub"),
        sa.UniqueConstraint("name", name="uq_pub_name"),
        sa.UniqueConstraint("slug", name="uq_pub_slug"),
    )
    op.create_table(
        "pulse",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("seen_s", sa.BigInteger()),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_pulse"),
    )
    op.create_table(
        "rating",
        sa.Column("initials", sa.String(length=3), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("at_least", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("initials", name="pk_rating"),
    )
    op.create_index("ix_rating_at_least", "rating", ["at_least"])
    op.create_table(
        "rerated",
        sa.Column("initials", sa.String(length=3), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("initials", name="pk_rerated"),
    )
    op.create_table(
        "rerating",
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("at", name="pk_rerating"),
    )
    op.create_table(
        "standing",
        sa.Column("category_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("pub_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("period", sa.String(length=6), nullable=False),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("initials", sa.String(length=3), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("total_sum", sa.Float(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("luck_sum", sa.Float(), nullable=False),
        sa.Column("given_away_sum", sa.Float(), nullable=False),
        sa.Column("mean_total", sa.Float(), nullable=False),
        sa.Column("given_away", sa.Float()),
        sa.PrimaryKeyConstraint("category_id", "pub_id", "period", "first", "initials", name="pk_standing"),
    )
    op.create_index("ix_standing_initials", "standing", ["initials"])
    op.create_index(
        "ix_standing_mean", "standing", ["category_id", "pub_id", "period", "first", "mean_total"]
    )
    op.create_index("ix_standing_period", "standing", ["period", "first"])
    op.create_index(
        "ix_standing_skill", "standing", ["category_id", "pub_id", "period", "first", "given_away"]
    )
    op.create_index("ix_standing_wins", "standing", ["category_id", "pub_id", "period", "first", "wins"])
    op.create_table(
        "tournament",
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_s", sa.BigInteger(), nullable=False),
        sa.Column("closes_s", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("commitment", name="pk_tournament"),
    )
    op.create_table(
        "box",
        sa.Column("id", _ID, nullable=False),
        sa.Column("pub_id", _ID, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["pub_id"], ["pub.id"], name="fk_box_pub_id"),
        sa.PrimaryKeyConstraint("id", name="pk_box"),
        sa.UniqueConstraint("name", name="uq_box_name"),
    )
    op.create_index("ix_box_pub_id", "box", ["pub_id"])
    op.create_table(
        "entrant",
        sa.Column("event_id", _ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("initials", sa.String(length=3), nullable=False),
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name="fk_entrant_event_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "position", name="pk_entrant"),
        sa.UniqueConstraint("event_id", "initials", name="uq_entrant_event_id"),
    )
    op.create_table(
        "protected",
        sa.Column("id", _ID, nullable=False),
        sa.Column("initials", sa.String(length=3), nullable=False),
        sa.Column("pub_id", _ID),
        sa.ForeignKeyConstraint(["pub_id"], ["pub.id"], name="fk_protected_pub_id"),
        sa.PrimaryKeyConstraint("id", name="pk_protected"),
    )
    op.create_index("ix_protected_initials", "protected", ["initials", "pub_id"])
    op.create_index("ix_protected_pub_id", "protected", ["pub_id"])
    op.create_table(
        "voiding",
        sa.Column("id", _ID, nullable=False),
        sa.Column("what", sa.String(length=120), nullable=False),
        sa.Column("pub_id", _ID),
        sa.Column("made_s", sa.BigInteger(), nullable=False),
        sa.Column("undone_s", sa.BigInteger()),
        sa.Column("uid", sa.String(length=32), nullable=False),
        sa.Column("noted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["pub_id"], ["pub.id"], name="fk_voiding_pub_id"),
        sa.PrimaryKeyConstraint("id", name="pk_voiding"),
    )
    op.create_index("ix_voiding_pub_id", "voiding", ["pub_id"])
    op.create_table(
        "event_box",
        sa.Column("event_id", _ID, nullable=False),
        sa.Column("box_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["box_id"], ["box.id"], name="fk_event_box_box_id"),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name="fk_event_box_event_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "box_id", name="pk_event_box"),
    )
    op.create_table(
        "health",
        sa.Column("box_id", _ID, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("seen_s", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["box_id"], ["box.id"], name="fk_health_box_id"),
        sa.PrimaryKeyConstraint("box_id", name="pk_health"),
    )
    op.create_table(
        "key",
        sa.Column("name", sa.String(length=50), nullable=False),
        sa.Column("box_id", _ID, nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("enrolled_s", sa.BigInteger(), nullable=False),
        sa.Column("revoked_s", sa.BigInteger()),
        sa.Column("refused_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["box_id"], ["box.id"], name="fk_key_box_id"),
        sa.PrimaryKeyConstraint("name", name="pk_key"),
    )
    op.create_index("ix_key_box_id", "key", ["box_id"])
    op.create_table(
        "void_on_arrival",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("box", sa.String(length=40), nullable=False),
        sa.Column("voiding_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["voiding_id"], ["voiding.id"], name="fk_void_on_arrival_voiding_id"),
        sa.PrimaryKeyConstraint("hash", "box", "voiding_id", name="pk_void_on_arrival"),
    )
    op.create_index("ix_void_on_arrival_voiding_id", "void_on_arrival", ["voiding_id"])
    op.create_table(
        "chain",
        sa.Column("id", _ID, nullable=False),
        sa.Column("key_name", sa.String(length=50), nullable=False),
        sa.Column("journal", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("head_sequence", sa.BigInteger(), nullable=False),
        sa.Column("head_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["key_name"], ["key.name"], name="fk_chain_key_name"),
        sa.PrimaryKeyConstraint("id", name="pk_chain"),
        sa.UniqueConstraint("key_name", "journal", "number", name="uq_chain_key_name"),
    )
    op.create_table(
        "entry",
        sa.Column("chain_id", _ID, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("received_s", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(length=300), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=False),
        sa.Column("initials", sa.String(length=3)),
        sa.ForeignKeyConstraint(["chain_id"], ["chain.id"], name="fk_entry_chain_id"),
        sa.PrimaryKeyConstraint("chain_id", "sequence", name="pk_entry"),
    )
    op.create_index("ix_entry_initials", "entry", ["initials"])
    op.create_table(
        "gap",
        sa.Column("chain_id", _ID, nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.Column("noticed_s", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["chain_id"], ["chain.id"], name="fk_gap_chain_id"),
        sa.PrimaryKeyConstraint("chain_id", "first", name="pk_gap"),
    )
    op.create_table(
        "match",
        sa.Column("id", _ID, nullable=False),
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("box_id", _ID, nullable=False),
        sa.Column("pub_id", _ID, nullable=False),
        sa.Column("journal", sa.String(length=32), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("began_s", sa.BigInteger(), nullable=False),
        sa.Column("variant", sa.Integer(), nullable=False),
        sa.Column("ended_s", sa.BigInteger(), nullable=False),
        sa.Column("night", sa.Date(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("category_id", sa.BigInteger()),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("unranked", sa.String(length=100), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("ended", sa.String(length=100), server_default="", nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("reviewed_s", sa.BigInteger()),
        sa.Column("unreviewed", sa.String(length=100), server_default="", nullable=False),
        sa.Column("due_s", sa.BigInteger()),
        sa.Column("unrated", sa.String(length=100), server_default="", nullable=False),
        sa.Column("rated", sa.BigInteger()),
        sa.Column("to_rerate", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("rerated", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("voided", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["box_id"], ["box.id"], name="fk_match_box_id"),
        sa.ForeignKeyConstraint(
            ["chain_id", "sequence"], ["entry.chain_id", "entry.sequence"], name="fk_match_chain_id"
        ),
        sa.ForeignKeyConstraint(["pub_id"], ["pub.id"], name="fk_match_pub_id"),
        sa.PrimaryKeyConstraint("id", name="pk_match"),
        sa.UniqueConstraint("box_id", "journal", "number", "began_s", "variant", name="uq_match_box_id"),
    )
    op.create_index("ix_match_category_id", "match", ["category_id", "night"])
    _create_partial_index("ix_match_due_s", "match", ["due_s", "id"], sa.column("due_s").is_not(None))
    _create_partial_index(
        "ix_match_not_reviewed", "match", ["box_id", "id"], sa.column("reviewed_s").is_(None)
    )
    op.create_index("ix_match_pub_id", "match", ["pub_id", "id"])
    op.create_index("ix_match_rated", "match", ["rated"])
    _create_partial_index("ix_match_rerated", "match", ["id"], sa.column("rerated").is_(True))
    _create_partial_index("ix_match_to_rerate", "match", ["rated"], sa.column("to_rerate").is_(True))
    op.create_table(
        "event_game",
        sa.Column("event_id", _ID, nullable=False),
        sa.Column("player", sa.String(length=3), nullable=False),
        sa.Column("match_id", _ID, nullable=False),
        sa.Column("opponent", sa.String(length=3)),
        sa.Column("winner", sa.String(length=3)),
        sa.Column("total", sa.BigInteger()),
        sa.Column("box_id", sa.BigInteger(), nullable=False),
        sa.Column("player_waits", sa.Boolean(), nullable=False),
        sa.Column("opponent_waits", sa.Boolean(), nullable=False),
        sa.Column("position", sa.BigInteger()),
        sa.Column("void", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("used", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["event.id"], name="fk_event_game_event_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name="fk_event_game_match_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "player", "match_id", name="pk_event_game"),
    )
    _create_partial_index(
        "ix_event_game_box", "event_game", ["event_id", "box_id", "match_id"], sa.column("position").is_(None)
    )
    op.create_index("ix_event_game_match_id", "event_game", ["match_id"])
    op.create_index("ix_event_game_opponent", "event_game", ["event_id", "opponent"])
    _create_partial_index(
        "ix_event_game_pair",
        "event_game",
        ["event_id", "player", "opponent", "position"],
        sa.column("position").is_not(None) & sa.column("void").is_(False),
    )
    op.create_index("ix_event_game_position", "event_game", ["event_id", "position"])
    _create_partial_index(
        "ix_event_game_taken",
        "event_game",
        ["event_id", "position"],
        sa.column("position").is_not(None) & sa.column("void").is_(False),
    )
    _create_partial_index(
        "ix_event_game_total",
        "event_game",
        ["event_id", "player", "total", "position"],
        sa.column("position").is_not(None) & sa.column("void").is_(False) & sa.column("opponent").is_(None),
    )
    _create_partial_index(
        "ix_event_game_used", "event_game", ["event_id", "player", "opponent"], sa.column("used").is_(True)
    )
    _create_partial_index(
        "ix_event_game_waits", "event_game", ["event_id", "match_id"], sa.column("position").is_(None)
    )
    op.create_table(
        "review",
        sa.Column("match_id", _ID, nullable=False),
        sa.Column("shown", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_review_match_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match_id", name="pk_review"),
    )
    op.create_table(
        "seat",
        sa.Column("match_id", _ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("total", sa.BigInteger()),
        sa.Column("initials", sa.String(length=3)),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("computer", sa.Boolean(), nullable=False),
        sa.Column("counted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("uncounted", sa.String(length=100), server_default="", nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("score_sum", sa.Float(), nullable=False),
        sa.Column("luck_sum", sa.Float(), nullable=False),
        sa.Column("given_away_sum", sa.Float(), nullable=False),
        sa.Column("named_s", sa.BigInteger()),
        sa.Column("pub_id", sa.BigInteger()),
        sa.Column("mu", sa.Float()),
        sa.Column("sigma", sa.Float()),
        sa.Column("tournament", sa.String(length=64)),
        sa.Column("highest_wins", sa.Boolean()),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_seat_match_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_seat"),
    )
    op.create_index("ix_seat_initials", "seat", ["initials", "match_id"])
    _create_partial_index(
        "ix_seat_not_confirmed", "seat", ["pub_id", "match_id", "seat"], sa.column("confirmed").is_(False)
    )
    _create_partial_index(
        "ix_seat_not_counted",
        "seat",
        ["match_id"],
        sa.column("initials").is_not(None)
        & sa.column("confirmed").is_(True)
        & sa.column("counted").is_(False),
    )
    _create_partial_index(
        "ix_seat_tournament",
        "seat",
        ["tournament", "seat", "highest_wins", "total", "match_id"],
        sa.column("tournament").is_not(None) & sa.column("confirmed").is_(True),
    )
    op.create_table(
        "voided",
        sa.Column("voiding_id", _ID, nullable=False),
        sa.Column("match_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_voided_match_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["voiding_id"], ["voiding.id"], name="fk_voided_voiding_id"),
        sa.PrimaryKeyConstraint("voiding_id", "match_id", name="pk_voided"),
    )
    op.create_index("ix_voided_match_id", "voided", ["match_id"])


def _create_partial_index(
    name: str, table: str, columns: Sequence[Any], where: sa.ColumnElement[bool]
) -> None:
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
