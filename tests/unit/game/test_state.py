"""By whose rules the handlers judge."""

import ast
from pathlib import Path

from tests.support.sources import nodes_of

from shutthebox import game


def test_handlers_judge_a_turn_by_the_rules_of_its_seat() -> None:
    """The table's game knows no head start of a seat: with it a match would get stuck."""
    wrong = []
    for path in sorted(Path(game.__file__).parent.rglob("*.py")):
        for call in nodes_of(path):
            if isinstance(call, ast.Call):
                given = {
                    ast.unparse(argument) for argument in call.args if isinstance(argument, ast.Attribute)
                }
                wrong += [
                    f"{path.name}:{call.lineno}: {ast.unparse(call)}"
                    for table in given
                    if table.endswith("match.game") and table.removesuffix("game") + "turn" in given
                ]
    assert wrong == []
