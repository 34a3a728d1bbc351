"""Nothing of a kind is left out: what the code has is drawn, walked, told and wired, kind by kind.

The type checker sees to whatever is a `match`; this reads the rest.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from enum import Enum
from pathlib import Path
from typing import get_args

import pytest
from tests.support.machine import Table, settings_for
from tests.support.sources import nodes_of

import shutthebox
from shutthebox.game import menu_items
from shutthebox.game.inputs import Input
from shutthebox.game.switches.switch import BUTTONS
from shutthebox.game.table import ADVICE, INPUT_NAMES
from shutthebox.rules.actions import ACTIONS, Action, Advanced, Moved, OutOfTime, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile, ShutWins
from shutthebox.rules.record import Record, parse, replay, write
from shutthebox.rules.turn import Outcome
from shutthebox.simulator.page.turns import TurnList
from shutthebox.speech.sentences import screen_parts
from shutthebox.translations import finished_codes, localize_screen, translations

PACKAGE, TESTS = Path(shutthebox.__file__).parent, Path(__file__).parent


def calls(*paths: Path) -> set[str]:
    """The names of everything that is called in these modules."""
    nodes = (node for path in paths for node in nodes_of(path))
    return {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}


def attributes(*paths: Path) -> set[str]:
    """All attributes that are read in these modules."""
    nodes = (node for path in paths for node in nodes_of(path))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def said(*paths: Path) -> set[str]:
    """All names and attributes in these modules."""
    nodes = (node for path in paths for node in nodes_of(path))
    return attributes(*paths) | {node.id for node in nodes if isinstance(node, ast.Name)}


def lacking(kinds: Iterable[type | Enum], names: set[str]) -> list[str]:
    found = (kind.name if isinstance(kind, Enum) else kind.__name__ for kind in kinds)
    return [name for name in found if name not in names]


def test_every_action_can_be_done_at_the_box() -> None:
    assert not lacking(ACTIONS, calls(*(PACKAGE / "game").rglob("*.py"))), "no mode of the box does it"


def test_every_input_is_given_and_obeyed() -> None:
    inputs = get_args(Input)
    sources = [path for path in PACKAGE.rglob("*.py") if path.name != "inputs.py"]
    assert not lacking(inputs, calls(*sources)), "nothing gives it to the machine"
    obeyed = said(PACKAGE / "game/machine.py") | {kind.__name__ for kind in INPUT_NAMES}
    obeyed |= {came.__name__ for _, came in ADVICE}
    assert not lacking(inputs, obeyed), "neither the table nor the machine knows it"
    of_buttons = [type(button.event) for button in BUTTONS.values() if button.event is not None]
    assert not lacking(of_buttons, {kind.__name__ for kind in INPUT_NAMES}), "the table has no rows for it"


def test_every_action_is_walked() -> None:
    """Through every state of small games: what is kept of it gives the same match."""
    assert not lacking(ACTIONS, said(TESTS / "support/walk.py")), "the walk does not take it in"


TINY = Profile("tiny", tiles=(1, 2), dice=1, sides=3, boxes=(), rounds=2, shut_wins=ShutWins.NO)
SHUTS = (Thrown((3,)), Moved(0b11))
ENDINGS: Mapping[Outcome, tuple[Profile, tuple[Action, ...]]] = {
    Outcome.SHUT: (TINY, SHUTS),
    Outcome.BLOCKED: (TINY, (Thrown((1,)), Moved(0b01), Thrown((1,)))),
    Outcome.TIME: (replace(TINY, turn_seconds=30), (Thrown((1,)), OutOfTime())),
    Outcome.LOST: (replace(TINY, first_move_must_include=2), (Thrown((1,)),)),
    Outcome.ENDED: (replace(TINY, ends_turn_on=frozenset({3})), (Thrown((3,)),)),
    Outcome.UNPLAYED: (replace(TINY, shut_wins=ShutWins.ROUND), SHUTS),
}
"""Per outcome a game and a turn that end so."""


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_of_a_turn_is_played_recorded_shown_and_said(outcome: Outcome) -> None:
    assert outcome in ENDINGS, "a game and a turn that end so: ENDINGS"
    profile, actions = ENDINGS[outcome]
    *_, ended = replay(Record(profile, 2, 2, actions))
    assert outcome in {row.outcome for row in ended.rows}, "played"
    record = Record(profile, 2, 2, (*actions, Advanced()))
    assert parse(write(record), "here", lambda *_: profile) == record, "recorded and read"
    settings = settings_for(profile, players=2)
    show = Table(settings, match=begin(profile, 2, 2), actions=actions).show
    for code in finished_codes():
        translated = show._replace(language=code)
        assert localize_screen(translated).prompts[0], "shown"
        assert screen_parts(translated, translations()[code])["prompt"], "said"
    turns = TurnList().follow(begin(profile, 2, 2), actions)
    assert turns[-1]["score"] is not None, "shown on the page"


NO_RULES = {"name", "titles", "source", "group"}
"""What a game is called, and where it stands."""


def test_every_key_of_a_game_is_obeyed_and_told() -> None:
    keys = {key.name for key in fields(Profile)} - NO_RULES
    rules, words = set((PACKAGE / "rules").glob("*.py")), PACKAGE / "rules/words.py"
    # Some are read by way of a property of `Profile`.
    told = said(words) | attributes(PACKAGE / "rules/profile.py")
    # Each order of play tells its own.
    tells = [node for node in nodes_of(PACKAGE / "rules/orders.py") if getattr(node, "name", "") == "rules"]
    told |= {node.attr for tell in tells for node in ast.walk(tell) if isinstance(node, ast.Attribute)}
    assert sorted(keys - told) == [], "no player reads of it: rules/words.py, or rules in rules/orders.py"
    obeyed = attributes(*(rules - {words, PACKAGE / "rules/writer.py", PACKAGE / "rules/reader.py"}))
    assert sorted(keys - obeyed) == [], "no rule obeys it"


def test_every_item_of_the_menu_is_in_it() -> None:
    items = {name: value for name, value in vars(menu_items).items() if isinstance(value, menu_items.Item)}
    assert [name for name, item in items.items() if item not in menu_items.MENU_LINES] == [], "MENU_LINES"
