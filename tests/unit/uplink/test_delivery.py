"""One entry at a time is sent, again and again, until the league has given a receipt for it."""

from shutthebox_uplink.delivery import FIRST_WAIT_S, LONGEST_WAIT_S, Delivery, Sent

FIRST = Sent(1, "a" * 64)


def test_an_entry_is_sent_again_ever_more_rarely() -> None:
    delivery = Delivery()
    now_s = 0.0
    delivery.connect(now_s)
    waits = []
    for _ in range(10):
        delivery.sent(FIRST, now_s)
        before = now_s
        while not delivery.wants(now_s):
            now_s += 1
        waits.append(now_s - before)
    assert waits[:3] == [FIRST_WAIT_S, 2 * FIRST_WAIT_S, 4 * FIRST_WAIT_S]
    assert waits[-1] == LONGEST_WAIT_S


def test_a_new_connection_sends_at_once_and_none_nothing() -> None:
    delivery = Delivery()
    delivery.connect(0)
    delivery.sent(FIRST, 0)
    assert not delivery.wants(1)
    delivery.disconnect()
    assert not delivery.wants(1000)
    delivery.connect(2)
    assert delivery.wants(2)
