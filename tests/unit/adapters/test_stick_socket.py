"""The wire to the stick's helper: whatever comes over it, the game hears a stick or nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.stick import Box, wire

from shutthebox.adapters.stick_socket import MAX_LINE, RESTART, SOCKET, from_line, to_line
from shutthebox.game.stick import Stick, StickJob, StickOutcome

PROJECT = Path(__file__).resolve().parents[3]

texts = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40)
sticks = st.builds(
    Stick,
    offers=st.lists(st.sampled_from([job for job in StickJob if job.is_offered]), max_size=5).map(tuple),
    version=texts,
    checked=st.booleans(),
    earlier=st.booleans(),
    forgets=st.booleans(),
    unknown=st.lists(texts, max_size=5).map(tuple),
    memory=texts,
    mistakes=st.lists(texts, max_size=5).map(tuple),
    is_card=st.booleans(),
    is_out=st.just(False),  # the game's own
    doing=st.none() | st.sampled_from(StickJob),
    percent=st.none() | st.integers(0, 100),
    outcome=st.none() | st.sampled_from(StickOutcome),
    detail=texts,
)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path / "stick")
    yield box
    box.socket.close()


@given(sticks)
def test_a_stick_comes_over_as_it_is(stick: Stick) -> None:
    assert from_line(to_line(stick)) == stick


@given(st.text(max_size=2000))
@example("\N{DOMINO TILE HORIZONTAL-05-02}" * 2000)
@example("\udcff" * 2000)
def test_names_of_files_are_one_harmless_line(name: str) -> None:
    stick = from_line(to_line(Stick(memory=name, unknown=(name,) * 100, mistakes=(name,) * 100, detail=name)))
    for text in (stick.memory, stick.detail, *stick.mistakes):
        assert text.isprintable()
    assert len(to_line(stick)) < MAX_LINE


@pytest.mark.parametrize(
    "line",
    [b"{}x", b"[]", b'{"percent": 101}', b'{"percent": true}', b'{"offers": ["fly"]}',
     b'{"offers": ["inspect"]}', b'{"detail": 3}', b'{"mistakes": [1]}', b"[" * 5000, b"\xff\xfe"],
)  # fmt: skip
def test_a_helper_that_says_something_else_is_not_listened_to(line: bytes, box: Box) -> None:
    with wire(box.path) as helper:
        helper.sendall(line + b"\n")
        assert helper.recv(1) == b""
    assert box.reports.get(timeout=60).stick is None


def test_a_line_without_end_is_not_kept(box: Box) -> None:
    with wire(box.path) as helper:
        try:
            for _ in range(64):
                helper.sendall(b" " * MAX_LINE)
        except OSError:
            return
        assert helper.recv(1) == b""


def test_a_job_is_asked_by_name(box: Box) -> None:
    with wire(box.path) as helper:
        helper.sendall(to_line(Stick(offers=(StickJob.SAVE,))))
        box.seen()
        box.socket.ask(StickJob.SAVE)
        assert helper.recv(100) == b"save\n"
    assert box.until(lambda stick: stick is None) is None


def test_a_restart_is_asked_of_the_system_with_a_stick_or_without(box: Box) -> None:
    """The unit that restarts a card's machine waits for this file."""
    unit = PROJECT / "packaging/image/root/etc/systemd/system/shutthebox-restart.path"
    assert f"PathExists={SOCKET.with_name(RESTART)}\n" in unit.read_text()
    with wire(box.path) as helper:
        helper.sendall(to_line(Stick(outcome=StickOutcome.SETTINGS_TAKEN)))
        box.seen()
    box.until(lambda stick: stick is None)
    box.socket.ask(StickJob.RESTART)
    assert box.path.with_name(RESTART).exists()


def test_a_helper_that_does_not_read_delays_nobody(box: Box) -> None:
    with wire(box.path) as helper:
        helper.sendall(to_line(Stick()))
        box.seen()
        for _ in range(20_000):
            box.socket.ask(StickJob.SAVE)


def test_helpers_of_many_partitions_are_heard_four_at_a_time(box: Box) -> None:
    with ExitStack() as helpers:
        served = [helpers.enter_context(wire(box.path)) for _ in range(4)]
        for number, helper in enumerate(served):
            helper.sendall(to_line(Stick(memory=f"{number}")))
            assert box.seen(lambda stick: stick.memory != "").memory == f"{number}"
        fifth = helpers.enter_context(wire(box.path))
        fifth.sendall(to_line(Stick(memory="late")))
        served[1].sendall(to_line(Stick(memory="again")))
        assert box.reports.get(timeout=60).stick == Stick(memory="3"), "the fifth waits"
        served[0].close()
        box.seen(lambda stick: stick.memory == "late")


def test_a_stick_comes_before_the_update_on_the_card(box: Box) -> None:
    with wire(box.path) as card:
        card.sendall(to_line(Stick(is_card=True)))
        box.seen(lambda stick: stick.is_card)
        with wire(box.path) as helper:
            helper.sendall(to_line(Stick(memory="here")))
            box.seen(lambda stick: not stick.is_card)
            card.sendall(to_line(Stick(is_card=True, detail="again")))
            box.seen(lambda stick: stick.memory == "here")
        box.seen(lambda stick: stick.is_card)


def test_only_root_and_the_box_itself_may_connect(box: Box) -> None:
    assert stat.S_IMODE(box.path.stat().st_mode) == 0o600


def test_another_user_is_sent_away(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the mode of the socket: the kernel says who is at the other end."""
    if os.geteuid() != 0:
        pytest.skip("to be another user, one has to be root")
    box.path.chmod(0o666)
    box.path.parent.chmod(0o755)
    child = os.fork()
    if child == 0:
        try:
            os.setuid(65534)
            with wire(box.path) as helper:
                helper.sendall(to_line(Stick()))
                os._exit(0 if helper.recv(1) == b"" else 1)
        except OSError:
            os._exit(0)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert box.reports.empty()
