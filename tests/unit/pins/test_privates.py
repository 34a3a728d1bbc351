"""What is private to gpiozero is used in one module, so that a new gpiozero can be checked against it."""

import ast
from pathlib import Path

import gpiozero_gpiod

FOLDER = Path(gpiozero_gpiod.__file__).parent
HOW_PINS_ARE_MADE = {"_when_changed_lock", "_call_when_changed", "_get_board_info"}


def test_no_other_module_reads_private_names_of_gpiozero() -> None:
    trees = {path.name: ast.parse(path.read_text("utf-8")) for path in FOLDER.glob("*.py")}
    own, used = set[str](), dict[str, str]()
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                own.add(node.name)
            elif isinstance(node, ast.Attribute) and node.attr.startswith("_") and name != "privates.py":
                if isinstance(node.ctx, ast.Store):
                    own.add(node.attr)
                elif not node.attr.startswith("__"):
                    used[node.attr] = f"{name}:{node.lineno}"
    unknown = {name: where for name, where in used.items() if name not in own | HOW_PINS_ARE_MADE}
    assert not unknown, "name it in privates.py, and say why"
