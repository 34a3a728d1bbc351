"""The file between the daemon and the voice."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.announcements import published
from tests.support.box import S
from tests.support.machine import Table, settings_for

from shutthebox.speech.sentences import Announcement, Announcer
from shutthebox.speech.speech_file import FILE_NAME, SpeechFileReader, SpeechFileWriter


def heard(reader: SpeechFileReader) -> list[str]:
    return [announcement.text for announcement in reader.new()]


def said(table: Table, announcer: Announcer) -> list[Announcement]:
    """What is said of all that a table has done since the last time."""
    found = [announcement for effect in table.effects if (announcement := announcer.take(effect))]
    table.effects.clear()
    return found


def evening(table: Table, writer: SpeechFileWriter) -> None:
    """All that a table has done until now."""
    for effect in table.effects:
        writer(effect, 0)
    table.effects.clear()


def test_what_is_said_is_heard_once_and_in_order(tmp_path: Path) -> None:
    reader, writer = SpeechFileReader(tmp_path), SpeechFileWriter(tmp_path)
    table = Table(settings_for("traditional"))
    table.press()
    evening(table, writer)
    assert heard(reader)[-1] == "Player 1. Press to throw."
    table.throw(3, 5)
    table.flip(3)
    evening(table, writer)
    assert heard(reader) == ["Player 1. Thrown: 3 and 5, which is 8. These fit: 1 to 8. Make 8.", "5 to go."]
    assert heard(reader) == []


def test_a_clock_does_not_drown_the_throw() -> None:
    table = Table(settings_for("traditional", turn_seconds=20))
    table.press()
    table.throw(3, 5)
    table.wait(30 * S)
    *_, thrown, ten, five, over = said(table, Announcer())
    assert thrown.text == "Player 1. 20 seconds. Thrown: 3 and 5, which is 8. These fit: 1 to 8. Make 8."
    assert [(left.text, left.waits) for left in (ten, five)] == [("10 seconds.", True), ("5 seconds.", True)]
    assert over.text == "Time's up. Score: 45. Press: go on."


def test_what_was_said_before_one_listens_is_over(tmp_path: Path) -> None:
    published(tmp_path, "long ago")
    reader = SpeechFileReader(tmp_path)
    assert heard(reader) == []
    published(tmp_path, "long ago", "now")
    assert heard(reader) == ["now"]


def test_a_box_that_starts_again_is_heard_from_its_beginning(tmp_path: Path) -> None:
    reader = SpeechFileReader(tmp_path)
    published(tmp_path, "one", "two", "three")
    assert heard(reader) == ["one", "two", "three"]
    published(tmp_path, "anew", started=2)
    assert heard(reader) == ["anew"]


GOOD = {"number": 5, "text": "good", "language": "en", "waits": False}


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (b"", []),
        (b"[" * 100_000, []),
        (b'{"version": 99, "started": 1, "said": []}', []),
        (json.dumps({"version": 1, "started": 1, "said": [GOOD]}).encode(), ["good"]),
        (json.dumps({"version": 1, "started": 1, "said": [{}, 1, {"number": "x"}, GOOD]}).encode(), ["good"]),
        (json.dumps({"version": 1, "started": 1, "said": [{**GOOD, "number": 1e400}]}).encode(), []),
        (json.dumps({"version": 1, "started": 1, "said": [{**GOOD, "language": "-w"}]}).encode(), []),
        (b" " * 70_000, []),
    ],
)
def test_fail__whatever_else_is_in_the_file(content: bytes, texts: Sequence[str], tmp_path: Path) -> None:
    reader = SpeechFileReader(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(content)
    assert heard(reader) == texts


def test_fail__a_link_is_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    published(other, "secret")
    reader = SpeechFileReader(tmp_path)
    (tmp_path / FILE_NAME).symlink_to(other / FILE_NAME)
    assert heard(reader) == []


def test_a_folder_that_is_gone_does_not_stop_the_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = SpeechFileWriter(tmp_path / "gone")
    table = Table()
    table.press()
    evening(table, writer)
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path / 'gone' / FILE_NAME}: No such file or directory; the voice isn't told"
    ]


# -- what is said --------------------------------------------------------------------------------


def texts(table: Table, announcer: Announcer) -> list[str]:
    return [announcement.text for announcement in said(table, announcer)]


def test_the_same_throw_twice_is_said_twice() -> None:
    table, announcer = Table(), Announcer()
    table.press()
    table.throw(1, 2)
    table.flip(3)
    texts(table, announcer)
    table.dice.throws.append((1, 2))
    table.press()
    table.wait(2_000_000_000)
    assert texts(table, announcer)[-1].startswith("Thrown: 1 and 2, which is 3.")


def test_a_sleeping_box_is_silent_and_says_all_when_it_wakes() -> None:
    table, announcer = Table(), Announcer()
    first = texts(table, announcer)
    assert len(first) == 1
    table.wait(3600 * 1_000_000_000)
    assert texts(table, announcer) == []
    table.press()
    assert texts(table, announcer) == first
