"""The machine, row by row of the controls: the effect of a press, a hold and the levers in each mode."""

from dataclasses import replace

import pytest
from tests.support.box import MS
from tests.support.machine import TUMBLE_NS, Table, facts, settings_for, sounds
from tests.support.positions import with_rows

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Show, Sound
from shutthebox.game.facts import Chosen, PlayersLeft
from shutthebox.game.inputs import FormInput, NamesGiven, RulesGiven, SettingChosen
from shutthebox.game.mode import Mode
from shutthebox.game.settings import SetupChoice, ShownStakes
from shutthebox.rules.profile import Group
from shutthebox.rules.tiles import to_tiles
from shutthebox.translations import translations


def match_over(players: int = 1, **settings: object) -> Table:
    """A finished match that the last player has won."""
    table = Table(settings_for("traditional", players=players, **settings))
    table.press()
    play_to_the_end(table, players)
    return table


def play_to_the_end(table: Table, players: int) -> None:
    """The last player wins a match that has just begun, by the 9."""
    for player in range(players):
        table.stand([])
        if player and player == players - 1:
            table.throw(6, 3)
            table.flip(9)
            table.dice.throws.append((1, 1))
            table.press()
            table.press()
        else:
            table.throw(1, 1)
        table.flip(2)
        table.dice.throws.append((1, 1))
        table.press()
        table.wait(TUMBLE_NS)
        table.press()
    assert table.mode is Mode.MATCH_OVER


# -- setup and menu ----------------------------------------------------------------------------


def test_a_hold_leaves_every_list_of_games_with_the_game_that_a_lever_has_chosen() -> None:
    table = Table(settings_for("traditional"))
    table.open_menu("Game")
    table.pick("Odd")
    first = dict(table.machine.settings.groups)[Group.ODD][0]
    assert table.screen.rows[0] == f"1 {first.title()}"
    assert facts(table.hold()) == [], "who has only looked has chosen nothing"
    assert table.screen.rows[0] == "1 Classic"
    table.pick("Odd")
    table.choose(1)
    chosen = facts(table.hold())
    assert chosen[0] == Chosen("game.profile", first.name), "lever 1 is a choice like any other"
    assert table.screen.cursor is not None
    assert table.screen.rows[table.screen.cursor].endswith(f"Game: {first.title()}")


def test_games_stand_in_the_order_of_their_titles_in_the_language_of_the_box() -> None:
    def games_of(group: Group, language: str) -> list[str]:
        settings, told = settings_for(language=language), translations()[language]
        return [game.title(language, told) for game in dict(settings.groups)[group]]

    assert games_of(Group.CHILDREN, "en") == ["The ladder", "Lucky seven", "Thai", "Young"]
    assert games_of(Group.QUICK, "fr") == [
        "Le 2 d’abord", "Le 3 d’abord", "Les impairs", "Les pairs", "Sept perdant", "Trois fermés",
    ]  # fmt: skip
    assert games_of(Group.CHILDREN, "fr")[0] == "L’échelle"


def menu_item(table: Table, label: str) -> int:
    """Opens the menu on this item; its number."""
    if table.mode is not Mode.MENU:
        table.hold()
    number = next(i for i, row in enumerate(table.screen.rows, 1) if row.startswith(f"{i} {label}"))
    table.choose(number)
    assert table.screen.cursor == number - 1
    return number


def test_silence_is_silent() -> None:
    assert sounds(match_over(sound=False).effects) == []


def test_the_form_changes_nothing_during_a_match() -> None:
    """A page that somebody else has open can't take the match from those at the levers."""
    table = Table(throws=[(3, 4)])
    table.press()
    before = table.machine.state
    names, profile = NamesGiven(("ANN", "")), SettingChosen("game.profile", "trac")
    given: FormInput
    for given in (RulesGiven(replace(builtin("trac"), name="ours")), profile, names):
        assert table.give(given) == []
        assert table.machine.state == before


def test_who_only_looks_in_the_menu_chooses_nothing() -> None:
    """Else the rounds that the game has would become rounds that the players want."""
    table = Table()
    number = menu_item(table, "Rounds")
    table.press()
    assert facts(table.hold()) == []
    assert table.machine.settings.game.rounds is None
    assert table.screen.cursor == number - 1


# -- stakes ------------------------------------------------------------------------------------


def test_nobody_is_told_who_owes_unless_the_owner_wants_it() -> None:
    table = match_over(2)
    assert table.match.result is not None
    assert list(map(int, table.show.scene.owes)) == [1, -1], "the result is known"
    assert "owes" not in table.text
    table.choose(3)
    assert "owes" not in table.text


def test_the_stakes_of_the_evening_add_up_on_a_screen_of_their_own() -> None:
    table = match_over(2, stakes=ShownStakes.EVENING)
    table.press()
    play_to_the_end(table, 2)
    assert table.screen.rows[:2] == ("1: 43\towes 1", "2: 34\tgets 1")
    table.choose(3)
    assert table.screen.title == "Evening"
    assert table.screen.rows == ("1\towes 2", "2\tgets 2")
    table.choose(3)
    assert table.screen.title == "Player 2 wins!"


# -- ready -------------------------------------------------------------------------------------


def ready_with(profile: str, *tiles: int) -> Table:
    """A turn with these tiles open, its throw awaited; the others are down."""
    table = Table(settings_for(profile, players=1))
    table.press()
    turn = table.match.turn._replace(open=to_tiles(tiles), throws=3, moves=3)
    match = with_rows(table.match, turn)
    shut = [tile for tile in range(1, 10) if tile not in tiles]
    return Table(table.machine.settings, match=match, down=shut)


@pytest.mark.parametrize(
    ("profile", "tiles", "reason"),
    [
        ("jouhet", (1, 6), "One die: not yet"),
        ("jouhet", (1, 5), "One die now"),
        ("thai", (1, 2), "One die: not here"),
    ],
)
def test_one_die_is_refused_with_the_reason(profile: str, tiles: tuple[int, ...], reason: str) -> None:
    table = ready_with(profile, *tiles)
    effects = table.hold()
    assert (facts(effects), sounds(effects)) == ([], [Sound.REFUSED])
    assert table.mode is Mode.READY
    assert reason in table.text
    table.flip()
    assert reason not in table.text, "said once"


def test_the_last_lever_down_while_the_dice_tumble_shuts_the_box_when_they_stop() -> None:
    table = ready_with("traditional", 8)
    table.dice.throws.append((3, 5))
    table.press()
    table.flip(8)
    assert table.verdict == "lift 8"
    table.wait(TUMBLE_NS)
    assert (table.mode, table.screen.big) == (Mode.TURN_OVER, "SHUT!")


# -- match over --------------------------------------------------------------------------------


def test_a_lever_that_signs_asks_to_be_put_back_and_one_that_does_nothing_is_answered() -> None:
    """Levers are flicked either way: most are down when a match is over."""
    table = match_over()
    assert table.down == {2}
    table.lift(2)
    assert (table.screen.prompt, table.screen.also[0]) == ("Put 2 back", "Press: again · hold: end")
    table.flip(2)
    assert table.screen.big == "A__"
    assert sounds(table.choose(5)) == [Sound.REFUSED]
    assert (table.screen.alert, table.screen.prompt) == ("Lever 1: < 2: >", "Press: letter")
    table.hold()
    assert sounds(table.choose(7)) == [Sound.REFUSED]
    assert (table.mode, table.screen.alert) == (Mode.MATCH_OVER, "Press: again · hold: end")


# -- sleep -------------------------------------------------------------------------------------


@pytest.mark.parametrize("gesture", ["press", "hold"])
def test_asleep_a_gesture_only_wakes(gesture: str) -> None:
    table = Table(settings_for(setup=SetupChoice.ASK))
    table.wait(599_000 * MS)
    assert not table.show.asleep
    table.wait(1_000 * MS)
    assert table.show.asleep
    assert table.machine.deadline_ns is None
    effects = getattr(table, gesture)()
    assert sounds(effects) == [Sound.WAKE]
    assert (table.mode, table.show.asleep) == (Mode.ATTRACT, False)


def test_asleep_a_lever_only_wakes_and_is_judged_all_the_same() -> None:
    table = Table()
    table.press()
    table.throw(3, 5)
    table.wait(700_000 * MS)
    assert (table.show.asleep, table.mode) == (True, Mode.FLIPPING)
    table.flip(3)
    assert (table.show.asleep, table.verdict) == (False, "missing 5")


def test_a_menu_nobody_uses_closes() -> None:
    for setup, gesture in ((SetupChoice.USUAL, "hold"), (SetupChoice.ASK, "press")):
        table = Table(settings_for(setup=setup))
        getattr(table, gesture)()
        table.wait(600_000 * MS)
        assert table.mode is Mode.ATTRACT


def test_a_finished_match_is_left_when_the_box_falls_asleep() -> None:
    table = match_over()
    assert facts(table.wait(600_000 * MS)) == [PlayersLeft()]
    assert table.mode is Mode.ATTRACT


def test_a_match_is_never_left_for_sleep() -> None:
    table = Table()
    table.press()
    table.throw(3, 5)
    assert facts(table.wait(100_000_000 * MS)) == []
    assert table.mode is Mode.FLIPPING


# -- what is kept comes first ------------------------------------------------------------------


def test_records_come_before_the_show_that_depends_on_them() -> None:
    """A show may hold nothing that has not been kept: every input ends with its one show."""
    table = Table()
    for hand in (table.press, table.press, table.press, lambda: table.flip(8)):
        table.dice.throws[:] = [(3, 5)]
        effects = hand()
        assert [isinstance(effect, Show) for effect in effects] == [False] * (len(effects) - 1) + [True]


# -- tones -------------------------------------------------------------------------------------


def test_whoever_puts_levers_right_hears_no_fault() -> None:
    table = Table(down=range(1, 10))
    assert Sound.FAULT in sounds(table.press()), "said once, as the turn begins"
    assert not any(sounds(table.lift(lever)) for lever in range(1, 9))
    assert sounds(table.flip(3)) == [Sound.FAULT]
    assert sounds(table.lift(3)) == []
    table.lift(9)
    table.throw(3, 5)
    assert sounds(table.flip(6)) == []
    assert sounds(table.flip(7)) == [Sound.FAULT]
    assert sounds(table.flip(9)) == [Sound.FAULT], "worse still"
    assert sounds(table.lift(9)) == []
    assert sounds(table.lift(6)) == [], "7 and nothing else: 1 to go"


def test_setting_the_other_players_row_is_no_fault_either() -> None:
    table = Table(settings_for("young"))
    table.press()
    for faces, lever in (((2, 3), 5), ((1, 1), 1)):
        table.stand(())
        table.throw(*faces)
        table.flip(lever)
        table.press()
    assert (table.mode, table.verdict) == (Mode.RAISING, "put-back 5")
    assert sounds(table.flip(5)) == []
    assert table.verdict == "lift 1", "which has been wrong all along"
    assert sounds(table.lift(1)) == []
    assert table.mode is Mode.READY
