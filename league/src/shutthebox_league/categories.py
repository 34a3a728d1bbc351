"""Categories: matches that can be compared, of one game on the same number of tiles over as many rounds."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from shutthebox.config.profiles import builtin, builtins
from shutthebox.rules.profile import Profile
from shutthebox.rules.record import Record
from shutthebox.rules.writer import to_lines
from shutthebox_league.database import upsert
from shutthebox_league.schema import CATEGORY

_NAMES = frozenset(profile.name for profile in builtins())

HIGHEST_WINS = frozenset(profile.name for profile in builtins() if profile.highest_total_wins)
"""Games in which the highest total wins."""


@dataclass(frozen=True, slots=True)
class Category:
    """A category.

    Attributes:
        game: the name of its profile.
        tiles: of the box.
        rounds: of a match.
        points: the limit; 0 for a game without one.
    """

    game: str
    tiles: int
    rounds: int
    points: int


MAX_POINTS = 2**31 - 1
"""The highest limit that the database's column holds. Nobody plays to it."""

_FIND = select(CATEGORY.c.id).where(
    *(CATEGORY.c[field.name] == bindparam(field.name) for field in fields(Category))
)


def category_of(record: Record) -> Category | None:
    """The category of a match, to any limit up to `MAX_POINTS` and over any rounds; None for house rules."""
    profile = record.profile
    if (profile.limit or 0) > MAX_POINTS:
        return None
    if profile.name not in _NAMES:
        return None
    known = builtin(profile.name)
    tiles = len(profile.tiles)
    played = known.for_box(tiles)
    if played is None:
        return None
    played = played.with_limit(profile.limit)
    # Most are equal; those that aren't may differ only in what the rules don't use.
    if played != profile and to_lines(played) != to_lines(profile):
        return None
    return Category(profile.name, tiles, record.rounds, profile.limit or 0)


def usual_category(game: str, tiles: int | None = None, rounds: int | None = None) -> Category:
    """The category of a game with a box's defaults.

    Raises:
        ProfileError: if there is no such game.
    """
    profile = builtin(game)
    tiles = len(profile.tiles) if tiles is None else tiles
    return Category(game, tiles, profile.rounds if rounds is None else rounds, profile.limit or 0)


def profile_of(category: Category) -> Profile | None:
    """The rules of a category; None if this version no longer has them."""
    if category.game not in _NAMES:
        return None
    played = builtin(category.game).for_box(category.tiles)
    return played and played.with_limit(category.points or None)


def category_id(db: Connection, category: Category) -> int:
    """Returns a category's row id, adding the row if it's new."""
    values = asdict(category)
    found = db.execute(_FIND, values).scalar()
    if found is None:
        db.execute(upsert(db, CATEGORY).values({**values, "matches": 0}).on_conflict_do_nothing())
        found = db.execute(_FIND, values).scalar_one()
    return int(found)


def read_category(db: Connection, number: int) -> Category | None:
    """The category with this row id; None if there is none."""
    row = db.execute(select(CATEGORY).where(CATEGORY.c.id == number)).first()
    return None if row is None else category_from_row(row)


def category_from_row(row: Row[Any]) -> Category:
    """The category in the columns of a row, which has others as well."""
    return Category(*(getattr(row, field.name) for field in fields(Category)))


def highest_wins(game: str) -> bool:
    """Whether the highest total wins; False for a game that no longer exists."""
    return game in HIGHEST_WINS
