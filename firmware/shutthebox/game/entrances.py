"""The entrances: how a target (`shutthebox.game.targets`) becomes a mode. Modes don't know each other."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

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
    roll_off,
    rolling,
    service,
    setup,
    stick,
    turn_over,
    watching,
)
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.state import Context, Step
from shutthebox.game.targets import (
    AnswerThrow,
    AskNames,
    AskQuestions,
    AwaitLink,
    AwaitThrow,
    BackToAttract,
    BeginLinked,
    BeginMatch,
    BreakOff,
    EndMatch,
    EndTurn,
    EnterThrow,
    LeversFit,
    OpenLink,
    OpenMenu,
    OpenPuzzle,
    OpenService,
    OpenStick,
    RollDice,
    RollForFirst,
    ShowResult,
    SignResult,
    Target,
    Tumble,
    Watch,
)

if TYPE_CHECKING:
    from shutthebox.game.modes.linking import ChoosingRoom, LinkOver

_Target = TypeVar("_Target")
Entrance: TypeAlias = Callable[[Any, Context], Step[BoxMode | Target]]


def entrance(
    target: type[_Target], enter: Callable[[_Target, Context], Step[BoxMode | Target]]
) -> tuple[type, Entrance]:
    """An entry whose function fits its target."""
    return target, enter


# Few boxes are linked: imported lazily to keep startup fast.
def _open_link(target: OpenLink, context: Context) -> "Step[ChoosingRoom]":
    from shutthebox.game.modes import linking

    return linking.enter(target, context)


def _break_off(target: BreakOff, context: Context) -> "Step[LinkOver]":
    from shutthebox.game.modes import linking

    return linking.break_off(target, context)


ENTRANCES: Mapping[type, Entrance] = dict(
    (
        entrance(BackToAttract, attract.enter),
        entrance(OpenMenu, menu.enter),
        entrance(OpenPuzzle, puzzle.enter),
        entrance(OpenService, service.enter),
        entrance(OpenStick, stick.enter),
        entrance(OpenLink, _open_link),
        entrance(BreakOff, _break_off),
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
"""For each target, the function that leads to its mode, or on to another target."""

if _forgotten := {each.__name__ for each in get_args(Target)} - {each.__name__ for each in ENTRANCES}:
    raise TypeError(f"{', '.join(_forgotten)}: no entrance")


def arrive(step: Step[BoxMode | Target], context: Context) -> Step[BoxMode]:
    """Follows targets until the step reaches a mode."""
    while not isinstance(step.mode, BoxMode):
        step = step.then(ENTRANCES[type(step.mode)], context)
    return Step(step.mode, step.effects, step.shared, step.refusal)
