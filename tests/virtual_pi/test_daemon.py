"""The real daemon as the real unit: a match for two by moving lines and reading the glass."""

from __future__ import annotations

import itertools
import os
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.virtual_pi import VirtualPi
from tests.virtual_pi.table import Table, install_box, until

from shutthebox.config import parse
from shutthebox.game.judge import judge
from shutthebox.game.mode import Mode
from shutthebox.game.state import State
from shutthebox.odds.advice import Step, account
from shutthebox.odds.book import Odds
from shutthebox.rules import turn as turns
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import Throw, dice_allowed
from shutthebox.rules.tiles import Tiles
from shutthebox.usual import settings_for

pytestmark = [pytest.mark.virtual_pi, pytest.mark.timeout(900)]

CONFIG = '[game]\nprofile = "pub"\nsetup = "usual"\nplayers = 2\n[box]\nlevers = 9\n'
SETTINGS = settings_for(parse(CONFIG, "test"), 9, "test")
PROFILE = SETTINGS.profile
IDLE_S = 20


@pytest.fixture(scope="module")
def table(pi: VirtualPi) -> Table:
    """The box, installed and asleep in attract."""
    install_box(pi, CONFIG)
    found = Table(pi, SETTINGS)
    found.start()
    found.look_for([State(Mode.ATTRACT, 0)])
    return found


class Scorer:
    """Plays along on paper, and knows what the box shows of a position."""

    def __init__(self) -> None:
        self._odds = Odds(PROFILE)
        self._steps: list[Step] = []
        self._given = [Fraction(0)] * 2
        self._luck = [Fraction(0)] * 2

    def shown(self, match: Match, levers: Tiles, faces: Throw | None = None) -> State:
        """The state of the box in this position."""
        modes = {Stage.ANSWER: Mode.FLIPPING, Stage.ADVANCE: Mode.TURN_OVER, Stage.FINISHED: Mode.MATCH_OVER}
        steps = [*self._steps, Step(faces)] if faces else self._steps
        over = match.stage is Stage.ADVANCE
        return State(
            modes.get(match.stage, Mode.READY),
            levers,
            match,
            ledger=match.result.owes if match.result else (),
            account=account(self._odds, steps) if over else None,
            given_away=tuple(self._given),
            luck=tuple(self._luck),
        )

    def thrown(self, faces: Throw) -> None:
        self._steps.append(Step(faces))

    def moved(self, shut: Tiles) -> None:
        self._steps[-1] = Step(self._steps[-1].faces, shut)

    def turn_over(self, player: int) -> None:
        made = account(self._odds, self._steps)
        self._given[player] += made.given_away
        self._luck[player] += made.luck
        self._steps.clear()


def ticks(pi: VirtualPi, pid: str) -> int:
    """The CPU time that a process has used, in the kernel's ticks of 10 ms."""
    fields = pi.read(f"/proc/{pid}/stat").decode().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def wakeups(pi: VirtualPi, pid: str) -> int:
    """How often all threads of a process have gone to sleep by themselves."""
    found = pi.run(f"grep -h ^voluntary /proc/{pid}/task/*/status").out.split()
    return sum(int(number) for number in found[1::2])


def test_it_is_ready_and_idles_on_nothing(table: Table) -> None:
    assert table.shown("ActiveState") == "active"
    # Nine levers, the button, the lamp and the buzzer carry its name.
    assert table.pi.run("gpioinfo pinctrl-bcm2711").out.count('"shutthebox"') == 12
    pid = table.shown("MainPID")
    time.sleep(5)
    before, woken, start = ticks(table.pi, pid), wakeups(table.pi, pid), time.monotonic()
    time.sleep(IDLE_S)
    used_s = (ticks(table.pi, pid) - before) / os.sysconf("SC_CLK_TCK")
    passed = time.monotonic() - start
    rate = (wakeups(table.pi, pid) - woken) / passed
    memory = table.pi.run(f"grep -E 'VmRSS|VmHWM|Threads' /proc/{pid}/status").out.split("\n")
    print(
        f"\nidle in attract: {100 * used_s / passed:.2f} % of an emulated core, {rate:.1f} wake-ups/s", memory
    )
    # Under emulation everything costs some fifteen times as much as on the host.
    assert used_s / passed < 0.1
    assert rate < 20


def test_two_people_play_a_match(table: Table) -> None:
    table.press()
    match, paper = begin(PROFILE, players=2), Scorer()
    levers = 0
    table.look_for([paper.shown(match, 0)])
    press_to_throw, hung = True, False
    while match.stage is not Stage.FINISHED:
        match match.stage:
            case Stage.THROW:
                if press_to_throw:
                    table.press()
                dice = dice_allowed(PROFILE, match.turn.open)[0]
                throws = itertools.product(range(1, 7), repeat=dice)
                match = (
                    table.look_for([paper.shown(match.throw(t), levers, t) for t in throws]).match or match
                )
                paper.thrown(match.turn.throw or ())
            case Stage.ANSWER:
                if not hung:
                    hung = True
                    hang(table)
                    table.look_for([paper.shown(match, levers)])
                move = turns.answers(PROFILE, match.turn)[0]
                levers |= move
                table.set_levers(levers)
                before, match = match, match.move(move)
                paper.moved(move)
                if match.stage is Stage.THROW:
                    verdict = judge(PROFILE, before.turn, levers)
                    table.look_for([replace(paper.shown(before, levers), verdict=verdict)])
                    table.press()
                    # With a choice of dice the box waits for it, else it throws again by itself.
                    press_to_throw = len(dice_allowed(PROFILE, match.turn.open)) > 1
                    if press_to_throw:
                        table.look_for([paper.shown(match, levers)])
            case Stage.ADVANCE:
                table.look_for([paper.shown(match, levers)])
                paper.turn_over(match.player)
                table.press()
                match = match.advance()
                if match.stage is Stage.THROW:
                    levers, press_to_throw = 0, True
                    table.set_levers(0)
                    table.look_for([paper.shown(match, 0)])
    assert hung
    assert match.result is not None
    print("\nwinner:", [winner + 1 for winner in match.result.winners], "totals:", match.totals)
    table.look_for([paper.shown(match, levers)])


def hang(table: Table) -> None:
    """Stops the process in mid-match; the watchdog has to end it and start it again."""
    before = table.shown("MainPID")
    table.pi.run(f"kill -STOP {before}")
    assert until(lambda: table.shown("MainPID") not in ("0", before), 90), table.journal()
    assert until(lambda: table.shown("ActiveState") == "active", 60), table.journal()
    assert "watchdog" in table.journal().lower()
    table.hold_levers()


def test_it_says_goodbye(table: Table) -> None:
    table.pi.run("systemctl stop shutthebox", timeout=60)
    assert table.shown("Result") == "success"
    assert '"shutthebox"' not in table.pi.run("gpioinfo pinctrl-bcm2711").out
    assert table.pi.run("ls /var/lib/private/shutthebox").out.split()[0] == "box.sqlite3"
