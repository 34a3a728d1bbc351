"""Completion, tried in the real shells: every command and every option of the parser, games and files."""

import argparse
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shtab

from doctools import completions
from shutthebox.cli.main import command_line
from shutthebox.config.profiles import builtins

_, COMMANDS = command_line()


def bash(line: str, made: Path, folder: Path) -> set[str]:
    script = f"""
        source {made}/shutthebox.bash
        read -ra COMP_WORDS <<< "$1"
        [ "${{1: -1}}" != " " ] || COMP_WORDS+=("")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _shtab_shutthebox shutthebox "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return shell(["bash", "--norc", "-c", script, "bash", line], folder)


def fish(line: str, made: Path, folder: Path) -> set[str]:
    script = f"source {made}/shutthebox.fish; complete -C $argv[1]"
    return {found.partition("\t")[0] for found in shell(["fish", "--no-config", "-c", script, line], folder)}


def zsh(line: str, made: Path, folder: Path) -> set[str]:
    """Types the line and a Tab in an interactive zsh; what it offers is written between marks."""
    script = f"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PS1=; fpath=({made} $fpath); autoload -Uz compinit; compinit -u -D'
        zpty -w shell 'LISTMAX=1000; setopt no_always_last_prompt no_beep; zstyle ":completion:*" verbose no'
        zpty -w shell 'compadd() {{ builtin compadd "$@"; local -a found; builtin compadd -O found "$@";'\\
        ' print -rl -- $found >> {folder}/found }}; tell() {{ print -r over >> {folder}/found }}'
        zpty -w shell 'zle -N tell; bindkey "^X" tell; touch {folder}/ready'
        until [ -e {folder}/ready ]; do sleep 0.02; done
        zpty -w -n shell "$1"$'\\t'$'\\x18'
        until grep -q over {folder}/found 2>/dev/null; do zpty -r -t shell > /dev/null || sleep 0.02; done
    """
    shell(["zsh", "-f", "-c", script, "zsh", line], folder)
    return set((folder / "found").read_text().splitlines()) - {"over"}


def shell(command: list[str], folder: Path) -> set[str]:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


def _shells() -> Iterator[object]:
    for complete in (bash, zsh, fish):
        name = complete.__name__
        missing = shutil.which(name) is None
        marks = [pytest.mark.skipif(missing, reason=f"no {name} here")]
        # A pseudo-terminal takes most of a second.
        slow = [pytest.mark.slow] if complete is zsh else []
        yield pytest.param(complete, id=name, marks=[*marks, *slow])


SHELLS = list(_shells())
Complete = Callable[[str, Path, Path], set[str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not hasattr(shtab, "cmd"):
        pytest.skip("NOT TESTED: completion, because this shtab has no cmd, as Debian's")
    folder = tmp_path_factory.mktemp("completions")
    completions.write(folder)
    return folder


@pytest.mark.parametrize("complete", SHELLS)
def test_commands(complete: Complete, made: Path, tmp_path: Path) -> None:
    assert complete("shutthebox ", made, tmp_path) >= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("complete", SHELLS)
def test_options(complete: Complete, command: str, made: Path, tmp_path: Path) -> None:
    shown = [action for action in COMMANDS[command].arguments if action.help != argparse.SUPPRESS]
    options = {option for action in shown for option in action.option_strings}
    assert complete(f"shutthebox {command} --", made, tmp_path) >= options - {"-h"}


@pytest.mark.parametrize("complete", SHELLS)
def test_games(complete: Complete, made: Path, tmp_path: Path) -> None:
    expected = {profile.name for profile in builtins() if profile.name.startswith("tr")}
    assert complete("shutthebox odds tr", made, tmp_path) == expected


@pytest.mark.parametrize("complete", SHELLS)
def test_files_and_choices(complete: Complete, made: Path, tmp_path: Path) -> None:
    (tmp_path / "evening.scn").touch()
    assert complete("shutthebox replay eve", made, tmp_path) == {"evening.scn"}
    (tmp_path / "found").unlink(missing_ok=True)
    (tmp_path / "ready").unlink(missing_ok=True)
    assert complete("shutthebox odds pub --objective s", made, tmp_path) == {"score", "shut"}
