"""Plays a scenario on a box in virtual time and checks what it expects."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Ask, Effect, Keep, Play, Show
from shutthebox.game.facts import Began, Chosen, Faulted, Finished, Left, Resumed, Settled, Signed
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.hardware.box import UnknownLeverError
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.script import Scenario, ScenarioError, Step
from shutthebox.simulator.virtual_box import VirtualBox

_LOOK_ON = Step(0, "wait", (1_000_000_000,), after_ns=0)
"""After the last line the box is watched for a second, so that what the line did is seen."""


class ExpectationError(ShutTheBoxError, AssertionError):
    """The box did something else than the scenario expects; the text names script and line."""

    exit_code = 1


def as_json(effect: Effect, t_ns: int) -> str:
    """One effect as a line of JSON."""
    line: dict[str, Any] = {"t": t_ns / 1e9}
    match effect:
        case Show():
            line |= {
                "kind": "show",
                "mode": effect.mode.value,
                "player": effect.player,
                "open": effect.open,
                "throw": effect.throw,
                "verdict": effect.verdict,
                "scores": effect.scores,
                "totals": effect.totals,
                "owes": [float(stakes) for stakes in effect.owes],
                "winners": effect.winners,
                "text": effect.screen.text,
                "asleep": effect.asleep,
            }
        case Play(sound):
            line |= {"kind": "sound", "name": sound.value}
        case Keep(fact):
            line |= {"kind": "record", "fact": fact_text(fact)}
    return json.dumps(line, ensure_ascii=False)


def fact_text(fact: object) -> str:
    """A kept fact in one line."""
    match fact:
        case Began(match):
            return f"begin {match.profile.name} {match.players} players {match.rounds} rounds"
        case Resumed():
            return "resume"
        case Left():
            return "leave"
        case Finished(match):
            winners = " ".join(str(i + 1) for i in match.result.winners) if match.result else ""
            return f"finish {winners}"
        case Signed(player, initials):
            return f"sign {player + 1} {initials}"
        case Settled():
            return "settle"
        case Chosen(key, value):
            return f"choose {key} {value}"
        case Faulted(kind, text):
            return f"fault {kind}: {text}"
        case _:
            return str(fact.to_text())  # type: ignore[attr-defined]


class Replay:
    """One run of a scenario.

    Args:
        scenario: to play.
        state: folder of the store; what is in it is gone on with.
        display: a display in virtual time, whose panel `expect panel` looks at; None for none.
        tell: gets every effect with its time in ns.

    Attributes:
        line: of the script, that is played now.

    Raises:
        ShutTheBoxError: for a game that is unknown or does not fit the box.
    """

    def __init__(
        self,
        scenario: Scenario,
        state: Path,
        display: VirtualDisplay | None = None,
        tell: Callable[[Effect, int], None] = lambda effect, t_ns: None,
    ) -> None:
        self._scenario, self._display, self._tell = scenario, display, tell
        self._show: Show | None = None
        self.line = 0
        self.world = VirtualBox(
            scenario.config,
            state,
            seed=scenario.seed,
            display=display,
            observers=[self._observe],
            where=scenario.where,
        )

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, SwitchChanged | Ask):
            return  # what the box asks of itself is no effect on the world
        if isinstance(what, Show):
            self._show = what
        self._tell(what, t_ns)

    def run(self) -> None:
        """Plays all steps.

        Raises:
            ExpectationError: at the first expectation that fails.
            ScenarioError: for a step that this box cannot do.
        """
        hand: Step | None = None
        try:
            for step in (*self._scenario.steps, _LOOK_ON):
                self.line = step.line
                try:
                    self._wait_for(step)
                    if step.verb not in ("expect", "wait"):
                        hand = step
                    self._do(step)
                except ScenarioError:
                    raise
                except (UnknownLeverError, ValueError) as error:
                    # What a hand did may turn out to be wrong only while a later line waits.
                    raise ScenarioError(f"{self._at(hand or step)}: {error}") from None
        finally:
            self.world.close()

    def _at(self, step: Step) -> str:
        return f"{self._scenario.where}:{step.line}: {step.verb}"

    def _wait_for(self, step: Step) -> None:
        start_ns = self.world.now_ns + step.after_ns if step.at_ns is None else step.at_ns
        if start_ns < self.world.now_ns:
            raise ScenarioError(
                f"{self._at(step)}: it is {self.world.now_ns / 1e9:g} s already; "
                f"allowed is a later time than @{start_ns / 1e9:g}"
            )
        self.world.run_until(start_ns)

    def _do(self, step: Step) -> None:
        world, args = self.world, step.args
        match step.verb:
            case "dice":
                world.dice.queue.extend(args)
            case "press":
                world.press(step.lasts_ns)
            case "hold":
                world.press(step.lasts_ns)
            case "button":
                world.set_button(args[0])
            case "flip" | "lift":
                for lever in args:
                    world.set_lever(lever, step.verb == "flip")
            case "bounce":
                world.box.lever_line(args[0])
                world.bounce(args[0], args[1], args[2])
            case "glitch":
                world.glitch(args[0], args[1])
            case "lose-edges":
                world.box.lose_edges(args[0])
            case "oled":
                if self._display is not None:
                    self._display.plug(args[0])
            case "power-cut":
                world.cut_power()
            case "wait":
                world.run_until(world.now_ns + step.lasts_ns)
            case "expect":
                self._expect(step, args[0], args[1:])

    def _expect(self, step: Step, what: str, wanted: tuple[Any, ...]) -> None:
        got = self._found(what, wanted)
        if got != wanted:
            raise ExpectationError(
                f"{self._scenario.where}:{step.line}: expected {what} {_plain(wanted)}, got {_plain(got)}"
            )

    def _found(self, what: str, wanted: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the box shows of the thing that is expected, in the form in which it is expected."""
        show = self._show
        assert show is not None, "the box shows something from the start"
        match_state = self.world.runner.machine.state.match
        result = match_state.result if match_state else None
        match what:
            case "mode":
                return (show.mode,)
            case "player":
                return (show.player,)
            case "open":
                return (tuple(sorted(show.open)),) if sorted(wanted[0]) != list(show.open) else wanted
            case "verdict":
                return (show.verdict,)
            case "throw":
                return (show.throw,)
            case "score":
                return wanted[0], _entry(show.scores, wanted[0])
            case "total":
                return wanted[0], _entry(show.totals, wanted[0])
            case "owes":
                return wanted[0], _entry(result.owes if result else (), wanted[0])
            case "winner":
                return (tuple(winner + 1 for winner in result.winners) if result else (),)
            case "text":
                found = wanted[0].casefold() in " ".join(show.screen.text.split()).casefold()
                return wanted if found else (show.screen.text.replace("\n", " / "),)
            case _:
                return self._found_panel(wanted)

    def _found_panel(self, wanted: tuple[Any, ...]) -> tuple[Any, ...]:
        golden = Path(self._scenario.where).parent / f"{wanted[0]}.png"
        if self._display is None:
            return ("no panel to look at",)
        return wanted if self._display.shows(golden, self.world.now_ns) else (f"a panel unlike {golden}",)


def _entry(values: tuple[Any, ...], player: int) -> object:
    return values[player - 1] if player <= len(values) else None


def _plain(values: tuple[Any, ...]) -> str:
    def plain(value: object) -> str:
        if value is None or value == ():
            return "nothing"
        return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)

    return " ".join(map(plain, values))
