"""The recipes of ARCHITECTURE.md, each followed in a copy of the package and tried there.

A recipe names the files that have to be opened; these tests open no others. Those of an action, a button, a
mode, an owner's topic, a language and a controller: `test_contributions.py`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shutthebox

PACKAGE = Path(shutthebox.__file__).parent
SAYS = """
import sys
from random import Random
from shutthebox.config.profiles import builtin
from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import as_chosen, settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.facts import Chosen
from shutthebox.game.inputs import (Held, LeversMoved, Pressed, ServicePressed)
from shutthebox.game.machine import Machine
from shutthebox.translations import told_screen

def box(text, **values):
    settings = settings_for(parse_config(text, "test"), 9, "test")
    return Machine(settings, RandomDice(Random(1).randrange), 0, t_ns=0)

def say(box, given, t_ns):
    *effects, show = box.step(given, t_ns)
    print(show.mode, "|", " / ".join(told_screen(show).text.splitlines()))
"""
"""The start of every program below."""


class Copy:
    """The package, to be changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # With what Python has compiled: only the changed files are compiled again.
        shutil.copytree(PACKAGE, folder / "shutthebox")

    def before(self, path: str, line: str, *new: str) -> None:
        """Puts lines before the one line of a file that reads so."""
        file = self._folder / "shutthebox" / path
        old = file.read_text("utf-8")
        assert old.count(f"\n{line}\n") == 1, f"{path} has another number of lines {line!r}"
        file.write_text(old.replace(f"\n{line}\n", "\n" + "\n".join((*new, line)) + "\n"), "utf-8")

    def new(self, path: str, text: str) -> Path:
        """Writes a new file."""
        file = self._folder / "shutthebox" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def run(self, *command: str, code: int = 0) -> str:
        """The copy's output for this command of `shutthebox`, or for the program after ``-c``."""
        start = command if command[0] == "-c" else ("-m", "shutthebox", *command)
        environment = {**os.environ, "PYTHONPATH": str(self._folder)}
        done = subprocess.run(
            [sys.executable, *start], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "firmware")


@pytest.mark.slow
def test_a_key_of_a_games_file(copy: Copy, tmp_path: Path) -> None:
    copy.before(
        "rules/profile.py",
        "    insurance: bool = False",
        "    most_throws: int | None = _key(validation.whole(1, 99), None)",
    )
    copy.before(
        "rules/words.py",
        '    "insurance": N_(',
        '    "most_throws": N_("The turn ends with throw {most} at the latest."),',
    )
    copy.before(
        "rules/words.py",
        "    if profile.insurance:",
        "    if profile.most_throws is not None:",
        '        yield "most_throws", {"most": profile.most_throws}',
    )
    # The rule that obeys it.
    copy.before(
        "rules/turn.py",
        "    if answers(profile, turn):",
        "    if turn.throws == profile.most_throws:",
        "        return _over(profile, turn, Outcome.ENDED)",
    )
    house = tmp_path / "quick.toml"
    house.write_text('like = "traditional"\nname = "quick"\nmost_throws = 2\n')
    assert "The turn ends with throw 2 at the latest." in copy.run("profiles", str(house))
    played = f"""
from pathlib import Path
from shutthebox.config.profiles import read
from shutthebox.rules import turn
game = read(Path({str(house)!r}))
now = turn.throw(game, turn.start(game), (3, 5))
now = turn.throw(game, turn.move(game, now, 1 << 7), (1, 1))
print(now.outcome)
"""
    assert copy.run("-c", played) == "ended\n"
    # Nobody has taught the odds: they do not give those of the game without the key.
    assert "they do not know the key most_throws" in copy.run("odds", str(house), code=2)
    house.write_text('like = "traditional"\nname = "quick"\nmost_throws = 0\n')
    complaint = copy.run("profiles", str(house), code=2)
    assert "most_throws: 0 is not allowed; allowed is a whole number from 1 to 99" in complaint


@pytest.mark.slow
def test_a_key_of_the_configuration(copy: Copy, tmp_path: Path) -> None:
    copy.before(
        "config/schema.py",
        "    out_of_play: tuple[int, ...] = sections.key(",
        '    quiet_from: int = sections.key(validation.whole(0, 23), 22, "From when it is silent.")',
    )
    # The machine reads it.
    copy.before(
        "game/settings.py",
        "class DisplaySection(Protocol):",
        "    @property",
        "    def quiet_from(self) -> int:",
        '        """The hour from which it is silent."""',
        "",
        "",
    )
    program = f"""{SAYS}
for text in ("[box]\\nquiet_from = 20\\n", ""):
    print(box(text).settings.box.quiet_from)
"""
    assert copy.run("-c", program) == "20\n22\n"
    config = tmp_path / "config.toml"
    config.write_text("[box]\nquiet_from = 24\n")
    complaint = copy.run("check-config", str(config), code=2)
    assert "box.quiet_from: 24 is not allowed; allowed is a whole number from 0 to 23" in complaint


def test_a_screen(copy: Copy) -> None:
    attract = "game/modes/attract.py"
    copy.before(
        attract,
        "        settings = shared.settings",
        "        if shared.settings.game.names:",
        '            return Screen(self.name, big=message("Your names?"), lit=True)',
    )
    program = f"""{SAYS}
for text in ("", "[game]\\nnames = true\\n"):
    print(told_screen(box(text).start()[-1]).text.splitlines()[0])
"""
    assert copy.run("-c", program) == "Traditional\nYour names?\n"


def test_a_menu_item(copy: Copy) -> None:
    items = "game/menu_items.py"
    copy.before(
        items,
        "MENU_LINES: tuple[MenuLine, ...] = (",
        "SLEEP = _one_of(",
        '    "box.sleep_min",',
        '    message("Dark after"),',
        '    message("Minutes?"),',
        '    message("How long the display stays lit."),',
        "    (5, 10, 30),",
        ")",
    )
    copy.before(items, "    Destination.STATISTICS,", "    SLEEP,")
    program = f"""{SAYS}
now = box("")
# To the item by its lever, into it, to the third option by its lever, and back.
inputs = (Held(), LeversMoved(1 << 5), LeversMoved(0), Pressed(), LeversMoved(4), LeversMoved(0), Pressed())
for second, given in enumerate(inputs):
    say(now, given, second * 1_000_000_000)
again = as_chosen(parse_config("", "test"), now.settings, [Chosen("box.sleep_min", 30)])
print(now.settings.sleep_ns == again.sleep_ns == 30 * 60_000_000_000)
say(box("[box]\\nsleep_min = 7.5\\n"), Held(), 1_000_000_000)
"""
    shown = copy.run("-c", program).splitlines()
    assert "Dark after: 10" in shown[2]
    assert shown[3].startswith("menu | Minutes?")
    assert "Dark after: 30" in shown[-3]
    assert shown[-2] == "True"
    assert "Dark after: 7.5" in shown[-1], "what the owner has configured is no option of the item"


@pytest.mark.slow
def test_a_game(copy: Copy) -> None:
    copy.new(
        "rules/profiles/short.toml",
        'name = "short"\nlike = "traditional"\nsource = "a kitchen"\ntiles = [1, 2, 3]\nboxes = [3]\n'
        'dice = 1\n\n[title]\nen = "Short"\n',
    )
    assert "A throw is one die with 6 sides." in copy.run("profiles", "short", "--language", "en")
    assert "short" in copy.run("profiles")
    assert "expected score" in copy.run("odds", "short")
    copy.new(
        "rules/profiles/wrong.toml",
        'name = "wrong"\nlike = "traditional"\nwin = "highest"\nshut_wins = "match"\n',
    )
    assert copy.run("odds", "wrong", code=2).startswith("shutthebox: wrong.toml: shut_wins: ")


@pytest.mark.slow
def test_a_setting_that_a_device_obeys(copy: Copy) -> None:
    copy.before(
        "config/schema.py",
        "    brightness: Brightness = sections.key(",
        '    inverted: bool = sections.key(validation.boolean, False, "Dark on bright.")',
    )
    copy.before(
        "game/settings.py",
        "def misfit(profile: Profile, levers: int) -> str:",
        "    @property",
        "    def inverted(self) -> bool:",
        '        """Dark on bright."""',
        "",
        "",
    )
    copy.before(
        "game/menu_items.py",
        "MENU_LINES: tuple[MenuLine, ...] = (",
        'TEXTS = message("Inverted"), message("Inverted"), message("Dark on light.")',
        'INVERTED = _switch("display.inverted", *TEXTS)',
    )
    copy.before("game/menu_items.py", "    BRIGHTNESS,", "    INVERTED,")
    method = ("    def invert(self, on: bool) -> None:", '        """Is dark on bright from now on."""')
    copy.before("runtime/ports.py", "    def brighten(self, brightness: Brightness) -> None:", *method, "")
    copy.before(
        "simulator/hardware/virtual_display.py",
        "    def brighten(self, brightness: Brightness) -> None:",
        *method,
        "        print('inverted:', on)",
        "",
    )
    copy.before(
        "runtime/runner.py",
        "                    self._brighten()",
        "                    if self._ports.display is not None:",
        "                        self._ports.display.invert(self.machine.settings.display.inverted)",
    )
    program = """
from shutthebox.config.schema import parse_config
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
config = parse_config("[display]\\ninverted = true\\n", "test")
box = VirtualBox(config, display=VirtualDisplay(config))
box.close()
"""
    assert copy.run("-c", program).startswith("inverted: True\n")


@pytest.mark.slow
def test_a_tune(copy: Copy) -> None:
    copy.before("game/effects.py", '    WAKE = "wake"', '    BELL = "bell"')
    copy.before("adapters/buzzer.py", "    Sound.WAKE: ((880, 60),),", "    Sound.BELL: ((2000, 20),),")
    copy.before(
        "game/modes/service.py",
        "    return asked(mode, replace(mode, asks_code=True), context)",
        "    if mode.row == 1:",
        "        return ring(mode)",
    )
    copy.before(
        "game/modes/service.py",
        "def _asks(mode: Service, settings: Settings) -> Step[Service]:",
        "def ring(mode: Service) -> Step[Service]:",
        "    from shutthebox.game.effects import Sound, Sounded",
        "    return Step(mode, (Sounded(Sound.BELL),))",
        "",
        "",
    )
    program = """
from shutthebox.adapters.buzzer import TUNES
from shutthebox.config.schema import Config
from shutthebox.game.effects import Sounded
from shutthebox.game.modes.service import Service, press
from shutthebox.simulator.virtual_box import VirtualBox
box = VirtualBox(Config())
state = box.runner.machine.state
class At:
    shared = state.shared
(effect,) = press(Service(None, row=1), At).effects
print(isinstance(effect, Sounded), TUNES[effect.sound])
box.close()
"""
    assert copy.run("-c", program) == "True ((2000, 20),)\n"


@pytest.mark.slow
def test_a_service_screen(copy: Copy) -> None:
    copy.before(
        "game/modes/service.py",
        "        if self.asking:",
        "        if self.row == 1 and not self.unlocked:",
        '            big = message("{count} levers", count=settings.levers)',
        '            return Screen(self.name, title=message("Service"), big=big, lit=True)',
    )
    program = f"""{SAYS}
now = box("[gpio]\\nservice = 20\\n")
from shutthebox.game.modes.service import Service
from shutthebox.translations import translations
print(Service(None, row=1).screen(now.state.shared).big.told(translations()["en"]))
"""
    assert copy.run("-c", program) == "9 levers\n"


def test_a_back_end_for_the_pins(copy: Copy, tmp_path: Path) -> None:
    copy.before("config/schema.py", '    RPIGPIO = "rpigpio"', '    MOCK = "mock"')
    copy.before(
        "adapters/gpio.py",
        "            case Backend.GPIOD:",
        "            case Backend.MOCK:",
        "                from gpiozero.pins.mock import MockFactory",
        "",
        "                return MockFactory()",
    )
    config = tmp_path / "config.toml"
    config.write_text('[gpio]\nbackend = "mock"\n[box]\nlevers = 9\n')
    program = f"""
from pathlib import Path
from shutthebox.adapters.gpio import Pins, open_factory
from shutthebox.config.schema import read_config
from shutthebox.config.settings_loader import switch_lines
gpio = read_config(Path({str(config)!r})).gpio
pins = Pins(open_factory(gpio.backend), switch_lines(gpio, 9), gpio.lamp, print)
print(len(pins.active()), "switches")
pins.close()
"""
    assert copy.run("-c", program).splitlines()[0] == "10 switches"
