"""The simulated link pairs two boxes, and does to their messages what it is told to, from one seed."""

from collections.abc import Callable

import pytest
from tests.support.mortal_link import MortalLink

from shutthebox.link.messages import Decline, Levers
from shutthebox.link.requests import (
    PAIRING_S,
    EnterRoom,
    Leave,
    LinkReport,
    NotPaired,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Received,
    Rejoin,
    RoomOpened,
    Send,
    WhyNotPaired,
)
from shutthebox.simulator.virtual_link import MAX_UNDER_WAY, LinkEnd, VirtualLink
from shutthebox.simulator.virtual_time import VirtualTime

S = 1_000_000_000


class Pair:
    """Two ends and what they were told."""

    def __init__(self, seed: int = 1) -> None:
        self.time = VirtualTime()
        self.link = MortalLink(seed, lambda: self.time.now_ns)
        self.time.add(self.link)
        self.told: tuple[list[LinkReport], list[LinkReport]] = ([], [])
        self.ends = LinkEnd(self.link, 0), LinkEnd(self.link, 1)
        for end, told in zip(self.ends, self.told, strict=True):
            end.connect(told.append)

    def wait(self, seconds: float = 1) -> None:
        self.time.run_until(self.time.now_ns + round(seconds * S))

    def news(self, end: int) -> list[LinkReport]:
        self.wait()
        news, self.told[end][:] = [*self.told[end]], []
        return news

    def open_room(self) -> RoomOpened:
        self.ends[0].ask(OpenRoom())
        (opened,) = self.news(0)
        assert isinstance(opened, RoomOpened)
        return opened

    def pair(self) -> str:
        opened = self.open_room()
        self.ends[1].ask(EnterRoom(opened.room, opened.code))
        (paired, here), others = self.news(0), self.news(1)
        assert isinstance(paired, Paired)
        assert here == PeerIs(Peer.HERE)
        assert others == [paired, here]
        return paired.session


@pytest.fixture
def pair() -> Pair:
    return Pair()


def test_two_boxes_pair_and_talk(pair: Pair) -> None:
    pair.pair()
    pair.ends[0].ask(Send(Levers(3, 5)))
    assert pair.news(1) == [Received(Levers(3, 5))]
    pair.ends[1].ask(Send(Decline(1)))
    pair.ends[1].ask(Leave())
    assert pair.news(0) == [Received(Decline(1)), PeerIs(Peer.LEFT)], (
        "players would read that it's gone, where it has declined"
    )


@pytest.mark.parametrize("cut_off", [0, 1])
def test_a_box_that_comes_back_hears_that_the_other_has_left(cut_off: int, pair: Pair) -> None:
    session = pair.pair()
    pair.ends[0].ask(Rejoin(session))
    pair.link.kill_helper(cut_off)
    pair.ends[1].ask(Leave())
    pair.link.start_helper(cut_off)
    assert pair.news(0)[-1] == PeerIs(Peer.LEFT)
    pair.ends[1].ask(Rejoin(session))
    assert pair.news(1)[-1] == NotPaired(WhyNotPaired.UNKNOWN)


def test_a_code_is_good_for_one_guess(pair: Pair) -> None:
    opened = pair.open_room()
    wrong = "".join("9" if digit == "1" else "1" for digit in opened.code)
    for expected in (WhyNotPaired.WRONG_CODE, WhyNotPaired.NOBODY):
        pair.ends[1].ask(
            EnterRoom(opened.room, wrong if expected is WhyNotPaired.WRONG_CODE else opened.code)
        )
        pair.wait(20)
        assert pair.news(1) == [NotPaired(expected)]
    assert pair.news(0) == [NotPaired(WhyNotPaired.WRONG_CODE)]


def test_a_room_that_nobody_enters_is_closed(pair: Pair) -> None:
    pair.open_room()
    pair.wait(PAIRING_S - 2)
    assert pair.told[0] == []
    assert pair.news(0) == [NotPaired(WhyNotPaired.NOBODY)]


def test_a_session_survives_a_power_cut_and_a_cut_link(pair: Pair) -> None:
    session = pair.pair()
    pair.ends[1].cut_power()
    assert pair.news(0) == [PeerIs(Peer.AWAY)]
    pair.ends[0].ask(Send(Levers(1, 1)))
    pair.wait()
    pair.ends[1].ask(Rejoin(session))
    assert pair.news(0) == [PeerIs(Peer.HERE)]
    assert pair.news(1) == [PeerIs(Peer.HERE)], "what was sent in between is lost"
    pair.link.cut()
    pair.ends[0].ask(Send(Levers(1, 1)))
    assert (pair.news(0), pair.news(1)) == ([PeerIs(Peer.AWAY)],) * 2
    pair.link.mend()
    assert (pair.news(0), pair.news(1)) == ([PeerIs(Peer.HERE)],) * 2
    pair.ends[0].ask(Leave())
    pair.ends[0].ask(Rejoin(session))
    assert pair.news(0) == [NotPaired(WhyNotPaired.UNKNOWN)]


def test_a_helper_that_dies_is_missed_and_goes_on_later(pair: Pair) -> None:
    session = pair.pair()
    pair.link.kill_helper(0)
    pair.ends[0].ask(Send(Decline(1)))
    assert (pair.news(0), pair.news(1)) == ([PeerIs(Peer.OFFLINE)], [PeerIs(Peer.AWAY)])
    pair.ends[0].ask(OpenRoom())
    assert pair.news(0) == [NotPaired(WhyNotPaired.NO_BROKER)]
    pair.link.start_helper(0)
    pair.ends[0].ask(Rejoin(session))
    assert (pair.news(0), pair.news(1)) == ([PeerIs(Peer.HERE)],) * 2


def lose(link: VirtualLink) -> None:
    link.lost = 0.5


def double(link: VirtualLink) -> None:
    link.doubled = True


def delay(link: VirtualLink) -> None:
    link.late_ns = 30 * S


@pytest.mark.parametrize("harm", [lose, double, delay])
def test_messages_are_lost_doubled_and_late_until_all_is_well(
    harm: Callable[[VirtualLink], None], pair: Pair
) -> None:
    pair.pair()
    harm(pair.link)
    sent: list[LinkReport] = [Received(Decline(number)) for number in range(100)]
    for number in range(100):
        pair.ends[0].ask(Send(Decline(number)))
    pair.wait(31)
    come = pair.news(1)
    if harm is lose:
        assert 30 < len(come) < 70
        assert come == [report for report in sent if report in come], "in their order"
    elif harm is double:
        assert come == [report for report in sent for _ in range(2)]
    else:
        assert come != sent
        assert sorted(come, key=sent.index) == sent
    pair.link.mend()
    for number in range(100):
        pair.ends[0].ask(Send(Decline(number)))
    assert pair.news(1) == sent


def test_a_flood_of_messages_takes_no_memory_without_end(pair: Pair) -> None:
    pair.pair()
    for number in range(2 * MAX_UNDER_WAY):
        pair.ends[0].ask(Send(Decline(number)))
    assert len(pair.news(1)) == MAX_UNDER_WAY


def test_everything_follows_from_the_seed() -> None:
    def run(seed: int) -> tuple[list[LinkReport], ...]:
        pair = Pair(seed)
        pair.pair()
        pair.link.lost, pair.link.late_ns = 0.3, 5 * S
        for number in range(50):
            pair.ends[0].ask(Send(Decline(number)))
        pair.wait(6)
        return pair.told

    assert run(1) == run(1) != run(2)
