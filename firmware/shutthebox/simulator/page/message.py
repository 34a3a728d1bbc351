"""The messages of a page to the box: moves of hands, the form, and changes of the simulated hardware."""

import json
from dataclasses import dataclass
from typing import TypeAlias

from shutthebox.game.inputs import CursorMoved, FormInput, LeaveAsked, NamesGiven
from shutthebox.game.letters import is_name
from shutthebox.rules.profile import MAX_PLAYERS
from shutthebox.simulator.form_input import MAX_STEP, setting
from shutthebox.simulator.hardware.workshop import MAX_BOUNCE_MS

MAX_MESSAGE = 1024
"""The longest message, in bytes, except scenarios and house rules; our page's longest is a thirtieth of
it."""

MAX_SCENARIO = 64 * 1024
"""The longest message with a scenario or house rules, in bytes."""


MAX_FILE_NAME = 255


@dataclass(frozen=True, slots=True)
class MoveLever:
    """A hand moves a lever, if the box has it."""

    lever: int
    down: bool


@dataclass(frozen=True, slots=True)
class MoveButton:
    """A hand presses the dice button, or lets it go."""

    down: bool


@dataclass(frozen=True, slots=True)
class BuildBox:
    """Build the box with this many levers, if possible."""

    levers: int


@dataclass(frozen=True, slots=True)
class OpenWorkshop:
    """The page opens or closes its view of pins, log and condition."""

    open: bool


@dataclass(frozen=True, slots=True)
class ChangeHardware:
    """Makers break or mend something: an attribute of `Condition` other than levers, and its new value."""

    what: str
    value: int


@dataclass(frozen=True, slots=True)
class BreakLever:
    """Makers break a lever ("stuck", "cut"), or mend it ("works")."""

    lever: int
    state: str


@dataclass(frozen=True, slots=True)
class Mend:
    """Makers mend everything, and leave the levers where they are."""


@dataclass(frozen=True, slots=True)
class PressService:
    """Makers press the button inside the box, if it has one."""


@dataclass(frozen=True, slots=True)
class PullPlug:
    """Makers pull the plug, and put it back."""


@dataclass(frozen=True, slots=True)
class RecordScenario:
    """Makers begin to record a scenario, or stop."""

    on: bool


@dataclass(frozen=True, slots=True)
class ReplayScenario:
    """Makers watch a scenario on another box: this text, or the recorded one (""); None ends it."""

    scenario: str | None


@dataclass(frozen=True, slots=True)
class FillIn:
    """A setting, names, a move of a list's cursor, or the match's end, if the box offers that now."""

    given: FormInput


@dataclass(frozen=True, slots=True)
class GiveRules:
    """House rules as text: from a file of this name, or typed (""). Not checked yet."""

    text: str
    file: str


PageRequest: TypeAlias = (
    MoveLever
    | MoveButton
    | FillIn
    | GiveRules
    | BuildBox
    | OpenWorkshop
    | ChangeHardware
    | BreakLever
    | Mend
    | PressService
    | PullPlug
    | RecordScenario
    | ReplayScenario
)

LEVER_STATES = ("works", "stuck", "cut")

_ALLOWED = (
    'a message is {"lever": 3, "down": true}, {"button": true}, or one of the form\'s or the workshop\'s'
)


def parse(message: str) -> PageRequest | str:
    """Parses a message. Returns the request, or, as text, why it's refused."""
    length = len(message.encode("utf-8", "replace"))
    if length > MAX_SCENARIO:
        return f"a scenario has at most {MAX_SCENARIO} bytes"
    try:
        request = _read_request(json.loads(message))
    except (ValueError, RecursionError):
        return "a message is JSON"
    if length > MAX_MESSAGE and not isinstance(request, ReplayScenario | GiveRules):
        return f"a message has at most {MAX_MESSAGE} bytes"
    return request or _ALLOWED


def _are_names(names: list[object]) -> bool:
    return len(names) <= MAX_PLAYERS and all(isinstance(name, str) and is_name(name) for name in names)


def _read_request(document: object) -> PageRequest | None:
    """The request in a document; None if it isn't one."""
    if not isinstance(document, dict):
        return None
    # In Python and in `case`, a bool is an int; in a message it isn't.
    kinds = {key: type(value) for key, value in document.items()}
    match document:
        case {"lever": int(number), "down": bool(down)} if kinds == {"lever": int, "down": bool}:
            return MoveLever(number, down)
        case {"button": bool(down)} if len(document) == 1:
            return MoveButton(down)
        case {"set": str(key), "to": value} if len(document) == 2:
            return FillIn(setting(key, value))
        case {"names": [*names]} if len(document) == 1:
            return FillIn(NamesGiven(tuple(names))) if _are_names(names) else None
        case {"cursor": int(by)} if kinds == {"cursor": int} and abs(by) <= MAX_STEP:
            return FillIn(CursorMoved(by))
        case {"leave": True} if kinds == {"leave": bool}:
            return FillIn(LeaveAsked())
        case {"rules": str(text), "file": str(file)} if len(document) == 2 and len(file) <= MAX_FILE_NAME:
            return GiveRules(text, file)
        case {"build": int(levers)} if kinds == {"build": int}:
            return BuildBox(levers)
        case {"workshop": bool(is_open)} if len(document) == 1:
            return OpenWorkshop(is_open)
        case {"display_unplugged": bool(unplugged)} if len(document) == 1:
            return ChangeHardware("display_unplugged", unplugged)
        case {"disk_full": bool(full)} if len(document) == 1:
            return ChangeHardware("disk_full", full)
        case {"bounce_ms": int(ms)} if kinds == {"bounce_ms": int} and 0 <= ms <= MAX_BOUNCE_MS:
            return ChangeHardware("bounce_ms", ms)
        case {"lost_percent": int(percent)} if kinds == {"lost_percent": int} and 0 <= percent <= 100:
            return ChangeHardware("lost_percent", percent)
        case {"lever": int(number), "state": str(state)} if kinds == {"lever": int, "state": str}:
            return BreakLever(number, state) if state in LEVER_STATES else None
        case {"mend": True} if kinds == {"mend": bool}:
            return Mend()
        case {"press_service": True} if kinds == {"press_service": bool}:
            return PressService()
        case {"pull_plug": True} if kinds == {"pull_plug": bool}:
            return PullPlug()
        case {"record": bool(on)} if len(document) == 1:
            return RecordScenario(on)
        case {"replay": None | str() as scenario} if len(document) == 1:
            return ReplayScenario(scenario)
        case _:
            return None
