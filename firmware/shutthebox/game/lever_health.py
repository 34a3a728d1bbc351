"""Levers that seem to be broken, and the messages about them."""

from collections.abc import Iterator

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.facts import Faulted
from shutthebox.game.judge import VerdictKind, lever_of
from shutthebox.game.messages import Message, message
from shutthebox.game.play import MatchInPlay, row_behind
from shutthebox.game.state import Context, Shared
from shutthebox.rules import turn as turns
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles

SUSPECT_NS = 10_000_000_000
"""A lever that has been wrong for so long when the button is pressed is reported as stuck, or dead."""

SILENT_MOVES = 40
"""A lever that has stood still for so many moves of the others, two or three turns, may be dead."""


def restless(shared: Shared) -> Tiles:
    """The levers whose contacts chatter without a rest."""
    return to_tiles(lever for lever, health in shared.health.items() if lever > 0 and health.restless)


def wrong(shared: Shared) -> Tiles:
    """The levers that seem to be broken now, in whatever way."""
    return shared.stuck | shared.dead | restless(shared)


def complaint(shared: Shared) -> Message | None:
    """The warning about the levers in play, the worst first; None if nothing seems wrong."""
    in_play = ~shared.settings.out
    if found := restless(shared) & in_play:
        return message("Lever {tile} chatters", tile=to_numbers(found)[0])
    if found := shared.stuck & in_play:
        return message("Lever {tile}: stuck?", tile=to_numbers(found)[0])
    if found := shared.dead & in_play:
        return message("Lever {tile}: dead?", tile=to_numbers(found)[0])
    return None


def suspect_wrong(play: MatchInPlay, context: Context) -> Shared:
    """The shared state after a press: one or two levers that have long been wrong are suspected."""
    shared, verdict = context.shared, play.verdict
    is_wrong = verdict.kind in (VerdictKind.LIFT, VerdictKind.PUT_BACK) and len(verdict.tiles) <= 2
    if not is_wrong or context.now_ns - play.wrong_ns < SUSPECT_NS:
        return shared
    tiles, down = to_tiles(verdict.tiles), shared.levers
    return shared._replace(stuck=shared.stuck | tiles & down, dead=shared.dead | tiles & ~down)


def newly_suspected(before: Shared, after: Shared) -> Iterator[Faulted]:
    """The faults for the log: levers that seem to be broken since then."""
    for lever in to_numbers(after.stuck & ~before.stuck):
        yield Faulted("lever", f"switch {lever} is stuck")
    for lever in to_numbers(after.dead & ~before.dead):
        yield Faulted("lever", f"switch {lever} is dead")


def suspect_missing(play: MatchInPlay, context: Context, only: Tiles | None) -> Shared:
    """The shared state after a press that lacks one tile, whose lever has not moved for long.

    A press before any lever was flipped came too early, which is no sign of a broken one. With `only` no
    other answer counts: the computer has chosen it.
    """
    shared, match, flipped = context.shared, play.match, play.verdict.move
    if not flipped:
        return shared
    suspected = shared.dead
    for answer in turns.answers(match.rules, match.turn) if only is None else (only,):
        rest = answer & ~flipped
        if flipped & ~answer or rest.bit_count() != 1:
            continue
        lever = lever_of(match.turn, rest.bit_length(), row_behind(match, shared))
        health = shared.health.get(lever, ContactHealth())
        if health.restless or health.idle >= SILENT_MOVES:
            suspected |= to_tiles([lever])
    return shared._replace(dead=suspected)
