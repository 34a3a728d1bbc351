"""The loop's ports to the outside world, as small protocols. Their methods must not block."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from shutthebox.game.effects import Effect, Sound
from shutthebox.game.facts import Fact
from shutthebox.game.faults import Fault, Undelivered
from shutthebox.game.lookups import Lookups
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.settings import Brightness
from shutthebox.game.stick import StickJob
from shutthebox.game.stored_match import StoredMatch
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.link.requests import LinkRequest
from shutthebox.odds.questions import OddsReady, Question

Observer: TypeAlias = Callable[[Effect | SwitchChanged, int], None]
"""Called with every effect and settled switch after it has happened, and the time in ns.

A `Show` like the last one is left out, unless a sound has called for attention since.
"""


class PinsPort(Protocol):
    """The box's inputs and the lamp in its button. Edges arrive through the loop's inbox."""

    def active(self) -> Mapping[int, bool]:
        """Whether each switch is closed now."""

    def light(self, value: float) -> None:
        """Sets the lamp in the button, from 0 (off) to 1 (full)."""


class DisplayPort(Protocol):
    """The panel, which draws and animates by itself."""

    def show(self, screen: LocalizedScreen, t_ns: int) -> None:
        """Shows this screen; animations count from `t_ns`."""

    def sleep(self) -> None:
        """Goes dark until the next screen."""

    def brighten(self, brightness: Brightness) -> None:
        """Sets the brightness from now on."""


class BuzzerPort(Protocol):
    """The buzzer, which plays without keeping the loop waiting."""

    def play(self, sound: Sound) -> None:
        """Starts this sound."""


class StickPort(Protocol):
    """The stick helper. Its reports arrive through the loop's inbox."""

    def ask(self, job: StickJob) -> None:
        """Asks the helper for a job; returns at once."""


class LinkPort(Protocol):
    """The link helper. Its reports arrive through the loop's inbox."""

    def ask(self, request: LinkRequest) -> None:
        """Asks for this. It may get lost; requests that matter are repeated."""

    @property
    def has_helper(self) -> bool:
        """Whether there's a helper to ask."""


class OddsPort(Protocol):
    """The odds behind hints, the coach and the computer, worked out beside the loop."""

    def ask(self, question: Question) -> Sequence[OddsReady]:
        """Takes a question; returns the answer if known. Others arrive through the loop's inbox."""


class MemoryPort(Protocol):
    """The memory, which survives power cuts. It works without a store, and with one that fails."""

    def running_match(self, levers: int) -> StoredMatch:
        """The match to continue on a box with `levers` levers, until `Resumed` is kept."""

    def keep(self, fact: Fact) -> None:
        """Makes a fact durable, or queues it if that fails."""

    @property
    def is_durable(self) -> bool:
        """Whether everything kept so far survives a power cut; also where nothing can ever be kept."""

    def rules_out_linked_match(self) -> bool:
        """Whether it's certain that after a power cut, too, the box would have no match with another one."""

    def keep_counts(self, presses: Mapping[int, int], chatter: Mapping[int, int]) -> None:
        """Adds the switches' counts since startup."""

    def catch_up(self) -> None:
        """Stores queued facts. Called once a second."""

    def faults(self) -> Sequence[Fault | None]:
        """Faults since the last call, oldest first; None among them when everything is kept again."""

    def close(self) -> None:
        """Stores what is left and closes the store."""


class Ports(NamedTuple):
    """The world of one box.

    Attributes:
        pins: switches and lamp; their edges arrive through the loop's inbox.
        memory: survives power cuts.
        odds: answers questions; None for a box without odds.
        display: the panel; None for none.
        buzzer: the buzzer; None for none.
        observers: called with everything that changes.
        chores: called once a second, for what depends on the time of day.
        lookups: answers the game's synchronous questions.
        undelivered: returns why the league isn't getting the box's matches; None without a league.
        stick: the stick helper; None for a box without one.
        link: the link helper; None for a box that plays with no other.
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
    link: LinkPort | None = None
