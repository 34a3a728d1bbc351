"""Turns a profile back into keys and TOML: the counterpart of `shutthebox.rules.reader`."""

import json
from dataclasses import fields
from enum import StrEnum
from typing import TypeAlias

from shutthebox.rules.profile import HeadStart, Profile
from shutthebox.rules.tiles import MAX_TILE

Value: TypeAlias = str | int | bool | list[str] | list[int] | list[int | list[int]] | dict[str, int] | None
"""A key's value in TOML's and JSON's types; None if it isn't set."""


def to_keys(profile: Profile) -> dict[str, Value]:
    """All of a profile's keys with plain values, in the documented order; titles have dotted keys."""
    titles = {f"title.{language}": title for language, title in {"en": "", **dict(profile.titles)}.items()}
    keys = {field.name: getattr(profile, field.name) for field in fields(profile) if field.name != "titles"}
    keys |= {"pays": None, "handicap": None}
    plain = {key: _plain(value) for key, value in keys.items()}
    plain["pays"] = {str(score): paid for score, paid in profile.pays}
    plain["handicap"] = head_starts(profile.handicap)
    return {"name": profile.name, **titles, **plain}


def head_starts(handicap: tuple[HeadStart, ...], highest: int = MAX_TILE) -> list[int | list[int]]:
    """Head starts by seat in TOML's and JSON's types, without tiles above the highest."""
    return [
        head if isinstance(head, int) else [tile for tile in head if tile <= highest] or 0
        for head in handicap
    ]


def to_lines(profile: Profile) -> tuple[str, ...]:
    """The lines of a self-contained TOML file for this profile.

    These are the name, the tiles, and every key that differs from the defaults. The group is left out
    because it isn't a rule, and so are tiles that only start open, or shut, on a larger box, which the
    profile no longer knows.
    """
    defaults, keys = to_keys(Profile(name="")), to_keys(profile) | {"group": None}
    highest = max(profile.tiles[-1], *profile.allowed_boxes)
    keys["handicap"] = head_starts(profile.handicap, highest)
    if profile.start_open is not None:
        keys["start_open"] = [number for number in profile.start_open if number <= highest]
    return tuple(
        f"{key} = {to_toml(value)}"
        for key, value in keys.items()
        if value is not None and (key in ("name", "tiles") or value != defaults.get(key, ""))
    )


def _plain(value: object) -> Value:
    match value:
        case StrEnum():
            return value.value
        case tuple((StrEnum(), *_)):
            return [member.value for member in value]
        case tuple():
            return list(value)
        case frozenset():
            return sorted(value)
        case str() | int() | None:
            return value
        case _:
            raise TypeError(f"no key of a profile holds {value!r}")


def to_toml(value: object) -> str:
    """A key's value as TOML, from a profile or plain."""
    match value if isinstance(value, list | dict) else _plain(value):
        case bool(plain):
            return "true" if plain else "false"
        case str(plain):
            return json.dumps(plain, ensure_ascii=False)  # TOML has the same escapes
        case [str(), *_] as plain:
            return json.dumps(plain)
        case dict(plain):
            return "{" + ", ".join(f"{key} = {paid}" for key, paid in plain.items()) + "}"
        case plain:
            return str(plain)
