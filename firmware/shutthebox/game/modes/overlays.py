"""The overlays: a dark panel, and the question whether to abandon the match."""

from __future__ import annotations

from shutthebox.game.effects import PlaySound, Sound
from shutthebox.game.modes.base import BoxMode, Cover, Receiver
from shutthebox.game.state import Context, Overlay, Shared, Step
from shutthebox.game.targets import BackToAttract, Target


class Asleep(Cover):
    """The panel is dark. The button only wakes the box; a lever does what it would do, too."""

    def press(self, context: Context) -> Step[BoxMode]:
        """Wakes the box."""
        return self.lift(context).preceded_by(PlaySound(Sound.WAKE))

    def hold(self, context: Context) -> Step[BoxMode]:
        """Wakes the box."""
        return self.press(context)

    def hold_long(self, context: Context) -> Step[BoxMode]:
        """Wakes the box."""
        return self.press(context)

    def service(self, context: Context) -> Step[BoxMode]:
        """Wakes the box."""
        return self.press(context)

    def levers(self, context: Context) -> Step[BoxMode | Target]:
        """Wakes the box and passes it on."""
        return self.lift_for(self.beneath.levers, context).preceded_by(PlaySound(Sound.WAKE))


class Abandon(Cover):
    """The box is asking whether to abandon the match."""

    def press(self, context: Context) -> Step[BackToAttract]:
        """Yes: abandons it."""
        return self.lift_for(self.beneath.leave, context)

    def hold(self, context: Context) -> Step[BoxMode]:
        """Goes on with the match."""
        return self.lift(context)

    def service(self, context: Context) -> Step[BoxMode | Target]:
        """Goes on with the match, and passes the gesture on to its mode."""
        return self.lift_for(self.beneath.service, context)


def receiver(mode: BoxMode, shared: Shared) -> Receiver:
    """What gets the next input: the mode, or what covers it."""
    match shared.overlay:
        case Overlay.NONE:
            return mode
        case Overlay.ASLEEP:
            return Asleep(mode)
        case Overlay.ABANDON:
            return Abandon(mode)
