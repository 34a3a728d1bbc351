"""One throw for everyone at the box: whose answer is asked for, and what the others did with the throw."""

from tests.support.machine import Table, settings_for

from shutthebox.game.mode import Mode


def table() -> Table:
    """Two players after their own first throws, 9 and 8 shut; player 1 sets the levers and throws 6 + 5."""
    return Table(settings_for("head-to-head", levers=9))
