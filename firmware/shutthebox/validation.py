"""Checks for single values in files people write. Each check can say what it allows."""

import re
import tomllib
from collections.abc import Callable, Container, Iterable, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

from shutthebox.errors import quoted

MAX_MISTAKES = 20
"""The most mistakes of a file that are reported; one with more is a different kind of file."""

MAX_LINE = 1000
"""The most characters of a line: tomllib's time for a key grows with the square of its dots."""

_MAX_READ = 1 << 18
"""The most characters to parse, over all attempts to find every mistake in a text."""

_COUNT = re.compile("[1-9][0-9]{0,5}", re.ASCII)
_PLAIN_SPACES = {0x00A0: " ", 0x202F: " "}
_Choice = TypeVar("_Choice", bound=StrEnum)
_Value = TypeVar("_Value")
_Other = TypeVar("_Other")


class WrongValueError(ValueError):
    """A value that is not allowed; the text says which values are."""


class Check(Generic[_Value]):
    """A check of one value: call it with what TOML gives.

    Args:
        allowed: what is allowed, for error messages.
        json_schema: the same, as far as JSON Schema (draft 7) can say it.
        read: the value as the program keeps it; raises ValueError if it is not allowed.
        remark: returns a further hint for a wrong value, beginning with whatever joins it to `allowed`.
        show: formats a wrong value for an error message.

    Example:
        >>> whole(1, 9)(3)
        3
        >>> whole(1, 9).allowed
        'a whole number from 1 to 9'
    """

    def __init__(
        self,
        allowed: str,
        json_schema: Mapping[str, Any],
        read: Callable[[Any], _Value],
        remark: Callable[[object], str] = lambda value: "",
        show: Callable[[object], str] = quoted,
    ) -> None:
        self.allowed, self.json_schema, self.read = allowed, json_schema, read
        self.remark, self.show = remark, show

    def __call__(self, value: object) -> _Value:
        """The value as the program keeps it.

        Raises:
            WrongValueError: if it is not allowed.
        """
        try:
            return self.read(value)
        except ValueError:
            raise WrongValueError(f"{self.allowed}{self.remark(value)}") from None

    def then(self, convert: Callable[[_Value], _Other]) -> "Check[_Other]":
        """The same check, with the value converted."""
        return Check(
            self.allowed, self.json_schema, lambda value: convert(self.read(value)), self.remark, self.show
        )


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A "did you mean" hint for an unknown name; empty if no known name comes close.

    If the name is that of a table, suggests the first key in it.

    >>> did_you_mean("lewers", ["levers", "lamp"])
    "did you mean 'levers'? "
    >>> did_you_mean("title", ["tiles", "title.en", "title.fr"])
    "did you mean 'title.en'? "
    """
    # Imported lazily: a typo is the exception.
    from difflib import get_close_matches

    names: dict[str, str] = {}
    for name in known:
        names[name] = name
        names.setdefault(name.partition(".")[0], name)
    asked = given[:MAX_LINE].lower()
    near = get_close_matches(asked, names, n=3, cutoff=0.6)
    # "title" is as close to "tiles" as to "titles", but names that just lack an end come first.
    near.sort(key=lambda name: not (name.startswith(asked) or asked.startswith(name)))
    return f"did you mean {names[near[0]]!r}? " if near else ""


def shown_key(key: str) -> str:
    """A file's key for an error message: as it is, unless it would break or fill the line."""
    return key if key.isprintable() and len(key) <= 40 else quoted(key)


def examine_keys(
    keys: Mapping[str, object],
    checks: Mapping[str, Callable[[object], Any]],
    where: str,
    secrets: Container[str],
) -> tuple[dict[str, Any], list[str]]:
    """The good values of a section of a file, and the mistakes in it, a line each.

    Args:
        keys: as TOML gives them.
        checks: of every key that is allowed; each raises WrongValueError.
        where: what precedes a key in error messages: the file, and the section if it has a name.
        secrets: keys whose values no complaint repeats.
    """
    found: dict[str, Any] = {}
    mistakes = []
    for key, value in keys.items():
        if key not in checks:
            mistakes.append(f"{where}{shown_key(key)}: unknown key; use one of {', '.join(checks)}")
            continue
        try:
            found[key] = checks[key](value)
        except WrongValueError as wrong:
            said = "" if key in secrets else f"{quoted(value)} is "
            mistakes.append(f"{where}{key}: {said}not allowed; use {wrong}")
    return found, mistakes


def count(text: str, most: int) -> int | None:
    """The number from 1 to `most`, 999,999 at most, if that is how it is written: no sign, no 0 in front.

    >>> count("7", 9), count("07", 9)
    (7, None)
    """
    return int(text) if _COUNT.fullmatch(text) and int(text) <= most else None


def toml(text: str) -> dict[str, Any]:
    """The document that a person wrote as TOML.

    Raises:
        WrongValueError: it isn't TOML; says why in one line.
    """
    document, mistakes = examine_toml(text)
    if mistakes:
        raise WrongValueError(mistakes[0])
    return document


def examine_toml(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    r"""Parses TOML written by a person: the document without its wrong lines, and what's wrong with these.

    If a mistake may have spoilt the lines after it, those aren't judged, and the document is empty.

    >>> examine_toml("a = one\nb = 2\nc = yes")[0]
    {'b': 2}
    """
    lines, mistakes = text.split("\n"), list[str]()
    if max(map(len, lines)) > MAX_LINE:
        return {}, (f"a line is too long; use at most {MAX_LINE} characters",)
    # Each mistake means parsing everything again, and a hostile text may be slow to parse.
    most = min(MAX_MISTAKES, 1 + _MAX_READ // max(1, len(text)))
    while len(mistakes) < most:
        try:
            return tomllib.loads("\n".join(lines)), tuple(mistakes)
        except tomllib.TOMLDecodeError as error:
            said = str(error)
        except RecursionError:
            said = "nested too deeply"
        except ValueError:
            # Python's own limit on the digits of a number, which tomllib lets through.
            said = "a number is too long"
        found = re.search(r"\(at line (\d+), ", said)
        hint = _hint_on(lines[int(found[1]) - 1]) if found else ""
        hint = hint or next((hint for words, hint in _HINTS.items() if said.startswith(words)), "")
        mistakes.append(f"not valid TOML: {said}{hint}")
        if found is None or not _leave_out(lines, int(found[1]) - 1, is_double=said.startswith("Cannot")):
            break
    return {}, tuple(mistakes)


_HINTS = {
    "Invalid value": '; use a text in "quotes", a number, true, false or a [list]',
    "Cannot overwrite": "; use each key once",
    "Cannot declare": "; use each [section] once",
}
"""What is allowed, by the first words of tomllib's complaint."""

_CURLY_QUOTES = "[\u2018-\u201f\u2032-\u2037\u00ab\u00bb\u2039\u203a\u00b4`]"
_WIDE_SPACES = "[\u00a0\u2000-\u200b\u202f\u3000\ufeff]"


def _hint_on(line: str) -> str:
    """What to replace in a line that isn't TOML, if a word processor or a phone has written it."""
    code = line.partition("#")[0]
    if re.search(_CURLY_QUOTES, code):
        return '; use straight quotes: "'
    return "; use plain spaces" if re.search(_WIDE_SPACES, code) else ""


def _leave_out(lines: list[str], at: int, *, is_double: bool) -> bool:
    """Empties a wrong line, with its keys if it begins a section.

    Returns:
        False if another line may be to blame, or the lines after it may be spoilt: nothing is known then.
    """
    line = lines[at]
    begins_section = line.lstrip().startswith("[")
    is_open = line.count("[") != line.count("]") or line.count("{") != line.count("}")
    if (is_open and not begins_section) or '"""' in line or "'''" in line:
        return False
    if not (is_double or _is_wrong_alone(line)):
        return False
    lines[at] = ""
    while begins_section and (at := at + 1) < len(lines) and not lines[at].lstrip().startswith("["):
        lines[at] = ""
    return True


def _is_wrong_alone(line: str) -> bool:
    try:
        tomllib.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def line_of(text: str, path: str) -> int | None:
    r"""The line, from 1, on which a TOML document sets a key; None if that's unclear.

    Args:
        text: of the document.
        path: sections and key with dots between them, such as ``game.players``.

    >>> line_of("[game]\nplayers = 2", "game.players")
    2
    """
    section, inside = "", False
    for number, line in enumerate(text.split("\n"), 1):
        if not inside:
            key, given, _ = line.partition("=")
            if line.lstrip().startswith("["):
                section = _plain(line.partition("[")[2].partition("]")[0]) + "."
            elif given and section + _plain(key) == path:
                return number
        inside ^= (line.count('"""') + line.count("'''")) % 2 == 1
    return None


def _plain(key: str) -> str:
    """A key with its dots, without quotes and spaces."""
    return ".".join(part.strip(" \t\"'") for part in key.split("."))


def _text(value: Any) -> str:  # noqa: ANN401  (whatever TOML gives)
    if not isinstance(value, str) or len(value) > 200:
        raise ValueError
    # French puts non-breaking spaces before ! and ?, which Python calls unprintable.
    line = value.translate(_PLAIN_SPACES)
    if not line.isprintable():
        raise ValueError
    return line


text = Check(
    "one line of text, at most 200 characters",
    {"type": "string", "maxLength": 200, "not": {"pattern": r"[\u0000-\u001f\u007f-\u009f\u2028\u2029]"}},
    _text,
)
"""One line of text, at most 200 characters."""


def _name(value: Any) -> str:  # noqa: ANN401  (whatever TOML gives)
    given = text(value)
    if not given or len(given) > 40 or not all(c.isascii() and (c.isalnum() or c in "-_") for c in given):
        raise ValueError
    return given


name = Check(
    "letters, digits, - and _, at most 40",
    {"type": "string", "minLength": 1, "maxLength": 40, "not": {"pattern": "[^A-Za-z0-9_-]"}},
    _name,
)
"""An id: letters, digits, - and _, at most 40."""


def _boolean(value: Any) -> bool:  # noqa: ANN401  (whatever TOML gives)
    if not isinstance(value, bool):
        raise ValueError
    return value


boolean = Check("true or false", {"type": "boolean"}, _boolean)
"""True or false; numbers and texts don't count."""


def whole(low: int, high: int) -> Check[int]:
    """A check for whole numbers from `low` to `high`."""

    def read(value: Any) -> int:  # noqa: ANN401  (whatever TOML gives)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError
        return value

    return Check(
        f"a whole number from {low} to {high}", {"type": "integer", "minimum": low, "maximum": high}, read
    )


def number(low: float, high: float) -> Check[float]:
    """A check for numbers from `low` to `high`."""

    def read(value: Any) -> float:  # noqa: ANN401  (whatever TOML gives)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise ValueError
        return float(value)

    return Check(
        f"a number from {low:g} to {high:g}", {"type": "number", "minimum": low, "maximum": high}, read
    )


def one_of(texts: Iterable[str]) -> Check[str]:
    """A check for one of these texts."""
    known = tuple(texts)

    def read(value: Any) -> str:  # noqa: ANN401  (whatever TOML gives)
        if not isinstance(value, str) or value not in known:
            raise ValueError
        return value

    return Check("one of " + ", ".join(f'"{text}"' for text in known), {"enum": list(known)}, read)


def choice(kind: type[_Choice]) -> Check[_Choice]:
    """A check for one of an enumeration's texts."""
    return one_of(member.value for member in kind).then(kind)


def matching(pattern: str, allowed: str) -> Check[str]:
    """A check for texts that a pattern matches as a whole; its classes have ASCII characters only."""

    def read(value: Any) -> str:  # noqa: ANN401  (whatever TOML gives)
        if not isinstance(value, str) or re.fullmatch(pattern, value, re.ASCII) is None:
            raise ValueError
        return value

    return Check(allowed, {"type": "string", "pattern": f"^(?:{pattern})$"}, read)


def listed(
    entry: Check[_Value], allowed: str, least: int, most: int, *, repeated: bool = False
) -> Check[tuple[_Value, ...]]:
    """A check for lists of `least` to `most` values, each of them once unless `repeated`."""

    def read(value: Any) -> tuple[_Value, ...]:  # noqa: ANN401  (whatever TOML gives)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise ValueError
        found = tuple(map(entry, value))
        if len(set(found)) < len(found) and not repeated:
            raise ValueError
        return found

    schema = {"type": "array", "items": entry.json_schema, "minItems": least, "maxItems": most}
    return Check(allowed, schema if repeated else schema | {"uniqueItems": True}, read)


def choices(kind: type[_Choice]) -> Check[tuple[_Choice, ...]]:
    """A check for lists of at least one of an enumeration's texts, each once; read in its order."""
    members = tuple(kind)
    shown = ", ".join(f'"{member.value}"' for member in members)
    check = listed(choice(kind), f"a list of at least one of {shown}, each once", 1, len(members))
    return check.then(lambda found: tuple(member for member in members if member in found))


def numbers(low: int, high: int, *, least: int = 1, repeated: int = 0) -> Check[tuple[int, ...]]:
    """A check for lists of at least `least` distinct whole numbers from `low` to `high`, in their order.

    With `repeated`, numbers may repeat, up to that many.
    """
    range_ = f"whole numbers from {low} to {high}"
    if repeated:
        return listed(
            whole(low, high), f"a list of {least} to {repeated} {range_}", least, repeated, repeated=True
        )
    allowed = f"a list of distinct {range_}" + ", not empty" * least
    return listed(whole(low, high), allowed, least, high - low + 1)
