"""Whatever happens to two linked boxes and to what lies between them, they play one match to its end."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.link.simulation import MS, S, Simulation, Trouble, simulate
from tests.support.fast import fast_among

from shutthebox.game.effects import Effect, Keep
from shutthebox.simulator.scenario import script
from shutthebox.simulator.scenario.effect_lines import fact_text
from shutthebox.simulator.scenario.player import Replay

SEEDS = (*range(1, 301), 529, 754, 880)


@pytest.mark.parametrize("seed", fast_among(SEEDS, SEEDS[:2]))
def test_two_boxes_play_one_match(seed: int) -> None:
    """Run a seed that fails with `python -m tests.link.simulation --seed SEED`."""
    assert simulate(seed).error == ""


def test_what_hands_did_at_two_boxes_plays_again_as_a_scenario(tmp_path: Path) -> None:
    lines: list[str] = []
    simulation = Simulation(1, tmp_path, Trouble(link=0.05), "pub", tell=lines.append)
    simulation.run()
    simulation.close()
    again: tuple[list[str], list[str]] = ([], [])

    def note(told: list[str], what: Effect) -> None:
        if isinstance(what, Keep):
            told.append(f"# keeps {fact_text(what.fact)}")

    Replay(
        script.parse("\n".join(line for line in lines if "#" not in line), "simulation"),
        tmp_path / "again",
        tell=lambda what, _: note(again[0], what),
        tell_second=lambda what, _: note(again[1], what),
    ).run()
    assert [line for line in lines if line.startswith("# keeps")] == again[0]
    assert [line for line in lines if line.startswith("box 2: # keeps")] == [
        f"box 2: {line}" for line in again[1]
    ]
    assert any("link lose" in line for line in lines)


@pytest.mark.parametrize("told", ["Enter it there", "reading your invitation"])
def test_nobody_waits_at_a_room_whose_helper_has_died(told: str, tmp_path: Path) -> None:
    """The helper has forgotten the room, and nobody joins a session without a match again."""
    with closing(Simulation(1, tmp_path, Trouble())) as simulation:
        host, guest = simulation.seats
        while told not in host.text:
            simulation.hand(host)
            simulation.hand(guest)
            simulation.wait(200 * MS)
        simulation.link.kill_helper(0)
        simulation.link.start_helper(0)
        simulation.wait(S)
        assert "No connection" in host.text
