"""A crowd that plays badly finds no fault with the box; and a box with a fault would be found out.

The long run is `python tests/benchmarks/crowd.py`.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest
from tests.box.crowd.people import BAD
from tests.box.crowd.table import FaultError, Faults, Plan, Table, plans, play, scenario
from tests.support.fast import fast_among
from tests.support.referee import Seen
from tests.support.shows import changed

from shutthebox.game.effects import Effect, Keep, PlaySound, Show, Sound
from shutthebox.game.judge import FINE
from shutthebox.game.mode import Mode
from shutthebox.rules.actions import Advanced, Moved, Thrown
from shutthebox.simulator.scenario import script as scenarios
from shutthebox.simulator.scenario.effect_lines import fact_text
from shutthebox.simulator.scenario.player import ScenarioPlayer

MS = 1_000_000
USUAL = Plan(5, (("game.profile", "pub"), ("game.players", 2), ("game.setup", "usual"), ("box.levers", 9)))


GAMES = ("traditional", "pub", "jouhet", "digits", "trac", "lucky-seven", "open-one", "double-row")
"""Each is scored, won or blocked in a way of its own."""


@pytest.mark.parametrize("game", fast_among(GAMES, [game for game in GAMES if game != "open-one"]))
def test_no_fault_is_found_in_a_game_of_each_kind(game: str) -> None:
    seen, faults = Seen(), Faults()
    keys = {**dict(USUAL.keys), "game.profile": game}
    plan = replace(USUAL, keys=tuple(keys.items()), lost_edges=0.02, bad=BAD[1:4], visits=1)
    for _ in play(plan, seen, faults):
        pass
    assert (seen.finished > 0, faults.rescues) == (True, 1)
    assert seen.checks["the verdict"] > 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
@pytest.mark.timeout(300)
def test_no_fault_is_found(seed: int) -> None:
    seen, faults = Seen(), Faults()
    for plan in plans(seed):
        for _ in play(plan, seen, faults):
            pass
        if seen.throws > 250:
            break
    assert seen.thrown_shown + seen.thrown_left == seen.throws
    assert seen.finished >= faults.rescues > 0
    assert set(seen.verdicts) >= {"ok", "lift", "complete", "missing", "over", "put-back"}


@pytest.mark.slow
def test_the_plug_is_pulled() -> None:
    seen, faults = Seen(), Faults()
    for seed in range(5, 9):
        for _ in play(replace(USUAL, seed=seed, bad=BAD[:3], cuts=True), seen, faults):
            pass
    assert seen.cuts
    assert seen.checks["a power cut changes nothing"]


# -- the referee is watched --------------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A match for two in mid-throw, nothing wrong so far."""
    sat_down = Table(USUAL, tmp_path, Seen(), Faults())
    box = sat_down.box
    box.dice.queue.append((3, 5))
    for _ in range(2):
        box.press(100 * MS)
        box.run_until(box.now_ns + 1_500 * MS)
    box.set_lever(3, True)
    box.run_until(box.now_ns + 100 * MS)
    assert str(sat_down.look().scene.verdict) == "missing 5"
    return sat_down


LIES: dict[str, Callable[[Show], Effect]] = {
    "the verdict": lambda show: changed(show, verdict=FINE),
    "open tiles": lambda show: changed(show, open=show.scene.open[1:]),
    "whose turn it is": lambda show: changed(show, player=2),
    "throws shown are those kept": lambda show: changed(show, throw=(5, 3)),
    "scores": lambda show: changed(show, scores=(None, 3)),
    "totals": lambda show: changed(show, totals=(1, 0)),
    "winners": lambda show: changed(show, winners=(1,)),
    "stakes owed": lambda show: changed(show, owes=(Fraction(1), Fraction(-1))),
    "sleep only": lambda show: show._replace(asleep=True),
    "a way of the table": lambda show: show._replace(screen=show.screen._replace(mode=Mode.MENU)),
    "viable tiles blink": lambda show: show._replace(
        screen=show.screen._replace(tiles=((9, show.screen.tiles[4][1]),))
    ),
    "one throw at a time": lambda show: Keep(Thrown((1, 1))),
    "tiles shut by legal moves only": lambda show: Keep(Moved(0b100)),
    "what the levers show is committed": lambda show: Keep(Moved(0b10000000)),
    "a press goes on": lambda show: Keep(Advanced()),
}


@pytest.mark.parametrize("what", LIES)
def test_a_lie_is_found_out(what: str, table: Table) -> None:
    with pytest.raises(AssertionError, match=what):
        table.referee.watch(LIES[what](table.look()), table.box.now_ns)
    table.box.close()


def test_a_throw_that_nobody_made_is_found_out(tmp_path: Path) -> None:
    table = Table(USUAL, tmp_path, Seen(), Faults())
    table.box.press(100 * MS)
    table.box.run_until(table.box.now_ns + 100 * MS)
    assert table.look().mode is Mode.READY
    with pytest.raises(AssertionError, match="no throw without a press"):
        table.referee.watch(Keep(Thrown((1, 1))), table.box.now_ns)
    table.box.close()


def test_a_sound_without_end_is_found_out(table: Table) -> None:
    fault = PlaySound(Sound.FAULT)
    for _ in range(4):
        table.referee.watch(fault, table.box.now_ns)
    with pytest.raises(AssertionError, match="sounds end"):
        table.referee.watch(fault, table.box.now_ns + 60_000 * MS)
    table.box.close()


@pytest.mark.slow
def test_a_box_that_does_not_come_on_is_found_out(tmp_path: Path) -> None:
    table = Table(replace(USUAL, bad=BAD[1:2], lost_edges=1.0), tmp_path, Seen(), Faults())
    table.box._assembled.pins.active = lambda: dict.fromkeys(range(10), False)  # type: ignore[method-assign]
    with pytest.raises(FaultError, match="does not come on"):
        list(table.play())


# -- what hands did plays again ----------------------------------------------------------------


@pytest.mark.slow
def test_a_table_plays_again_from_its_scenario(tmp_path: Path) -> None:
    """Several tables, the plug pulled at one of them, edges lost, dice of the players' own."""
    for number, plan in enumerate(islice(plans(1), 4, 9)):
        folder = tmp_path / str(number)
        folder.mkdir()
        told: list[str] = []

        def note(what: object, t_ns: int, told: list[str] = told) -> None:
            if isinstance(what, Keep):
                told.append(f"{t_ns} {fact_text(what.fact)}")

        table = Table(replace(plan, visits=1), folder, Seen(), Faults())
        table.box.observe(note)
        list(table.play())
        script = folder / "again.scn"
        script.write_text(scenario(plan, table.moves, "none"), encoding="utf-8")
        text = script.read_text(encoding="utf-8").replace("crowd.toml", str(folder / "crowd.toml"))
        played = told.copy()
        told.clear()
        ScenarioPlayer(scenarios.parse(text, str(script)), folder / "replayed", tell=note).run()
        assert played
        assert played == told[: len(played)]
