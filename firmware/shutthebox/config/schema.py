"""The configuration: TOML to named tuples.

Each key is declared once, as a field of its section, with its check, default and meaning. ``[game]`` is in
`shutthebox.game.settings`, because the machine uses it as it is. ``make generated`` derives default.toml, the
JSON Schema for editors, the manual page and the table in docs/ from these fields.
"""

import os
import stat
from collections.abc import Mapping
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import NamedTuple, TypeAlias

from shutthebox import sections, validation
from shutthebox.config.controllers import Controller
from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.files import read_text
from shutthebox.game.settings import Brightness, DiceKind, GameConfig
from shutthebox.game.switches.switch import BUTTONS, DICE_BUTTON, SERVICE_BUTTON
from shutthebox.game.switches.switch import switch as row_of
from shutthebox.link.messages import MAX_NAME, NAME
from shutthebox.sections import Key
from shutthebox.translations import ENGLISH, codes

HEADER_LINES = range(2, 28)
"""BCM lines on the header of a Pi; 0 and 1 belong to the identification of boards."""


CONFIG_FILE = Path("/etc/shutthebox/config.toml")

SERVICE_FOLDER = Path("/var/lib/shutthebox")
"""Folder in which systemd keeps the state of the service; it tells only the daemon."""

UPLINK_FILES = ("league.toml", "home-assistant.toml")
"""The uplink's files, beside the configuration."""

RULES_FOLDER = "rules"
"""The folder with house rules, beside the configuration."""

LEAGUE_CA_FILE = "league.pem"
"""The certificate of a league's own authority, beside `league.toml`."""

BROKER_FILE = "broker.pem"
"""The certificate of the broker of linked boxes, beside the configuration."""

TOURNAMENT_FILE = "tournament.txt"
"""The file of a tournament of equal dice, beside the configuration."""


class ConfigError(ShutTheBoxError, ValueError):
    """A configuration that can't be used; the text is one line: file, key, what is allowed."""


class HiddenConfigError(ConfigError):
    """The configuration of this machine's box isn't for this user to read, which says nothing against it."""


class Backend(StrEnum):
    """How the pins are reached."""

    GPIOD = "gpiod"
    LGPIO = "lgpio"
    RPIGPIO = "rpigpio"


class Interface(StrEnum):
    """How the panel is reached."""

    I2C = "i2c"
    SPI = "spi"


def _nothing(value: object) -> object:
    if value:
        raise ValueError
    return value


_LEFT_OUT = validation.Check("to leave it out: on a card its place is fixed", {}, _nothing)


Line: TypeAlias = int | str
"""A BCM line of the header, or "chip:line" for a line of another chip."""

BOARD_LINES: Mapping[Line, str] = {
    2: "display (I2C data)",
    3: "display (I2C clock)",
    21: "the shutdown button (config.txt)",
}
"""Lines that the board and its config.txt already use, each with what uses it."""

SPI_LINES: Mapping[Line, str] = {
    8: "display (SPI chip enable)",
    10: "display (SPI data)",
    11: "display (SPI clock)",
}
"""The lines of SPI0 that a panel has; free are 9, which would read, and 7, the other chip enable."""

_LINE = validation.whole(HEADER_LINES.start, HEADER_LINES.stop - 1)
_MAX_LEVERS = 54


def _read_line(value: object) -> Line:
    if not isinstance(value, str):
        return _LINE(value)
    chip, _, line = validation.text(value).rpartition(":")
    if not (chip and line) or value != value.strip():
        raise ValueError
    return value


_ON_ANOTHER_CHIP = {
    "type": "string",
    "maxLength": 200,
    "allOf": [{"pattern": r"^\S"}, {"pattern": r"\S$"}, {"pattern": ".:[^:]+$"}],
    "not": validation.text.json_schema["not"],
}
_SWITCH_LINE: validation.Check[Line] = validation.Check(
    f'{_LINE.allowed} or "chip:line"', {"anyOf": [_LINE.json_schema, _ON_ANOTHER_CHIP]}, _read_line
)
_OUTPUT_LINE = validation.Check(
    _LINE.allowed,
    _LINE.json_schema,
    _LINE.read,
    lambda value: "; an output is on the header" if isinstance(value, str) else "",
)
_LINES = validation.listed(
    _SWITCH_LINE,
    f"a list of 1 to {_MAX_LEVERS} distinct lines, each {_SWITCH_LINE.allowed}",
    1,
    _MAX_LEVERS,
)

_BUTTON_KEYS = tuple(row.key for row in BUTTONS.values())
*_SOME, _LAST = (f'"{key}"' for key in _BUTTON_KEYS)
_ALL_BUTTONS = f"{', '.join(_SOME)} and {_LAST}"

_LEVER = validation.whole(1, _MAX_LEVERS)
_SWITCH: validation.Check[int | str] = validation.Check(
    "",
    {"anyOf": [_LEVER.json_schema, {"enum": [*_BUTTON_KEYS]}]},
    lambda item: item if item in _BUTTON_KEYS else _LEVER(item),
)
_INVERTED = validation.listed(
    _SWITCH,
    f"a list of distinct levers from 1 to {_MAX_LEVERS}, {_ALL_BUTTONS}",
    0,
    _MAX_LEVERS + len(_BUTTON_KEYS),
)

_LANGUAGES = ", ".join(f'"{code}"' for code in codes())
_CONTROLLERS = ", ".join(f'"{controller}" ({controller.chip.panels})' for controller in Controller)
_CONTROLLER = validation.one_of([*Controller, "none"]).then(
    lambda name: None if name == "none" else Controller(name)
)


def _read_rotation(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value not in (0, 180):
        raise ValueError
    return value


def _address_on_module(value: object) -> str:
    """A remark on the address printed on a module, which includes the read/write bit."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0x78 <= value <= 0xEF:
        return ""
    return f"; 0x{value:02X} on the module is 0x{value >> 1:02X} here"


def _show_address(value: object) -> str:
    is_byte = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 0xFF
    return f"0x{value:02X}" if is_byte else quoted(value)


_BYTE = validation.whole(0x08, 0x77)
_ADDRESS = validation.Check(
    "a whole number from 0x08 to 0x77", _BYTE.json_schema, _BYTE.read, _address_on_module, _show_address
)
_ROTATION = validation.Check("0 or 180", {"enum": [0, 180]}, _read_rotation)


@sections.section
class BoxConfig(NamedTuple):
    """The box's levers, language and sound, and how it treats its players."""

    levers: int | None = sections.key(
        _LEVER,
        None,
        f"Levers on the box, 1 to {_MAX_LEVERS}. Left out: nine, or in the simulator as many as the game "
        "needs.",
        "9",
    )
    language: str = sections.key(
        validation.one_of(codes()),
        ENGLISH,
        f"Language of the screens, one of {_LANGUAGES}.",
    )
    sound: bool = sections.key(validation.boolean, True, "The buzzer plays its tunes.")
    out_of_play: tuple[int, ...] = sections.key(
        validation.numbers(1, _MAX_LEVERS, least=0),
        (),
        "Levers out of play, such as [4]: their tiles start every turn shut, and the levers "
        "are ignored. The Owner screen does the same.",
    )
    service_code: tuple[int, ...] = sections.key(
        validation.numbers(1, _MAX_LEVERS, least=0),
        (),
        "The owner's code: levers such as [2, 7] to put down, with all others up, to unlock "
        "Owner. Empty: levers can only be taken out of play with the button inside the box, "
        "or here.",
    )
    sleep_min: float = sections.key(
        validation.number(1, 240), 10.0, "Minutes without a touch until the panel goes dark, 1 to 240."
    )
    settle_ms: float = sections.key(
        validation.number(1, 500),
        40.0,
        "How long a lever's contact must be steady before it counts, in ms, 1 to 500.",
    )
    button_settle_ms: float = sections.key(
        validation.number(1, 500), 25.0, "The same for the dice button and the service button."
    )

    def settle_ns(self, switch: int) -> int:
        """The settle window of a switch, in ns; levers are numbered from 1."""
        settle_ms: float = getattr(self, row_of(switch).settle_key)
        return round(settle_ms * 1_000_000)


@sections.section
class RulesConfig(NamedTuple):
    """Where house rules are read from."""

    folder: str = sections.key(
        validation.text,
        "",
        "A folder with your own house rules. Empty: the folder rules beside this file, if there is one.",
        on_card=_LEFT_OUT,
    )


@sections.section
class GpioConfig(NamedTuple):
    """The wiring; hardware/pinout.toml has the same lines, and a test compares them."""

    backend: Backend = sections.key(
        validation.choice(Backend),
        Backend.GPIOD,
        'How to reach the pins: "gpiod" (the kernel\'s own way, sleeps until something '
        'happens), "lgpio", or "rpigpio" (RPi.GPIO, old Pis only).',
    )
    levers: tuple[Line, ...] = sections.key(
        _LINES,
        (4, 17, 27, 22, 23, 24, 25, 5, 6, 13, 16, 26),
        "BCM lines of levers 1, 2, 3 ... in order; each lever is a switch to ground. A line of another "
        'chip is "chip:line", such as "mcp23017:3" for an expander with a kernel driver ("gpiod" only); with '
        'two of a kind, "mcp23017@0x21:3" names one by its I2C address.',
    )
    roll: Line = sections.key(
        _SWITCH_LINE,
        BUTTONS[DICE_BUTTON].line,
        "Line of the dice button: a BCM line, or one of another chip.",
    )
    buzzer: int = sections.key(_OUTPUT_LINE, 18, "BCM line of the buzzer.")
    lamp: int = sections.key(_OUTPUT_LINE, 19, "BCM line of the lamp in the button.")
    service: Line | None = sections.key(
        _SWITCH_LINE,
        None,
        "Line of the service button inside the box, as for roll; the board has it at "
        f"{BUTTONS[SERVICE_BUTTON].line}. Left out: there is none, and Owner is in the menu.",
        str(BUTTONS[SERVICE_BUTTON].line),
    )
    inverted: tuple[int | str, ...] = sections.key(
        _INVERTED,
        (),
        f'Switches wired the other way round, such as [3, "roll"]: levers by number, {_ALL_BUTTONS}. '
        "They are down while their line is high: a normally closed contact to ground, or a sensor whose "
        "output goes high.",
        "[]",
    )

    @property
    def inverted_switches(self) -> frozenset[int]:
        """The numbers of the rows of the inverted switches."""
        numbers = {row.key: number for number, row in BUTTONS.items()}
        return frozenset(item if isinstance(item, int) else numbers[item] for item in self.inverted)


@sections.section
class DisplayConfig(NamedTuple):
    """The panel: its controller and bus, and how it's mounted."""

    controller: Controller | None = sections.key(
        _CONTROLLER,
        Controller.SSD1306,
        f'The panel\'s controller: {_CONTROLLERS}, or "none".',
    )
    interface: Interface = sections.key(
        validation.choice(Interface),
        Interface.I2C,
        'How the panel is wired: "i2c", or "spi": SPI0 with data on line 10, clock on 11, chip enable on 8.',
    )
    dc: int = sections.key(_OUTPUT_LINE, 9, "BCM line of the panel's D/C input, with SPI only.")
    reset: int | None = sections.key(
        _OUTPUT_LINE,
        None,
        "BCM line of the panel's reset input (RES, RST); with I2C too, if it has one. Left out: 7 with SPI, "
        "none with I2C.",
        "7",
    )
    bus: int = sections.key(validation.whole(0, 32), 1, "The I2C bus of the panel.")
    address: int = sections.key(_ADDRESS, 0x3C, "The panel's address on that bus.", "0x3C")
    rotate: int = sections.key(_ROTATION, 0, "180 if the panel is mounted upside down.")
    brightness: Brightness = sections.key(
        validation.choice(Brightness),
        Brightness.BRIGHT,
        '"dim", "medium" or "bright". An OLED only dims a little, but lasts longer.',
    )

    @property
    def lines(self) -> dict[str, int]:
        """The header lines the panel needs besides its bus, by config key."""
        if self.controller is None:
            return {}
        if self.interface is Interface.SPI:
            return {"dc": self.dc, "reset": 7 if self.reset is None else self.reset}
        return {} if self.reset is None else {"reset": self.reset}

    @property
    def where(self) -> str:
        """Where the panel is connected, for error messages."""
        if self.interface is Interface.SPI:
            return "on /dev/spidev0.0"
        return f"at 0x{self.address:02X} on /dev/i2c-{self.bus}"


@sections.section
class ScoreboardConfig(NamedTuple):
    """The scoreboard, which is a unit of its own."""

    on: bool = sections.key(
        validation.boolean, False, "A page with the scores, for the pub's network, on port 8090."
    )
    play: bool = sections.key(
        validation.boolean,
        False,
        "Guests can play the game on the table on their own phones, too: the page leads to "
        "the box in a tab, from the package shutthebox-web.",
    )


@sections.section
class SpeechConfig(NamedTuple):
    """The voice, which is a unit of its own."""

    on: bool = sections.key(
        validation.boolean, False, "A voice says every prompt, throw, fault and score, through a sound card."
    )
    volume: int = sections.key(
        validation.whole(0, 200),
        100,
        "How loud the voice is: 0 is silent, 100 normal, 200 the loudest. The buzzer is separate.",
    )


@sections.section
class StoreConfig(NamedTuple):
    """The folder of the box's memory."""

    folder: str = sections.key(
        validation.text,
        "",
        "Where to keep the running match, scores and statistics. Empty: where the system "
        "keeps the state of services, or ~/.local/state/shutthebox.",
        on_card=_LEFT_OUT,
    )


@sections.section
class OutboxConfig(NamedTuple):
    """Where matches are left for a league."""

    folder: str = sections.key(
        validation.text,
        "",
        "An existing folder in which to leave every finished match for a league. Empty: "
        "where the uplink's package says, if there is a league.toml or a "
        "home-assistant.toml; otherwise none.",
        on_card=_LEFT_OUT,
    )


@sections.section
class TournamentConfig(NamedTuple):
    """A tournament of equal dice."""

    file: str = sections.key(
        validation.text,
        "",
        "The file of a tournament of equal dice, which gives every box the same throws; the "
        "screens say so. Empty: tournament.txt beside this file; without it the box throws "
        "by chance.",
        on_card=_LEFT_OUT,
    )


HERE = "here"
"""The broker on this machine."""

_BROKER = validation.matching(
    rf"{HERE}|mqtts://(?:(?:[A-Za-z0-9_-]{{1,63}}\.){{0,8}}[A-Za-z0-9_-]{{1,63}}|\[[0-9A-Fa-f:.]{{2,45}}\])"
    r":(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])",
    '"here", or mqtts://HOST:PORT, such as "mqtts://mqtt.example.org:8883"',
)


_NAME = validation.matching(NAME, f"1 to {MAX_NAME} letters, digits and signs, with spaces only between them")
_SECRET = validation.Check(
    validation.text.allowed, validation.text.json_schema, validation.text.read, show=lambda value: "the value"
)


@sections.section
class LinkConfig(NamedTuple):
    """Matches with another box, through a helper that is a unit of its own."""

    on: bool = sections.key(validation.boolean, False, "Play with another box, through a broker.")
    name: str = sections.key(
        _NAME, "Shut the Box", f"What the other box calls this one: 1 to {MAX_NAME} characters."
    )
    broker: str = sections.key(
        _BROKER,
        HERE,
        'The MQTT broker both boxes use: mqtts://HOST:PORT, or "here" for Mosquitto on this machine.',
    )
    ca: str = sections.key(
        validation.text,
        "",
        "The file with the certificate that signed the broker's. Empty: broker.pem beside this file, if "
        "there's one; otherwise those the system trusts.",
        on_card=_LEFT_OUT,
    )
    user: str = sections.key(
        validation.text, "", "This box's name at the broker. Empty: none.", on_card=validation.text
    )
    password: str = sections.key(
        _SECRET,
        "",
        "Its password there. On a box, only root and the box's own services can read this file.",
        on_card=_SECRET,
    )

    @property
    def address(self) -> tuple[str, int, bool]:
        """The broker's host and port, and whether the connection is encrypted."""
        if self.broker == HERE:
            return "127.0.0.1", 1883, False
        host, _, port = self.broker.removeprefix("mqtts://").rpartition(":")
        return host.strip("[]"), int(port), True


class Config(NamedTuple):
    """The whole configuration. A field is a section of the file, and has its defaults."""

    game: GameConfig = GameConfig()
    box: BoxConfig = BoxConfig()
    rules: RulesConfig = RulesConfig()
    gpio: GpioConfig = GpioConfig()
    display: DisplayConfig = DisplayConfig()
    scoreboard: ScoreboardConfig = ScoreboardConfig()
    speech: SpeechConfig = SpeechConfig()
    store: StoreConfig = StoreConfig()
    outbox: OutboxConfig = OutboxConfig()
    tournament: TournamentConfig = TournamentConfig()
    link: LinkConfig = LinkConfig()

    @property
    def has_own_dice(self) -> bool:
        """Whether the box throws random dice. Throws from a seed say nothing about fairness."""
        return self.game.dice is DiceKind.AUTO and not self.tournament.file

    @property
    def state_folder(self) -> Path:
        """The store's folder: as configured, from systemd, or in the user's home."""
        if self.store.folder:
            return Path(self.store.folder)
        if system := os.environ.get("STATE_DIRECTORY"):
            return Path(system.split(":")[0])
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        return Path(home) / "shutthebox"

    @property
    def memory_folder(self) -> Path:
        """The folder in which a command finds the box's memory: the service's, if this machine has one.

        A command runs as another user than the service, without its environment.
        """
        if self.store.folder or "STATE_DIRECTORY" in os.environ or not os.path.lexists(SERVICE_FOLDER):
            return self.state_folder
        return SERVICE_FOLDER

    @property
    def outbox_folder(self) -> Path | None:
        """Where matches are left; None for nowhere.

        As configured, or where the uplink's package says, if one of the uplink's files exists.
        """
        if self.outbox.folder:
            return Path(self.outbox.folder)
        folder = os.environ.get("SHUTTHEBOX_OUTBOX")
        wanted = any((CONFIG_FILE.parent / name).exists() for name in UPLINK_FILES)
        return Path(folder) if folder and wanted else None

    @property
    def link_socket(self) -> Path | None:
        """Where the link's helper calls; None for a box that isn't linked.

        Where the uplink's package says, so that the helper, which is another user, can get there.
        """
        folder = os.environ.get("SHUTTHEBOX_LINK") or runtime_folder()
        return Path(folder) / "link" if self.link.on and folder else None

    @property
    def scores_folder(self) -> Path:
        """The folder that scoreboard and voice read: systemd's runtime directory, or the store's folder."""
        return runtime_folder() or self.state_folder

    @property
    def simulator_folder(self) -> Path:
        """The store's folder for a simulated box: as configured, otherwise next to that of a real one."""
        return self.state_folder if self.store.folder else self.state_folder / "simulator"


SECTIONS: Mapping[str, Mapping[str, Key]] = {
    name: section._field_defaults for name, section in Config()._asdict().items()
}
"""The keys of each section."""


def parse_config(text: str, where: str) -> Config:
    """The configuration in this TOML text.

    Raises:
        ConfigError: for bad TOML, an unknown section or key, a value that is not allowed, or a
            line used twice; `where` names the file in its text.
    """
    config, mistakes = examine_config(text, where)
    if mistakes:
        raise mistakes[0]
    return config


def examine_config(text: str, where: str) -> tuple[Config, tuple[ConfigError, ...]]:
    """Parses this TOML text leniently; returns the valid part and all mistakes."""
    document, wrong = validation.examine_toml(text)
    config, mistakes = Config(), [ConfigError(f"{where}: {mistake}") for mistake in wrong]
    knows_lines = not wrong
    for section, keys in document.items():
        if not isinstance(keys, Mapping):
            mistakes.append(ConfigError(f"{where}: {validation.shown_key(section)}: {_no_section(section)}"))
            continue
        for key, value in keys.items():
            if len(mistakes) >= validation.MAX_MISTAKES:
                return config, tuple(mistakes)
            try:
                config = with_value(config, f"{section}.{key}", value, where)
            except ConfigError as error:
                mistakes.append(error)
                knows_lines &= section not in ("gpio", "display")
    if knows_lines:
        try:
            check_lines(config, where)
        except ConfigError as error:
            mistakes += map(ConfigError, error.mistakes)
    return config, tuple(mistakes)


def on_card(config: Config, where: str) -> tuple[Config, tuple[ConfigError, ...]]:
    """Removes what a card or stick may not set; also returns a complaint about each."""
    mistakes = []
    for section, keys in SECTIONS.items():
        for name, key in keys.items():
            if key.on_card is not None:
                values = getattr(config, section)
                try:
                    key.on_card(getattr(values, name))
                except validation.WrongValueError as wrong:
                    shown = f"{quoted(getattr(values, name))} is not allowed on a card"
                    mistakes.append(ConfigError(f"{where}: {section}.{name}: {shown}; use {wrong}"))
                    config = config._replace(**{section: values._replace(**{name: key.default})})
    return config, tuple(mistakes)


def with_value(config: Config, path: str, value: object, where: str) -> Config:
    """The configuration with one key changed.

    Args:
        config: to start from.
        path: section and key with a dot between them.
        value: from TOML.
        where: file or option, for error messages.

    Raises:
        ConfigError: if there is no such key or it does not take that value.
    """
    section_name, _, key = path.partition(".")
    if section_name not in SECTIONS:
        near = validation.did_you_mean(section_name, SECTIONS)
        raise ConfigError(f"{where}: {validation.shown_key(path)}: unknown section; {near}{_sections()}")
    section = getattr(config, section_name)
    keys = SECTIONS[section_name]
    if key not in keys:
        raise ConfigError(
            f"{where}: {validation.shown_key(path)}: unknown key; {_did_you_mean(section_name, key)}"
            f"use one of {', '.join(keys)}"
        )
    check = keys[key].check
    try:
        checked = check(value)
    except validation.WrongValueError as wrong:
        raise ConfigError(f"{where}: {path}: {check.show(value)} is not allowed; use {wrong}") from None
    return config._replace(**{section_name: section._replace(**{key: checked})})


def check_lines(config: Config, where: str) -> None:
    """Refuses lines with two uses, and those that the back end can't reach.

    Raises:
        ConfigError: naming the keys and the lines.
    """
    gpio = config.gpio
    taken = dict(BOARD_LINES)
    if config.display.interface is Interface.SPI:
        taken |= SPI_LINES
    used: list[tuple[str, Line | None]] = [(f"gpio.levers[{i}]", line) for i, line in enumerate(gpio.levers)]
    used += [(f"gpio.{key}", getattr(gpio, key)) for key in (*_BUTTON_KEYS, "buzzer", "lamp")]
    used += [(f"display.{key}", line) for key, line in config.display.lines.items()]
    mistakes = []
    for item in gpio.inverted:
        if isinstance(item, int) and item > len(gpio.levers):
            mistakes.append(
                f"{where}: gpio.inverted: {item} is not allowed; use the levers of gpio.levers, "
                f"1 to {len(gpio.levers)}"
            )
        elif isinstance(item, str) and getattr(gpio, item) is None:
            mistakes.append(f'{where}: gpio.inverted: "{item}" has no line; use it with gpio.{item} set')
    for key, line in used:
        if line is None:
            continue
        if isinstance(line, str) and gpio.backend is not Backend.GPIOD:
            mistakes.append(
                f'{where}: {key}: "{line}" is on another chip, which {gpio.backend} can\'t reach; '
                'use a BCM line, or backend = "gpiod"'
            )
        if line in taken:
            mistakes.append(f"{where}: {key}: line {line} is taken by {taken[line]}; use a free one")
        taken[line] = key
    if mistakes:
        raise ConfigError(*mistakes)


def _sections() -> str:
    return "sections are " + ", ".join(f"[{section}]" for section in SECTIONS)


def _no_section(key: str) -> str:
    """The complaint about a key outside any section."""
    if key in SECTIONS:
        return f"is a section; use [{key}] above its keys"
    return f"is outside a section; {_did_you_mean('', key)}{_sections()}"


def _did_you_mean(section_name: str, key: str) -> str:
    """A "did you mean" for an unknown key: the same key in another section, or a similar one in its own."""
    for other, keys in SECTIONS.items():
        if key in keys:
            return f"did you mean it in [{other}]? "
    return validation.did_you_mean(key, SECTIONS.get(section_name, ()))


def read_config(path: Path) -> Config:
    """The configuration in a file.

    Raises:
        ConfigError: if it can't be read or used.
    """
    config = parse_config(read_text(path, ConfigError, "a configuration"), str(path))
    return with_files_beside(config, path.parent)


def with_files_beside(config: Config, folder: Path) -> Config:
    """The configuration with house rules, tournament and certificate next to it, unless it names others."""
    rules, tournament, broker = (folder / name for name in (RULES_FOLDER, TOURNAMENT_FILE, BROKER_FILE))
    if not config.rules.folder and rules.is_dir():
        config = config._replace(rules=RulesConfig(str(rules)))
    if not config.tournament.file and tournament.is_file():
        config = config._replace(tournament=TournamentConfig(str(tournament)))
    if not config.link.ca and broker.is_file():
        config = config._replace(link=config.link._replace(ca=str(broker)))
    return config


def runtime_folder() -> Path | None:
    """The runtime directory systemd made for the running box; None if there is none."""
    folder = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return Path(folder) if folder else None


def box_config() -> Config:
    """The configuration of this machine's box; the default if it has none.

    Raises:
        HiddenConfigError: if only others may read its file.
        ConfigError: if its file can't be read or used.
    """
    if not CONFIG_FILE.exists():
        return Config()
    if not os.access(CONFIG_FILE, os.R_OK):
        raise HiddenConfigError(f"{CONFIG_FILE}: only root can read it; put sudo before the command")
    return read_config(CONFIG_FILE)


def secrets_for_all(config: Config) -> list[Path]:
    """The box's own files that hold a secret and that every user of this machine can read."""
    names = [TOURNAMENT_FILE, *UPLINK_FILES, *([CONFIG_FILE.name] if config.link.password else [])]
    return [path for name in names if _is_for_all(path := CONFIG_FILE.parent / name)]


def _is_for_all(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & stat.S_IROTH)
    except FileNotFoundError:
        return False


def default_text() -> str:
    """The commented default configuration."""
    return (resources.files("shutthebox.config") / "default.toml").read_text(encoding="utf-8")
