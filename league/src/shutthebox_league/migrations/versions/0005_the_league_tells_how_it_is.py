"""The league tells when each of its parts did its work last; and finds the games of an event that wait."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """To this version."""
    op.create_table(
        "pulse",
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("seen_s", sa.BigInteger()),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_pulse"),
    )
    not_taken = sa.text("position IS NULL")
    op.create_index(
        "ix_event_game_not_taken",
        "event_game",
        ["event_id", "match_id"],
        sqlite_where=not_taken,
        postgresql_where=not_taken,
    )
