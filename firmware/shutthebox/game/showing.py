"""The mode's screen, what covers it, and the scene."""

from shutthebox.game.effects import Form, Scene, Show
from shutthebox.game.faults import FAULT_TEXTS
from shutthebox.game.lever_health import SILENT_MOVES, dice_button_complaint
from shutthebox.game.lever_tiles import lever_tiles
from shutthebox.game.messages import Text, message
from shutthebox.game.modes.base import BoxMode
from shutthebox.game.play import offset_of
from shutthebox.game.screen import Screen
from shutthebox.game.settings import ShownStakes
from shutthebox.game.state import Overlay, Shared
from shutthebox.game.wording import player_name, reason_text
from shutthebox.rules.match import Match
from shutthebox.rules.rows import numbers_hidden
from shutthebox.rules.tiles import to_numbers


def build_show(mode: BoxMode, shared: Shared, t_ns: int) -> Show:
    """The effect that shows the box's state.

    Args:
        mode: of the box.
        shared: what all modes know.
        t_ns: now.
    """
    return Show(
        _screen(mode, shared), t_ns, shared.asleep, shared.settings.box.language, _scene(mode, shared)
    )


def _scene(mode: BoxMode, shared: Shared) -> Scene:
    """The match or puzzle and the settings, for readers of the scene."""
    settings = shared.settings
    play = mode.seen
    match = play.match if play else None
    puzzle = mode.puzzle
    turn = match.turn if match else puzzle.turn if puzzle else None
    standing = play.standing if play else None
    return Scene(
        player=match.player + 1 if match else None,
        open=to_numbers(match.standing if match else turn.open if turn else 0),
        lever_tiles=lever_tiles(match.rules, standing, offset_of(match, shared))
        if match and standing
        else (),
        hidden=tuple(sorted(numbers_hidden(match.rules, standing.behind))) if match and standing else (),
        flips_tiles=mode.flips_tiles,
        throw=turn.throw if turn else None,
        verdict=mode.verdict,
        scores=match.scores if match else (),
        totals=match.totals if match else (),
        owes=play.owes if play else (),
        winners=tuple(i + 1 for i in match.result.winners) if match and match.result else (),
        reason=_reason(match),
        seats=tuple(player_name(player, shared) for player in range(match.players)) if match else (),
        game=match.game if match else puzzle.game if puzzle else settings.usual_game,
        staked=settings.game.stakes is not ShownStakes.OFF,
        review=None if settings.game.family else mode.review,
        form=Form(
            settings,
            shared.names,
            is_open=mode.takes_settings,
            walks=mode.has_cursor and not shared.asleep,
            leaves=mode.asks_to_leave,
        ),
        heard=play.heard if play else "",
        beginning=play.beginning if play else None,
        actions=play.actions if play else (),
    )


def _reason(match: Match | None) -> Text:
    """Why the match is over; empty while it goes on, or if the totals make it obvious."""
    return (reason_text(match) if match and match.players > 1 else None) or ""


def _screen(mode: BoxMode, shared: Shared) -> Screen:
    """The mode's screen, covered by a fault, a question or a refusal."""
    screen = mode.screen(shared)._replace(is_list=mode.is_list)
    if shared.stick_is_new and mode.in_turn:
        screen = screen._replace(aside=message("stick"))
    elif shared.fault is not None and mode.in_turn:
        screen = screen._replace(aside=FAULT_TEXTS[shared.fault][1])
    if (
        shared.settings.tournament
        and mode.shows_tournament
        and not ((shared.fault or shared.stick_is_new) and screen.aside)
    ):
        screen = screen._replace(aside=message("equal dice"))
    if shared.overlay is Overlay.ABANDON:
        prompt, also = message("Press: yes"), (message("Hold: no"),)
        return Screen(screen.mode, big=message("End the match?"), prompt=prompt, also=also, lit=True)
    if shared.holds_on and (mode.asks_to_leave or mode.may_insist(shared)):
        # Nothing else, or it would be read as the answer to the hold.
        return screen._replace(alert=message("Keep holding: end match"), prompt="", also=())
    if mode.works_by_levers:
        if shared.by_levers:
            screen = screen._replace(also=(*screen.also, message("3 s down: press")))
    elif (dead := dice_button_complaint(shared)) is not None:
        # Play is stuck, but what the levers should do stays in sight.
        if shared.unpressed >= SILENT_MOVES:  # perhaps nobody wants to press
            screen = screen._replace(also=(*screen.also, dead))
        else:
            screen = screen.alerted(dead)
    return screen if shared.refusal is None else screen.alerted(shared.refusal)
