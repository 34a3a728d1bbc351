"""The tables of a league. `migrations/` makes them, in an empty database or from an earlier version.

A column has one meaning. What has two gets two columns.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    literal_column,
    true,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_ID = BigInteger().with_variant(Integer, "sqlite")

PUB = Table(
    "pub",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("name", String(60), nullable=False, unique=True),
    Column("slug", String(60), nullable=False, unique=True),
    Column("owner_hash", String(64), nullable=False),  # of the key of the owner's page
)

BOX = Table(
    "box",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("pub_id", ForeignKey("pub.id"), nullable=False, index=True),
    Column("name", String(40), nullable=False, unique=True),
)

KEY = Table(
    "key",
    METADATA,
    Column("name", String(50), primary_key=True),  # the box's name and a number
    Column("box_id", ForeignKey("box.id"), nullable=False, index=True),
    Column("public_key", Text, nullable=False),
    Column("enrolled_s", BigInteger, nullable=False),
    Column("revoked_s", BigInteger),
    Column(
        "refused_bytes", BigInteger, nullable=False, server_default="0"
    ),  # kept of entries that were refused
)

CHAIN = Table(
    "chain",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("key_name", ForeignKey("key.name"), nullable=False),
    Column("journal", String(32), nullable=False),  # the id that the box drew for itself
    # Of the journal's chains under this key, from 1. An older copy of the box's card begins another one.
    Column("number", Integer, nullable=False),
    Column("head_sequence", BigInteger, nullable=False),
    Column("head_hash", String(64), nullable=False),
    UniqueConstraint("key_name", "journal", "number"),
)

ENTRY = Table(
    "entry",
    METADATA,
    Column("chain_id", ForeignKey("chain.id"), primary_key=True),
    Column("sequence", BigInteger, primary_key=True),
    Column("hash", String(64), nullable=False),
    Column("received_s", BigInteger, nullable=False),
    Column("status", String(10), nullable=False),
    Column("reason", String(300), nullable=False),
    Column("message", LargeBinary, nullable=False),  # as it was signed, for evidence; empty if it was deleted
    Column("initials", String(3), index=True),  # that it signs with
)

GAP = Table(
    "gap",
    METADATA,
    Column("chain_id", ForeignKey("chain.id"), primary_key=True),
    Column("first", BigInteger, primary_key=True),
    Column("last", BigInteger, nullable=False),
    Column("noticed_s", BigInteger, nullable=False),
)

ASIDE = Table(
    "aside",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("key_name", String(50), nullable=False, index=True),
    Column("hash", String(64), nullable=False),  # of the message
    Column("received_s", BigInteger, nullable=False),
    Column("times", Integer, nullable=False),
    Column("reason", String(300), nullable=False),
    Column("message", LargeBinary, nullable=False),  # empty where there was no room for it
    Column("initials", String(3), index=True),  # that it signs with, if it can be read
    UniqueConstraint("key_name", "hash"),
)

NOTICE = Table(
    "notice",
    METADATA,
    Column("key_name", String(50), primary_key=True),  # empty for the whole league
    Column("kind", String(20), primary_key=True),
    Column("text", String(300), nullable=False),  # for the owner
    Column("first_s", BigInteger, nullable=False),
    Column("last_s", BigInteger, nullable=False),
)

CATEGORY = Table(
    "category",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("tiles", Integer, nullable=False),  # of the box
    Column("rounds", Integer, nullable=False),
    Column("points", Integer, nullable=False),  # the limit; 0 for a game without one
    Column("matches", BigInteger, nullable=False),  # that count
    Column("pubs", Integer, nullable=False, server_default="0"),  # that have a row in its standings
    UniqueConstraint("game", "tiles", "rounds", "points"),
)
IS_PLAYED = CATEGORY.c.matches > literal_column("0")  # as the index has it
"""Categories that have a table."""

Index(
    "ix_category_pubs",
    CATEGORY.c.pubs.desc(),
    CATEGORY.c.matches.desc(),
    CATEGORY.c.id,
    sqlite_where=IS_PLAYED,
    postgresql_where=IS_PLAYED,
)

MATCH = Table(
    "match",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("chain_id", BigInteger, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("box_id", ForeignKey("box.id"), nullable=False),
    Column("pub_id", ForeignKey("pub.id"), nullable=False),
    Column("journal", String(32), nullable=False),  # the id that the box drew for itself
    Column("number", BigInteger, nullable=False),  # in the box's store
    Column("began_s", BigInteger, nullable=False),  # by the box's clock
    # From 1. A restored card may play another match with the same number, in the same second.
    Column("variant", Integer, nullable=False),
    Column("ended_s", BigInteger, nullable=False),  # the box's clock, or ours where that can't be right
    Column("night", Date, nullable=False),
    Column("game", String(40), nullable=False),  # as the league calls it; of house rules, as the box does
    Column("category_id", BigInteger),  # None for rules that no box offers by itself
    Column("players", Integer, nullable=False),
    Column("unranked", String(100), nullable=False),  # why it does not count in rankings; empty if it does
    Column("commitment", String(64), nullable=False),  # of its tournament of equal dice, or empty
    Column("ended", String(100), nullable=False, server_default=""),  # why, where its totals do not say it
    Column("record", Text, nullable=False),
    Column("reviewed_s", BigInteger),
    Column("unreviewed", String(100), nullable=False, server_default=""),  # why it has no review
    Column("due_s", BigInteger),  # when it is rated; None once it was, and where it counts for nothing
    Column("unrated", String(100), nullable=False, server_default=""),  # why it could not be rated
    # The order in which matches were rated, which holds when they are rated again; None before.
    Column("rated", BigInteger),
    # Voided or put back since it was rated, and no run of rating again has come to it yet.
    Column("to_rerate", Boolean, nullable=False, server_default=false()),
    # The current run of rating again has come past it; its ratings are shown once the run ends.
    Column("rerated", Boolean, nullable=False, server_default=false()),
    Column("voided", Integer, nullable=False, server_default="0"),  # voidings that cover it; it counts if 0
    ForeignKeyConstraint(["chain_id", "sequence"], ["entry.chain_id", "entry.sequence"]),
    UniqueConstraint("box_id", "journal", "number", "began_s", "variant"),
    Index("ix_match_category_id", "category_id", "night"),
    Index("ix_match_pub_id", "pub_id", "id"),
    Index("ix_match_rated", "rated"),
)
_IS_DUE = MATCH.c.due_s.is_not(None)
Index("ix_match_due_s", MATCH.c.due_s, MATCH.c.id, sqlite_where=_IS_DUE, postgresql_where=_IS_DUE)

TO_RERATE = MATCH.c.to_rerate.is_(True)
"""Matches that a run of rating again has to come to."""

Index("ix_match_to_rerate", MATCH.c.rated, sqlite_where=TO_RERATE, postgresql_where=TO_RERATE)

IS_RERATED = MATCH.c.rerated.is_(True)
"""Matches that the current run of rating again has come past."""

Index("ix_match_rerated", MATCH.c.id, sqlite_where=IS_RERATED, postgresql_where=IS_RERATED)
Index(
    "ix_match_not_reviewed",
    MATCH.c.box_id,
    MATCH.c.id,
    sqlite_where=MATCH.c.reviewed_s.is_(None),
    postgresql_where=MATCH.c.reviewed_s.is_(None),
)

BROUGHT_BY = (ENTRY.c.chain_id == MATCH.c.chain_id) & (ENTRY.c.sequence == MATCH.c.sequence)
"""Joins a match with the entry that brought it."""

SEAT = Table(
    "seat",
    METADATA,
    Column("match_id", ForeignKey("match.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),  # from 1
    Column("place", Integer, nullable=False),  # 1 for every winner, then by totals; 0 without a turn
    Column("total", BigInteger),  # None without a turn
    Column("initials", String(3)),
    Column("confirmed", Boolean, nullable=False),  # needs no landlord's confirmation, or has it
    Column("computer", Boolean, nullable=False),
    Column(
        "counted", Boolean, nullable=False, server_default=false()
    ),  # is in the standings, or never will be
    Column("uncounted", String(100), nullable=False, server_default=""),  # why it could not be counted
    Column("turns", Integer, nullable=False),  # whole turns that were reviewed, and the sums over them
    Column("score_sum", Float, nullable=False),
    Column("luck_sum", Float, nullable=False),
    Column("given_away_sum", Float, nullable=False),
    # When it was signed, or confirmed where it waited for that. A seat that has it and no initials was
    # forgotten, or its landlord knew better, and it's signed no more.
    Column("named_s", BigInteger),
    Column("pub_id", BigInteger),  # where it was signed; its landlord may have to confirm it
    # The rating before the match, from which it is rated again.
    Column("mu", Float),
    Column("sigma", Float),
    # The table of a tournament of equal dice that it is in, by the commitment and the kind of game.
    Column("tournament", String(64)),
    Column("highest_wins", Boolean),
    Index("ix_seat_initials", "initials", "match_id"),
)
IS_DUE = SEAT.c.initials.is_not(None) & SEAT.c.confirmed.is_(True) & SEAT.c.counted.is_(False)
"""Seats that are to be counted."""

Index("ix_seat_not_counted", SEAT.c.match_id, sqlite_where=IS_DUE, postgresql_where=IS_DUE)

WAITS = SEAT.c.confirmed.is_(False)
"""Seats that wait for a landlord."""

Index(
    "ix_seat_not_confirmed",
    *(SEAT.c.pub_id, SEAT.c.match_id, SEAT.c.seat),
    sqlite_where=WAITS,
    postgresql_where=WAITS,
)

IN_TOURNAMENT = SEAT.c.tournament.is_not(None) & SEAT.c.confirmed.is_(True)
"""Seats in the tables of tournaments."""

Index(
    "ix_seat_tournament",
    *(SEAT.c.tournament, SEAT.c.seat, SEAT.c.highest_wins, SEAT.c.total, SEAT.c.match_id),
    sqlite_where=IN_TOURNAMENT,
    postgresql_where=IN_TOURNAMENT,
)

REVIEW = Table(
    "review",
    METADATA,
    Column("match_id", ForeignKey("match.id", ondelete="CASCADE"), primary_key=True),
    Column("shown", LargeBinary, nullable=False),  # what the match's page shows, as `shown.pack` writes it
)

STANDING = Table(
    "standing",
    METADATA,
    Column("category_id", BigInteger, primary_key=True, autoincrement=False),
    Column("pub_id", BigInteger, primary_key=True, autoincrement=False),  # 0 for the whole league
    Column("period", String(6), primary_key=True),
    Column("first", Date, primary_key=True),  # night of the period
    Column("initials", String(3), primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("total_sum", Float, nullable=False),
    Column("turns", Integer, nullable=False),  # sums of the seats
    Column("luck_sum", Float, nullable=False),
    Column("given_away_sum", Float, nullable=False),
    # What tables are sorted by.
    Column("mean_total", Float, nullable=False),
    Column("given_away", Float),  # a turn; None with too few turns
    Index("ix_standing_wins", "category_id", "pub_id", "period", "first", "wins"),
    Index("ix_standing_mean", "category_id", "pub_id", "period", "first", "mean_total"),
    Index("ix_standing_skill", "category_id", "pub_id", "period", "first", "given_away"),
    Index("ix_standing_initials", "initials"),
    Index("ix_standing_period", "period", "first"),
)

PROTECTED = Table(
    "protected",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("initials", String(3), nullable=False),
    Column("pub_id", ForeignKey("pub.id"), index=True),  # at whose boxes; None for the whole league
    Index("ix_protected_initials", "initials", "pub_id"),
)

RATING = Table(
    "rating",
    METADATA,
    Column("initials", String(3), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("at_least", Float, nullable=False),  # mu - 3 sigma, which tables are sorted by
    Index("ix_rating_at_least", "at_least"),
)

RERATING = Table(
    "rerating",
    METADATA,
    # Of the last match that was rated again, by `rated`; there is no row while none is.
    Column("at", BigInteger, primary_key=True, autoincrement=False),
)

RERATED = Table(
    "rerated",
    METADATA,
    Column("initials", String(3), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
)
"""Ratings after that match, of everybody who was in one so far."""

EVENT = Table(
    "event",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("name", String(60), nullable=False),
    Column("format", String(20), nullable=False),
    Column("category_id", BigInteger, nullable=False),
    Column("first_night", Date, nullable=False),
    Column("last_night", Date, nullable=False),
    Column("closes_s", BigInteger, nullable=False),  # what comes later does not count
    Column(
        "state", Text, nullable=False, server_default=""
    ),  # as `events` keeps it; empty before the first look
    Column(
        "stale", Boolean, nullable=False, server_default=true(), index=True
    ),  # `state` is to be made again
    Index("ix_event_category_id", "category_id", "last_night"),
)

ENTRANT = Table(
    "entrant",
    METADATA,
    Column("event_id", ForeignKey("event.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),  # from 1: the seeding
    Column("initials", String(3), nullable=False),
    Column("code_hash", String(64), nullable=False),  # of the code that confirms matches
    UniqueConstraint("event_id", "initials"),
)

EVENT_BOX = Table(
    "event_box",
    METADATA,
    Column("event_id", ForeignKey("event.id", ondelete="CASCADE"), primary_key=True),
    Column("box_id", ForeignKey("box.id"), primary_key=True),  # whose matches need no confirmation
)

EVENT_GAME = Table(
    "event_game",
    METADATA,
    Column("event_id", ForeignKey("event.id", ondelete="CASCADE"), primary_key=True),
    Column("player", String(3), primary_key=True),  # an entrant; of two, the first in the alphabet
    Column("match_id", ForeignKey("match.id", ondelete="CASCADE"), primary_key=True),
    Column("opponent", String(3)),  # the other entrant; None for a best total
    Column("winner", String(3)),  # None if it was drawn, and for a best total
    Column("total", BigInteger),  # for a best total
    Column("box_id", BigInteger, nullable=False),
    Column("player_waits", Boolean, nullable=False),  # the player has yet to confirm it
    Column("opponent_waits", Boolean, nullable=False),
    Column("position", BigInteger),  # the order in which games came to count; None while it waits
    Column("void", Boolean, nullable=False, server_default=false()),  # its match is void
    Column("used", Boolean, nullable=False),  # the first of its kind, which the table is made of
    Index("ix_event_game_opponent", "event_id", "opponent"),
    Index("ix_event_game_position", "event_id", "position"),
    Index("ix_event_game_match_id", "match_id"),
)

IS_TAKEN = EVENT_GAME.c.position.is_not(None) & EVENT_GAME.c.void.is_(False)
"""Games that count."""

IS_USED = EVENT_GAME.c.used.is_(True)
"""Games that the table is made of."""

GAME_WAITS = EVENT_GAME.c.position.is_(None)
"""Games that an entrant has yet to confirm."""


def _index_games(name: str, which: ColumnElement[bool], *columns: Column[Any]) -> None:
    Index(
        f"ix_event_game_{name}",
        *(EVENT_GAME.c.event_id, *columns),
        sqlite_where=which,
        postgresql_where=which,
    )


_GAME = EVENT_GAME.c
_index_games("taken", IS_TAKEN, _GAME.position)
_index_games("pair", IS_TAKEN, _GAME.player, _GAME.opponent, _GAME.position)
_index_games("total", IS_TAKEN & _GAME.opponent.is_(None), _GAME.player, _GAME.total, _GAME.position)
_index_games("used", IS_USED, _GAME.player, _GAME.opponent)
_index_games("waits", GAME_WAITS, _GAME.match_id)
_index_games("box", GAME_WAITS, _GAME.box_id, _GAME.match_id)

VOIDING = Table(
    "voiding",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("what", String(120), nullable=False),
    Column("pub_id", ForeignKey("pub.id"), index=True),  # whose landlord did it; None for the operator
    Column("made_s", BigInteger, nullable=False),
    Column("undone_s", BigInteger),
    # The name by which the register has it: a number may be another's once a back-up is restored.
    Column("uid", String(32), nullable=False),
    Column("noted", Boolean, nullable=False, server_default=false()),  # in the register, as it is now
)

VOIDED = Table(
    "voided",
    METADATA,
    Column("voiding_id", ForeignKey("voiding.id"), primary_key=True),
    Column("match_id", ForeignKey("match.id", ondelete="CASCADE"), primary_key=True),
    Index("ix_voided_match_id", "match_id"),
)

VOID_ON_ARRIVAL = Table(
    "void_on_arrival",
    METADATA,
    Column("hash", String(64), primary_key=True),  # of an entry that a restored back-up lacks
    Column("box", String(40), primary_key=True),  # that sent it
    Column("voiding_id", ForeignKey("voiding.id"), primary_key=True, index=True),
)

FORGOTTEN = Table(
    "forgotten",
    METADATA,
    Column("hash", String(64), primary_key=True),  # of the initials
    Column("pub_id", BigInteger, primary_key=True, autoincrement=False),  # 0 for the whole league
    Column("before_s", BigInteger, nullable=False),  # what began before is signed by nobody
)

TOURNAMENT = Table(
    "tournament",
    METADATA,
    Column("commitment", String(64), primary_key=True),
    Column("name", String(60), nullable=False),
    Column("text", Text, nullable=False),  # has the seed, which is shown once it is closed
    Column("made_s", BigInteger, nullable=False),
    Column("closes_s", BigInteger, nullable=False),
)

HEALTH = Table(
    "health",
    METADATA,
    Column("box_id", ForeignKey("box.id"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("seen_s", BigInteger, nullable=False),
)

PULSE = Table(
    "pulse",
    METADATA,
    Column("name", String(20), primary_key=True),  # of a part of the league
    Column("seen_s", BigInteger),  # when it did its work last; None for never
    Column("failed", Boolean, nullable=False),  # since then
)
