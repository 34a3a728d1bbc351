"""A bar chart of a score distribution: as text, as SVG, or as PNG if Pillow is there."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.files import open_to_write, reason, shown_path

WIDTH, HEIGHT = 800, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 50, 50
_MOST_BARS = 80
_FAR = 300
_BAR, _INK, _PAPER, _LINE = "#2a6f4e", "#222222", "#ffffff", "#dddddd"


class ChartError(ShutTheBoxError, ValueError):
    """A chart that cannot be drawn or written; the text says why."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Scores from `low` to `high` together, and their probability."""

    low: int
    high: int
    chance: float

    @property
    def label(self) -> str:
        """The score, or the range of scores."""
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


def bars(distribution: Mapping[int, float], most: int) -> list[Bar]:
    """The distribution in at most so many bars, by rising score.

    A score has a bar of its own where all fit; a 0 always has. Else the bars are equally wide,
    or where scores lie far apart (digits), they hold equally many of them.
    """
    scores = sorted(distribution)
    span = scores[-1] - scores[0] + 1
    if span <= most:
        return [Bar(score, score, distribution.get(score, 0.0)) for score in range(scores[0], scores[-1] + 1)]
    alone = [scores[0]] if scores[0] == 0 else []
    if span > _FAR:
        rest = scores[len(alone) :]
        each = -(-len(rest) // (most - len(alone)))
        groups = [[score] for score in alone] + [rest[i : i + each] for i in range(0, len(rest), each)]
        return [Bar(group[0], group[-1], sum(distribution[score] for score in group)) for group in groups]
    first = scores[len(alone)]
    width = -(-(scores[-1] - first + 1) // (most - len(alone)))
    chances: dict[int, float] = {}
    for score in scores[len(alone) :]:
        at = (score - first) // width
        chances[at] = chances.get(at, 0.0) + distribution[score]
    grouped = [Bar(score, score, distribution[score]) for score in alone]
    for at in range(max(chances) + 1):
        low = first + at * width
        grouped.append(Bar(low, min(low + width - 1, scores[-1]), chances.get(at, 0.0)))
    return grouped


def text_chart(distribution: Mapping[int, float], most: int = 24, width: int = 40) -> str:
    """The distribution as lines of text, a bar each."""
    shown = [bar for bar in bars(distribution, most) if bar.chance > 0.0]
    largest = max(bar.chance for bar in shown)
    pad = max(len(bar.label) for bar in shown)
    lines = []
    for bar in shown:
        drawn = "#" * round(width * bar.chance / largest)
        lines.append(f"  {bar.label:>{pad}} {100 * bar.chance:6.2f} % {drawn}".rstrip())
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Layout:
    """A chart in pixels: boxes of (x, y, width, height), grid lines and texts by their places."""

    boxes: list[tuple[float, float, float, float]]
    grid: list[tuple[float, str]]
    labels: list[tuple[float, str]]


def _layout(distribution: Mapping[int, float]) -> _Layout:
    shown = bars(distribution, _MOST_BARS)
    largest = max(bar.chance for bar in shown)
    step = next(
        size * 10.0**power
        for power in range(-12, 1)
        for size in (1, 2, 5)
        if size * 10.0**power * 6 >= largest
    )
    top = step * -(-largest // step)
    wide, high = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
    slot = wide / len(shown)
    boxes = [
        (
            _LEFT + i * slot + slot * 0.1,
            _TOP + high * (1 - bar.chance / top),
            slot * 0.8,
            high * bar.chance / top,
        )
        for i, bar in enumerate(shown)
    ]
    count = round(top / step)
    grid = [(_TOP + high * (1 - i / count), f"{100 * i * step:g} %") for i in range(count + 1)]
    widest = max(len(bar.label) for bar in shown) * 7 + 8
    every = max(1, -(-int(widest) // max(1, int(slot))))
    labels = [(_LEFT + (i + 0.5) * slot, bar.label) for i, bar in enumerate(shown) if i % every == 0]
    return _Layout(boxes, grid, labels)


def svg(distribution: Mapping[int, float], title: str) -> str:
    """The chart as an SVG document."""
    layout = _layout(distribution)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>',
        f'<text x="{_LEFT}" y="28" font-size="16">{escape(title)}</text>',
    ]
    for y, label in layout.grid:
        lines.append(
            f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" stroke="{_LINE}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
        )
    lines += [
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{_BAR}"/>'
        for x, y, width, height in layout.boxes
    ]
    lines += [
        f'<text x="{x:.1f}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{label}</text>'
        for x, label in layout.labels
    ]
    lines.append(f'<text x="{WIDTH - _RIGHT}" y="{HEIGHT - 10}" text-anchor="end">final score</text>')
    return "\n".join([*lines, "</svg>", ""])


def write_chart(path: Path, distribution: Mapping[int, float], title: str) -> None:
    """Writes the chart as SVG or PNG, by the ending of the file's name.

    Raises:
        ChartError: for another name, without Pillow, or if the file cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise ChartError(f"--plot: {path} is neither; allowed are names ending in .svg or .png")
    try:
        if kind == ".svg":
            with open_to_write(path) as file:
                file.write(svg(distribution, title).encode())
        else:
            _write_png(path, distribution, title)
    except OSError as error:
        raise ChartError(f"--plot: {shown_path(path)}: {reason(error)}") from None


def _write_png(path: Path, distribution: Mapping[int, float], title: str) -> None:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ChartError(
            f"--plot: {path}: a PNG needs Pillow, which is missing; .svg needs nothing"
        ) from None
    layout = _layout(distribution)
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default()
    draw.text((_LEFT, 18), title, fill=_INK, font=font)
    for y, label in layout.grid:
        draw.line((_LEFT, y, WIDTH - _RIGHT, y), fill=_LINE)
        draw.text((_LEFT - 6 - draw.textlength(label, font=font), y - 6), label, fill=_INK, font=font)
    for x, y, width, height in layout.boxes:
        draw.rectangle((x, y, x + max(1.0, width), y + height), fill=_BAR)
    for x, label in layout.labels:
        at = x - draw.textlength(label, font=font) / 2
        draw.text((at, HEIGHT - _BOTTOM + 8), label, fill=_INK, font=font)
    right = WIDTH - _RIGHT - draw.textlength("final score", font=font)
    draw.text((right, HEIGHT - 20), "final score", fill=_INK, font=font)
    with open_to_write(path) as file:
        image.save(file, "PNG")
