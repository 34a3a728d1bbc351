"""The page on the architecture says what is so."""

import re
from pathlib import Path

import shutthebox
from shutthebox.game.mode import Mode
from shutthebox.game.table import INPUT_NAMES, diagram, transitions

PAGE = Path(shutthebox.__file__).with_name("ARCHITECTURE.md")


def test_the_machines_diagram_is_drawn_from_its_table() -> None:
    blocks = re.findall(
        r"^```mermaid\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    drawn = [block for block in blocks if block.startswith("stateDiagram")]
    assert drawn == [diagram()], "replace the block with what shutthebox.game.table.diagram() gives"


def test_the_diagram_has_every_way_of_the_table() -> None:
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "    [*] --> attract"]
    found = set()
    for line in lines[2:]:
        way = re.fullmatch(r"    (\w+) --> (\w+): (.+)", line)
        assert way, line
        names = "|".join(re.escape(name) for name in (*INPUT_NAMES.values(), "the computer's answer"))
        inputs = re.findall(names, way[3])
        assert ", ".join(inputs) == way[3], "nothing but inputs of the machine"
        found |= {(way[1], given, way[2]) for given in inputs}
    assert found == {
        (mode.replace("-", "_"), given, target.replace("-", "_")) for mode, given, target in transitions()
    }


def test_every_mode_that_can_be_entered_can_be_left() -> None:
    entered = {target for _, _, target in transitions()}
    left = {mode for mode, _, _ in transitions()}
    assert entered == left == set(Mode)
