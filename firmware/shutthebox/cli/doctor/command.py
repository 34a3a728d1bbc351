"""`shutthebox doctor`: the live hardware, one check a line."""

import argparse
import contextlib
import dataclasses
import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from shutthebox.cli.doctor import hardware as devices
from shutthebox.cli.doctor import store as memory
from shutthebox.cli.doctor.result import Finding, Verdict
from shutthebox.config import schema as configuration
from shutthebox.config.schema import Config
from shutthebox.errors import one_line

LIBRARIES = {"gpiozero": (2, 0, 1), "gpiod": (2, 1), "luma.oled": (3, 10)}
"""What the box runs on, and the oldest version that will do."""


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds the command."""
    parser = subparsers.add_parser("doctor", help="check the live hardware")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.add_argument("--json", action="store_true", help="one JSON document; with --levers one a line")
    parser.add_argument("--levers", action="store_true", help="watch the levers and buttons while they move")
    parser.add_argument("--outputs", action="store_true", help="try lamp, buzzer and display, by eye and ear")
    parser.add_argument(
        "--display", action="store_true", help="find the display and its lines for the config"
    )
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=_seconds,
        help="with --levers: end after N s; with --outputs: wait N s each",
    )
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= 86_400:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not allowed; allowed are up to 86400 seconds")


def run(args: argparse.Namespace) -> int:
    """Prints every finding; 1 if one of them is bad."""
    config = configuration.read(args.config) if args.config else configuration.usual()
    if args.display:
        from shutthebox.cli.doctor import displays as panels

        return panels.show(config, as_json=args.json)
    if args.outputs:
        from shutthebox.cli.doctor import outputs

        return outputs.test(config, args.seconds, as_json=args.json)
    if args.levers:
        from shutthebox.cli.doctor.levers import watch

        return watch(memory.as_chosen(config), args.seconds, as_json=args.json)
    findings = list(examine(config))
    if args.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            print(f"{finding.verdict:4}  {finding.check:14}  {one_line(finding.reason)}")
    return int(any(finding.verdict is Verdict.FAIL for finding in findings))


def examine(config: Config) -> Iterator[Finding]:
    """Every check of this box, in the order in which faults hide behind each other."""
    yield Finding("python", Verdict.OK, sys.version.split()[0])
    for name, least in LIBRARIES.items():
        yield _library(name, least)
    checks: tuple[Callable[[Config], Iterator[Finding]], ...] = (
        memory.levers,
        devices.access,
        devices.pins,
        devices.display,
        memory.store,
        memory.clock,
    )
    for check in checks:
        yield from check(config)


def _library(name: str, least: tuple[int, ...]) -> Finding:
    wanted = ".".join(map(str, least))
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, Verdict.FAIL, f"not installed; {wanted} or newer is needed")
    digits = tuple(int(part) for part in version.split(".")[: len(least)] if part.isdigit())
    return Finding(name, Verdict.OK if digits >= least else Verdict.FAIL, f"{version}, needed {wanted}")
