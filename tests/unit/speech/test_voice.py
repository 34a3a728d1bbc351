"""The voice, with the real espeak-ng, which writes its sound to files here."""

import math
import shutil
import struct
import threading
import time
import wave
from pathlib import Path

import pytest
from tests.support.announcements import published
from tests.support.command import refused
from tests.support.fast import fast_among
from tests.support.stick import put_program, put_python_program
from tests.support.waiting import HANG_S, until

from shutthebox.cli.main import command_line
from shutthebox.cli.speech import run
from shutthebox.speech.sentences import Announcement
from shutthebox.speech.voice import PROGRAM, Voice, VoiceError
from shutthebox.translations import finished_codes

REAL = shutil.which(PROGRAM)
needs_espeak = pytest.mark.skipif(REAL is None, reason=f"no {PROGRAM} here: apt install {PROGRAM}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where each announcement leaves its text, its options and its sound, numbered from 1."""
    program = tmp_path / "bin" / PROGRAM
    program.parent.mkdir()
    put_python_program(
        program,
        f"""\
import pathlib, subprocess, sys
folder = pathlib.Path({str(tmp_path)!r})
text = sys.stdin.buffer.read()
number = len(list(folder.glob("*.text"))) + 1
(folder / f"{{number}}.text").write_bytes(text)
if b"for ever" in text:
    import time
    time.sleep(600)
subprocess.run([{REAL!r}, *sys.argv[1:], "-w", folder / f"{{number}}.new"], input=text, check=True)
(folder / f"{{number}}.new").rename(folder / f"{{number}}.wav")
""",
    )
    monkeypatch.setenv("PATH", str(program.parent))
    return tmp_path


def let_it_finish(voice: Voice) -> None:
    def over() -> bool:
        voice.go_on()
        return not voice.speaks

    until(over)


def loudness(path: Path) -> float:
    """The root mean square of the samples, and that there are some."""
    with wave.open(str(path)) as sound:
        frames = sound.readframes(sound.getnframes())
    samples = struct.unpack(f"<{len(frames) // 2}h", frames)
    assert len(samples) > 2000
    return math.sqrt(sum(sample * sample for sample in samples) / len(samples))


@needs_espeak
@pytest.mark.parametrize("language", fast_among(finished_codes(), ["en"]))
def test_every_language_of_the_box_has_a_voice(language: str, folder: Path) -> None:
    voice = Voice(100)
    voice.say(Announcement("1, 2, 3", language))
    let_it_finish(voice)
    assert loudness(folder / "1.wav") > 100


@needs_espeak
def test_what_is_new_cuts_short_what_is_old(folder: Path) -> None:
    voice = Voice(100)
    voice.say(Announcement("for ever", "en"))
    voice.say(Announcement("and ever", "en", waits=True))
    until((folder / "1.text").exists)
    voice.say(Announcement("new", "en"))
    let_it_finish(voice)
    assert (folder / "2.text").read_text() == "new"
    assert not (folder / "3.text").exists()


@needs_espeak
def test_no_text_is_an_option(folder: Path) -> None:
    voice = Voice(100)
    voice.say(Announcement("--help -w /tmp/x $(id)", "en"))
    let_it_finish(voice)
    assert (folder / "1.text").read_text() == "--help -w /tmp/x $(id)"
    assert loudness(folder / "1.wav") > 100


def test_fail__no_espeak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(VoiceError, match="espeak-ng is not installed: apt install espeak-ng") as caught:
        Voice(100)
    assert caught.value.exit_code == 1


def test_espeak_is_told_language_and_volume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_program(tmp_path / PROGRAM, f'echo "$@" $(cat) >> {tmp_path}/told')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    voice = Voice(70)
    assert not voice.speaks
    for announcement in (Announcement("Hallo.", "de"), Announcement("Hello.", "en", waits=True)):
        voice.say(announcement)
        assert voice.speaks
    let_it_finish(voice)
    told = (tmp_path / "told").read_text().splitlines()
    assert told == ["-v de -a 70 --stdin Hallo.", "-v en -a 70 --stdin Hello."]


def test_fail__espeak_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_program(tmp_path / PROGRAM, "exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    voice = Voice(100)
    voice.say(Announcement("x" * 100_000, "en"))
    with pytest.raises(VoiceError, match="espeak-ng ended with 1; is there a sound card"):
        let_it_finish(voice)


# -- the command ---------------------------------------------------------------------------------


def test_the_command_prints_what_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser, _ = command_line(["speech"])
    args = parser.parse_args(["speech", "--print", "--state", str(tmp_path)])
    ended, shown = threading.Event(), ""
    thread = threading.Thread(target=run, args=(args, ended))
    thread.start()
    number = 0
    end = time.monotonic() + HANG_S
    while "Press to throw." not in shown and time.monotonic() < end:
        # What was there before it listens is not said, so it is told until it does.
        number += 1
        published(tmp_path, "Press to throw.", first=number)
        ended.wait(0.1)
        shown += capsys.readouterr().out
    ended.set()
    thread.join(HANG_S)
    assert set(shown.splitlines()) == {"Press to throw."}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--volume", "201"], "speech.volume: 201 is not allowed; use a whole number from 0 to 200"),
        (["--state", "/dev/null/x"], "--state"),
    ],
)
def test_fail__options(words: list[str], said: str) -> None:
    assert said in refused("speech", "--print", *words)
