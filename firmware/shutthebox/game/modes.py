"""The machine's table: in which mode which input is handled by what, and where that can lead.

The machine is driven by this table, refuses to go where it does not lead, and its diagram in
ARCHITECTURE.md is drawn from it.
"""

from collections.abc import Mapping
from enum import Enum

from shutthebox.game.mode import Mode


class Input(Enum):
    """What can happen to the machine."""

    PRESS = "press"
    HOLD = "hold"
    LEVERS = "levers"
    TIME = "time"
    ABANDON = "10 s hold, then press"
    SERVICE = "service button"


M, In = Mode, Input

_TURN = (M.RAISE, M.READY)

TABLE: Mapping[tuple[Mode, Input], tuple[str, tuple[Mode, ...]]] = {
    (M.ATTRACT, In.PRESS): ("start", (M.SETUP, *_TURN)),
    (M.ATTRACT, In.HOLD): ("open_menu", (M.MENU,)),
    (M.ATTRACT, In.SERVICE): ("open_service", (M.SERVICE,)),
    (M.MENU, In.PRESS): ("confirm_menu", (M.SERVICE,)),
    (M.MENU, In.HOLD): ("leave_menu", (M.ATTRACT,)),
    (M.MENU, In.LEVERS): ("choose", ()),
    (M.MENU, In.TIME): ("give_up_waiting", (M.ATTRACT,)),
    (M.MENU, In.SERVICE): ("open_service", (M.SERVICE,)),
    (M.SETUP, In.SERVICE): ("open_service", (M.SERVICE,)),
    (M.SERVICE, In.PRESS): ("press_in_service", ()),
    (M.SERVICE, In.HOLD): ("hold_in_service", (M.ATTRACT,)),
    (M.SERVICE, In.LEVERS): ("follow_lever", ()),
    (M.SERVICE, In.TIME): ("give_up_waiting", (M.ATTRACT,)),
    (M.SERVICE, In.SERVICE): ("leave_service", (M.ATTRACT,)),
    (M.SETUP, In.PRESS): ("confirm_setup", _TURN),
    (M.SETUP, In.HOLD): ("back_in_setup", (M.ATTRACT,)),
    (M.SETUP, In.LEVERS): ("choose", ()),
    (M.SETUP, In.TIME): ("give_up_waiting", (M.ATTRACT,)),
    (M.RAISE, In.LEVERS): ("levers_before_throw", (M.READY,)),
    (M.RAISE, In.ABANDON): ("leave_match", (M.ATTRACT,)),
    (M.READY, In.PRESS): ("press_to_throw", (M.ROLLING,)),
    (M.READY, In.HOLD): ("hold_to_throw_one", (M.ROLLING,)),
    (M.READY, In.LEVERS): ("levers_before_throw", ()),
    (M.READY, In.TIME): ("computer_throws", (M.ROLLING,)),
    (M.READY, In.ABANDON): ("leave_match", (M.ATTRACT,)),
    (M.ROLLING, In.PRESS): ("press_while_rolling", (M.FLIPPING, M.TURN_OVER, *_TURN)),
    (M.ROLLING, In.HOLD): ("hold_while_rolling", (M.FLIPPING, M.TURN_OVER)),
    (M.ROLLING, In.TIME): ("reveal", (M.FLIPPING, M.TURN_OVER, *_TURN)),
    (M.ROLLING, In.LEVERS): ("levers_before_throw", ()),
    (M.ROLLING, In.ABANDON): ("leave_match", (M.ATTRACT,)),
    (M.FLIPPING, In.PRESS): ("commit", (*_TURN, M.ROLLING)),
    (M.FLIPPING, In.HOLD): ("hint", ()),
    (M.FLIPPING, In.LEVERS): ("levers_for_throw", (*_TURN, M.TURN_OVER)),
    (M.FLIPPING, In.ABANDON): ("leave_match", (M.ATTRACT,)),
    (M.TURN_OVER, In.PRESS): ("next_player", (*_TURN, M.MATCH_OVER)),
    (M.TURN_OVER, In.ABANDON): ("leave_match", (M.ATTRACT,)),
    (M.MATCH_OVER, In.PRESS): ("play_again", _TURN),
    (M.MATCH_OVER, In.HOLD): ("leave_match", (M.ATTRACT,)),
    (M.MATCH_OVER, In.LEVERS): ("levers_after_match", (M.INITIALS,)),
    (M.INITIALS, In.LEVERS): ("change_letter", ()),
    (M.INITIALS, In.PRESS): ("take_letter", (M.MATCH_OVER,)),
    (M.INITIALS, In.HOLD): ("leave_initials", (M.MATCH_OVER,)),
    (M.INITIALS, In.TIME): ("give_up_waiting", (M.ATTRACT,)),
    (M.MATCH_OVER, In.TIME): ("give_up_waiting", (M.ATTRACT,)),
}


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {_state(M.ATTRACT)}"]
    edges: dict[tuple[Mode, Mode], list[str]] = {}
    for (mode, given), (_, targets) in TABLE.items():
        for target in targets:
            edges.setdefault((mode, target), []).append(given.value)
    lines += [f"    {_state(a)} --> {_state(b)}: {', '.join(inputs)}" for (a, b), inputs in edges.items()]
    return "\n".join(lines) + "\n"


def _state(mode: Mode) -> str:
    return mode.value.replace("-", "_")
