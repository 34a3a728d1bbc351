"""House rules in a test."""

from shutthebox.config import profiles
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import parse_keys, to_played_profile, to_profile


def house(text: str) -> Profile:
    """The game that this TOML describes."""
    return to_profile(parse_keys(text, "house.toml", profiles._builtin_keys), "house.toml", "house")


def on_table(text: str) -> Profile:
    """The game of a match on the table, which may be one that can't be chosen."""
    return to_played_profile(parse_keys(text, "house.toml", profiles._builtin_keys), "house.toml", "house")
