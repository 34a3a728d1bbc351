"""A category knows how many pubs play it."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """To this version."""
    op.add_column("category", sa.Column("pubs", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "update category set pubs = (select count(distinct pub_id) from standing"
        " where category_id = category.id and pub_id != 0 and period = 'ever')"
    )
    is_played = sa.text("matches > 0")
    op.create_index(
        "ix_category_pubs",
        "category",
        [sa.text("pubs DESC"), sa.text("matches DESC"), "id"],
        sqlite_where=is_played,
        postgresql_where=is_played,
    )
