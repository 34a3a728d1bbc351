"""The link of scenarios tells boxes what the real helpers tell them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.mortal_link import MortalLink
from tests.support.virtual_broker import HelperLink

from shutthebox.link.messages import Decline, Levers
from shutthebox.link.requests import (
    PAIRING_S,
    EnterRoom,
    Leave,
    LinkReport,
    LinkRequest,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Rejoin,
    RoomOpened,
    Send,
)
from shutthebox.simulator.virtual_time import VirtualTime

S = 1_000_000_000


class Boxes:
    """Two boxes, and what lasts of what they are told: all but where the other one was in between.

    Attributes:
        news: after each wait, by box: what it was told, and where the other one is as far as it knows.
    """

    def __init__(self, make: Callable[[Callable[[], int]], MortalLink | HelperLink]) -> None:
        self.time = VirtualTime()
        self.link = make(lambda: self.time.now_ns)
        self.time.add(self.link)
        self._told: tuple[list[LinkReport], list[LinkReport]] = ([], [])
        self._peers = [Peer.OFFLINE, Peer.OFFLINE]
        self.news: list[tuple[list[LinkReport], Peer]] = []
        self.room, self.session = RoomOpened("", ""), ""
        for box in (0, 1):
            self.link.connect(box, self._told[box].append)
        self.wait()

    def wait(self, seconds: float = 100) -> None:
        """Long enough for a silent line to be noticed, and not for a room to be closed."""
        self.time.run_until(self.time.now_ns + round(seconds * S))
        for box, told in enumerate(self._told):
            lasting = list[LinkReport]()
            for report in told:
                match report:
                    case PeerIs(peer):
                        self._peers[box] = peer
                    case RoomOpened():
                        self.room = report
                        lasting.append(RoomOpened("", ""))
                    case Paired(session=session):
                        self.session = session
                        lasting.append(Paired(""))
                    case _:
                        lasting.append(report)
            told.clear()
            self.news.append((lasting, self._peers[box]))

    def cut_power(self, box: int) -> None:
        self.link.cut_power(box)
        self._peers[box] = Peer.OFFLINE
        self.wait()

    def ask(self, box: int, *requests: LinkRequest) -> None:
        for request in requests:
            self.link.ask(box, request)
        self.wait()

    def pair(self) -> None:
        self.link.ask(0, OpenRoom())
        self.wait(10)
        self.ask(1, EnterRoom(self.room.room, self.room.code))
        for box in (0, 1):
            self.link.ask(box, Rejoin(self.session))
        self.wait()


def talk(boxes: Boxes) -> None:
    boxes.pair()
    boxes.ask(0, *(Send(Levers(number, number)) for number in range(5)))
    boxes.ask(1, Send(Decline(1)), Leave())
    boxes.ask(0, Leave())
    boxes.ask(0, Rejoin(boxes.session))


def guess(boxes: Boxes) -> None:
    boxes.link.ask(0, OpenRoom())
    boxes.wait(10)
    wrong = "".join("9" if digit == "1" else "1" for digit in boxes.room.code)
    boxes.ask(1, EnterRoom(boxes.room.room, wrong))
    boxes.ask(1, EnterRoom(boxes.room.room, boxes.room.code))


def wait_in_vain(boxes: Boxes) -> None:
    boxes.ask(0, OpenRoom())
    boxes.wait(PAIRING_S)


def die(boxes: Boxes) -> None:
    boxes.pair()
    boxes.cut_power(1)
    boxes.ask(1, Rejoin(boxes.session))
    boxes.link.kill_helper(0)
    boxes.wait()
    boxes.ask(0, OpenRoom())
    boxes.ask(0, Rejoin(boxes.session))
    boxes.link.start_helper(0)
    boxes.wait()


def leave_while_the_other_is_away(boxes: Boxes) -> None:
    boxes.pair()
    boxes.link.kill_helper(0)
    boxes.wait()
    boxes.ask(1, Leave())
    boxes.link.start_helper(0)
    boxes.wait()
    boxes.ask(1, Rejoin(boxes.session))


def leave_without_a_helper(boxes: Boxes) -> None:
    boxes.pair()
    boxes.link.kill_helper(1)
    boxes.ask(1, Leave())
    boxes.link.start_helper(1)
    boxes.wait()


@pytest.mark.parametrize(
    "story", [talk, guess, wait_in_vain, die, leave_while_the_other_is_away, leave_without_a_helper]
)
def test_scenarios_have_the_link_that_boxes_have(story: Callable[[Boxes], None], tmp_path: Path) -> None:
    """What is tried in a scenario would not be what players meet."""
    simulated, real = Boxes(lambda now: MortalLink(1, now)), Boxes(lambda now: HelperLink(1, now, tmp_path))
    for boxes in (simulated, real):
        story(boxes)
    assert simulated.news == real.news
