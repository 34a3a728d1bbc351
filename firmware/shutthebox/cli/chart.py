"""A bar chart of a score distribution: as text, or as SVG."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.files import shown_path, write_file

WIDTH, HEIGHT = 800, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 50, 50
_MAX_BARS = 80
_MAX_LINES, _LINE_WIDTH = 24, 40
_FAR = 300
_BAR, _INK, _PAPER, _LINE = "#2a6f4e", "#222222", "#ffffff", "#dddddd"


class ChartError(ShutTheBoxError, ValueError):
    """A bad file name for a chart; the message says what's allowed."""


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
    """The distribution as a limited number of bars, by rising score.

    Each score gets its own bar if they all fit; 0 always does. Otherwise bars are equally wide, or,
    where scores lie far apart (digits), each holds equally many of them.
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


def text_chart(distribution: Mapping[int, float]) -> str:
    """The distribution as lines of text, a bar each."""
    shown = [bar for bar in bars(distribution, _MAX_LINES) if bar.chance > 0.0]
    largest = max(bar.chance for bar in shown)
    pad = max(len(bar.label) for bar in shown)
    lines = []
    for bar in shown:
        drawn = "#" * round(_LINE_WIDTH * bar.chance / largest)
        lines.append(f"  {bar.label:>{pad}} {100 * bar.chance:6.2f} % {drawn}".rstrip())
    return "\n".join(lines)


def svg(distribution: Mapping[int, float], title: str) -> str:
    """The chart as an SVG document."""
    shown = bars(distribution, _MAX_BARS)
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
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>',
        f'<text x="{_LEFT}" y="28" font-size="16">{escape(title)}</text>',
    ]
    for y, label in grid:
        lines.append(
            f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" stroke="{_LINE}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
        )
    lines += [
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{_BAR}"/>'
        for x, y, width, height in boxes
    ]
    lines += [
        f'<text x="{x:.1f}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{label}</text>'
        for x, label in labels
    ]
    lines.append(f'<text x="{WIDTH - _RIGHT}" y="{HEIGHT - 10}" text-anchor="end">final score</text>')
    return "\n".join([*lines, "</svg>", ""])


def write_chart(path: Path, distribution: Mapping[int, float], title: str) -> None:
    """Writes the chart as SVG.

    Raises:
        ChartError: for a name with another ending.
        ShutTheBoxError: if the file can't be written.
    """
    if path.suffix.lower() != ".svg":
        raise ChartError(f"--plot: {shown_path(path)} is not allowed; use a name ending in .svg")
    write_file(path, svg(distribution, title), "--plot")
