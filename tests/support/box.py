"""A box under test: hands, time and eyes, in the words of a scenario."""

from collections.abc import Callable, Sequence
from pathlib import Path

from shutthebox.config.schema import Config, with_value
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Fact
from shutthebox.game.messages import localize
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.runtime.ports import Observer
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import localize_screen, translations

MS = 1_000_000
S = 1_000 * MS


class Eyes:
    """The effects of a box, in order, and its present screen."""

    def __init__(self) -> None:
        self.effects: list[Effect] = []

    @property
    def show(self) -> Show:
        return next(effect for effect in reversed(self.effects) if isinstance(effect, Show))

    @property
    def screen(self) -> LocalizedScreen:
        return localize_screen(self.show)

    @property
    def seats(self) -> tuple[str, ...]:
        """How each player is called."""
        return tuple(localize(seat, translations()[self.show.language]) for seat in self.show.scene.seats)

    @property
    def mode(self) -> Mode:
        return self.show.mode

    @property
    def text(self) -> str:
        return self.screen.text

    @property
    def verdict(self) -> str:
        return str(self.show.scene.verdict)

    @property
    def facts(self) -> list[Fact]:
        return [effect.fact for effect in self.effects if isinstance(effect, Keep)]


def config_with(**values: object) -> Config:
    """The config of a box that begins its usual game at once; ``game__players=3`` sets `game.players`."""
    config = with_value(Config(), "game.setup", "usual", "test")
    for key, value in values.items():
        config = with_value(config, key.replace("__", "."), value, "test")
    return config


class BoxUnderTest(Eyes):
    """A whole box in virtual time.

    Args:
        state: folder of the store; None for a box without memory.
        config: None for `config_with` without more.
        observers: told of everything, as well.
        make: makes the box.
        seed: of the throws that no test has decided.
        advised: it knows the odds.
    """

    def __init__(
        self,
        state: Path | None = None,
        config: Config | None = None,
        *,
        observers: Sequence[Observer] = (),
        make: Callable[..., VirtualBox] = VirtualBox,
        seed: int = 0,
        advised: bool = False,
    ) -> None:
        super().__init__()
        self.box = make(
            config or config_with(), state, observers=[self._look, *observers], seed=seed, advised=advised
        )

    def _look(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if not isinstance(what, SwitchChanged):
            self.effects.append(what)

    # Hands.

    def press(self, lasts_ns: int = 100 * MS) -> None:
        self.box.press(lasts_ns)
        self.wait(100 * MS)

    def hold(self) -> None:
        self.press(S)

    def flip(self, *levers: int) -> None:
        self._move(levers, down=True)

    def lift(self, *levers: int) -> None:
        self._move(levers, down=False)

    def _move(self, levers: Sequence[int], *, down: bool) -> None:
        for lever in levers:
            self.box.set_lever(lever, down)
        self.wait(100 * MS)

    def choose(self, lever: int) -> None:
        self.flip(lever)
        self.lift(lever)

    def throw(self, *faces: int) -> None:
        """Queues a throw, presses, and waits until the dice have stopped."""
        self.box.dice.queue.append(faces)
        self.press()
        self.wait(S)

    def abandon(self) -> None:
        """Ten seconds of holding, and a press that means yes."""
        self.press(11 * S)
        self.press()
        assert self.mode is Mode.ATTRACT

    def wait(self, lasts_ns: int) -> None:
        self.box.run_until(self.box.now_ns + lasts_ns)
