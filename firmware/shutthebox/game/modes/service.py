"""Service: the owner's list, the levers live with their health, and the box's report.

Anyone may look. Changes require the owner's code (a set of levers), unless service was opened with the button
inside the box. A broken lever can't move the cursor to itself, so the cursor starts at the first lever that
seems broken, and flicking the lever at the cursor moves on to the next.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.effects import Ask
from shutthebox.game.facts import Chosen
from shutthebox.game.faults import UNDELIVERED_TEXTS
from shutthebox.game.lever_health import broken_switches, lever_note
from shutthebox.game.messages import ListRow, Message, Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.owner_code import NO_CODE, ask_code, code_screen, forgive, is_code, wrong_code
from shutthebox.game.owner_topics import Topic
from shutthebox.game.picker import Flicks, Picker
from shutthebox.game.picker_screen import follow_flicks, picker_screen
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.settings import Settings
from shutthebox.game.state import Context, Shared, Step, keep, refuse
from shutthebox.game.switches.switch import switch
from shutthebox.game.targets import BackToAttract, OpenService, OpenStick
from shutthebox.odds.questions import Prepare
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles


@dataclass(frozen=True, slots=True, eq=False)
class Service(BoxMode):
    """The list, the levers, or a report.

    Attributes:
        picker: the owner's list.
        row: the lever at the cursor, from 1; 0 if the levers aren't shown.
        walking: the lever that last moved the cursor on; 0 for none. Flicking it again moves on again, past
            levers that seem broken.
        reading: the report on the screen; None for none.
        flicks: levers moved and not yet put back, while the levers are shown.
        unlocked: the owner has identified themselves.
        asks_code: the box is asking for the owner's code.
        asking: the box is asking whether to take the lever at the cursor out of play, or put it back.
    """

    name: ClassVar[Mode] = Mode.SERVICE
    is_list: ClassVar[bool] = True
    takes_settings: ClassVar[bool] = False
    works_by_levers: ClassVar[bool] = True

    picker: Picker
    row: int = 0
    walking: int = 0
    reading: Picker | None = None
    flicks: Flicks = field(default_factory=Flicks)
    unlocked: bool = False
    asks_code: bool = False
    asking: bool = False

    @property
    def lever(self) -> Tiles:
        """The lever at the cursor; none if the levers aren't shown."""
        return to_tiles([self.row]) if self.row else 0

    def switch_lever(self, settings: Settings) -> Settings:
        """The settings with the lever taken out of play, or back in."""
        return settings.with_value("box.out_of_play", to_numbers(settings.out_by_choice ^ self.lever))

    def leaves_a_game(self, settings: Settings) -> bool:
        """Whether any game can still be played once the lever at the cursor has been switched."""
        return bool(self.switch_lever(settings).games)

    @property
    def reads_all_levers(self) -> bool:
        """Whether the list of levers is open, which tests them all."""
        return self.row > 0

    def screen(self, shared: Shared) -> Screen:
        """The list, the levers with their state and counters, a report, or a question."""
        if self.reading is not None:
            return picker_screen(self.name, self.reading, reads=True)
        if not self.row:
            screen = picker_screen(self.name, self.picker)
            league = (UNDELIVERED_TEXTS[shared.undelivered],) if shared.undelivered else ()
            return screen._replace(also=(*screen.also, *league))
        if self.asks_code:
            return code_screen(self.name, _LEVERS, shared)
        return self._levers_screen(shared)

    def _levers_screen(self, shared: Shared) -> Screen:
        settings = shared.settings
        is_out = bool(self.lever & settings.out)
        levers = range(1, settings.levers + 1)
        tiles = tuple((number, _tile(number, shared)) for number in levers)
        if self.asking:
            put, take = message("Put {tile} in?", tile=self.row), message("Take {tile} out?", tile=self.row)
            prompt, also, big = message("Press: yes"), (message("Hold: no"),), put if is_out else take
            return Screen(self.name, title=_LEVERS, big=big, tiles=tiles, prompt=prompt, also=also, lit=True)
        change = message("Press: put in") if is_out else message("Press: take out")
        back = message("Hold: back")
        prompts: tuple[Text, ...] = (change, back)
        if not (self.unlocked or settings.code):
            prompts = (NO_CODE, message("Press: read"), back)
        may_press = not self.unlocked or self.leaves_a_game(settings)
        if not may_press:
            prompts = (back,)
        return Screen(
            self.name,
            title=_LEVERS,
            rows=tuple(_row(number, shared) for number in levers),
            cursor=self.row - 1,
            tiles=tiles,
            prompt=prompts[0],
            also=(*prompts[1:], message("moves ~chatter")),
            lit=may_press,
        )

    def press(self, context: Context) -> Step[Service | OpenStick]:
        """Opens a line of the list; at a lever, asks for the owner's code, then for confirmation."""
        settings = context.shared.settings
        if self.reading is not None:
            return Step(replace(self, reading=None))
        if not self.row:
            return self._open(_LINES[self.picker.cursor], context)
        if self.asking:
            return self._switch_lever(context)
        if self.asks_code:
            mode = replace(self, asks_code=False)
            if not settings.code:
                return Step(mode)
            if not is_code(context.shared):
                return wrong_code(mode, context)
            return forgive(replace(mode, unlocked=True)._ask_first(settings), context)
        if self.unlocked:
            return self._ask_first(settings)
        return ask_code(self, replace(self, asks_code=True), context)

    def _open(self, line: Topic | Message, context: Context) -> Step[Service | OpenStick]:
        """Opens a line of the list; the levers start at the first one that seems broken."""
        shared = context.shared
        if isinstance(line, Topic):
            lines = tuple(context.lookups.report(line, broken_switches(shared))) or ("-",)
            return Step(replace(self, reading=Picker(line.value, lines, 0, shared.settings.levers)))
        if line == _STICK:
            return Step(OpenStick(self.unlocked))
        ailing = to_numbers((shared.stuck | shared.dead) & ~shared.settings.out)
        return Step(replace(self, row=ailing[0] if ailing else 1, walking=0, flicks=Flicks()))

    def _ask_first(self, settings: Settings) -> Step[Service]:
        """Asks for confirmation about the lever at the cursor."""
        if self.row in settings.taken:
            return refuse(self, switch(self.row).taken)
        if self.leaves_a_game(settings):
            return Step(replace(self, asking=True))
        return refuse(self, message("No game is left"))

    def hold(self, context: Context) -> Step[Service | BackToAttract]:
        """Goes back to the list, and from there leaves service; answers no to a question."""
        if self.asking or self.asks_code:
            return Step(replace(self, asking=False, asks_code=False))
        if self.reading is not None or self.row:
            return Step(replace(self, reading=None, row=0))
        return Step(BackToAttract())

    def service(self, context: Context) -> Step[BackToAttract]:
        """Leaves: the button that opens the list closes it, too."""
        return self.leave(context)

    def levers(self, context: Context) -> Step[Service]:
        """Chooses in lists; among the levers, moves the cursor to the one that moved, or past it."""
        if self.reading is not None:
            reading, effects, why = follow_flicks(self.reading, context)
            return Step(replace(self, reading=reading), effects, refusal=why)
        if not self.row:
            picker, effects, why = follow_flicks(self.picker, context)
            return Step(replace(self, picker=picker), effects, refusal=why)
        flicks, _ = self.flicks.follow(context.moved)
        mode, away = replace(self, flicks=flicks), to_numbers(flicks.away & context.moved)
        if not away or mode.asking or mode.asks_code:
            return Step(mode)
        is_wrong = bool(mode.lever & (context.shared.stuck | context.shared.dead))
        if away[0] == mode.row or (is_wrong and away[0] == mode.walking):
            return Step(replace(mode, row=mode.row % context.shared.settings.levers + 1, walking=away[0]))
        return Step(replace(mode, row=away[0], walking=0))

    def _switch_lever(self, context: Context) -> Step[Service]:
        """Takes the lever out of play or puts it back, from the next match on."""
        settings = self.switch_lever(context.shared.settings)
        effects = keep(Chosen("box.out_of_play", settings.box.out_of_play))
        if settings.usual_game is not None:
            effects += (Ask(Prepare(settings.usual_game)),)
        return Step(replace(self, asking=False), effects, context.shared._replace(own_settings=settings))


_LEVERS, _STICK = message("Levers"), message("Stick")
_LINES: tuple[Topic | Message, ...] = (_LEVERS, *Topic, _STICK)
"""The owner's list: the levers, the topics of the report, and the stick."""


def enter(target: OpenService, context: Context) -> Step[Service | OpenStick]:
    """Opens the list; opening it unlocked clears the count of wrong codes.

    If a stick is in, its list comes first and leads on to the owner's.
    """
    shared = context.shared
    if shared.stick is not None and not target.past_stick:
        return Step(OpenStick(target.unlocked))
    options = tuple(line.value if isinstance(line, Topic) else line for line in _LINES)
    picker = Picker(message("Owner"), options, 0, shared.settings.levers)
    step = Step(Service(picker, unlocked=target.unlocked))
    return forgive(step, context) if target.unlocked else step


def _row(number: int, shared: Shared) -> ListRow:
    health = shared.health.get(number, ContactHealth())
    return ListRow(_lever_text(number, shared), f"{health.moves} ~{health.chatter}")


def _lever_text(number: int, shared: Shared) -> Message:
    bit = to_tiles([number])
    is_down = bool(bit & shared.levers)
    note = lever_note(
        is_taken=number in shared.settings.taken,
        is_out=bool(bit & shared.settings.out),
        is_restless=shared.health.get(number, ContactHealth()).restless,
        is_suspect=bool(bit & (shared.stuck | shared.dead)),
        is_down=is_down,
    )
    if note is not None:
        return note.localize(number)
    return message("{tile} down", tile=number) if is_down else message("{tile} up", tile=number)


def _tile(number: int, shared: Shared) -> TileState:
    bit = to_tiles([number])
    if bit & (shared.stuck | shared.dead) & ~shared.settings.out:
        return TileState.WRONG
    if bit & shared.settings.out:
        return TileState.SHUT
    return TileState.FLIPPED if bit & shared.levers else TileState.OPEN
