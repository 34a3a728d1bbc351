"""An owner's stick: noticed at once, used after the owner's code, and nothing replaced without a question."""

from __future__ import annotations

import pytest
from tests.support.machine import Table, settings_for

from shutthebox.game.effects import AskStick, Effect
from shutthebox.game.faults import Fault
from shutthebox.game.inputs import FaultReported, StickReported
from shutthebox.game.messages import localize
from shutthebox.game.mode import Mode
from shutthebox.game.modes.stick import outcome_text
from shutthebox.game.stick import Stick, StickJob, StickOutcome

FULL = Stick(
    offers=(StickJob.SAVE, StickJob.TAKE_OVER, StickJob.SETTINGS, StickJob.UPDATE),
    version="0.2.0",
    checked=True,
    memory="shutthebox-anchor-2026-11-02",
)
UNCHECKED = FULL._replace(checked=False)


def put_in(table: Table, stick: Stick = FULL) -> list[Effect]:
    return table.give(StickReported(stick))


def asked(effects: list[Effect]) -> list[StickJob]:
    return [effect.job for effect in effects if isinstance(effect, AskStick)]


def choose(table: Table, job: StickJob) -> list[Effect]:
    """The owner presses the button inside the box, goes to the job and presses."""
    table.press_service()
    table.choose(FULL.offers.index(job) + 1)
    return table.press()


@pytest.mark.parametrize(
    ("fault", "notices", "said"),
    [(Fault.STORE_REPLACED, (), "Memory damaged"), (None, ("Update failed",), "Update failed")],
)
def test_an_owner_who_comes_for_a_fault_with_a_stick_sees_that_the_box_has_it(
    fault: Fault | None, notices: tuple[str, ...], said: str
) -> None:
    table = Table(fault=fault, notices=notices)
    assert (table.screen.alert, table.screen.prompt) == (said, "Press to play")
    put_in(table)
    assert not table.screen.alert
    assert table.screen.prompts == ("Stick found", said, "Press to play", "Hold: menu")
    table.give(StickReported(None))
    assert (table.screen.alert, table.screen.prompt) == (said, "Press to play")


def test_in_a_match_the_corner_tells_of_a_stick_before_a_fault() -> None:
    table = Table(throws=[(3, 4)])
    table.press()
    table.give(FaultReported(Fault.FORGETS))
    assert table.screen.aside == "no memory"
    put_in(table)
    assert table.screen.aside == "stick"
    table.press()
    assert table.screen.aside == "no memory", "the box has been touched"


def test_service_leads_to_the_stick_and_the_stick_to_the_rest_of_service() -> None:
    table = Table()
    put_in(table)
    table.press_service()
    assert table.mode is Mode.STICK
    assert table.screen.rows == ("1 Save", "2 Restore", "3 Settings", "4 Update to 0.2.0", "5 Owner")
    table.choose(5)
    table.press()
    assert table.mode.value == "service"
    assert (table.screen.rows[0], table.screen.rows[-1][2:]) == ("1 Levers", "Stick")


def test_saving_begins_at_once_since_it_replaces_nothing() -> None:
    table = Table()
    put_in(table)
    assert asked(choose(table, StickJob.SAVE)) == [StickJob.SAVE]
    assert table.screen.big == "…"
    table.give(StickReported(FULL._replace(doing=StickJob.SAVE, percent=40)))
    assert (table.screen.big, table.screen.prompt) == ("40 %", "Saving")
    assert not asked(table.press()), "one job at a time"
    table.give(StickReported(FULL._replace(outcome=StickOutcome.SAVED, detail="shutthebox-a-2026-11-23")))
    assert table.screen.paragraph.endswith("The folder is shutthebox-a-2026-11-23.")
    table.press()
    assert table.screen.rows


@pytest.mark.parametrize("job", [StickJob.TAKE_OVER, StickJob.SETTINGS, StickJob.UPDATE])
def test_nothing_is_replaced_without_a_question(job: StickJob) -> None:
    table = Table()
    put_in(table)
    assert not asked(choose(table, job))
    assert (table.screen.prompt, table.screen.lit) == ("Press: yes", True)
    assert table.screen.paragraph
    table.hold()
    assert table.screen.rows, "no"
    table.press()
    assert asked(table.press()) == [job]


def test_an_update_says_what_it_cannot_take_along_before_the_question() -> None:
    table = Table()
    put_in(table, FULL._replace(version="0.0.9", forgets=True, unknown=("speech.on", "box.levers")))
    choose(table, StickJob.UPDATE)
    asks = table.screen.paragraph
    assert "Version 0.0.9 is signed" in asks
    assert "can't read the memory" in asks
    assert "speech.on, box.levers" in asks


def test_an_update_is_checked_once_the_owner_has_chosen_it_and_before_the_question() -> None:
    """Its signature is checked by a program with all rights, so nobody else may have that done."""
    table = Table(settings_for(service_code=(2, 7)))
    put_in(table, UNCHECKED._replace(version="9.9"))
    table.open_menu("Owner")
    assert "4 Update to 9.9" in table.screen.rows
    table.choose(4)
    assert not asked(table.press())
    table.flip(2, 7)
    assert asked(table.press()) == [StickJob.INSPECT]
    assert table.screen.big == "…"
    table.give(StickReported(UNCHECKED._replace(doing=StickJob.INSPECT)))
    assert table.screen.prompt == "Checking update"
    table.give(StickReported(FULL))
    assert "Version 0.2.0 is signed" in table.screen.paragraph, "not what the file's name says"
    assert asked(table.press()) == [StickJob.UPDATE]


@pytest.mark.parametrize(
    ("outcome", "said"),
    [(StickOutcome.BAD_UPDATE, "This update is no good: why."),
     (StickOutcome.SAME_VERSION, "This update is version why, which is already running.")],
)  # fmt: skip
def test_an_update_that_is_none_is_told_in_place_of_the_question(outcome: StickOutcome, said: str) -> None:
    table = Table()
    put_in(table, UNCHECKED)
    choose(table, StickJob.UPDATE)
    table.give(StickReported(UNCHECKED._replace(doing=StickJob.INSPECT)))
    table.give(StickReported(UNCHECKED._replace(outcome=outcome, detail="why")))
    assert table.screen.paragraph == said
    assert not asked(table.press())
    assert table.screen.rows


def test_an_earlier_version_is_called_so_in_the_list_and_in_the_question() -> None:
    table = Table()
    put_in(table, FULL._replace(version="0.0.9", earlier=True))
    choose(table, StickJob.UPDATE)
    assert "Version 0.0.9 is older than this one" in table.screen.paragraph
    table.hold()
    assert table.screen.rows[3] == "4 Earlier: 0.0.9"
    put_in(table, UNCHECKED._replace(version=""))
    assert table.screen.rows[3] == "4 Update", "nothing is known of it yet"


def test_only_the_owner_may() -> None:
    table = Table(settings_for(service_code=(2, 7)))
    put_in(table)
    table.open_menu("Owner")
    assert table.machine.state.mode.name is Mode.STICK
    assert not asked(table.press())
    assert table.screen.big == "Code?"
    table.flip(2)
    assert not asked(table.press())
    assert table.screen.alert == "Wrong code"
    table.press()
    table.flip(7)
    assert asked(table.press()) == [StickJob.SAVE]


def test_without_a_code_only_the_button_inside_the_box_helps() -> None:
    table = Table()
    put_in(table)
    table.open_menu("Owner")
    assert table.screen.prompt == "No code is set"
    assert not asked(table.press())
    assert "service_code" in table.screen.paragraph, "and so the owner learns what to do"
    assert not asked(table.press())
    assert table.screen.rows


@pytest.mark.parametrize("outcome", [StickOutcome.SETTINGS_TAKEN, StickOutcome.UPDATE_WRITTEN])
def test_what_needs_a_restart_asks_for_it(outcome: StickOutcome) -> None:
    table = Table()
    put_in(table)
    choose(table, StickJob.SETTINGS)
    table.give(StickReported(FULL._replace(outcome=outcome, detail="0.2.0")))
    assert table.screen.prompt == "Press: restart"
    table.hold()
    assert table.screen.rows, "later"
    table = Table()
    put_in(table, FULL._replace(outcome=outcome))
    table.press_service()
    assert asked(table.press()) == [StickJob.RESTART]


@pytest.mark.parametrize("outcome", [StickOutcome.SETTINGS_TAKEN, StickOutcome.UPDATE_WRITTEN])
@pytest.mark.parametrize("looks_on", [True, False])
def test_the_restart_is_offered_though_the_stick_has_been_pulled_out(
    outcome: StickOutcome, looks_on: bool
) -> None:
    table = Table()
    put_in(table)
    choose(table, StickJob.SETTINGS)
    if not looks_on:
        table.hold()
        table.hold()
    table.give(StickReported(FULL._replace(outcome=outcome, detail="0.2.0")))
    table.give(StickReported(None))
    if not looks_on:
        assert table.screen.also[0] == "Restart needed"
        table.press_service()
    assert table.screen.prompt == "Press: restart"
    table.hold()
    assert table.screen.rows == ("1 Owner",), "later"
    put_in(table, FULL._replace(outcome=StickOutcome.SAVED, detail="a folder"))
    table.give(StickReported(None))
    assert table.screen.paragraph.startswith("Saved."), "first how that ended"
    table.press()
    table.hold()
    assert table.screen.also[0] == "Restart needed"
    table.press_service()
    assert asked(table.press()) == [StickJob.RESTART]


def test_a_helper_that_hangs_keeps_nobody() -> None:
    table = Table()
    put_in(table)
    choose(table, StickJob.SAVE)
    table.hold()
    assert table.machine.state.mode.name is Mode.ATTRACT
    table.press()
    assert table.machine.state.match is not None


def test_a_stick_that_is_changed_while_a_question_stands_asks_anew() -> None:
    table = Table()
    put_in(table)
    choose(table, StickJob.TAKE_OVER)
    table.give(StickReported(None))
    assert table.screen.paragraph.startswith("No stick found.")
    put_in(table, FULL._replace(memory="shutthebox-other-2020-01-01"))
    assert table.screen.rows
    assert not asked(table.press()), "first the question"


UNSURE = "It was cut off at the very end, and may or may not be done. Do it again."


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (FULL._replace(doing=StickJob.SAVE, percent=40), UNSURE),
        (FULL._replace(outcome=StickOutcome.UNSURE), UNSURE),
        (Stick(outcome=StickOutcome.PULLED_OUT), "The stick was pulled out. Nothing has changed on the box."),
        (
            Stick(outcome=StickOutcome.SAVED, detail="x"),
            "Saved. The stick can be pulled out. The folder is x.",
        ),
        (FULL._replace(outcome=StickOutcome.TAKEN_OVER, detail="x"), "The box has restored x."),
        (FULL._replace(outcome=StickOutcome.NO_ROOM), "The card of the box is full."),
    ],
)
def test_how_a_job_ended_stays_on_the_screen_of_a_pulled_stick_until_a_press(last: Stick, said: str) -> None:
    """What is not known is not said: the helper may have been killed anywhere."""
    table = Table()
    put_in(table)
    choose(table, StickJob.SAVE)
    table.give(StickReported(last))
    table.give(StickReported(None))
    assert table.screen.paragraph == said
    table.press()
    assert table.machine.state.mode.name is Mode.SERVICE


def test_a_hold_leaves_as_the_screen_says_though_a_restart_waits_to_be_read() -> None:
    table = Table()
    put_in(table)
    table.press_service()
    put_in(table, FULL._replace(outcome=StickOutcome.SETTINGS_TAKEN))
    table.hold()
    put_in(table, FULL._replace(doing=StickJob.SAVE, percent=40))
    table.give(StickReported(None))
    assert table.screen.paragraph == UNSURE
    assert table.screen.prompts == ("Press: back", "Hold: leave")
    table.hold()
    assert table.mode is Mode.ATTRACT


def test_an_outcome_that_was_read_is_not_told_again_when_the_stick_goes() -> None:
    table = Table()
    put_in(table)
    choose(table, StickJob.SAVE)
    table.give(StickReported(FULL._replace(outcome=StickOutcome.SAVED, detail="x")))
    table.press()
    table.give(StickReported(None))
    assert table.screen.paragraph.startswith("No stick found.")


@pytest.mark.parametrize("outcome", StickOutcome)
def test_every_outcome_has_words(outcome: StickOutcome) -> None:
    assert localize(outcome_text(Stick(outcome=outcome, detail="why", mistakes=("line 3: no",))), str)
