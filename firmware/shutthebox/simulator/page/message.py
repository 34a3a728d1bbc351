"""What a page may say to the box: one lever, or the button, up or down."""

import json
from typing import TypeAlias

MAX_MESSAGE = 1024
"""Bytes; the longest message a page has any use for is a thirtieth of it."""

BUTTON = 0
"""Stands for the dice button among the levers."""

Wish: TypeAlias = tuple[int, bool]
"""A lever's number, or `BUTTON`, and whether it is to be down."""


def parse(message: str | bytes) -> Wish | str:
    """What a page wishes; or, as text, why it gets nothing."""
    if isinstance(message, bytes):
        return "a message is text"
    if len(message.encode("utf-8", "replace")) > MAX_MESSAGE:
        return f"a message has at most {MAX_MESSAGE} bytes"
    try:
        wish = json.loads(message)
    except (ValueError, RecursionError):
        return "a message is JSON"
    match wish:
        case {"lever": int(number), "down": bool(down)} if len(wish) == 2 and not isinstance(number, bool):
            return (number, down) if number > 0 else "no such lever"
        case {"button": bool(down)} if len(wish) == 1:
            return BUTTON, down
        case _:
            return 'a message is {"lever": number, "down": true or false} or {"button": true or false}'
