"""A `Show` of a screen, for tests of what is made of it: each says only what it is about."""

from fractions import Fraction
from typing import Any

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Scene, Show
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen


def plain_show(screen: Screen, **parts: Any) -> Show:
    """What is shown on this screen when nothing is wrong and nobody has scored."""
    return changed(Show(screen, 0, scene=Scene(player=1)), **parts)


def changed(show: Show, **parts: Any) -> Show:
    """The same with other parts of the picture or the scene."""
    scene = {part: parts.pop(part) for part in Scene._fields if part in parts}
    return show._replace(scene=show.scene._replace(**scene), **parts)


SHOW = plain_show(
    Screen(Mode.FLIPPING),
    player=2,
    open=(1, 2),
    throw=(3, 5),
    scores=(15, None),
    totals=(15, 0),
    owes=(Fraction(0), Fraction(0)),
    seats=("ANN", "Player 2"),
    game=builtin("pub"),
)
