"""The command line as a whole: typing mistakes, and the example of every command's help."""

import os
import shlex
from pathlib import Path

import pytest
from mock import patch
from tests.support.command import Said, command, printed, refused

from shutthebox.cli.main import command_line, main
from shutthebox.errors import ShutTheBoxError

PARSER, COMMANDS = command_line()
MISSING = "is not installed: apt install python3-{}, or pip install 'shutthebox[sim]'"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stat"], "shutthebox: unknown command 'stat'; did you mean 'stats'? see shutthebox --help"),
        (["zzz"], "shutthebox: unknown command 'zzz'; see shutthebox --help"),
        (["x\ny"], r"shutthebox: unknown command 'x\ny'; see shutthebox --help"),
        (["sim", "--lewers", "9"], "shutthebox sim: unknown option '--lewers'; did you mean '--levers'? "),
        (["sim", "--lewers=9"], "shutthebox sim: unknown option '--lewers=9'; did you mean '--levers'? "),
        (["export", "--jsn"], "shutthebox export: unknown option '--jsn'; "),
        (["pins", "x"], "shutthebox pins: unknown argument 'x'; see shutthebox pins --help"),
        (["odds", "pub", "--objective", "x"], "shutthebox odds: argument --objective: invalid choice: 'x' "),
        (["replay"], "shutthebox replay: the following arguments are required: SCRIPT; see "),
    ],
)
def test_fail__a_slip_of_the_pen(words: list[str], said: str) -> None:
    assert refused(*words).startswith(said)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (ShutTheBoxError("two\nlines"), 2, "shutthebox: two\\nlines\n"),
        (ModuleNotFoundError(name="PIL.Image"), 1, f"shutthebox: PIL {MISSING.format('pil')}\n"),
        (ModuleNotFoundError(name="h11"), 1, f"shutthebox: h11 {MISSING.format('h11')}\n"),
    ],
    ids=["Ctrl-C", "a complaint", "Pillow", "another library"],
)
def test_how_a_command_ends(error: BaseException, code: int, said: str) -> None:
    with patch("shutthebox.cli.stats.run_stats", side_effect=error):
        assert command("stats") == Said(code, "", said)


@pytest.mark.parametrize(
    "command", [["profiles", "golf"], ["profiles", "--json"]], ids=["at the end", "before"]
)
def test_a_reader_that_has_seen_enough_is_no_fault(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `shutthebox profiles --json | head -1`; what's short is only written at the end."""
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w", encoding="utf-8") as out:
        monkeypatch.setattr("sys.stdout", out)
        assert main(command) == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    parser = COMMANDS[name]
    assert parser.description
    assert f"example: {parser.example}" in printed(name, "--help")
    assert all(argument.help for argument in parser.arguments)
    words = shlex.split(parser.example.partition(" > ")[0])
    words = words[words.index("shutthebox") + 1 :]
    assert PARSER.parse_args(words).command == words[0] == name


@pytest.mark.parametrize(
    ("since", "folder"), [("soon", "shutthebox-x"), ("+1", "shutthebox-x"), ("5", "mine")]
)
def test_fail__a_folder_of_somebody_else_is_no_memory_of_a_recording(
    tmp_path: Path, since: str, folder: str
) -> None:
    (tmp_path / folder).mkdir()
    words = ["--state", tmp_path / "state", "--record", tmp_path / "a.scn", "--port", "0"]
    said = refused("sim", "--no-browser", *words, "--recording-since", since, tmp_path / folder)
    assert "only a pulled plug" in said
    assert (tmp_path / folder).is_dir()
