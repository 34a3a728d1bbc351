"""The display without its thread: the real drawing, the real bus protocol, a modelled panel.

luma and Pillow are only imported for a display, so a scenario can be played blind without them.
"""

from io import BytesIO
from pathlib import Path

from shutthebox.adapters.display.bitmap import SIZE, Bitmap
from shutthebox.adapters.display.worker import DisplayWorker
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Config
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import MAX_BYTES, open_to_write, read_bytes, reason, shown_path
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Brightness


class FramesError(ShutTheBoxError, OSError):
    """A picture can't be saved; the text names its file."""

    exit_code = 1


class VirtualDisplay:
    """A display for virtual time; draws when its picture is asked for.

    Args:
        config: which controller, and how it is mounted.
        frames: a folder that gets a picture of every screen as it comes up; None for none.
    """

    def __init__(self, config: Config, frames: Path | None = None) -> None:
        from shutthebox.adapters.display.opening import open_panel
        from shutthebox.simulator.hardware.panel_model import PanelModel

        self.panel = PanelModel(config.display.controller or Controller.SSD1306)
        upside_down = config.display.rotate == 180
        self._now_ns = 0
        self._display = DisplayWorker(
            lambda: open_panel(self.panel.controller, self.panel, upside_down=upside_down),
            now_ns=lambda: self._now_ns,
        )
        self._screen: LocalizedScreen | None = None
        self._since_ns = 0
        self._frames, self._count = frames, 0

    def show(self, screen: LocalizedScreen, t_ns: int) -> None:
        """Takes a screen, and the time when it was first shown."""
        self._screen, self._since_ns = screen, t_ns
        if self._frames is not None:
            from shutthebox.adapters.display.pillow import image_of

            self._count += 1
            picture = self._frames / f"{self._count:04}-{screen.mode}.png"
            try:
                with open_to_write(picture) as file:
                    image_of(self.look(t_ns)).save(file, "PNG")
            except OSError as error:
                raise FramesError(f"--frames: {shown_path(picture)}: {reason(error)}") from None

    def sleep(self) -> None:
        """Shows nothing from now on."""
        self._screen = None

    def brighten(self, brightness: Brightness) -> None:
        """Sets the brightness from now on."""
        self._display.brighten(brightness)

    @property
    def seen(self) -> tuple[LocalizedScreen, int] | None:
        """The visible screen, and when it was first shown; None if the panel is dark."""
        return None if self._screen is None or self.panel.unplugged else (self._screen, self._since_ns)

    def look(self, now_ns: int) -> Bitmap:
        """The picture on the glass now."""
        self._now_ns = max(now_ns, self._now_ns)
        if self._screen is None:
            return Bitmap.of(*SIZE)
        self._display.render_now(self._screen, now_ns - self._since_ns)
        return self.panel.picture()

    def shows(self, golden: Path, now_ns: int) -> bool:
        """Whether the glass looks like this picture now; False if there is no such picture."""
        from PIL import Image

        from shutthebox.adapters.display.pillow import bitmap_of

        seen = self.look(now_ns)
        try:
            with Image.open(BytesIO(read_bytes(golden, MAX_BYTES)), formats=("PNG",)) as wanted:
                # The size first, because the pixels are only decoded after that.
                return wanted.size == seen.size and bitmap_of(wanted) == seen
        except (OSError, SyntaxError, ValueError):  # the last two are Pillow's for a PNG that is damaged
            return False
