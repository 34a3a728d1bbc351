"""The command line as a whole: typing mistakes, and the example of every command's help."""

import argparse
import contextlib
import io
import os
import shlex
from pathlib import Path

import pytest

from shutthebox.cli.main import command_line, main
from shutthebox.errors import ShutTheBoxError
from shutthebox.simulator.page.server import PageServer

_, COMMANDS = command_line()


def refused(*words: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stderr(said), pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert said.getvalue().count("\n") == 1
    return said.getvalue().rstrip("\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stat"], "shutthebox: 'stat' is no command; did you mean 'stats'? see shutthebox --help"),
        (["zzz"], "shutthebox: 'zzz' is no command; see shutthebox --help"),
        (["x\ny"], r"shutthebox: 'x\ny' is no command; see shutthebox --help"),
        (["sim", "--lewers", "9"], "shutthebox sim: '--lewers' is no option; did you mean '--levers'? "),
        (["sim", "--lewers=9"], "shutthebox sim: '--lewers=9' is no option; did you mean '--levers'? "),
        (["export", "--jsn"], "shutthebox export: '--jsn' is no option; "),
        (["pins", "x"], "shutthebox pins: 'x' is no argument; see shutthebox pins --help"),
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
        (
            ModuleNotFoundError(name="PIL.Image"),
            1,
            "shutthebox: PIL is not installed: apt install python3-pil, or pip install 'shutthebox[sim]'\n",
        ),
        (
            ModuleNotFoundError(name="h11"),
            1,
            "shutthebox: h11 is not installed: apt install python3-h11, or pip install 'shutthebox[sim]'\n",
        ),
    ],
    ids=["Ctrl-C", "a complaint", "Pillow", "another library"],
)
def test_how_a_command_ends(
    error: BaseException,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ends(args: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr("shutthebox.cli.stats.run_stats", ends)
    assert main(["stats"]) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", said)


def test_a_reader_that_has_seen_enough_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with `shutthebox export | head -1`."""

    def says_much(args: argparse.Namespace) -> int:
        for number in range(10_000):
            print(number, flush=True)
        raise AssertionError("nobody reads that any more")

    monkeypatch.setattr("shutthebox.cli.stats.run_export", says_much)
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w", encoding="utf-8") as out:
        monkeypatch.setattr("sys.stdout", out)
        assert main(["export"]) == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    parser = COMMANDS[command]
    assert parser.description
    assert f"example: {parser.example}" in shown
    assert all(argument.help for argument in parser.arguments)


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_are_understood(command: str) -> None:
    words = shlex.split(COMMANDS[command].example.partition(" > ")[0])
    words = words[words.index("shutthebox") + 1 :]
    assert words[0] == command
    parser, _ = command_line()
    assert parser.parse_args(words).command == command


def test_the_simulated_box_has_the_language_and_the_memory_that_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shutthebox.runtime import daemon

    served = []
    monkeypatch.setattr(PageServer, "__enter__", lambda server: server)
    monkeypatch.setattr(PageServer, "__exit__", lambda server, *error: None)
    monkeypatch.setattr(
        daemon, "serve", lambda config, settings, *args, **kw: served.append((settings, args))
    )
    assert main(["sim", "--language", "fr", "--state", str(tmp_path / "new"), "--port", "0"]) == 0
    settings, args = served[0]
    assert settings.language == "fr"
    assert tmp_path / "new" in args
    assert (tmp_path / "new").is_dir()


@pytest.mark.parametrize(
    ("since", "folder"), [("soon", "shutthebox-x"), ("+1", "shutthebox-x"), ("5", "mine")]
)
def test_fail__a_folder_of_somebody_else_is_no_memory_of_a_recording(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, since: str, folder: str
) -> None:
    (tmp_path / folder).mkdir()
    words = ["--state", str(tmp_path / "state"), "--record", str(tmp_path / "a.scn"), "--port", "0"]
    assert main(["sim", "--no-browser", *words, "--recording-since", since, str(tmp_path / folder)]) == 2
    assert "only a pulled plug" in capsys.readouterr().err
    assert (tmp_path / folder).is_dir()
