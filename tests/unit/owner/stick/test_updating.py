"""An update and settings from a stick: checked, asked about, and written whole or not at all."""

from __future__ import annotations

import sys
import threading
from contextlib import nullcontext

import pytest
from tests.support.small_disk import small_disk
from tests.support.stick import FolderVolume, put_program
from tests.support.updates import Card, info

from shutthebox import __version__
from shutthebox.adapters.store.schema import VERSION
from shutthebox.game.stick import StickJob, StickOutcome
from shutthebox.owner import update
from shutthebox.owner.stick import updating
from shutthebox.owner.stick.errors import JobError
from shutthebox.owner.stick.helper import Helper
from shutthebox.owner.update import known_keys


def test_an_update_is_offered_by_its_name_inspected_once_chosen(card: Card) -> None:
    """RAUC is root, and the stick may be anybody's: it sees nothing before the owner's code."""
    (card.stick / "shutthebox-9.9.9rc1.raucb").write_text("good")
    seen = card.seen()
    assert StickJob.UPDATE in seen.offers
    assert (seen.version, seen.checked) == ("9.9.9rc1", False)
    assert not card.asked.exists()
    with card.helped() as box:
        box.seen()
        box.socket.ask(StickJob.UPDATE)  # as no box does
        seen = box.done(StickJob.INSPECT)
        assert (seen.version, seen.checked, seen.earlier) == ("9.9.9", True, False)
        assert (seen.forgets, seen.unknown, seen.outcome) == (False, (), None)
        assert not card.written.exists()
        after = box.done(StickJob.UPDATE)
    assert (after.outcome, after.detail) == (StickOutcome.UPDATE_WRITTEN, "9.9.9")
    assert card.written.read_text() == "good"
    assert not list((card.kept / "card").glob("*.raucb")), "the copy goes"


def test_of_several_updates_the_latest_is_offered_and_written(card: Card) -> None:
    for version in ("9.9.9", "9.8.0", "9.10.0"):
        (card.stick / f"shutthebox-{version}.raucb").write_text(f"good {version}")
    card.describe("9.10.0", store=str(VERSION), config=" ".join(known_keys()))
    with card.helped() as box:
        assert box.seen(lambda stick: StickJob.UPDATE in stick.offers).version == "9.10.0"
        box.done(StickJob.INSPECT)
        assert box.done(StickJob.UPDATE).outcome is StickOutcome.UPDATE_WRITTEN
    assert card.written.read_text() == "good 9.10.0"


@pytest.mark.parametrize(
    "name", ["new.raucb", "shutthebox-.raucb", "shutthebox-\u202e1.raucb", f"shutthebox-{'9' * 99}.raucb"]
)
def test_a_name_without_a_version_is_offered_without_one(name: str, card: Card) -> None:
    (card.stick / name).write_text("good")
    seen = card.seen()
    assert StickJob.UPDATE in seen.offers
    assert (seen.version, seen.earlier) == ("", False)


@pytest.mark.parametrize(
    ("starts", "stops", "outcome"),
    [
        ("booted", 0, StickOutcome.PULLED_OUT),
        ("inactive", 0, None),
        ("?", 0, StickOutcome.UNSURE),
        ("booted", 1, StickOutcome.UNSURE),
    ],
    ids=["too early", "too late", "nobody knows", "RAUC goes on"],
)
def test_an_update_whose_stick_is_pulled_out_is_given_up_unless_it_was_done(
    starts: str, stops: int, outcome: StickOutcome | None, card: Card
) -> None:
    (card.stick / "good.raucb").write_text("good")
    stopped = card.folder / "stopped"
    put_program(card.folder / "systemctl", f'echo "$*" >{stopped}; exit {stops}')
    slots = f'[{{"system.0": {{"state": "{starts}"}}}}, {{"system.1": {{"state": "other"}}}}]'
    status = f'{{"boot_primary": "system.{"x" if starts == "?" else 0}", "slots": {slots}}}'
    put_program(
        card.folder / "rauc",
        f"[ $1 != install ] || {{ echo ' 80% Copying'; exec sleep 60; }}\n"
        f"[ $1 != status ] || echo '{status}'\n[ $1 != info ] || echo '{info('9.9.9')}'",
    )

    pulled = threading.Event()

    def progress(percent: int) -> None:
        if percent > 50:
            pulled.set()
        if pulled.is_set():
            raise JobError(StickOutcome.PULLED_OUT)

    with pytest.raises(JobError) if outcome else nullcontext() as given_up:
        updating.write(card.stick / "good.raucb", "9.9.9", progress)
    if given_up is not None:
        assert given_up.value.outcome is outcome
    assert stopped.read_text() == "stop rauc.service\n"
    assert not list((card.kept / "card").glob("*.raucb")), "the copy goes"


def test_what_an_earlier_version_cannot_take_along_is_said_before(card: Card) -> None:
    card.describe("0.0.1", store=str(VERSION - 1), config=" ".join(known_keys() - {"game.players"}))
    (card.stick / "shutthebox-0.0.1.raucb").write_text("good")
    (card.kept / "etc").mkdir()
    (card.kept / "etc/config.toml").write_text("[game]\nplayers = 3\n")
    assert card.seen().earlier, "by its name already"
    seen = card.done(StickJob.INSPECT)
    assert (seen.version, seen.earlier) == ("0.0.1", True)
    assert (seen.forgets, seen.unknown) == (True, ("game.players",))


def test_a_name_that_says_another_version_deceives_nobody(card: Card) -> None:
    card.describe("0.0.1")
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    assert not card.seen().earlier
    assert card.done(StickJob.INSPECT).earlier


def test_another_makers_update_is_one_line(card: Card) -> None:
    (card.stick / "evil.raucb").write_text("bad")
    seen = card.done(StickJob.INSPECT)
    assert seen.outcome is StickOutcome.BAD_UPDATE
    assert seen.detail == "evil.raucb: signature verification failed"
    assert not seen.checked


def test_an_update_that_is_never_done_with_being_read_is_given_up(
    card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stick can stop to answer, or be made so."""
    monkeypatch.setattr(update, "INSPECTION_S", 0.1)
    put_program(card.folder / "rauc", "exec sleep 1000")
    (card.stick / "slow.raucb").write_text("good")
    seen = card.done(StickJob.INSPECT)
    assert (seen.outcome, seen.detail) == (StickOutcome.BAD_UPDATE, "slow.raucb: the check took over 0 s")


def test_an_update_made_to_fill_the_memory_is_given_up(card: Card) -> None:
    """RAUC is stopped, not the helper, and not the box beside it."""
    fills = f"exec '{sys.executable}' -c 'bytearray(256 << 20)'"
    put_program(card.folder / "rauc", fills)
    (card.stick / "large.raucb").write_text("good")
    seen = card.done(StickJob.INSPECT)
    assert (seen.outcome, seen.detail) == (StickOutcome.BAD_UPDATE, "large.raucb: MemoryError")


def test_this_version_is_not_offered_again(card: Card) -> None:
    card.describe(__version__)
    (card.stick / f"shutthebox-{__version__}.raucb").write_text("good")
    assert StickJob.UPDATE not in card.seen().offers
    (card.stick / f"shutthebox-{__version__}.raucb").rename(card.stick / "new.raucb")
    seen = card.done(StickJob.INSPECT)
    assert (seen.outcome, seen.detail) == (StickOutcome.SAME_VERSION, __version__)
    assert StickJob.UPDATE not in seen.offers
    here = FolderVolume(card.stick), card.folder / "wire", card.folder / "state", "en"
    Helper(*here, kept=card.kept, is_card=True).serve()  # comes to an end: on the card it lies there for good


def test_a_stick_that_shows_another_file_the_second_time_is_caught(card: Card) -> None:
    file = card.stick / "shutthebox-9.9.9.raucb"
    file.write_text("good")
    with card.helped() as box:
        box.done(StickJob.INSPECT)
        card.describe("0.0.1")
        box.socket.ask(StickJob.UPDATE)
        assert box.seen(lambda stick: stick.outcome is not None).outcome is StickOutcome.BAD_UPDATE
    assert not card.written.exists()


def test_a_card_that_takes_no_update_says_why(card: Card) -> None:
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    card.worn_out.touch()
    after = card.done(StickJob.UPDATE)
    assert (after.outcome, after.detail) == (StickOutcome.UPDATE_FAILED, "the slot is worn out")


@pytest.mark.parametrize(
    ("room", "outcome"), [("64m", StickOutcome.NO_ROOM), ("65m", StickOutcome.UPDATE_WRITTEN)]
)
def test_an_update_leaves_a_card_room_for_the_memory_and_keeps_no_half(
    room: str, outcome: StickOutcome, card: Card
) -> None:
    (card.stick / "shutthebox-9.9.9.raucb").write_text("good")
    (card.kept / "card").rmdir()
    with small_disk(card.kept / "card", room) as folder:
        assert card.done(StickJob.UPDATE).outcome is outcome
        assert not list(folder.iterdir())


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
