"""The player of scenarios: its lines of JSON, whom it tells, and when each line of a script is played."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.box import MS, S

from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Effect, Keep, Play, Show, Sound
from shutthebox.game.facts import Began, Chosen, Fact, Faulted, Finished, Left, Signed
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.rules.actions import Advanced, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.formats import Reason
from shutthebox.rules.match import Result, begin
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.player import ExpectationError, Replay, as_json, fact_text
from shutthebox.simulator.scenario.script import ScenarioError, parse

PUB = begin(builtin("pub"), 3)
DONE = replace(PUB, result=Result((0, 2), False, (Fraction(0),) * 3, Reason.ROUNDS))
NOBODY = replace(PUB, result=Result((), False, (Fraction(1),) * 3, Reason.LIMIT))
FACTS: dict[str, Fact] = {
    "begin pub 3 players 1 rounds": Began(PUB),
    "begin jouhet 2 players 5 rounds": Began(replace(begin(builtin("jouhet"), 2), rounds=5)),
    "leave": Left(),
    "finish 1 3": Finished(DONE),
    "finish ": Finished(NOBODY),
    "sign 3 ANN": Signed(2, "ANN"),
    "choose box.sound False": Chosen("box.sound", False),
    "choose game.players None": Chosen("game.players", None),
    "fault lever: 3 is stuck": Faulted("lever", "3 is stuck"),
    "throw 3+5": Thrown((3, 5)),
    "shut 1,7": Moved(0b1000001),
    "open 4": Reopened(4),
    "time": OutOfTime(),
    "next": Advanced(),
}


@pytest.mark.parametrize("text", FACTS)
def test_a_fact_is_one_line(text: str) -> None:
    assert fact_text(FACTS[text]) == text
    line = json.loads(as_json(Keep(FACTS[text]), 1_500 * MS))
    assert line == {"t": 1.5, "kind": "record", "fact": text}


def test_a_show_and_a_sound_have_all_their_values() -> None:
    screen = Screen(Mode.FLIPPING, "Player 2", "Round 1", prompt="Würfel")
    show = Show(
        screen, 7, Mode.FLIPPING, 2, (1, 5, 9), (3, 5), "missing 5", (None, 12), (0, 45),
        (Fraction(1, 2), Fraction(-1, 2)), (2,), asleep=True, seats=("Ann", "Bob"),
    )  # fmt: skip
    text = as_json(show, 12_345_678_900)
    assert json.loads(text) == {
        "t": 12.3456789,
        "kind": "show",
        "mode": "flipping",
        "player": 2,
        "open": [1, 5, 9],
        "throw": [3, 5],
        "verdict": "missing 5",
        "scores": [None, 12],
        "totals": [0, 45],
        "owes": [0.5, -0.5],
        "winners": [2],
        "names": ["Ann", "Bob"],
        "text": "Player 2\nRound 1\nWürfel",
        "asleep": True,
    }
    assert "Würfel" in text, "as it is, not as numbers"
    assert json.loads(as_json(Play(Sound.ROLL), 0)) == {"t": 0.0, "kind": "sound", "name": "roll"}


# -- when a line is played ---------------------------------------------------------------

Times = list[tuple[int, object]]


@pytest.fixture
def times(tmp_path: Path) -> Callable[[str], Times]:
    """When the switches of a script moved: each settled one with the time of its edge."""

    def played(text: str) -> Times:
        moved: Times = []
        replay = Replay(parse(text, "script"), tmp_path / "state")

        def look(what: Effect | SwitchChanged, t_ns: int) -> None:
            if isinstance(what, SwitchChanged):
                moved.append(
                    (t_ns - (40 if what.switch else 25) * MS, what.switch if what.active else -what.switch)
                )

        replay.world.observe(look)
        replay.run()
        return moved

    return played


@pytest.mark.parametrize(
    ("script", "moved"),
    [
        ("flip 3", [(500 * MS, 3)]),
        ("flip 3 4\nlift 4", [(500 * MS, 3), (500 * MS, 4), (1_000 * MS, -4)]),
        ("@0 flip 3", [(0, 3)]),
        ("wait 3\nflip 3", [(4 * S, 3)]),
        ("+0 wait 3\n+0 flip 3", [(3 * S, 3)]),
        ("@2.5 flip 3\n+1 lift 3", [(2_500 * MS, 3), (3_500 * MS, -3)]),
        ("dice 3 5\nseed 4\nflip 3", [(500 * MS, 3)]),
        ("@1 bounce 3 down 30ms\n+0.1 flip 4", [(1_030 * MS, 3), (1_130 * MS, 4)]),
        ("@1 glitch 3 60ms\n@1.06 flip 4", [(1_000 * MS, 3), (1_060 * MS, -3), (1_060 * MS, 4)]),
        ("@1 glitch 3 30ms\n@1.03 flip 4", [(1_030 * MS, 4)]),
        ("@1 button down\n@2 flip 3\n@3 button up", [(1 * S, 0), (2 * S, 3), (3 * S, 0)]),
        ("@1 press\n+0 flip 3", [(1 * S, 0), (1_100 * MS, 0), (1_100 * MS, 3)]),
        ("@1 hold\n+0 flip 3", [(1 * S, 0), (2 * S, 0), (2 * S, 3)]),
        ("@1 hold 0.25\n+0 flip 3", [(1 * S, 0), (1_250 * MS, 0), (1_250 * MS, 3)]),
        ("@1 oled off\n@1 expect mode attract\n+0 flip 3", [(1 * S, 3)]),
        # Without its edge a lever is seen when all are read again, every second.
        ("@1.2 lose-edges 1\n+0 flip 3", [(2 * S, 3)]),
    ],
)
def test_each_line_is_played_at_its_time(times: Callable[[str], Times], script: str, moved: Times) -> None:
    assert sorted(times(script), key=lambda entry: entry[0]) == moved


# -- who is told, and of what ------------------------------------------------------------


def test_a_script_that_fails_closes_its_box(tmp_path: Path) -> None:
    for text in ("expect player 4", "flip 12"):
        with pytest.raises((ExpectationError, ScenarioError)):
            Replay(parse(text, "script"), tmp_path).run()
    Replay(parse("press", "script"), tmp_path).run()


def test_a_plug_of_the_panel_and_a_look_at_it_need_a_panel(tmp_path: Path) -> None:
    script = parse("oled off\nwait 1", "script")
    display = VirtualDisplay(script.config)
    Replay(script, tmp_path, display).run()
    assert display.panel.unplugged
    Replay(script, tmp_path).run()
    with pytest.raises(ExpectationError, match="script:1: expected panel x, got no panel to look at"):
        Replay(parse("expect panel x", "script"), tmp_path).run()
