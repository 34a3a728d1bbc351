"""One entry at a time; an entry without a receipt is sent again, later and later."""

from shutthebox_uplink.delivery import FIRST_WAIT_S, LONGEST_WAIT_S, Delivery, SentEntry
from shutthebox_uplink.signing import COMMITTED, HELD, REFUSED, Receipt

ENTRY, NEXT = SentEntry(7, "f" * 64), SentEntry(8, "e" * 64)


def receipt(entry: SentEntry, status: str = COMMITTED) -> Receipt:
    return Receipt("0" * 32, entry.sequence, entry.hash, status)


def test_it_waits_longer_each_time_and_at_once_sends_what_comes_next() -> None:
    delivery, now_s, waits = Delivery(), 0.0, list[float]()
    for _ in range(9):
        assert delivery.is_due(now_s)
        delivery.note_sent(ENTRY)
        delivery.fail(now_s)
        begin_s = now_s
        while not delivery.is_due(now_s):
            now_s += 1
        waits.append(now_s - begin_s)
    assert waits == [FIRST_WAIT_S * factor for factor in (1, 2, 4, 8, 16, 32)] + [LONGEST_WAIT_S] * 3
    delivery.note_sent(ENTRY)
    assert delivery.receive(receipt(ENTRY, REFUSED))
    assert delivery.is_due(now_s)
    delivery.note_sent(NEXT)
    delivery.fail(now_s)
    assert delivery.is_due(now_s + FIRST_WAIT_S)


def test_it_waits_as_long_as_it_is_asked_to_but_not_for_ever() -> None:
    delivery = Delivery()
    delivery.note_sent(ENTRY)
    delivery.fail(0, 60)
    assert (delivery.is_due(59), delivery.is_due(60)) == (False, True)
    delivery.fail(100, 1e9)
    assert delivery.is_due(100 + LONGEST_WAIT_S)


def test_only_the_word_on_this_very_entry_counts() -> None:
    delivery = Delivery()
    assert not delivery.receive(receipt(ENTRY))
    delivery.note_sent(ENTRY)
    assert not delivery.receive(receipt(NEXT))
    assert not delivery.receive(receipt(SentEntry(7, "e" * 64)))
    assert not delivery.receive(receipt(ENTRY, HELD))
    assert delivery.receive(receipt(ENTRY))
    assert not delivery.receive(receipt(ENTRY))
