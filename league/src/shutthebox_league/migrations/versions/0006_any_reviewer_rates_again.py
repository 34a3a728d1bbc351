"""How far ratings have been made again is in the database, so any reviewer can go on with it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """To this version."""
    op.create_table(
        "rerating",
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("at", name="pk_rerating"),
    )
    op.create_table(
        "rerated",
        sa.Column("initials", sa.String(3), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("initials", name="pk_rerated"),
    )
