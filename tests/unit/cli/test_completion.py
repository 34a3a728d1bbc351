"""Completion, tried in real shells: every command and option of the parser, games and files.

Zsh gets it from the same parser, by the same library.
"""

import argparse
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from shutthebox.cli.main import command_line
from shutthebox.config.profiles import builtins

_, COMMANDS = command_line()
MADE = Path(__file__).parents[3] / "packaging/completions"
"""As the Debian package has it: `make generated` writes it."""


def bash(lines: Sequence[str], made: Path, folder: Path) -> list[set[str]]:
    script = f"""
        source {shlex.quote(str(made))}/shutthebox.bash
        for line; do
            read -ra COMP_WORDS <<< "$line"
            [ "${{line: -1}}" != " " ] || COMP_WORDS+=("")
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMPREPLY=()
            _shtab_shutthebox shutthebox "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
            printf '%s\\n' "${{COMPREPLY[@]}}" over
        done
    """
    return offered(shell(["bash", "--norc", "-c", script, "bash", *lines], folder))


def fish(lines: Sequence[str], made: Path, folder: Path) -> list[set[str]]:
    source = f"source {shlex.quote(str(made))}/shutthebox.fish"
    script = f"{source}; for line in $argv; complete -C $line; echo over; end"
    return offered(shell(["fish", "--no-config", "-c", script, *lines], folder))


def offered(told: str) -> list[set[str]]:
    """The words before each mark, without what fish explains about them."""
    blocks = told.split("over\n")[:-1]
    return [{line.partition("\t")[0] for line in block.splitlines()} for block in blocks]


def shell(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


SHELLS = [
    pytest.param(
        complete,
        id=name,
        marks=(pytest.mark.skipif(shutil.which(name) is None, reason=f"no {name} here"), *marks),
    )
    for name, complete, *marks in (("bash", bash), ("fish", fish, pytest.mark.slow))
]
Complete = Callable[[Sequence[str], Path, Path], list[set[str]]]


@pytest.mark.parametrize("complete", SHELLS)
def test_every_command_and_option(complete: Complete, tmp_path: Path) -> None:
    lines = ["shutthebox ", *(f"shutthebox {command} --" for command in COMMANDS)]
    commands, *each = complete(lines, MADE, tmp_path)
    assert commands >= set(COMMANDS)
    for parser, found in zip(COMMANDS.values(), each, strict=True):
        shown = [action for action in parser.arguments if action.help != argparse.SUPPRESS]
        options = {option for action in shown for option in action.option_strings}
        assert found >= options - {"-h"}, parser.prog


@pytest.mark.parametrize("complete", SHELLS)
def test_games_files_and_choices(complete: Complete, tmp_path: Path) -> None:
    (tmp_path / "evening.scn").touch()
    lines = ["shutthebox odds ", "shutthebox replay eve", "shutthebox odds pub --objective s"]
    games = {profile.name for profile in builtins()}
    assert complete(lines, MADE, tmp_path) == [games, {"evening.scn"}, {"score", "shut"}]
