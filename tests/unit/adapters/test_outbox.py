"""The outbox: every match that ends is an entry, durable before the winner is shown, in one chain."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.support.box import config_with
from tests.support.clumsy_player import CAREFUL, Player
from tests.support.kept import keep_match
from tests.support.linked import linked_record

from shutthebox.adapters import outbox as outboxes
from shutthebox.adapters.outbox import HEAD_NAME, Outbox, entry_name
from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Finished, PlayersLeft, Signed
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.outbox_entry import (
    MAX_BYTES,
    NO_HASH,
    MatchPlayed,
    OutboxEntry,
    PlayerSigned,
    entry_from_bytes,
    hash_of,
)
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.match import begin
from shutthebox.rules.record import parse
from shutthebox.simulator.virtual_box import VirtualBox


class Pub:
    def __init__(self, folder: Path, seed: int = 1) -> None:
        self.state, self.folder = folder / "state", folder / "outbox"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.clock_s = 1_700_000_000.0
        self.left_when_shown: list[int] = []
        self.player = Player(Random(seed), CAREFUL)
        self.outbox = self.new_outbox()
        self.box = VirtualBox(
            config_with(game__profile="traditional", game__players=2),
            self.state,
            seed=seed,
            observers=[self.player.observe, self._observe],
            advised=False,
        )
        self.player.sit_down(self.box)

    def new_outbox(self) -> Outbox:
        return Outbox(
            self.folder, self.state, partial(open_to_read, self.state / STORE_FILE), lambda: self.clock_s
        )

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        self.outbox(what, t_ns)
        if isinstance(what, Show) and what.mode is Mode.MATCH_OVER:
            self.left_when_shown.append(len(self.files()))

    def cut_power(self) -> None:
        """The daemon starts again, and its outbox with it."""
        self.outbox = self.new_outbox()
        self.box.cut_power()

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def entries(self) -> list[OutboxEntry]:
        return [entry_from_bytes(path.read_bytes()) for path in self.files()]


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    pub = Pub(tmp_path)
    yield pub
    pub.box.close()


def is_a_chain(entries: list[OutboxEntry]) -> bool:
    pairs = pairwise(entries)
    return all(
        after.box == before.box
        and after.sequence == before.sequence + 1
        and after.previous == hash_of(before.to_bytes())
        for before, after in pairs
    )


def test_every_match_is_left_before_its_winner_is_shown(pub: Pub) -> None:
    for _ in range(3):
        pub.player.play_match()
    entries = pub.entries()
    assert [entry.sequence for entry in entries] == [1, 2, 3]
    assert entries[0].previous == NO_HASH
    assert is_a_chain(entries)
    assert sorted(set(pub.left_when_shown)) == [1, 2, 3]
    for entry in entries:
        assert isinstance(entry.content, MatchPlayed)
        record = parse(entry.content.record, "the entry", builtin)
        assert record.players == 2
        assert not record.given_up
        assert entry.content.ended_s == 1_700_000_000
    names = [path.name for path in pub.files()]
    assert names[0] == f"0000000000000001-{entries[0].box}.json", "names are in the order of the entries"
    assert all(path.stat().st_mode & 0o777 == 0o640 for path in pub.files()), "the uplink is of the group"


def test_a_signature_names_its_match(pub: Pub) -> None:
    pub.player.play_match()
    pub.outbox(Keep(Signed(1, "ANN")), 0)
    match, signed = pub.entries()
    assert isinstance(match.content, MatchPlayed)
    assert signed.content == PlayerSigned(match.content.number, match.content.began_s, 1, 2, "ANN")
    assert is_a_chain([match, signed])


def test_a_power_cut_after_the_end_leaves_no_match_twice(pub: Pub) -> None:
    pub.player.play_match()
    pub.cut_power()
    assert [entry.sequence for entry in pub.entries()] == [1]
    pub.outbox(Keep(Signed(0, "BOB")), 0)
    pub.cut_power()
    pub.player.play_match()
    assert [type(entry.content) for entry in pub.entries()] == [MatchPlayed, PlayerSigned, MatchPlayed]
    assert is_a_chain(pub.entries())


def test_a_power_cut_between_store_and_outbox_is_made_good(pub: Pub) -> None:
    """The store has the end of the match and the outbox has not heard of it."""
    deaf = pub.outbox
    pub.outbox = Outbox(pub.folder / "nowhere", pub.state / "nowhere", deaf._open_store, lambda: 0.0)
    pub.player.play_match()
    assert pub.entries() == []
    pub.cut_power()
    assert [entry.sequence for entry in pub.entries()] == [1]


JOURNAL = "ab" * 16


def unsent(pub: Pub, sequence: int, size: int, age_s: int = 0) -> Path:
    """An entry that nobody has sent yet; only its size matters, and its age."""
    path = pub.folder / entry_name(sequence, JOURNAL)
    path.touch()
    os.truncate(path, size)
    os.utime(path, (pub.clock_s - age_s,) * 2)
    return path


def sign_until_room_is_made(pub: Pub) -> None:
    """Every 64th entry makes room; those before leave none of their own behind."""
    before = set(pub.files())
    for _ in range(64):
        pub.outbox(Keep(Signed(0, "BOB")), 0)
        for path in set(pub.files()) - before:
            path.unlink()


CLUSTER = 4096
MOST = 64 * 1024 * 1024 - MAX_BYTES
"""The entries together are at most so long, so that there is always room for another."""


@pytest.mark.slow
def test_the_oldest_entries_go_when_they_are_too_many_bytes(
    pub: Pub, caplog: pytest.LogCaptureFixture
) -> None:
    """A file takes whole clusters of the card."""
    pub.player.play_match()
    for sizes, kept in (
        ([CLUSTER, MOST - 2 * CLUSTER, CLUSTER], 3),
        ([CLUSTER, MOST - CLUSTER, CLUSTER], 2),
        ([1, MOST - 3 * CLUSTER + 1, CLUSTER + 1], 2),
        ([1, 1, MOST + 1], 0),
    ):
        for path in pub.files():
            path.unlink()
        paths = [unsent(pub, sequence, size) for sequence, size in enumerate(sizes, 1)]
        caplog.clear()
        sign_until_room_is_made(pub)
        assert [path.exists() for path in paths] == [False] * (3 - kept) + [True] * kept
        assert caplog.messages == [
            f"outbox: full; dropped {path.name} unsent" for path in reversed(paths[: 3 - kept])
        ]


def test_a_clock_that_jumps_costs_no_entry(pub: Pub) -> None:
    pub.player.play_match()
    old = unsent(pub, 1, 1, age_s=3000 * 24 * 3600)
    sign_until_room_is_made(pub)
    assert old.exists()


def test_a_match_that_is_too_long_for_the_league_is_left_out(
    pub: Pub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pub.player.play_match()
    length = len(pub.files()[0].read_bytes())
    monkeypatch.setattr(outboxes, "MAX_BYTES", length // 2)
    pub.player.play_match()
    assert [entry.sequence for entry in pub.entries()] == [1]
    (message,) = caplog.messages
    assert message.startswith("outbox: a match of ")
    assert message.endswith(" bytes is too long for the league; leaving it out")
    monkeypatch.undo()
    pub.player.play_match()
    assert [entry.sequence for entry in pub.entries()] == [1, 2]
    assert is_a_chain(pub.entries())


def test_a_match_on_two_linked_boxes_is_not_for_a_league(tmp_path: Path) -> None:
    """It would come from both, and nobody at one box can sign for the other's player."""
    played, folder = linked_record(), tmp_path / "outbox"
    folder.mkdir()
    outbox = Outbox(folder, tmp_path, partial(open_to_read, tmp_path / STORE_FILE), lambda: 1e9)
    for conditions, kinds in ((played.conditions, []), (Conditions(), [MatchPlayed, PlayerSigned])):
        with closing(Store(tmp_path, lambda: 1e9)) as store:
            match = keep_match(store, played.beginning, *played.actions, conditions=conditions)
        for fact in (Finished(match), Signed(0, "ANN"), PlayersLeft()):
            outbox(Keep(fact), 0)
        entries = [entry_from_bytes(path.read_bytes()) for path in sorted(folder.glob("*.json"))]
        assert [type(entry.content) for entry in entries] == kinds


@pytest.mark.parametrize("spoilt", ["damaged", "a link"])
def test_a_damaged_head_begins_a_new_chain(spoilt: str, pub: Pub, caplog: pytest.LogCaptureFixture) -> None:
    pub.player.play_match()
    head = pub.state / HEAD_NAME
    if spoilt == "damaged":
        head.write_bytes(b"{}\n")
    else:
        head.rename(pub.state / "elsewhere")
        head.symlink_to("elsewhere")
    pub.cut_power()
    pub.player.play_match()
    entries = pub.entries()
    assert len({entry.box for entry in entries}) == 2, "the entry of the chain before is still there"
    assert [(entry.sequence, entry.previous) for entry in entries].count((1, NO_HASH)) == 2
    (message,) = caplog.messages
    assert message.startswith(f"{head}: ")
    assert message.endswith("; the league gets a new chain")


@pytest.mark.parametrize("lacking", ["outbox", "head"])
def test_a_match_whose_entry_cannot_be_written_is_not_lost_when_the_next_begins(
    lacking: str, pub: Pub
) -> None:
    head = pub.state / HEAD_NAME
    pub.folder.rmdir() if lacking == "outbox" else head.mkdir()
    for _ in range(2):
        pub.player.play_match()
    pub.folder.mkdir() if lacking == "outbox" else head.rmdir()
    pub.outbox(Keep(Signed(0, "ANN")), 0)
    first, second, signed = pub.entries()
    assert is_a_chain([first, second, signed])
    assert isinstance(first.content, MatchPlayed)
    assert isinstance(second.content, MatchPlayed)
    assert (first.content.number, second.content.number) == (1, 2)
    assert first.content.record != second.content.record
    assert isinstance(signed.content, PlayerSigned)
    assert (signed.content.number, signed.content.sequence_of_match) == (2, 2)


def test_a_match_that_is_not_in_the_store_yet_is_awaited(pub: Pub, caplog: pytest.LogCaptureFixture) -> None:
    pub.player.play_match()
    ended = Finished(begin(builtin("traditional"), 2))
    deaf: Callable[..., None] = pub.outbox
    pub.box.press(100_000_000)
    pub.box.run_until(pub.box.now_ns + 2_000_000_000)  # the next match has begun, and is not over
    deaf(Keep(ended), 0)
    assert "not in the store yet" in caplog.text
    assert [entry.sequence for entry in pub.entries()] == [1]
    pub.player.play_match()
    assert [entry.sequence for entry in pub.entries()] == [1, 2]
