"""The plots of docs/classroom.md: made by its own lines of code, and put behind them on the site."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = "docs/classroom.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n.*?^```\n)?", re.MULTILINE | re.DOTALL)
_PLOT = re.compile(r'savefig\("([\w-]+\.svg)"\)')


def add_plots(source: Path) -> None:
    """Runs the page's blocks of code, and shows the plot of each behind it.

    Args:
        source: the folder with the site's pages, the page among them.
    """
    page, plots = source / PAGE, source / "docs" / "plots"
    plots.mkdir(parents=True, exist_ok=True)
    text = page.read_text(encoding="utf-8")
    page.write_text(_BLOCK.sub(lambda found: found[0] + _plot(found[1], plots), text), encoding="utf-8")


def _plot(code: str, plots: Path) -> str:
    made = _PLOT.search(code)
    if made is None:
        return ""
    # The same plot has the same bytes, whenever it's made.
    same = 'import matplotlib; matplotlib.rcParams["svg.hashsalt"] = "shutthebox"\n'
    environ = {**os.environ, "MPLBACKEND": "agg", "SOURCE_DATE_EPOCH": "0"}
    subprocess.run([sys.executable, "-c", same + code], cwd=plots, env=environ, check=True, stdout=-3)
    return f"\n![The plot of these lines](plots/{made[1]})\n"
