"""Input from the page's form, as JSON and as lines of a scenario."""

import json
from collections.abc import Sequence

from shutthebox.game.inputs import CursorMoved, FormInput, LeaveAsked, NamesGiven, RulesGiven, SettingChosen
from shutthebox.rules.writer import to_lines

MAX_STEP = 9
"""The most lines that a cursor moves at once."""


def setting(key: str, value: object) -> SettingChosen:
    """A chosen setting with a value from a config or JSON; lists become tuples."""
    return SettingChosen(key, _tuples(value))


def _tuples(value: object) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def as_line(given: FormInput) -> str:
    """The equivalent line of a scenario."""
    match given:
        case SettingChosen(key, value):
            return f"choose {key} {json.dumps(value)}"
        case NamesGiven(names):
            return " ".join(("names", *(name or "-" for name in names)))
        case CursorMoved(by):
            return f"cursor {by}"
        case LeaveAsked():
            return "leave"
        case RulesGiven(rules):
            return "rules " + quote_text("\n".join(to_lines(rules)))


def quote_text(text: str) -> str:
    """The text in quotes that suit JSON and TOML, so that any text can end a line of a scenario."""
    inner = json.dumps(text)[1:-1].replace('\\"', "\\u0022")
    return f'"{inner}"'.replace("#", "\\u0023").replace("  ", " \\u0020")


def names_from(words: Sequence[str]) -> NamesGiven:
    """The names in a line."""
    return NamesGiven(tuple("" if word == "-" else word for word in words))
