"""Runs in a Debian with our packages: two boxes' ends of the link, the host's with the helper of the unit.

The guest has a helper of its own, with the same configuration.
"""

import subprocess
import tempfile
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from shutthebox.adapters.link_socket import SOCKET, LinkSocket
from shutthebox.link.messages import Levers
from shutthebox.link.requests import (
    EnterRoom,
    LinkReport,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Received,
    Rejoin,
    RoomOpened,
    Send,
)

HANG_S = 120
_Kind = TypeVar("_Kind")


class End:
    """A box's end of the wire to its helper."""

    def __init__(self, path: Path) -> None:
        self._reports: SimpleQueue[LinkReport] = SimpleQueue()
        self.ask = LinkSocket(path, self._reports.put).ask

    def next(self, kind: type[_Kind]) -> _Kind:
        """The next report of this kind."""
        while not isinstance(report := self._reports.get(timeout=HANG_S), kind):
            pass
        return report

    def until(self, peer: Peer) -> None:
        """Waits until the other box is so."""
        while self.next(PeerIs).peer is not peer:
            pass


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        guests = Path(folder) / "socket"
        host, guest = End(SOCKET), End(guests)
        helper = subprocess.Popen(["shutthebox-link", f"--socket={guests}", f"--state={folder}"])
        for end in (host, guest):
            end.until(Peer.OFFLINE)  # its helper has called
        host.ask(OpenRoom())
        room, code = host.next(RoomOpened)
        guest.ask(EnterRoom(room, code))
        session = guest.next(Paired).session
        host.until(Peer.HERE)
        guest.until(Peer.HERE)
        guest.ask(Send(Levers(0, 5)))
        assert host.next(Received).message == Levers(0, 5)
        subprocess.run(["systemctl", "kill", "--signal=KILL", "shutthebox-link"], check=True)
        guest.until(Peer.AWAY)
        host.until(Peer.OFFLINE)  # it's gone
        host.until(Peer.OFFLINE)  # and systemd has started it again
        host.ask(Rejoin(session))
        guest.until(Peer.HERE)
        host.until(Peer.HERE)
        host.ask(Send(Levers(1, 6)))
        assert guest.next(Received).message == Levers(1, 6)
        helper.terminate()


main()
