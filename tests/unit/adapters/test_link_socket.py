"""The wire to the link's helper: whatever comes over it, the game hears a report or nothing."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.link import LinkBox

from shutthebox.adapters.helper_socket import MAX_PER_S, REST_S, read_lines
from shutthebox.adapters.link_socket import SOCKET, LinkSocket
from shutthebox.link.messages import Levers, Sync
from shutthebox.link.requests import (
    EnterRoom,
    Leave,
    LinkReport,
    LinkRequest,
    NotPaired,
    OpenRoom,
    Peer,
    PeerIs,
    Received,
    Rejoin,
    Send,
    WhyNotPaired,
)
from shutthebox.link.wire import MAX_LINE, report_to_line, request_from_line

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[LinkBox]:
    box = LinkBox(tmp_path / "link")
    yield box
    box.socket.close()


@contextlib.contextmanager
def helper(box: LinkBox) -> Iterator[socket.socket]:
    """A helper's end of the wire, by hand; the box has heard it."""
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(30)
        wire.connect(str(box.path))
        wire.send(report_to_line(PeerIs(Peer.OFFLINE)))
        box.until(Peer.OFFLINE)
        yield wire


def test_requests_and_reports_get_there(box: LinkBox) -> None:
    with helper(box) as wire, contextlib.closing(read_lines(wire, MAX_LINE)) as lines:
        requests: list[LinkRequest] = [
            OpenRoom(),
            Send(Sync(3, "a" * 64, 1, ("x" * 200,) * 8, "b" * 64)),
            Leave(),
        ]
        for request in requests:
            box.ask(request)
        assert [request_from_line(next(lines)) for _ in requests] == requests
        wire.send(report_to_line(Received(Levers(1, 5))))
        assert box.next(Received).message == Levers(1, 5)


def test_a_helper_that_goes_is_this_box_cut_off(box: LinkBox) -> None:
    for _ in range(2):
        with helper(box):
            pass
        box.until(Peer.OFFLINE)


def test_without_a_helper_nobody_is_met(box: LinkBox) -> None:
    """Players hear so at once, instead of waiting for a program that isn't there."""
    for request in (OpenRoom(), EnterRoom("1234", "5678")):
        assert box.asked(request, NotPaired).why is WhyNotPaired.NO_BROKER


@pytest.mark.parametrize("later", [Rejoin("a" * 32), Leave()], ids=str)
def test_a_match_is_joined_again_or_left_as_soon_as_a_helper_calls(
    later: Rejoin | Leave, box: LinkBox
) -> None:
    box.ask(later)
    box.ask(Send(Levers(1, 5)))
    for _ in range(2):
        with helper(box) as wire, contextlib.closing(read_lines(wire, MAX_LINE)) as lines:
            assert request_from_line(next(lines)) == later
            box.ask(OpenRoom())
            assert request_from_line(next(lines)) == OpenRoom()
            box.ask(later)
        box.until(Peer.OFFLINE)


def test_a_farewell_lost_in_a_dying_wire_is_said_to_the_next_helper_though_a_room_was_asked_for(
    box: LinkBox,
) -> None:
    """The other box waited for a match that nobody played any more."""
    box.ask(Leave())
    box.ask(OpenRoom())
    with helper(box) as wire, contextlib.closing(read_lines(wire, MAX_LINE)) as lines:
        assert request_from_line(next(lines)) == Leave()


@pytest.mark.parametrize("line", [b"{}", b"[", b"[" * 9000, b" " * 60_000, b'["peer-is","x"]', b"\xff"])
def test_a_helper_that_says_something_else_is_not_listened_to(line: bytes, box: LinkBox) -> None:
    # It may hang up before the end of a long line, or on what it didn't read.
    with helper(box) as wire, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        wire.sendall(line + b"\n")
        assert wire.recv(1) == b""
    box.until(Peer.OFFLINE)


@pytest.mark.slow
def test_a_helper_that_does_not_read_delays_nobody_and_gets_whole_lines(box: LinkBox) -> None:
    """Whatever didn't fit is missing as a whole: half a line would have swallowed the next."""
    with helper(box) as wire:
        for _ in range(20_000):
            box.ask(Send(Levers(1, 1)))
        box.socket.close()
        assert {request_from_line(line) for line in read_lines(wire, MAX_LINE)} == {Send(Levers(1, 1))}


def test_helpers_that_keep_calling_are_let_in_at_a_bounded_rate(box: LinkBox) -> None:
    since_s = time.monotonic()
    for _ in range(6):
        with helper(box):
            pass
        box.until(Peer.OFFLINE)
    assert time.monotonic() - since_s >= 5 * REST_S


@pytest.mark.slow
def test_twenty_reports_a_second_get_in_and_the_rest_waits(tmp_path: Path) -> None:
    """Also from a helper that hangs up and calls again after every few."""
    times = list[float]()

    def put(report: LinkReport) -> None:
        if isinstance(report, Received):
            times.append(time.monotonic())

    listener = LinkSocket(tmp_path / "link", put)
    for count in (2 * MAX_PER_S + 1, *[MAX_PER_S // 4] * 5):
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect(str(tmp_path / "link"))
            for _ in range(count):  # the sender waits too, once the socket is full
                wire.send(report_to_line(Received(Levers(1, 1))))
            wire.shutdown(socket.SHUT_WR)
            wire.settimeout(30)
            assert wire.recv(1) == b""
    listener.close()
    assert len(times) == 2 * MAX_PER_S + 1 + 5 * (MAX_PER_S // 4), "none is lost"
    for first, last in zip(times, times[MAX_PER_S + 1 :], strict=False):
        assert last - first >= 0.99


def test_the_folder_decides_who_may_call(box: LinkBox) -> None:
    """The service's folder belongs to a group of two, box and helper. In any other, only the user gets in."""
    assert stat.S_IMODE(box.path.stat().st_mode) == 0o660
    (folder,) = (
        line for line in (PROJECT / "systemd/shutthebox-uplink.tmpfiles").read_text().splitlines()
        if line.split()[1] == str(SOCKET.parent)
    )  # fmt: skip
    assert folder == f"d {SOCKET.parent} 2770 root shutthebox-links -"


@pytest.mark.skipif(os.geteuid() != 0, reason="to be another user, one has to be root")
@pytest.mark.parametrize(("mode", "is_heard"), [(0o755, False), (0o2777, False), (0o2770, True)])
def test_another_user_is_heard_where_the_folder_lets_it_in(mode: int, is_heard: bool, tmp_path: Path) -> None:
    other = 65534
    os.chown(tmp_path, -1, other)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == 0 and not parent.stat().st_mode & stat.S_IXOTH:
            parent.chmod(parent.stat().st_mode | stat.S_IXOTH)
    tmp_path.chmod(mode)
    box = LinkBox(tmp_path / "link")
    if not mode & stat.S_ISGID:
        box.path.chmod(0o666)
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(other)
            os.setuid(other)
            with socket.socket(socket.AF_UNIX) as wire:
                wire.settimeout(30)
                wire.connect(str(tmp_path / "link"))
                wire.send(report_to_line(PeerIs(Peer.HERE)))
                os._exit(0 if wire.recv(100) else 1)
        except OSError:
            os._exit(2)
        finally:
            os._exit(3)
    if is_heard:
        box.until(Peer.HERE)
        box.ask(OpenRoom())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    box.socket.close()
    assert (code == 0) is is_heard
    assert is_heard or box.reports.empty(), "heard, though it isn't let in"
