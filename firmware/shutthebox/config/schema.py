"""The configuration: TOML to frozen dataclasses. The commented default.toml is the schema."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

from shutthebox import validation
from shutthebox.errors import ShutTheBoxError, shown
from shutthebox.files import read_text
from shutthebox.game.settings import ShownStakes
from shutthebox.rules.reader import MAX_LIMIT

HEADER_LINES = range(2, 28)
"""BCM lines on the header of a Pi; 0 and 1 belong to the identification of boards."""


class ConfigError(ShutTheBoxError, ValueError):
    """A configuration that cannot be used; the text is one line: file, key, what is allowed."""


class SetupChoice(StrEnum):
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
    """The display's controller; each value is the name of luma.oled's class for it."""

    SSD1306 = "ssd1306"
    SH1106 = "sh1106"
    SSD1309 = "ssd1309"


def _controller(value: object) -> Controller | None:
    if value == "none":
        return None
    try:
        return validation.choice(Controller)(value)
    except validation.WrongValueError as wrong:
        raise validation.WrongValueError(f'{wrong}, "none"') from None


def _rotate(value: object) -> int:
    if isinstance(value, bool) or value not in (0, 180):
        raise validation.WrongValueError("0 or 180")
    return int(str(value))


def _language(value: object) -> str:
    from shutthebox.translations import translations

    allowed = translations()
    if not isinstance(value, str) or value not in allowed:
        raise validation.WrongValueError("one of " + ", ".join(f'"{language}"' for language in allowed))
    return value


def _key(check: Callable[[object], object], default: Any) -> Any:  # noqa: ANN401  (the field's type)
    return field(default=default, metadata={"check": check})


Line: TypeAlias = int | str
"""A BCM line of the header, or "chip:line" for a line of another chip."""


def _lines(value: object) -> tuple[Line, ...]:
    first, last = HEADER_LINES.start, HEADER_LINES.stop - 1
    allowed = f'a list of 1 to 54 distinct lines, each a whole number from {first} to {last} or "chip:line"'
    if not isinstance(value, list) or not 1 <= len(value) <= 54:
        raise validation.WrongValueError(allowed)
    for entry in value:
        if isinstance(entry, str):
            chip, _, line = validation.text(entry).rpartition(":")
            good = bool(chip and line) and entry == entry.strip()
        else:
            good = not isinstance(entry, bool) and isinstance(entry, int) and entry in HEADER_LINES
        if not good:
            raise validation.WrongValueError(allowed)
    if len(set(value)) < len(value):
        raise validation.WrongValueError(allowed)
    return tuple(value)


_LINE = validation.whole(HEADER_LINES.start, HEADER_LINES.stop - 1)


@dataclass(frozen=True, slots=True)
class GameConfig:
    """The usual game; see default.toml."""

    profile: str = _key(validation.text, "traditional")
    players: int = _key(validation.whole(1, 9), 2)
    rounds: int | None = _key(validation.whole(1, 99), None)
    limit: int | None = _key(validation.whole(1, MAX_LIMIT), None)
    stakes: ShownStakes = _key(validation.choice(ShownStakes), ShownStakes.OFF)
    setup: SetupChoice = _key(validation.choice(SetupChoice), SetupChoice.ASK)
    dice: DiceKind = _key(validation.choice(DiceKind), DiceKind.AUTO)
    hints: bool = _key(validation.boolean, False)
    computers: tuple[int, ...] = _key(validation.numbers(1, 9, least=0), ())


@dataclass(frozen=True, slots=True)
class BoxConfig:
    """The box and how it treats its players; see default.toml."""

    levers: int | None = _key(validation.whole(1, 54), None)
    language: str = _key(_language, "en")
    sound: bool = _key(validation.boolean, True)
    out_of_play: tuple[int, ...] = _key(validation.numbers(1, 54, least=0), ())
    sleep_min: float = _key(validation.number(1, 240), 10.0)
    settle_ms: float = _key(validation.number(1, 500), 40.0)
    button_settle_ms: float = _key(validation.number(1, 500), 25.0)

    def settle_ns(self, switch: int) -> int:
        """How long a level of this switch has to stand before it counts; levers are numbered from 1."""
        return round((self.settle_ms if switch > 0 else self.button_settle_ms) * 1_000_000)


@dataclass(frozen=True, slots=True)
class RulesConfig:
    """House rules; see default.toml."""

    folder: str = _key(validation.text, "")


@dataclass(frozen=True, slots=True)
class GpioConfig:
    """The wiring; see default.toml."""

    backend: Backend = _key(validation.choice(Backend), Backend.GPIOD)
    levers: tuple[Line, ...] = _key(_lines, (4, 17, 27, 22, 23, 24, 25, 5, 6, 13, 16, 26))
    roll: int = _key(_LINE, 12)
    buzzer: int = _key(_LINE, 18)
    lamp: int = _key(_LINE, 19)
    service: int | None = _key(_LINE, None)


@dataclass(frozen=True, slots=True)
class DisplayConfig:
    """The panel; see default.toml."""

    controller: Controller | None = _key(_controller, Controller.SSD1306)
    bus: int = _key(validation.whole(0, 32), 1)
    address: int = _key(validation.whole(0x08, 0x77), 0x3C)
    rotate: int = _key(_rotate, 0)


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where things are kept; see default.toml."""

    folder: str = _key(validation.text, "")


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration, section by section."""

    game: GameConfig = field(default_factory=GameConfig)
    box: BoxConfig = field(default_factory=BoxConfig)
    rules: RulesConfig = field(default_factory=RulesConfig)
    gpio: GpioConfig = field(default_factory=GpioConfig)
    display: DisplayConfig = field(default_factory=DisplayConfig)
    store: StoreConfig = field(default_factory=StoreConfig)

    @property
    def state_folder(self) -> Path:
        """Where the store lives: as configured, as systemd says, or in the user's home."""
        if self.store.folder:
            return Path(self.store.folder)
        if system := os.environ.get("STATE_DIRECTORY"):
            return Path(system.split(":")[0])
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        return Path(home) / "shutthebox"


def parse_config(text: str, where: str) -> Config:
    """The configuration in this TOML text.

    Raises:
        ConfigError: for bad TOML, an unknown section or key, a value that is not allowed, or a
            line used twice; `where` names the file in its text.
    """
    try:
        document = validation.toml(text)
    except validation.WrongValueError as wrong:
        raise ConfigError(f"{where}: {wrong}") from None
    config = Config()
    for section, keys in document.items():
        if not isinstance(keys, Mapping):
            raise ConfigError(
                f"{where}: {validation.shown_key(section)}: stands outside a section; {_sections()}"
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
        raise ConfigError(f"{where}: {validation.shown_key(path)}: unknown section; {_sections()}")
    section = getattr(config, section_name)
    checks = {entry.name: entry.metadata["check"] for entry in fields(section)}
    if key not in checks:
        raise ConfigError(
            f"{where}: {validation.shown_key(path)}: unknown key; "
            f"allowed in [{section_name}] are {', '.join(checks)}"
        )
    try:
        checked = checks[key](value)
    except validation.WrongValueError as wrong:
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


def read_config(path: Path) -> Config:
    """The configuration in a file.

    Raises:
        ConfigError: if it cannot be read or used.
    """
    return parse_config(read_text(path, ConfigError, "a configuration"), str(path))


CONFIG_FILE = Path("/etc/shutthebox/config.toml")


def box_config() -> Config:
    """The configuration of this machine's box; the default where it has none.

    Raises:
        ConfigError: if its file cannot be read or used.
    """
    return read_config(CONFIG_FILE) if CONFIG_FILE.exists() else Config()


def default_text() -> str:
    """The commented default configuration."""
    return (resources.files("shutthebox.config") / "default.toml").read_text(encoding="utf-8")
