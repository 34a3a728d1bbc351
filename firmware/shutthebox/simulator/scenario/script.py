"""The scenario format: what hands do to a box, and what is expected of it, a line each."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shutthebox.config.schema import Config, ConfigError, check_lines, with_value
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import read_text
from shutthebox.simulator.scenario.verbs import LONGEST_NS, VERBS, WrongError, duration_ns

PAUSE_NS = 500_000_000
"""Between the end of one line and the start of the next, unless the line says otherwise."""

PRESS_NS = 100_000_000

MAX_BYTES = 1024 * 1024
"""Scenarios are recorded too: an evening at a pub's box fits."""

MAX_STEPS = 50_000
"""What one script may do, in steps: as many lines as fit into `MAX_BYTES` with their times, some ten
seconds of work. A power cut and a look at the panel take as long as 50 others."""

_MAX_LINE = 64 * 1024
_STEPS_OF = {"power-cut": 50, "panel": 50}

_WITHOUT_TIME = ("config", "seed", "dice")


class ScenarioError(ShutTheBoxError, ValueError):
    """A scenario that makes no sense; the text is one line: script, line, what is allowed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a scenario.

    Attributes:
        line: its number in the script, from 1.
        verb: its first word.
        args: what the verb takes, as `VERBS` reads it.
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

    @property
    def work(self) -> int:
        """How much there is to do, in steps of one press."""
        if self.verb in ("flip", "lift"):
            return len(self.args)
        return _STEPS_OF.get(self.args[0] if self.verb == "expect" else self.verb, 1)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script that has been read: the config it starts with, and its steps."""

    where: str
    config: Config
    steps: tuple[Step, ...]
    seed: int = 0


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
    work = now_ns = 0
    for step in _steps(text, where):
        work += step.work
        now_ns = (now_ns + step.after_ns if step.at_ns is None else max(now_ns, step.at_ns)) + step.lasts_ns
        if work > MAX_STEPS:
            raise ScenarioError(f"{where}:{step.line}: too much to do; allowed are {MAX_STEPS} steps in all")
        if now_ns > LONGEST_NS:
            raise ScenarioError(f"{where}:{step.line}: too late; allowed are up to 100 hours in all")
        begun = begun or step.verb not in _WITHOUT_TIME
        if step.verb == "config":
            if begun:
                raise ScenarioError(f"{where}:{step.line}: config: allowed only before anything happens")
            config = _configured(config, step, where)
            continue
        if step.verb == "seed":
            seed = step.args[0]
        steps.append(step)
    check_lines(config, where)
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
            if not words or words[0] not in VERBS:
                raise WrongError(f"allowed are {', '.join(VERBS)}")
            args = VERBS[words[0]](words[1:])
        except WrongError as wrong:
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
        return with_value(config, key, value, f"{where}:{step.line}")
    except ConfigError:
        # A bare word may look like a number: there is a game called 2012.
        with suppress(ConfigError):
            return with_value(config, key, text, f"{where}:{step.line}")
        raise
