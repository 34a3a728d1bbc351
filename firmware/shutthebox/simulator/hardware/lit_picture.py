"""The panel without its bus, for a box in a tab of a browser and for films: draws the screen itself."""

from collections.abc import Callable

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.layout import render
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Brightness


class LitPicture:
    """Draws the screen when its picture is asked for.

    Attributes:
        unplugged: the panel shows nothing.
        due_ns: when the picture is to be drawn again; None if it stays.
    """

    def __init__(self) -> None:
        self.unplugged = False
        self.due_ns: int | None = None
        self._screen: LocalizedScreen | None = None
        self._since_ns = self._now_ns = 0

    def show(self, screen: LocalizedScreen, t_ns: int) -> None:
        """Takes a screen, and the time when it was first shown."""
        self._screen, self._since_ns = screen, t_ns

    def sleep(self) -> None:
        """Shows nothing from now on."""
        self._screen = None

    def brighten(self, brightness: Brightness) -> None:
        """The page's panel has one brightness."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """Never calls back: the picture is asked for after every step anyway."""

    @property
    def seen(self) -> tuple[LocalizedScreen, int] | None:
        """The visible screen, and when it was first shown; None if the panel is dark."""
        return None if self._screen is None or self.unplugged else (self._screen, self._since_ns)

    def look(self, now_ns: int) -> Bitmap:
        """Draws the picture for this moment; `picture` returns it until the next look."""
        self._now_ns = now_ns
        return self.picture()

    def picture(self) -> Bitmap:
        """The picture at the time of the last look."""
        self.due_ns = None
        if self.seen is None:
            return Bitmap.of(*SIZE)
        screen, since_ns = self.seen
        frame = render(screen, self._now_ns - since_ns, SIZE)
        if frame.next_ns is not None:
            self.due_ns = since_ns + frame.next_ns
        return frame.picture
