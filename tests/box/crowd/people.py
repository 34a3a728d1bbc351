"""The people at a box: one plays well, and the others play badly, each in one way.

People look at the screen and move levers and the button; nobody knows the rules. The moves of hands are
planned as edges in time, so that several people can have their hands on the box at once.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from tests.support.clumsy_player import Habits, Player

from shutthebox.game.effects import Show
from shutthebox.game.judge import VerdictKind
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.simulator.hardware.bounce import bounce_edges
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import localize_screen, translations

MS = 1_000_000
LONG_MS = 850


@dataclass(frozen=True, slots=True)
class Touch:
    """A contact goes up or down, so many ns after the hand began."""

    offset_ns: int
    switch: int
    down: bool


def _in_all_languages(text: str) -> frozenset[str]:
    return frozenset(words(text) for words in translations().values())


ABANDON = _in_all_languages("End the match?")
PASS = _in_all_languages("No move: press") | _in_all_languages("Insured: press")
NO_GAME = re.compile(
    "|".join(text.format(tiles=r"\d.*") for text in _in_all_languages("Needs lever {tiles}"))
)


class Person(Player):
    """Somebody with hands; `plan` says what they do next."""

    pause_ms: ClassVar[tuple[int, int]] = (200, 3000)

    def __init__(self, random: Random, box: VirtualBox, show: Callable[[], Show], habits: Habits) -> None:
        super().__init__(random, habits)
        self.sit_down(box)
        self._looks = show
        self.away_ns = 0
        """For so long everybody is away from the box after what was planned last."""
        self._plan: list[Touch] = []
        self._at_ns = 0

    @property
    def seen(self) -> Show:
        return self._looks()

    def plan(self) -> tuple[list[Touch], int]:
        """The moves of the hands now, and the ns after which this person looks again."""
        self._plan, self._at_ns, self.away_ns = [], 0, 0
        self.act()
        return self._plan, self._at_ns + self._between(*self.pause_ms)

    def act(self) -> None:
        """Decides."""
        raise NotImplementedError

    # Hands.

    def _wait(self, lasts_ns: int) -> None:
        self._at_ns += lasts_ns

    def _move(self, levers: set[int], *, down: bool) -> None:
        moving = levers - self._down if down else levers & self._down
        for lever in sorted(moving):
            for offset_ns, switch, level in self._edges(lever, down):
                self._plan.append(Touch(self._at_ns + offset_ns, switch, not level))

    def _flip(self, lever: int, down: bool) -> None:
        """One clean edge, whatever the lever seems to be."""
        self._plan.append(Touch(self._at_ns, lever, down))

    def _press(self, lasts_ns: int | None = None) -> None:
        lasts_ns = self._between(40, 700) if lasts_ns is None else lasts_ns
        bounces = self._chance(self._habits.bounces)
        for down, after_ns in ((True, lasts_ns), (False, 0)):
            chatter_ns = self._random.randint(100_000, 5 * MS) if bounces else 0
            for offset_ns, level in bounce_edges(self._random, chatter_ns, settled=not down):
                self._plan.append(Touch(self._at_ns + offset_ns, DICE_BUTTON, not level))
            self._wait(chatter_ns + after_ns)
        self._wait(30 * MS)

    def _any_levers(self, least: int, most: int) -> set[int]:
        levers = self.box.box.levers
        return set(self._random.sample(levers, min(len(levers), self._random.randint(least, most))))


class Regular(Person):
    """Plays well: from wherever the box is to the end of a match."""

    pause_ms = (30, 400)
    _wants_another_game = False
    dawdles = False
    """Leaves the box alone now and then between matches."""

    def act(self) -> None:
        """Does as the screen says."""
        show = self.seen
        if show.mode is Mode.ATTRACT:
            self._wants_another_game = NO_GAME.fullmatch(localize_screen(show).prompt) is not None
        if show.asleep:
            self._press()
        elif self._wants_another_game:
            self._look_for_a_game(show)
        elif show.mode is Mode.SERVICE:
            self._press(self._between(LONG_MS, 1500))
        elif self.dawdles and not show.scene.open and self._chance(0.5):
            self._wait(self._between(1_000, 6_000))
        elif show.mode is Mode.INITIALS and self._chance(0.7):
            self._press()
        elif (
            localize_screen(show).big in ABANDON
            or show.mode is Mode.INITIALS
            or (show.mode is Mode.MENU and self._chance(0.7))
            or (show.mode is Mode.MATCH_OVER and self.dawdles and self._chance(0.3))
        ):
            self._press(self._between(LONG_MS, 1500))
        elif show.mode is Mode.ENTERING:
            self._enter_dice(show)
        elif show.mode in (Mode.SETUP, Mode.NAMING, Mode.MENU, Mode.MATCH_OVER):
            self._press()
        else:
            self._go_on()

    def _look_for_a_game(self, show: Show) -> None:
        """The usual one needs a lever that is out of play: anything else in the menu will do."""
        if show.mode is not Mode.MENU or self._chance(0.3):
            self._press(self._between(LONG_MS, 1500))
            return
        (lever,) = self._any_levers(1, 1)
        for down in (True, False):
            self._flip(lever, down)
            self._wait(self._between(60, 200))
        self._press()

    def _put_right(self, show: Show) -> None:
        if show.scene.verdict.kind is VerdictKind.OK or show.mode is not Mode.ENTERING:
            super()._put_right(show)

    def _enter_dice(self, show: Show) -> None:
        """Counts up to some number and enters it; if that is no throw the box asks again."""
        if show.scene.verdict.kind is not VerdictKind.OK:
            down = show.scene.verdict.kind is VerdictKind.PUT_BACK
            self._move(set(show.scene.verdict.tiles), down=down)
            return
        count = int(localize_screen(show).big.rpartition("+")[2])
        if count and self._chance(0.3):
            self._press(self._between(LONG_MS, 1200))
        else:
            self._wait(self._between(350, 500))
            self._press()

    def _answer(self, show: Show) -> None:
        if self._tiles(show, TileState.VIABLE) or localize_screen(show).prompt in PASS:
            super()._answer(show)
        else:
            # The last possible answer is to lift a tile; without one a press passes.
            shut = self._tiles(show, TileState.SHUT) & self._down
            self._move(self._one_of(shut), down=False) if shut else self._press()


class Leaner(Person):
    """Leans on the button while others play."""

    pause_ms = (500, 8000)

    def act(self) -> None:
        """From just under a hold to beyond the longest one."""
        self._press(self._between(*self._random.choice([(700, 900), (900, 4000), (9_500, 12_000)])))


class TwoAtOnce(Person):
    """Moves two levers, or a handful, in the same instant."""

    def act(self) -> None:
        """Down or up, with and without a press at the same time."""
        levers = self._any_levers(2, 5)
        down = self._chance(0.6)
        for lever in levers:
            self._flip(lever, down)
        if self._chance(0.3):
            self._press()


class Meddler(Person):
    """Flips during another's turn, above all while dice roll or somebody thinks."""

    pause_ms = (100, 2500)

    def act(self) -> None:
        """Any one lever, and sometimes the button."""
        if self.seen.mode in (Mode.ROLLING, Mode.ENTERING, Mode.TURN_OVER, Mode.READY, Mode.FLIPPING):
            (lever,) = self._any_levers(1, 1)
            self._flip(lever, lever not in self._down)
            self._wait(self._between(0, 300))
            if self._chance(0.15):
                self._press()


class Cheat(Person):
    """Moves levers between throws and turns, hoping that nobody sees."""

    pause_ms = (100, 2000)

    def act(self) -> None:
        """Shuts more while nothing is on the table, opens what was shut, adds to a complete move."""
        show = self.seen
        held_open = set(show.scene.open)
        if show.mode in (Mode.READY, Mode.RAISING, Mode.TURN_OVER, Mode.MATCH_OVER):
            self._move(self._one_of(held_open) | self._one_of(held_open), down=True)
        elif show.mode is Mode.FLIPPING and show.scene.verdict.kind is VerdictKind.COMPLETE:
            self._move(self._one_of(held_open - self._down), down=True)
        elif show.mode is Mode.FLIPPING:
            self._move(self._one_of(self._down - held_open), down=False)
        self._wait(self._between(20, 200))
        self._press()


class NeverRaises(Person):
    """Does not lift levers for the next turn: presses, holds, and puts down what others lift."""

    pause_ms = (100, 1500)

    def act(self) -> None:
        """Only where levers are asked to be lifted."""
        show = self.seen
        if show.mode is not Mode.RAISING and show.scene.verdict.kind is not VerdictKind.LIFT:
            return
        self._press(self._between(LONG_MS, 1500)) if self._chance(0.2) else self._press()
        if self._chance(0.3):
            self._move(self._one_of(set(show.scene.open) - self._down), down=True)


class Bouncer(Person):
    """A worn button that bounces for 300 ms, and levers that do."""

    pause_ms = (300, 3000)

    def act(self) -> None:
        """Edges at any distance, below and above every settle window."""
        switch = DICE_BUTTON if self._chance(0.7) else self._random.choice(self.box.box.levers)
        held = switch == DICE_BUTTON or self._chance(0.5)
        for down in (True, False) if held else (switch not in self._down,):
            edges = 2 * self._random.randint(0, self._random.choice([3, 30]))
            offsets = sorted(self._random.sample(range(300 * MS), edges + 1))
            for number, offset_ns in enumerate(offsets):
                self._plan.append(Touch(self._at_ns + offset_ns, switch, down == (number % 2 == 0)))
            self._wait(300 * MS + self._between(0, 600))


class Hammerer(Person):
    """Presses as fast as possible."""

    pause_ms = (500, 6000)

    def act(self) -> None:
        """Up to twenty presses, some too short to count."""
        for _ in range(self._random.randint(2, 20)):
            self._press(self._between(5, 120))
            self._wait(self._between(0, 100))


class Rattler(Person):
    """Moves levers to and fro around the settle window, again and again."""

    def act(self) -> None:
        """One lever, or a stroke over all of them."""
        levers = sorted(self._any_levers(1, 1)) if self._chance(0.7) else list(self.box.box.levers)
        for lever in levers * self._random.randint(1, 4):
            down = lever not in self._down
            self._flip(lever, down)
            self._wait(self._between(1, 80))
            self._flip(lever, not down)
            self._wait(self._between(0, 60))


class Explorer(Person):
    """Tries what menus there are, signs with any initials, chooses with any lever."""

    pause_ms = (200, 1500)

    def act(self) -> None:
        """Opens the menu, takes choices, goes back or wanders off in the middle."""
        show = self.seen
        if show.mode is Mode.ATTRACT:
            self._press(self._between(LONG_MS, 1200)) if self._chance(0.6) else self._press()
        elif show.mode is Mode.SERVICE and self._chance(0.7):
            self._press(self._between(LONG_MS, 1200)) if self._chance(0.4) else self._press()
        elif show.mode in (Mode.MENU, Mode.SETUP, Mode.NAMING, Mode.INITIALS, Mode.MATCH_OVER, Mode.SERVICE):
            (lever,) = self._any_levers(1, 1)
            self._flip(lever, True)
            self._wait(self._between(45, 200))
            self._flip(lever, False)
            self._wait(self._between(45, 200))
            self._press(self._between(LONG_MS, 1200)) if self._chance(0.2) else self._press()


class Walker(Person):
    """Walks away in the middle of it, for longer than the box stays awake, or gives the match up."""

    pause_ms = (2_000, 20_000)

    def act(self) -> None:
        """Ten seconds of holding, and mostly a press after it; or a quarter of an hour of nothing."""
        if self._chance(0.5):
            self.away_ns = self._between(500_000, 900_000)
        else:
            self._press(self._between(10_100, 11_500))
            self._wait(self._between(50, 500))
            self._press() if self._chance(0.7) else self._press(self._between(LONG_MS, 1500))


BAD: tuple[type[Person], ...] = (
    Leaner, TwoAtOnce, Meddler, Cheat, NeverRaises, Bouncer, Hammerer, Rattler, Explorer, Walker,
)  # fmt: skip
