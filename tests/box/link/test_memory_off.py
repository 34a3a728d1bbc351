"""One of two linked boxes can't use its memory for a while: nothing is told for good that isn't sure."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.fast import fast_among
from tests.support.faulty_store import StoreTrouble
from tests.support.simulation import MS, Ending, S, Seat, Simulation, Trouble

from shutthebox.adapters.store.queries import read
from shutthebox.game.facts import Faulted
from shutthebox.game.mode import Mode


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    with closing(Simulation(1, tmp_path, Trouble(), "pub")) as simulation:
        yield simulation


def play_until(simulation: Simulation, is_done: Callable[[], bool]) -> None:
    """Hands at both boxes follow the prompts."""
    while not is_done():
        for seat in simulation.seats:
            simulation.hand(seat)
            for _ in range(100):
                simulation.wait(2 * MS)
                if is_done():
                    return


def begin_trouble(simulation: Simulation, seat: Seat, trouble: StoreTrouble) -> None:
    """Pulls a plug, and puts it back; the store can't be used from then on."""
    seat.die(trouble)
    if seat.box.is_hung:
        simulation.link.kill_helper(seat.number)


def end_trouble(simulation: Simulation, seat: Seat) -> None:
    """All is well again."""
    was_hung = seat.box.is_hung
    seat.box.end_trouble()
    if was_hung:
        simulation.link.start_helper(seat.number)
        seat.die()


@pytest.mark.parametrize("trouble", fast_among(StoreTrouble, [StoreTrouble.HELD]))
@pytest.mark.parametrize("number", fast_among([0, 1], [0]))
def test_a_match_goes_on_after_a_start_at_which_its_memory_could_not_be_used(
    trouble: StoreTrouble, number: int, simulation: Simulation
) -> None:
    """It was over for good at both boxes."""
    play_until(simulation, lambda: all(len(seat.kept.facts) > 4 for seat in simulation.seats))
    seat, other = simulation.seats[number], simulation.seats[1 - number]
    begin_trouble(simulation, seat, trouble)
    simulation.wait(200 * S)
    assert "has left" not in other.text
    end_trouble(simulation, seat)
    simulation.run()
    assert simulation.endings == {Ending.RESULT}


@pytest.mark.parametrize("trouble", fast_among(StoreTrouble, [StoreTrouble.FULL]))
@pytest.mark.parametrize("number", fast_among([0, 1], [1]))
def test_a_result_that_only_one_box_has_becomes_both_boxes(
    trouble: StoreTrouble, number: int, simulation: Simulation
) -> None:
    """One said who had won, and the other had nothing."""

    def is_decided_here() -> bool:
        decided = [seat.kept.decided_ns is not None for seat in simulation.seats]
        return decided[number] and not all(seat.kept.is_over for seat in simulation.seats)

    play_until(simulation, is_decided_here)
    seat = simulation.seats[number]
    begin_trouble(simulation, seat, trouble)
    simulation.wait(30 * S)
    end_trouble(simulation, seat)
    simulation.run()
    assert simulation.endings == {Ending.RESULT}


@pytest.mark.slow
def test_a_match_that_is_left_while_it_cannot_be_kept_is_told_as_soon_as_it_is(
    simulation: Simulation,
) -> None:
    """The other box waited for players who had gone."""
    play_until(simulation, lambda: all(len(seat.kept.facts) > 4 for seat in simulation.seats))
    seat, other = simulation.seats
    assert seat.box.store is not None
    with closing(sqlite3.connect(seat.box.store.path, isolation_level=None, timeout=0)) as holder:
        holder.execute("begin immediate")
        simulation.leave(seat)
        simulation.wait(30 * S)
        assert seat.show.mode is Mode.ATTRACT
        assert "has left" not in other.text, "after a power cut, it would still be in progress"
    simulation.wait(3 * S)
    assert "The Anchor has left" in other.text


def test_no_room_is_opened_or_entered_before_the_memory_can_be_used(simulation: Simulation) -> None:
    for seat in simulation.seats:
        begin_trouble(simulation, seat, StoreTrouble.HELD)
    said = set[int]()
    for _ in range(300):
        for seat in simulation.seats:
            simulation.hand(seat)
            simulation.wait(100 * MS)
            if "Memory is off" in seat.text and seat.show.mode is Mode.LINKING:
                said.add(seat.number)
    assert 0 in said
    assert not any("Code" in seat.text and "Room" in seat.text for seat in simulation.seats)
    for seat in simulation.seats:
        seat.box.end_trouble()
    simulation.run()


@pytest.mark.slow
def test_a_match_played_meanwhile_is_kept_and_the_one_with_the_other_box_goes_on(
    simulation: Simulation,
) -> None:
    """Players who found a box with its memory off had ended the match, unseen."""
    play_until(simulation, lambda: all(len(seat.kept.facts) > 4 for seat in simulation.seats))
    seat = simulation.seats[0]
    begin_trouble(simulation, seat, StoreTrouble.HELD)
    assert seat.show.mode is Mode.ATTRACT
    with seat.unwatched():
        for _ in range(4):
            seat.box.press(S // 10)
            simulation.wait(2 * S)
        assert seat.show.scene.beginning is not None
        assert not seat.fits, "it's another match"
        seat.box.end_trouble()
        simulation.wait(5 * S)
        assert seat.show.scene.beginning is not None
        assert not seat.fits, "its players aren't interrupted"
        assert "has left" not in simulation.seats[1].text
        for seconds in (11, 0.1):
            seat.box.press(round(seconds * S))
            simulation.wait(2 * S)
    assert seat.fits, "the match with the other box goes on"
    simulation.run()
    assert simulation.endings == {Ending.RESULT}
    assert seat.box.store is not None
    found = read(seat.box.store.connection)
    assert (found.matches, found.finished) == (2, 1)


def test_a_declined_invitation_is_told_though_something_else_cannot_be_kept(simulation: Simulation) -> None:
    host, guest = simulation.seats
    play_until(simulation, lambda: "invites you" in guest.text)
    assert guest.box.store is not None
    with closing(sqlite3.connect(guest.box.store.path, isolation_level=None, timeout=0)) as holder:
        holder.execute("begin immediate")
        guest.box.memory.keep(Faulted("lever", "3 doesn't come up"))
        guest.box.press(S)
        simulation.wait(S)
        assert "has declined" in host.text
