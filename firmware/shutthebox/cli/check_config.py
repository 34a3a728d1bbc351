"""`shutthebox check-config` and `shutthebox pins`: check the configuration, print it as a wiring table."""

import argparse
import sys
from pathlib import Path

from shutthebox.cli.own_config import add_config_option, load_config
from shutthebox.cli.parser import Subparsers
from shutthebox.config.card import read_card
from shutthebox.config.profiles import house_rules, why_no_stakes
from shutthebox.config.schema import CONFIG_FILE, Config, ConfigError, Interface, Line, secrets_for_all
from shutthebox.config.settings_loader import (
    DEFAULT_LEVERS,
    broken_rules,
    rules_folder,
    settings_for,
    try_config,
)
from shutthebox.errors import one_line
from shutthebox.files import reason, shown_path
from shutthebox.game.switches.switch import BUTTONS, switch
from shutthebox.validation import MAX_MISTAKES

HEADER = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""The header pin of every BCM line of a Pi with 40 pins."""


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox check-config` and `shutthebox pins`."""
    check = subparsers.add_parser(
        "check-config",
        help="check a config file, or the files for a card or a stick",
        description="Says whether a configuration and its house rules are good, or what is "
        "wrong with them. In a folder it checks every file a box reads from a "
        "card or a stick, and lists every mistake.",
        example="shutthebox check-config box.toml",
    )
    check.add_argument(
        "file", metavar="F", nargs="?", type=Path, help="a config file, or a folder; default: the box's own"
    )
    check.set_defaults(run=run_check)
    pins = subparsers.add_parser(
        "pins",
        help="show how a config wires the box",
        description="Lists which switch goes to which pin of the header.",
        example="shutthebox pins --config box.toml",
    )
    add_config_option(pins)
    pins.set_defaults(run=run_pins)


def run_check(args: argparse.Namespace) -> int:
    """Checks the file and its house rules; exits with 2 if there's a mistake."""
    if args.file and _is_folder(args.file):
        return _check_folder(args.file)
    config = load_config(args.file)
    where = str(args.file or (CONFIG_FILE if CONFIG_FILE.exists() else "built-in default"))
    levers = config.box.levers or DEFAULT_LEVERS
    try_config(config, where)
    settings = settings_for(config, levers, where)
    for broken in broken_rules(config):  # the box would play without them
        raise broken
    folder = rules_folder(config)
    for game in {settings.profile, *(house_rules(folder)[0] if folder else ())}:
        if why := why_no_stakes(game, config.game.stakes):
            print(f"{game.name}: {why}")
    if args.file is None:
        for path in secrets_for_all(config):
            print(f"{path}: everybody here can read it, until the box is restarted")
    print(f"{where}: good. {settings.profile.name} on {levers} levers, {len(settings.games)} games fit.")
    return 0


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the name is too long, which reading it will report
        return False


def _check_folder(folder: Path) -> int:
    try:
        card = read_card(folder, try_config)
    except OSError as error:
        raise ConfigError(f"{shown_path(folder)}: {reason(error)}") from None
    for mistake in card.mistakes:
        print(one_line(mistake), file=sys.stderr)
    if len(card.mistakes) >= MAX_MISTAKES:
        print(f"stopped at {MAX_MISTAKES} mistakes; there may be more", file=sys.stderr)
    for note in card.notes:
        print(note)
    if not card.mistakes:
        print(f"{shown_path(folder)}: good: {', '.join(card.texts) or 'no files a box reads'}.")
    return 2 if card.mistakes else 0


def run_pins(args: argparse.Namespace) -> int:
    """Prints which switch goes to which pin of the header."""
    config = load_config(args.config)
    print(f"{'signal':14} {'BCM':>4} {'pin':>4}")
    for name, line in wiring(config):
        if isinstance(line, str):
            print(f"{name:14} {line}{inverted(config, name)}")
        else:
            print(f"{name:14} {line:4} {HEADER[line]:4}{inverted(config, name)}")
    return 0


def switch_name(number: int) -> str:
    """The name of a switch in the wiring table."""
    return switch(number).name


def inverted(config: Config, name: str) -> str:
    """A word for the tables if this switch is inverted; otherwise empty."""
    return ", inverted" if name in {switch(n).name for n in config.gpio.inverted_switches} else ""


def wiring(config: Config) -> list[tuple[str, Line]]:
    """Every signal of the box and its line, in the order in which one wires them."""
    gpio = config.gpio
    levers = config.box.levers or len(gpio.levers)
    table: list[tuple[str, Line]] = [
        (f"lever {number}", line) for number, line in enumerate(gpio.levers[:levers], 1)
    ]
    wired = [(row.name, getattr(gpio, row.key)) for row in BUTTONS.values()]
    buttons = [(name, line) for name, line in wired if line is not None]
    table += [*buttons[:1], ("buzzer", gpio.buzzer), ("button lamp", gpio.lamp), *buttons[1:]]
    bus = {"SDA": 2, "SCL": 3}
    if config.display.interface is Interface.SPI:
        bus = {"data": 10, "clock": 11, "enable": 8}
    shown = {
        **bus,
        **{key.upper() if key == "dc" else key: line for key, line in config.display.lines.items()},
    }
    return [*table, *((f"display {name}", line) for name, line in shown.items())]
