"""Initials are protected by landlords, without PINs; chains that begin again beside their old one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """To this version."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "protected",
        sa.Column("id", number, nullable=False),
        sa.Column("initials", sa.String(length=3), nullable=False),
        sa.Column("pub_id", number),
        sa.ForeignKeyConstraint(["pub_id"], ["pub.id"], name="fk_protected_pub_id"),
        sa.PrimaryKeyConstraint("id", name="pk_protected"),
    )
    op.create_index("ix_protected_pub_id", "protected", ["pub_id"])
    op.create_index("ix_protected_initials", "protected", ["initials", "pub_id"])
    op.execute("insert into protected (initials) select initials from player")
    op.drop_table("player")
    op.add_column("chain", sa.Column("origin", sa.String(length=32)))
    op.create_index("ix_chain_origin", "chain", ["key_name", "origin"])
