"""Each voiding has a name in the register, and can wait for matches that a restored back-up lacks."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """To this version."""
    op.add_column("voiding", sa.Column("uid", sa.String(32), nullable=False, server_default=""))
    op.add_column("voiding", sa.Column("noted", sa.Boolean(), nullable=False, server_default=sa.false()))
    # The same name in every copy of this database that was made before.
    op.execute("update voiding set uid = made_s || '.' || id")
    op.create_table(
        "void_on_arrival",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("box", sa.String(40), nullable=False, server_default=""),
        sa.Column("voiding_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["voiding_id"], ["voiding.id"], name="fk_void_on_arrival_voiding_id"),
        sa.PrimaryKeyConstraint("hash", "box", "voiding_id", name="pk_void_on_arrival"),
    )
    op.create_index("ix_void_on_arrival_voiding_id", "void_on_arrival", ["voiding_id"])
