"""The owner's code: a set of levers. Anyone may look around; changes require the code.

After five wrong codes, each further one costs a pause, doubling every time. The count resets with the right
code, and survives a power cut.
"""

from __future__ import annotations

from typing import TypeVar

from shutthebox.game.facts import Faulted, WrongCodes
from shutthebox.game.messages import Text, message
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.settings import FREE_TRIES
from shutthebox.game.state import Context, Shared, Step, keep, refuse

PAUSE_NS = 10_000_000_000
"""The first pause. Each further wrong code doubles it, up to `LONGEST_PAUSE_NS`."""

LONGEST_PAUSE_NS = 3_600_000_000_000

_SECOND_NS = 1_000_000_000

_LINE = "service_code = [2, 7]".replace(" ", "\N{NO-BREAK SPACE}")

NO_CODE = message("No code is set")
"""The prompt where a change would ask for the code; a press says more."""

_Mode = TypeVar("_Mode")


def is_code(shared: Shared) -> bool:
    """Whether the levers match the code, ignoring those out of play and one that seems broken.

    Only one, because anyone can make several levers seem broken. At least one lever of the code must remain.
    """
    wrong, code = shared.stuck | shared.dead, shared.settings.code
    counts = ~(shared.settings.out | (wrong if wrong.bit_count() == 1 else 0))
    return bool(code & counts) and not (shared.levers ^ code) & counts


def wrong_code(mode: _Mode, context: Context) -> Step[_Mode]:
    """Refuses a wrong code and counts it; from `FREE_TRIES` on, it's a fault that the owner sees."""
    step = refuse(mode, message("Wrong code"))
    count = context.shared.settings.wrong_codes + 1
    facts = keep(WrongCodes(count))
    if count >= FREE_TRIES:
        facts += keep(Faulted("service", f"wrong code, {count} times"))
    return step.preceded_by(*facts)._replace(shared=_counting(count, context))


def forgive(step: Step[_Mode], context: Context) -> Step[_Mode]:
    """The step, with all earlier wrong codes forgotten."""
    if not context.shared.settings.wrong_codes:
        return step
    return step.preceded_by(*keep(WrongCodes(0)))._replace(shared=_counting(0, context))


def _counting(wrong: int, context: Context) -> Shared:
    settings = context.shared.settings._replace(wrong_codes=wrong)
    return context.shared._replace(own_settings=settings, code_ns=context.now_ns)


def code_screen(mode: Mode, title: Text, shared: Shared) -> Screen:
    """The screen that asks for the code, or that says how to set one if there is none."""
    if shared.settings.code:
        prompt, also = message("Set, then press"), (message("Hold: back"),)
        return Screen(mode, title=title, big=message("Code?"), prompt=prompt, also=also, lit=True)
    how = message(
        "No code is set. In shutthebox.toml on the card, write under [box]: {line}. The code "
        "is then levers 2 and 7 down.",
        line=_LINE,
    )
    return Screen(mode, title=title, paragraph=how, prompt=message("Press: back"), lit=True)


def ask_code(mode: _Mode, asking: _Mode, context: Context) -> Step[_Mode]:
    """Asks for the code, unless a pause is still running.

    Args:
        mode: as it is.
        asking: the same, asking for the code.
        context: of the press.
    """
    if seconds := -(-_pause_left_ns(context) // _SECOND_NS):
        wait = message("Wait {seconds} s", seconds=seconds).say_as("Wait 1 second", "Wait {seconds} seconds")
        return refuse(mode, wait)
    return Step(asking)


def _pause_left_ns(context: Context) -> int:
    """How long codes are still refused; a power cut restarts the pause."""
    over = context.shared.settings.wrong_codes - FREE_TRIES
    if over < 0:
        return 0
    pause_ns = min(PAUSE_NS << min(over, 32), LONGEST_PAUSE_NS)
    return max(0, context.shared.code_ns + pause_ns - context.now_ns)
