"""Completion, tried in the real shells: every command and every option of the parser, games and files."""

import argparse
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import shtab

from doctools import completions
from shutthebox.cli.main import command_line
from shutthebox.config.profiles import builtins

_, COMMANDS = command_line()


def bash(lines: Sequence[str], made: Path, folder: Path) -> list[set[str]]:
    script = f"""
        source {made}/shutthebox.bash
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
    script = f"source {made}/shutthebox.fish; for line in $argv; complete -C $line; echo over; end"
    return offered(shell(["fish", "--no-config", "-c", script, *lines], folder))


def zsh(lines: Sequence[str], made: Path, folder: Path) -> list[set[str]]:
    """Types each line and a Tab in an interactive zsh, and wipes it; marks end what it offers.

    A widget wipes the line, not ^U: the terminal itself would obey that while the shell is between two
    prompts, and the line would be gone before the shell had read it.
    """
    script = f"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PS1=; fpath=({made} $fpath); autoload -Uz compinit; compinit -u -D'
        zpty -w shell 'LISTMAX=1000; setopt no_always_last_prompt no_beep; zstyle ":completion:*" verbose no'
        zpty -w shell 'compadd() {{ builtin compadd "$@"; local -a found; builtin compadd -O found "$@";'\\
        ' print -rl -- $found >> {folder}/found }}; tell() {{ BUFFER=; print -r over >> {folder}/found }}'
        zpty -w shell 'zle -N tell; bindkey "^T" tell; touch {folder}/ready'
        until [ -e {folder}/ready ]; do zpty -r -t shell > /dev/null || sleep 0.02; done
        integer count=0
        for line; do
            zpty -w -n shell "$line"$'\\t\\x14'
            count+=1
            until [[ $(grep -cx over {folder}/found 2>/dev/null) == $count ]]; do
                zpty -r -t shell > /dev/null || sleep 0.02
            done
        done
    """
    shell(["zsh", "-f", "-c", script, "zsh", *lines], folder)
    return offered((folder / "found").read_text())


def offered(told: str) -> list[set[str]]:
    """The words before each mark, without what fish explains about them."""
    blocks = told.split("over\n")[:-1]
    return [{line.partition("\t")[0] for line in block.splitlines()} for block in blocks]


def shell(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _shells() -> Iterator[object]:
    for complete in (bash, zsh, fish):
        name = complete.__name__
        missing = shutil.which(name) is None
        marks = [pytest.mark.skipif(missing, reason=f"no {name} here")]
        # A pseudo-terminal takes most of a second.
        slow = [pytest.mark.slow] if complete is zsh else []
        yield pytest.param(complete, id=name, marks=[*marks, *slow])


SHELLS = list(_shells())
Complete = Callable[[Sequence[str], Path, Path], list[set[str]]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not hasattr(shtab, "cmd"):
        pytest.skip("NOT TESTED: completion, because this shtab has no cmd, as Debian's")
    folder = tmp_path_factory.mktemp("completions")
    completions.write(folder)
    return folder


@pytest.mark.parametrize("complete", SHELLS)
def test_every_command_and_option(complete: Complete, made: Path, tmp_path: Path) -> None:
    lines = ["shutthebox ", *(f"shutthebox {command} --" for command in COMMANDS)]
    commands, *each = complete(lines, made, tmp_path)
    assert commands >= set(COMMANDS)
    for parser, found in zip(COMMANDS.values(), each, strict=True):
        shown = [action for action in parser.arguments if action.help != argparse.SUPPRESS]
        options = {option for action in shown for option in action.option_strings}
        assert found >= options - {"-h"}, parser.prog


@pytest.mark.parametrize("complete", SHELLS)
def test_games_files_and_choices(complete: Complete, made: Path, tmp_path: Path) -> None:
    (tmp_path / "evening.scn").touch()
    lines = ["shutthebox odds tr", "shutthebox replay eve", "shutthebox odds pub --objective s"]
    games = {profile.name for profile in builtins() if profile.name.startswith("tr")}
    assert complete(lines, made, tmp_path) == [games, {"evening.scn"}, {"score", "shut"}]
