"""A scripted player: legal matches on a box in virtual time, through the contacts alone.

It knows no rules. It reads the screen, moves levers and presses the button, and makes the mistakes of
people: flips wrong levers, lifts others, presses too early, bounces, dawdles. If a move had no effect it
looks again, for the kernel may have lost an edge.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from shutthebox.errors import ShutTheBoxError
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.hardware.bounce import bounce_edges
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import localize_screen

MS = 1_000_000
QUIET_NS = 1_200 * MS
"""After so long without a hand on the box it has made every lost edge good: it reads all levels
once a second, and then they have to settle."""

_PATIENCE = 500  # things done in a row without anything coming of them
_LONGEST_NS = 100 * 3600 * 1000 * MS  # a match in virtual time
_HOLD_NS = 850 * MS
_ONE_DIE = 0.8  # how often a single die is thrown where that is a choice


class StuckError(ShutTheBoxError, RuntimeError):
    """The box did not come on, or shows levers other than where they stand."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Habits:
    """How clumsy a player is; chances from 0 to 1.

    Attributes:
        fumbles: before a step, to do something else first.
        bounces: a contact that moves chatters.
        glitches: another contact twitches besides.
        cuts: before a step, to pull the plug (only on a box with a store).
    """

    fumbles: float = 0.12
    bounces: float = 0.5
    glitches: float = 0.05
    cuts: float = 0.0


CAREFUL = Habits(fumbles=0.0, bounces=0.0, glitches=0.0)
"""Never does anything wrong."""


class Player:
    """Plays at one box.

    Args:
        random: decides everything.
        habits: how clumsy.
        looks_on: told of every effect and settled switch, and of restarts as None.
    """

    def __init__(
        self,
        random: Random,
        habits: Habits,
        looks_on: Callable[[Effect | SwitchChanged | None, int], None] = lambda what, t_ns: None,
    ) -> None:
        self._random, self._habits, self._looks_on = random, habits, looks_on
        self._show: Show | None = None
        self._facts = 0
        self._box: VirtualBox | None = None

    def observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Takes in the effects of the box; to be given to the box as an observer."""
        if isinstance(what, Show):
            self._show = what
        elif isinstance(what, Keep):
            self._facts += 1
        self._looks_on(what, t_ns)

    def sit_down(self, box: VirtualBox) -> None:
        """Plays at this box from now on; it has to have `observe` among its observers."""
        self._box = box

    @property
    def box(self) -> VirtualBox:
        """The box played at."""
        assert self._box is not None, "sit down first"
        return self._box

    @property
    def seen(self) -> Show:
        """The latest show of the box."""
        assert self._show is not None, "a box shows something from the start"
        return self._show

    def play_match(self) -> None:
        """Plays one match from where the box is to its end, and lets it stand there.

        Raises:
            StuckError: if the box does not come on, or sees its levers wrong.
        """
        if self.seen.mode is Mode.MATCH_OVER:
            self._press()
        give_up_ns, facts, idle = self.box.now_ns + _LONGEST_NS, self._facts, 0
        while self.seen.mode is not Mode.MATCH_OVER:
            self._step()
            idle = 0 if self._facts > facts else idle + 1
            facts = self._facts
            if idle > _PATIENCE or self.box.now_ns > give_up_ns:
                raise StuckError(f"the box does not come on: {self.seen}")

    def look_again(self) -> None:
        """Waits until the box must have seen all levers.

        Raises:
            StuckError: if it shows others.
        """
        self._wait(QUIET_NS)
        seen = self.box.runner.machine.state.shared.levers
        down = sum(1 << (number - 1) for number in self._down)
        if seen != down:
            raise StuckError(f"levers {sorted(self._down)} are down, the box sees {seen:b}")

    # Its next step.

    def _step(self) -> None:
        before = self.seen, self._facts
        if self._chance(self._habits.cuts):
            self._pull_the_plug()
        elif self.seen.mode is not Mode.ATTRACT and self._chance(self._habits.fumbles):
            self._fumble()
        else:
            self._go_on()
        self._wait(self._between(30, 400))
        if (self.seen, self._facts) == before:
            self.look_again()

    def _go_on(self) -> None:
        """The step that the screen asks for."""
        show = self.seen
        if show.asleep or "End the match?" in localize_screen(show).text:
            self._press() if show.asleep else self._press(_HOLD_NS + 100 * MS)
        elif show.mode in (Mode.ATTRACT, Mode.TURN_OVER):
            self._press()
        elif show.mode in (Mode.ROLLING, Mode.ENTERING):
            self._wait(self._between(0, 1000))
        else:
            self._put_right(show)

    def _put_right(self, show: Show) -> None:
        word, *numbers = str(show.scene.verdict).split()
        match word:
            case "lift":
                self._move(set(map(int, numbers)) & self._down, down=False)
            case "put-back" if set(map(int, numbers)) <= self._down:
                self._move(set(map(int, numbers)), down=False)
            case "put-back":
                self._move(set(map(int, numbers)) - self._down, down=True)
            case "over" | "dead-end":
                wrong = self._tiles(show, TileState.WRONG, TileState.FLIPPED) & self._down
                self._move(self._one_of(wrong), down=False)
            case "missing" if self._tiles(show, TileState.VIABLE) - self._down:
                self._flip_a_viable(show)
            case "missing":
                self._press()
            case "ok" if show.mode is Mode.FLIPPING:
                self._answer(show)
            case "ok" if "Hold: 1 die" in localize_screen(show).also and self._chance(_ONE_DIE):
                self._press(_HOLD_NS + self._between(50, 500))
            case _:
                self._press()

    def _answer(self, show: Show) -> None:
        if self._tiles(show, TileState.VIABLE):
            self._flip_a_viable(show)
        elif "lift" in localize_screen(show).prompt:
            self._move(self._one_of(self._tiles(show, TileState.SHUT) & self._down), down=False)
        else:
            self._press()

    def _flip_a_viable(self, show: Show) -> None:
        self._move(self._one_of(self._tiles(show, TileState.VIABLE) - self._down), down=True)

    # Its mistakes.

    def _fumble(self) -> None:
        levers = self.box.box.levers
        match self._random.randrange(9):
            case 0 | 1:
                self._move({self._random.choice(levers)}, down=True)
            case 2:
                self._move(self._one_of(self._down), down=False)
            case 3:
                grabbed = set(self._random.sample(levers, self._random.randint(2, 4)))
                self._move(grabbed, down=self._chance(0.5))
            case 4 | 5:
                self._press()
            case 6:
                self._press(self._between(900, 3000))
            case 7:
                self._press(self._between(1, 20))
            case _:
                self._do_something_rare()

    def _do_something_rare(self) -> None:
        match self._random.randrange(12):
            case 0:
                self._press(self._between(10_100, 11_000))
            case 1:
                self._wait(700_000 * MS)
            case _:
                lever = self._random.choice(self.box.box.levers)
                was = lever in self._down
                self._move({lever}, down=not was)
                self._wait(self._between(0, 60))
                self._move({lever}, down=was)

    def _pull_the_plug(self) -> None:
        self._wait(self._between(0, 50))
        self._looks_on(None, self.box.now_ns)
        self.box.cut_power()

    # Its hands.

    @property
    def _down(self) -> set[int]:
        return set(self.box.box.levers_down)

    def _move(self, levers: set[int], *, down: bool) -> None:
        """Moves some levers at once, each contact chattering on its own."""
        edges = [edge for lever in levers - self._down if down for edge in self._edges(lever, down)]
        edges += [edge for lever in levers & self._down if not down for edge in self._edges(lever, down)]
        if self._chance(self._habits.glitches):
            # A spike on a lever that nobody touches, shorter than any settle window.
            lever = self._random.choice(self.box.box.levers)
            if lever not in levers:
                at, level = self._between(0, 30), lever not in self._down
                edges += [(at, lever, not level), (at + self._random.randint(1_000, 5 * MS), lever, level)]
        start = self.box.now_ns
        for offset_ns, lever, level in sorted(edges):
            self.box.run_until(start + offset_ns)
            self.box.set_level(self.box.box.lever_line(lever), level)

    def _edges(self, lever: int, down: bool) -> list[tuple[int, int, bool]]:
        lasts = self._random.randint(100_000, 30 * MS) if self._chance(self._habits.bounces) else 0
        late = self._between(0, 20) if self._habits.fumbles else 0
        return [
            (late + at, lever, level) for at, level in bounce_edges(self._random, lasts, settled=not down)
        ]

    def _press(self, lasts_ns: int | None = None) -> None:
        lasts_ns = self._between(40, 700) if lasts_ns is None else lasts_ns
        for down, after_ns in ((True, lasts_ns), (False, 0)):
            if self._chance(self._habits.bounces):
                self.box.bounce(0, down, self._random.randint(100_000, 5 * MS))
            else:
                self.box.set_button(down)
            self._wait(after_ns)
        self._wait(30 * MS)

    def _wait(self, lasts_ns: int) -> None:
        self.box.run_until(self.box.now_ns + lasts_ns)

    # Its mind.

    @staticmethod
    def _tiles(show: Show, *states: TileState) -> set[int]:
        return {tile for tile, state in show.screen.tiles if state in states}

    def _one_of(self, levers: set[int]) -> set[int]:
        choice: Sequence[int] = sorted(levers)
        return {self._random.choice(choice)} if choice else set()

    def _between(self, low_ms: int, high_ms: int) -> int:
        return self._random.randint(low_ms * MS, high_ms * MS)

    def _chance(self, chance: float) -> bool:
        return chance > 0 and self._random.random() < chance
