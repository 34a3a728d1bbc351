"""The entrances: how a target (`shutthebox.game.targets`) becomes a mode. Modes don't know each other.

A mode is imported when it's first entered, because the first screen needs only one of them.
"""

from typing import assert_never

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


def enter(target: Target, context: Context) -> Step[BoxMode | Target]:
    """Enters the mode that a target names, or goes on to another target."""
    match target:
        case BackToAttract():
            from shutthebox.game.modes import attract

            return attract.enter(target, context)
        case OpenMenu():
            from shutthebox.game.modes import menu

            return menu.enter(target, context)
        case OpenPuzzle():
            from shutthebox.game.modes import puzzle

            return puzzle.enter(target, context)
        case OpenService():
            from shutthebox.game.modes import service

            return service.enter(target, context)
        case OpenStick():
            from shutthebox.game.modes import stick

            return stick.enter(target, context)
        case OpenLink():
            from shutthebox.game.modes import linking

            return linking.enter(target, context)
        case BreakOff():
            from shutthebox.game.modes import linking

            return linking.break_off(target, context)
        case BeginLinked():
            from shutthebox.game.modes import watching

            return watching.begin(target, context)
        case Watch():
            from shutthebox.game.modes import watching

            return watching.enter(target, context)
        case AwaitLink():
            from shutthebox.game.modes import watching

            return watching.await_link(target, context)
        case AskQuestions():
            from shutthebox.game.modes import setup

            return setup.enter(target, context)
        case AskNames():
            from shutthebox.game.modes import naming

            return naming.enter(target, context)
        case BeginMatch():
            from shutthebox.game.modes import raising

            return raising.begin(target, context)
        case RollForFirst():
            from shutthebox.game.modes import roll_off

            return roll_off.enter(target, context)
        case AwaitThrow():
            from shutthebox.game.modes import raising

            return raising.enter(target, context)
        case LeversFit():
            from shutthebox.game.modes import ready

            return ready.enter(target, context)
        case RollDice():
            from shutthebox.game.modes import rolling

            return rolling.enter(target, context)
        case Tumble():
            from shutthebox.game.modes import rolling

            return rolling.tumble(target, context)
        case EnterThrow():
            from shutthebox.game.modes import entering

            return entering.enter(target, context)
        case AnswerThrow():
            from shutthebox.game.modes import flipping

            return flipping.enter(target, context)
        case EndTurn():
            from shutthebox.game.modes import turn_over

            return turn_over.enter(target, context)
        case EndMatch():
            from shutthebox.game.modes import match_over

            return match_over.enter(target, context)
        case SignResult():
            from shutthebox.game.modes import initials

            return initials.enter(target, context)
        case ShowResult():
            from shutthebox.game.modes import match_over

            return match_over.show(target, context)
        case _:
            assert_never(target)


def arrive(step: Step[BoxMode | Target], context: Context) -> Step[BoxMode]:
    """Follows targets until the step reaches a mode."""
    while not isinstance(step.mode, BoxMode):
        step = Step(step.mode, step.effects, step.shared, step.refusal).then(enter, context)
    return Step(step.mode, step.effects, step.shared, step.refusal)
