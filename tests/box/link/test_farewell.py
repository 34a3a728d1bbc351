"""Two real helpers part for good, whatever dies meanwhile and in whichever order; in virtual time."""

from pathlib import Path
from random import Random

import pytest
from tests.support.fast import fast_among
from tests.support.virtual_broker import HelperLink

from shutthebox.link.requests import (
    EnterRoom,
    Leave,
    LinkReport,
    NotPaired,
    OpenRoom,
    Paired,
    Peer,
    PeerIs,
    Rejoin,
    RoomOpened,
    WhyNotPaired,
)
from shutthebox.simulator.virtual_time import VirtualTime
from shutthebox_link.farewell import AGAIN_S
from shutthebox_link.helper import LOOK_S
from shutthebox_link.key_store import DAY_S, KEPT_S
from shutthebox_uplink.mqtt import LONGEST_RECONNECT_S, Event, Message

S = 1_000_000_000
AGAIN = LONGEST_RECONNECT_S + LOOK_S + 5
"""So many seconds after all is well again the helpers have found each other."""


class Pair:
    """Two boxes that have met, and what they are told."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self.time = VirtualTime()
        self.link = HelperLink(seed, lambda: self.time.now_ns, folder)
        self.time.add(self.link)
        self.told: tuple[list[LinkReport], list[LinkReport]] = ([], [])
        for box in (0, 1):
            self.link.connect(box, self.told[box].append)
        self.meet()

    def meet(self) -> None:
        """Pairs the boxes, and begins a match."""
        self.link.ask(0, OpenRoom())
        self.wait(1)
        opened = self.told[0][-1]
        assert isinstance(opened, RoomOpened)
        self.link.ask(1, EnterRoom(opened.room, opened.code))
        self.wait(1)
        paired = self.told[0][-2]
        assert isinstance(paired, Paired)
        self.session = paired.session
        assert self.told[0][-1] == self.told[1][-1] == PeerIs(Peer.HERE)
        for box in (0, 1):
            self.link.ask(box, Rejoin(self.session))  # as they do once the match has begun

    def wait(self, seconds: float) -> None:
        self.time.run_until(self.time.now_ns + round(seconds * S))

    def restart(self, box: int) -> None:
        """Pulls a box's plug, and puts it back; its match goes on."""
        self.link.cut_power(box)
        self.link.ask(box, Rejoin(self.session))


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


@pytest.mark.parametrize("seed", fast_among(range(1, 101), []))
def test_nobody_waits_for_a_box_that_has_left_in_whatever_order_they_go(seed: int, tmp_path: Path) -> None:
    """A helper waited a week for one that had forgotten the match, and the broker kept its word for ever."""
    random, pair = Random(f"{seed} orders"), Pair(tmp_path, seed)
    link, has_left, has_died = pair.link, [False, False], False
    for _ in range(random.randint(2, 12)):
        box = random.randrange(2)
        match random.choice(("leave", "leave", "plug", "helper", "cut", "mend", "die")):
            case "leave":
                link.ask(box, Leave())
                has_left[box] = True
            case "plug":
                link.cut_power(box)
                link.ask(box, Leave() if has_left[box] else Rejoin(pair.session))
            case "helper" if link.has_helper(box):
                link.kill_helper(box)
            case "helper":
                link.start_helper(box)
            case "cut":
                link.cut()
                has_died = has_died or not link.broker.is_alive
            case "die":
                link.broker.die()
                has_died = True
            case _:
                link.mend()
        pair.wait(random.choice((0, 0.004, 0.02, 0.1, 3, 100)))
    link.mend()
    for box in (0, 1):
        if not link.has_helper(box):
            link.start_helper(box)
    if any(has_left):
        pair.wait(AGAIN)
        for box in (0, 1):
            if not has_left[box]:
                assert PeerIs(Peer.LEFT) in pair.told[box], "it's told at the latest now"
    for box in (0, 1):
        link.ask(box, Leave())
    pair.wait(2 * AGAIN)
    assert set(link.broker.kept) <= link.topics, "the broker keeps for ever what nobody needs"
    assert has_died or not link.topics, "somebody waits for the other's word"
    if link.broker.kept or link.topics:  # nobody waits for what nobody has, and most seeds leave nothing
        pair.wait(KEPT_S + DAY_S)
    assert not link.broker.kept
    assert not link.topics


@pytest.mark.slow
def test_a_match_that_is_played_every_evening_lasts_longer_than_a_week(pair: Pair) -> None:
    """It was over a week after the boxes had met, in the middle of a turn."""
    for _ in range(9):
        pair.wait(DAY_S)
        for box in (0, 1):
            pair.restart(box)
        pair.wait(AGAIN)
        assert pair.told[0][-1] == pair.told[1][-1] == PeerIs(Peer.HERE)


@pytest.mark.slow
def test_a_match_of_two_boxes_that_are_never_away_lasts_longer_than_a_week(pair: Pair) -> None:
    """A cut of five minutes ended it: nobody had noted that both were there."""
    pair.wait(KEPT_S + 2 * DAY_S)
    for box in (0, 1):
        pair.restart(box)
    pair.wait(AGAIN)
    assert pair.told[0][-1] == pair.told[1][-1] == PeerIs(Peer.HERE)


@pytest.mark.slow
def test_a_match_that_rests_for_a_week_is_over_also_at_a_box_that_is_left_on(pair: Pair) -> None:
    pair.link.kill_helper(1)
    pair.wait(KEPT_S - 100)
    assert pair.told[0][-1] == PeerIs(Peer.AWAY)
    pair.wait(200)
    assert pair.told[0][-1:] == [NotPaired(WhyNotPaired.UNKNOWN)]


def test_the_players_of_an_earlier_match_do_not_keep_a_box_from_the_next_one(pair: Pair) -> None:
    """Whatever they sent was counted as if it came from the others: nothing else got through for a week."""
    link = pair.link
    earlier = next(topic for topic in link.topics if topic.endswith("guest"))
    flooder = link.broker.join(2, "flooder", lambda event: None, (), 10**9)
    flooder.start()

    def flood() -> None:
        for payload in (b"p", b"m"):
            flooder.publish(earlier, payload * 40)
        link.broker.later(S // 250, flood)

    link.kill_helper(1)
    link.ask(0, Leave())
    link.start_helper(1)
    flood()
    pair.wait(1.5)
    pair.meet()


def test_a_box_that_asks_without_end_is_answered_every_few_seconds_only(pair: Pair) -> None:
    """For a week, somebody who had recorded one packet could make a box publish fifty messages a second."""
    link, heard = pair.link, list[Event]()
    topics = tuple(link.topics)
    stranger = link.broker.join(2, "stranger", heard.append, topics, 1000)
    stranger.start()
    pair.restart(1)
    pair.wait(1)
    recorded = [event for event in heard if isinstance(event, Message) and event.topic.endswith("guest")]
    assert recorded
    link.kill_helper(1)
    link.ask(0, Leave())
    pair.wait(1)
    heard.clear()
    for _ in range(100):
        for event in recorded:
            stranger.publish(event.topic, event.payload)
        pair.wait(0.2)
    answers = [event for event in heard if isinstance(event, Message) and event.topic.endswith("host")]
    assert 1 <= len(answers) <= 20 / AGAIN_S + 1
