"""Nothing of a kind is left out: what the code has is drawn, walked, told and wired, kind by kind.

The type checker sees to whatever is a `match`; this reads the rest.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from babel import Locale
from tests.support.extras import is_importable
from tests.support.machine import Table, settings_for
from tests.support.sources import nodes_of

import shutthebox
import shutthebox_league
import shutthebox_link
import shutthebox_uplink
import shutthebox_uplink.vitals
from doctools.diagram import INPUTS, modes
from shutthebox.adapters.store.scores import SHOWN, Past, Scores, ShownIn
from shutthebox.cli.main import MODULES
from shutthebox.config.schema import SECTIONS
from shutthebox.game import menu_items
from shutthebox.game.inputs import Input, ModeInput
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.match_mode import TurnMode
from shutthebox.game.switches.switch import BUTTONS
from shutthebox.link.messages import Message
from shutthebox.link.requests import LinkReport, LinkRequest
from shutthebox.owner.report import KINDS
from shutthebox.rules.actions import ACTIONS, Action, Advanced, Moved, OutOfTime, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile, ShutWins
from shutthebox.rules.record import Record, parse, replay, write
from shutthebox.rules.turn import Outcome
from shutthebox.simulator.page.message import PageRequest
from shutthebox.simulator.page.turns import TurnList
from shutthebox.speech.sentences import screen_parts
from shutthebox.translations import finished_codes, localize_screen, translations

PACKAGE, TESTS = Path(shutthebox.__file__).parent, Path(__file__).parents[1]
LINK = Path(shutthebox_link.__file__).parent


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
    of_modes = {kind.__name__ for kind in get_args(ModeInput)}
    obeyed = said(PACKAGE / "game/machine.py") | of_modes
    assert not lacking(inputs, obeyed), "neither a mode nor the machine knows it"
    of_buttons = [type(button.event) for button in BUTTONS.values() if button.event is not None]
    assert not lacking(of_buttons, of_modes), "no mode gets it: ModeInput in game/inputs.py"
    assert [name for name in INPUTS if not any(obeys(mode, name) for mode in all_modes())] == [], (
        "every mode ignores it: give the mode that it's for its method"
    )


@cache
def all_modes() -> tuple[type[BoxMode], ...]:
    """The classes of all modes."""
    return tuple(mode for classes in modes().values() for mode in classes)


def obeys(mode: type[BoxMode], name: str) -> bool:
    """Whether a mode does anything with an input: it has a method, or inherits one that doesn't ignore it."""
    method = getattr(mode, name)
    return method is not getattr(BoxMode, name) or "self.ignore(" not in inspect.getsource(method)


NOTHING_TO_ADVISE = {
    Mode.AWAITING: "the player is at the other box",
    Mode.ENTERING: "the players' dice lie there already",
    Mode.RAISING: "the row of the next player is what it is",
    Mode.ROLLING: "nobody has seen the throw yet",
}
"""Modes of a turn in which players decide nothing that has odds, each with the reason."""


def test_every_mode_of_a_turn_has_advice() -> None:
    """A player who holds the button where a decision is due gets a hint, if hints are on."""
    due = [mode for mode in all_modes() if issubclass(mode, TurnMode) and mode.name not in NOTHING_TO_ADVISE]
    silent = [mode.__name__ for mode in due if "AskHint" not in calls(source_of(mode))]
    assert silent == [], "ask for a hint (AskHint), or say in NOTHING_TO_ADVISE why there's nothing to ask"


def test_every_answer_of_the_odds_is_taken_by_the_mode_that_asks() -> None:
    """A mode inherits `take_advice`, which drops every answer: the player would wait for a hint for ever."""
    answers = {
        case.pattern.cls.id: case.body[0].value.func.id
        for case in nodes_of(PACKAGE / "odds/questions.py")
        if isinstance(case, ast.match_case)
        and isinstance(case.pattern, ast.MatchClass)
        and isinstance(case.pattern.cls, ast.Name)
        and isinstance(case.body[0], ast.Return)
        and isinstance(case.body[0].value, ast.Call)
        and isinstance(case.body[0].value.func, ast.Name)
    }
    assert answers["AskHint"] == "HintReady", "where a question's answer is looked up"
    dropped = [
        f"{mode.__name__}: {answer}"
        for mode in all_modes()
        for question, answer in answers.items()
        if question in calls(source_of(mode)) and answer not in inspect.getsource(mode.take_advice)
    ]
    assert dropped == [], "take_advice of the mode"


def source_of(mode: type[BoxMode]) -> Path:
    return Path(inspect.getfile(mode))


LEVERS_AS_TILES = {Mode.SERVICE: "the owner tests the levers"}
"""Modes that draw levers as if they were tiles, each with the reason."""


def test_every_mode_with_tiles_has_them_in_its_scene() -> None:
    """Who only hears the box, or sees it on the page, gets the tiles from the scene, not from the picture."""
    rows = {
        node.name
        for node in nodes_of(PACKAGE / "game/match_screen.py")
        if isinstance(node, ast.FunctionDef) and (node.name == "tile_row" or draws_tiles(ast.walk(node)))
    }
    assert {"turn_screen", "tile_row"} <= rows, "where a row of tiles is put on a screen"
    drawn = [
        mode
        for mode in all_modes()
        if mode.name not in LEVERS_AS_TILES
        and (draws_tiles(nodes_of(source_of(mode))) or rows & calls(source_of(mode)))
    ]
    assert len(drawn) > 5
    silent = [mode.__name__ for mode in drawn if not says(mode, "seen") and not says(mode, "puzzle")]
    assert silent == [], "the scene reads them from the mode's `seen` or `puzzle`"


def draws_tiles(nodes: Iterable[ast.AST]) -> bool:
    """Whether this code puts tiles on a screen."""
    return any(
        isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("Screen", "_replace")
        and "tiles" in {keyword.arg for keyword in node.keywords}
        for node in nodes
    )


def says(mode: type[BoxMode], name: str) -> bool:
    """Whether a mode, or a base of it, answers where `BoxMode` says None."""
    return getattr(mode, name) is not getattr(BoxMode, name)


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
    assert outcome in {row.outcome for row in ended.round.rows}, "played"
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
    told |= {"turns"} | {
        node.attr for tell in tells for node in ast.walk(tell) if isinstance(node, ast.Attribute)
    }
    assert sorted(keys - told) == [], "no player reads of it: rules/words.py, or rules in rules/orders.py"
    obeyed = attributes(*(rules - {words, PACKAGE / "rules/writer.py", PACKAGE / "rules/reader.py"}))
    assert sorted(keys - obeyed) == [], "no rule obeys it"


def test_every_item_of_the_menu_is_in_it() -> None:
    items = {name: value for name, value in vars(menu_items).items() if isinstance(value, menu_items.Item)}
    assert [name for name, item in items.items() if item not in menu_items.MENU_LINES] == [], "MENU_LINES"


def test_every_word_of_a_link_is_said() -> None:
    """By the box; and by its helper, and the one of scenarios. The type checker makes modes hear it."""
    words, game = get_args(Message), (PACKAGE / "game").rglob("*.py")
    by_box = calls(*game, *(PACKAGE / f"link/{name}.py" for name in ("match", "invitation", "rematch")))
    assert not lacking((*words, *get_args(LinkRequest)), by_box), "no box says it"
    for helper in (LINK / "helper.py", PACKAGE / "simulator/virtual_link.py"):
        assert not lacking(get_args(LinkReport), calls(helper)), f"{helper.name} never reports it"


def test_every_request_of_the_page_is_understood() -> None:
    assert not lacking(get_args(PageRequest), calls(PACKAGE / "simulator/page/message.py")), (
        "parse never returns it"
    )


FOR_SOME = {
    "_HELPFUL": "the tiles that help",
    "_UPSIDE_DOWN": "other tiles look the same in games that open tiles",
    "_WAITING": "stages at which the players wait",
    "_LABELS": "jobs that the list offers",
    "_OUTCOMES": "mistakes in settings are listed one by one",
    "_BY_ORDER": "orders of play that aren't solved like whole turns",
}
"""Tables that have only some members, on purpose."""


def test_every_table_of_an_enum_has_all_its_members() -> None:
    lacks = set[str]()
    for package in (shutthebox, shutthebox_league, shutthebox_link, shutthebox_uplink):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__") or ".migrations" in module.name:
                continue  # which would run
            if not is_importable(module.name):
                continue
            for name, table in vars(importlib.import_module(module.name)).items():
                if isinstance(table, Mapping) and name not in FOR_SOME:
                    kinds = {type(key) for key in table if isinstance(key, Enum)}
                    lacks |= {f"{name}: {each}" for kind in kinds for each in kind if each not in table}
    assert not lacks, "\n".join(sorted(lacks))


def test_every_command_is_one_of_the_program() -> None:
    folder = PACKAGE / "cli"
    adders = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if "add_parser" in {getattr(node, "name", "") for node in nodes_of(path)}
    }
    assert sorted(adders - set(MODULES.values())) == [], "MODULES in cli/main.py"


def test_every_key_of_the_configuration_is_read() -> None:
    # A row of a switch names the key of its settle time.
    named = {
        node.value for node in nodes_of(PACKAGE / "game/switches/switch.py") if isinstance(node, ast.Constant)
    }
    read = attributes(*PACKAGE.rglob("*.py")) | named
    unread = [f"{name}.{key}" for name, keys in SECTIONS.items() for key in keys if key not in read]
    assert unread == [], "nothing obeys it"


def test_every_kind_of_fault_has_words_for_the_owner() -> None:
    kinds = set[str]()
    for path in PACKAGE.rglob("*.py"):
        for node in nodes_of(path):
            match node:
                case ast.Call(func=ast.Name("Faulted"), args=[ast.Constant(str(kind)), *_]):
                    kinds.add(kind)
    assert len(kinds) > 2
    assert sorted(kinds - KINDS.keys()) == [], "KINDS in owner/report.py"


def test_every_figure_of_the_scores_is_shown_where_its_field_says() -> None:
    """On the scoreboard, or to Home Assistant: a figure that's written and never read helps nobody."""
    vitals = nodes_of(Path(inspect.getfile(shutthebox_uplink.vitals)))
    read = {
        ShownIn.PAGE: attributes(PACKAGE / "web/scoreboard/page.py"),
        ShownIn.HOME: {str(node.value) for node in vitals if isinstance(node, ast.Constant)},
    }
    hints = get_type_hints(Scores, include_extras=True) | get_type_hints(Past, include_extras=True)
    del hints["past"]
    assert [name for name in hints if not SHOWN[name]] == [], "where: adapters/store/scores.py"
    for name, hint in hints.items():
        places = {*SHOWN[name]} - {ShownIn.FILE}
        wrong = places ^ {place for place in read if name in read[place]}
        assert not wrong, f"{name}: {', '.join(place.value for place in wrong)}"
        parts = {part.name for kind in dataclasses_in(hint) for part in fields(kind)}
        unread = parts - {part for place in places for part in read[place]}
        assert sorted(unread) == [], f"{name}: {' or '.join(place.value for place in places)}"


def dataclasses_in(hint: Any) -> Iterator[Any]:
    """The classes of documents that a type is made of, however deep."""
    if is_dataclass(hint):
        yield hint
    for inner in get_type_hints(hint).values() if is_dataclass(hint) else get_args(hint):
        yield from dataclasses_in(inner)


def test_every_finished_language_is_on_the_first_page_and_spoken_on_the_card() -> None:
    project = TESTS.parent
    image = (project / "packaging/image/Makefile").read_text("utf-8")
    (spoken,) = re.findall(r"foreach d,([a-z ]+),--dpkgopt='path-include=.*_dict'", image)
    assert set(spoken.split()) == {*finished_codes()}, "packaging/image/Makefile: the voices on the card"
    readme = (project / "README.md").read_text("utf-8")
    names = {str(Locale.parse(code).get_display_name("en")) for code in finished_codes()}
    assert [name for name in sorted(names) if name not in readme] == [], "README.md"
    lists = {
        "play.md": r"\| `language` \| (.*) \|",
        "own.md": r'^language = "de" +# (.*)$',
    }
    for name, pattern in lists.items():
        (listed,) = re.findall(pattern, (project / "docs" / name).read_text("utf-8"), re.MULTILINE)
        assert {*re.findall(r"\b[a-z]{2}\b", listed)} - {"or"} == {*finished_codes()}, f"docs/{name}"
