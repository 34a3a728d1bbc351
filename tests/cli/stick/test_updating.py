"""An update and settings from a stick: checked, asked about, and written whole or not at all."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.cli.test_update import info
from tests.support.stick import Box, FolderVolume, helped, put_program

from shutthebox import __version__
from shutthebox.adapters.store.schema import VERSION
from shutthebox.cli import update
from shutthebox.cli.stick import updating
from shutthebox.cli.update import known_keys
from shutthebox.game.stick import Stick, StickJob, StickOutcome

RAUC = """\
case $1 in
info)
    grep -q good "$3" || { echo "signature verification failed" >&2; exit 1; }
    echo '%s'
    ;;
install)
    [ ! -e %s ] || { echo "LastError: the slot is worn out"; exit 1; }
    cp "$2" %s
    echo "  0%% Installing"; echo " 50%% Copying"; echo "100%% Installing done."
    ;;
esac
"""


class Card:
    """A card's system as far as the helper looks, with a RAUC that finds every file good that says so."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.kept, self.stick = folder, folder / "data", folder / "stick"
        self.worn_out, self.written = folder / "worn-out", folder / "written"
        (self.kept / "card").mkdir(parents=True)
        self.stick.mkdir()
        self.describe("9.9.9", store=str(VERSION), config=" ".join(known_keys()))

    def describe(self, version: str, **meta: str) -> None:
        script = RAUC % (info(version, **meta), self.worn_out, self.written)
        put_program(self.folder / "rauc", script)

    def helped(self, *, is_card: bool = False) -> AbstractContextManager[Box]:
        volume, state = FolderVolume(self.stick), self.folder / "state"
        return helped(volume, state, self.folder, kept=self.kept, is_card=is_card)

    def done(self, job: StickJob) -> Stick:
        with self.helped() as box:
            return box.done(job)

    def seen(self, *, is_card: bool = False) -> Stick:
        with self.helped(is_card=is_card) as box:
            return box.seen()


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Card:
    found = Card(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for module in (update, updating):
        monkeypatch.setattr(module, "FETCHED", found.kept / "card/update.raucb")
    monkeypatch.setattr(update, "BACKUP", found.kept / "card/before-update.sqlite3")
    monkeypatch.setattr(update, "SERVICE_FOLDER", tmp_path / "state")
    monkeypatch.setattr(update, "CONFIG_FILE", found.kept / "etc/config.toml")
    return found


def test_an_update_is_offered_with_its_version_and_written_once_asked(card: Card) -> None:
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    seen = card.seen()
    assert StickJob.UPDATE in seen.offers
    assert (seen.version, seen.forgets, seen.unknown) == ("9.9.9", False, ())
    assert not card.written.exists()
    after = card.done(StickJob.UPDATE)
    assert (after.outcome, after.detail) == (StickOutcome.UPDATE_WRITTEN, "9.9.9")
    assert card.written.read_text() == "good"
    assert not list((card.kept / "card").glob("*.raucb")), "the copy goes"


def test_one_whose_stick_is_pulled_out_while_it_is_written_is_given_up(card: Card) -> None:
    (card.stick / "good.raucb").write_text("good")
    stopped = card.folder / "stopped"
    put_program(card.folder / "systemctl", f'echo "$*" >{stopped}')

    def progress(percent: int) -> None:
        if percent > 50:
            sys.exit()  # as systemd's signal does

    with pytest.raises(SystemExit):
        updating.write(card.stick / "good.raucb", "9.9.9", progress)
    assert stopped.read_text() == "--no-block stop rauc.service\n"
    assert not list((card.kept / "card").glob("*.raucb")), "the copy goes"


def test_what_an_earlier_version_cannot_take_along_is_said_before(card: Card) -> None:
    card.describe("0.0.1", store=str(VERSION - 1), config=" ".join(known_keys() - {"game.players"}))
    (card.stick / "old.raucb").write_text("good")
    (card.kept / "etc").mkdir()
    (card.kept / "etc/config.toml").write_text("[game]\nplayers = 3\n")
    seen = card.seen()
    assert (seen.version, seen.forgets, seen.unknown) == ("0.0.1", True, ("game.players",))


def test_another_makers_update_is_not_offered_and_one_line(card: Card) -> None:
    (card.stick / "evil.raucb").write_text("bad")
    seen = card.seen()
    assert StickJob.UPDATE not in seen.offers
    assert seen.outcome is StickOutcome.BAD_UPDATE
    assert seen.detail == "evil.raucb: signature verification failed"


def test_this_version_is_not_offered_again(card: Card) -> None:
    card.describe(__version__)
    (card.stick / "same.raucb").write_text("good")
    assert StickJob.UPDATE not in card.seen().offers


def test_a_stick_that_shows_another_file_the_second_time_is_caught(
    card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = card.stick / "shutthebox-9.9.9.raucb"
    file.write_text("good")
    monkeypatch.setattr(updating, "keep_memory", lambda: pytest.fail("it got that far"))
    with card.helped() as box:
        box.seen(lambda stick: StickJob.UPDATE in stick.offers)
        card.describe("0.0.1")
        box.socket.ask(StickJob.UPDATE)
        assert box.seen(lambda stick: stick.outcome is not None).outcome is StickOutcome.BAD_UPDATE
    assert not card.written.exists()


def test_a_card_that_takes_no_update_says_why(card: Card) -> None:
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    card.worn_out.touch()
    after = card.done(StickJob.UPDATE)
    assert (after.outcome, after.detail) == (StickOutcome.UPDATE_FAILED, "the slot is worn out")


def test_a_full_card_takes_no_update_and_keeps_no_half(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    monkeypatch.setattr(updating, "most_bytes", lambda file: 2)
    assert card.done(StickJob.UPDATE).outcome is StickOutcome.NO_ROOM
    assert not list((card.kept / "card").iterdir())


def test_the_cards_own_partition_offers_its_update_and_nothing_else(card: Card) -> None:
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    (card.stick / "shutthebox.toml").write_text("")
    seen = card.seen(is_card=True)
    assert seen.offers == (StickJob.UPDATE,)
    assert seen.outcome is None, "nobody wanted to save on it"
    assert seen.is_card


def test_settings_are_taken_all_or_none(card: Card) -> None:
    folder = card.stick / "shutthebox"
    folder.mkdir()
    (folder / "shutthebox.toml").write_text("[game]\nplayers = 3\n")
    (folder / "network.toml").write_text('wifi = "pub"\ncountri = "BE"\n')
    after = card.done(StickJob.SETTINGS)
    assert after.outcome is StickOutcome.BAD_SETTINGS
    assert any("network.toml" in mistake and "countri" in mistake for mistake in after.mistakes), after
    assert not (card.kept / "etc/config.toml").exists()
    (folder / "network.toml").write_text('wifi = "pub"\ncountry = "BE"\n')
    after = card.done(StickJob.SETTINGS)
    assert after.outcome is StickOutcome.SETTINGS_TAKEN
    assert (card.kept / "etc/config.toml").read_text() == "[game]\nplayers = 3\n"
    assert (card.kept / "network/wifi.network").exists()


def test_without_a_card_neither_is_offered(card: Card) -> None:
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    (card.stick / "shutthebox").mkdir()
    card.kept = None  # type: ignore[assignment]
    assert card.seen().offers == (StickJob.SAVE,)


def test_the_machine_restarts_only_where_something_waits_for_it(card: Card) -> None:
    put_program(card.folder / "systemctl", f'echo "$@" >>{card.folder}/restarts')
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    with card.helped() as box:
        box.seen(lambda stick: StickJob.UPDATE in stick.offers)
        box.socket.ask(StickJob.RESTART)
        box.socket.ask(StickJob.UPDATE)
        box.seen(lambda stick: stick.outcome is StickOutcome.UPDATE_WRITTEN)
        assert not (card.folder / "restarts").exists()
        box.socket.ask(StickJob.RESTART)
        box.seen(lambda stick: stick.doing is StickJob.RESTART)
        box.seen(lambda stick: stick.doing is None)
    assert (card.folder / "restarts").read_text() == "--no-block reboot\n"
