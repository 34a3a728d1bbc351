"""The service's messages to systemd, received on a real datagram socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.waiting import HANG_S

from shutthebox.adapters.systemd import Systemd, passed_socket


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """The other end, and the name it goes by in NOTIFY_SOCKET."""
    name = str(tmp_path / "notify") if request.param == "path" else f"@shutthebox-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
        wire.bind("\0" + name[1:] if name.startswith("@") else name)
        wire.settimeout(HANG_S)
        yield wire, name


def test_everything_that_can_be_said(manager: tuple[socket.socket, str]) -> None:
    wire, name = manager
    systemd = Systemd({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "10000000"})
    assert systemd.watchdog_s == 10
    systemd.ready()
    systemd.alive()
    systemd.alive()
    systemd.status("player 2,\n3 to go: à Ann")
    systemd.stopping()
    assert [wire.recv(1000).decode() for _ in range(5)] == [
        "READY=1",
        "WATCHDOG=1",
        "WATCHDOG=1",
        "STATUS=player 2, 3 to go: à Ann",
        "STOPPING=1",
    ]


def test_nothing_is_fed_where_nobody_watches(manager: tuple[socket.socket, str]) -> None:
    wire, name = manager
    systemd = Systemd({"NOTIFY_SOCKET": name})
    assert systemd.watchdog_s is None
    systemd.alive()
    systemd.ready()
    assert wire.recv(1000) == b"READY=1"


@pytest.mark.parametrize(
    "environment",
    [
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "soon"},
        {"WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "1"},
    ],
)
def test_a_watchdog_that_is_not_ours(environment: dict[str, str]) -> None:
    assert Systemd(environment).watchdog_s is None


@pytest.mark.parametrize("name", ["", "relative", "/nonexistent/notify", "@nobody-listens-here"])
def test_without_a_manager_nothing_happens(name: str) -> None:
    systemd = Systemd({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1000000"})
    systemd.ready()
    systemd.alive()
    systemd.status("x")
    systemd.stopping()


def test_a_manager_that_does_not_listen_delays_nobody(manager: tuple[socket.socket, str]) -> None:
    _, name = manager
    systemd = Systemd({"NOTIFY_SOCKET": name})
    for _ in range(5000):
        systemd.status("nobody reads this")


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"LISTEN_FDS": "1"},
        {"LISTEN_PID": str(os.getpid())},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2"},
        {"LISTEN_PID": "1", "LISTEN_FDS": "1"},
    ],
)
def test_a_socket_for_another_process_or_more_than_one_is_none_for_us(environment: dict[str, str]) -> None:
    assert passed_socket(environment) is None
