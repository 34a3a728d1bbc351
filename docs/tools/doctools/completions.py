"""Completion for bash, zsh and fish, made from the parser by shtab for the Debian package."""

import argparse
from typing import Any

import shtab

from doctools import PROJECT
from shutthebox.cli.main import command_line
from shutthebox.config.profiles import builtins
from shutthebox.translations import codes

_FILES = ("FILE", "F", "SCRIPT", "RECORD")
_GAME = "ID|FILE"
_LIST = " ".join(profile.name for profile in builtins())


FILES = {"bash": "shutthebox.bash", "zsh": "_shutthebox", "fish": "shutthebox.fish"}
"""Per shell the name that its file has to have."""


FOLDER = PROJECT / "packaging/completions"


def write() -> None:
    """Writes a file for each shell."""
    for shell, name in FILES.items():
        (FOLDER / name).write_text(completion(shell), encoding="utf-8")


def completion(shell: str) -> str:
    """The script with which a shell of `FILES` completes `shutthebox`."""
    parser, commands = command_line()
    for command in (parser, *commands.values()):
        # Shells show a line for each.
        command.description = (command.description or "").partition(". ")[0].rstrip(".")
        for argument in command.arguments:
            _say_what_fits(argument)
    return str(shtab.complete(parser, shell)).rstrip() + "\n"


def _say_what_fits(argument: argparse.Action) -> None:
    """Notes for shtab what may stand there, which argparse has no place for."""
    fits: Any = None
    if argument.metavar in _FILES:
        fits = shtab.FILE
    elif argument.metavar == "DIR":
        fits = shtab.DIRECTORY
    elif argument.metavar == _GAME:
        fits = shtab.cmd(f"printf '%s\\n' {_LIST}")
    elif argument.metavar == "CODE":
        fits = shtab.cmd(f"printf '%s\\n' {' '.join(codes())}")
    if fits is not None:
        argument.complete = fits  # type: ignore[attr-defined]
