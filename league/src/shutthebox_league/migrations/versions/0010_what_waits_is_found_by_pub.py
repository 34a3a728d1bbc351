"""A landlord's page finds the seats that wait for the landlord, however many matches the pub has."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """To this version."""
    op.add_column("seat", sa.Column("pub_id", sa.BigInteger()))
    op.execute(
        "update seat set pub_id = (select pub_id from match where match.id = seat.match_id)"
        " where not confirmed"
    )
    op.drop_index("ix_seat_not_confirmed", "seat")
    op.create_index(
        "ix_seat_not_confirmed",
        "seat",
        ["pub_id", "match_id", "seat"],
        sqlite_where=sa.text("confirmed IS 0"),
        postgresql_where=sa.text("confirmed IS false"),
    )
