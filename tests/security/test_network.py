"""The daemon has no network: it loads none, opens none, and its unit would give it none."""

from collections.abc import Callable

import pytest
from tests.security.ran import Ran

pytestmark = pytest.mark.slow

SERVERS_AND_CLIENTS = {
    "asyncio", "ftplib", "http", "http.client", "http.server", "imaplib", "poplib", "smtplib", "socketserver",
    "ssl", "telnetlib", "urllib.request", "websockets", "wsgiref", "xmlrpc",
}  # fmt: skip


def test_it_opens_no_socket_but_to_systemd_and_for_a_stick(run_box: Callable[..., Ran]) -> None:
    ran = run_box("begin", "throw")
    assert ran.code == 0
    assert ran.throws, "it did play"
    assert ran.messages == ["READY=1", "STOPPING=1"]
    # What the hook saw are the door of a stick's helper and these two messages, so it does see; and it saw
    # nothing else. Both stay within this machine.
    door, message = (
        [["socket.__new__", "1"], [f"socket.{action}", "AF_UNIX"]] for action in ("bind", "sendto")
    )
    assert ran.events == door + message * 2
    assert '"game": "Traditional"' in ran.scores, "it leaves the scoreboard its file"
    assert '"running": {' in ran.scores


def test_it_loads_nothing_that_could(run_box: Callable[..., Ran]) -> None:
    ran = run_box("begin")
    assert {"shutthebox.runtime.daemon", "luma.oled.device", "gpiozero_gpiod"} <= set(ran.modules)
    assert not SERVERS_AND_CLIENTS & set(ran.modules)
    assert not [name for name in ran.modules if name.startswith("shutthebox.scoreboard")]
