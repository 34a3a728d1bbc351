"""The daemon and its store: backed up while it plays, broken rules, damage."""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.support.hands import Hands

from shutthebox.adapters.store.database import FILE_NAME
from shutthebox.adapters.store.opening import open_or_set_aside
from shutthebox.adapters.store.queries import read
from shutthebox.cli.main import main
from shutthebox.config.schema import Config, with_value
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.dice import RandomDice
from shutthebox.game.effects import Show
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import DICE_BUTTON
from shutthebox.runtime.daemon import serve
from shutthebox.simulator.hardware.box import SimulatedBox, default_lever_lines


def config_with(**values: object) -> Config:
    config = with_value(Config(), "game.setup", "usual", "test")
    for key, value in values.items():
        config = with_value(config, key.replace("__", "."), value, "test")
    return config


def run_daemon(config: Config, state: Path, act: Callable[[Hands], None]) -> list[Show]:
    """What it showed while hands did something to it."""
    failed: list[BaseException] = []
    lines = default_lever_lines(9)

    with SimulatedBox(lines, seed=1) as box:
        hands = Hands(box)

        def play() -> None:
            try:
                hands.see_the_first_screen()
                act(hands)
            except BaseException as error:
                failed.append(error)
            os.kill(os.getpid(), signal.SIGTERM)

        serve(
            config,
            settings_for(config, 9, "test"),
            box.factory,
            {DICE_BUTTON: box.button_line, **lines},
            None,
            RandomDice(Random(1).randrange),
            state,
            observers=[hands.observe],
            started=threading.Thread(target=play).start,
        )
    if failed:
        raise failed[0]
    return hands.shows


def test_it_plays_while_its_store_is_backed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state"

    def act(hands: Hands) -> None:
        hands.press()  # a match begins
        assert main(["backup", str(tmp_path / "before"), "--state", str(state)]) == 0
        hands.press()  # a throw
        assert main(["backup", str(tmp_path / "after"), "--state", str(state)]) == 0
        assert main(["restore", str(tmp_path / "before"), "--state", str(state)]) == 0
        hands.press()  # its dice are shown

    shows = run_daemon(config_with(), state, act)
    assert shows[-1].throw is not None
    assert shows[-1].screen.aside != "no memory"

    for name, actions in (("after", 1), ("before", 0)):
        assert main(["restore", str(tmp_path / name), "--state", str(tmp_path / f"restored {name}")]) == 0
        store, store_fault = open_or_set_aside(tmp_path / f"restored {name}", time.time)
        assert store_fault is None
        assert store is not None
        with closing(store):
            running = store.running_match()
            assert running is not None
            assert len(running[1]) == actions
    # The next start is with what was restored meanwhile: the match, but not the throw.
    shows = run_daemon(config_with(), state, lambda hands: None)
    assert shows[0].mode is Mode.READY
    assert "good, 1 matches" in capsys.readouterr().out


def test_broken_house_rules_are_said_and_played_without(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "bad.toml").write_text("tiles = true\n")
    shows = run_daemon(config_with(rules__folder=str(rules)), tmp_path / "state", Hands.press)
    assert (shows[0].screen.prompt, shows[0].screen.alert) == ("Bad house rules", True)
    assert shows[-1].mode is Mode.READY
    store, _ = open_or_set_aside(tmp_path / "state", time.time)
    assert store is not None
    with closing(store):
        (fault,) = read(store.connection).faults
    assert fault.kind == "rules"
    assert "bad.toml" in fault.text


def test_a_damaged_store_is_said_and_played_without(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("shopping list\n" * 100)
    shows = run_daemon(config_with(), tmp_path, Hands.press)
    assert (shows[0].screen.prompt, shows[0].screen.alert) == ("Memory damaged", True)
    assert shows[-1].mode is Mode.READY
    assert len(list(tmp_path.glob("*.damaged"))) == 1
