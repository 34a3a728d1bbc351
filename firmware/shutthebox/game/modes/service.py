"""Service: every lever live with its health, and levers out of play by the owner's word.

A lever that is broken cannot be used to choose with, so here a press goes from row to row, and
moving a lever goes to its own. A hold does what the row is for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from shutthebox.game.effects import Ask, Play, Sound
from shutthebox.game.facts import Chosen
from shutthebox.game.messages import Message, message, told
from shutthebox.game.mode import Mode
from shutthebox.game.modes import attract
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.questions import Prepare
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.state import Context, Shared, Step, View, kept, refused
from shutthebox.game.switches.debounce import ContactHealth
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles

LEAVE, TEST_SOUND = 0, 1
"""The rows before the levers' own."""

FIRST_LEVER = 2
"""The row of lever 1."""


@dataclass(frozen=True, slots=True)
class Service(BoxMode):
    """The list of levers.

    Attributes:
        row: at the cursor.
        asking: the owner is asked whether the lever at the cursor changes sides.
    """

    name: ClassVar[Mode] = Mode.SERVICE

    row: int = LEAVE
    asking: bool = False

    @property
    def lever(self) -> Tiles:
        """The lever at the cursor; none in the rows before the levers' own."""
        return to_tiles([self.row - FIRST_LEVER + 1]) if self.row >= FIRST_LEVER else 0


def enter(shared: Shared) -> Service:
    """The first lever that seems to be wrong, else the way out."""
    ailing = to_numbers((shared.stuck | shared.dead) & ~shared.settings.out)
    return Service(FIRST_LEVER + ailing[0] - 1 if ailing else LEAVE)


def press(mode: Service, context: Context) -> Step[Service]:
    """The next row; yes, where something is asked."""
    if mode.asking:
        return _change_sides(mode, context)
    return Step(Service((mode.row + 1) % (FIRST_LEVER + context.settings.levers)))


def hold(mode: Service, context: Context) -> Step[Service | attract.Attract]:
    """What the row is for; no, where something is asked."""
    settings = context.settings
    if mode.asking:
        return Step(replace(mode, asking=False))
    if mode.row == LEAVE:
        return attract.enter(context)
    if mode.row == TEST_SOUND:
        # Heard even where the box is set to be silent: that is what is tested.
        return Step(mode, (Play(Sound.WIN, always=True),))
    if replace(settings, out=settings.out ^ mode.lever).games:
        return Step(replace(mode, asking=True))
    return refused(mode, message("No game without it"))


def levers(mode: Service, context: Context) -> Step[Service]:
    """The cursor goes to the lever that moves."""
    moved = to_numbers(context.flipped | context.lifted)
    if not moved or mode.asking:
        return Step(mode)
    return Step(Service(FIRST_LEVER + moved[0] - 1))


def time(mode: Service, context: Context) -> Step[attract.Attract]:
    """Nobody has touched the box for long."""
    return attract.enter(context)


def service_press(mode: Service, context: Context) -> Step[attract.Attract]:
    """Leaves service."""
    return attract.enter(context)


def _change_sides(mode: Service, context: Context) -> Step[Service]:
    """Takes the lever out of play, or puts it back, from the next match on."""
    settings = replace(context.settings, out=context.settings.out ^ mode.lever)
    effects = kept(Chosen("box.out_of_play", to_numbers(settings.out)))
    if settings.game is not None:
        effects += (Ask(Prepare(settings.game)),)
    return Step(replace(mode, asking=False), effects, replace(context.shared, settings=settings))


def screen(mode: Service, view: View) -> Screen:
    """Every lever with what it shows and what it has done, or the question about one."""
    shared, settings, _ = view.shared, view.settings, view.translate
    is_out = bool(mode.lever & settings.out)
    if mode.asking:
        question = _("Put lever {tile} back?") if is_out else _("Play without {tile}?")
        title = question.format(tile=mode.row - FIRST_LEVER + 1)
        return Screen(mode.name, title=title, rows=(_("Press: yes"), _("Hold: no")), lit=True)
    levers = range(1, settings.levers + 1)
    if mode.lever:
        prompt = _("Hold: put back") if is_out else _("Hold: take out")
    else:
        prompt = _("Press: next  Hold: do")
    return Screen(
        mode.name,
        title=_("Service"),
        aside=_("moves ~chatter"),
        rows=(_("Leave"), _("Test the sound"), *(_row(number, shared, view) for number in levers)),
        cursor=mode.row,
        tiles=tuple((number, _tile(number, shared)) for number in levers),
        prompt=prompt,
        lit=True,
    )


def _row(number: int, shared: Shared, view: View) -> str:
    health = shared.health.get(number, ContactHealth())
    return f"{told(_lever_text(number, shared), view.translate)}\t{health.moves} ~{health.chatter}"


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
