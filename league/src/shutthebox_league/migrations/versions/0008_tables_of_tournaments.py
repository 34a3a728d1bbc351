"""The best of a tournament have an index of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """To this version."""
    from shutthebox_league.categories import HIGHEST_WINS

    op.add_column("seat", sa.Column("tournament", sa.String(64)))
    op.add_column("seat", sa.Column("highest_wins", sa.Boolean()))
    # Matches had the names by which boxes call their games, which may mean other games today.
    game = "(select game from category where category.id = match.category_id)"
    op.execute(f"update match set game = {game} where category_id is not null and game <> {game}")
    of_tournament = """
        select {what} from match where match.id = seat.match_id
        and match.commitment != '' and match.unranked = '' and match.voided = 0"""
    games: sa.BindParameter[list[str]] = sa.bindparam("games", list(HIGHEST_WINS), expanding=True)
    op.get_bind().execute(
        sa.text(
            f"update seat set tournament = ({of_tournament.format(what='match.commitment')}),"
            f" highest_wins = ({of_tournament.format(what='match.game in :games')})"
            " where total is not null"
            " and match_id in (select id from match where commitment > '' and unranked = '' and voided = 0)"
        ).bindparams(games)
    )
    op.create_index(
        "ix_seat_tournament",
        "seat",
        ["tournament", "seat", "highest_wins", "total", "match_id"],
        sqlite_where=sa.text("tournament IS NOT NULL AND confirmed IS 1"),
        postgresql_where=sa.text("tournament IS NOT NULL AND confirmed IS true"),
    )
    op.drop_index("ix_match_commitment", "match")
