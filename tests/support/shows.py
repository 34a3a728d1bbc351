"""A `Show` of a screen, for tests of what is made of it: each says only what it is about."""

from typing import Any

from shutthebox.game.effects import Scene, Show
from shutthebox.game.screen import Screen


def plain_show(screen: Screen, **parts: Any) -> Show:
    """What is shown on this screen when nothing is wrong and nobody has scored."""
    return changed(Show(screen, 0, scene=Scene(player=1)), **parts)


def changed(show: Show, **parts: Any) -> Show:
    """The same with other parts of the picture or the scene."""
    scene = {part: parts.pop(part) for part in Scene._fields if part in parts}
    return show._replace(scene=show.scene._replace(**scene), **parts)
