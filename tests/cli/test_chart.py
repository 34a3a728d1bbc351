"""The chart of scores: its bars, and where everything stands in the picture."""

from pathlib import Path

import pytest
from PIL import Image

from shutthebox.cli import chart
from shutthebox.cli.chart import bars, svg, text_chart, write_chart

BAR, PAPER, LINE = (0x2A, 0x6F, 0x4E), (0xFF, 0xFF, 0xFF), (0xDD, 0xDD, 0xDD)
CHANCES = {0: 0.5, 1: 0.25, 3: 0.25}
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="800" height="400" viewBox="0 0 800 400" \
font-family="sans-serif" font-size="12" fill="#222222">
<title>a &lt;b&gt;</title>
<rect width="800" height="400" fill="#ffffff"/>
<text x="60" y="28" font-size="16">a &lt;b&gt;</text>
<path d="M60 350.0H780" stroke="#dddddd"/><text x="54" y="354.0" text-anchor="end">0 %</text>
<path d="M60 290.0H780" stroke="#dddddd"/><text x="54" y="294.0" text-anchor="end">10 %</text>
<path d="M60 230.0H780" stroke="#dddddd"/><text x="54" y="234.0" text-anchor="end">20 %</text>
<path d="M60 170.0H780" stroke="#dddddd"/><text x="54" y="174.0" text-anchor="end">30 %</text>
<path d="M60 110.0H780" stroke="#dddddd"/><text x="54" y="114.0" text-anchor="end">40 %</text>
<path d="M60 50.0H780" stroke="#dddddd"/><text x="54" y="54.0" text-anchor="end">50 %</text>
<rect x="78.00" y="50.00" width="144.00" height="300.00" fill="#2a6f4e"/>
<rect x="258.00" y="200.00" width="144.00" height="150.00" fill="#2a6f4e"/>
<rect x="438.00" y="350.00" width="144.00" height="0.00" fill="#2a6f4e"/>
<rect x="618.00" y="200.00" width="144.00" height="150.00" fill="#2a6f4e"/>
<text x="150.0" y="368" text-anchor="middle">0</text>
<text x="330.0" y="368" text-anchor="middle">1</text>
<text x="510.0" y="368" text-anchor="middle">2</text>
<text x="690.0" y="368" text-anchor="middle">3</text>
<text x="780" y="390" text-anchor="end">final score</text>
</svg>
"""


@pytest.mark.parametrize(
    ("scores", "most", "shown"),
    [
        ([2, 4], 3, [(2, 2), (3, 3), (4, 4)]),  # all fit, also one that nobody scores
        ([2, 4], 2, [(2, 3), (4, 4)]),
        (range(10), 4, [(0, 0), (1, 3), (4, 6), (7, 9)]),  # a shut box stands alone
        (range(1, 11), 4, [(1, 3), (4, 6), (7, 9), (10, 10)]),
        (range(11), 4, [(0, 0), (1, 4), (5, 8), (9, 10)]),
        ([0, 1, 2, 299], 3, [(0, 0), (1, 150), (151, 299)]),  # equally wide
        ([0, 1, 2, 300], 3, [(0, 0), (1, 2), (300, 300)]),  # so far apart: equally many
        ([1, 2, 3, 400], 2, [(1, 2), (3, 400)]),
        ([1, 2, 3, 400, 500], 2, [(1, 3), (400, 500)]),
    ],
)
def test_scores_share_bars(scores: range | list[int], most: int, shown: list[tuple[int, int]]) -> None:
    chances = {score: 1 / 64 + score / 65536 for score in scores}
    found = bars(chances, most)
    assert [(bar.low, bar.high) for bar in found] == shown
    for bar in found:
        assert bar.chance == sum(chance for score, chance in chances.items() if bar.low <= score <= bar.high)


def test_a_score_that_nobody_has_is_no_line() -> None:
    assert text_chart({0: 0.5, 5: 0.125, 12: 0.375}, width=8) == (
        "   0  50.00 % ########\n   5  12.50 % ##\n  12  37.50 % ######"
    )
    assert text_chart({9: 0.999, 10: 0.001}, width=8) == "   9  99.90 % ########\n  10   0.10 %"


def test_the_whole_chart() -> None:
    assert svg(CHANCES, "a <b>") == SVG


@pytest.mark.parametrize(
    ("largest", "grid"),
    [
        (0.045, ["0 %", "1 %", "2 %", "3 %", "4 %", "5 %"]),
        (0.06, ["0 %", "1 %", "2 %", "3 %", "4 %", "5 %", "6 %"]),
        (0.061, ["0 %", "2 %", "4 %", "6 %", "8 %"]),
        (0.13, ["0 %", "5 %", "10 %", "15 %"]),
        (0.31, ["0 %", "10 %", "20 %", "30 %", "40 %"]),
        (0.61, ["0 %", "20 %", "40 %", "60 %", "80 %"]),
        (1.0, ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]),
    ],
)
def test_the_grid_has_round_steps_and_ends_above_the_highest_bar(largest: float, grid: list[str]) -> None:
    layout = chart._layout({0: largest})
    assert [label for _, label in layout.grid] == grid
    heights = [y for y, _ in layout.grid]
    assert (heights[0], heights[-1]) == pytest.approx((350, 50))
    assert layout.boxes[0][1] >= 50


@pytest.mark.parametrize(("count", "far", "every"), [(20, 1, 1), (45, 1, 2), (50, 7, 3), (80, 1, 3)])
def test_labels_leave_room_for_each_other(count: int, far: int, every: int) -> None:
    """A figure takes some 7 pixels; as many bars are labelled as there is room for."""
    chances = {far * number: 1 / count for number in range(count)}
    layout = chart._layout(chances)
    labels = [label for _, label in layout.labels]
    assert labels == [bar.label for bar in bars(chances, 80)][::every]
    between = layout.labels[1][0] - layout.labels[0][0]
    assert between >= 7 * max(map(len, labels))


def test_the_same_chart_as_png(tmp_path: Path) -> None:
    path = tmp_path / "chart.png"
    write_chart(path, CHANCES, "a title")
    with Image.open(path) as image:
        assert image.size == (800, 400)
        pixels = image.convert("RGB").load()
        assert pixels is not None
        for left, top, right in ((78, 50, 222), (258, 200, 402), (618, 200, 762)):
            for x, y in ((left, top), (right, top), (left, 350), (right, 350), ((left + right) // 2, 300)):
                assert pixels[x, y] == BAR
            assert pixels[left - 1, top + 5] == pixels[right + 1, top + 5] == PAPER
            assert pixels[left + 5, top - 1] == PAPER
        assert pixels[510, 350] == BAR, "a score that nobody has is a line on the floor"
        assert pixels[510, 349] == PAPER
        for y in (170, 230, 290):
            assert [pixels[x, y] for x in (59, 60, 780, 781)] == [PAPER, LINE, LINE, PAPER]

        def inked(box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
            found = image.convert("L").crop(box).point(lambda grey: 255 * (grey < 128)).getbbox()
            assert found is not None
            left, top, right, bottom = found
            return left + box[0], top + box[1], right + box[0], bottom + box[1]

        assert inked((0, 0, 800, 45))[0] in range(60, 64), "the title"
        assert inked((0, 375, 800, 400))[2] in range(776, 781), "the final score"
        assert inked((0, 100, 58, 120))[2] in range(50, 55), "the steps of the grid, beside its lines"
        left, _, right, _ = inked((70, 353, 230, 375))
        assert abs((left + right) / 2 - 150) <= 2, "each score under its bar"


@pytest.mark.parametrize("name", ["chart.gif", "chart", "chart.svg.gz"])
def test_another_kind_of_picture_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(chart.ChartError, match="is neither; allowed are names ending in"):
        write_chart(path, CHANCES, "")
    assert not path.exists()
