"""Broken levers: named on the screen, looked at in service, taken out of play by the owner."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.support.box import MS, S
from tests.support.machine import Table, facts, settings_for

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.facts import WRONG_CODES, Began, Chosen, Faulted
from shutthebox.game.inputs import HealthChanged
from shutthebox.game.lever_health import SILENT_MOVES, SUSPECT_NS, restless
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.rules.actions import Action
from shutthebox.rules.tiles import to_tiles


def service(table: Table) -> None:
    """The owner presses the button inside the box."""
    table.press_service()


def feel(table: Table, health: Mapping[int, ContactHealth]) -> None:
    table.give(HealthChanged(health))


def from_the_menu(table: Table) -> None:
    table.hold()
    while "Service" not in row(table):
        table.choose(table.machine.settings.levers)
    table.press()


def take_out(table: Table, lever: int) -> None:
    """Takes a lever out of play, or puts it back, and leaves."""
    service(table)
    at = to_cursor(table, lever)
    assert at.startswith(f"{lever} ")
    table.press()
    assert str(lever) in table.screen.big
    table.press()


def to_cursor(table: Table, lever: int) -> str:
    """Moves the cursor to the row of a lever by levers alone; returns the row."""
    before = lever - 1 or table.machine.settings.levers
    for _ in range(2):
        if not row(table).startswith(f"{lever} "):
            table.stand(table.down ^ {before})
            table.stand(table.down ^ {before})
    return row(table)


def row(table: Table) -> str:
    assert table.screen.cursor is not None
    return table.screen.rows[table.screen.cursor]


# -- the service screen ------------------------------------------------------------------------


def test_the_menu_leads_to_service_where_there_is_no_button_for_it() -> None:
    table = Table()
    from_the_menu(table)
    assert (table.mode, row(table)) == (Mode.SERVICE, "1 up\t0 ~0")
    table.hold()
    assert table.mode is Mode.ATTRACT


def test_with_a_service_button_only_that_leads_there() -> None:
    table = Table(settings_for(service_button=True))
    table.hold()
    assert "Service" not in table.text
    service(table)
    assert "Service" in table.text
    service(table)
    assert table.mode is Mode.ATTRACT


def test_every_lever_is_shown_live_with_its_health() -> None:
    table = Table()
    service(table)
    table.flip(7)
    feel(table, {7: ContactHealth(moves=31, chatter=5), 3: ContactHealth(moves=8)})
    assert row(table) == "7 down\t31 ~5", "the cursor goes to the lever that moves"
    assert table.tiles(TileState.FLIPPED) == [7]
    table.lift(7)
    assert row(table) == "7 up\t31 ~5", "put back, it stays there"
    table.flip(7)
    assert row(table) == "8 up\t0 ~0", "from its own row it goes on: so a broken lever can be reached"
    table.lift(7)
    assert row(table) == "8 up\t0 ~0"
    assert {"7 up\t31 ~5", "3 up\t8 ~0"} <= set(table.screen.rows)
    table.flip(7)
    feel(table, {7: ContactHealth(moves=31, chatter=90, restless=True)})
    assert row(table) == "7 chatters\t31 ~90"


@pytest.mark.parametrize("lever", [1, 9])
def test_a_lever_that_chatters_without_a_rest_is_named(lever: int) -> None:
    table = Table(settings_for(levers=9))
    feel(table, {lever: ContactHealth(moves=31, chatter=90, restless=True)})
    assert f"{lever}" in table.screen.prompt
    table.press()
    assert f"{lever}" in table.screen.prompt
    assert table.screen.alert
    assert restless(table.machine.state.shared) == 1 << lever - 1


def test_a_lever_in_its_own_row_goes_on_and_round() -> None:
    table = Table(settings_for(levers=9))
    service(table)
    rows = []
    for _ in range(10):
        rows.append(row(table).split()[0])
        table.choose(int(rows[-1]))
    assert rows == [*"123456789", "1"]


def test_nobody_at_it_service_closes() -> None:
    table = Table()
    service(table)
    table.wait(20 * 60 * S)
    assert table.show.asleep
    assert table.mode is Mode.ATTRACT


def test_asleep_the_service_button_only_wakes() -> None:
    table = Table()
    table.wait(20 * 60 * S)
    service(table)
    assert (table.mode, table.show.asleep) == (Mode.ATTRACT, False)


def test_a_match_is_not_disturbed() -> None:
    table = Table(settings_for())
    table.press()
    table.throw(6, 3)
    service(table)
    assert table.mode is Mode.FLIPPING
    assert "Not in a match" in table.text
    table.flip(9)
    assert table.verdict == "complete"


# -- out of play -------------------------------------------------------------------------------


def test_out_of_play_a_tile_starts_shut_and_its_lever_is_ignored() -> None:
    table = Table(settings_for())
    take_out(table, 4)
    assert facts(table.effects) == [Chosen("box.out_of_play", (4,))]
    assert row(table).startswith("4 out of play")
    service(table)
    assert "without 4" in table.text
    table.flip(4)
    table.press()
    assert table.mode is Mode.READY, "the lever is down, and nobody minds"
    assert "without 4" in table.text
    assert table.show.open == (1, 2, 3, 5, 6, 7, 8, 9)
    table.throw(2, 2)
    assert table.show.open == (1, 2, 3, 5, 6, 7, 8, 9)
    table.flip(1, 3)
    assert table.verdict == "complete"
    table.lift(4)
    assert table.verdict == "complete"


def test_blocked_without_the_tile_it_counts_as_shut() -> None:
    table = Table(settings_for())
    take_out(table, 2)
    service(table)
    table.stand([])
    table.press()
    table.throw(1, 1)
    assert table.mode is Mode.TURN_OVER
    assert table.show.scores[0] == 45 - 2


def test_put_back_it_plays_again() -> None:
    table = Table(settings_for(out=to_tiles([4])))
    take_out(table, 4)
    assert facts(table.effects) == [Chosen("box.out_of_play", ())]
    service(table)
    assert "without" not in table.text
    table.press()
    assert table.show.open == tuple(range(1, 10))


def test_a_hold_thinks_better_of_it() -> None:
    table = Table()
    service(table)
    table.flip(4)
    table.press()
    assert "Take 4 out?" in table.text
    table.hold()
    assert row(table).startswith("4 down")
    assert facts(table.effects) == []


def test_a_lever_that_rattles_cannot_put_off_the_question() -> None:
    table = Table()
    service(table)
    table.flip(4)
    table.press()
    table.lift(4)
    table.flip(4)
    assert "Take 4 out?" in table.text
    table.press()
    assert facts(table.effects) == [Chosen("box.out_of_play", (4,))]


def test_a_lever_out_of_play_may_rattle_as_it_likes() -> None:
    table = Table(settings_for(out=to_tiles([4]), skips_setup=False))
    table.wait(20 * 60 * S)
    assert table.flip(4) == []
    assert table.show.asleep
    table.press()
    table.press()
    assert table.mode is Mode.SETUP
    asked = table.text
    table.choose(4)
    assert table.text == asked, "nor does it choose four players"
    table.choose(3)
    assert table.text != asked


def test_the_last_lever_cannot_be_taken_out() -> None:
    everything_else = to_tiles(range(2, 10))
    table = Table(settings_for(out=everything_else))
    service(table)
    table.press()
    assert "No game is left" in table.text
    assert facts(table.effects) == []


def test_a_game_that_needs_the_lever_is_neither_begun_nor_offered() -> None:
    table = Table(settings_for("two-to-go", out=to_tiles([2])))
    assert (table.screen.prompt, table.screen.lit) == ("Needs lever 2", False)
    table.press()
    assert table.mode is Mode.ATTRACT
    assert (table.screen.prompt, table.screen.alert) == ("Needs lever 2", True)
    titles = [game.title() for game in table.machine.settings.games]
    assert "Two to go" not in titles
    table.hold()
    table.press()
    table.choose(1)
    table.press()
    table.hold()
    table.press()
    assert (table.mode, table.match.game.title()) == (Mode.READY, titles[0])


def test_a_match_goes_on_as_it_was_begun() -> None:
    """After a power cut, also if the owner has changed the settings since."""
    table = Table(settings_for(out=to_tiles([4])))
    table.press()
    table.throw(6, 3)
    begun = next(fact.match for fact in facts(table.effects) if isinstance(fact, Began))
    actions = [fact for fact in facts(table.effects) if isinstance(fact, Action)]
    again = Table(settings_for(), match=begun, actions=actions)
    assert again.show.open == (1, 2, 3, 5, 6, 7, 8, 9)


def locked(code: int = 0) -> Table:
    """In service from the menu, at the row of lever 4."""
    table = Table(settings_for(code=code))
    from_the_menu(table)
    table.flip(4)
    return table


def test_from_the_menu_guests_may_look_and_change_nothing() -> None:
    """The owner has set no code, and there is no button inside the box."""
    table = locked()
    assert (table.screen.prompt, table.screen.lit) == ("Hold: leave", False)
    table.press()
    assert table.screen.prompt == "No code is set"
    table.press()
    assert "Take 4 out?" not in table.text
    assert facts(table.effects) == []
    table.hold()
    assert table.mode is Mode.ATTRACT


def test_the_owners_code_of_levers_opens_it() -> None:
    table = locked(code=to_tiles([2, 7]))
    table.press()
    assert "Code?" in table.text
    table.stand({2, 7})
    table.press()
    assert "Take 4 out?" in table.text
    table.press()
    assert facts(table.effects) == [Chosen("box.out_of_play", (4,))]
    table.flip(5)
    table.press()
    assert "Take 5 out?" in table.text, "until service is left, once is enough"


@pytest.mark.parametrize("down", [(), (2,), (2, 6, 7), (4,)])
def test_other_levers_are_a_wrong_code(down: tuple[int, ...]) -> None:
    table = locked(code=to_tiles([2, 7]))
    table.press()
    table.stand(down)
    table.press()
    assert table.screen.prompt == "Wrong code"
    assert "Take" not in table.screen.big
    table.press()
    assert "Code?" in table.text


def tries(table: Table, count: int, down: tuple[int, ...] = (4,)) -> None:
    """Wrong codes one after another, each after its pause."""
    for _ in range(count):
        table.stand(())
        table.press()
        while "Code?" not in table.text:
            assert table.screen.prompt.startswith("Wait "), table.text
            table.wait(int(table.screen.prompt.split()[1]) * S)
            if table.mode is Mode.ATTRACT:  # the box has fallen asleep
                table.press()
                from_the_menu(table)
            table.press()
        table.stand(down)
        table.press()


def test_nobody_tries_all_codes_in_an_evening() -> None:
    """36 pairs of levers took 22 s."""
    table = locked(code=to_tiles([2, 7]))
    began_ns = table.now_ns
    tries(table, 5)
    assert table.now_ns - began_ns < 30 * S, "a slip of the owner costs nothing"
    table.stand((2, 7))
    table.press()
    left_s = int(table.screen.prompt.removeprefix("Wait ").removesuffix(" s"))
    assert left_s <= 10
    table.wait(4 * S)
    table.press()
    assert table.screen.prompt == f"Wait {left_s - 5} s", "and a press takes its time"
    tries(table, 7)
    assert table.now_ns - began_ns > 10 * 127 * S, "the pause doubles"
    tries(table, 24)
    assert table.now_ns - began_ns > 20 * 3600 * S
    assert table.machine.settings.wrong_codes == 36
    table.hold()
    assert table.mode is Mode.ATTRACT
    assert table.screen.prompt == "Wrong code, 36 times"


def test_the_count_of_wrong_codes_is_kept_and_forgotten_with_the_right_one() -> None:
    """A pulled plug gives no new tries."""
    table = locked(code=to_tiles([2, 7]))
    tries(table, 5)
    assert facts(table.effects)[-2:] == [Chosen(WRONG_CODES, 5), Faulted("service", "wrong code, 5 times")]
    again = Table(replace(settings_for(code=to_tiles([2, 7])), wrong_codes=8))
    assert (again.screen.prompt, again.screen.alert) == ("Wrong code, 8 times", True)
    from_the_menu(again)
    again.press()
    assert again.screen.prompt.startswith("Wait ")
    again.wait(80 * S)
    again.press()
    again.stand({2, 7})
    again.press()
    assert facts(again.effects) == [Chosen(WRONG_CODES, None)]
    assert "out?" in again.text
    again.hold()
    again.hold()
    assert again.screen.prompt == "Press to play"


def test_who_opens_the_box_has_seen_the_wrong_codes() -> None:
    table = Table(replace(settings_for(code=to_tiles([2, 7])), wrong_codes=12))
    service(table)
    assert facts(table.effects) == [Chosen(WRONG_CODES, None)]
    service(table)
    assert table.screen.prompt == "Press to play"


def test_levers_that_are_made_to_seem_wrong_open_nothing() -> None:
    """Whoever leaves levers where they are wrong, and presses, makes the box suspect them."""
    table = Table(settings_for(code=to_tiles([2, 7])))
    table.press()
    table.stand({2, 7})
    table.wait(SUSPECT_NS)
    table.press()
    table.hold_long()
    table.press()
    from_the_menu(table)
    assert "2 down?" in table.text
    table.press()
    table.stand({2, 7, 9})
    table.press()
    assert table.screen.prompt == "Wrong code"


def test_a_lever_that_sticks_does_not_spoil_the_code() -> None:
    table = Table(settings_for(code=to_tiles([2, 7])))
    table.press()
    table.flip(4)
    table.wait(SUSPECT_NS)
    table.press()
    table.hold_long()
    table.press()
    from_the_menu(table)
    table.press()
    table.stand({4, 2, 7})
    table.press()
    assert "Take 4 out?" in table.text


def test_a_lever_out_of_play_is_no_part_of_the_code() -> None:
    table = Table(settings_for(code=to_tiles([2, 7]), out=to_tiles([2])))
    from_the_menu(table)
    table.press()
    table.stand({7})
    table.press()
    assert "Put 1 in?" in table.text or "Take 1 out?" in table.text


# -- what seems to be wrong --------------------------------------------------------------------


def test_a_lever_that_stays_down_is_named_when_somebody_presses() -> None:
    table = Table(settings_for())
    table.press()
    table.flip(4)
    table.press()
    assert table.screen.prompt == "Lift 4", "who presses at once has only not thought of it"
    table.wait(SUSPECT_NS)
    assert table.screen.prompt == "Lift 4"
    table.press()
    assert table.screen.prompt == "Lift 4: stuck?"
    table.lift(4)
    assert table.screen.prompt == "Press to throw"
    table.flip(4)
    assert table.screen.prompt == "Lift 4", "it does move"


def test_it_is_named_in_attract_and_service_opens_on_it() -> None:
    table = Table(settings_for())
    table.press()
    table.flip(4)
    table.wait(SUSPECT_NS)
    table.press()
    table.hold_long()
    table.press()
    assert (table.mode, table.screen.prompt) == (Mode.ATTRACT, "Lever 4: stuck?")
    service(table)
    assert row(table).startswith("4 down?")
    table.press()
    table.press()
    service(table)
    assert table.screen.prompt == "Press to play"
    table.press()
    table.throw(6, 3)
    assert table.verdict == "ok"


def test_a_whole_row_left_down_is_no_broken_lever() -> None:
    table = Table(settings_for(), down=range(1, 10))
    table.press()
    table.wait(SUSPECT_NS)
    table.press()
    assert "stuck" not in table.text


def test_a_shut_lever_that_seems_to_come_up_is_named() -> None:
    table = Table(settings_for())
    table.press()
    table.throw(4, 3)
    table.flip(4, 3)
    table.throw(6, 3)
    table.lift(4)
    table.wait(SUSPECT_NS)
    table.press()
    assert table.screen.prompt == "Put 4 back: dead?"


@pytest.mark.parametrize(("idle", "named"), [(SILENT_MOVES - 1, False), (SILENT_MOVES, True)])
def test_a_lever_that_never_shows_up_is_named(idle: int, named: bool) -> None:
    """The wire is cut: the player has flipped 4, and the box has seen nothing."""
    table = Table(settings_for())
    table.press()
    table.throw(3, 1)
    feel(table, {n: ContactHealth(moves=9, idle=0) for n in range(1, 10)} | {4: ContactHealth(idle=idle)})
    table.press()
    assert table.screen.prompt == ("4 to go: lever 4?" if named else "4 to go")
    table.flip(1)
    table.press()
    assert table.screen.prompt == "3 to go"


def test_a_lever_without_rest_is_named_at_once() -> None:
    table = Table(settings_for())
    shows = len(table.effects)
    feel(table, {7: ContactHealth(chatter=10)})
    assert len(table.effects) == shows, "chatter alone changes nothing on the screen"
    feel(table, {7: ContactHealth(chatter=999, restless=True)})
    assert table.screen.prompt == "Lever 7 chatters"
    table.press()
    assert table.screen.prompt == "Lever 7 chatters"
    table.throw(6, 3)
    assert table.screen.prompt == "Make 9", "in the turn there is something else to say"
    feel(table, {7: ContactHealth(chatter=1200)})
    table.hold_long()
    table.press()
    assert table.screen.prompt == "Press to play"


def test_a_healthy_box_says_nothing_of_its_levers() -> None:
    table = Table(settings_for())
    table.press()
    table.throw(6, 3)
    table.flip(9)
    table.wait(100 * MS)
    assert not table.screen.alert
