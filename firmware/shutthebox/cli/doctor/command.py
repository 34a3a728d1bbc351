"""`shutthebox doctor`: checks the live hardware, one line per check."""

import argparse
import contextlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator

from shutthebox.cli.doctor.result import CheckResult, CheckStatus, failed, passed, report
from shutthebox.cli.own_config import add_config_option, load_config
from shutthebox.cli.parser import Subparsers
from shutthebox.config.schema import Config, ConfigError, HiddenConfigError

LIBRARIES = {"gpiozero": (2, 0, 1), "gpiod": (2, 1), "luma.oled": (3, 9)}
"""The libraries of the box, each with its oldest usable version."""


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox doctor`."""
    parser = subparsers.add_parser(
        "doctor",
        help="check the live hardware",
        description="Checks the live hardware, one line for each check. Stop the service "
        "before --levers, --outputs and --display, because it uses pins and display.",
        example="shutthebox doctor --levers --seconds 60",
    )
    add_config_option(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON document; with --levers, one for each line"
    )
    parser.add_argument("--levers", action="store_true", help="watch levers and buttons while they move")
    parser.add_argument(
        "--outputs", action="store_true", help="blink the lamp, play a tune, show a test picture"
    )
    parser.add_argument(
        "--display",
        action="store_true",
        help="look for a display at 0x3C and 0x3D, show a test picture, and print what to write into the "
        "config",
    )
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=_seconds,
        help="with --levers, stop after N seconds; with --outputs, wait N seconds for each press",
    )
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= 86_400:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not allowed; use up to 86400 seconds")


def run(args: argparse.Namespace) -> int:
    """Prints every result; exits with 1 if any is bad."""
    wrong: tuple[CheckResult, ...] = ()
    try:
        config = load_config(args.config)
    except ConfigError as error:
        own = not (args.config or args.display or args.outputs or args.levers)
        if not own or isinstance(error, HiddenConfigError):
            raise
        # As the service does.
        config, wrong = Config(), (failed("settings", f"{error}; until then, the box plays with its own"),)
    if args.display:
        from shutthebox.cli.doctor.interactive import displays

        return displays.show(config, as_json=args.json)
    if args.outputs:
        from shutthebox.cli.doctor.interactive import outputs

        return outputs.test_outputs(config, args.seconds, as_json=args.json)
    if args.levers:
        from shutthebox.cli.doctor import store
        from shutthebox.cli.doctor.interactive.levers import watch

        return watch(store.with_kept_choices(config), args.seconds, as_json=args.json)
    return report([*wrong, *examine(config)], as_json=args.json)


def examine(config: Config) -> Iterator[CheckResult]:
    """Runs every check on this box. One fault can cause others further down."""
    # Imported lazily: without the libraries for pins, as on a desktop, the other commands work.
    from shutthebox.cli.doctor import hardware, link, machine, network, outbox, settings, store, units

    yield passed("python", sys.version.split()[0])
    for name, least in LIBRARIES.items():
        yield _library(name, least)
    checks: tuple[Callable[[Config], Iterator[CheckResult]], ...] = (
        units.check_units,
        settings.check_settings,
        store.check_levers,
        hardware.check_access,
        hardware.check_pins,
        hardware.check_display,
        machine.check_machine,
        store.check_store,
        store.check_clock,
        network.check_network,
        outbox.check_outbox,
        link.check_link,
    )
    for check in checks:
        yield from check(config)


def _library(name: str, least: tuple[int, ...]) -> CheckResult:
    wanted = ".".join(map(str, least))
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return failed(name, f"not installed; {wanted} or newer is needed")
    digits = tuple(int(part) for part in version.split(".")[: len(least)] if part.isdigit())
    return CheckResult(
        name, CheckStatus.OK if digits >= least else CheckStatus.FAIL, f"{version}, needed {wanted}"
    )
