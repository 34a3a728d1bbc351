"""Service: every lever live with its health, the owner's choice of levers out of play, and the box's report.

Everybody may look. A change asks for the owner's code, a set of levers, unless the button inside the box has
opened service. A lever that is broken cannot be moved to its own row: so the cursor begins at the first lever
that seems to be wrong, and a lever flicked in its own row goes on to the next. Behind the levers stand the
topics of the report, and the way to the stick: the last lever goes on there each time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.effects import Ask
from shutthebox.game.facts import Chosen
from shutthebox.game.faults import UNDELIVERED_TEXTS
from shutthebox.game.lever_health import wrong
from shutthebox.game.messages import ListRow, Message, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.owner_code import NO_CODE, asked, code_screen, forgiven, is_code, wrong_code
from shutthebox.game.owner_report import TOPICS, Topic
from shutthebox.game.picker import Flicks, Picker
from shutthebox.game.picker_screen import picked, picker_screen
from shutthebox.game.questions import Prepare
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step, kept, refused
from shutthebox.game.targets import BackToAttract, OpenService, OpenStick
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles


@dataclass(frozen=True, slots=True)
class Service(BoxMode):
    """The list of levers.

    Attributes:
        row: the lever at the cursor, from 1; behind the levers the topics, and the stick last.
        walking: the lever that went on last; 0 for none. Flicked once more it goes on again, from a topic and
            from the row of a lever that seems to be wrong.
        reading: the report that is read; None for none.
        flicks: levers on their way.
        unlocked: the owner is at the box.
        asks_code: the owner's code is asked for.
        asking: the owner is asked whether the lever at the cursor is to be taken out of play, or put back.
    """

    name: ClassVar[Mode] = Mode.SERVICE

    row: int = 1
    walking: int = 0
    reading: Picker | None = None
    flicks: Flicks = field(default_factory=Flicks)
    unlocked: bool = False
    asks_code: bool = False
    asking: bool = False

    @property
    def lever(self) -> Tiles:
        """The lever at the cursor."""
        return to_tiles([self.row])

    def topic(self, settings: Settings) -> Topic | None:
        """The topic at the cursor; None at a lever and at the stick."""
        behind = self.row - settings.levers
        return tuple(TOPICS)[behind - 1] if 0 < behind <= len(TOPICS) else None

    def leaves_a_game(self, settings: Settings) -> bool:
        """Whether something can be played once the lever at the cursor has changed sides."""
        return bool(settings._replace(out=settings.out ^ self.lever).games)

    def screen(self, shared: Shared) -> Screen:
        """Every lever with what it shows and what it has done, or a question."""
        settings = shared.settings
        if self.reading is not None:
            return picker_screen(self.name, self.reading, reads=True)
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
            return code_screen(self.name, message("Service"), shared)
        change = message("Press: put in") if is_out else message("Press: take out")
        on_lever = self.row <= settings.levers
        if not on_lever:
            change = message("Press: read")
        elif not (self.unlocked or settings.code):
            change = NO_CODE
        leave = message("Hold: leave")
        league = (UNDELIVERED_TEXTS[shared.undelivered],) if shared.undelivered else ()
        may_press = not on_lever or not self.unlocked or self.leaves_a_game(settings)
        return Screen(
            self.name,
            title=message("Service"),
            rows=(*(_row(number, shared) for number in levers), *TOPICS.values(), message("Stick")),
            cursor=self.row - 1,
            tiles=tiles,
            prompt=change if may_press else leave,
            also=(
                *((message("Press: read"),) if change is NO_CODE else ()),
                *((leave,) if may_press else ()),
                *league,
                *((message("moves ~chatter"),) if on_lever else ()),
            ),
            lit=may_press,
        )


def enter(target: OpenService, context: Context) -> Step[Service | OpenStick]:
    """The first lever that seems to be wrong, else the first; if it is unlocked, the owner has come.

    Whoever has put a stick in wants that first; its list leads on to the levers.
    """
    shared = context.shared
    if shared.stick is not None and not target.levers:
        return Step(OpenStick(target.unlocked))
    ailing = to_numbers((shared.stuck | shared.dead) & ~shared.settings.out)
    step = Step(Service(ailing[0] if ailing else 1, unlocked=target.unlocked))
    return forgiven(step, context) if target.unlocked else step


def press(mode: Service, context: Context) -> Step[Service | OpenStick]:
    """Asks for the owner's code, then about the lever at the cursor; where a question is shown, means yes."""
    settings = context.shared.settings
    if mode.reading is not None:
        return Step(replace(mode, reading=None))
    if mode.asking:
        return _change_sides(mode, context)
    if mode.asks_code:
        mode = replace(mode, asks_code=False)
        if not settings.code:
            return Step(mode)
        if not is_code(context.shared):
            return wrong_code(mode, context)
        return forgiven(_asks(replace(mode, unlocked=True), settings), context)
    if (topic := mode.topic(settings)) is not None:
        lines = tuple(context.report(topic, wrong(context.shared))) or ("-",)
        return Step(replace(mode, reading=Picker(TOPICS[topic], lines, 0, settings.levers)))
    if mode.row > settings.levers:
        return Step(OpenStick(mode.unlocked))
    if mode.unlocked:
        return _asks(mode, settings)
    return asked(mode, replace(mode, asks_code=True), context)


def _asks(mode: Service, settings: Settings) -> Step[Service]:
    """Asks about the lever at the cursor."""
    if mode.leaves_a_game(settings):
        return Step(replace(mode, asking=True))
    return refused(mode, message("No game is left"))


def hold(mode: Service, context: Context) -> Step[Service | BackToAttract]:
    """Leaves service; where a question is shown, means no; from a report back to the list."""
    if mode.reading is not None:
        return Step(replace(mode, reading=None))
    if mode.asking or mode.asks_code:
        return Step(replace(mode, asking=False, asks_code=False))
    return Step(BackToAttract())


def levers(mode: Service, context: Context) -> Step[Service]:
    """The cursor goes to the lever that moves, and from its own row on to the next; put back, it stays.

    In a report the levers walk as in every list.
    """
    if mode.reading is not None:
        reading, effects, why = picked(mode.reading, context)
        return Step(replace(mode, reading=reading), effects, refusal=why)
    flicks, _ = mode.flicks.moved(context.moved)
    mode, away = replace(mode, flicks=flicks), to_numbers(flicks.away & context.moved)
    if not away or mode.asking or mode.asks_code:
        return Step(mode)
    last = context.shared.settings.levers
    beyond = mode.row > last or bool(mode.lever & (context.shared.stuck | context.shared.dead))
    if away[0] == mode.row or (beyond and away[0] == mode.walking):
        return Step(replace(mode, row=mode.row % (last + len(TOPICS) + 1) + 1, walking=away[0]))
    return Step(replace(mode, row=away[0], walking=0))


def _change_sides(mode: Service, context: Context) -> Step[Service]:
    """Takes the lever out of play, or puts it back, from the next match on."""
    settings = context.shared.settings._replace(out=context.shared.settings.out ^ mode.lever)
    effects = kept(Chosen("box.out_of_play", to_numbers(settings.out)))
    if settings.game is not None:
        effects += (Ask(Prepare(settings.game)),)
    return Step(replace(mode, asking=False), effects, context.shared._replace(settings=settings))


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
