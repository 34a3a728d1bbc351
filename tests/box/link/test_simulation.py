"""Whatever happens to two linked boxes and to what lies between them, they play one match to its end."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from tests.support.fast import fast_among
from tests.support.simulation import MS, RARE, Ending, S, Simulation, Trouble, simulate
from tests.support.virtual_broker import HelperLink

from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.mode import Mode
from shutthebox.link.invitation import LIMIT_S
from shutthebox.rules.actions import Thrown
from shutthebox.simulator.scenario import script
from shutthebox.simulator.scenario.effect_lines import fact_text
from shutthebox.simulator.scenario.player import ScenarioPlayer

SEEDS = (*range(1, 101), 383, 891, 1589, 3621, 5111, 7917)
"""The last ones: a box has left, or is back, and its message got lost; power failed as it kept a result."""

FIRST = (92, 95, 103, 142, 225, 233, 236, 295, 299)
"""The seeds that reach all endings but the rare ones, until something about the simulation changes."""


@pytest.mark.parametrize("seed", fast_among(SEEDS, []))
def test_two_boxes_play_one_match(seed: int) -> None:
    """Run a seed that fails with `python -m tests.support.simulation --seed SEED`."""
    assert simulate(seed).error == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_a_broker_that_sends_old_messages_again_changes_nothing(seed: int, tmp_path: Path) -> None:
    with closing(Simulation(seed, tmp_path)) as simulation:
        assert isinstance(simulation.link, HelperLink)
        simulation.link.broker.repeated = 0.3
        simulation.run()


@pytest.mark.slow
def test_every_ending_of_the_protocol_is_tried() -> None:
    """What no seed reaches nobody has looked at."""
    left = set(Ending) - RARE
    for seed in (*FIRST, *SEEDS):
        left -= {*simulate(seed).endings}
        if not left:
            return
    raise AssertionError(f"no seed reaches {left}")


@pytest.mark.slow
def test_what_hands_did_at_two_boxes_plays_again_as_a_scenario(tmp_path: Path) -> None:
    lines: list[str] = []
    trouble = Trouble(link=0.05)
    simulation = Simulation(1, tmp_path, trouble, "tournament-100", tell=lines.append, is_scenario=True)
    simulation.run()
    simulation.close()
    again: tuple[list[str], list[str]] = ([], [])

    def note(told: list[str], what: Effect) -> None:
        if isinstance(what, Keep):
            told.append(f"# keeps {fact_text(what.fact)}")

    ScenarioPlayer(
        script.parse("\n".join(line for line in lines if "#" not in line), "simulation"),
        tmp_path / "again",
        tell=lambda what, _: note(again[0], what),
        tell_second=lambda what, _: note(again[1], what),
    ).run()
    assert [line for line in lines if line.startswith("# keeps")] == again[0]
    assert [line for line in lines if line.startswith("box 2: # keeps")] == [
        f"box 2: {line}" for line in again[1]
    ]
    assert any("link l" in line for line in lines), "messages were lost, or late"


def play_until(simulation: Simulation, is_done: Callable[[], bool]) -> None:
    """Hands at both boxes follow the prompts."""
    while not is_done():
        for seat in simulation.seats:
            simulation.hand(seat)
        simulation.wait(200 * MS)


def know_unequally(simulation: Simulation) -> bool:
    """Whether one box has made the throw that decides the match, and the other one hasn't heard of it."""
    return len([seat for seat in simulation.seats if seat.kept.decided_ns is not None]) == 1


@pytest.mark.parametrize(
    ("how", "ending"), [("cut", Ending.RESULT_LEFT), ("unplugged", Ending.LATE_RESULT)], ids=str
)
def test_a_match_whose_last_throw_is_late_by_more_than_its_limit_has_one_ending(
    how: str, ending: Ending, tmp_path: Path
) -> None:
    """The box that had thrown said who had won; the other, that the match didn't count."""
    with closing(Simulation(1, tmp_path, Trouble(), "pub", is_scenario=True)) as simulation:
        play_until(simulation, lambda: know_unequally(simulation))
        (late,) = (seat for seat in simulation.seats if seat.kept.decided_ns is None)
        if how == "cut":
            simulation.link.cut()
        else:
            simulation.link.cut_power(late.number)
            simulation.time.remove(late.box)
        simulation.wait((LIMIT_S + 60) * S)
        simulation.check()
        if how == "cut":
            simulation.link.mend()
        else:
            simulation.time.add(late.box)
            late.die()
        simulation.run()
        assert ending in simulation.endings


def test_only_players_who_do_not_wait_give_a_match_two_endings(tmp_path: Path) -> None:
    """The answer to the last throw is lost, and its box is left: nobody takes back what a screen has said."""
    with closing(Simulation(1, tmp_path, Trouble(), "pub", is_scenario=True)) as simulation:
        play_until(simulation, lambda: know_unequally(simulation))
        (answers,) = (seat for seat in simulation.seats if seat.kept.decided_ns is None)
        while not answers.kept.is_over:
            simulation.wait(5 * MS)
        simulation.link.cut()
        simulation.wait(S)
        simulation.leave(answers)
        simulation.link.mend()
        simulation.wait(S)
        simulation.check()
        assert Ending.PARTED in simulation.endings
        assert "has left" in simulation.seats[1 - answers.number].text


def test_nobody_sees_a_throw_before_the_player_who_made_it(tmp_path: Path) -> None:
    shown: tuple[dict[int, tuple[int, int]], ...] = ({}, {})

    def note(seen: dict[int, tuple[int, int]], what: object, t_ns: int) -> None:
        if isinstance(what, Show) and what.scene.throw is not None:
            throws = sum(isinstance(action, Thrown) for action in what.scene.actions)
            seen.setdefault(throws, (what.scene.player or 0, t_ns))

    with closing(Simulation(1, tmp_path, Trouble(), "pub")) as simulation:
        for seat, seen in zip(simulation.seats, shown, strict=True):
            seat.box.observe(partial(note, seen))
        play_until(simulation, lambda: all(seat.kept.is_over for seat in simulation.seats))
    assert shown[0].keys() == shown[1].keys()
    assert {player for player, _ in shown[0].values()} == {1, 2}
    for throw, (player, _) in shown[0].items():
        own, others = shown[player - 1][throw], shown[2 - player][throw]
        assert own[1] < others[1] < own[1] + 80 * MS


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("writing", [False, True])
def test_a_plug_pulled_between_room_and_match_keeps_nobody_waiting(
    writing: bool, number: int, tmp_path: Path
) -> None:
    """Either the match goes on, or both say at once that it doesn't."""
    for moment in range(1, 25, 2):
        (folder := tmp_path / f"{moment}").mkdir()
        with closing(Simulation(1, folder, Trouble(), "pub")) as simulation:
            play_until(simulation, lambda: "Code?" in simulation.seats[1].text)
            seat = simulation.seats[number]
            seat.note_files()
            seat.dies_writing, seat.die_in = writing, moment
            simulation.run()


def play_to_result(simulation: Simulation) -> None:
    """Hands at both boxes follow the prompts, until both show the result."""
    while playing := [seat for seat in simulation.seats if seat.show.mode is not Mode.MATCH_OVER]:
        for seat in playing:
            simulation.hand(seat)
        simulation.wait(200 * MS)
    simulation.wait(S)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("writing", [False, True])
@pytest.mark.parametrize("moment", range(1, 10))
def test_a_plug_pulled_between_result_and_rematch_keeps_nobody_waiting(
    moment: int, writing: bool, number: int, tmp_path: Path
) -> None:
    """The other box may have begun already: what this one has said of its dice must survive."""
    with closing(Simulation(1, tmp_path, Trouble(again=1), "pub")) as simulation:
        play_to_result(simulation)
        seat = simulation.seats[number]
        seat.note_files()
        seat.dies_writing, seat.die_in = writing, moment
        play_until(simulation, lambda: all(seat.past for seat in simulation.seats))
        simulation.trouble = Trouble()
        simulation.run()
        assert Ending.AGAIN in simulation.endings


def test_players_at_one_box_who_want_no_rematch_end_it_for_both(tmp_path: Path) -> None:
    with closing(Simulation(1, tmp_path, Trouble(), "pub")) as simulation:
        host, guest = simulation.seats
        play_to_result(simulation)
        host.box.press(100 * MS)
        simulation.wait(S)
        assert "Waiting for them" in host.text
        assert "They want more" in guest.text
        guest.box.press(S)
        simulation.wait(5 * S)
        assert "They have left" in host.text
        host.box.press(100 * MS)
        simulation.wait(S)
        assert [seat.show.mode for seat in simulation.seats] == [Mode.ATTRACT] * 2


def test_a_box_that_was_cut_off_hears_that_the_others_have_left(tmp_path: Path) -> None:
    """They say so once, and may be in another match when it's back."""
    with closing(Simulation(1, tmp_path, Trouble(), "pub")) as simulation:
        host, guest = simulation.seats
        play_until(simulation, lambda: bool(host.kept.throws))
        simulation.link.kill_helper(1)
        for held_ns in (11 * S, 100 * MS):
            host.box.press(held_ns)
            simulation.wait(S)
        assert host.kept.has_left
        host.box.cut_power()
        simulation.wait(60 * S)
        assert "No connection" in guest.text
        simulation.link.start_helper(1)
        simulation.wait(20 * S)
        assert "The Anchor has left" in guest.text


@pytest.mark.parametrize("told", ["Enter it there", "reading your invitation"])
def test_nobody_waits_at_a_room_whose_helper_has_died(told: str, tmp_path: Path) -> None:
    """The helper has forgotten the room, and nobody joins a session without a match again."""
    with closing(Simulation(1, tmp_path, Trouble())) as simulation:
        host = simulation.seats[0]
        play_until(simulation, lambda: told in host.text)
        simulation.link.kill_helper(0)
        simulation.link.start_helper(0)
        simulation.wait(S)
        assert "No connection" in host.text
