"""A table where a crowd plays: one box in virtual time, several pairs of hands, one referee."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from random import Random
from typing import TypeVar

from tests.box.crowd.people import BAD, MS, Person, Regular, Touch
from tests.support.clumsy_player import QUIET_NS, Habits
from tests.support.referee import Referee, Seen, add_fields

from shutthebox.config.profiles import builtins, find
from shutthebox.config.schema import Config, with_value
from shutthebox.game.effects import Effect, PlaySound, Show, Sound
from shutthebox.game.judge import FINE
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import DICE_BUTTON
from shutthebox.rules.profile import MatchFormat
from shutthebox.rules.reader import ProfileError, parse_keys, to_profile
from shutthebox.simulator.virtual_box import VirtualBox

PATIENCE = 400
"""Things that the regular player does in a row without anything coming of them: then it is a dead end."""

FAULTS = ("put-back", "lift", "over", "dead-end")
CUT = -1
"""Stands for the plug among the switches."""


P = TypeVar("P", bound=Person)


@dataclass(frozen=True)
class Plan:
    """The game, the people and the faults of a table.

    Attributes:
        seed: of everything.
        keys: of the config.
        profile: text of a house-rules file; empty for a built-in game.
        lost_edges: the fraction of lever edges that the kernel loses.
        cuts: the plug may be pulled.
        bad: the kinds of people who disturb.
        visits: how often they come and go.
    """

    seed: int
    keys: tuple[tuple[str, object], ...]
    profile: str = ""
    lost_edges: float = 0.0
    cuts: bool = False
    bad: tuple[type[Person], ...] = ()
    visits: int = 2


@dataclass(frozen=True)
class Moved:
    """A move of a hand: one contact, or the plug (`CUT`)."""

    t_ns: int
    switch: int
    down: bool


@dataclass
class Faults:
    """Per kind of person: how often they touched the box, and what faults it found just after."""

    touches: Counter[str] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    rescues: int = 0
    virtual_ns: int = 0

    def add(self, other: "Faults") -> None:
        add_fields(self, other)


class FaultError(AssertionError):
    """The box was wrong."""

    def __init__(self, text: str, plan: Plan, moves: Sequence[Moved]) -> None:
        super().__init__(text, plan, moves)  # all of them, so that it can come from another process
        self.text, self.plan, self.moves = text, plan, moves

    def __str__(self) -> str:
        return self.text


def plans(seed: int) -> Iterator[Plan]:
    """Tables without end: every game in turn, all else at random."""
    games = [profile for profile in builtins() if profile.for_levers(12) is not None]
    for number in count():
        random = Random(f"{seed} table {number}")
        usual = games[number % len(games)]
        if usual.name == "open-one" and random.random() < 0.9:
            continue  # a turn of it may have 999 throws: it would be half of all that is played
        name, text, tiles = usual.name, "", usual.tiles[-1]
        if usual.boxes:
            tiles = random.choice(usual.boxes)
        if random.random() < 0.35:
            wanted = random.randint(1, 12)
            text = f'like = "{name}"\nname = "{name}-on-{wanted}"\ntiles = {wanted}\n'
            try:
                house = to_profile(parse_keys(text, "crowd", _keys_of), "crowd", "crowd")
            except ProfileError:
                text = ""  # not every game can be played on every row
            else:
                # A short row makes small scores, and a match for a limit endless.
                text = "" if house.match is not MatchFormat.TOTAL and wanted < 5 else text
                tiles = wanted if text else tiles
        most = 3 if usual.name in ("open-one", "cover-200") else 8
        keys: dict[str, object] = {
            "game.profile": name,
            "game.players": random.randint(1, most),
            "game.setup": random.choice(["usual", "usual", "ask"]),
            "box.levers": random.randint(tiles, 12),
            "box.language": random.choice(["en", "en", "fr"]),
            "box.sound": random.random() < 0.9,
        }
        if random.random() < 0.15:
            keys["game.dice"] = "real"
        if random.random() < 0.08:
            keys["game.computers"] = [random.randint(1, int(str(keys["game.players"])))]
        if random.random() < 0.2:
            keys["game.rounds"] = random.randint(1, 3)
        if random.random() < 0.15:
            keys["game.teams"] = random.randint(2, 4)
        if random.random() < 0.15:
            heads = [0, random.randint(1, 12), sorted(random.sample(range(1, 8), 2))]
            keys["game.handicap"] = random.sample(heads, random.randint(1, 3))
        if random.random() < 0.1:
            keys["game.turn_seconds"] = random.choice([5, 20, 60])
        if random.random() < 0.1:
            keys["game.names"] = True
        if random.random() < 0.1:
            keys["game.family"] = True
        yield Plan(
            seed * 1_000_003 + number,
            tuple(keys.items()),
            text,
            lost_edges=random.choice([0.0, 0.0, 0.02, 0.2]),
            cuts=number % 15 == 7,
            bad=tuple(random.sample(BAD, random.randint(1, 3))),
        )


def _keys_of(name: str) -> dict[str, object]:
    from shutthebox.config.profiles import _builtin_keys

    return dict(_builtin_keys(name))


class Table:
    """One box, its crowd and its referee."""

    def __init__(self, plan: Plan, folder: Path, seen: Seen, faults: Faults) -> None:
        self._plan, self._seen, self._faults = plan, seen, faults
        self._random = Random(f"{plan.seed} crowd")
        self.moves: list[Moved] = []
        self._show: Show | None = None
        self._hand = "Regular"
        self._holding: set[str] = set()
        self._order = 0
        self._edges: list[tuple[int, int, int, bool, str]] = []
        config = config_of(plan, folder)
        computers = dict(plan.keys).get("game.computers")
        self.referee = Referee(
            lambda: getattr(self.box.runner.machine.state.mode, "computers_answer", None),
            lambda: self.box.runner.machine.settings.game.computers,
            lambda: self.box.runner.machine.settings.out,
            config.box.levers or 9,
            round(config.box.sleep_min * 60_000 * MS),
            seen,
        )
        self._starts = True
        self._waiting: list[tuple[Effect | SwitchChanged, int]] = []
        self.box = VirtualBox(
            config,
            folder / "state" if plan.cuts else None,
            seed=plan.seed,
            observers=[self._observe],
            advised=bool(computers),
        )
        self._catch_up()
        self.box.box.lose_edges(plan.lost_edges)

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if self._starts:  # it shows something before it is there to be asked
            self._waiting.append((what, t_ns))
            return
        if isinstance(what, Show):
            before = self._show.scene.verdict if self._show else FINE
            kind = what.scene.verdict.kind.value
            if kind in FAULTS and str(what.scene.verdict) != str(before):
                self._faults.found[self._hand, kind] += 1
            self._show = what
        elif isinstance(what, PlaySound) and what.sound is Sound.REFUSED:
            self._faults.found[self._hand, "refused"] += 1
        self.referee.watch(what, t_ns)

    def _catch_up(self) -> None:
        waiting, self._waiting, self._starts = self._waiting, [], False
        for what, t_ns in waiting:
            self._observe(what, t_ns)

    def look(self) -> Show:
        assert self._show is not None, "a box shows something from the start"
        return self._show

    def play(self) -> Iterator[None]:
        """The crowd comes and goes; each time a skilled player brings the match to its end."""
        try:
            for _ in range(self._plan.visits):
                self._crowd(self._random.randint(30, 250))
                self._rescue()
                self._faults.rescues += 1
                yield
        except Exception as error:
            text = f"at {self.box.now_ns / 1e9:.3f} s: {type(error).__name__}: {error}"
            raise FaultError(text, self._plan, self.moves) from error
        finally:
            self._faults.virtual_ns += self.box.now_ns
            self.box.close()

    def _person(self, kind: type[P]) -> P:
        habits = Habits(bounces=self._random.choice([0.0, 0.1, 0.5]))
        return kind(Random(self._random.random()), self.box, self.look, habits)

    def _crowd(self, decisions: int) -> None:
        """Everybody at once."""
        regular = self._person(Regular)
        regular.dawdles = True
        people = [regular, *map(self._person, self._plan.bad)]
        due: list[tuple[int, int, Person]] = []
        for person in people:
            self._push(due, self.box.now_ns + self._random.randint(0, 2_000) * MS, person)
        for _ in range(decisions):
            t_ns, _, person = heappop(due)
            self._run_until(t_ns)
            touches, pause_ns = person.plan()
            self._touch(touches, type(person).__name__)
            self._push(due, self.box.now_ns + pause_ns, person)
            if person.away_ns:
                due = [(t_ns + person.away_ns, order, other) for t_ns, order, other in due]
            if self._plan.cuts and self._random.random() < 0.02:
                self._run_until(self.box.now_ns + self._random.randint(0, 900) * MS)
                self.cut_power()
        self._run_until(max((edge[0] for edge in self._edges), default=self.box.now_ns))

    def _push(self, due: list[tuple[int, int, Person]], t_ns: int, person: Person) -> None:
        self._order += 1
        heappush(due, (max(t_ns, self.box.now_ns), self._order, person))

    def _rescue(self) -> None:
        """From wherever the crowd has left the box, to the end of a match, and its levers seen right."""
        regular = self._person(Regular)
        idle, facts = 0, self.referee.facts
        if self.look().mode is Mode.MATCH_OVER:
            self._step(regular)
        while self.look().mode is not Mode.MATCH_OVER or self.look().asleep:
            before = self.look()
            self._step(regular)
            if self.look() is before:
                self._run_until(self.box.now_ns + QUIET_NS)  # the kernel may have lost an edge
            idle = 0 if self.referee.facts > facts else idle + 1
            facts = self.referee.facts
            assert idle <= PATIENCE, f"the box does not come on: {self.look()}"
        self._run_until(self.box.now_ns + QUIET_NS)
        seen = self.box.runner.machine.state.shared.levers
        down = sum(1 << (number - 1) for number in self.box.box.levers_down)
        assert seen == down, f"levers {sorted(self.box.box.levers_down)} are down, the box sees {seen:b}"

    def _step(self, person: Person) -> None:
        touches, pause_ns = person.plan()
        start = self.box.now_ns
        self._touch(touches, type(person).__name__)
        self._run_until(start + pause_ns)

    # Hands.

    def _touch(self, touches: Sequence[Touch], who: str) -> None:
        self._faults.touches[who] += bool(touches)
        for touch in touches:
            self._order += 1
            at_ns = self.box.now_ns + touch.offset_ns
            heappush(self._edges, (at_ns, self._order, touch.switch, touch.down, who))

    def _run_until(self, t_ns: int) -> None:
        t_ns = max(t_ns, self.box.now_ns)
        while self._edges and self._edges[0][0] <= t_ns:
            at_ns, _, switch, down, who = heappop(self._edges)
            self.box.run_until(max(at_ns, self.box.now_ns))
            self._hand = who
            if switch == DICE_BUTTON:
                # It is down as long as anybody holds it.
                (self._holding.add if down else self._holding.discard)(who)
                down = bool(self._holding)
            self.move(switch, down)
        self.box.run_until(t_ns)

    def move(self, switch: int, down: bool) -> None:
        self.moves.append(Moved(self.box.now_ns, switch, down))
        if switch == DICE_BUTTON:
            self.box.set_button(down)
        else:
            self.box.set_lever(switch, down)

    def cut_power(self) -> None:
        """The plug is pulled, and put back."""
        self.moves.append(Moved(self.box.now_ns, CUT, True))
        self.referee.restarted(self.box.box.levers_down, self.box.now_ns)
        self._starts = True
        self.box.cut_power()
        self._catch_up()


def config_of(plan: Plan, folder: Path) -> Config:
    """The config of a table; its house rules are written into the folder."""
    config = Config()
    for key, value in plan.keys:
        if key == "game.profile" and plan.profile:
            file = folder / "crowd.toml"
            file.write_text(plan.profile, encoding="utf-8")
            value = str(file)
        config = with_value(config, key, value, "crowd")
    find(config.game.profile)
    return config


def play(plan: Plan, seen: Seen, faults: Faults) -> Iterator[None]:
    """Plays at one table; yields after each match."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="shutthebox-")))
        yield from Table(plan, folder, seen, faults).play()


def scenario(plan: Plan, moves: Sequence[Moved], fault: str) -> str:
    """The script that `shutthebox replay` plays; house rules are looked for in crowd.toml beside it."""
    lines = [f"# {fault.splitlines()[0][:500]}"]
    for key, value in plan.keys:
        shown = "crowd.toml" if key == "game.profile" and plan.profile else value
        lines.append(f"config {key} {str(shown).lower() if isinstance(shown, bool) else shown}")
    lines.append(f"seed {plan.seed}")
    if plan.lost_edges:
        lines.append(f"@0 lose-edges {plan.lost_edges}")
    for move in moves:
        at = f"@{move.t_ns // 10**9}.{move.t_ns % 10**9:09d}"
        if move.switch == CUT:
            lines.append(f"{at} power-cut")
        elif move.switch == DICE_BUTTON:
            lines.append(f"{at} button {'down' if move.down else 'up'}")
        else:
            lines.append(f"{at} {'flip' if move.down else 'lift'} {move.switch}")
    return "\n".join(lines) + "\n"
