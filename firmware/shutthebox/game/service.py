"""How the levers do: what seems to be wrong with them, and the service screen."""

from shutthebox.game.debounce import Health
from shutthebox.game.menu import Translate
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.settings import Settings
from shutthebox.game.state import State
from shutthebox.rules.tiles import to_numbers, to_tiles

LEAVE, SOUND = 0, 1
"""The rows before the levers' own."""

FIRST_LEVER = 2
"""The row of lever 1."""

ASKING = "out-of-play"
"""The item of the state while the owner is asked about the lever at the cursor."""


def complaint(state: State, settings: Settings, words: Translate) -> str:
    """What seems to be wrong with the levers in play, the worst; empty if nothing."""
    _ = words
    restless = to_tiles(lever for lever, health in state.health.items() if lever > 0 and health.restless)
    complaints = (
        (restless, _("Lever {tile} chatters")),
        (state.stuck, _("Lever {tile}: stuck?")),
        (state.dead, _("Lever {tile}: no contact?")),
    )
    for tiles, text in complaints:
        if tiles & ~settings.out:
            return text.format(tile=to_numbers(tiles & ~settings.out)[0])
    return ""


def service_screen(state: State, settings: Settings, words: Translate) -> Screen:
    """Every lever with what it shows and what it has done, or the question about one."""
    _ = words
    lever = state.row - FIRST_LEVER + 1
    is_out = bool(lever > 0 and to_tiles([lever]) & settings.out)
    if state.item == ASKING:
        question = _("Put lever {tile} back?") if is_out else _("Play without {tile}?")
        return Screen(state.mode, title=question.format(tile=lever), rows=(_("Press: yes"), _("Hold: no")))

    def row_of(number: int) -> str:
        bit, health = to_tiles([number]), state.health.get(number, Health())
        if bit & settings.out:
            text = _("{tile} out of play")
        elif health.restless:
            text = _("{tile} chatters")
        elif bit & (state.stuck | state.dead):
            text = _("{tile} down?") if bit & state.levers else _("{tile} up?")
        else:
            text = _("{tile} down") if bit & state.levers else _("{tile} up")
        return f"{text.format(tile=number)}\t{health.moves} ~{health.chatter}"

    def state_of(number: int) -> TileState:
        bit = to_tiles([number])
        if bit & (state.stuck | state.dead) & ~settings.out:
            return TileState.WRONG
        if bit & settings.out:
            return TileState.SHUT
        return TileState.FLIPPED if bit & state.levers else TileState.OPEN

    levers = range(1, settings.levers + 1)
    if lever > 0:
        prompt = _("Hold: put back") if is_out else _("Hold: take out")
    else:
        prompt = _("Press: next  Hold: do")
    return Screen(
        state.mode,
        title=_("Service"),
        aside=_("moves ~chatter"),
        rows=(_("Leave"), _("Test the sound"), *map(row_of, levers)),
        cursor=state.row,
        tiles=tuple((number, state_of(number)) for number in levers),
        prompt=prompt,
    )
