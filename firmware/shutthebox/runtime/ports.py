"""Everything that the loop needs of the world, as small protocols. None of their methods may block."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from shutthebox.game.effects import Effect, Sound
from shutthebox.game.facts import Fact
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.game.lookups import Lookups
from shutthebox.game.resuming import KeptMatch
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Brightness
from shutthebox.game.stick import StickJob
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.odds.questions import OddsReady, Question

Observer: TypeAlias = Callable[[Effect | SwitchChanged, int], None]
"""Told of every effect and settled switch after it has happened, with the time in ns.

Of a `Show` only if it is not like the last one, or if a sound has called for attention since.
"""


class PinsPort(Protocol):
    """The switches and the lamp."""

    def active(self) -> Mapping[int, bool]:
        """Per switch whether it is closed now."""

    def light(self, value: float) -> None:
        """Sets the lamp in the button, 0 dark to 1 bright."""


class DisplayPort(Protocol):
    """The panel."""

    def show(self, screen: LocalizedScreen, t_ns: int) -> None:
        """Shows this screen; animations count from `t_ns`."""

    def sleep(self) -> None:
        """Goes dark until the next screen."""

    def brighten(self, brightness: Brightness) -> None:
        """Is so bright from now on."""


class BuzzerPort(Protocol):
    """The buzzer."""

    def play(self, sound: Sound) -> None:
        """Starts this sound."""


class StickPort(Protocol):
    """The way to the helper of an owner's stick; what it says comes through the loop's inbox."""

    def ask(self, job: StickJob) -> None:
        """Asks for a job."""


class OddsPort(Protocol):
    """The odds."""

    def ask(self, question: Question) -> Sequence[OddsReady]:
        """Takes a question; gives the answer if it is known at once. Others come through the loop's inbox."""


class MemoryPort(Protocol):
    """The memory, which survives a pulled plug. Works with a store that fails, and without one."""

    def running_match(self, levers: int) -> KeptMatch | None:
        """The match to continue on a box with so many levers; None if there is none."""

    def keep(self, fact: Fact) -> None:
        """Makes a fact durable; if that fails, it waits."""

    def keep_counts(self, presses: Mapping[int, int], chatter: Mapping[int, int]) -> None:
        """Adds the counts of the switches since the start."""

    def catch_up(self) -> None:
        """Called once a second: keeps the facts that wait."""

    def faults(self) -> Sequence[Fault | None]:
        """Faults since the last call, oldest first; None among them when everything is kept again."""

    def close(self) -> None:
        """Keeps what is left, and closes the store."""


class Ports(NamedTuple):
    """The world of one box.

    Attributes:
        pins: switches and lamp; their edges come through the loop's inbox.
        memory: survives a pulled plug.
        odds: answers questions; None for a box without them.
        display: None to play blind.
        buzzer: None for silence.
        observers: told of everything that changes.
        chores: called once a second, for what depends on the time of day.
        lookups: answers the game's questions that need no time.
        undelivered: says why the league does not get the box's matches, if so; None without a league.
        stick: the way to a stick's helper; None for a box without one.
    """

    pins: PinsPort
    memory: MemoryPort
    odds: OddsPort | None = None
    display: DisplayPort | None = None
    buzzer: BuzzerPort | None = None
    observers: Sequence[Observer] = ()
    chores: Sequence[Callable[[], None]] = ()
    lookups: Lookups | None = None
    undelivered: Callable[[], Undelivered | None] | None = None
    stick: StickPort | None = None
