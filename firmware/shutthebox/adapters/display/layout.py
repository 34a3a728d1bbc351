"""Draws a `LocalizedScreen` as one-bit pixels: a pure function of the screen and how long it's been shown.

From top to bottom: title and aside, then the body (dice and total, a big word, or a list), the tiles,
the prompt. The body gets the lines that the others leave free. Text never overlaps. Everything that moves
reads one `AnimationClock`, which notes when the picture next changes.
"""

from dataclasses import dataclass

from shutthebox.adapters.display import tiles as tilerow
from shutthebox.adapters.display.animation import AnimationClock
from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.body import draw_body
from shutthebox.adapters.display.fonts import Size, fit_font, shorten, tighten, wrap_text
from shutthebox.adapters.display.qr_code import qr_code
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen, TileState

TILE_BLINK_NS = 200_000_000  # half a period: 2.5 blinks a second
HELP_NS = 6_000_000_000
"""How long nothing must change before the tiles that fit start to blink."""

_DRIFT_NS = 2_000_000_000  # the attract picture moves by a pixel
_DRIFT_X, _DRIFT_Y = 8, 4  # how far, in pixels

PROMPT_HEIGHT = Size.MEDIUM.height
"""Height of the bottom line in pixels. Its letters are never smaller, however long the prompt."""

ONE_LINE = " · "
"""Separates, in a prompt, what a press does from what a hold does; both stay on one line."""

PROMPT_NS = 1_600_000_000
"""How long each of several prompts is shown, in ns."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture, and how long it's valid.

    Attributes:
        picture: what the panel shows.
        next_ns: the elapsed time at which to draw again; None if the picture doesn't change.
    """

    picture: Bitmap
    next_ns: int | None


def draw(screen: LocalizedScreen, elapsed_ns: int, size: tuple[int, int] = (128, 64)) -> Bitmap:
    """Draws a screen.

    Args:
        screen: what to say.
        elapsed_ns: since the screen was first shown, for animation.
        size: of the panel in pixels, at least 96 by 48.

    Raises:
        ValueError: the size is too small.
    """
    return render(screen, elapsed_ns, size).picture


def render(screen: LocalizedScreen, elapsed_ns: int, size: tuple[int, int] = (128, 64)) -> Frame:
    """Draws a screen like `draw`, and says when to draw it again."""
    width, height = size
    if width < 96 or height < 48:
        raise ValueError(f"a panel of {width} x {height} pixels is too small; it needs at least 96 x 48")
    clock = AnimationClock(elapsed_ns)
    if screen.mode is not Mode.ATTRACT:
        return Frame(_compose(screen, clock, size), clock.next_ns)
    # The picture drifts, because an OLED that shows the same words for months burns in.
    picture = _compose(screen, clock, (width - _DRIFT_X, height - _DRIFT_Y))
    step = clock.count(_DRIFT_NS)
    drifted = Bitmap.of(*size).paste(
        picture, _triangle_wave(step, _DRIFT_X), _triangle_wave(step // 3, _DRIFT_Y)
    )
    return Frame(drifted, clock.next_ns)


def _triangle_wave(step: int, reach: int) -> int:
    return reach - abs(reach - step % (2 * reach))


def _compose(screen: LocalizedScreen, clock: AnimationClock, size: tuple[int, int]) -> Bitmap:
    width, height = size
    if screen.code:
        with_code = _code(screen, clock, size)
        if with_code is not None:
            return with_code
        address = screen.code.partition("#")[0]
        screen = screen._replace(code="", paragraph=address)
    picture, top, bottom = Bitmap.of(*size), 0, height
    # Choices and paragraphs get every line there is: their heading takes turns with the prompts.
    choosing = screen.chooses or screen.reads
    prompts = screen.prompts
    if choosing:
        prompts = (screen.title, *prompts)
    elif screen.title or screen.aside:
        heading = _title(screen, clock, width)
        picture, top = picture.paste(heading, 0, 0), heading.height
    # A prompt that's too long for the line takes turns with its end.
    alerts = _parts(screen.alert, width - 4)
    prompts = alerts + tuple(part for prompt in prompts for part in _parts(prompt, width - 4))
    if prompts and all(ONE_LINE in prompt for prompt in prompts):
        bottom -= Size.SMALL.height
    elif prompts or screen.tiles:  # tiles keep their place while there is nothing to say
        bottom -= PROMPT_HEIGHT
    if prompts:
        turn = clock.count(PROMPT_NS) % len(prompts) if len(prompts) > 1 else 0
        aside = screen.aside if choosing else ""
        picture = picture.paste(_prompt(prompts[turn], aside, width, alert=turn < len(alerts)), 0, bottom)
    if screen.tiles:
        drawn = _hide_fits_at_first(screen.tiles, clock)
        blinks = any(state in tilerow.BLINKING for _, state in drawn)
        blink = clock.count(TILE_BLINK_NS) % 2 == 0 if blinks else True
        tiles = tilerow.draw_tiles(drawn, width, blink, screen.lever_tiles)
        bottom -= tiles.height + 1
        picture = picture.stamp(tiles, 0, bottom)
    # Stamped, so its dark pixels don't erase the tiles' upper edge.
    return picture.stamp(draw_body(screen, clock, width, bottom - top), 0, top)


def _code(screen: LocalizedScreen, clock: AnimationClock, size: tuple[int, int]) -> Bitmap | None:
    """A QR code with title and prompts beside it, or below it on a panel no wider than it's high.

    None if the code doesn't fit.
    """
    width, height = size
    is_beside = width > height
    side = height if is_beside else width - 2 * Size.SMALL.height
    code = qr_code(screen.code, side)
    if code is None:
        return None
    left, top = (side + 3, 0) if is_beside else (2, side)
    room, lines = width - left - 1, (height - top) // Size.SMALL.height
    title = wrap_text(screen.title, Size.SMALL, room)
    prompts = [wrap_text(prompt, Size.SMALL, room) for prompt in (screen.alert, *screen.prompts) if prompt]
    words = [line for prompt in prompts for line in prompt]
    if len(title) + len(words) >= lines:  # with a line between them
        words = list(prompts[clock.count(PROMPT_NS) % len(prompts)])
    picture = Bitmap.of(*size).paste(code, 0 if is_beside else (width - side) // 2, 0)
    for index, line in enumerate(title):
        picture = picture.paste(shorten(line, Size.SMALL, room), left, top + index * Size.SMALL.height)
    bottom = height - len(words) * Size.SMALL.height
    for index, line in enumerate(words):
        picture = picture.paste(shorten(line, Size.SMALL, room), left, bottom + index * Size.SMALL.height)
    return picture


def _hide_fits_at_first(
    tiles: tuple[tuple[int, TileState], ...], clock: AnimationClock
) -> tuple[tuple[int, TileState], ...]:
    """Hides which tiles fit until nothing has moved for a while."""
    if all(state not in _HELPFUL for _, state in tiles) or clock.has_been_shown_for(HELP_NS):
        return tiles
    return tuple((n, _HELPFUL.get(state, state)) for n, state in tiles)


_HELPFUL = {TileState.VIABLE: TileState.OPEN, TileState.OPENABLE: TileState.SHUT}
"""States that give help, and how each is shown until nothing has moved for a while."""


def _title(screen: LocalizedScreen, clock: AnimationClock, width: int) -> Bitmap:
    """Title left, aside right, in large letters if both fit.

    If they don't fit even in small letters, they take turns.
    """
    crowded = bool(screen.tiles or screen.dice or screen.tumbling)
    title, aside = screen.title, screen.aside
    size = Size.SMALL if crowded or not _fits_beside(title, aside, Size.MEDIUM, width) else Size.MEDIUM
    if title and aside and not _fits_beside(title, aside, size, width):
        title, aside = (title, "") if clock.count(PROMPT_NS) % 2 == 0 else ("", aside)
    heading, title_width = Bitmap.of(width, size.height), width
    if aside:
        beside = tighten(title, size).width + size.width if title else 0
        end = shorten(aside, size, width - beside)
        heading = heading.paste(end, width - end.width, 0)
        title_width -= end.width + size.width
    return heading.paste(shorten(title, size, title_width), 0, 0) if title else heading


def _fits_beside(title: str, aside: str, size: Size, width: int) -> bool:
    """Whether both fit into one line with a gap between them; if one is empty, whether the other fits."""
    if not (title and aside):
        return fit_font(title or aside, size, width) is not None
    return fit_font(title, size, width - tighten(aside, size).width - size.width) is not None


def _parts(prompt: str, room: int) -> tuple[str, ...]:
    """Splits the prompt to fit the line. What a press and a hold do stays together if possible."""
    if ONE_LINE in prompt and tighten(prompt, Size.SMALL).width <= room:
        return (prompt,)
    return tuple(part for each in prompt.split(ONE_LINE) for part in wrap_text(each, Size.MEDIUM, room))


def _prompt(prompt: str, aside: str, width: int, *, alert: bool) -> Bitmap:
    """The bottom line, with the aside on the right if both fit. A fault is inverted."""
    room = width - 4
    small = ONE_LINE in prompt
    strip = Bitmap.of(width, Size.SMALL.height if small else PROMPT_HEIGHT)
    end = shorten(aside, Size.MEDIUM, room) if aside else None
    beside = room - end.width - 2 * Size.MEDIUM.width if end else 0
    if end and tighten(prompt, Size.MEDIUM).width <= beside:
        strip = strip.paste(end, 2 + room - end.width, 0).paste(shorten(prompt, Size.MEDIUM, beside), 2, 0)
    else:
        words = shorten(prompt, Size.SMALL if small else Size.MEDIUM, room)
        strip = strip.paste(words, 2 + (room - words.width) // 2, 0)
    return strip.invert() if alert else strip
