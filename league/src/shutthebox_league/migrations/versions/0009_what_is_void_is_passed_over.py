"""Events pass over games whose match is void, and over those that their tables are not made of."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """To this version."""
    op.execute(
        "update event_game set position = -position"
        " where position > 0 and match_id in (select id from match where voided > 0)"
    )
    indexes = {"who": ("position",), "total": ("total", "position"), "used": ()}
    for name, columns in indexes.items():
        op.drop_index(f"ix_event_game_{name}", "event_game")
        where = "used" if name == "used" else "(position > 0)"
        op.create_index(
            f"ix_event_game_{name}",
            "event_game",
            ["event_id", "who", *columns],
            sqlite_where=sa.text(f"{where} IS 1"),
            postgresql_where=sa.text(f"{where} IS true"),
        )
