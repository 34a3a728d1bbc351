"""A seat says itself why it couldn't be counted, in place of its match's `unrated`."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """To this version."""
    op.add_column("seat", sa.Column("uncounted", sa.String(100), nullable=False, server_default=""))
    op.execute(
        "update seat set uncounted ="
        " (select substr(unrated, length('not counted: ') + 1) from match where id = seat.match_id)"
        " where counted and not computer and total is not null"
        " and match_id in (select id from match where unrated like 'not counted: %')"
    )
    op.execute("update match set unrated = '' where unrated like 'not counted: %'")
