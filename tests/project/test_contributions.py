"""Contributions of the kinds that ARCHITECTURE.md has recipes for, made in a copy of the project.

Whole, each passes its checks and touches few files. Then each step is left out: a check has to end badly and
to name the place. The type checker is one of them only where nothing faster sees it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest
from tests.support.contribution import (
    Step,
    Tree,
    alternative,
    before,
    begins,
    case,
    contains,
    entry,
    imports,
    member,
    method,
)

PACKAGE = "firmware/shutthebox"
COMPLETE = "tests/project/test_completeness.py"
TRIED = "tried"
"""The program that uses the contribution."""
MODES = "tests/project/test_architecture.py -k has_a_class"


class Contribution(NamedTuple):
    """What somebody brings.

    Attributes:
        most: so many files of the source, at most.
        steps: in the order of the recipe.
        tried: a program that uses it, and ends well.
    """

    most: int
    steps: tuple[Step, ...]
    tried: str


def step(path: str, *changes: object, noticed: str = "mypy", named: str) -> Step:
    """A step in a file of the package, or of the tests."""
    below = path if path.startswith(("tests/", "hardware/")) else f"{PACKAGE}/{path}"
    return Step(below, changes, noticed, named)  # type: ignore[arg-type]


ACTION = Contribution(
    most=8,
    steps=(
        step(
            "rules/turn.py",
            member("Outcome", 'STOPPED = "stopped"'),
            before(
                "reopen",
                "def stop(rules: Profile, turn: Turn) -> Turn:\n"
                '    """The position after the player has stopped."""\n'
                "    return _over(rules, turn, Outcome.STOPPED)\n\n",
            ),
            noticed=TRIED,
            named="match.py",
        ),
        step(
            "rules/match.py",
            method(
                "Match",
                'def stop(self) -> "Match":\n    """The position after the player has stopped."""\n'
                "    turns.refuse(unless(self, Stage.THROW))\n"
                "    return self._with_turn(turns.stop(self.rules, self.turn))",
            ),
            noticed=TRIED,
            named="stop",
        ),
        step(
            "rules/actions.py",
            before(
                "Action",
                'class Stopped(BareAction):\n    """The player has ended the turn."""\n\n'
                '    __slots__ = ()\n    WORD = "stop"\n    PEER_MAY_SEND: ClassVar = True\n'
                "    IS_RANKED: ClassVar = True\n\n    def apply(self, match: Match) -> Match:\n"
                '        """The match after the turn."""\n        return match.stop()\n\n'
                "    def why_not(self, match: Match) -> str | None:\n"
                '        """What is due instead."""\n        return unless(match, Stage.THROW)\n\n',
            ),
            alternative("Action", "Stopped"),
            noticed=TRIED,
            named="Stopped",
        ),
        step(
            "simulator/scenario/from_record.py",
            imports("from shutthebox.rules.actions import Stopped"),
            case("_Hands.__init__", "case Stopped():\n    self.lines.append('hold')"),
            named="from_record.py",
        ),
        step(
            "odds/coach.py",
            imports("from shutthebox.rules.actions import Stopped"),
            case("_Walk.take", "case Stopped():\n    self._out_of_time(match, row)"),
            named="coach.py",
        ),
        step(
            "game/modes/turn_over.py",
            case("_ending", 'case Outcome.STOPPED:\n    return message("Stopped")'),
            named="turn_over.py",
        ),
        step(
            "game/modes/ready.py",
            imports(
                "from shutthebox.game.play import apply_and_keep\nfrom shutthebox.game.targets import after"
            ),
            imports("from shutthebox.rules.actions import Stopped"),
            before(
                "Ready.hold",
                "def stop(self) -> Step[AfterAction]:\n"
                '    """The player ends the turn."""\n'
                "    play, effects = apply_and_keep(self.play, Stopped())\n"
                "    return Step(after(play), effects)\n\n",
            ),
            noticed=f"{COMPLETE} -k action_can_be_done",
            named="Stopped",
        ),
    ),
    tried="""
from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import Stopped, Thrown, Moved, action_from_text, apply
from shutthebox.rules.match import begin
match = begin(builtin("pub"), 2)
for action in (Thrown((3, 5)), Moved(1 << 7), action_from_text("stop")):
    match = apply(match, action)
assert match.turn.outcome == "stopped", match
""",
)

LID = 'def lid(self, context: Context) -> Step[BoxMode | Target]:\n    """The lid was opened."""\n'

INPUT = Contribution(
    most=6,
    steps=(
        step(
            "game/inputs.py",
            before(
                "Deserted",
                'class LidOpened(Marker):\n    """The lid was opened."""\n\n    __slots__ = ()\n\n',
            ),
            alternative("ModeInput", "LidOpened"),
            alternative("Input", "LidOpened"),
            noticed=TRIED,
            named="LidOpened",
        ),
        step(
            "game/switches/switch.py",
            imports("from shutthebox.game.inputs import LidOpened"),
            before("BUTTONS", 'LID = -2\n"""The switch number of the lid."""\n\n'),
            entry(
                "BUTTONS",
                'Switch(LID, "lid", "lid", 7, "button_settle_ms", is_counted=False, verb="lid", '
                'event=LidOpened(), stuck_ns=None, chatters=message("Lid chatters"), '
                'stuck=message("Lid: stuck?"), dead=message("Lid: dead?"), taken=message("Lid: taken"))',
            ),
            noticed=f"{COMPLETE} -k input_is_given",
            named="LidOpened",
        ),
        step(
            "game/machine.py",
            imports("from shutthebox.game.inputs import LidOpened"),
            case("Machine.step", "case LidOpened():\n    return self._button(event)"),
            named="machine.py",
        ),
        step(
            "config/schema.py",
            member(
                "GpioConfig", 'lid: Line | None = sections.key(_SWITCH_LINE, None, "Line of the lid.", "7")'
            ),
            noticed="from shutthebox.config.schema import parse_config; parse_config('', 'x')",
            named="lid",
        ),
        step(
            "game/modes/base.py",
            imports("from shutthebox.game.inputs import LidOpened"),
            case("Receiver.handle", "case LidOpened():\n    return self.lid(context)"),
            method("Receiver", f"@abstractmethod\n{LID}"),
            method(
                "BoxMode",
                f"@default\n{LID.replace('BoxMode | Target', 'Self')}    return self.ignore(context)\n",
            ),
            method("Cover", f"{LID}    return self.beneath.lid(context)\n"),
            named="LidOpened",
        ),
        step(
            "game/modes/attract.py",
            method("Attract", f"{LID.replace('BoxMode | Target', 'Attract')}    return Step(self)\n"),
            noticed=f"{COMPLETE} -k input_is_given",
            named="lid",
        ),
    ),
    tried="""
from shutthebox.simulator.scenario.script import VERBS
from shutthebox.config.schema import parse_config
from shutthebox.simulator.virtual_box import VirtualBox
box = VirtualBox(parse_config("[gpio]\\nlid = 7\\n", "x"))
VERBS["lid"].parse(["down"]).do(box)
box.close()
""",
)

TOPIC = Contribution(
    most=4,
    steps=(
        step(
            "game/owner_topics.py",
            member("Topic", 'RECORDS = message("Records")'),
            noticed=TRIED,
            named="RECORDS",
        ),
        step(
            "owner/report.py",
            case("BoxReport.__call__", 'case Topic.RECORDS:\n    return [message("None")]'),
            named="owner/report.py",
        ),
    ),
    tried="""
from shutthebox.game.owner_topics import Topic
from shutthebox.owner.report import BoxReport
assert BoxReport(lambda ask: [], None, 0.0)(Topic.RECORDS, ())
""",
)

LANGUAGE = Contribution(
    most=1,
    steps=(
        step(
            "locale/eo/LC_MESSAGES/shutthebox.po",
            contains(
                'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
                '"X-Unfinished: yes\\n"\n\n'
                'msgid "English"\nmsgstr "Esperanto"\n\nmsgid "Press to play"\nmsgstr "Premu por ludi"\n'
            ),
            noticed="from shutthebox.config.schema import parse_config\n"
            "parse_config('[box]\\nlanguage = \"eo\"', 'x')",
            named="box.language: 'eo' is not allowed",
        ),
    ),
    tried="""
from shutthebox.translations import languages, translations
say = translations()["eo"]
assert (say("Press to play"), say("Menu")) == ("Premu por ludi", "Menu")
assert languages("eo")["eo"] == "Esperanto" and "eo" not in languages()
""",
)

CONTROLLER = Contribution(
    most=1,
    steps=(
        step(
            "config/controllers.py",
            member("Controller", 'SSD1318 = "ssd1318"'),
            named="SSD1318",
            noticed="from shutthebox.config.controllers import Controller; Controller.SSD1318",
        ),
        step(
            "config/controllers.py",
            entry(
                "_CHIPS",
                'Controller.SSD1318: Chip(panels="others", like="ssd1306", parameters=_SSD, '
                "switched_pump=True)",
            ),
            noticed="import shutthebox.config.controllers",
            named="ssd1318: no row",
        ),
    ),
    tried="""
from shutthebox.adapters.display.opening import open_panel
from shutthebox.cli.doctor.interactive.outputs import picture
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import DisplayConfig
from shutthebox.simulator.hardware.panel_model import PanelModel
glass, sent = PanelModel(Controller.SSD1318), picture(Controller.SSD1318, DisplayConfig())
open_panel(Controller.SSD1318, glass).push(sent)
assert glass.picture() == sent
""",
)

PAUSE = '''"""Pause: the match waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shutthebox.game.messages import message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import TurnMode
from shutthebox.game.screen import Screen
from shutthebox.game.state import Context, Shared, Step
from shutthebox.game.targets import AwaitThrow, TakeABreak


@dataclass(frozen=True, slots=True)
class Pause(TurnMode):
    """The match waits."""

    name: ClassVar[Mode] = Mode.PAUSE

    def screen(self, shared: Shared) -> Screen:
        """A word."""
        return Screen(self.name, big=message("Pause"))

    def press(self, context: Context) -> Step[AwaitThrow]:
        """Goes on."""
        return Step(AwaitThrow(self.play))

    def hold(self, context: Context) -> Step[Pause]:
        """Nothing."""
        return Step(self)

    def levers(self, context: Context) -> Step[Pause]:
        """Nothing."""
        return Step(self)


def enter(target: TakeABreak, context: Context) -> Step[Pause]:
    """Waits."""
    return Step(Pause(target.play))
'''

MODE = Contribution(
    most=5,
    steps=(
        step("game/mode.py", member("Mode", 'PAUSE = "pause"'), noticed=MODES, named="PAUSE"),
        step("game/modes/pause.py", contains(PAUSE), noticed=MODES, named="pause"),
        step(
            "game/targets.py",
            before(
                "BackToAttract",
                'class TakeABreak(NamedTuple):\n    """The match waits."""\n\n    play: MatchInPlay\n\n',
            ),
            alternative("Target", "TakeABreak"),
            noticed=TRIED,
            named="TakeABreak",
        ),
        step(
            "game/entrances.py",
            imports("from shutthebox.game.targets import TakeABreak"),
            case(
                "enter",
                "case TakeABreak():\n"
                "    from shutthebox.game.modes import pause\n\n"
                "    return pause.enter(target, context)",
            ),
            noticed=TRIED,
            named="TakeABreak",
        ),
        step(
            "game/modes/ready.py",
            imports("from shutthebox.game.targets import TakeABreak"),
            method(
                "Ready",
                "def service(self, context: Context) -> Step[TakeABreak]:\n"
                '    """A break is wanted."""\n'
                "    return Step(TakeABreak(self.play))\n",
            ),
            noticed="tests/project/test_architecture.py -k can_be_left",
            named="pause",
        ),
    ),
    tried="""
from shutthebox.game.inputs import Held, HeldLong, Pressed, ServicePressed, FaultReported
from shutthebox.game.faults import Fault
from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.machine import Machine
from random import Random
settings = settings_for(parse_config('[game]\\nsetup = "usual"\\n', "x"), 9, "x")
box, shown = Machine(settings, RandomDice(Random(1).randrange), 0, t_ns=0), []
hands = Pressed(), ServicePressed(), FaultReported(Fault.FORGETS), HeldLong(), Held(), Pressed()
for second, given in enumerate(hands):
    shown.append(box.step(given, second * 10**9)[-1].screen.mode.value)
assert shown == ["ready", "pause", "pause", "pause", "pause", "ready"], shown
""",
)

ITEM = Contribution(
    most=2,
    steps=(
        step(
            "game/menu_items.py",
            before(
                "MENU_LINES",
                'SLEEP = _one_of("box.sleep_min", message("Dark after"), message("Minutes?"), '
                'message("How long the display stays lit."), (5, 10, 30))\n\n',
            ),
            noticed="import shutthebox.game.menu_items",
            named="SLEEP",
        ),
        step(
            "game/menu_items.py",
            entry("MENU_LINES", "SLEEP"),
            noticed=f"{COMPLETE} -k menu",
            named="SLEEP",
        ),
    ),
    tried="""
from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import restore_choices, settings_for
from shutthebox.game.facts import Chosen
config = parse_config("", "x")
settings = settings_for(config, 9, "x")
assert restore_choices(config, settings, [Chosen("box.sleep_min", 30)]).sleep_ns == 30 * 60 * 10**9
""",
)

KEY = Contribution(
    most=5,
    steps=(
        step(
            "rules/profile.py",
            member(
                "Profile",
                "most_throws: int | None = _key(validation.whole(1, 99), None, "
                '"The throw that ends a turn.", Needs("turns", (Turns.WHOLE,), drops=True))',
            ),
            noticed=TRIED,
            named="most_throws",
        ),
        step(
            "rules/words.py",
            before(
                "_BLOCKED",
                '@_of("most_throws")\ndef _most_throws(game: Profile) -> _Phrases:\n'
                "    if game.most_throws is not None:\n"
                '        text = N_("The turn ends with throw {most} at the latest.")\n'
                '        yield Sentence(text, {"most": game.most_throws})\n\n',
            ),
            noticed=f"{COMPLETE} -k key",
            named="most_throws",
        ),
        step(
            "rules/turn.py",
            begins(
                "throw",
                "if rules.most_throws is not None and turn.throws >= rules.most_throws:\n"
                '    raise ValueError("no more throws")',
            ),
            noticed=f"{COMPLETE} -k key",
            named="most_throws",
        ),
        step(
            "tests/support/games.py",
            entry("DEFAULTS", '"most_throws": None'),
            noticed="tests/unit/rules/test_builtins.py -k defaults",
            named="most_throws",
        ),
        step(
            "tests/unit/rules/refused.py",
            entry(
                "CONTRADICTORY",
                "('most_throws = 2\\nturns = \"alternate\"', 'most_throws: 2 is not allowed')",
            ),
            noticed="tests/unit/rules/test_contradictions.py -k every_contradiction_refuses",
            named="most_throws",
        ),
    ),
    tried="""
from dataclasses import replace
from shutthebox.config.profiles import builtin
from shutthebox.odds.odds import Odds
from shutthebox.odds.worths import OddsError
from shutthebox.rules.profile import Turns
from shutthebox.rules.reader import ProfileError, parse_keys, to_profile
from shutthebox.rules.words import explain
game = replace(builtin("pub"), most_throws=2)
assert "The turn ends with throw 2 at the latest." in explain(game)
try:
    Odds(game)
except OddsError as error:  # nobody has taught the odds
    assert "most_throws" in str(error)
else:
    raise AssertionError("the odds play it as if it were not there")
base = {"turns": "whole", "most_throws": 2}
assert "most_throws" not in parse_keys('like = "a"\\nturns = "together"', "ours.toml", lambda name: base)
try:
    to_profile({"turns": Turns.TOGETHER, "most_throws": 2}, "ours.toml", "ours")
except ProfileError as error:
    assert str(error).startswith('ours.toml: most_throws: 2 is not allowed with turns = "together"'), error
else:
    raise AssertionError("it means nothing there, and nobody says so")
""",
)

ORDER = Contribution(
    most=2,
    steps=(
        step(
            "rules/profile.py",
            member("Turns", 'BACKWARDS = "backwards"'),
            noticed=TRIED,
            named="BACKWARDS",
        ),
        step(
            "rules/orders.py",
            before(
                "TugOfTiles",
                "class Backwards(OrderOfPlay, turns=Turns.BACKWARDS):\n"
                '    """Whole turns, from the last seat to the first."""\n\n    whole_turns = True\n'
                '    sentence = Sentence(N_("The last seat is next."))\n\n'
                "    def next_seat(self, match: Position) -> int | None:\n"
                '        """The last of those who have had no turn."""\n'
                "        waiting = reversed(match.playing)\n"
                "        return next(waiting, None)\n\n",
            ),
            noticed="import shutthebox.rules.match",
            named="BACKWARDS",
        ),
    ),
    tried="""
from dataclasses import replace
from shutthebox.config.profiles import builtin
from shutthebox.odds.pick import pick
from shutthebox.odds.solver import About
from shutthebox.rules.match import begin
from shutthebox.rules.profile import ShutWins, Turns
from shutthebox.rules.turn import answers
from shutthebox.rules.words import explain
game = replace(builtin("pub"), turns=Turns.BACKWARDS, shut_wins=ShutWins.NO)
assert "The last seat is next." in explain(game)
match, players = begin(game, 3), []
while match.round.number == 1 and match.result is None:
    if match.stage.value == "advance":
        match = match.advance()
        continue
    players += [match.player] if not match.turn.throws else []
    match = match.throw((6, 6)) if match.stage.value == "throw" else match.move(answers(game, match.turn)[0])
assert players == [0, 2, 1], players
assert 'turns = "backwards"' in (pick(game).win.why_not(3, About.ROUND) or ""), "odds nobody has taught"
""",
)

EFFECT = Contribution(
    most=3,
    steps=(
        step(
            "game/effects.py",
            before("Effect", 'class Shake(NamedTuple):\n    """Shake the box."""\n\n    ms: int\n\n'),
            alternative("Effect", "Shake"),
            noticed=TRIED,
            named="Shake",
        ),
        step(
            "runtime/runner.py",
            imports("from shutthebox.game.effects import Shake"),
            case("Runner._carry_out", "case Shake():\n    pass"),
            named="runner.py",
        ),
        step(
            "simulator/scenario/effect_lines.py",
            imports("from shutthebox.game.effects import Shake"),
            alternative("ReplayedEffect", "Shake"),
            named="player.py",
        ),
        step(
            "simulator/scenario/effect_lines.py",
            case("as_json", 'case Shake(ms):\n    line |= {"kind": "shake", "ms": ms}'),
            named="effect_lines.py",
        ),
    ),
    tried="""
from shutthebox.game.effects import Shake
from shutthebox.simulator.scenario.effect_lines import as_json
assert as_json(Shake(3), 0) == '{"t": 0.0, "kind": "shake", "ms": 3}'
""",
)

PI_FAULT = Contribution(
    most=3,
    steps=(
        step("game/faults.py", member("MachineFault", 'DUST = "dust"'), noticed=TRIED, named="DUST"),
        step(
            "game/faults.py",
            entry("MACHINE_FAULT_TEXTS", 'MachineFault.DUST: message("The Pi is dusty")'),
            noticed=f"{COMPLETE} -k table_of",
            named="MACHINE_FAULT_TEXTS: MachineFault.DUST",
        ),
        step(
            "adapters/machine.py",
            case("Sensors.faults", "case MachineFault.DUST:\n    return True"),
            named="adapters/machine.py",
        ),
        step(
            "adapters/machine.py",
            entry("_WORDS", 'MachineFault.DUST: "there is dust on it"'),
            noticed=f"{COMPLETE} -k table_of",
            named="_WORDS: MachineFault.DUST",
        ),
        step(
            "cli/doctor/machine.py",
            case(
                "check_machine",
                'case MachineFault.DUST:\n    yield _judge("dust", fault, now, kept, "", "dusty")',
            ),
            named="doctor/machine.py",
        ),
        step(
            "cli/doctor/machine.py",
            entry("_REMEDIES", 'MachineFault.DUST: "wipe it"'),
            noticed=f"{COMPLETE} -k table_of",
            named="_REMEDIES: MachineFault.DUST",
        ),
    ),
    tried="""
from pathlib import Path
from shutthebox.adapters.machine import Sensors
from shutthebox.game.faults import MachineFault
assert Sensors(Path("/nowhere")).faults() == {MachineFault.DUST}
""",
)

GAME = Contribution(
    most=1,
    steps=(
        step(
            "rules/profiles/short.toml",
            contains(
                'name = "short"\nlike = "traditional"\nsource = "a kitchen"\ntiles = [1, 2, 3]\nboxes = [3]\n'
                'dice = 1\n\n[title]\nen = "Short"\n'
            ),
            noticed="from shutthebox.config.profiles import builtin; builtin('short')",
            named="short",
        ),
    ),
    tried="""
from shutthebox.cli.main import main
for command in ("profiles", "profiles short --language en", "odds short"):
    assert main(command.split()) == 0, command
""",
)

FIGURE = Contribution(
    most=3,
    steps=(
        step(
            "adapters/store/scores.py",
            member("Past", "longest: Annotated[int, _FILE, _PAGE]"),
            noticed=TRIED,
            named="longest",
        ),
        step("adapters/store/scores.py", entry("past", "longest=23"), named='"longest" in call to "Past"'),
        step(
            "web/scoreboard/page.py",
            begins(
                "_past",
                "if scores.past is not None:\n"
                '    yield _section("fame", words("Longest match"), f"<p>{scores.past.longest:d}</p>\\n")',
            ),
            noticed=f"{COMPLETE} -k figure",
            named="longest: web/scoreboard/page.py",
        ),
        step(
            "tests/support/scoreboard.py",
            entry("PAST", "longest=23"),
            noticed="tests/unit/web/scoreboard/test_page.py -k what_it_says",
            named="longest",
        ),
    ),
    tried="""
from tests.support.scoreboard import made, scores_with
assert "Longest match</h2>\\n<p>23" in made(longest=23)
assert '"longest": 23' in scores_with(longest=23).to_json(public=True)
""",
)

MIRRORED = """
from shutthebox.config.schema import parse_config
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.virtual_box import VirtualBox
config = parse_config("[display]\\nmirrored = true\\n", "test")
display = VirtualDisplay(config)
VirtualBox(config, display=display).close()
assert display.mirrored
"""

DEVICE = Contribution(
    most=4,
    steps=(
        step(
            "config/schema.py",
            member(
                "DisplayConfig",
                'mirrored: bool = sections.key(validation.boolean, False, "Seen in a mirror.")',
            ),
            noticed=MIRRORED,
            named="mirrored",
        ),
        step(
            "game/menu_items.py",
            before(
                "MENU_LINES",
                'MIRRORED = _switch("display.mirrored", message("Mirrored"), message("Mirrored"), '
                'message("In a mirror."))\n\n',
            ),
            entry("MENU_LINES", "MIRRORED"),
            noticed="from shutthebox.game.menu_items import MIRRORED",
            named="MIRRORED",
        ),
        step(
            "simulator/hardware/virtual_display.py",
            method(
                "VirtualDisplay",
                'def mirror(self, on: bool) -> None:\n    """It hangs so."""\n    self.mirrored = on',
            ),
            noticed=MIRRORED,
            named="mirror",
        ),
        step(
            "runtime/runner.py",
            begins(
                "Runner._brighten",
                "if self._ports.display is not None:\n"
                "    self._ports.display.mirror(self.machine.settings.display.mirrored)",
            ),
            noticed=MIRRORED,
            named="mirrored",
        ),
    ),
    tried=MIRRORED,
)

BELL = """
from shutthebox.adapters.buzzer import TUNES
from shutthebox.game.effects import Sound
assert TUNES[Sound.BELL] == ((2000, 20),)
"""

TUNE = Contribution(
    most=2,
    steps=(
        step("game/effects.py", member("Sound", 'BELL = "bell"'), noticed=BELL, named="BELL"),
        step("adapters/buzzer.py", entry("TUNES", "Sound.BELL: ((2000, 20),)"), noticed=BELL, named="BELL"),
    ),
    tried=BELL,
)

MOCK_PINS = """
from shutthebox.adapters.gpio import Pins, open_factory
from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import switch_lines
gpio = parse_config('[gpio]\\nbackend = "mock"\\n', "test").gpio
pins = Pins(open_factory(gpio.backend), switch_lines(gpio, 9), gpio.lamp, print)
assert len(pins.active()) == 10
pins.close()
"""

BACK_END = Contribution(
    most=2,
    steps=(
        step(
            "config/schema.py",
            member("Backend", 'MOCK = "mock"'),
            noticed=MOCK_PINS,
            named="gpio.backend: 'mock' is not allowed",
        ),
        step(
            "adapters/gpio.py",
            case(
                "open_factory",
                "case Backend.MOCK:\n    from gpiozero.pins.mock import MockFactory\n\n"
                "    return MockFactory()",
            ),
            noticed=MOCK_PINS,
            named="default pin factory",
        ),
    ),
    tried=MOCK_PINS,
)

CONTRIBUTIONS = {
    "an effect": EFFECT,
    "a fault of the Pi": PI_FAULT,
    "a key of a game": KEY,
    "an order of play": ORDER,
    "a menu item": ITEM,
    "an action": ACTION,
    "an input": INPUT,
    "a mode": MODE,
    "an owner's topic": TOPIC,
    "a language": LANGUAGE,
    "a controller": CONTROLLER,
    "a game": GAME,
    "a setting that a device obeys": DEVICE,
    "a tune": TUNE,
    "a figure on the scoreboard": FIGURE,
    "a back end for the pins": BACK_END,
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("project"))


@pytest.fixture
def tree(copy: Tree) -> Iterator[Tree]:
    """A copy with a mypy of its own: one that has seen many changes finds faults that aren't there."""
    yield copy
    copy.end_mypy()


def check_of(brought: Contribution, step: Step) -> str:
    """What notices that a step is left out."""
    return brought.tried if step.noticed == TRIED else step.noticed


def omissions(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps that are left out at once: mypy names every file in which something is missing. Others alone."""
    leaves = [step for step in steps if step.noticed == "mypy" and step.path.endswith(step.named)]
    return [*([step] for step in steps if step not in leaves), *([leaves] if leaves else [])]


@pytest.mark.parametrize("name", CONTRIBUTIONS)
def test_every_step_of_a_contribution_is_missed(name: str, tree: Tree) -> None:
    """By somebody who forgets it: a check names the place."""
    brought = CONTRIBUTIONS[name]
    assert len({step.path for step in brought.steps}) <= brought.most
    with tree.having(brought.steps):
        for check in {brought.tried, *(check_of(brought, step) for step in brought.steps)}:
            assert tree.complaint(check) == ""
    silent = []
    for left_out in omissions(brought.steps):
        with tree.having([step for step in brought.steps if step not in left_out]):
            said = tree.complaint(check_of(brought, left_out[0]))
        silent += [
            f"{step.path}, {step.named}: {said[-1500:] or 'nothing said'}"
            for step in left_out
            if step.named not in said
        ]
    assert not silent, "\n".join(silent)
