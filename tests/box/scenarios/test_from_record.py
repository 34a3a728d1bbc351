"""A record made into a scenario: the box plays the same match again, in any game."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import generate
from tests.support.command import printed

from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import ACTIONS, Action, OutOfTime, action_from_text
from shutthebox.rules.profile import Profile
from shutthebox.rules.record import Record
from shutthebox.rules.record import parse as parse_record
from shutthebox.rules.writer import to_lines
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.from_record import scenario_text
from shutthebox.simulator.scenario.player import ScenarioPlayer
from shutthebox.simulator.scenario.script import ScenarioError, parse

NAMES = ("traditional", "knipsen", "high-rollers", "bank", "ladder", "young", "open-one")
GAMES = [
    *map(builtin, NAMES),
    replace(builtin("double-row"), tiles=(1, 2, 3, 4, 5)),
    replace(builtin("golf"), name="seats", teams=2, handicap=(0, 5, (1, 2))),
]


LONG = ("traditional", "high-rollers", "young", "open-one", "knipsen", "seats", "double-row", "bank")


@pytest.mark.parametrize(
    "profile",
    [
        pytest.param(game, id=game.name, marks=[pytest.mark.slow] if game.name in LONG else [])
        for game in GAMES
    ],
)
def test_a_match_is_played_again(profile: Profile, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text("\n".join(to_lines(replace(profile, name="house"))) + "\n", "utf-8")
    for seed in range(2):
        record = generate.random_record(profile, 4, seed, most=150)
        scenario = parse(scenario_text(record, house), "again")
        ScenarioPlayer(
            scenario, tmp_path / f"state {seed}", VirtualDisplay(scenario.config), lambda effect, t_ns: None
        ).run()


def test_hands_do_every_action_again(tmp_path: Path) -> None:
    """The box keeps the same match as the record that its hands repeat, for every action there is."""
    done = set[type[Action]]()
    for number, record in enumerate(generate.records_of_every_action(10)):
        if record.profile.turn_seconds is not None:
            continue  # refused: see below
        house, state = tmp_path / "house.toml", tmp_path / f"state {number}"
        house.write_text("\n".join(to_lines(replace(record.profile, name="house"))) + "\n", "utf-8")
        scenario = parse(scenario_text(record, house), "again")
        ScenarioPlayer(scenario, state, VirtualDisplay(scenario.config)).run()
        kept = parse_record(printed("export", "--record", "1", "--state", state), "kept", builtin)
        assert kept.actions == record.actions
        done.update(map(type, record.actions))
    assert done == {*ACTIONS} - {OutOfTime}


def test_nobody_knows_when_a_throw_was_answered() -> None:
    record = generate.random_record(replace(builtin("golf"), turn_seconds=20), 2, 1, most=20)
    with pytest.raises(ScenarioError, match="against the clock"):
        scenario_text(record, Path("house.toml"))


def test_a_total_of_real_dice_cannot_be_thrown() -> None:
    record = Record(builtin("traditional"), 1, 1, (action_from_text("throw 8"),))
    with pytest.raises(ScenarioError) as wrong:
        scenario_text(record, Path("house.toml"))
    assert str(wrong.value) == "8: only the total of these real dice is known; the box can't repeat it"
