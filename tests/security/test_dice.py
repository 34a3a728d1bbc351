"""The dice are the system's entropy, and nothing on the box can set a throw.

A running box has these inputs: its levers and its button, the config, the environment, the command line,
the store. Each is gone through here; there are no others (`test_network`).
"""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from tests.security.ran import Ran

import shutthebox
from shutthebox.cli.main import command_line
from shutthebox.config.schema import SECTIONS, Config
from shutthebox.config.settings_loader import with_choices
from shutthebox.game.inputs import Input
from shutthebox.game.machine import Machine
from shutthebox.game.menu_items import CHOOSABLE, MENU_LINES, Item
from shutthebox.game.settings import DiceKind
from shutthebox.runtime.runner import Runner

pytestmark = pytest.mark.slow

PACKAGE = Path(shutthebox.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
BEGIN_AND_THROW = ("begin", "throw")


# -- where they come from ----------------------------------------------------------------


@pytest.mark.parametrize(("byte", "face"), [(0b000_00000, 1), (0b010_00000, 3), (0b101_00000, 6)])
def test_a_throw_is_what_the_systems_entropy_says(run_box: Callable[..., Ran], byte: int, face: int) -> None:
    """`run` itself plays; the kernel's random bytes are replaced, and the throw follows them."""
    ran = run_box(*BEGIN_AND_THROW, entropy=str(byte))
    assert ran.throws == [f"throw {face}+{face}"]
    assert ran.asked == 2


def test_every_throw_is_from_the_systems_source() -> None:
    """By `run`, and by `sim`, which is honest too; scenarios queue theirs on a box of their own."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = {ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func) == "RandomDice"}
    assert made == {"SystemRandom().randrange"}


# -- what could set them -----------------------------------------------------------------


def test_hands_move_contacts_and_nothing_else() -> None:
    """The inputs of the machine and the runner; no dice among them."""
    for kind in (Machine, Runner):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                taken = " ".join(str(p.annotation) for p in inspect.signature(method).parameters.values())
                assert "Throw" not in taken, f"{kind.__name__}.{name}"
                assert "RandomDice" not in taken, f"{kind.__name__}.{name}"
    for given in get_args(Input):
        assert not {"faces", "throw"} & set(inspect.signature(given).parameters), given


ABOUT_DICE = re.compile("dice|die|seed|throw|random", re.IGNORECASE)


def test_the_only_key_about_dice_says_who_throws_and_nobody_chooses_it_at_the_box() -> None:
    keys = {f"{section}.{key}" for section, keys in SECTIONS.items() for key in keys}
    assert {key for key in keys if ABOUT_DICE.search(key)} == {"game.dice"}
    assert set(DiceKind) == {"auto", "real"}
    changed = {entry.key for entry in MENU_LINES if isinstance(entry, Item)}
    assert changed <= CHOOSABLE <= keys
    assert not [key for key in CHOOSABLE if ABOUT_DICE.search(key) or "tournament" in key]
    assert Config().tournament.file == "", "which would give all boxes equal dice"


def test_neither_an_option_nor_the_environment_says_what_to_throw() -> None:
    _, commands = command_line(["run"])
    read = {option for action in commands["run"].arguments for option in action.option_strings}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        read |= set(re.findall(r'environ(?:ment)?(?:\.\w+)?[(\[]\s*"(\w+)"', text))
        assert "getenv" not in text
    assert {"--config", "STATE_DIRECTORY"} <= read
    assert not [name for name in read if ABOUT_DICE.search(name)]


@pytest.mark.parametrize(
    ("key", "value"), [("game.dice", "real"), ("gpio.levers", [5]), ("store.folder", "/"), ("game.seed", 1)]
)
def test_what_the_store_says_was_chosen_is_what_can_be_chosen(key: str, value: object) -> None:
    """A row that somebody put there by hand reaches no key that the menu does not offer."""
    chosen: dict[str, object] = {"game.players": 3}
    assert with_choices(Config(), {key: value, **chosen}) == with_choices(Config(), chosen)


# -- the players' own --------------------------------------------------------------------


def test_throws_of_real_dice_are_kept_but_not_counted(run_box: Callable[..., Ran]) -> None:
    """Four presses and a hold enter a 4: part of the match, no evidence on the box's dice."""
    ran = run_box("begin", *["press"] * 4, "enter", game='dice = "real"', entropy="0")
    assert ran.throws == ["throw 4"]
    assert ran.counted == 0
    assert ran.asked == 0


def test_throws_of_the_box_are_counted(run_box: Callable[..., Ran]) -> None:
    assert run_box(*BEGIN_AND_THROW).counted == 1
