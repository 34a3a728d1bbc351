"""The dice are the system's entropy, and nothing on the box can set a throw.

A running box has these inputs: its levers and its button, the config, the environment, the command line,
the store. Each is gone through here; there are no others (`test_network`).
"""

import ast
import inspect
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from tests.security.conftest import Ran

import shutthebox
from shutthebox.adapters.store.database import FILE_NAME
from shutthebox.cli.main import command_line, main
from shutthebox.config.schema import Config, ConfigError, DiceKind, parse_config
from shutthebox.config.settings_loader import with_choices
from shutthebox.game.inputs import Input
from shutthebox.game.machine import Machine
from shutthebox.game.menu_items import CHOOSABLE, MENU_LINES, Item, ToPuzzle, ToService, ToStatistics
from shutthebox.runtime.runner import Runner
from shutthebox.simulator.virtual_box import VirtualBox

pytestmark = pytest.mark.slow

PACKAGE = Path(shutthebox.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
BEGIN_AND_THROW = ("press", "press", "press")


# -- where they come from ----------------------------------------------------------------


@pytest.mark.parametrize(("byte", "face"), [(0b000_00000, 1), (0b010_00000, 3), (0b101_00000, 6)])
def test_a_throw_is_what_the_systems_entropy_says(run_box: Callable[..., Ran], byte: int, face: int) -> None:
    """`run` itself plays; the kernel's random bytes are replaced, and the throw follows them."""
    ran = run_box(*BEGIN_AND_THROW, entropy=str(byte))
    assert ran.throws == [f"throw {face}+{face}"]
    assert ran.asked == 2


def calls(name: str) -> Iterator[tuple[Path, ast.Call]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
                yield path, node


def test_dice_are_made_in_two_places_both_from_secrets() -> None:
    """By `run`, and by `sim`, which is honest too; scenarios queue theirs on a box of their own."""
    made = {(path.name, ast.unparse(call.args[0])) for path, call in calls("RandomDice")}
    assert made == {("run.py", "secrets.randbelow"), ("sim.py", "secrets.randbelow")}


def test_equal_dice_are_apart() -> None:
    """Only a tournament's file makes them, and only a throw of its match takes from them."""
    makers = {path.relative_to(PACKAGE).as_posix() for path, _ in calls("tournament_from_text")}
    assert makers == {"cli/verify.py", "config/settings_loader.py"}
    takers = {path.relative_to(PACKAGE).as_posix() for path, _ in calls("tournament.throw")}
    assert takers == {"game/modes/rolling.py", "rules/equal_dice.py"}
    assert not [path for path, _ in calls("Tournament") if path.parent.name != "rules"]
    # Chosen by nobody at the box, and off unless the owner's config names a file.
    assert not [key for key in CHOOSABLE if "tournament" in key]
    assert Config().tournament.file == ""


def test_there_are_no_other_dice() -> None:
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
                if {"throw", "draw"} <= methods:
                    found.add((path.relative_to(PACKAGE).as_posix(), node.name))
    assert found == {
        ("game/dice.py", "Dice"),  # the protocol
        ("game/dice.py", "RandomDice"),
        ("simulator/virtual_box.py", "QueuedDice"),
    }


def test_run_does_not_even_load_the_dice_of_scenarios(run_box: Callable[..., Ran]) -> None:
    loaded = set(run_box("press").modules)
    assert "shutthebox.game.dice" in loaded
    of_scenarios = re.compile(r"shutthebox\.simulator\.(virtual_box|scenario|page)")
    assert not {name for name in loaded if of_scenarios.match(name)}


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
        assert not {"faces", "throw"} & {field.name for field in fields(given)}, given


def test_nothing_about_dice_is_chosen_at_the_box() -> None:
    assert {
        "game.profile", "game.players", "game.rounds", "game.limit", "game.computers", "game.hints",
        "game.names", "game.teams", "game.handicap", "game.turn_seconds", "game.strength", "game.first",
        "game.stakes", "game.family", "box.language", "box.sound", "display.brightness", "box.out_of_play",
    } == CHOOSABLE  # fmt: skip
    changed = {entry.key for entry in MENU_LINES if isinstance(entry, Item)}
    assert changed == CHOOSABLE - {"box.out_of_play"}
    assert {type(entry) for entry in MENU_LINES} == {Item, ToStatistics, ToPuzzle, ToService}


def test_the_only_key_about_dice_says_who_throws() -> None:
    keys = {f"{s.name}.{key.name}" for s in fields(Config) for key in fields(getattr(Config(), s.name))}
    assert {key for key in keys if re.search("dice|die|seed|throw|random", key)} == {"game.dice"}
    assert set(DiceKind) == {"auto", "real"}


@pytest.mark.parametrize(
    "line",
    ["dice = [3, 5]", 'dice = "3 5"', 'dice = "fixed"', "seed = 1", "throw = [6, 6]", 'dice = "queued"'],
)
def test_a_config_cannot_set_them(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError):
        parse_config(f"[game]\n{line}\n", "config.toml")
    config = tmp_path / "config.toml"
    config.write_text(f"[game]\n{line}\n")
    assert main(["run", "--config", str(config)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_run_takes_two_options() -> None:
    _, commands = command_line(["run"])
    options = {option for action in commands["run"].arguments for option in action.option_strings}
    assert options == {"-h", "--help", "--config", "--record"}


@pytest.mark.parametrize("word", [["--seed", "1"], ["--dice", "6 6"], ["match.scn"]])
def test_no_argument_sets_them(word: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", *word])
    assert caught.value.code == 2


def test_the_environment_says_where_and_never_what() -> None:
    read = set()
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        read |= set(re.findall(r'environ(?:ment)?(?:\.\w+)?[(\[]\s*"(\w+)"', text))
        assert "getenv" not in text
    assert read == {
        "LG_WD", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET", "RUNTIME_DIRECTORY", "SERVICE_RESULT",
        "SHUTTHEBOX_OUTBOX", "STATE_DIRECTORY", "WATCHDOG_PID", "WATCHDOG_USEC", "XDG_STATE_HOME",
    }  # fmt: skip


def test_variables_of_libraries_change_nothing(run_box: Callable[..., Ran]) -> None:
    ran = run_box(
        *BEGIN_AND_THROW, entropy="0", GPIOZERO_PIN_FACTORY="mock", PYTHONHASHSEED="1", SHUTTHEBOX_DICE="6 6"
    )
    assert ran.throws == ["throw 1+1"]


@pytest.mark.parametrize(
    "key", ["game.dice", "game.setup", "gpio.levers", "store.folder", "seed", "game.seed"]
)
def test_what_the_store_says_was_chosen_is_what_can_be_chosen(key: str) -> None:
    """A row that somebody put there by hand reaches no key that the menu does not offer."""
    value = {"game.dice": "real", "game.setup": "usual", "gpio.levers": [5], "store.folder": "/"}.get(key, 1)
    assert with_choices(Config(), {key: value, "game.players": 3}) == with_choices(
        Config(), {"game.players": 3}
    )


# -- the players' own --------------------------------------------------------------------


def test_throws_of_real_dice_are_kept_but_not_counted(run_box: Callable[..., Ran]) -> None:
    """Four presses and a hold enter a 4: part of the match, no evidence on the box's dice."""
    ran = run_box("press", *["press"] * 4, "hold", game='dice = "real"', entropy="0")
    assert ran.throws == ["throw 4"]
    assert ran.counted == 0
    assert ran.asked == 0


def test_throws_of_the_box_are_counted(run_box: Callable[..., Ran]) -> None:
    assert run_box(*BEGIN_AND_THROW).counted == 1


@pytest.mark.parametrize("kind", list(DiceKind))
def test_so_it_is_on_a_virtual_box(kind: DiceKind, tmp_path: Path) -> None:
    box = VirtualBox(
        parse_config(f'[game]\ndice = "{kind}"\nsetup = "usual"\n', "config"), tmp_path, advised=False
    )
    for _ in range(4):
        box.press(100_000_000)
        box.run_until(box.now_ns + 1_500_000_000)
    box.press(1_000_000_000)
    box.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert db.execute("select count(*) from fact where text like 'throw%'").fetchone() == (1,)
        (counted,) = db.execute("select count(*) from throws where die = 0").fetchone()
    assert counted == (1 if kind is DiceKind.AUTO else 0)
