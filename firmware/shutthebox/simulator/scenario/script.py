"""The scenario format: one line for each thing that hands do, or that's expected of the box.

A line that begins ``box 2:`` is for a second box, linked with the first in the same virtual time.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shutthebox.config.schema import Config, ConfigError, check_lines, with_value
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import read_text
from shutthebox.simulator.scenario.arguments import LONGEST_NS, WrongError, duration_ns, toml_value
from shutthebox.simulator.scenario.expectations import Expect
from shutthebox.simulator.scenario.verbs import (
    OTHER_BUTTONS,
    Bounce,
    ChangeLink,
    Choose,
    Configure,
    Cursor,
    Flip,
    Glitch,
    Hold,
    LeaveMatch,
    Lift,
    LoseEdges,
    Names,
    PlugOled,
    PowerCut,
    Press,
    QueueDice,
    Rules,
    Seed,
    SetButton,
    Verb,
    Wait,
)
from shutthebox.validation import did_you_mean

_ALL: tuple[type[Verb], ...] = (
    Configure, Seed, QueueDice, Press, SetButton, Hold, *OTHER_BUTTONS, Flip, Lift, Bounce, Glitch, LoseEdges,
    Choose, Names, Rules, Cursor, LeaveMatch, PlugOled, PowerCut, ChangeLink, Wait, Expect,
)  # fmt: skip
VERBS: dict[str, type[Verb]] = {verb.word: verb for verb in _ALL}

PAUSE_NS = 500_000_000
"""The pause between two lines, unless a line says otherwise."""

MAX_BYTES = 1024 * 1024
"""The largest scenario: a recorded evening at a pub's box fits."""

MAX_WORK = 50_000
"""The most work in one script, in presses: some ten seconds of computing."""

PREFIXES = "", "box 2: "
"""The prefix of a line, by its box."""

_MAX_LINE = 64 * 1024
_WITHOUT_TIME = (Configure, Seed, QueueDice)


class ScenarioError(ShutTheBoxError, ValueError):
    """A scenario makes no sense. The text says in one line where, and what's allowed."""


@dataclass(frozen=True, slots=True)
class TimedVerb:
    """One line of a scenario.

    Attributes:
        line: its number in the script, from 1.
        verb: what it does.
        at_ns: when it starts, counted from the daemon's start; None if it follows the previous line.
        after_ns: how long after the previous line's end, if `at_ns` is None.
        box: which box it is for, 1 or 2.
    """

    line: int
    verb: Verb
    at_ns: int | None = None
    after_ns: int = PAUSE_NS
    box: int = 1


@dataclass(frozen=True, slots=True)
class Scenario:
    """A parsed script: the config it starts with, and its lines.

    Attributes:
        where: names the script in error messages.
        config: of the first box.
        lines: of both boxes.
        seed: of the first box, and of the link.
        second: the config of the second box; None for a script of one box.
        second_seed: of the second box.
    """

    where: str
    config: Config
    lines: tuple[TimedVerb, ...]
    seed: int = 0
    second: Config | None = None
    second_seed: int = 1


def read(path: Path) -> Scenario:
    """Reads the scenario in a file.

    Raises:
        ScenarioError: it can't be read or makes no sense.
        ConfigError: a config line isn't allowed.
    """
    return parse(read_text(path, ScenarioError, "a scenario", MAX_BYTES), str(path))


def parse(text: str, where: str) -> Scenario:
    """Parses a scenario. Raises like `read`."""
    lines: list[TimedVerb] = []
    configs, seeds = {1: Config()}, dict[int, int]()
    begun = False
    work = now_ns = 0
    for line in _parse_lines(text, where):
        verb = line.verb
        work += verb.work
        now_ns = (now_ns + line.after_ns if line.at_ns is None else max(now_ns, line.at_ns)) + verb.lasts_ns
        if work > MAX_WORK:
            raise ScenarioError(f"{where}:{line.line}: too much to do; use at most {MAX_WORK} steps in all")
        if now_ns > LONGEST_NS:
            raise ScenarioError(f"{where}:{line.line}: too late; use up to 100 hours in all")
        begun = begun or not isinstance(verb, _WITHOUT_TIME)
        config = configs.setdefault(line.box, Config())
        if isinstance(verb, Seed):
            seeds[line.box] = verb.number
        elif not isinstance(verb, Configure):
            lines.append(line)
        elif begun:
            raise ScenarioError(f"{where}:{line.line}: config: allowed only before anything happens")
        else:
            configs[line.box] = _configure(config, verb, f"{where}:{line.line}")
    for config in configs.values():
        check_lines(config, where)
    seed = seeds.get(1, 0)
    return Scenario(where, configs[1], tuple(lines), seed, configs.get(2), seeds.get(2, seed + 1))


def _parse_lines(text: str, where: str) -> Iterator[TimedVerb]:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > _MAX_LINE:
            raise ScenarioError(f"{where}:{number}: a line is too long; use at most {_MAX_LINE} characters")
        words = _words(line)
        if not words:
            continue
        at_ns = after_ns = None
        box = 1
        try:
            if words[0] == "box":
                if words[1:2] != ["2:"] or not words[2:]:
                    raise WrongError("use box 2: LINE")
                box, words = 2, words[2:]
            if words[0][0] == "@":
                at_ns = duration_ns(words.pop(0)[1:])
            elif words[0][0] == "+":
                after_ns = duration_ns(words.pop(0)[1:])
            if not words or words[0] not in VERBS:
                near = did_you_mean(words[0], VERBS) if words else ""
                raise WrongError(f"{near}use one of {', '.join(VERBS)}")
            verb = VERBS[words[0]].parse(words[1:])
            if box > 1 and isinstance(verb, ChangeLink):
                raise WrongError("it's between both boxes; use the line without box 2:")
        except WrongError as wrong:
            shown = words[0] if words else line.strip()
            raise ScenarioError(f"{where}:{number}: {shown[:40]}: {wrong}") from None
        if after_ns is None:
            after_ns = 0 if isinstance(verb, _WITHOUT_TIME) else PAUSE_NS
        yield TimedVerb(number, verb, at_ns, after_ns, box)


def _words(line: str) -> list[str]:
    """The words of a line without its comment; a # within quotes doesn't start one."""
    code = re.match(r'(?:"[^"]*"|[^"#])*', line)
    return (code[0] if code else line).split()


def _configure(config: Config, verb: Configure, where: str) -> Config:
    try:
        return with_value(config, verb.key, toml_value(verb.value), where)
    except ConfigError:
        # A bare word may look like a number: there's a game called 2012.
        with suppress(ConfigError):
            return with_value(config, verb.key, verb.value, where)
        raise
