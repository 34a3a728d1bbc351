"""What a form beside the box can do, and what it can't."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from mock import Mock
from tests.support.box import BoxUnderTest, config_with

from doctools.diagram import modes
from shutthebox.config.profiles import from_text
from shutthebox.game.facts import Chosen, PlayersLeft
from shutthebox.game.inputs import CursorMoved, FormInput, LeaveAsked, NamesGiven, RulesGiven, SettingChosen
from shutthebox.game.menu_items import offered_items
from shutthebox.game.messages import localize
from shutthebox.game.mode import Mode
from shutthebox.game.modes.attract import Attract
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.menu import Menu
from shutthebox.game.modes.naming import Naming
from shutthebox.game.modes.puzzle import PuzzleMode
from shutthebox.game.modes.roll_off import RollOff
from shutthebox.game.modes.setup import Setup
from shutthebox.game.settings import Settings
from shutthebox.simulator.form_input import as_line, setting
from shutthebox.simulator.scenario.script import parse


def settings_of(box: BoxUnderTest) -> Settings:
    return box.box.runner.machine.settings


def test_every_option_of_the_menu_can_be_chosen_and_is_kept(tmp_path: Path) -> None:
    box = BoxUnderTest(tmp_path, config_with(game__players=2))
    for item in offered_items(settings_of(box)):
        for index, value in enumerate(item.values(settings_of(box))):
            before = settings_of(box)
            box.box.fill_in(setting(item.key, json.loads(json.dumps(value))))
            wanted, facts = item.choose(before, index)
            assert settings_of(box) == wanted, (item.key, value)
            kept = [fact for fact in box.facts if isinstance(fact, Chosen)]
            assert kept[-len(facts) :] == list(facts)
    chosen = settings_of(box)
    box.box.cut_power()
    assert (settings_of(box).profile, settings_of(box).game.players) == (chosen.profile, chosen.game.players)
    box.box.close()


WRONG = [
    SettingChosen("game.players", 0),
    SettingChosen("game.players", True),
    SettingChosen("game.profile", "no such game"),
    SettingChosen("box.levers", 12),
    SettingChosen("service.wrong_codes", 0),
    SettingChosen("game.hints", 1),
    NamesGiven(("ann",)),
    NamesGiven(("ABC",) * 21),
]


@pytest.mark.parametrize("given", WRONG)
def test_what_the_menu_does_not_offer_does_nothing(given: FormInput) -> None:
    box = BoxUnderTest()
    before, seen = box.box.runner.machine.state, len(box.effects)
    box.box.fill_in(given)
    assert box.box.runner.machine.state == before
    assert len(box.effects) == seen


def test_after_a_match_another_game_is_chosen_by_the_same_players() -> None:
    box = BoxUnderTest(config=config_with(game__players=1, game__names=True))
    box.box.fill_in(NamesGiven(("ANN",)))
    box.press()
    assert box.mode == "ready", "names that are there are not asked for"
    assert [localize(seat, str) for seat in box.show.scene.seats] == ["ANN"]
    for move in ((3, 9), (4, 8), (5, 7)):
        box.throw(6, 6)
        box.flip(*move)
    box.throw(6, 6)  # commits, and asks how many dice
    box.throw(6, 6)
    box.press()
    assert box.mode == "match-over"
    box.box.fill_in(SettingChosen("game.profile", "trac"))
    assert box.mode is Mode.ATTRACT
    assert PlayersLeft() in box.facts
    assert settings_of(box).profile.name == "trac"
    assert box.show.scene.form is not None
    assert box.show.scene.form.names == ("ANN",)


def test_a_setting_is_taken_in_every_mode_without_a_match_and_in_no_other() -> None:
    box, reached = BoxUnderTest(config=config_with(game__setup="ask", game__names=True)), []

    def choose(players: int) -> None:
        before = box.box.runner.machine.state.mode
        box.box.fill_in(SettingChosen("game.players", players))
        assert settings_of(box).game.players == players
        reached.append((type(before), type(box.box.runner.machine.state.mode)))

    choose(3)
    box.hold()
    choose(4)
    box.hold()
    box.press()
    choose(5)
    box.press()
    box.press()
    choose(1)
    box.hold()
    box.box.fill_in(CursorMoved(-2))
    box.press()
    choose(2)
    assert reached == [
        (Attract, Attract),
        (Menu, Menu),
        (Setup, Attract),
        (Naming, Attract),
        (PuzzleMode, Attract),
    ]
    taking = {mode for classes in modes().values() for mode in classes if mode.takes_settings}
    assert taking == {mode for mode, _ in reached} | {MatchOver, RollOff}


def test_a_form_wakes_the_box() -> None:
    box = BoxUnderTest(config=config_with(box__sleep_min=1))
    box.wait(61_000_000_000)
    assert box.show.asleep
    box.box.fill_in(SettingChosen("game.players", 3))
    assert not box.show.asleep


@pytest.mark.parametrize(
    "given",
    [
        SettingChosen("game.profile", "pub"),
        SettingChosen("game.hints", True),
        SettingChosen("game.handicap", (0, (1, 2))),
        NamesGiven(("ANN", "", "BOB")),
        NamesGiven(()),
        CursorMoved(-2),
        LeaveAsked(),
        RulesGiven(from_text('like = "pub"\ntitle.en = "Night  #1"\ndice = 3', Path("night.toml"))),
    ],
)
def test_a_recorded_line_does_the_same(given: FormInput) -> None:
    box = Mock()
    (line,) = parse(as_line(given), "script").lines
    line.verb.do(box)
    box.fill_in.assert_called_once_with(given)


def test_house_rules_that_do_not_fit_or_have_a_taken_name_change_nothing() -> None:
    box = BoxUnderTest()
    before = settings_of(box)
    for text, name in (("tiles = [1, 2, 3, 12]", "twelve"), ('like = "pub"', "pub")):
        keys = from_text(text, Path("mine.toml"))
        box.box.fill_in(RulesGiven(replace(keys, name=name)))
    assert settings_of(box) == before
    assert not box.facts
