"""The league tells how it is: when each of its parts did its work last."""

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
