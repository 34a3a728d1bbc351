"""The scenario format: what hands do to a box, and what is expected of it, a line each."""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shutthebox import config as configuration
from shutthebox import values
from shutthebox.config import Config, ConfigError
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import read_text
from shutthebox.game.judge import VerdictKind
from shutthebox.game.mode import Mode

PAUSE_NS = 500_000_000
"""Between the end of one line and the start of the next, unless the line says otherwise."""

PRESS_NS = 100_000_000
HOLD_NS = 1_000_000_000
_UNITS = {"": 1_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
_LONGEST_NS = 100 * 3600 * 1_000_000_000
MAX_BYTES = 1024 * 1024
"""Scenarios are recorded too: an evening at a pub's box fits."""

_MAX_LINE = 64 * 1024

_WITHOUT_TIME = ("config", "seed", "dice")


class ScenarioError(ShutTheBoxError, ValueError):
    """A scenario that makes no sense; the text is one line: script, line, what is allowed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a scenario.

    Attributes:
        line: its number in the script, from 1.
        verb: its first word.
        args: what the verb takes, as `_VERBS` reads it.
        at_ns: when it starts, since the start of the daemon; None for after the line before.
        after_ns: how long after the end of the line before, where `at_ns` is None.
    """

    line: int
    verb: str
    args: tuple[Any, ...]
    at_ns: int | None = None
    after_ns: int = PAUSE_NS

    @property
    def lasts_ns(self) -> int:
        """How long the hand is busy."""
        match self.verb:
            case "press":
                return PRESS_NS
            case "hold" | "wait":
                return int(self.args[0])
            case "bounce":
                return int(self.args[2])
            case "glitch":
                return int(self.args[1])
            case _:
                return 0


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script that has been read: the config it starts with, and its steps."""

    where: str
    config: Config
    steps: tuple[Step, ...]
    seed: int = 0


class _WrongError(Exception):
    """An argument that a verb does not take; the text says what is allowed."""


def duration_ns(word: str) -> int:
    """``2`` or ``2s``, ``12ms``, ``200us`` in nanoseconds."""
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(s|ms|us|ns|)", word)
    if not found:
        raise _WrongError(
            f"{values.shown(word)} is no duration; allowed are seconds like 1.5, or 12ms, 200us"
        )
    duration = round(Fraction(found[1]) * _UNITS[found[2]])
    if duration > _LONGEST_NS:
        raise _WrongError(f"{values.shown(word)} is too long; allowed are up to 100 hours")
    return duration


def _number(word: str, low: int, high: int, what: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", word) or not low <= int(word) <= high:
        raise _WrongError(f"{values.shown(word)} is no {what}; allowed is {low} to {high}")
    return int(word)


def _numbers(words: Sequence[str], what: str, least: int = 1) -> tuple[int, ...]:
    found = tuple(_number(word, 1, 54, what) for word in words)
    if len(found) < least:
        raise _WrongError(f"at least {least} {what}")
    if len(set(found)) < len(found):
        twice = next(number for number in found if found.count(number) > 1)
        raise _WrongError(f"{what} {twice} is named twice; once is allowed")
    return found


def _exactly(count: int, words: Sequence[str], form: str) -> Sequence[str]:
    if len(words) != count:
        raise _WrongError(f"allowed is: {form}")
    return words


def _read_dice(words: Sequence[str]) -> tuple[Any, ...]:
    throws = [chunk.split() for chunk in " ".join(words).split("|")]
    if not all(throws):
        raise _WrongError("an empty throw; allowed is: dice 3 5 | 6")
    return tuple(tuple(_number(face, 1, 180, "face") for face in faces) for faces in throws)


def _read_bounce(words: Sequence[str]) -> tuple[Any, ...]:
    lever, direction, lasts = _exactly(3, words, "bounce LEVER down|up DURATION")
    if direction not in ("down", "up"):
        raise _WrongError(f"{values.shown(direction)}; allowed are down and up")
    return _number(lever, 1, 54, "lever"), direction == "down", duration_ns(lasts)


def _read_glitch(words: Sequence[str]) -> tuple[Any, ...]:
    lever, lasts = _exactly(2, words, "glitch LEVER DURATION")
    return _number(lever, 1, 54, "lever"), duration_ns(lasts)


def _read_loss(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "lose-edges 0.02")
    if not re.fullmatch(r"[01](\.[0-9]{1,9})?", word) or float(word) > 1:
        raise _WrongError(f"{values.shown(word)} is no fraction; allowed is 0 to 1")
    return (float(word),)


def _read_oled(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "oled off|on")
    if word not in ("off", "on"):
        raise _WrongError(f"{values.shown(word)}; allowed are off and on")
    return (word == "on",)


def _read_button(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "button down|up")
    if word not in ("down", "up"):
        raise _WrongError(f"{values.shown(word)}; allowed are down and up")
    return (word == "down",)


def _read_nothing(words: Sequence[str]) -> tuple[Any, ...]:
    _exactly(0, words, "the word alone")
    return ()


def _read_expect(words: Sequence[str]) -> tuple[Any, ...]:
    if not words or words[0] not in _EXPECTATIONS:
        raise _WrongError(f"what is expected? allowed are {', '.join(_EXPECTATIONS)}")
    return (words[0], *_EXPECTATIONS[words[0]](words[1:]))


def _expect_mode(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "expect mode MODE")
    if word not in list(Mode):
        raise _WrongError(f"{values.shown(word)} is no mode; allowed are {', '.join(Mode)}")
    return (Mode(word),)


def _expect_verdict(words: Sequence[str]) -> tuple[Any, ...]:
    if not words or words[0] not in list(VerdictKind):
        raise _WrongError(
            f"{values.shown(' '.join(words))} is no verdict; allowed are {', '.join(VerdictKind)}"
        )
    amounts = tuple(_number(word, 0, 10**9, "number") for word in words[1:])
    return (" ".join(map(str, (words[0], *amounts))),)


def _expect_text(words: Sequence[str]) -> tuple[Any, ...]:
    text = " ".join(words)
    if len(text) < 3 or not (text.startswith('"') and text.endswith('"')):
        raise _WrongError('allowed is: expect text "WORDS"')
    return (text[1:-1],)


def _expect_points(words: Sequence[str]) -> tuple[Any, ...]:
    player, points = _exactly(2, words, "PLAYER POINTS")
    return _number(player, 1, 9, "player"), _number(points, 0, 10**17, "score")


def _expect_owes(words: Sequence[str]) -> tuple[Any, ...]:
    player, stakes = _exactly(2, words, "expect owes PLAYER STAKES")
    if not re.fullmatch(r"-?[0-9]{1,6}([./][0-9]{1,6})?", stakes) or stakes.endswith("/0"):
        raise _WrongError(f"{values.shown(stakes)} is no number of stakes; allowed are 2, -4, 0.5, 1/3")
    return _number(player, 1, 9, "player"), Fraction(stakes)


def _expect_panel(words: Sequence[str]) -> tuple[Any, ...]:
    (name,) = _exactly(1, words, "expect panel NAME")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise _WrongError(f"{values.shown(name)}; allowed are letters, digits, - and _")
    return (name,)


def _expect_faces(words: Sequence[str]) -> tuple[Any, ...]:
    if list(words) in ([], ["-"]):
        return (None,)
    return (tuple(_number(word, 1, 180, "face") for word in words),)


_EXPECTATIONS: dict[str, Callable[[Sequence[str]], tuple[Any, ...]]] = {
    "mode": _expect_mode,
    "player": lambda words: (_number(_exactly(1, words, "expect player N")[0], 1, 9, "player"),),
    "open": lambda words: (_numbers([word for word in words if word != "-"], "tile", least=0),),
    "verdict": _expect_verdict,
    "score": _expect_points,
    "total": _expect_points,
    "owes": _expect_owes,
    "winner": lambda words: (tuple(sorted(_numbers(words, "player"))),),
    "throw": _expect_faces,
    "text": _expect_text,
    "panel": _expect_panel,
}

_VERBS: dict[str, Callable[[Sequence[str]], tuple[Any, ...]]] = {
    "config": lambda words: tuple(words),
    "seed": lambda words: (_number(_exactly(1, words, "seed N")[0], 0, 2**63 - 1, "seed"),),
    "dice": _read_dice,
    "press": _read_nothing,
    "button": _read_button,
    "hold": lambda words: (duration_ns(_exactly(1, words, "hold [SECONDS]")[0]) if words else HOLD_NS,),
    "flip": lambda words: _numbers(words, "lever"),
    "lift": lambda words: _numbers(words, "lever"),
    "bounce": _read_bounce,
    "glitch": _read_glitch,
    "lose-edges": _read_loss,
    "oled": _read_oled,
    "power-cut": _read_nothing,
    "wait": lambda words: (duration_ns(_exactly(1, words, "wait SECONDS")[0]),),
    "expect": _read_expect,
}


def read(path: Path) -> Scenario:
    """The scenario in a file.

    Raises:
        ScenarioError: if it cannot be read or makes no sense.
        ConfigError: for a config line that is not allowed.
    """
    return parse(read_text(path, ScenarioError, "a scenario", MAX_BYTES), str(path))


def parse(text: str, where: str) -> Scenario:
    """The scenario in this text; errors as for `read`."""
    steps: list[Step] = []
    config, seed, begun = Config(), 0, False
    for step in _steps(text, where):
        begun = begun or step.verb not in _WITHOUT_TIME
        if step.verb == "config":
            if begun:
                raise ScenarioError(f"{where}:{step.line}: config: allowed only before anything happens")
            config = _configured(config, step, where)
            continue
        if step.verb == "seed":
            seed = step.args[0]
        steps.append(step)
    configuration.check_lines(config, where)
    return Scenario(where, config, tuple(steps), seed)


def _steps(text: str, where: str) -> Iterator[Step]:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > _MAX_LINE:
            raise ScenarioError(f"{where}:{number}: a line is too long; allowed are {_MAX_LINE} characters")
        words = _words(line)
        if not words:
            continue
        at_ns, after_ns = None, 0 if words[0] in _WITHOUT_TIME else PAUSE_NS
        try:
            if words[0][0] == "@":
                at_ns = duration_ns(words.pop(0)[1:])
            elif words[0][0] == "+":
                after_ns = duration_ns(words.pop(0)[1:])
            if not words or words[0] not in _VERBS:
                raise _WrongError(f"allowed are {', '.join(_VERBS)}")
            args = _VERBS[words[0]](words[1:])
        except _WrongError as wrong:
            shown = words[0] if words else line.strip()
            raise ScenarioError(f"{where}:{number}: {shown[:40]}: {wrong}") from None
        yield Step(number, words[0], args, at_ns, after_ns)


def _words(line: str) -> list[str]:
    """The words of a line without its comment; a # within quotes is no comment."""
    code = re.match(r'(?:"[^"]*"|[^"#])*', line)
    return (code[0] if code else line).split()


def _configured(config: Config, step: Step, where: str) -> Config:
    if len(step.args) < 2:
        raise ScenarioError(f"{where}:{step.line}: config: allowed is: config KEY VALUE")
    key, text = step.args[0], " ".join(step.args[1:])
    value: object = text
    with suppress(ValueError, RecursionError):
        value = tomllib.loads(f"value = {text}")["value"]
    try:
        return configuration.with_value(config, key, value, f"{where}:{step.line}")
    except ConfigError:
        # A bare word may look like a number: there is a game called 2012.
        with suppress(ConfigError):
            return configuration.with_value(config, key, text, f"{where}:{step.line}")
        raise
