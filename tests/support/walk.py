"""A walk through every state that a machine can reach in a tiny game, whatever hands, time and the odds do.

The machine is pure and its states are frozen, so a copy of it is a state to come back to. Two states are one
if they differ in times, in refusals and in the number of rounds and throws only; the shortest way to each is
remembered, and told where a promise is broken.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

from shutthebox.game.effects import Ask, Effect, Keep, PlaySound, Show, Sound
from shutthebox.game.facts import Began, Finished, PlayersLeft
from shutthebox.game.inputs import Held, HeldLong, Input, LeversMoved, Pressed, TimePassed
from shutthebox.game.judge import VerdictKind
from shutthebox.game.machine import Machine, State
from shutthebox.game.mode import Mode
from shutthebox.game.modes.entering import Entering
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.modes.raising import Raising
from shutthebox.game.modes.ready import Ready
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.play import MatchInPlay, is_computers_turn
from shutthebox.game.screen import LocalizedScreen, TileState
from shutthebox.game.settings import Settings
from shutthebox.game.showing import build_show
from shutthebox.game.state import Overlay
from shutthebox.game.stored_match import NO_MATCH, KeptMatch, StoredMatch
from shutthebox.game.typed_throw import TypedThrow
from shutthebox.odds.questions import AskReview, OddsReady, Prepare, Question
from shutthebox.rules.actions import (
    Action,
    Advanced,
    Moved,
    OutOfTime,
    Reopened,
    Thrown,
    action_from_text,
    apply,
)
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import MatchFormat
from shutthebox.rules.tiles import Tiles, to_tiles
from shutthebox.translations import localize_screen

S = 1_000_000_000
BETWEEN_PRESSES_NS = S // 2
"""Presses of real dice that are no double press."""

Odds = Callable[[Question], Sequence[OddsReady]]


@dataclass(frozen=True, slots=True)
class PowerCut:
    """The plug is pulled and put back; the levers stand as they did."""


Given = Input | PowerCut


class BrokenPromiseError(AssertionError):
    """A promise that is broken, with the shortest way to it."""


class _Dice:
    """Gives the throw that the walk wants to see next, and knows whether it was asked."""

    def __init__(self) -> None:
        self.wanted: Throw | None = None
        self.possible: list[Throw] = []

    def throw(self, dice: int, sides: int) -> Throw:
        return self._next(product(range(1, sides + 1), repeat=dice))

    def draw(self, bag: Sequence[Throw]) -> Throw:
        return self._next(bag)

    def secret(self) -> str:
        return "5e" * 32

    def _next(self, possible: Iterable[Throw]) -> Throw:
        self.possible = sorted({tuple(sorted(throw)) for throw in possible})
        return self.wanted if self.wanted is not None else self.possible[0]


@dataclass(slots=True)
class Node:
    """A state of the box, and the first way to it.

    Attributes:
        machine: in this state.
        show: what it shows.
        begun: the match on the table before its first throw, by the facts that were kept; None without one.
        actions: what has happened in it since, by the facts.
        kept: the match that these facts give.
        lost: players who can win no more.
        asked: questions that the odds have not answered.
        slips: how often hands have done anything else than the prompt said.
        before: the state before.
        given: what led here from it.
    """

    machine: Machine
    show: Show
    begun: Match | None = None
    actions: tuple[Action, ...] = ()
    kept: Match | None = None
    lost: frozenset[int] = frozenset()
    asked: tuple[Question, ...] = ()
    slips: int = 0
    before: "Node | None" = None
    given: str = "start"

    def way(self) -> str:
        """What was done, a line each, and what the box said to it."""
        lines, node = [], self
        while True:
            show = node.show
            text = " / ".join(localize_screen(show).text.splitlines())
            lines.append(f"{node.given}: {show.mode}, {show.scene.verdict}, throw {show.scene.throw}: {text}")
            if node.before is None:
                return "\n".join(reversed(lines))
            node = node.before


class Walk:
    """Walks; `states` has then every state by its key.

    Args:
        settings: of the box.
        odds: answers questions, now or any time later.
        slips: so often in a match hands do something else than they are told; None for always.
    """

    def __init__(
        self, settings: Settings, odds: Odds = lambda question: (), *, slips: int | None = None
    ) -> None:
        self._settings, self._odds, self._slips = settings, odds, slips
        self._dice = _Dice()
        self._matches: dict[Match, int] = {}
        self._keys: dict[int, tuple[Match, int]] = {}  # by identity: most inputs leave the match as it is
        game = settings.usual_game
        assert game is not None, "the game can be played"
        first = len(game.tiles)
        levers = set(game.tiles)
        if game.rows == 2 and settings.levers >= 2 * first:
            levers |= {number + first for number in levers}
        self._positions = [
            to_tiles(number for i, number in enumerate(sorted(levers)) if bits >> i & 1)
            for bits in range(1 << len(levers))
        ]
        self.states: dict[object, Node] = {}
        self._follows: dict[object, set[object]] = {}
        self._ends: set[object] = set()
        self.steps = 0

    def __call__(self) -> "Walk":
        """Goes everywhere.

        Raises:
            BrokenPromiseError: where a promise is broken.
        """
        machine = self._machine(0)
        (show,) = [effect for effect in machine.start() if isinstance(effect, Show)]
        start = Node(machine, show)
        levels = [deque([(self._key(start), start)])]
        self.states[levels[0][0][0]] = start
        for level in levels:  # those with fewer slips first
            while level:
                key, node = level.popleft()
                if self.states[key] is not node:
                    continue  # found with fewer slips since
                for slipped, after_key, after in self._after(key, node):
                    known = self.states.get(after_key)
                    if known is None or after.slips < known.slips:
                        self.states[after_key] = after
                        if slipped and level is levels[-1]:
                            levels.append(deque())
                        levels[after.slips].append((after_key, after))
        self._ends_by_prompts()
        return self

    def _after(self, key: object, node: Node) -> Iterator[tuple[bool, object, Node]]:
        """The states that follow a state: whether hands have slipped, its key, and the state."""
        if self._is_end(node):
            self._ends.add(key)
            return
        follows = self._follows[key] = set[object]()
        told = as_told(node)
        if told is None:
            self._promise(node.before is None, node, "the prompt says what to do")
            told = []
        inputs = dict.fromkeys((*told, *self._inputs(node)))
        for given in inputs:
            slips = given not in told
            if slips and node.slips == self._slips:
                continue
            for after in self._outcomes(node, given):
                after.slips = node.slips + (slips if self._slips is not None else 0)
                after_key = self._key(after)
                if not slips:
                    follows.add(after_key)
                yield bool(slips) and self._slips is not None, after_key, after

    def _machine(self, levers: Tiles, stored: StoredMatch = NO_MATCH) -> Machine:
        return Machine(self._settings, self._dice, levers, 5 * S, stored=stored)

    def _is_end(self, node: Node) -> bool:
        """Outside a match, or left by its players."""
        if node.show.mode is Mode.ATTRACT:
            return node.before is not None
        return node.show.mode in (
            Mode.INITIALS,
            Mode.MENU,
            Mode.SETUP,
            Mode.NAMING,
            Mode.PUZZLE,
            Mode.SERVICE,
        )

    def _inputs(self, node: Node) -> Iterator[Given]:
        shared, mode = node.machine.state.shared, node.show.mode
        rests = self._slips is None or not shared.levers
        yield Pressed()
        if mode is not Mode.ATTRACT:
            yield Held()
        if mode is not Mode.ATTRACT and rests:
            yield HeldLong()
        deadline_ns = node.machine.deadline_ns
        if deadline_ns is not None and (rests or deadline_ns != shared.touched_ns + self._settings.sleep_ns):
            yield TimePassed()
        if mode is not Mode.MATCH_OVER:  # there they sign and read the coach
            yield from (LeversMoved(down) for down in self._positions if self._moves(shared.levers, down))
        for question in node.asked:
            yield from self._odds(question)
        if node.kept is not None:
            yield PowerCut()

    def _moves(self, before: Tiles, after: Tiles) -> bool:
        """Whether hands go from these levers to those at once: one by one, or to all up or, always, all down.

        Other ways at once lead nowhere else: what the box says depends on how the levers stand.
        """
        everything = self._positions[-1] if self._slips is None else 0
        changed = (before ^ after).bit_count()
        return changed == 1 or (changed > 1 and after in (0, everything))

    def _outcomes(self, node: Node, given: Given) -> Iterator[Node]:
        """The states that an input leads to: one, or one for each throw."""
        self._dice.wanted, self._dice.possible = None, []
        yield self._outcome(node, given)
        for throw in self._dice.possible[1:]:
            self._dice.wanted = throw
            yield self._outcome(node, given)

    def _outcome(self, node: Node, given: Given) -> Node:
        self.steps += 1
        name = repr(given)
        if isinstance(given, PowerCut):
            assert node.begun is not None
            machine = self._machine(node.machine.state.shared.levers, KeptMatch(node.begun, node.actions))
            effects = self._tried(node, name, machine.start)
        else:
            machine = copy(node.machine)
            t_ns = machine._now_ns
            if isinstance(given, TimePassed):
                t_ns = max(t_ns, _clock_over_ns(machine.state) or machine.deadline_ns or 0)
            elif isinstance(machine.state.mode, Entering):
                t_ns += BETWEEN_PRESSES_NS
            effects = self._tried(node, name, lambda: machine.step(given, t_ns))
        show = effects[-1] if effects and isinstance(effects[-1], Show) else node.show
        if isinstance(given, PowerCut):
            asked: tuple[Question, ...] = ()
        else:
            asked = node.asked
            if not isinstance(given, (Pressed, Held, HeldLong, TimePassed, LeversMoved)):
                asked = tuple(question for question in asked if given not in self._odds(question))
        asked += tuple(
            effect.question
            for effect in effects
            if isinstance(effect, Ask) and not isinstance(effect.question, (Prepare, AskReview))
        )
        after = replace(
            node, machine=machine, show=show, asked=tuple(dict.fromkeys(asked))[-1:], before=node, given=name
        )
        for effect in effects:
            if isinstance(effect, Keep):
                self._keep(after, effect)
        self._check(node, given, effects, after)
        return after

    def _tried(self, node: Node, name: str, step: Callable[[], list[Effect]]) -> list[Effect]:
        try:
            return step()
        except Exception as error:
            raise BrokenPromiseError(f"{node.way()}\n{name}: {error!r}") from error

    def _keep(self, node: Node, effect: Keep) -> None:
        match effect.fact:
            case Began(match):
                node.begun, node.actions, node.kept, node.lost = match, (), match, frozenset()
            case PlayersLeft():
                node.begun, node.actions, node.kept = None, (), None
            case Finished(match):
                self._promise(match == node.kept, node, "the result that is kept is that of the facts")
            case Thrown() | Moved() | Reopened() | OutOfTime() | Advanced() as action:
                # As the store writes and reads it.
                action, before = action_from_text(action.to_text()), node.kept
                assert before is not None
                node.actions, node.kept = (*node.actions, action), apply(before, action)
                node.lost |= _lost(before, node.kept)

    def _promise(self, kept: bool, node: Node, promise: str) -> None:
        if not kept:
            raise BrokenPromiseError(f"{node.way()}\nBROKEN: {promise}")

    def _check(self, before: Node, given: Given, effects: list[Effect], after: Node) -> None:
        mode, kept = after.machine.state.mode, after.kept
        seen = after.machine.state.match
        if kept is not None and seen is not None:
            shown = mode.play.match if isinstance(mode, MatchMode) else None
            self._promise(shown == kept, after, "what is shown was kept")
        else:
            self._promise(seen is None, after, "a match that is shown was kept")
        if kept is not None:
            at_turn = kept.player if kept.stage in (Stage.THROW, Stage.ANSWER) else None
            self._promise(at_turn not in after.lost, after, f"who has lost plays no more: {after.lost}")
            won = kept.result.winners if kept.result else ()
            self._promise(not after.lost & set(won), after, f"who has lost can't win: {after.lost}")
        if isinstance(given, Pressed) and before.show.screen.lit and not before.show.asleep:
            refused = PlaySound(Sound.REFUSED) in effects
            void = isinstance(before.machine.state.mode, Entering)
            self._promise(not refused or void, after, "a press does something where the lamp is lit")
        shared = after.machine.state.shared
        if shared.refusal is not None and shared.overlay is Overlay.NONE:
            said = after.show.screen.localize(str)
            plain = build_show(mode, shared._replace(refusal=None), 0).screen.localize(str)
            left = {plain.alert, *plain.prompts} <= {"", said.alert, *said.prompts}
            if not left:
                self._promise(
                    False, after, f"a refusal takes nothing away of what is to be done:\n{plain.text}"
                )
        if isinstance(given, PowerCut):
            self._same_picture(before, after)

    def _same_picture(self, before: Node, after: Node) -> None:
        """After a power cut the box shows what it showed, or would show once the dice have stopped."""
        if isinstance(before.machine.state.mode, Rolling):
            machine = copy(before.machine)
            machine._shared = machine._shared._replace(overlay=Overlay.NONE)
            # The odds are asked anew.
            machine._mode = replace(before.machine.state.mode, computers_answer=None)
            effects = machine.step(Pressed(), machine._now_ns)
            before = replace(before, machine=machine, show=effects[-1])  # type: ignore[arg-type]
        was, comes = _picture(before), _picture(after)
        if was != comes:
            self._promise(False, after, f"a power cut leads back to\n{was}\nis\n{comes}")

    def _ends_by_prompts(self) -> None:
        """Whoever follows prompts comes to the end of the match, from wherever hands have led."""
        leads_to: dict[object, list[object]] = {}
        for key, follows in self._follows.items():
            for after in follows:
                leads_to.setdefault(after, []).append(key)
        over = {key for key, node in self.states.items() if node.show.mode is Mode.MATCH_OVER} | self._ends
        reached, waiting = set(over), deque(over)
        while waiting:
            for key in leads_to.get(waiting.popleft(), ()):
                if key not in reached:
                    reached.add(key)
                    waiting.append(key)
        stuck = {key: node for key, node in self.states.items() if key not in reached}
        # Those that lead nowhere first.
        for _, node in sorted(stuck.items(), key=lambda item: len(self._follows.get(item[0], ()))):
            self._promise(False, node, "whoever follows the prompts comes to the end of the match")

    def _key(self, node: Node) -> object:
        state = node.machine.state
        shared, mode = state.shared, state.mode
        questions = tuple(
            (type(question), self._match_key(question.match))
            for question in node.asked
            if not isinstance(question, (Prepare, AskReview))
        )
        return (
            *(shared.levers, shared.overlay, shared.stuck, shared.dead),
            *(questions, node.lost, self._value_key(mode)),
        )

    def _value_key(self, value: Any) -> object:
        if isinstance(value, Match):
            return self._match_key(value)
        if isinstance(value, MatchInPlay):
            return (self._match_key(value.match), value.verdict, value.clock is None)
        if isinstance(value, TypedThrow):
            return (value.entered, value.number, len(value.presses_ns), value.is_flicked, value.is_void)
        if hasattr(value, "__dataclass_fields__"):
            inner = (
                getattr(value, field.name) is None
                if field.name.endswith("_ns")
                else self._value_key(getattr(value, field.name))
                for field in fields(value)
            )
            return (type(value), *inner)
        return value

    def _match_key(self, match: Match) -> int:
        known = self._keys.get(id(match))
        if known is None:
            known = self._keys[id(match)] = match, self._few(match)
        return known[1]

    def _few(self, match: Match) -> int:
        few = match._replace(
            turns_over=min(match.turns_over, 2),
            round=match.round._replace(
                number=min(match.round.number, 3),
                tie_rounds=min(match.round.tie_rounds, 1),
                rows=tuple(
                    row._replace(
                        throws=min(row.throws, 2),
                        moves=min(row.moves, 1),
                        misses_left=min(row.misses_left, 2),
                    )
                    for row in match.round.rows
                ),
            ),
        )
        return self._matches.setdefault(few, len(self._matches))


def _clock_over_ns(state: State) -> int | None:
    """When the player's time is over; None where no clock runs, or the dice tumble first."""
    if not isinstance(state.mode, MatchMode) or isinstance(state.mode, Rolling):
        return None
    clock = state.mode.play.clock
    return clock.over_ns if clock else None


def _lost(before: Match, after: Match) -> frozenset[int]:
    """Players who are out, or have reached the limit that loses, by this action: they can win no more."""
    profile = before.game
    old, new = before.round, after.round
    over = after.result is not None or new.tie_rounds > old.tie_rounds or new.seats != old.seats
    if profile.match not in (MatchFormat.TARGET_LOSES, MatchFormat.DROP_OUT) or old.tie_rounds or not over:
        return frozenset()
    totals = [
        total + (score if earlier.outcome is None and row.outcome is not None else more)
        for total, earlier, row, score, more in zip(
            before.totals,
            before.round.rows,
            after.round.rows,
            after.round_scores,
            after.round.penalties or (0,) * after.players,
            strict=True,
        )
    ]
    assert profile.limit is not None
    lost = {i for i in before.round.seats if sum(totals[mate] for mate in before.team(i)) >= profile.limit}
    # Where all are over the limit at once, the best of them wins.
    return frozenset(lost if lost < set(before.round.seats) else ())


def _beneath(node: Node) -> Show:
    """What the box shows when it is awake, and nothing lies over the mode's own screen."""
    state = node.machine.state
    plain = state.shared._replace(overlay=Overlay.NONE, refusal=None, stuck=0, dead=0, fault=None)
    mode = state.mode
    if isinstance(mode, Flipping) and is_computers_turn(mode.play, plain):
        # The odds are asked anew.
        mode = replace(mode, computers_answer=None, thinking_ns=0)
    elif isinstance(mode, Flipping):
        mode = replace(mode, hint=None, asks_hint=False)
    elif isinstance(mode, Entering):
        # What was entered of a throw is entered again.
        mode = Ready(mode.play, 0)
    if isinstance(mode, Ready) and mode.play.verdict.kind is not VerdictKind.OK:
        # The levers are to be set again before the throw.
        mode = Raising(mode.play)
    return build_show(mode, plain, node.show.t_ns)


def _picture(node: Node) -> object:
    show = _beneath(node)
    screen, scene = show.screen.localize(str), show.scene
    return (
        *(
            scene.player,
            scene.open,
            scene.throw,
            str(scene.verdict),
            scene.scores,
            scene.totals,
            scene.winners,
        ),
        *(screen.title, screen.aside, screen.dice, screen.big, screen.tiles, screen.prompt),
    )


def as_told(node: Node) -> list[Given] | None:
    """What somebody may do who reads the prompt and looks at the tiles; None if it is no instruction."""
    show, shared = node.show, node.machine.state.shared
    if shared.asleep:
        return [Pressed()]
    if shared.overlay is Overlay.ABANDON:
        return [Held()]
    return read_prompts(show.screen.localize(str), shared.levers)


def read_prompts(screen: LocalizedScreen, levers: Tiles) -> list[Given] | None:
    """What somebody may do who does the first thing that the lines below say; None if none says any."""
    # While dice tumble a screen may have nothing but an alert.
    lines = (*filter(None, (screen.alert,)), *(tuple(filter(None, screen.prompts)) or ("",)))
    found = (_as_told(screen, line, levers) for line in lines)
    return next((told for told in found if told is not None), None)


def _as_told(screen: LocalizedScreen, prompt: str, levers: Tiles) -> list[Given] | None:
    def stand(*numbers: int, down: bool) -> LeversMoved:
        return LeversMoved(levers | to_tiles(numbers) if down else levers & ~to_tiles(numbers))

    def any_of(*states: TileState, down: bool) -> list[Given] | None:
        return [stand(number, down=down) for number, state in screen.tiles if state in states] or None

    match prompt.removesuffix(": stuck?").removesuffix(": dead?").split():
        case [] | ["Thinking…"]:
            return [TimePassed()]
        case ["Working", "it", "out…"]:
            return [Pressed()]
        case ["Lift", "all", "levers"]:
            return [LeversMoved(0)]
        case ["Lift", *numbers]:
            return [stand(*_numbers(numbers), down=False)]
        case ["Put", *numbers, "back"] | ["Flip", *numbers]:
            return [stand(*_numbers(numbers), down=True)]
        case ["Press:", "+1"]:
            return [Pressed(), Held()]
        case ["Press" | "Press:" | "Right!" | "Insured:" | "Void:", *_] | ["No", "move:", "press"]:
            return [Pressed()]
        case [*_, "to", "go"] | ["Make" | "Shut" | "Open", *_]:
            return any_of(TileState.VIABLE, down=True) or any_of(TileState.OPENABLE, down=False)
        case [_, "over"] | ["Dead", "end:", "lift", "one"]:
            return any_of(TileState.WRONG, TileState.FLIPPED, down=False)
        case ["No", "move:", "lift", "one"]:
            return any_of(TileState.SHUT, down=False)
        case [*_, "Again"]:
            return [Pressed(), Held()]
    return None


def _numbers(words: Sequence[str]) -> Iterator[int]:
    """The tiles that ``1-3, 7`` names."""
    for word in words:
        first, _, last = word.strip(",").partition("-")
        yield from range(int(first), int(last or first) + 1)
