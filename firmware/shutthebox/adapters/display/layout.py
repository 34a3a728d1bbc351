"""Draws a `Screen` as one-bit pixels: a pure function of the screen and the time it has stood.

From top to bottom: title and aside, then the stage (dice and total, a big word, or a list),
the tiles, the prompt. What a screen leaves empty, the stage gets. Two things never happen:
texts that overlap, and a moving picture that reports itself still, because whatever moves
takes its time from one `AnimationClock`, which notes when it will next look different.
"""

from dataclasses import dataclass

from PIL import Image, ImageDraw

from shutthebox.adapters.display import tiles as tilerow
from shutthebox.adapters.display.animation import AnimationClock, scrolled
from shutthebox.adapters.display.body import draw_stage
from shutthebox.adapters.display.fonts import Size, fitting, ink, line, shortened, tight
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen

BLINK_NS = 200_000_000  # half a period: 2.5 blinks a second
_DRIFT_NS = 2_000_000_000  # the attract picture moves by a pixel
_DRIFT_X, _DRIFT_Y = 8, 4  # how far, in pixels

_TITLE_HEIGHT = 12
_PROMPT_HEIGHT = 14


@dataclass(frozen=True, slots=True)
class Frame:
    """A drawn picture and how long it is good for.

    Attributes:
        image: mode "1".
        next_ns: the elapsed time at which to draw again; None if this picture stays.
    """

    image: Image.Image
    next_ns: int | None


def draw(screen: Screen, elapsed_ns: int, size: tuple[int, int] = (128, 64)) -> Image.Image:
    """The picture of a screen, mode "1", the same for the same arguments.

    Args:
        screen: what to say.
        elapsed_ns: since the screen was first shown; moves what moves.
        size: of the panel in pixels, at least 96 by 48.

    Raises:
        ValueError: the size is too small to say anything.
    """
    return render(screen, elapsed_ns, size).image


def animated(screen: Screen) -> bool:
    """Whether the picture of a screen changes by itself."""
    return render(screen, 0).next_ns is not None


def render(screen: Screen, elapsed_ns: int, size: tuple[int, int] = (128, 64)) -> Frame:
    """Like `draw`, and says when to draw again."""
    width, height = size
    if width < 96 or height < 48:
        raise ValueError(f"a panel of {width} x {height} pixels is too small: 96 x 48 at least")
    clock = AnimationClock(elapsed_ns)
    if screen.mode is not Mode.ATTRACT:
        return Frame(_settled(_compose(screen, clock, size)), clock.next_ns)
    # Nothing stands still on an OLED that shows the same few words for months.
    picture = _compose(screen, clock, (width - _DRIFT_X, height - _DRIFT_Y))
    step = clock.count(_DRIFT_NS)
    drifted = Image.new("1", size)
    drifted.paste(picture, (_to_and_fro(step, _DRIFT_X), _to_and_fro(step // 3, _DRIFT_Y)))
    return Frame(_settled(drifted), clock.next_ns)


def _settled(picture: Image.Image) -> Image.Image:
    """The same with every lit pixel 255: drawing leaves some at 1, which some of Pillow takes for dark."""
    return Image.frombytes("1", picture.size, picture.tobytes())


def _to_and_fro(step: int, reach: int) -> int:
    return reach - abs(reach - step % (2 * reach))


def _compose(screen: Screen, clock: AnimationClock, size: tuple[int, int]) -> Image.Image:
    width, height = size
    picture = Image.new("1", size)
    pen = ImageDraw.Draw(picture)
    top, bottom = 0, height
    if screen.title or screen.aside:
        _title(picture, screen, width)
        top = _TITLE_HEIGHT
    if screen.prompt or screen.tiles:  # tiles keep their place while there is nothing to say
        bottom -= _PROMPT_HEIGHT
    if screen.prompt:
        _prompt(picture, screen, clock, (0, bottom, width, height))
    if screen.tiles:
        tiles = tilerow.height(len(screen.tiles))
        blink = clock.count(BLINK_NS) % 2 == 0 if _blinks(screen) else True
        bottom -= tiles + 1
        tilerow.draw_tiles(pen, screen.tiles, (0, bottom, width, bottom + tiles), blink)
        bottom -= 1
    draw_stage(picture, screen, clock, (0, top, width, bottom))
    return picture


def _blinks(screen: Screen) -> bool:
    return any(state in tilerow.BLINKING for _, state in screen.tiles)


def _title(picture: Image.Image, screen: Screen, width: int) -> None:
    """Title left, aside right; the aside has its place, up to half the line, before the title."""
    title_width = width
    if screen.aside:
        wanted = tight(screen.title, Size.SMALL).width + Size.SMALL.width if screen.title else 0
        aside = shortened(screen.aside, Size.SMALL, max(width // 2, width - wanted))
        picture.paste(aside, (width - aside.width, 0))
        title_width -= aside.width + Size.SMALL.width
    if screen.title:
        picture.paste(shortened(screen.title, Size.SMALL, title_width), (0, 0))


def _prompt(
    picture: Image.Image, screen: Screen, clock: AnimationClock, box: tuple[int, int, int, int]
) -> None:
    """The bottom line: as large as it fits, scrolling if it fits at no size; a fault inverted."""
    left, top, right, bottom = box
    room = right - left - 4
    strip = Image.new("1", (room, bottom - top))
    large = fitting(screen.prompt, Size.MEDIUM, room)
    if large is not None and ink(large).height < strip.height:
        first = large.getbbox()
        # One dark line stays above the letters, unless an accent needs it.
        y = min(-1, 1 - first[1]) if first is not None else 0
        strip.paste(large, ((room - large.width) // 2, y))
    else:
        small = fitting(screen.prompt, Size.SMALL, room)
        if small is not None:
            strip.paste(small, ((room - small.width) // 2, 1))
        else:
            whole = line(screen.prompt, Size.SMALL)
            strip.paste(whole, (-scrolled(clock, whole.width - room), 1))
    if screen.alert:
        picture.paste(1, box)
        picture.paste(0, (left + 2, top), strip)
    else:
        picture.paste(strip, (left + 2, top))
