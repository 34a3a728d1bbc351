"""The machine's table: the handler of every input in every mode.

A handler's annotation says where it can lead. So the type checker checks every transition, and the
diagram in ARCHITECTURE.md is drawn from the same annotations.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, get_args, get_type_hints

from shutthebox.game.inputs import (
    Abandoned,
    AnswerCame,
    DiceCame,
    Held,
    HintCame,
    LeversMoved,
    Pressed,
    ReviewCame,
    ServicePressed,
    TimeCame,
)
from shutthebox.game.mode import Mode
from shutthebox.game.modes import (
    attract,
    entering,
    flipping,
    initials,
    match_over,
    menu,
    naming,
    puzzle,
    raising,
    ready,
    rolling,
    service,
    setup,
    turn_over,
)
from shutthebox.game.modes.attract import Attract
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.modes.entering import EnteringThrow
from shutthebox.game.modes.flipping import Flipping
from shutthebox.game.modes.initials import Initials
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.menu import Menu
from shutthebox.game.modes.naming import Naming
from shutthebox.game.modes.puzzle import Puzzling
from shutthebox.game.modes.raising import Raise
from shutthebox.game.modes.ready import Ready
from shutthebox.game.modes.rolling import Rolling
from shutthebox.game.modes.service import Service
from shutthebox.game.modes.setup import Setup
from shutthebox.game.modes.turn_over import TurnOver
from shutthebox.game.state import Context, Step

ModeState: TypeAlias = (
    Attract
    | Menu
    | Setup
    | Naming
    | Raise
    | Ready
    | Rolling
    | EnteringThrow
    | Flipping
    | TurnOver
    | MatchOver
    | Initials
    | Service
    | Puzzling
)
"""The mode of the box, with its data."""

_Mode = TypeVar("_Mode", bound=BoxMode)
_Advice = TypeVar("_Advice")
Handler: TypeAlias = Callable[[Any, Context], Step[ModeState]]
AdviceHandler: TypeAlias = Callable[[Any, Any, Context], Step[ModeState]]


@dataclass(frozen=True, slots=True)
class Row:
    """The handler of an input in a mode."""

    mode: type[BoxMode]
    given: type
    handler: Handler


def row(mode: type[_Mode], given: type, handler: Callable[[_Mode, Context], Step[ModeState]]) -> Row:
    """A row whose handler fits its mode."""
    return Row(mode, given, handler)


ROWS = (
    row(Attract, Pressed, attract.press),
    row(Attract, Held, attract.hold),
    row(Attract, LeversMoved, attract.levers),
    row(Attract, ServicePressed, service.unlock),
    row(Menu, Pressed, menu.press),
    row(Menu, Held, menu.hold),
    row(Menu, LeversMoved, menu.levers),
    row(Menu, TimeCame, attract.back),
    row(Menu, ServicePressed, service.unlock),
    row(Setup, Pressed, setup.press),
    row(Setup, Held, setup.hold),
    row(Setup, LeversMoved, setup.levers),
    row(Setup, TimeCame, attract.back),
    row(Setup, ServicePressed, service.unlock),
    row(Naming, Pressed, naming.press),
    row(Naming, Held, naming.hold),
    row(Naming, LeversMoved, naming.levers),
    row(Naming, TimeCame, attract.back),
    row(Naming, ServicePressed, service.unlock),
    row(Service, Pressed, service.press),
    row(Service, Held, service.hold),
    row(Service, LeversMoved, service.levers),
    row(Service, TimeCame, attract.back),
    row(Service, ServicePressed, attract.back),
    row(Puzzling, Pressed, puzzle.press),
    row(Puzzling, Held, attract.back),
    row(Puzzling, LeversMoved, puzzle.levers),
    row(Puzzling, TimeCame, attract.back),
    row(Puzzling, ServicePressed, service.unlock),
    row(Raise, Pressed, raising.press),
    row(Raise, Held, raising.press),
    row(Raise, LeversMoved, raising.levers),
    row(Raise, TimeCame, turn_over.tick),
    row(Raise, Abandoned, ready.leave),
    row(Ready, Pressed, ready.press),
    row(Ready, Held, ready.hold),
    row(Ready, LeversMoved, ready.levers),
    row(Ready, TimeCame, ready.time),
    row(Ready, Abandoned, ready.leave),
    row(Rolling, Pressed, rolling.press),
    row(Rolling, Held, rolling.press),
    row(Rolling, LeversMoved, rolling.levers),
    row(Rolling, TimeCame, rolling.time),
    row(Rolling, Abandoned, ready.leave),
    row(EnteringThrow, Pressed, entering.press),
    row(EnteringThrow, Held, entering.hold),
    row(EnteringThrow, LeversMoved, entering.levers),
    row(EnteringThrow, TimeCame, turn_over.tick),
    row(EnteringThrow, Abandoned, ready.leave),
    row(Flipping, Pressed, flipping.press),
    row(Flipping, Held, flipping.hold),
    row(Flipping, LeversMoved, flipping.levers),
    row(Flipping, TimeCame, flipping.time),
    row(Flipping, Abandoned, ready.leave),
    row(TurnOver, Pressed, turn_over.press),
    row(TurnOver, Held, turn_over.hold),
    row(TurnOver, Abandoned, ready.leave),
    row(MatchOver, Pressed, match_over.press),
    row(MatchOver, Held, ready.leave),
    row(MatchOver, LeversMoved, match_over.levers),
    row(MatchOver, TimeCame, ready.leave),
    row(Initials, Pressed, initials.press),
    row(Initials, Held, initials.hold),
    row(Initials, LeversMoved, initials.levers),
    row(Initials, TimeCame, ready.leave),
)

TABLE: Mapping[tuple[type[BoxMode], type], Handler] = {(row.mode, row.given): row.handler for row in ROWS}
"""The handler by mode and input, for everything that hands or time do."""


def advised(
    mode: type[_Mode],
    came: type[_Advice],
    handler: Callable[[_Mode, _Advice, Context], Step[ModeState]],
) -> tuple[tuple[type[BoxMode], type], AdviceHandler]:
    """An entry whose handler fits its mode and the advice."""
    return (mode, came), handler


ADVICE: Mapping[tuple[type[BoxMode], type], AdviceHandler] = dict(
    (
        advised(Ready, HintCame, ready.hint_came),
        advised(Ready, DiceCame, ready.dice_came),
        advised(Rolling, AnswerCame, rolling.answer_came),
        advised(Flipping, AnswerCame, flipping.answer_came),
        advised(Flipping, HintCame, flipping.hint_came),
        advised(MatchOver, ReviewCame, match_over.review_came),
    )
)
"""The handler by mode and answer of the odds. In other modes an answer comes too late and does nothing."""


def targets(handler: Callable[..., Any]) -> tuple[type[BoxMode], ...]:
    """The modes that a handler may lead to, as its annotation says; a variable is the mode that it is in."""
    (leads_to,) = get_args(get_type_hints(handler)["return"])
    modes = get_args(leads_to) or (leads_to,)
    return tuple(mode for mode in modes if not isinstance(mode, TypeVar))


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    edges: dict[tuple[Mode, Mode], list[str]] = {}
    for mode, given, target in transitions():
        names = edges.setdefault((mode, target), [])
        if given not in names:
            names.append(given)
    lines = ["stateDiagram-v2", f"    [*] --> {_state(Mode.ATTRACT)}"]
    lines += [f"    {_state(a)} --> {_state(b)}: {', '.join(given)}" for (a, b), given in edges.items()]
    return "\n".join(lines) + "\n"


def transitions() -> Iterator[tuple[Mode, str, Mode]]:
    """Every way from one mode to another: where from, by what, where to."""
    for entry in ROWS:
        for target in targets(entry.handler):
            if target.name is not entry.mode.name:
                yield entry.mode.name, INPUT_NAMES[entry.given], target.name
    for (mode, _), handler in ADVICE.items():
        for target in targets(handler):
            if target.name is not mode.name:
                yield mode.name, "the computer's answer", target.name


INPUT_NAMES: Mapping[type, str] = {
    Pressed: "press",
    Held: "hold",
    LeversMoved: "levers",
    TimeCame: "time",
    Abandoned: "10 s hold, then press",
    ServicePressed: "service button",
}


def _state(mode: Mode) -> str:
    return mode.value.replace("-", "_")
