"""Box and helper understand each other, and nothing else."""

import contextlib
import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shutthebox.link.messages import (
    MAX_ENTRIES,
    Accept,
    Decline,
    Invite,
    Levers,
    LogSignature,
    Message,
    Rematch,
    Sync,
    from_line,
    to_line,
)
from shutthebox.link.requests import (
    EnterRoom,
    HelperSigned,
    Leave,
    LinkReport,
    LinkRequest,
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
from shutthebox.link.wire import (
    MAX_LINE,
    report_from_line,
    report_to_line,
    request_from_line,
    request_to_line,
)

digits = st.text("123456789", min_size=4, max_size=4)
hexadecimal = st.text("0123456789abcdef", min_size=64, max_size=64)
signatures = st.builds(
    LogSignature, hexadecimal, hexadecimal, st.tuples(hexadecimal, hexadecimal).map("".join)
)
sessions = hexadecimal.map(lambda text: text[:32])
entries = st.text(st.characters(min_codepoint=32, max_codepoint=0x24F), max_size=200)
MESSAGES: dict[type[Message], st.SearchStrategy[Message]] = {
    Sync: st.builds(
        Sync, st.integers(0, 999), hexadecimal, st.integers(1, 999),
        st.lists(entries, max_size=MAX_ENTRIES).map(tuple), st.just("") | hexadecimal,
        st.none() | hexadecimal.map(LogSignature) | signatures, st.just("") | sessions,
    ),
    Rematch: st.builds(Rematch, sessions, hexadecimal, st.just("") | hexadecimal),
    Accept: st.builds(Accept, st.just("The Anchor"), hexadecimal, st.just("") | hexadecimal),
    Invite: st.builds(
        Invite, st.integers(1, 9), entries, st.integers(1, 9), st.integers(0, 1),
        st.integers(1, 600), st.just("Zur Börse"), hexadecimal, st.just("") | hexadecimal,
    ),
    Levers: st.builds(Levers, st.integers(0, 99), st.integers(0, 511), st.just("") | sessions),
    Decline: st.builds(Decline, st.integers(1, 9)),
}  # fmt: skip
messages = st.one_of([MESSAGES[kind] for kind in get_args(Message)])
REQUESTS: dict[type[LinkRequest], st.SearchStrategy[LinkRequest]] = {
    OpenRoom: st.just(OpenRoom()),
    EnterRoom: st.builds(EnterRoom, digits, digits),
    Rejoin: st.builds(Rejoin, sessions),
    Send: st.builds(Send, messages),
    Leave: st.just(Leave()),
}
requests = st.one_of([REQUESTS[kind] for kind in get_args(LinkRequest)])
REPORTS: dict[type[LinkReport], st.SearchStrategy[LinkReport]] = {
    RoomOpened: st.builds(RoomOpened, digits, digits),
    Paired: st.builds(Paired, sessions, st.just("") | hexadecimal),
    NotPaired: st.builds(NotPaired, st.sampled_from(WhyNotPaired)),
    PeerIs: st.builds(PeerIs, st.sampled_from(Peer)),
    Received: st.builds(Received, messages),
    HelperSigned: st.builds(HelperSigned, signatures),
}
reports = st.one_of([REPORTS[kind] for kind in get_args(LinkReport)])


@given(requests, reports)
def test_everything_comes_over_as_it_is(request: LinkRequest, report: LinkReport) -> None:
    for line in (request_to_line(request), report_to_line(report)):
        assert len(line) <= MAX_LINE
        assert line.endswith(b"\n")
        assert isinstance(json.loads(line), list)
    assert request_from_line(request_to_line(request)) == request
    assert report_from_line(report_to_line(report)) == report


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\n", b"{}", b"1", b"null", b"[", b"[]", b"[[]]", b'["open-room", 1]', b'["fly"]', b"[" * 5000,
        b'["enter-room", "0123", "1234"]', b'["enter-room", "1234"]', b'["enter-room", 1234, 1234]',
        '["enter-room", "１２３４", "1234"]'.encode(), b'["enter-room", "1234\\n", "1234"]',
        b'["rejoin", "' + b"g" * 32 + b'"]', b'["rejoin", "' + b"A" * 32 + b'"]', b'["rejoin", "../etc"]',
        b'["send", ["levers", 1]]', b'["send", "levers"]', b'["send"]', b'["received", ["levers", 1, true]]',
        b'["send",["levers",1,2,"1234"]]', b'["send",["levers",1,2,3]]', b'["send",["levers",1,2,""]]',
        b'["peer-is", "there"]', b'["not-paired", ""]', b'["paired", null]', b"\xff\xfe", b'["open-room"] x',
        b'["room-opened", "1234", "12345"]', b'["send",["rematch","1234","' + b"0" * 64 + b'"]]',
        b'["send",["sync",0,"' + b"0" * 64 + b'",1,[],"",null]]',
        b" " * (MAX_LINE + 1) + b'["leave"]',
    ],
    ids=lambda line: str(line[:40]),
)  # fmt: skip
def test_anything_else_is_no_line(line: bytes) -> None:
    for parse in (request_from_line, report_from_line):
        with pytest.raises(ValueError):
            parse(line)


@pytest.mark.parametrize(
    "line",
    [
        b'["levers", 1,5]',
        b'["levers",1,5]\n\n',
        b'["lever\\u0073",1,5]',
        '["levers",1,5]'.encode("utf-16"),
        json.dumps(
            ["sync", 1, "0" * 64, 1, ["é" * 200] * 8, ""], ensure_ascii=False, separators=(",", ":")
        ).encode(),
    ],
    ids=["blank", "lines", "escape", "UTF-16", "letters"],
)
def test_a_message_is_written_in_one_way(line: bytes) -> None:
    """The helper wrote letters as `\\u00e9`, too long for the box, which hung up on it again and again."""
    with pytest.raises(ValueError):
        from_line(line)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_noise_is_no_line(line: bytes) -> None:
    for parse in (request_from_line, report_from_line):
        with contextlib.suppress(ValueError):
            assert parse(line)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "\u3164",
        "\u2800",
        "a\u0301",
        "\u202eAnchor",
        "\u05d0\u05d1",
        "An\u00adchor",
        "A\nB",
        "A ",
        "x" * 17,
    ],
)
def test_a_name_that_no_owner_could_have_given_their_box_is_no_message(name: str) -> None:
    """The screen would show blanks, piles of marks, or text from right to left."""
    with pytest.raises(ValueError):
        from_line(to_line(Accept(name, "0" * 64)))
