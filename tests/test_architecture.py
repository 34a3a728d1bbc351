"""The page on the architecture says what is so."""

import re
from pathlib import Path

import shutthebox
from shutthebox.game.machine import Machine
from shutthebox.game.mode import Mode
from shutthebox.game.modes import TABLE, Input, diagram

PAGE = Path(shutthebox.__file__).with_name("ARCHITECTURE.md")


def test_the_machines_diagram_is_drawn_from_its_table() -> None:
    blocks = re.findall(
        r"^```mermaid\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    drawn = [block for block in blocks if block.startswith("stateDiagram")]
    assert drawn == [diagram()], "replace the block with what shutthebox.game.modes.diagram() gives"


def test_the_diagram_has_every_way_of_the_table() -> None:
    lines = diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "    [*] --> attract"]
    found = set()
    for line in lines[2:]:
        way = re.fullmatch(r"    (\w+) --> (\w+): (.+)", line)
        assert way, line
        inputs = re.findall("|".join(re.escape(given.value) for given in Input), way[3])
        assert ", ".join(inputs) == way[3], "nothing but inputs of the machine"
        found |= {(way[1], way[2], Input(given)) for given in inputs}
    wanted = {
        (mode.replace("-", "_"), target.replace("-", "_"), given)
        for (mode, given), (_, targets) in TABLE.items()
        for target in targets
    }
    assert found == wanted


def test_every_handler_of_the_table_is_one_of_the_machines() -> None:
    assert all(callable(getattr(Machine, f"_{handler}", None)) for handler, _ in TABLE.values())


def test_every_mode_that_can_be_entered_can_be_left() -> None:
    entered = {target for _, targets in TABLE.values() for target in targets}
    left = {mode for (mode, _), (_, targets) in TABLE.items() if targets}
    assert entered <= left
    assert Mode.ATTRACT in entered
