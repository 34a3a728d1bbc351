"""The default configuration, its tables in docs/ and its manual page, from the keys of the sections."""

import json
import textwrap
from collections.abc import Iterator

from doctools.commands import roff
from shutthebox.config.schema import SECTIONS
from shutthebox.sections import Key

_WIDTH = 100


def toml_value(value: object) -> str:
    """A default as TOML has it."""
    match value:
        case None:
            return '"none"'
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return f"{value:g}"
        case str():
            return json.dumps(value)
        case tuple():
            return f"[{', '.join(map(toml_value, value))}]"
    raise TypeError(f"{value!r} is no default of a key")


def shown(key: Key) -> str:
    """The default as a file shows it; the example of a key without one."""
    return str(key.shown) or toml_value(key.default)


def has_default(key: Key) -> bool:
    """Whether a key that is left out has a value of its own, and is not decided elsewhere."""
    return key.default is not None


def default_toml() -> str:
    """The commented default.toml."""
    return "\n".join(_default_toml())


def _default_toml() -> Iterator[str]:
    yield "#:schema ./config.schema.json"
    yield from _comment(
        "The configuration of the box. Every key is here with its default, in use or commented out. "
        "Any other key is an error."
    )
    for section, keys in SECTIONS.items():
        yield from ("", f"[{section}]")
        for name, key in keys.items():
            yield from _comment(key.meaning)
            yield f"{name} = {shown(key)}" if has_default(key) else f"# {name} = {shown(key)}"
    yield ""


def _comment(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def table(section: str) -> list[str]:
    """The keys of a section as a table in Markdown."""
    lines = ["| key | allowed | default | meaning |", "|---|---|---|---|"]
    for name, key in SECTIONS[section].items():
        default = f"`{shown(key)}`" if has_default(key) else ""
        cells = (f"`{name}`", key.check.allowed, default, key.meaning)
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return lines


def manual_page() -> str:
    """The manual page shutthebox-config(5)."""
    return "\n".join(_manual_page())


def _manual_page() -> Iterator[str]:
    yield '.TH SHUTTHEBOX-CONFIG 5 "" "shutthebox" "File Formats"'
    yield ".SH NAME"
    yield r"shutthebox-config \- configuration of the electronic Shut the Box"
    yield ".SH SYNOPSIS"
    yield ".I /etc/shutthebox/config.toml"
    yield ".SH DESCRIPTION"
    yield "A TOML file. A key that is left out has its default; a key that is not known is an error."
    yield "After a change:"
    yield r".B shutthebox check\-config"
    yield "and"
    yield '.BR "systemctl restart shutthebox" .'
    for section, keys in SECTIONS.items():
        yield f".SH [{section}]"
        for name, key in keys.items():
            yield ".TP"
            yield f".B {roff(name)}"
            yield roff(key.meaning)
            yield f"Allowed: {roff(key.check.allowed)}."
            if has_default(key):
                yield f"Default: {roff(shown(key))}"
    yield ".SH SEE ALSO"
    yield ".BR shutthebox (1)"
    yield ""
