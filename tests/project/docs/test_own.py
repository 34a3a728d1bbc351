"""An owner finds on the landlord's page whatever the box has for its owner."""

from tests.support.machine import Table

from doctools import PROJECT
from shutthebox.config.card import FILES
from shutthebox.config.imager import NETWORK_CONFIG_NAME, USER_DATA_NAME
from shutthebox.game.inputs import StickReported
from shutthebox.game.stick import Stick, StickJob

PAGE = (PROJECT / "docs/own.md").read_text("utf-8")


def lines(table: Table) -> list[str]:
    """The lines of the list on the screen, without their numbers."""
    return [row.partition(" ")[2] for row in table.screen.rows]


def test_every_line_of_the_owners_list_is_on_the_page() -> None:
    table = Table()
    table.open_menu("Owner")
    listed = [line for line in lines(table) if line != "Stick"]
    assert "Levers" in listed
    assert [line for line in listed if f"*{line}*" not in PAGE] == []


def test_everything_that_a_stick_can_do_is_on_the_page() -> None:
    table = Table()
    table.give(
        StickReported(Stick(offers=tuple(job for job in StickJob if job.is_offered), version="VERSION"))
    )
    table.press_service()
    assert "Save" in lines(table)
    assert [line for line in lines(table) if f"*{line}*" not in PAGE] == []


def test_every_file_of_the_owner_is_in_the_table() -> None:
    imagers = {USER_DATA_NAME, NETWORK_CONFIG_NAME}
    table = PAGE.partition("| file | for |")[2].partition("\n\n")[0]
    assert [name for name in FILES if name not in imagers and f"`{name}`" not in table] == []
