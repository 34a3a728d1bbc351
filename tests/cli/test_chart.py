"""The chart of scores: its bars, and where everything stands in the picture."""

import pytest

from shutthebox.cli.chart import bars, svg

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


def test_the_whole_chart() -> None:
    assert svg(CHANCES, "a <b>") == SVG
