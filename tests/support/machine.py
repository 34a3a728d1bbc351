"""A machine on the test's table: hands, a clock that only they move, and its effects."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from tests.support.box import MS, Eyes, S

from shutthebox.config.profiles import builtin, builtins, recognize
from shutthebox.config.schema import SECTIONS, Config
from shutthebox.game.daily import Daily
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.effects import Ask, Effect, Keep, PlaySound, Sound
from shutthebox.game.facts import Began, Fact
from shutthebox.game.faults import Fault
from shutthebox.game.inputs import Held, HeldLong, Input, LeversMoved, Pressed, ServicePressed, TimePassed
from shutthebox.game.machine import Machine
from shutthebox.game.messages import Text
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.owner_topics import Topic
from shutthebox.game.play import MatchInPlay
from shutthebox.game.screen import TileState
from shutthebox.game.settings import Settings, SetupChoice
from shutthebox.game.stored_match import KeptMatch, NoMatch
from shutthebox.odds.questions import OddsReady, Question, answer_without_odds
from shutthebox.rules.actions import Action
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.translations import title_order

TUMBLE_NS = 800 * MS


class ReplayedEffect(NamedTuple):
    """What the machine looks up, as the test has decided it."""

    statistics: Callable[[], Sequence[Text]]
    report: Callable[[Topic, Collection[int]], Sequence[Text]]
    past: Callable[[Match, str], EarlierResults]
    daily: Callable[[Sequence[Profile]], Daily | None]


class Queue:
    """Throws that the test has decided; asked for another it fails."""

    def __init__(self) -> None:
        self.throws: list[Throw] = []

    def throw(self, dice: int, sides: int) -> Throw:
        throw = self.throws.pop(0)
        assert len(throw) == dice, f"{dice} dice are thrown, {throw} is queued"
        return throw

    def draw(self, bag: Sequence[Throw]) -> Throw:
        return self.throws.pop(0)

    def secret(self) -> str:
        return "5e" * 32


def settings_for(profile: str | Profile = "traditional", **values: object) -> Settings:
    """Settings of a box on which this game is the usual one; begins it at once unless asked not to."""
    usual = builtin(profile) if isinstance(profile, str) else profile
    levers = values.get("levers", 9)
    assert isinstance(levers, int)
    offered = tuple(p for p in (given.for_levers(levers) for given in builtins()) if p is not None)
    profiles = offered if usual in offered else (usual, *offered)
    config = Config()
    settings = Settings(
        profiles,
        config.game._replace(profile=usual.name, setup=SetupChoice.USUAL),
        config.box,
        config.display,
        languages=(("en", "English"), ("fr", "Français")),
        title_order=title_order,
        recognize=recognize,
    )
    for name, value in values.items():
        if name in Settings._fields:
            settings = settings._replace(**{name: value})  # type: ignore[arg-type]
        else:
            section = next(section for section in ("game", "box", "display") if name in SECTIONS[section])
            settings = settings.with_value(f"{section}.{name}", value)
    return settings


class Odds(Protocol):
    """Answers questions at once."""

    def ask(self, question: Question) -> Sequence[OddsReady]: ...


class NoOdds:
    """Answers as somebody who knows no odds."""

    def ask(self, question: Question) -> Sequence[OddsReady]:
        advice = answer_without_odds(question)
        return () if advice is None else (advice,)


class SilentOdds:
    """Odds that say nothing; they remember what they were asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Sequence[OddsReady]:
        self.asked.append(question)
        return ()


class Table(Eyes):
    """One machine.

    Args:
        settings: the machine's.
        throws: queued throws.
        down: levers that are down at the start.
        match: a match to go on with, where it was begun.
        actions: what has happened in it since.
        statistics: lines of the statistics screen.
        odds: answers the machine's questions.
        daily: gives the puzzle of today.
        past: gives the earlier results of three letters.
        is_new: no match has been finished on this box.
        fault: found before the start.
        notices: more for the owner.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        throws: Iterable[Throw] = (),
        *,
        down: Iterable[int] = (),
        match: Match | None = None,
        actions: Sequence[Action] = (),
        statistics: Sequence[Text] = (),
        report: Callable[[Topic, Collection[int]], Sequence[Text]] = lambda topic, wrong: (),
        odds: Odds | None = None,
        daily: Callable[[Sequence[Profile]], Daily | None] = lambda games: None,
        past: Callable[[Match, str], EarlierResults] = lambda match, letters: EarlierResults(),
        is_new: bool = False,
        fault: Fault | None = None,
        notices: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.dice = Queue()
        self.dice.throws.extend(throws)
        self.now_ns = 5 * S
        self._begun, self._before = match, tuple(actions)
        self.down = set(down)
        self.odds = odds or NoOdds()
        self.machine = Machine(
            settings or settings_for(),
            self.dice,
            to_tiles(self.down),
            self.now_ns,
            stored=NoMatch() if match is None else KeptMatch(match, actions),
            lookups=ReplayedEffect(lambda: statistics, report, past, daily),
            is_new=is_new,
            fault=fault,
            notices=notices,
        )
        self._take(self.machine.start())

    def again(self, *, odds: Odds | None = None) -> "Table":
        """The box after a power cut; the levers stand as they did."""
        begun, actions = self._begun, list(self._before)
        for fact in self.facts:
            if isinstance(fact, Began):
                begun, actions = fact.match, []
            elif isinstance(fact, Action):
                actions.append(fact)
        return Table(self.machine.settings, down=self.down, match=begun, actions=actions, odds=odds)

    # Hands. Each returns the effects of what it did.

    def press(self) -> list[Effect]:
        return self.give(Pressed())

    def hold(self) -> list[Effect]:
        return self.give(Held())

    def hold_long(self) -> list[Effect]:
        """Ten seconds; on the way it has been a hold."""
        return self.give(Held()) + self.give(HeldLong())

    def press_service(self) -> list[Effect]:
        """The owner's button inside the box."""
        return self.give(ServicePressed())

    def flip(self, *levers: int) -> list[Effect]:
        return self.stand(self.down | set(levers))

    def lift(self, *levers: int) -> list[Effect]:
        return self.stand(self.down - set(levers))

    def stand(self, down: Iterable[int]) -> list[Effect]:
        """Moves the levers at once so that these are down."""
        self.down = set(down)
        return self.give(LeversMoved(to_tiles(self.down)))

    def choose(self, lever: int) -> list[Effect]:
        return self.flip(lever) + self.lift(lever)

    def open_menu(self, label: str) -> list[Effect]:
        """Opens the menu, walks to the row with this label, and presses."""
        self.hold()
        return self.pick(label)

    def pick(self, label: str) -> list[Effect]:
        """Walks to the row with this label, wherever it is in the list, and presses."""
        self.walk_to(label)
        return self.press()

    def walk_to(self, label: str) -> None:
        """Walks to the row with this label, wherever it is in the list."""
        last = {self.machine.settings.levers}
        while label not in (self.screen.rows or ("",))[self.screen.cursor or 0]:
            self.stand(self.down ^ last)
            self.stand(self.down ^ last)

    def wait(self, lasts_ns: int) -> list[Effect]:
        """Lets time pass; the machine is told whenever it asked to be."""
        until, effects = self.now_ns + lasts_ns, []
        while (deadline := self.machine.deadline_ns) is not None and deadline <= until:
            self.now_ns = deadline
            effects += self.give(TimePassed(), 0)
        self.now_ns = until
        return effects

    def throw(self, *faces: int) -> None:
        """Queues a throw, presses, and waits until the dice have stopped."""
        self.dice.throws.append(faces)
        self.press()
        self.wait(TUMBLE_NS)

    def give(self, given: Input, after_ns: int = S) -> list[Effect]:
        """One input, and the odds' answers to what it makes the machine ask."""
        self.now_ns += after_ns
        return self._take(self.machine.step(given, self.now_ns))

    def _take(self, effects: list[Effect]) -> list[Effect]:
        self.effects += effects
        taken = list(effects)
        for effect in effects:
            if isinstance(effect, Ask):
                for advice in self.odds.ask(effect.question):
                    taken += self._take(self.machine.step(advice, self.now_ns))
        return taken

    # What there is to see.

    @property
    def match(self) -> Match:
        match = self.machine.state.match
        assert match is not None
        return match

    @property
    def play(self) -> MatchInPlay:
        mode = self.machine.state.mode
        assert isinstance(mode, MatchMode)
        return mode.play

    def tiles(self, state: TileState) -> list[int]:
        return [tile for tile, drawn in self.screen.tiles if drawn is state]


def facts(effects: Iterable[Effect]) -> list[Fact]:
    return [effect.fact for effect in effects if isinstance(effect, Keep)]


def sounds(effects: Iterable[Effect]) -> list[Sound]:
    return [effect.sound for effect in effects if isinstance(effect, PlaySound)]
