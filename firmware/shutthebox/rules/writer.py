"""A profile back as keys and as TOML: the counterpart of `shutthebox.rules.reader`."""

import json
from dataclasses import fields
from enum import StrEnum
from typing import TypeAlias

from shutthebox.rules.profile import Profile

Value: TypeAlias = str | int | bool | list[int] | None
"""A key's value as TOML and JSON know it; None for a key that is not set."""


def to_keys(profile: Profile) -> dict[str, Value]:
    """All keys of a profile with their plain values, in the order of the table; titles dotted."""
    titles = {f"title.{language}": title for language, title in {"en": "", **dict(profile.titles)}.items()}
    keys = {field.name: getattr(profile, field.name) for field in fields(profile) if field.name != "titles"}
    return {"name": profile.name, **titles, **{key: _plain(value) for key, value in keys.items()}}


def to_lines(profile: Profile) -> tuple[str, ...]:
    """The lines of a TOML file that means this profile, with no need of any other.

    These are the name, the tiles, and every key that differs from the defaults; tiles that
    start open only on a larger box, which the profile does not know any more, are left out.
    """
    defaults, keys = to_keys(Profile(name="")), to_keys(profile)
    if profile.start_open is not None:
        highest = max(profile.tiles[-1], *profile.allowed_boxes)
        keys["start_open"] = [number for number in profile.start_open if number <= highest]
    return tuple(
        f"{key} = {_toml(value)}"
        for key, value in keys.items()
        if value is not None and (key in ("name", "tiles") or value != defaults.get(key, ""))
    )


def _plain(value: object) -> Value:
    match value:
        case StrEnum():
            return value.value
        case tuple() | frozenset():
            return sorted(value)
        case str() | int() | None:
            return value
        case _:
            raise TypeError(f"no key of a profile holds {value!r}")


def _toml(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)  # TOML has the same escapes
        case _:
            return str(value)
