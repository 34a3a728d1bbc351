"""`shutthebox services`: starts and stops what runs beside the box, as its owner's files say."""

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from shutthebox.cli.parser import Subparsers
from shutthebox.config.schema import CONFIG_FILE, UPLINK_FILES, Config, box_config
from shutthebox.errors import ShutTheBoxError, one_line

LIGHTTPD = "/usr/sbin/lighttpd"
"""The scoreboard's server."""


class ServicesError(ShutTheBoxError, RuntimeError):
    """Services can't be started or stopped; the text says why."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class BesideBox:
    """A service beside the box.

    Attributes:
        name: as its owner calls it.
        units: its units; starting the first starts it, and all are stopped.
        on: whether its owner wants it.
        program: a program it requires.
        package: the package with that program.
    """

    name: str
    units: tuple[str, ...]
    on: bool
    program: str
    package: str


def services(config: Config, folder: Path) -> tuple[BesideBox, ...]:
    """Every service, and whether the configuration and the files in its folder ask for it."""
    return (
        BesideBox(
            "scoreboard",
            ("shutthebox-scoreboard.socket", "shutthebox-scoreboard.service"),
            config.scoreboard.on,
            LIGHTTPD,
            "shutthebox-scoreboard",
        ),
        BesideBox("voice", ("shutthebox-speech.service",), config.speech.on, "espeak-ng", "espeak-ng"),
        BesideBox(
            "uplink",
            ("shutthebox-uplink.service",),
            any((folder / name).exists() for name in UPLINK_FILES),
            "shutthebox-uplink",
            "shutthebox-uplink",
        ),
        BesideBox(
            "link", ("shutthebox-link.service",), config.link.on, "shutthebox-link", "shutthebox-uplink"
        ),
    )


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox services`."""
    parser = subparsers.add_parser(
        "services",
        help="start and stop scoreboard, voice, link and uplink as configured",
        description="Starts the scoreboard, the voice and the link if the box's configuration has them "
        "on, and the uplink if there is a league.toml or home-assistant.toml "
        "beside it; otherwise stops them. The service shutthebox-services runs "
        "this whenever the box starts.",
        example="sudo shutthebox services",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Starts and stops the services; exits with 1 if systemd refuses any of it.

    Raises:
        ServicesError: without systemd, or without the right to ask it.
        ConfigError: if the configuration can't be used; then everything stays as it is.
    """
    if shutil.which("systemctl") is None or os.geteuid() != 0:
        raise ServicesError("services: needs systemd and root: sudo shutthebox services")
    code = 0
    for service in services(box_config(), CONFIG_FILE.parent):
        if service.on and shutil.which(service.program) is None:
            print(f"{service.name}: on, but {service.program} is missing; install {service.package}")
        elif service.on:
            # A restart makes a running service reread its files. A socket has none.
            action = "start" if service.units[0].endswith(".socket") else "restart"
            if _systemctl(action, service.units[0]):
                print(f"{service.name}: on")
            else:
                code = 1
        elif _systemctl("stop", *service.units):
            print(f"{service.name}: off")
        else:
            code = 1
    return code


def _systemctl(action: str, *units: str) -> bool:
    """Whether systemd took the order; otherwise its reason is printed."""
    command = ["systemctl", action, "--no-block", *units]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # A unit that is not installed is off, too.
    if done.returncode and not (action == "stop" and "not loaded" in done.stderr):
        said = one_line(done.stderr.strip()) or f"exit code {done.returncode}"
        print(f"shutthebox: {' '.join(command)}: {said}", file=sys.stderr)
        return False
    return True
