"""A `Show` of a screen, for tests of what is made of it: each says only what it is about."""

from typing import Any

from shutthebox.game.effects import Show
from shutthebox.game.judge import FINE
from shutthebox.game.screen import Screen


def plain_show(screen: Screen, **parts: Any) -> Show:
    """What is shown on this screen when nothing is wrong and nobody has scored."""
    usual: dict[str, Any] = {"player": 1, "open": (), "throw": None, "verdict": FINE, "winners": ()}
    usual |= {"scores": (), "totals": (), "owes": ()}
    return Show(screen, t_ns=0, mode=screen.mode, **usual | parts)
