"""The tables of a league. `migrations/` brings a database of an earlier version to them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
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
    Column("owner_hash", String(64), nullable=False),  # of the link to the owner's page
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
    Column("name", String(50), primary_key=True),  # the box's name and a number; also its user at the broker
    Column("box_id", ForeignKey("box.id"), nullable=False, index=True),
    Column("public_key", Text, nullable=False),
    Column("enrolled_s", BigInteger, nullable=False),
    Column("revoked_s", BigInteger),
)

CHAIN = Table(
    "chain",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("key_name", ForeignKey("key.name"), nullable=False),
    Column("journal", String(32), nullable=False),  # the id that the box drew for itself
    Column("head_sequence", BigInteger, nullable=False),
    Column("head_hash", String(64), nullable=False),
    # The journal of a chain that began beside another one of it. Its own `journal` is the start of its first
    # entry's hash then.
    Column("origin", String(32)),
    UniqueConstraint("key_name", "journal"),
    Index("ix_chain_origin", "key_name", "origin"),
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
    Column("message", LargeBinary, nullable=False),  # as it was signed, for evidence
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
    Column("message", LargeBinary, nullable=False),
    UniqueConstraint("key_name", "hash"),
)

MATCH = Table(
    "match",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("chain_id", BigInteger, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("box_id", ForeignKey("box.id"), nullable=False, index=True),
    Column("pub_id", ForeignKey("pub.id"), nullable=False, index=True),
    Column("journal", String(32), nullable=False),
    Column("number", BigInteger, nullable=False),  # in the box's store
    Column("began_s", BigInteger, nullable=False),  # by the box's clock
    Column("ended_s", BigInteger, nullable=False),  # the box's clock, or ours where that cannot be right
    Column("night", Date, nullable=False, index=True),
    Column("game", String(40), nullable=False),
    Column("players", Integer, nullable=False),
    Column("unranked", String(100), nullable=False),  # why it does not count in rankings; empty if it does
    Column("commitment", String(64), nullable=False),  # of its tournament of equal dice, or empty
    Column("record", Text, nullable=False),
    Column("reviewed_s", BigInteger),
    Column("rated", Boolean, nullable=False),  # False: its night has to be rated, again if need be
    ForeignKeyConstraint(["chain_id", "sequence"], ["entry.chain_id", "entry.sequence"]),
    UniqueConstraint("box_id", "journal", "number", "began_s"),
    Index("ix_match_game_night", "game", "night"),
    Index("ix_match_reviewed", "reviewed_s"),
    Index("ix_match_rated", "rated"),
    Index("ix_match_commitment", "commitment"),
)

SEAT = Table(
    "seat",
    METADATA,
    Column("match_id", ForeignKey("match.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),  # from 1
    Column("place", Integer, nullable=False),  # 1 for every winner, then by totals; 0 without a turn
    Column("total", BigInteger),  # None without a turn
    Column("initials", String(3), index=True),
    Column("confirmed", Boolean, nullable=False),  # needs no PIN, or was confirmed with it
    Column("computer", Boolean, nullable=False),
    Column("turns", Integer, nullable=False),  # whole turns that were reviewed, and the sums over them
    Column("score_sum", Float, nullable=False),
    Column("luck_sum", Float, nullable=False),
    Column("given_away_sum", Float, nullable=False),
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
    Column("night", Date, primary_key=True),
    Column("initials", String(3), primary_key=True),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
)

EVENT = Table(
    "event",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("name", String(60), nullable=False),
    Column("format", String(20), nullable=False),
    Column("game", String(40), nullable=False),
    Column("first_night", Date, nullable=False),
    Column("last_night", Date, nullable=False),
)

ENTRANT = Table(
    "entrant",
    METADATA,
    Column("event_id", ForeignKey("event.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),  # from 1: the seeding
    Column("initials", String(3), nullable=False),
    UniqueConstraint("event_id", "initials"),
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
    Column("online", Boolean, nullable=False),
)
