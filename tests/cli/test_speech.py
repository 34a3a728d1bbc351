"""The command `speech`, step by step in one thread: what it reads, prints, and gives to the voice."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.speech.test_said_file import published

from shutthebox.cli.main import command_line
from shutthebox.cli.speech import run
from shutthebox.speech.words import Announcement


class Steps(threading.Event):
    """Ends when its steps are done; each is done while the command waits."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        super().__init__()
        self._steps = list(steps)

    def wait(self, timeout: float | None = None) -> bool:
        if not self._steps:
            return True
        self._steps.pop(0)()
        return False


class Voice:
    """Notes what the command does with it."""

    notes: list[object]

    def __init__(self, volume: int) -> None:
        Voice.notes = [volume]

    def say(self, announcement: Announcement) -> None:
        self.notes.append(announcement.text)

    def go_on(self) -> None:
        self.notes.append("go on")

    def fall_silent(self) -> None:
        self.notes.append("silence")


def speak(steps: Steps, *words: str | Path) -> int:
    parser, _ = command_line(["speech"])
    return run(parser.parse_args(["speech", *map(str, words)]), steps)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[speech]\nvolume = 70\n[store]\nfolder = "{tmp_path}"\n')
    return file


def test_what_is_said_is_printed_a_line_each(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = Steps(
        lambda: published(tmp_path, "One.", "Two."),
        lambda: None,
        lambda: published(tmp_path, "One.", "Two.", "Three."),
    )
    assert speak(steps, "--config", config, "--print") == 0
    said = capsys.readouterr()
    assert said.out == "One.\nTwo.\nThree.\n"
    assert said.err == f"Listening to {tmp_path}/said.json  (Ctrl-C ends)\n"


def test_ctrl_c_ends_it_in_silence(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutthebox.speech.voice.Voice", Voice)

    def ctrl_c() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        speak(Steps(ctrl_c), "--config", config)
    assert Voice.notes == [70, "silence"]
