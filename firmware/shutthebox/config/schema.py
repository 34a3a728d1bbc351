"""The configuration: TOML to frozen dataclasses. The commented default.toml is the schema."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeAlias

from shutthebox import validation as values
from shutthebox.errors import ShutTheBoxError, shown
from shutthebox.files import read_text
from shutthebox.game.settings import ShownStakes
from shutthebox.rules.reader import MAX_LIMIT

HEADER_LINES = range(2, 28)
"""BCM lines on the header of a Pi; 0 and 1 belong to the identification of boards."""


class ConfigError(ShutTheBoxError, ValueError):
    """A configuration that cannot be used; the text is one line: file, key, what is allowed."""


class Setup(StrEnum):
    """What a press in attract does."""

    ASK = "ask"
    USUAL = "usual"


class DiceKind(StrEnum):
    """Who throws."""

    AUTO = "auto"
    REAL = "real"


class Backend(StrEnum):
    """How the pins are reached."""

    GPIOD = "gpiod"
    LGPIO = "lgpio"
    RPIGPIO = "rpigpio"


class Controller(StrEnum):
    """The chip behind the panel."""

    SSD1306 = "ssd1306"
    SH1106 = "sh1106"
    SSD1309 = "ssd1309"
    NONE = "none"

    @property
    def chip(self) -> Literal["ssd1306", "sh1106", "ssd1309"]:
        """The chip; the commonest one where there is no panel."""
        match self:
            case Controller.SH1106:
                return "sh1106"
            case Controller.SSD1309:
                return "ssd1309"
            case _:
                return "ssd1306"


def _rotate(value: object) -> int:
    if isinstance(value, bool) or value not in (0, 180):
        raise values.WrongValueError("0 or 180")
    return int(str(value))


def _language(value: object) -> str:
    from shutthebox.translations import translations

    allowed = translations()
    if not isinstance(value, str) or value not in allowed:
        raise values.WrongValueError("one of " + ", ".join(f'"{language}"' for language in allowed))
    return value


def _key(check: Callable[[object], object], default: Any) -> Any:  # noqa: ANN401  (the field's type)
    return field(default=default, metadata={"check": check})


Line: TypeAlias = int | str
"""A BCM line of the header, or "chip:line" for a line of another chip."""


def _lines(value: object) -> tuple[Line, ...]:
    first, last = HEADER_LINES.start, HEADER_LINES.stop - 1
    allowed = f'a list of 1 to 54 distinct lines, each a whole number from {first} to {last} or "chip:line"'
    if not isinstance(value, list) or not 1 <= len(value) <= 54:
        raise values.WrongValueError(allowed)
    for entry in value:
        if isinstance(entry, str):
            chip, _, line = values.text(entry).rpartition(":")
            good = bool(chip and line) and entry == entry.strip()
        else:
            good = not isinstance(entry, bool) and isinstance(entry, int) and entry in HEADER_LINES
        if not good:
            raise values.WrongValueError(allowed)
    if len(set(value)) < len(value):
        raise values.WrongValueError(allowed)
    return tuple(value)


_LINE = values.whole(HEADER_LINES.start, HEADER_LINES.stop - 1)


@dataclass(frozen=True, slots=True)
class Game:
    """The usual game; see default.toml."""

    profile: str = _key(values.text, "traditional")
    players: int = _key(values.whole(1, 9), 2)
    rounds: int | None = _key(values.whole(1, 99), None)
    limit: int | None = _key(values.whole(1, MAX_LIMIT), None)
    stakes: ShownStakes = _key(values.choice(ShownStakes), ShownStakes.OFF)
    setup: Setup = _key(values.choice(Setup), Setup.ASK)
    dice: DiceKind = _key(values.choice(DiceKind), DiceKind.AUTO)
    hints: bool = _key(values.boolean, False)
    computers: tuple[int, ...] = _key(values.numbers(1, 9, least=0), ())


@dataclass(frozen=True, slots=True)
class Box:
    """The box and how it treats its players; see default.toml."""

    levers: int | None = _key(values.whole(1, 54), None)
    language: str = _key(_language, "en")
    sound: bool = _key(values.boolean, True)
    out_of_play: tuple[int, ...] = _key(values.numbers(1, 54, least=0), ())
    sleep_min: float = _key(values.number(1, 240), 10.0)
    settle_ms: float = _key(values.number(1, 500), 40.0)
    button_settle_ms: float = _key(values.number(1, 500), 25.0)

    def settle_ns(self, switch: int) -> int:
        """How long a level of this switch has to stand before it counts; levers are numbered from 1."""
        return round((self.settle_ms if switch > 0 else self.button_settle_ms) * 1_000_000)


@dataclass(frozen=True, slots=True)
class Rules:
    """House rules; see default.toml."""

    folder: str = _key(values.text, "")


@dataclass(frozen=True, slots=True)
class Gpio:
    """The wiring; see default.toml."""

    backend: Backend = _key(values.choice(Backend), Backend.GPIOD)
    levers: tuple[Line, ...] = _key(_lines, (4, 17, 27, 22, 23, 24, 25, 5, 6, 13, 16, 26))
    roll: int = _key(_LINE, 12)
    buzzer: int = _key(_LINE, 18)
    lamp: int = _key(_LINE, 19)
    service: int | None = _key(_LINE, None)


@dataclass(frozen=True, slots=True)
class Display:
    """The panel; see default.toml."""

    controller: Controller = _key(values.choice(Controller), Controller.SSD1306)
    bus: int = _key(values.whole(0, 32), 1)
    address: int = _key(values.whole(0x08, 0x77), 0x3C)
    rotate: int = _key(_rotate, 0)


@dataclass(frozen=True, slots=True)
class Store:
    """Where things are kept; see default.toml."""

    folder: str = _key(values.text, "")


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration, section by section."""

    game: Game = field(default_factory=Game)
    box: Box = field(default_factory=Box)
    rules: Rules = field(default_factory=Rules)
    gpio: Gpio = field(default_factory=Gpio)
    display: Display = field(default_factory=Display)
    store: Store = field(default_factory=Store)

    @property
    def state_folder(self) -> Path:
        """Where the store lives: as configured, as systemd says, or in the user's home."""
        if self.store.folder:
            return Path(self.store.folder)
        if system := os.environ.get("STATE_DIRECTORY"):
            return Path(system.split(":")[0])
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        return Path(home) / "shutthebox"


def parse(text: str, where: str) -> Config:
    """The configuration in this TOML text.

    Raises:
        ConfigError: for bad TOML, an unknown section or key, a value that is not allowed, or a
            line used twice; `where` names the file in its text.
    """
    try:
        document = values.toml(text)
    except values.WrongValueError as wrong:
        raise ConfigError(f"{where}: {wrong}") from None
    config = Config()
    for section, keys in document.items():
        if not isinstance(keys, Mapping):
            raise ConfigError(
                f"{where}: {values.shown_key(section)}: stands outside a section; {_sections()}"
            )
        for key, value in keys.items():
            config = with_value(config, f"{section}.{key}", value, where)
    check_lines(config, where)
    return config


def with_value(config: Config, path: str, value: object, where: str) -> Config:
    """The configuration with one key changed.

    Args:
        config: to start from.
        path: section and key with a dot between them.
        value: as TOML gives it.
        where: file or option, for complaints.

    Raises:
        ConfigError: if there is no such key or it does not take that value.
    """
    section_name, _, key = path.partition(".")
    if section_name not in {section.name for section in fields(Config)}:
        raise ConfigError(f"{where}: {values.shown_key(path)}: unknown section; {_sections()}")
    section = getattr(config, section_name)
    checks = {entry.name: entry.metadata["check"] for entry in fields(section)}
    if key not in checks:
        raise ConfigError(
            f"{where}: {values.shown_key(path)}: unknown key; "
            f"allowed in [{section_name}] are {', '.join(checks)}"
        )
    try:
        checked = checks[key](value)
    except values.WrongValueError as wrong:
        raise ConfigError(f"{where}: {path}: {shown(value)} is not allowed; allowed is {wrong}") from None
    return replace(config, **{section_name: replace(section, **{key: checked})})


def check_lines(config: Config, where: str) -> None:
    """Complains of a line that two things are wired to, or that the back end cannot reach.

    Raises:
        ConfigError: naming the keys and the line.
    """
    gpio = config.gpio
    taken: dict[Line, str] = {2: "display (I2C data)", 3: "display (I2C clock)"}
    used: list[tuple[str, Line]] = [(f"gpio.levers[{i}]", line) for i, line in enumerate(gpio.levers)]
    used += [(f"gpio.{key}", getattr(gpio, key)) for key in ("roll", "buzzer", "lamp")]
    if gpio.service is not None:
        used.append(("gpio.service", gpio.service))
    for key, line in used:
        if isinstance(line, str) and gpio.backend is not Backend.GPIOD:
            raise ConfigError(
                f'{where}: {key}: "{line}" is on another chip, which {gpio.backend} cannot reach; '
                'allowed is a BCM line, or backend = "gpiod"'
            )
        if line in taken:
            raise ConfigError(f"{where}: {key}: line {line} is taken by {taken[line]}; allowed is a free one")
        taken[line] = key


def _sections() -> str:
    return "sections are " + ", ".join(f"[{section.name}]" for section in fields(Config))


def read(path: Path) -> Config:
    """The configuration in a file.

    Raises:
        ConfigError: if it cannot be read or used.
    """
    return parse(read_text(path, ConfigError, "a configuration"), str(path))


CONFIG_FILE = Path("/etc/shutthebox/config.toml")


def usual() -> Config:
    """The configuration of this machine's box; the default where it has none.

    Raises:
        ConfigError: if its file cannot be read or used.
    """
    return read(CONFIG_FILE) if CONFIG_FILE.exists() else Config()


def default_text() -> str:
    """The commented default configuration."""
    return (resources.files("shutthebox.config") / "default.toml").read_text(encoding="utf-8")
