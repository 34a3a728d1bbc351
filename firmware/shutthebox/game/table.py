"""The transition table: a handler for every input in every mode and overlay.

A handler's return annotation says where it can lead: to a mode, or to a target (`shutthebox.game.targets`)
that this table maps to a mode. So the type checker checks every transition, and the diagram in
ARCHITECTURE.md is drawn from the same annotations.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

from shutthebox.game.inputs import (
    Deserted,
    Held,
    HeldLong,
    LeversMoved,
    Pressed,
    ServicePressed,
    SettingChosen,
    TimePassed,
)
from shutthebox.game.mode import Mode
from shutthebox.game.modes import (
    attract,
    entering,
    flipping,
    initials,
    linking,
    match_over,
    menu,
    naming,
    puzzle,
    raising,
    ready,
    roll_off,
    rolling,
    service,
    setup,
    stick,
    turn_over,
    watching,
)
from shutthebox.game.modes.attract import Attract
from shutthebox.game.modes.base import (
    BoxMode,
    MatchMode,
    TurnMode,
    leave,
    not_in_a_match,
    stay,
    tick,
    wake,
)
from shutthebox.game.modes.entering import Entering
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.initials import Initials
from shutthebox.game.modes.linking import Linking
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.menu import Menu
from shutthebox.game.modes.naming import Naming
from shutthebox.game.modes.puzzle import PuzzleMode
from shutthebox.game.modes.raising import Raising
from shutthebox.game.modes.ready import Ready
from shutthebox.game.modes.roll_off import RollOff
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.modes.service import Service
from shutthebox.game.modes.setup import Setup
from shutthebox.game.modes.stick import StickMode
from shutthebox.game.modes.turn_over import TurnOver
from shutthebox.game.modes.watching import Awaiting, Watching
from shutthebox.game.state import Context, Overlay, Step
from shutthebox.game.targets import (
    AfterAction,
    AnswerThrow,
    AskNames,
    AskQuestions,
    AwaitLink,
    AwaitThrow,
    BackToAttract,
    BeginLinked,
    BeginMatch,
    EndMatch,
    EndTurn,
    EnterThrow,
    LeversFit,
    OpenLink,
    OpenMenu,
    OpenPuzzle,
    OpenService,
    OpenStick,
    Part,
    RollDice,
    RollForFirst,
    ShowResult,
    SignResult,
    Target,
    Tumble,
    Watch,
)
from shutthebox.link.messages import Accept, Decline, Invite, Levers, Rematch, Sync
from shutthebox.link.requests import HelperSigned, NotPaired, Paired, PeerIs, RoomOpened
from shutthebox.odds.questions import AnswerReady, DiceReady, HintReady, ReviewReady

ModeState: TypeAlias = (
    Attract
    | Menu
    | Setup
    | Naming
    | RollOff
    | Raising
    | Ready
    | Rolling
    | Entering
    | Flipping
    | TurnOver
    | MatchOver
    | Initials
    | Service
    | StickMode
    | PuzzleMode
    | Linking
    | Watching
    | Awaiting
)
"""The mode of the box, with its data."""

_Mode = TypeVar("_Mode", bound=BoxMode)
_Target = TypeVar("_Target")
_Advice = TypeVar("_Advice")
Handler: TypeAlias = Callable[[Any, Context], Step[ModeState | Target]]
AdviceHandler: TypeAlias = Callable[[Any, Any, Context], Step[ModeState | Target]]


def entrance(
    target: type[_Target], handler: Callable[[_Target, Context], Step[ModeState | Target]]
) -> tuple[type, Handler]:
    """An entry whose handler fits its target."""
    return target, handler


ENTRANCES: Mapping[type, Handler] = dict(
    (
        entrance(BackToAttract, attract.enter),
        entrance(OpenMenu, menu.enter),
        entrance(OpenPuzzle, puzzle.enter),
        entrance(OpenService, service.enter),
        entrance(OpenStick, stick.enter),
        entrance(OpenLink, linking.enter),
        entrance(Part, linking.part),
        entrance(BeginLinked, watching.begin),
        entrance(Watch, watching.enter),
        entrance(AwaitLink, watching.await_link),
        entrance(AskQuestions, setup.enter),
        entrance(AskNames, naming.enter),
        entrance(BeginMatch, raising.begin),
        entrance(RollForFirst, roll_off.enter),
        entrance(AwaitThrow, raising.enter),
        entrance(LeversFit, ready.enter),
        entrance(RollDice, rolling.enter),
        entrance(Tumble, rolling.tumble),
        entrance(EnterThrow, entering.enter),
        entrance(AnswerThrow, flipping.enter),
        entrance(EndTurn, turn_over.enter),
        entrance(EndMatch, match_over.enter),
        entrance(SignResult, initials.enter),
        entrance(ShowResult, match_over.show),
    )
)
"""For each target, the handler that leads to its mode, or on to another target."""

if _forgotten := {each.__name__ for each in get_args(Target)} - {each.__name__ for each in ENTRANCES}:
    raise TypeError(f"{', '.join(_forgotten)}: no entrance")
if _forgotten := {each.name for each in Mode} - {each.name.name for each in get_args(ModeState)}:
    raise TypeError(f"{', '.join(_forgotten)}: no class in ModeState")


class Row(NamedTuple):
    """The effect of an input in a mode or overlay.

    Attributes:
        state: the mode, or the overlay, which takes precedence. A row for a base class applies to all its
            subclasses that have no row of their own.
        event: the type of input.
        handler: handles it, or names the target it leads to; None if the mode ignores it.
        overlay: the overlay from then on; None for no change.
        goes_on: whether the mode below gets the input as well.
    """

    state: type[BoxMode] | Overlay
    event: type
    handler: Handler | Target | None
    overlay: Overlay | None = None
    goes_on: bool = False

    def step(self, mode: ModeState, context: Context) -> Step[ModeState]:
        """The outcome of the input."""
        if self.handler is None:
            return Step(mode)
        return arrive(self.handler(mode, context) if callable(self.handler) else Step(self.handler), context)


def row(
    mode: type[_Mode],
    event: type,
    handler: Callable[[_Mode, Context], Step[ModeState | Target]] | Target,
    overlay: Overlay | None = None,
) -> Row:
    """A row whose handler fits its mode."""
    return Row(mode, event, handler, overlay)


def inherited(base: type[Any], event: type, handler: Handler | Target, overlay: Overlay | None = None) -> Row:
    """A row for all subclasses of this abstract mode."""
    return Row(base, event, handler, overlay)


def ignored(mode: type[Any], *event: type) -> tuple[Row, ...]:
    """Rows for inputs that a mode, or all subclasses of a base class, ignore."""
    return tuple(Row(mode, each, None) for each in event)


_UNLOCKED = OpenService(unlocked=True)
_ASLEEP, _ABANDON, _NONE = Overlay.ASLEEP, Overlay.ABANDON, Overlay.NONE

ROWS = (
    Row(_ASLEEP, Pressed, wake, _NONE),
    Row(_ASLEEP, Held, wake, _NONE),
    Row(_ASLEEP, HeldLong, wake, _NONE),
    Row(_ASLEEP, ServicePressed, wake, _NONE),
    Row(_ASLEEP, LeversMoved, wake, _NONE, goes_on=True),
    Row(_ABANDON, Pressed, leave, _NONE),
    Row(_ABANDON, Held, stay, _NONE),
    Row(_ABANDON, ServicePressed, stay, _NONE, goes_on=True),
    # Rows for every mode, for the modes of a match, and for those of a turn in progress.
    inherited(BoxMode, ServicePressed, _UNLOCKED),
    inherited(BoxMode, SettingChosen, BackToAttract()),
    inherited(BoxMode, Deserted, BackToAttract(), _ASLEEP),
    *ignored(BoxMode, HeldLong, TimePassed),
    inherited(MatchMode, HeldLong, stay, _ABANDON),
    inherited(MatchMode, ServicePressed, not_in_a_match),
    inherited(MatchMode, Deserted, stay, _ASLEEP),
    *ignored(MatchMode, SettingChosen),
    inherited(TurnMode, TimePassed, tick),
    row(Attract, Pressed, attract.press),
    row(Attract, Held, OpenMenu()),
    row(Attract, LeversMoved, attract.levers),
    row(Attract, Deserted, stay, _ASLEEP),
    row(Menu, Pressed, menu.press),
    row(Menu, Held, menu.hold),
    row(Menu, LeversMoved, menu.levers),
    row(Menu, SettingChosen, menu.reopen),
    row(Setup, Pressed, setup.press),
    row(Setup, Held, setup.hold),
    row(Setup, LeversMoved, setup.levers),
    row(Naming, Pressed, naming.press),
    row(Naming, Held, naming.hold),
    row(Naming, LeversMoved, naming.levers),
    row(RollOff, Pressed, roll_off.press),
    row(RollOff, Held, roll_off.press),
    row(RollOff, TimePassed, roll_off.time),
    *ignored(RollOff, LeversMoved),
    row(Service, Pressed, service.press),
    row(Service, Held, service.hold),
    row(Service, LeversMoved, service.levers),
    row(Service, ServicePressed, BackToAttract()),
    *ignored(Service, SettingChosen),
    row(StickMode, Pressed, stick.press),
    row(StickMode, Held, stick.hold),
    row(StickMode, LeversMoved, stick.levers),
    row(StickMode, ServicePressed, BackToAttract()),
    *ignored(StickMode, SettingChosen),
    row(PuzzleMode, Pressed, puzzle.press),
    row(PuzzleMode, Held, BackToAttract()),
    row(PuzzleMode, LeversMoved, puzzle.levers),
    row(Linking, Pressed, linking.press),
    row(Linking, Held, linking.hold),
    row(Linking, LeversMoved, linking.levers),
    row(Linking, TimePassed, linking.time),
    row(Linking, Deserted, linking.desert, _ASLEEP),
    *ignored(Linking, ServicePressed, SettingChosen),
    row(Watching, Pressed, watching.not_ours),
    row(Watching, Held, watching.not_ours),
    *ignored(Watching, LeversMoved),
    row(Watching, TimePassed, watching.give_up),
    row(Awaiting, Pressed, watching.not_yet),
    row(Awaiting, Held, watching.not_yet),
    *ignored(Awaiting, LeversMoved),
    row(Awaiting, TimePassed, watching.give_up),
    row(Raising, Pressed, raising.press),
    row(Raising, Held, raising.press),
    row(Raising, LeversMoved, raising.levers),
    row(Ready, Pressed, ready.press),
    row(Ready, Held, ready.hold),
    row(Ready, LeversMoved, ready.levers),
    row(Ready, TimePassed, ready.time),
    row(Rolling, Pressed, rolling.reveal),
    row(Rolling, Held, rolling.reveal),
    row(Rolling, LeversMoved, rolling.levers),
    row(Rolling, TimePassed, rolling.time),
    *ignored(Rolling, Deserted),
    row(Entering, Pressed, entering.press),
    row(Entering, Held, entering.hold),
    row(Entering, LeversMoved, entering.levers),
    row(Flipping, Pressed, flipping.press),
    row(Flipping, Held, flipping.hold),
    row(Flipping, LeversMoved, flipping.levers),
    row(Flipping, TimePassed, flipping.time),
    row(TurnOver, Pressed, turn_over.press),
    row(TurnOver, Held, turn_over.hold),
    *ignored(TurnOver, LeversMoved),
    row(MatchOver, Pressed, match_over.press),
    row(MatchOver, Held, match_over.hold),
    row(MatchOver, HeldLong, match_over.insist),
    row(MatchOver, LeversMoved, match_over.levers),
    row(MatchOver, SettingChosen, leave),
    row(MatchOver, Deserted, match_over.desert, _ASLEEP),
    row(Initials, Pressed, initials.press),
    row(Initials, Held, initials.hold),
    row(Initials, LeversMoved, initials.levers),
    row(Initials, Deserted, leave, _ASLEEP),
    *ignored(Initials, HeldLong),
)

INPUT_NAMES: Mapping[type, str] = {
    Pressed: "press",
    Held: "hold",
    HeldLong: "10 s hold",
    LeversMoved: "levers",
    TimePassed: "time",
    Deserted: "nobody there",
    ServicePressed: "service button",
    SettingChosen: "a form",
}
"""Everything that players or time can do."""

Table: TypeAlias = Mapping[tuple[type[BoxMode] | Overlay, type], Row]


def table_of(rows: Iterable[Row], modes: Iterable[type[BoxMode]]) -> Table:
    """Maps (mode, input) to its row; the row of the most specific class wins.

    Raises:
        TypeError: an input has no row, or two; the message names it and its mode.
    """
    said: dict[tuple[type[BoxMode] | Overlay, type], Row] = {}
    for each in rows:
        if (each.state, each.event) in said:
            raise TypeError(f"{_name_of(each.state)}: {each.event.__name__} has two rows")
        said[each.state, each.event] = each
    table = {at: each for at, each in said.items() if isinstance(at[0], Overlay)}
    for mode in modes:
        for event in INPUT_NAMES:
            found = next((said[base, event] for base in mode.__mro__ if (base, event) in said), None)
            if found is None:
                raise TypeError(
                    f"{_name_of(mode)}: {event.__name__} has no row; say what it does, or ignored(...)"
                )
            table[mode, event] = found._replace(state=mode)
    return table


def _name_of(state: type[BoxMode] | Overlay) -> str:
    return state.value if isinstance(state, Overlay) else state.__name__


TABLE = table_of(ROWS, get_args(ModeState))
"""The row by mode and input. Where an overlay has none, it does nothing there."""


def advised(
    mode: type[_Mode],
    came: type[_Advice],
    handler: Callable[[_Mode, _Advice, Context], Step[ModeState | Target]],
) -> tuple[tuple[type[BoxMode], type], AdviceHandler]:
    """An entry whose handler fits its mode and the advice."""
    return (mode, came), handler


def advised_in_all(
    base: type[Any], came: type, handler: AdviceHandler
) -> tuple[tuple[type[BoxMode], type], AdviceHandler]:
    """An entry for all subclasses of this abstract mode."""
    return (base, came), handler


ADVICE: Mapping[tuple[type[BoxMode], type], AdviceHandler] = dict(
    (
        advised(Ready, HintReady, ready.hint_ready),
        advised(Ready, DiceReady, ready.dice_ready),
        advised(Rolling, AnswerReady, rolling.answer_ready),
        advised(Flipping, AnswerReady, flipping.answer_ready),
        advised(Flipping, HintReady, flipping.hint_ready),
        advised(MatchOver, ReviewReady, match_over.review_ready),
        advised(MatchOver, Rematch, match_over.rematch_heard),
        advised(Linking, RoomOpened, linking.opened),
        advised(Linking, Paired, linking.paired),
        advised(Linking, NotPaired, linking.not_paired),
        advised(Linking, PeerIs, linking.moved),
        advised(Linking, Invite, linking.invited),
        advised(Linking, Accept, linking.accepted),
        advised(Linking, Decline, linking.declined),
        advised_in_all(MatchMode, Sync, watching.synced),
        advised_in_all(MatchMode, Rematch, watching.rematch_asked),
        advised_in_all(MatchMode, Levers, watching.levers_seen),
        advised_in_all(MatchMode, Invite, watching.invited_again),
        advised_in_all(MatchMode, PeerIs, watching.moved),
        advised_in_all(MatchMode, NotPaired, watching.lost),
        advised_in_all(MatchMode, HelperSigned, watching.helper_signed),
    )
)
"""The handler by mode, or base class, and answer: of the odds, of the link helper, or of the other box.

In other modes an answer comes too late and does nothing.
"""


def advice_for(mode: BoxMode, came: object) -> AdviceHandler | None:
    """The handler of an answer; None if it comes too late."""
    found = (ADVICE.get((base, type(came))) for base in type(mode).__mro__)
    return next((handler for handler in found if handler is not None), None)


def arrive(step: Step[ModeState | Target], context: Context) -> Step[ModeState]:
    """Follows targets until the step reaches a mode."""
    while isinstance(step.mode, Target):
        step = step.then(ENTRANCES[type(step.mode)], context)
    return Step(step.mode, step.effects, step.shared, step.refusal)


def _places_of(handler: Callable[..., Any] | Target) -> frozenset[Any]:
    """The modes and targets that a handler names, or this target."""
    if isinstance(handler, Target):
        return frozenset((type(handler),))
    (places,) = get_args(get_type_hints(handler)["return"])
    return frozenset(get_args(places) or (places,))


def _modes_at(places: frozenset[Any]) -> frozenset[type[BoxMode]]:
    """The modes among these places, and the modes that their targets lead to."""
    waiting, seen = set(places), set[Any]()
    while waiting:
        place = waiting.pop()
        seen.add(place)
        if place in ENTRANCES:
            waiting |= _places_of(ENTRANCES[place]) - seen
    return frozenset(place for place in seen - ENTRANCES.keys() if not isinstance(place, TypeVar))


BENEATH = "the mode beneath"
"""In `_ways`: where a handler leads that removes the overlay."""

NEXT_STAGE = "next stage"
"""In the diagram: wherever the stage of the match leads after an action."""

_ANSWERS = dict.fromkeys((AnswerReady, DiceReady, HintReady, ReviewReady), "the computer's answer")

_AFTER_ACTION = frozenset(get_args(AfterAction))


def transitions() -> Iterator[tuple[str, str, str]]:
    """Every transition from a mode or overlay: from where, by what, to where."""
    for name, event, places, overlays in _ways():
        for target in (*_names(_modes_at(places)), *overlays):
            if target != name:
                yield name, event, target


def _ways() -> Iterator[tuple[str, str, frozenset[Any], tuple[str, ...]]]:
    """For each row and piece of advice: the mode, the input, where it may lead, and the overlay then."""
    for entry in TABLE.values():
        if entry.handler is None:
            continue
        state, places = entry.state, _places_of(entry.handler)
        name = state.value if isinstance(state, Overlay) else state.name.value
        if entry.overlay is None:
            overlays: tuple[str, ...] = ()
        elif entry.overlay is Overlay.NONE:
            overlays = () if _modes_at(places) else (BENEATH,)
        else:
            overlays = (entry.overlay.value,)
        yield name, INPUT_NAMES[entry.event], places, overlays
    for (base, came), handler in ADVICE.items():
        for mode in get_args(ModeState):
            if issubclass(mode, base):
                yield mode.name.value, _ANSWERS.get(came, "the other box"), _places_of(handler), ()


def _names(modes: frozenset[type[BoxMode]]) -> list[str]:
    return sorted(mode.name.value for mode in modes)


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    edges: dict[tuple[str, str], dict[str, None]] = {}
    for name, event, places, overlays in _ways():
        by_stage = places >= _AFTER_ACTION
        modes = _names(_modes_at(places - _AFTER_ACTION if by_stage else places))
        for target in (*modes, *([NEXT_STAGE] if by_stage else []), *overlays):
            if target != name:
                edges.setdefault((name, target), {})[event] = None
    lines = ["stateDiagram-v2", f"    [*] --> {_state(Mode.ATTRACT)}"]
    lines += [f"    {_state(a)} --> {_state(b)}: {', '.join(event)}" for (a, b), event in edges.items()]
    lines += [f"    {_state(NEXT_STAGE)} --> {_state(name)}" for name in _names(_modes_at(_AFTER_ACTION))]
    return "\n".join(lines) + "\n"


def _state(name: str) -> str:
    return name.replace("-", "_").replace(" ", "_")
