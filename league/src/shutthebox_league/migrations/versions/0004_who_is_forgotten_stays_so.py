"""Who is forgotten stays forgotten; and matches of earlier rules are spoken of."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """To this version."""
    op.create_table(
        "forgotten",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("pub_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("before_s", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", "pub_id", name="pk_forgotten"),
    )
    older = sa.text("select count(*) from match where unranked = 'older rules'")
    if count := op.get_bind().execute(older).scalar():
        said = f"{count} matches by rules of before are shown with their records, and count in no table."
        notice = sa.text(
            "insert into notice (key_name, kind, text, first_s, last_s)"
            " values ('', 'rules', :text, :now, :now)"
        )
        op.get_bind().execute(notice, {"text": said, "now": int(time.time())})
