"""Levers and buttons that seem broken, and what the box says about them."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import assert_never

from shutthebox.game.board import Board
from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.facts import Faulted
from shutthebox.game.judge import VerdictKind
from shutthebox.game.messages import Message
from shutthebox.game.play import MatchInPlay
from shutthebox.game.state import Context, Shared
from shutthebox.game.switches.switch import DICE_BUTTON, Switch
from shutthebox.game.switches.switch import switch as row_of
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.texts import N_

SUSPECT_NS = 10_000_000_000
"""A lever that has been wrong for this long when the button is pressed is reported as stuck, or dead."""

SILENT_MOVES = 40
"""A lever that hasn't moved while the others made this many moves, two or three turns, may be dead."""


KNOCKS = 6
"""Alternate flicks of the first and the last lever that open service without the dice button."""

DWELL_NS = 3_000_000_000
"""In service without the dice button, a lever left down for this long is a press."""


class Ailment(Enum):
    """What seems wrong with a switch, worst first. The value is its text in the fault log."""

    TAKEN = "is taken"
    CHATTERS = "chatters without a rest"
    STUCK = "is stuck"
    DEAD = "is dead"

    def localize(self, row: Switch) -> Message:
        """The warning about this switch."""
        match self:
            case Ailment.TAKEN:
                return row.taken
            case Ailment.CHATTERS:
                return row.chatters
            case Ailment.STUCK:
                return row.stuck
            case Ailment.DEAD:
                return row.dead
            case _:
                assert_never(self)


class LeverNote(Enum):
    """What *Owner, Levers* and `doctor --levers` say about a lever; the first that applies."""

    TAKEN = N_("{tile} line taken")
    OUT = N_("{tile} out of play")
    CHATTERS = N_("{tile} chatters")
    SUSPECT_DOWN = N_("{tile} down?")
    SUSPECT_UP = N_("{tile} up?")

    @property
    def words(self) -> str:
        """In English, without the tile."""
        return self.value.removeprefix("{tile} ")

    def localize(self, number: int) -> Message:
        """The note for players, with the lever's number."""
        return Message(self.value, (("tile", number),))


def lever_note(
    *,
    is_taken: bool = False,
    is_out: bool = False,
    is_restless: bool = False,
    is_suspect: bool = False,
    is_down: bool = False,
) -> LeverNote | None:
    """What to say about a lever; None if all is well.

    Args:
        is_taken: another program holds its line.
        is_out: it's out of play.
        is_restless: it chatters without settling.
        is_suspect: the box thinks that it's stuck or dead.
        is_down: it seems to be down.
    """
    found = {
        LeverNote.TAKEN: is_taken,
        LeverNote.OUT: is_out,
        LeverNote.CHATTERS: is_restless,
        LeverNote.SUSPECT_DOWN: is_suspect and is_down,
        LeverNote.SUSPECT_UP: is_suspect,
    }
    return next((note for note in LeverNote if found[note]), None)


def _all_ailments(shared: Shared) -> Iterator[tuple[int, Ailment]]:
    """Everything that seems to be wrong now, the worst last."""
    yield from ((lever, Ailment.DEAD) for lever in to_numbers(shared.dead))
    if shared.unpressed >= SILENT_MOVES:
        yield DICE_BUTTON, Ailment.DEAD
    yield from ((lever, Ailment.STUCK) for lever in to_numbers(shared.stuck))
    yield from ((switch, Ailment.STUCK) for switch, health in shared.health.items() if health.stuck)
    yield from ((switch, Ailment.CHATTERS) for switch, health in shared.health.items() if health.restless)
    yield from ((switch, Ailment.TAKEN) for switch in shared.settings.taken)


def find_ailments(shared: Shared) -> dict[int, Ailment]:
    """The worst ailment of each switch that has one: buttons first, then levers in order."""
    return dict(sorted(dict(_all_ailments(shared)).items(), key=lambda entry: (entry[0] > 0, abs(entry[0]))))


def broken_switches(shared: Shared) -> frozenset[int]:
    """The switches that seem broken now."""
    return frozenset(find_ailments(shared))


def complaint(shared: Shared) -> Message | None:
    """The warning about the switches in play, worst first; None if all seem fine."""
    ignored = shared.settings.out_by_choice
    found = {
        switch: ailment
        for switch, ailment in find_ailments(shared).items()
        if switch <= 0 or not to_tiles([switch]) & ignored
    }
    worst = min(found, key=lambda switch: list(Ailment).index(found[switch]), default=None)
    return None if worst is None else found[worst].localize(row_of(worst))


def dice_button_complaint(shared: Shared) -> Message | None:
    """The warning about the dice button, without which play can't continue; None if it seems fine."""
    ailment = find_ailments(shared).get(DICE_BUTTON)
    return None if ailment is None else ailment.localize(row_of(DICE_BUTTON))


def count_knocks(shared: Shared, down: Tiles, changed: Tiles) -> int:
    """Counts the owner's knock: alternate flicks of the outer levers so far, this move included."""
    settings = shared.settings
    broken = settings.out | shared.stuck | shared.dead
    usable = [lever for lever in range(1, settings.levers + 1) if not to_tiles([lever]) & broken]
    if len(usable) < 2:
        return 0
    turn = to_tiles([usable[0 if shared.knocks % 2 == 0 else -1]])
    if changed & down == changed and changed == turn:
        return shared.knocks  # half of the next flick
    if changed == turn:
        return shared.knocks + 1
    return int(changed == to_tiles(usable[:1]) and not down & changed)


def new_faults(before: Shared, after: Shared) -> Iterator[Faulted]:
    """The faults to log: ailments that are new since `before`."""
    known = set(_all_ailments(before))
    for switch, ailment in _all_ailments(after):
        if (switch, ailment) not in known:
            yield _fault(switch, ailment)


def taken_faults(switches: Iterable[int]) -> Iterator[Faulted]:
    """The faults to log for switches whose lines another program holds."""
    for switch in switches:
        yield _fault(switch, Ailment.TAKEN)


def _fault(switch: int, ailment: Ailment) -> Faulted:
    return Faulted.of_switch("lever" if switch > 0 else "button", switch, ailment.value)


def suspect_wrong(play: MatchInPlay, context: Context) -> Shared:
    """Marks one or two levers as suspect if they have been wrong for long when the button is pressed."""
    shared, verdict = context.shared, play.verdict
    is_wrong = verdict.kind in (VerdictKind.LIFT, VerdictKind.PUT_BACK) and len(verdict.tiles) <= 2
    if not is_wrong or context.now_ns - play.wrong_ns < SUSPECT_NS:
        return shared
    tiles, down = to_tiles(verdict.tiles), shared.levers
    return shared._replace(stuck=shared.stuck | tiles & down, dead=shared.dead | tiles & ~down)


def suspect_missing(board: Board, shared: Shared) -> Shared:
    """Marks a lever as suspect if a press lacks only its tile and it hasn't moved for long.

    A press before any lever was flipped is just early, not a sign of a broken lever.
    """
    if not board.flipped:
        return shared
    suspected = shared.dead
    for rest in board.counted:
        missing = rest & ~board.flipped
        if board.flipped & ~rest or missing.bit_count() != 1:
            continue
        for lever in board.levers_of(missing):
            health = shared.health.get(lever, ContactHealth())
            if health.restless or health.idle >= SILENT_MOVES:
                suspected |= to_tiles([lever])
    return shared._replace(dead=suspected)
