"""Every effect of scenarios as a line, with a digest of its picture; a browser runs it, too."""

import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shutthebox.adapters.display.layout import draw
from shutthebox.game.effects import Show
from shutthebox.simulator.scenario.effect_lines import ReplayedEffect, as_json
from shutthebox.simulator.scenario.player import ScenarioPlayer
from shutthebox.simulator.scenario.script import read
from shutthebox.translations import localize_screen


def lines_of(folder: Path) -> Iterator[str]:
    """The lines of all scenarios in a folder, in the order of their names."""
    for path in sorted(folder.glob("*.scn")):
        lines: list[str] = []
        with tempfile.TemporaryDirectory() as state:
            ScenarioPlayer(
                read(path), Path(state), None, lambda *told, lines=lines: lines.append(_line(*told))
            ).run()
        yield from (f"{path.name} {line}" for line in lines)


def _line(effect: ReplayedEffect, t_ns: int) -> str:
    picture = b""
    if isinstance(effect, Show) and not effect.asleep:
        picture = draw(localize_screen(effect), 0).tobytes()
    return f"{as_json(effect, t_ns)} {hashlib.sha256(picture).hexdigest()[:12]}"
