"""The recipes of ARCHITECTURE.md, each followed in a copy of the package and tried there.

A recipe names the files that have to be opened; these tests open no others. Those of a key of a game, an
order of play, a menu item, an action, a button, a mode, an owner's topic, a language, a controller:
`test_contributions.py`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.contribution import Change, before, begins, case, entry, imports, member, method

import shutthebox

PACKAGE = Path(shutthebox.__file__).parent


class Copy:
    """The package, to be changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # With what Python has compiled: only the changed files are compiled again.
        shutil.copytree(PACKAGE, folder / "shutthebox")

    def change(self, path: str, *changes: Change) -> None:
        """Changes a file at places that are found by name."""
        file = self._folder / "shutthebox" / path
        text = file.read_text("utf-8")
        for each in changes:
            text = each(text)
        file.write_text(text, "utf-8")

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
def test_a_key_of_the_configuration(copy: Copy, tmp_path: Path) -> None:
    copy.change(
        "config/schema.py",
        member("BoxConfig", 'quiet_from: int = sections.key(validation.whole(0, 23), 22, "From when.")'),
    )
    # The machine reads it.
    copy.change("game/settings.py", method("BoxSection", "@property\ndef quiet_from(self) -> int: ..."))
    program = """
from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for
for text in ("[box]\\nquiet_from = 20\\n", ""):
    print(settings_for(parse_config(text, "test"), 9, "test").box.quiet_from)
"""
    assert copy.run("-c", program) == "20\n22\n"
    config = tmp_path / "config.toml"
    config.write_text("[box]\nquiet_from = 24\n")
    complaint = copy.run("check-config", str(config), code=2)
    assert "box.quiet_from: 24 is not allowed; use a whole number from 0 to 23" in complaint


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
    copy.change(
        "config/schema.py",
        member(
            "DisplayConfig", 'mirrored: bool = sections.key(validation.boolean, False, "Seen in a mirror.")'
        ),
    )
    copy.change("game/settings.py", method("DisplaySection", "@property\ndef mirrored(self) -> bool: ..."))
    copy.change(
        "game/menu_items.py",
        before("MENU_LINES", 'TEXTS = message("Mirrored"), message("Mirrored"), message("In a mirror.")'),
        before("MENU_LINES", 'MIRRORED = _switch("display.mirrored", *TEXTS)'),
        entry("MENU_LINES", "MIRRORED"),
    )
    port = 'def mirror(self, on: bool) -> None:\n    """Is seen in a mirror from now on."""\n'
    copy.change("runtime/ports.py", method("DisplayPort", port))
    copy.change(
        "simulator/hardware/virtual_display.py",
        method("VirtualDisplay", f"{port}    print('mirrored:', on)\n"),
    )
    copy.change(
        "runtime/runner.py",
        begins(
            "Runner._brighten",
            "if self._ports.display is not None:\n"
            "    self._ports.display.mirror(self.machine.settings.display.mirrored)",
        ),
    )
    program = """
from shutthebox.config.schema import parse_config
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
config = parse_config("[display]\\nmirrored = true\\n", "test")
box = VirtualBox(config, display=VirtualDisplay(config))
box.close()
"""
    assert copy.run("-c", program).startswith("mirrored: True\n")


@pytest.mark.slow
def test_a_tune(copy: Copy) -> None:
    copy.change("game/effects.py", member("Sound", 'BELL = "bell"'))
    copy.change("adapters/buzzer.py", entry("TUNES", "Sound.BELL: ((2000, 20),)"))
    copy.change(
        "game/modes/service.py",
        imports("from shutthebox.game.effects import Sound, PlaySound"),
        begins("press", "if mode.row == 1:\n    return Step(mode, (PlaySound(Sound.BELL),))"),
    )
    program = """
from shutthebox.adapters.buzzer import TUNES
from shutthebox.config.schema import Config
from shutthebox.game.effects import PlaySound
from shutthebox.game.modes.service import Service, press
from shutthebox.simulator.virtual_box import VirtualBox
box = VirtualBox(Config())
state = box.runner.machine.state
class At:
    shared = state.shared
(effect,) = press(Service(None, row=1), At).effects
print(isinstance(effect, PlaySound), TUNES[effect.sound])
box.close()
"""
    assert copy.run("-c", program) == "True ((2000, 20),)\n"


@pytest.mark.slow
def test_a_back_end_for_the_pins(copy: Copy, tmp_path: Path) -> None:
    copy.change("config/schema.py", member("Backend", 'MOCK = "mock"'))
    mock = "case Backend.MOCK:\n    from gpiozero.pins.mock import MockFactory\n\n    return MockFactory()"
    copy.change("adapters/gpio.py", case("open_factory", mock))
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
