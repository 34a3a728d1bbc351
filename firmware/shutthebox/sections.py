"""A section of the config: a named tuple whose fields are its keys.

A key's check, default and meaning are declared with its field, and nowhere else.
"""

from typing import Any, NamedTuple, TypeVar

from shutthebox.validation import Check

_Section = TypeVar("_Section", bound=NamedTuple)


class Key(NamedTuple):
    """A key of a section.

    Attributes:
        check: of its value.
        default: for files without the key.
        meaning: in plain English; the default is not repeated.
        shown: the value as default.toml shows it. For a key without a default, this is required: the
            commented-out example.
        on_card: a narrower check of what a card or a stick may say. Every key that takes any text has one: a
            path could lead anywhere on the box.
    """

    check: Check[Any]
    default: object
    meaning: str
    shown: str = ""
    on_card: Check[Any] | None = None


def key(
    check: Check[Any], default: object, meaning: str, shown: str = "", on_card: Check[Any] | None = None
) -> Any:  # noqa: ANN401  (the field's type)
    """The `Key` of a section's field."""
    return Key(check, default, meaning, shown, on_card)


def section(fields: type[_Section]) -> type[_Section]:
    """Makes a section of a class whose fields are keys: a field that isn't given has its key's default."""
    fields.__new__.__defaults__ = tuple(each.default for each in fields._field_defaults.values())
    return fields


def or_none(check: Check[int]) -> Check[int]:
    """A check that also takes 0, for none."""

    def read(value: object) -> int:
        return 0 if value == 0 and not isinstance(value, bool | float) else check.read(value)

    return Check(f"0, or {check.allowed}", {"anyOf": [{"enum": [0]}, check.json_schema]}, read)
