"""Broken levers: named on the screen, looked at in service, taken out of play by the owner."""

from collections.abc import Collection

import pytest
from tests.support.box import S
from tests.support.machine import SilentOdds, Table, facts, settings_for

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.facts import Began, Faulted
from shutthebox.game.inputs import HealthChanged
from shutthebox.game.lever_health import SILENT_MOVES, SUSPECT_NS
from shutthebox.game.mode import Mode
from shutthebox.game.modes.flipping import COMPUTER_THINKS_NS
from shutthebox.game.modes.ready import COMPUTER_NS
from shutthebox.game.owner_topics import Topic
from shutthebox.game.settings import SetupChoice
from shutthebox.rules.actions import Action


def row(table: Table) -> str:
    assert table.screen.cursor is not None
    return table.screen.rows[table.screen.cursor]


# -- the service screen ------------------------------------------------------------------------


def test_the_owner_is_given_a_list_in_words() -> None:
    table = Table()
    table.open_menu("Owner")
    assert table.screen.title == "Owner"
    lines = ("Levers", *(topic.value.text for topic in Topic), "Stick")
    assert table.screen.rows == tuple(f"{number} {line}" for number, line in enumerate(lines, start=1))
    assert table.screen.prompts == ("Press: choose", "Lever 8: < 9: >", "Hold: back")
    table.press()
    assert (table.screen.title, row(table)) == ("Levers", "1 up\t0 ~0")
    table.hold()
    assert table.screen.title == "Owner"
    table.hold()
    assert table.mode is Mode.ATTRACT


def test_the_levers_begin_with_one_that_seems_to_be_wrong() -> None:
    table = Table(down=[4])
    table.press()
    table.wait(SUSPECT_NS)
    table.press()
    table.hold_long()
    table.press()
    table.open_menu("Owner")
    table.press()
    assert row(table).startswith("4 down?")


def test_a_lever_out_of_play_chooses_nothing_in_the_owners_list() -> None:
    table = Table(settings_for(out_of_play=(2,)))
    table.open_menu("Owner")
    table.choose(2)
    assert row(table) == "1 Levers"
    table.press()
    table.flip(2)
    assert row(table).startswith("2 out of play"), "but can be looked at"


def test_the_stick_can_always_be_reached_and_says_what_to_do_where_there_is_none() -> None:
    table = Table()
    table.press_service()
    table.pick("Stick")
    assert table.screen.paragraph.startswith("No stick found. Put a USB stick")
    table.press()
    assert row(table) == "1 Levers"
    table.press()
    table.press()
    assert "Take 1 out?" in table.text, "still the owner"
    assert (table.screen.prompt, table.screen.lit) == ("Press: yes", True)


# -- the box's report --------------------------------------------------------------------------


def test_whoever_looks_reads_what_the_box_tells_of_itself() -> None:
    told: dict[Topic, tuple[str, ...]] = {
        Topic.ABOUT: ("Version 1", "Free space 12 MB"),
        Topic.FAULTS: ("Lever 4 stuck",),
        Topic.TONIGHT: (),
    }
    table = Table(report=lambda topic, wrong: told[topic])
    table.open_menu("Owner")
    table.choose(2)
    table.press()
    assert list(table.screen.rows) == ["Version 1", "Free space 12 MB"]
    table.choose(9)
    assert row(table) == "Free space 12 MB", "levers walk as in every list"
    table.press()
    table.choose(9)
    table.press()
    assert (table.screen.title, *table.screen.rows) == ("Faults", "Lever 4 stuck")
    table.hold()
    assert row(table) == "3 Faults", "a hold leads back to the list"
    table.choose(4)
    table.press()
    assert list(table.screen.rows) == ["-"]
    table.hold()
    table.hold()
    assert table.mode is Mode.ATTRACT


def test_a_lever_that_seems_stuck_is_in_the_log_and_told_as_wrong_now() -> None:
    asked: list[Collection[int]] = []

    def report(topic: Topic, wrong: Collection[int]) -> tuple[str, ...]:
        asked.append(wrong)
        return ()

    table = Table(down=[4], report=report)
    table.press()
    table.press()
    table.wait(SUSPECT_NS)
    table.press()
    table.press()
    assert [fact for fact in table.facts if isinstance(fact, Faulted)] == [
        Faulted("lever", "switch 4 is stuck")
    ]
    table.hold_long()
    table.press()
    table.open_menu("Owner")
    table.choose(3)
    table.press()
    assert asked == [{4}]


# -- out of play -------------------------------------------------------------------------------


def test_blocked_without_the_tile_it_counts_as_shut() -> None:
    table = Table(settings_for(out_of_play=(2,)))
    table.press()
    table.throw(1, 1)
    assert table.mode is Mode.TURN_OVER
    assert table.show.scene.scores[0] == 45 - 2


def test_a_lever_out_of_play_may_rattle_as_it_likes() -> None:
    table = Table(settings_for(out_of_play=(4,), setup=SetupChoice.ASK))
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
    table = Table(settings_for(out_of_play=tuple(range(2, 10))))
    table.press_service()
    table.press()
    table.press()
    assert "No game is left" in table.text
    assert facts(table.effects) == []


def test_a_game_that_needs_the_lever_is_neither_begun_nor_offered() -> None:
    table = Table(settings_for("two-to-go", out_of_play=(2,)))
    assert (table.screen.prompt, table.screen.lit) == ("Needs lever 2", False)
    table.press()
    assert table.mode is Mode.ATTRACT
    assert table.screen.alert == "Needs lever 2"
    titles = [game.title() for game in table.machine.settings.games]
    assert "Two to go" not in titles
    table.open_menu("Game")
    table.choose(1)  # the first group ...
    table.press()
    table.choose(1)  # ... and its first game
    table.press()
    table.hold()
    table.press()
    assert (table.mode, table.match.game.title()) == (Mode.READY, titles[0])


def test_a_match_goes_on_as_it_was_begun() -> None:
    """After a power cut, also if the owner has changed the settings since."""
    table = Table(settings_for(out_of_play=(4,)))
    table.press()
    table.throw(6, 3)
    begun = next(fact.match for fact in facts(table.effects) if isinstance(fact, Began))
    actions = [fact for fact in facts(table.effects) if isinstance(fact, Action)]
    again = Table(settings_for(), match=begun, actions=actions)
    assert again.show.scene.open == (1, 2, 3, 5, 6, 7, 8, 9)


def tries(table: Table, count: int, down: tuple[int, ...] = (4,)) -> None:
    """Wrong codes one after another, each after its pause."""
    for _ in range(count):
        table.stand(())
        table.press()
        while "Code?" not in table.text:
            assert table.screen.alert.startswith("Wait "), table.text
            table.wait(int(table.screen.alert.split()[1]) * S)
            if table.mode is Mode.ATTRACT:  # the box has fallen asleep
                table.press()
                table.open_menu("Owner")
                table.press()
            table.press()
        table.stand(down)
        table.press()


@pytest.mark.slow
def test_nobody_tries_all_codes_in_an_evening() -> None:
    """36 pairs of levers took 22 s."""
    table = Table(settings_for(service_code=(2, 7)))
    table.open_menu("Owner")
    table.press()
    table.flip(4)
    began_ns = table.now_ns
    tries(table, 5)
    assert table.now_ns - began_ns < 30 * S, "a slip of the owner costs nothing"
    table.stand((2, 7))
    table.press()
    left_s = int(table.screen.alert.removeprefix("Wait ").removesuffix(" s"))
    assert left_s <= 10
    table.wait(4 * S)
    table.press()
    assert table.screen.alert == f"Wait {left_s - 5} s", "and a press takes its time"
    tries(table, 7)
    assert table.now_ns - began_ns > 10 * 127 * S, "the pause doubles"
    tries(table, 24)
    assert table.now_ns - began_ns > 20 * 3600 * S
    assert table.machine.settings.wrong_codes == 36
    table.hold()
    table.hold()
    assert table.mode is Mode.ATTRACT
    assert table.screen.alert == "Wrong code, 36 times"


def test_levers_that_are_made_to_seem_wrong_open_nothing() -> None:
    """Whoever leaves levers where they are wrong, and presses, makes the box suspect them: they count."""
    table = Table(settings_for(service_code=(2, 7)))
    table.press()
    table.stand({2, 5})
    table.wait(SUSPECT_NS)
    table.press()
    table.hold_long()
    table.press()
    table.open_menu("Owner")
    table.press()
    assert "2 down?" in table.text
    table.press()
    table.stand({2, 5, 7})
    table.press()
    assert table.screen.alert == "Wrong code"


@pytest.mark.parametrize(("out", "opens"), [((2,), True), ((2, 7), False)])
def test_a_lever_out_of_play_is_no_part_of_the_code_but_one_has_to_be_left(
    out: tuple[int, ...], opens: bool
) -> None:
    table = Table(settings_for(service_code=(2, 7), out_of_play=out))
    table.open_menu("Owner")
    table.press()
    table.press()
    table.stand({7})
    table.press()
    assert ("out?" in table.text or "in?" in table.text) is opens


# -- what seems to be wrong --------------------------------------------------------------------


def test_a_whole_row_left_down_is_no_broken_lever() -> None:
    table = Table(settings_for(), down=range(1, 10))
    table.press()
    table.wait(SUSPECT_NS)
    table.press()
    assert "stuck" not in table.text


def idle(table: Table, lever: int, moves: int) -> None:
    """This lever stands still while others move so often."""
    table.give(HealthChanged({lever: ContactHealth(moves=1, idle=moves)}))


def test_a_press_too_early_accuses_no_lever() -> None:
    """Nobody has flipped anything, so no lever has failed to show it."""
    table = Table(settings_for("pub"))
    table.press()
    table.throw(3, 5)
    idle(table, 8, SILENT_MOVES)
    table.press()
    assert table.screen.alert == "8 to go"
    table.hold_long()
    table.press()
    assert (table.mode, table.screen.alert) == (Mode.ATTRACT, "")


def test_a_lever_that_is_named_leaves_the_prompts_where_they_are() -> None:
    table = Table(settings_for("pub"))
    table.press()
    table.throw(3, 5)
    idle(table, 5, SILENT_MOVES)
    table.flip(3)
    table.press()
    assert (table.screen.alert, table.screen.prompt) == ("5 to go: lever 5?", "5 to go")
    table.hold_long()
    table.press()
    assert (table.screen.alert, table.screen.prompts) == ("Lever 5: dead?", ("Press to play", "Hold: menu"))
    table.lift(3)
    table.press()
    assert (table.screen.alert, table.screen.prompt) == ("Lever 5: dead?", "Press to throw")


def test_of_the_computers_tiles_only_one_that_it_asks_for_can_be_dead() -> None:
    table = Table(settings_for("pub", players=1, computers=(1,)), odds=SilentOdds())
    table.press()
    table.dice.throws.append((5, 5))
    table.wait(COMPUTER_NS)
    table.wait(COMPUTER_THINKS_NS)
    assert table.screen.prompt == "Flip 1, 9"
    table.give(HealthChanged({lever: ContactHealth(moves=1, idle=SILENT_MOVES) for lever in (4, 9)}))
    table.flip(6)
    table.press()
    assert "lever" not in table.text, "4 would answer the throw, but nobody has asked for it"
    table.lift(6)
    table.flip(1)
    table.press()
    assert (table.screen.alert, table.screen.prompt) == ("Flip 9: lever 9?", "Flip 9")
