"""Service: every lever live with its health, and the owner's choice of levers out of play.

Everybody may look. A change asks for the owner's code, a set of levers, unless the button inside the box has
opened service. After five wrong codes each costs a pause, twice as long as the one before. They are counted
until the right one; the count survives a pulled plug. A lever that is broken cannot be moved to its own row:
so the cursor begins at the first lever that seems to be wrong, and a lever flicked in its own row goes on to
the next.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.effects import Ask
from shutthebox.game.facts import WRONG_CODES, Chosen, Faulted
from shutthebox.game.faults import UNDELIVERED_TEXTS
from shutthebox.game.messages import ListRow, Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.picker import Flicks
from shutthebox.game.questions import Prepare
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.settings import FREE_TRIES, Settings
from shutthebox.game.state import Context, Shared, Step, kept, refused
from shutthebox.game.targets import BackToAttract, OpenService
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles

PAUSE_NS = 10_000_000_000
"""The first pause. Each further wrong code doubles it, up to `LONGEST_PAUSE_NS`."""

LONGEST_PAUSE_NS = 3_600_000_000_000


_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Service(BoxMode):
    """The list of levers.

    Attributes:
        row: the lever at the cursor, from 1.
        flicks: levers on their way.
        unlocked: the owner is at the box.
        asks_code: the owner's code is asked for.
        asking: the owner is asked whether the lever at the cursor is to be taken out of play, or put back.
    """

    name: ClassVar[Mode] = Mode.SERVICE

    row: int = 1
    flicks: Flicks = field(default_factory=Flicks)
    unlocked: bool = False
    asks_code: bool = False
    asking: bool = False

    @property
    def lever(self) -> Tiles:
        """The lever at the cursor."""
        return to_tiles([self.row])

    def leaves_a_game(self, settings: Settings) -> bool:
        """Whether something can be played once the lever at the cursor has changed sides."""
        return bool(replace(settings, out=settings.out ^ self.lever).games)

    def screen(self, shared: Shared) -> Screen:
        """Every lever with what it shows and what it has done, or a question."""
        settings = shared.settings
        is_out = bool(self.lever & settings.out)
        levers = range(1, settings.levers + 1)
        tiles = tuple((number, _tile(number, shared)) for number in levers)
        if self.asking:
            put, take = message("Put {tile} in?", tile=self.row), message("Take {tile} out?", tile=self.row)
            prompt, also, big = message("Press: yes"), (message("Hold: no"),), put if is_out else take
            return Screen(
                self.name, title=message("Service"), big=big, tiles=tiles, prompt=prompt, also=also, lit=True
            )
        if self.asks_code:
            prompt, also, big = message("Set, then press"), (message("Hold: back"),), message("Code?")
            return Screen(self.name, title=message("Service"), big=big, prompt=prompt, also=also, lit=True)
        change = message("Press: put in") if is_out else message("Press: take out")
        leave = message("Hold: leave")
        league = (UNDELIVERED_TEXTS[shared.undelivered],) if shared.undelivered else ()
        may_change = self.leaves_a_game(settings) if self.unlocked else bool(settings.code)
        return Screen(
            self.name,
            title=message("Service"),
            rows=tuple(_row(number, shared) for number in levers),
            cursor=self.row - 1,
            tiles=tiles,
            prompt=change if may_change else leave,
            also=(*((leave,) if may_change else ()), *league, message("moves ~chatter")),
            lit=may_change,
        )


def enter(target: OpenService, context: Context) -> Step[Service]:
    """The first lever that seems to be wrong, else the first; if it is unlocked, the owner has come."""
    shared = context.shared
    ailing = to_numbers((shared.stuck | shared.dead) & ~shared.settings.out)
    step = Step(Service(ailing[0] if ailing else 1, unlocked=target.unlocked))
    return _forgiven(step, context) if target.unlocked else step


def press(mode: Service, context: Context) -> Step[Service]:
    """Asks for the owner's code, then about the lever at the cursor; where a question is shown, means yes."""
    settings = context.shared.settings
    if mode.asking:
        return _change_sides(mode, context)
    if mode.asks_code:
        mode = replace(mode, asks_code=False)
        if not _is_code(context.shared):
            return _wrong(mode, context)
        return _forgiven(_asks(replace(mode, unlocked=True), settings), context)
    if mode.unlocked:
        return _asks(mode, settings)
    if not settings.code:
        return refused(mode, message("No code is set"))
    if seconds := -(-_pause_left_ns(context) // _SECOND_NS):
        return refused(mode, message("Wait {seconds} s", seconds=seconds))
    return Step(replace(mode, asks_code=True))


def _asks(mode: Service, settings: Settings) -> Step[Service]:
    """Asks about the lever at the cursor."""
    if mode.leaves_a_game(settings):
        return Step(replace(mode, asking=True))
    return refused(mode, message("No game is left"))


def _wrong(mode: Service, context: Context) -> Step[Service]:
    """One more wrong code."""
    step = refused(mode, message("Wrong code"))
    count = context.shared.settings.wrong_codes + 1
    facts = kept(Chosen(WRONG_CODES, count))
    if count >= FREE_TRIES:
        facts += kept(Faulted("service", f"wrong code, {count} times"))
    return replace(step.preceded_by(*facts), shared=_counting(count, context))


def _forgiven(step: Step[Service], context: Context) -> Step[Service]:
    """The step, with the wrong codes before forgotten."""
    if not context.shared.settings.wrong_codes:
        return step
    return replace(step.preceded_by(*kept(Chosen(WRONG_CODES, None))), shared=_counting(0, context))


def _counting(wrong: int, context: Context) -> Shared:
    settings = replace(context.shared.settings, wrong_codes=wrong)
    return replace(context.shared, settings=settings, code_ns=context.now_ns)


def _pause_left_ns(context: Context) -> int:
    """How long no code is taken; after a power cut the whole pause again."""
    over = context.shared.settings.wrong_codes - FREE_TRIES
    if over < 0:
        return 0
    pause_ns = min(PAUSE_NS << min(over, 32), LONGEST_PAUSE_NS)
    return max(0, context.shared.code_ns + pause_ns - context.now_ns)


def hold(mode: Service, context: Context) -> Step[Service | BackToAttract]:
    """Leaves service; where a question is shown, means no."""
    if mode.asking or mode.asks_code:
        return Step(replace(mode, asking=False, asks_code=False))
    return Step(BackToAttract())


def levers(mode: Service, context: Context) -> Step[Service]:
    """The cursor goes to the lever that moves, and from its own row on to the next; put back, it stays."""
    flicks, _ = mode.flicks.moved(context.moved)
    mode, away = replace(mode, flicks=flicks), to_numbers(flicks.away & context.moved)
    if not away or mode.asking or mode.asks_code:
        return Step(mode)
    row = away[0] if away[0] != mode.row else mode.row % context.shared.settings.levers + 1
    return Step(replace(mode, row=row))


def _is_code(shared: Shared) -> bool:
    """Whether the levers stand as the code says, without those out of play and one that seems to be wrong.

    Anybody can make several levers seem wrong, so these count. One lever of the code has to be left.
    """
    wrong, code = shared.stuck | shared.dead, shared.settings.code
    counts = ~(shared.settings.out | (wrong if wrong.bit_count() == 1 else 0))
    return bool(code & counts) and not (shared.levers ^ code) & counts


def _change_sides(mode: Service, context: Context) -> Step[Service]:
    """Takes the lever out of play, or puts it back, from the next match on."""
    settings = replace(context.shared.settings, out=context.shared.settings.out ^ mode.lever)
    effects = kept(Chosen("box.out_of_play", to_numbers(settings.out)))
    if settings.game is not None:
        effects += (Ask(Prepare(settings.game)),)
    return Step(replace(mode, asking=False), effects, replace(context.shared, settings=settings))


def _row(number: int, shared: Shared) -> ListRow:
    health = shared.health.get(number, ContactHealth())
    return ListRow(_lever_text(number, shared), f"{health.moves} ~{health.chatter}")


def _lever_text(number: int, shared: Shared) -> Message:
    bit, health = to_tiles([number]), shared.health.get(number, ContactHealth())
    if bit & shared.settings.out:
        return message("{tile} out of play", tile=number)
    if health.restless:
        return message("{tile} chatters", tile=number)
    if bit & (shared.stuck | shared.dead):
        down = bit & shared.levers
        return message("{tile} down?", tile=number) if down else message("{tile} up?", tile=number)
    return message("{tile} down", tile=number) if bit & shared.levers else message("{tile} up", tile=number)


def _tile(number: int, shared: Shared) -> TileState:
    bit = to_tiles([number])
    if bit & (shared.stuck | shared.dead) & ~shared.settings.out:
        return TileState.WRONG
    if bit & shared.settings.out:
        return TileState.SHUT
    return TileState.FLIPPED if bit & shared.levers else TileState.OPEN
