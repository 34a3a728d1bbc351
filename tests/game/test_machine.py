"""The machine, row by row of the controls: the effect of a press, a hold and the levers in each mode."""

from dataclasses import replace

import pytest
from tests.support.box import MS
from tests.support.machine import TUMBLE_NS, Table, facts, settings_for, sounds

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Keep, Show, Sound, Sounded
from shutthebox.game.facts import Began, Chosen, Finished, Left, Resumed, Signed
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.game.settings import ShownStakes
from shutthebox.rules.actions import Moved, Thrown
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_tiles


def blocked_turn(table: Table) -> None:
    """Plays a turn that is soon over: 2 goes with a double 1, and there is no other 2."""
    table.stand([])
    table.throw(1, 1)
    table.flip(2)
    table.dice.throws.append((1, 1))
    table.press()
    table.wait(TUMBLE_NS)
    assert table.mode is Mode.TURN_OVER


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


# -- attract -----------------------------------------------------------------------------------


def test_it_waits_for_players() -> None:
    table = Table(settings_for("digits", skips_setup=False))
    assert table.mode is Mode.ATTRACT
    assert (table.show.player, table.show.open, table.show.throw) == (None, (), None)
    assert table.text == "Digits\nSHUT THE BOX\nPress to play\nHold: menu"


def test_what_is_shown_names_game_language_and_stakes() -> None:
    table = Table(settings_for("digits", language="fr", stakes=ShownStakes.EVENING))
    assert (table.show.game, table.show.language, table.show.staked) == (builtin("digits"), "fr", True)
    assert not table.show.seats
    table.press()
    assert table.show.game == builtin("digits")
    assert table.seats == ("Joueur 1", "Joueur 2")
    table = Table(settings_for("two-to-go", out=to_tiles([2])))
    assert (table.show.game, table.show.staked) == (None, False)


def test_a_press_starts_the_usual_game_at_once() -> None:
    table = Table(settings_for("pub", players=3))
    (began,) = facts(table.press())
    assert isinstance(began, Began)
    assert (began.match.game.name, began.match.players) == ("pub", 3)
    assert table.mode is Mode.READY


def test_a_press_asks_where_the_box_is_set_so() -> None:
    table = Table(settings_for(skips_setup=False))
    assert facts(table.press()) == []
    assert table.mode is Mode.SETUP
    assert "Players?" in table.text


def test_a_hold_opens_the_menu() -> None:
    table = Table()
    table.hold()
    assert table.mode is Mode.MENU


def test_levers_do_nothing_in_attract() -> None:
    table = Table()
    effects = table.flip(3)
    assert len(effects) == 1
    assert table.mode is Mode.ATTRACT


# -- setup and menu ----------------------------------------------------------------------------


def test_setup_asks_for_players_and_where_there_are_several_for_rounds() -> None:
    table = Table(settings_for("jouhet", skips_setup=False))
    table.press()
    assert table.screen.big == "2"
    table.choose(4)
    assert table.screen.big == "4"
    table.press()
    assert "Rounds?" in table.text
    assert table.screen.big == "3", "what the sheet says"
    table.choose(5)
    (began,) = facts(table.press())
    assert isinstance(began, Began)
    assert (began.match.players, began.match.rounds) == (4, 5)
    assert table.mode is Mode.READY


def test_setup_of_a_single_round_asks_for_players_only() -> None:
    table = Table(settings_for("pub", skips_setup=False))
    table.press()
    (began,) = facts(table.press())
    assert isinstance(began, Began)
    assert (began.match.players, began.match.rounds) == (2, 1)


def test_a_hold_goes_back_in_setup() -> None:
    table = Table(settings_for("jouhet", skips_setup=False))
    table.press()
    table.press()
    assert "Rounds?" in table.text
    table.hold()
    assert "Players?" in table.text
    table.hold()
    assert table.mode is Mode.ATTRACT


def test_a_choice_is_a_lever_flipped_and_put_back() -> None:
    table = Table(settings_for(skips_setup=False), down=[7])
    table.press()
    assert sounds(table.flip(5)) == []
    assert table.screen.big == "2", "not yet"
    assert sounds(table.lift(5)) == [Sound.CHOICE]
    assert table.screen.big == "5"
    table.lift(7)
    assert table.screen.big == "5", "that was down before anything was asked"
    table.choose(7)
    assert table.screen.big == "7"


def test_two_levers_at_once_choose_the_higher() -> None:
    table = Table(settings_for(skips_setup=False))
    table.press()
    table.flip(3, 6)
    table.lift(3, 6)
    assert table.screen.big == "6"


def test_levers_left_down_from_setup_are_to_be_lifted() -> None:
    table = Table(settings_for(skips_setup=False))
    table.press()
    table.flip(3)
    table.press()
    assert (table.mode, table.verdict) == (Mode.RAISE, "lift 3")


def test_the_menu_changes_what_is_chosen_and_keeps_it() -> None:
    table = Table(settings_for("traditional"))
    table.hold()
    assert table.screen.rows[0] == "1 Game: Traditional"
    table.press()
    assert "Games" in table.text
    names = [profile.title() for profile in table.machine.settings.profiles]
    while f"{(at := names.index('Digits')) % 8 + 1} Digits" not in table.screen.rows:
        table.choose(9)
    table.choose(at % 8 + 1)
    chosen = facts(table.press())
    forgotten = [Chosen("game.rounds", None), Chosen("game.limit", None)]
    assert chosen == [Chosen("game.profile", "digits"), *forgotten]
    assert (table.mode, table.screen.rows[0]) == (Mode.MENU, "1 Game: Digits")
    table.hold()
    assert table.mode is Mode.ATTRACT
    table.press()
    assert table.match.game.name == "digits"


def menu_item(table: Table, label: str) -> int:
    """Opens the menu on this item; its number."""
    if table.mode is not Mode.MENU:
        table.hold()
    number = next(i for i, row in enumerate(table.screen.rows, 1) if row.startswith(f"{i} {label}"))
    table.choose(number)
    assert table.screen.cursor == number - 1
    return number


@pytest.mark.parametrize(
    ("label", "lever", "fact"),
    [
        ("Players", 5, Chosen("game.players", 5)),
        ("Rounds", 7, Chosen("game.rounds", 7)),
        ("Language", 2, Chosen("box.language", "fr")),
        ("Sound", 2, Chosen("box.sound", False)),
    ],
)
def test_every_item_of_the_menu(label: str, lever: int, fact: Chosen) -> None:
    table = Table()
    number = menu_item(table, label)
    table.press()
    table.choose(lever)
    assert facts(table.press()) == [fact]
    assert table.screen.cursor == number - 1, "back in the list, where one was"


def test_the_menu_speaks_the_chosen_language_at_once() -> None:
    table = Table()
    menu_item(table, "Language")
    table.press()
    table.choose(2)
    table.press()
    assert table.screen.prompt == "Appuyez\u00a0: choisir"


def test_silence_is_silent() -> None:
    table = Table(settings_for(sound=False))
    table.press()
    blocked_turn(table)
    table.press()
    assert sounds(table.effects) == []


def test_a_hold_in_the_menu_goes_back_without_a_change() -> None:
    table = Table()
    table.hold()
    table.choose(2)
    table.press()
    table.choose(8)
    assert facts(table.hold()) == []
    assert "2 Players: 2" in table.text
    table.hold()
    assert table.mode is Mode.ATTRACT


def test_statistics_are_shown_as_the_world_gives_them() -> None:
    table = Table(statistics=("12 matches", "best 3"))
    number = menu_item(table, "Statistics")
    table.press()
    assert table.screen.rows == ("12 matches", "best 3"), "no numbers before them: they are no choices"
    assert table.screen.prompt == "Press: back"
    table.press()
    assert table.screen.cursor == number - 1


def test_a_page_of_statistics_changes_nothing() -> None:
    table = Table(settings_for(sound=False), statistics=("12 matches", "best 3"))
    before = table.machine.settings
    menu_item(table, "Statistics")
    assert facts([*table.press(), *table.choose(2), *table.press(), *table.hold()]) == []
    assert table.machine.settings == before


def test_where_the_game_is_played_to_a_limit_that_is_asked() -> None:
    table = Table(settings_for("trac-100", skips_setup=False))
    table.press()
    table.press()
    assert "Up to how many points?" in table.text
    assert table.screen.big == "100", "what the sheet says"
    table.choose(3)
    assert table.screen.big == "50"
    (began,) = facts(table.press())
    assert isinstance(began, Began)
    assert began.match.game.limit == 50


def test_the_menu_has_a_limit_in_the_place_of_rounds() -> None:
    table = Table(settings_for("cover-200"))
    assert menu_item(table, "Limit") == 3
    assert "Rounds" not in table.text
    table.press()
    table.choose(9)
    assert table.screen.big == "500", "the second page begins with the ninth"
    assert facts(table.press()) == [Chosen("game.limit", 500)]
    assert "3 Limit: 500" in table.text
    table.hold()
    table.press()
    assert table.match.game.limit == 500


def test_a_race_is_one_round_whatever_the_settings_say() -> None:
    table = Table(settings_for("lucky-seven", rounds=3))
    table.press()
    assert table.match.rounds == 1


# -- stakes ------------------------------------------------------------------------------------


def test_nobody_is_told_who_owes_unless_the_owner_wants_it() -> None:
    table = match_over(2)
    assert table.match.result is not None
    assert list(map(int, table.show.owes)) == [1, -1], "the result is known"
    assert "owes" not in table.text
    table.choose(3)
    assert "owes" not in table.text


def test_the_end_shows_the_stakes_of_this_match_only() -> None:
    table = match_over(2, stakes=ShownStakes.MATCH)
    assert table.screen.rows[:2] == ("1: 43\towes 1", "2: 34\tgets 1")
    table.press()
    assert list(map(int, table.play.tally)) == [1, -1]
    play_to_the_end(table, 2)
    assert table.screen.rows[:2] == ("1: 43\towes 1", "2: 34\tgets 1")
    table.choose(3)
    assert "evening" not in table.text


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


def test_past_attract_nothing_is_owed() -> None:
    table = match_over(2, stakes=ShownStakes.EVENING)
    table.hold()
    table.press()
    play_to_the_end(table, 2)
    table.choose(3)
    assert table.screen.rows == ("1\towes 1", "2\tgets 1")


# -- raise -------------------------------------------------------------------------------------


def test_raise_names_the_levers_that_are_down() -> None:
    table = Table(down=[2, 9])
    table.press()
    assert (table.mode, table.verdict) == (Mode.RAISE, "lift 2 9")
    assert "Lift 2, 9" in table.text
    assert table.tiles(TileState.WRONG) == [2, 9]
    table.lift(2)
    assert (table.mode, table.verdict) == (Mode.RAISE, "lift 9")
    table.lift(9)
    assert (table.mode, table.verdict) == (Mode.READY, "ok")


def test_the_button_does_nothing_in_raise_and_says_so() -> None:
    table = Table(down=[2])
    table.press()
    for effects in (table.press(), table.hold()):
        assert (sounds(effects), facts(effects)) == ([Sound.REFUSED], [])
        assert (table.mode, table.screen.prompt) == (Mode.RAISE, "Lift 2")


# -- ready -------------------------------------------------------------------------------------


def test_a_press_throws() -> None:
    table = Table(throws=[(3, 5)])
    table.press()
    effects = table.press()
    assert facts(effects) == [Thrown((3, 5))]
    assert sounds(effects) == [Sound.ROLL]
    assert table.mode is Mode.ROLLING
    assert table.dice.asked == [(2, 6)]


def test_a_lever_down_in_ready_is_a_fault_and_holds_up_the_throw() -> None:
    table = Table(throws=[(3, 5)])
    table.press()
    assert sounds(table.flip(4)) == [Sound.FAULT]
    assert (table.mode, table.verdict) == (Mode.READY, "lift 4")
    assert "Lift 4" in table.text
    assert table.screen.alert
    effects = table.press()
    assert (facts(effects), sounds(effects)) == ([], [Sound.REFUSED])
    assert "Lift 4" in table.text
    table.lift(4)
    assert table.verdict == "ok"
    table.press()
    assert table.mode is Mode.ROLLING


def ready_with(profile: str, *tiles: int, players: int = 1) -> Table:
    """A turn with these tiles open, its throw awaited; the others are down."""
    table = Table(settings_for(profile, players=players))
    table.press()
    turn = replace(table.match.turn, open=to_tiles(tiles), throws=3, moves=3)
    match = replace(table.match, rows=(turn,) * players)
    shut = [tile for tile in range(1, 10) if tile not in tiles]
    return Table(table.machine.settings, match=match, down=shut)


def test_one_die_where_that_is_a_choice() -> None:
    table = ready_with("traditional", 2, 6)
    assert (table.screen.prompt, table.screen.also) == ("Press: 2 dice", ("Hold: 1 die",))
    table.dice.throws.append((4,))
    assert facts(table.hold()) == [Thrown((4,))]
    assert table.mode is Mode.ROLLING
    both = ready_with("traditional", 2, 6)
    both.dice.throws.append((4, 4))
    assert facts(both.press()) == [Thrown((4, 4))]


@pytest.mark.parametrize(
    ("profile", "tiles", "reason"),
    [
        ("traditional", (1, 7), "Not one die yet"),
        ("jouhet", (1, 6), "Not one die yet"),
        ("jouhet", (1, 5), "One die now"),
        ("trac", (6,), "One die now"),
        ("thai", (1, 2), "Never one die"),
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


@pytest.mark.parametrize(("tiles", "dice"), [((1, 5), 1), ((1, 6), 2)])
def test_one_die_where_it_is_forced(tiles: tuple[int, ...], dice: int) -> None:
    table = ready_with("jouhet", *tiles)
    table.dice.throws.append((1,) * dice)
    table.press()
    assert table.dice.asked == [(dice, 6)]


# -- rolling -----------------------------------------------------------------------------------


def rolling() -> Table:
    table = Table(throws=[(3, 5)])
    table.press()
    table.press()
    return table


def test_the_throw_is_kept_before_it_is_seen() -> None:
    table = rolling()
    order = [type(effect) for effect in table.effects]
    assert order.index(Sounded) > max(i for i, effect in enumerate(table.effects) if isinstance(effect, Keep))
    assert table.show.throw is None
    assert table.screen.tumbling
    assert "8" not in table.text


def test_the_dice_tumble_for_less_than_a_second() -> None:
    table = rolling()
    assert table.wait(TUMBLE_NS - 1) == []
    table.wait(1)
    assert (table.mode, table.show.throw) == (Mode.FLIPPING, (3, 5))
    assert TUMBLE_NS <= 1_000 * MS


def test_a_hold_shows_the_throw_at_once_too() -> None:
    table = rolling()
    assert facts(table.hold()) == []
    assert (table.mode, table.show.throw) == (Mode.FLIPPING, (3, 5))


def test_levers_while_rolling_are_judged_as_before_the_throw() -> None:
    table = rolling()
    table.flip(3)
    assert (table.mode, table.verdict) == (Mode.ROLLING, "lift 3")
    table.press()
    assert (table.mode, table.verdict) == (Mode.FLIPPING, "missing 5"), "a position, not a command"


# -- flipping ----------------------------------------------------------------------------------


def flipping(*throw: int, profile: str = "traditional", players: int = 2) -> Table:
    table = Table(settings_for(profile, players=players))
    table.press()
    table.throw(*throw)
    return table


def test_a_complete_move_is_committed_by_a_press_that_throws_again() -> None:
    table = flipping(3, 5)
    table.dice.throws.append((1, 1))
    assert sounds(table.flip(1, 7)) == [Sound.COMPLETE]
    assert (table.verdict, table.mode) == ("complete", Mode.FLIPPING)
    assert table.show.open == tuple(range(1, 10)), "not committed yet"
    assert facts(table.press()) == [Moved(to_tiles([1, 7])), Thrown((1, 1))]
    assert table.mode is Mode.ROLLING
    assert table.show.open == (2, 3, 4, 5, 6, 8, 9)


def test_lifting_takes_a_flip_of_this_move_back() -> None:
    table = flipping(3, 5)
    table.flip(1, 7)
    table.lift(1)
    assert table.verdict == "missing 1"
    table.lift(7)
    assert table.verdict == "ok"
    table.flip(8)
    assert table.verdict == "complete"


@pytest.mark.parametrize(
    ("levers", "reason"),
    [((), "8 to go"), ((3,), "5 to go"), ((3, 7), "2 over"), ((1, 6), "No fit: lift one")],
)
def test_anything_else_is_refused_with_the_reason(levers: tuple[int, ...], reason: str) -> None:
    table = flipping(3, 5)
    table.flip(*levers)
    effects = table.press()
    assert (facts(effects), sounds(effects)) == ([], [Sound.REFUSED])
    assert table.mode is Mode.FLIPPING
    assert reason in table.text


def test_a_lever_of_an_earlier_throw_must_stay_down() -> None:
    table = flipping(3, 5)
    table.flip(8)
    table.dice.throws.append((2, 2))
    table.press()
    table.press()
    table.lift(8)
    assert (table.verdict, table.tiles(TileState.WRONG)) == ("put-back 8", [8])
    table.flip(4)
    assert table.verdict == "put-back 8"
    effects = table.press()
    assert facts(effects) == []
    assert "Put 8 back" in table.text
    table.flip(8)
    assert table.verdict == "complete"


def test_a_hold_asks_for_a_hint() -> None:
    table = flipping(3, 5)
    effects = table.hold()
    assert facts(effects) == []
    assert table.mode is Mode.FLIPPING
    assert "Hints are off" in table.text


def test_where_the_dice_are_a_choice_a_press_commits_only() -> None:
    table = ready_with("traditional", 3, 6, 9)
    table.throw(4, 5)
    table.flip(9)
    assert facts(table.press()) == [Moved(to_tiles([9]))]
    assert table.mode is Mode.READY
    assert "Hold: 1 die" in table.text


# -- turn over ---------------------------------------------------------------------------------


def test_the_box_shut_is_seen_without_a_press() -> None:
    table = ready_with("traditional", 3, 5)
    table.throw(3, 5)
    effects = table.flip(3, 5)
    assert isinstance(facts(effects)[0], Moved)
    assert Sound.SHUT in sounds(effects)
    assert (table.mode, table.show.open, table.show.scores) == (Mode.TURN_OVER, (), (0,))
    assert table.screen.big == "SHUT!"


def test_the_last_lever_down_while_the_dice_tumble_shuts_the_box_when_they_stop() -> None:
    table = ready_with("traditional", 8)
    table.dice.throws.append((3, 5))
    table.press()
    table.flip(8)
    assert table.verdict == "lift 8"
    table.wait(TUMBLE_NS)
    assert (table.mode, table.screen.big) == (Mode.TURN_OVER, "SHUT!")


def test_levers_do_nothing_when_the_turn_is_over_and_a_hold_is_refused() -> None:
    table = Table()
    table.press()
    blocked_turn(table)
    for effects in (table.stand(range(1, 10)), table.stand([])):
        assert len(effects) == 1
        assert (table.mode, table.verdict) == (Mode.TURN_OVER, "ok")
    assert (sounds(table.hold()), table.mode) == ([Sound.REFUSED], Mode.TURN_OVER)


# -- match over --------------------------------------------------------------------------------


def test_the_result_is_kept_when_the_last_turn_ends_and_shown_on_a_press() -> None:
    table = Table(settings_for("pub", players=1))
    table.press()
    blocked_turn(table)
    finished = [fact for fact in facts(table.effects) if isinstance(fact, Finished)]
    assert len(finished) == 1
    assert table.show.winners == (1,)
    assert sounds(table.press()) == [Sound.WIN]
    assert table.mode is Mode.MATCH_OVER
    assert "Your score: 43" in table.text
    assert "1: 43" in table.text


def test_the_winner_signs() -> None:
    table = match_over()
    assert "Lever 1: sign" in table.screen.also
    table.stand([])
    table.choose(2)
    assert table.screen.big == "A__"
    for _ in range(3):
        table.choose(2)
    table.choose(1)
    assert table.screen.big == "C__"
    table.press()
    table.choose(1)
    assert table.screen.big == "CZ_"
    table.press()
    assert facts(table.press()) == [Signed(0, "CZA")]
    assert table.mode is Mode.MATCH_OVER
    table.choose(2)
    assert table.mode is Mode.MATCH_OVER, "signed once"
    assert "Lever 1: sign" not in table.screen.also


def test_a_lever_that_signs_asks_to_be_put_back_and_one_that_does_nothing_is_answered() -> None:
    """Levers are flicked either way: most are down when a match is over."""
    table = match_over()
    assert table.down == {2}
    table.lift(2)
    assert (table.screen.prompt, table.screen.also[0]) == ("Put 2 back", "Press: again · hold: end")
    table.flip(2)
    assert table.screen.big == "A__"
    assert sounds(table.choose(5)) == [Sound.REFUSED]
    assert (table.screen.prompt, table.screen.alert) == ("Lever 1: < 2: >", True)
    table.hold()
    assert sounds(table.choose(7)) == [Sound.REFUSED]
    assert (table.mode, table.screen.prompt, table.screen.alert) == (Mode.MATCH_OVER, "Press: again", True)


def test_signing_can_be_left() -> None:
    table = match_over()
    table.stand([])
    table.choose(1)
    table.press()
    assert facts(table.hold()) == []
    assert table.mode is Mode.MATCH_OVER


# -- sleep -------------------------------------------------------------------------------------


@pytest.mark.parametrize("gesture", ["press", "hold"])
def test_asleep_a_gesture_only_wakes(gesture: str) -> None:
    table = Table(settings_for(skips_setup=False))
    table.wait(599_000 * MS)
    assert not table.show.asleep
    table.wait(1_000 * MS)
    assert table.show.asleep
    assert table.machine.deadline_ns is None
    effects = getattr(table, gesture)()
    assert sounds(effects) == [Sound.WAKE]
    assert (table.mode, table.show.asleep) == (Mode.ATTRACT, False)


def test_asleep_a_lever_only_wakes_and_is_judged_all_the_same() -> None:
    table = flipping(3, 5)
    table.wait(700_000 * MS)
    assert (table.show.asleep, table.mode) == (True, Mode.FLIPPING)
    table.flip(3)
    assert (table.show.asleep, table.verdict) == (False, "missing 5")


def test_a_menu_nobody_uses_closes() -> None:
    for skips_setup, gesture in ((True, "hold"), (False, "press")):
        table = Table(settings_for(skips_setup=skips_setup))
        getattr(table, gesture)()
        table.wait(600_000 * MS)
        assert table.mode is Mode.ATTRACT


def test_a_finished_match_is_left_when_the_box_falls_asleep() -> None:
    table = match_over()
    assert facts(table.wait(600_000 * MS)) == [Left()]
    assert table.mode is Mode.ATTRACT


def test_a_match_is_never_left_for_sleep() -> None:
    table = flipping(3, 5)
    assert facts(table.wait(100_000_000 * MS)) == []
    assert table.mode is Mode.FLIPPING


# -- abandon -----------------------------------------------------------------------------------


def in_mode(mode: Mode) -> Table:
    match mode:
        case Mode.RAISE:
            table = Table(down=[3])
            table.press()
        case Mode.READY:
            table = Table()
            table.press()
        case Mode.ROLLING:
            table = rolling()
        case Mode.FLIPPING:
            table = flipping(3, 5)
        case _:
            table = Table()
            table.press()
            blocked_turn(table)
    assert table.mode is mode
    return table


AFTER_A_HOLD = {Mode.ROLLING: Mode.FLIPPING}
"""On the way to ten seconds a hold has shown the throw."""
MATCH_MODES = [Mode.RAISE, Mode.READY, Mode.ROLLING, Mode.FLIPPING, Mode.TURN_OVER]


@pytest.mark.parametrize("mode", MATCH_MODES)
def test_ten_seconds_offer_to_abandon_and_a_press_does(mode: Mode) -> None:
    table = in_mode(mode)
    table.hold_long()
    assert table.mode is AFTER_A_HOLD.get(mode, mode)
    assert "End the match?" in table.text
    assert facts(table.press()) == [Left()]
    assert (table.mode, table.show.player, table.verdict) == (Mode.ATTRACT, None, "ok")


@pytest.mark.parametrize("mode", MATCH_MODES)
def test_a_hold_goes_on_instead(mode: Mode) -> None:
    table = in_mode(mode)
    table.hold_long()
    assert facts(table.hold()) == []
    assert table.mode is AFTER_A_HOLD.get(mode, mode)
    assert "End the match?" not in table.text


def test_where_there_is_no_match_there_is_nothing_to_abandon() -> None:
    table = Table()
    table.hold_long()
    assert "End the match?" not in table.text


# -- the variants ------------------------------------------------------------------------------


def test_levers_of_tiles_that_start_shut_are_ignored() -> None:
    table = Table(settings_for("lucky-seven"), down=[1, 2, 3])
    table.press()
    assert (table.mode, table.verdict) == (Mode.READY, "ok")


# -- real dice ---------------------------------------------------------------------------------


def real(profile: str | Profile = "traditional") -> Table:
    table = Table(settings_for(profile, real_dice=True))
    table.press()
    return table


def test_a_total_that_cannot_be_is_refused() -> None:
    table = real()
    table.press()
    effects = table.hold()
    assert (facts(effects), sounds(effects)) == ([], [Sound.REFUSED])
    assert "1? Again" in table.text
    assert (table.mode, table.screen.big) == (Mode.ENTERING, "0")


def test_a_double_press_voids_a_cocked_throw() -> None:
    table = real()
    table.press()
    table.press_twice()
    assert (table.mode, table.show.throw) == (Mode.READY, None)
    assert "Void" in table.text
    assert not any(isinstance(fact, Thrown) for fact in facts(table.effects))


def test_real_dice_ask_nothing_of_ours() -> None:
    table = real()
    for _ in range(2):
        table.press()
    table.hold()
    assert table.dice.asked == []


# -- going on with a match ---------------------------------------------------------------------


def test_a_box_shut_while_the_power_was_off_is_seen() -> None:
    before = ready_with("traditional", 8)
    before.throw(3, 5)
    after = before.again(down=range(1, 10))
    assert (after.mode, after.show.open) == (Mode.TURN_OVER, ())
    assert [type(fact) for fact in facts(after.effects)] == [Resumed, Moved, Finished]


# -- what is kept comes first ------------------------------------------------------------------


def test_records_come_before_the_show_that_depends_on_them() -> None:
    """A show may hold nothing that has not been kept: every input ends with its one show."""
    table = Table()
    for hand in (table.press, table.press, table.press, lambda: table.flip(8)):
        table.dice.throws[:] = [(3, 5)]
        effects = hand()
        assert [isinstance(effect, Show) for effect in effects] == [False] * (len(effects) - 1) + [True]
