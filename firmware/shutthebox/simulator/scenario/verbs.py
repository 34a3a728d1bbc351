"""The verbs of the scenario format: what stands behind each on its line, and what is allowed there."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from shutthebox.errors import shown
from shutthebox.game.judge import VerdictKind
from shutthebox.game.mode import Mode

HOLD_NS = 1_000_000_000
"""How long a hold lasts that does not say."""

_UNITS = {"": 1_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
LONGEST_NS = 100 * 3600 * 1_000_000_000
"""Virtual time that a script may take."""


class WrongError(Exception):
    """An argument that a verb does not take; the text says what is allowed."""


def duration_ns(word: str) -> int:
    """``2`` or ``2s``, ``12ms``, ``200us`` in nanoseconds.

    Raises:
        WrongError: for anything else, and for more than 100 hours.
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(s|ms|us|ns|)", word)
    if not found:
        raise WrongError(f"{shown(word)} is no duration; allowed are seconds like 1.5, or 12ms, 200us")
    duration = round(Fraction(found[1]) * _UNITS[found[2]])
    if duration > LONGEST_NS:
        raise WrongError(f"{shown(word)} is too long; allowed are up to 100 hours")
    return duration


def _number(word: str, low: int, high: int, what: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", word) or not low <= int(word) <= high:
        raise WrongError(f"{shown(word)} is no {what}; allowed is {low} to {high}")
    return int(word)


def _numbers(words: Sequence[str], what: str, least: int = 1) -> tuple[int, ...]:
    found = tuple(_number(word, 1, 54, what) for word in words)
    if len(found) < least:
        raise WrongError(f"at least {least} {what}")
    if len(set(found)) < len(found):
        twice = next(number for number in found if found.count(number) > 1)
        raise WrongError(f"{what} {twice} is named twice; once is allowed")
    return found


def _exactly(count: int, words: Sequence[str], form: str) -> Sequence[str]:
    if len(words) != count:
        raise WrongError(f"allowed is: {form}")
    return words


def _read_dice(words: Sequence[str]) -> tuple[Any, ...]:
    throws = [chunk.split() for chunk in " ".join(words).split("|")]
    if not all(throws):
        raise WrongError("an empty throw; allowed is: dice 3 5 | 6")
    return tuple(tuple(_number(face, 1, 180, "face") for face in faces) for faces in throws)


def _read_bounce(words: Sequence[str]) -> tuple[Any, ...]:
    lever, direction, lasts = _exactly(3, words, "bounce LEVER down|up DURATION")
    if direction not in ("down", "up"):
        raise WrongError(f"{shown(direction)}; allowed are down and up")
    return _number(lever, 1, 54, "lever"), direction == "down", duration_ns(lasts)


def _read_glitch(words: Sequence[str]) -> tuple[Any, ...]:
    lever, lasts = _exactly(2, words, "glitch LEVER DURATION")
    return _number(lever, 1, 54, "lever"), duration_ns(lasts)


def _read_loss(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "lose-edges 0.02")
    if not re.fullmatch(r"[01](\.[0-9]{1,9})?", word) or float(word) > 1:
        raise WrongError(f"{shown(word)} is no fraction; allowed is 0 to 1")
    return (float(word),)


def _read_oled(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "oled off|on")
    if word not in ("off", "on"):
        raise WrongError(f"{shown(word)}; allowed are off and on")
    return (word == "on",)


def _read_button(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "button down|up")
    if word not in ("down", "up"):
        raise WrongError(f"{shown(word)}; allowed are down and up")
    return (word == "down",)


def _read_nothing(words: Sequence[str]) -> tuple[Any, ...]:
    _exactly(0, words, "the word alone")
    return ()


def _read_expect(words: Sequence[str]) -> tuple[Any, ...]:
    if not words or words[0] not in _EXPECTATIONS:
        raise WrongError(f"what is expected? allowed are {', '.join(_EXPECTATIONS)}")
    return (words[0], *_EXPECTATIONS[words[0]](words[1:]))


def _expect_mode(words: Sequence[str]) -> tuple[Any, ...]:
    (word,) = _exactly(1, words, "expect mode MODE")
    if word not in list(Mode):
        raise WrongError(f"{shown(word)} is no mode; allowed are {', '.join(Mode)}")
    return (Mode(word),)


def _expect_verdict(words: Sequence[str]) -> tuple[Any, ...]:
    if not words or words[0] not in list(VerdictKind):
        raise WrongError(f"{shown(' '.join(words))} is no verdict; allowed are {', '.join(VerdictKind)}")
    amounts = tuple(_number(word, 0, 10**9, "number") for word in words[1:])
    return (" ".join(map(str, (words[0], *amounts))),)


def _expect_text(words: Sequence[str]) -> tuple[Any, ...]:
    text = " ".join(words)
    if len(text) < 3 or not (text.startswith('"') and text.endswith('"')):
        raise WrongError('allowed is: expect text "WORDS"')
    return (text[1:-1],)


def _expect_points(words: Sequence[str]) -> tuple[Any, ...]:
    player, points = _exactly(2, words, "PLAYER POINTS")
    return _number(player, 1, 9, "player"), _number(points, 0, 10**17, "score")


def _expect_owes(words: Sequence[str]) -> tuple[Any, ...]:
    player, stakes = _exactly(2, words, "expect owes PLAYER STAKES")
    if not re.fullmatch(r"-?[0-9]{1,6}([./][0-9]{1,6})?", stakes) or stakes.endswith("/0"):
        raise WrongError(f"{shown(stakes)} is no number of stakes; allowed are 2, -4, 0.5, 1/3")
    return _number(player, 1, 9, "player"), Fraction(stakes)


def _expect_panel(words: Sequence[str]) -> tuple[Any, ...]:
    (name,) = _exactly(1, words, "expect panel NAME")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise WrongError(f"{shown(name)}; allowed are letters, digits, - and _")
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

VERBS: dict[str, Callable[[Sequence[str]], tuple[Any, ...]]] = {
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
"""Per verb, what reads the words behind it; it raises `WrongError`."""
