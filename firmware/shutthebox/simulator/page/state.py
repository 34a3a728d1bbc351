"""The simulated box's state for a page, and makers' changes to its hardware, whatever the transport."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from shutthebox.config.profiles import from_text
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.files import shown_path
from shutthebox.game.inputs import CursorMoved, FormInput, RulesGiven
from shutthebox.game.settings import on_box
from shutthebox.simulator.hardware.box import LeverFault
from shutthebox.simulator.hardware.workshop import Condition, Workshop
from shutthebox.simulator.page.message import BreakLever, ChangeHardware, GiveRules, Mend, PressService
from shutthebox.simulator.page.texts import Texts, page_texts, workshop_texts
from shutthebox.simulator.page.transcript import Transcript, Words
from shutthebox.translations import translations


class View:
    """Keeps track of what one page has been told about the box.

    Attributes:
        in_workshop: its workshop is open, so it gets the log, too.
    """

    def __init__(self) -> None:
        self.in_workshop = False
        self._rules = ""
        self._told: dict[str, object] = {}
        self._logged = 0

    def open_workshop(self, is_open: bool) -> None:
        """Opens or closes the workshop; the log is sent from its beginning."""
        self.in_workshop, self._logged = is_open, 0

    def give_rules(self, request: GiveRules, words: Words, fill_in: Callable[[FormInput], None]) -> None:
        """Gives the box house rules; the page gets its answer."""
        self._rules = _take_rules(request, words, fill_in)
        self.resend("rules")

    def fill_in(self, given: FormInput, words: Words, fill_in: Callable[[FormInput], None]) -> None:
        """Passes on input that the box offers; otherwise the page is sent the current values again."""
        if words.offers(given):
            fill_in(given)
        else:
            self.resend("form")
        if not isinstance(given, CursorMoved):
            self._rules = ""  # what it said to the rules may not hold any more

    def resend(self, key: str) -> None:
        """Sends a part of the state again even if it hasn't changed, so that every answer is seen."""
        self._told.pop(key, None)

    def news(self, state: dict[str, object], words: Transcript) -> str:
        """What's new, as JSON: first the whole state, of the type "box", then changes; empty if nothing is.

        Args:
            state: this page's state now.
            words: the box's words, with its log.
        """
        state = {**state, "rules": self._rules}
        changed = {key: value for key, value in state.items() if self._told.get(key, ...) != value}
        if self.in_workshop:
            self._logged, lines = words.log_since(self._logged)
            if lines:
                changed["log"] = lines
        if not changed:
            return ""
        kind = "change" if self._told else "box"
        self._told = state
        return json.dumps({"type": kind, **changed}, separators=(",", ":"))


def box_state(workshop: Workshop, words: Transcript, panel: str, sound: float | None) -> dict[str, object]:
    """The box now.

    Args:
        workshop: its hardware.
        words: what it says.
        panel: its picture, from `pixels_text`.
        sound: the current tone in Hz; None for silence.
    """
    box = workshop.box
    down = box.levers_down
    return {
        **words.state(),
        "texts": all_texts(words.words.language),
        "levers": [{"number": number, "down": number in down} for number in box.levers],
        "button": box.button_down,
        "panel": panel,
        "lamp": round(box.lamp, 3),
        "sound": sound,
        "broken": not workshop.condition.is_sound,
        "film": None,
    }


def visitor_state(state: dict[str, object]) -> dict[str, object]:
    """The state for visitors, who can play, but not change settings."""
    form = state["form"]
    form = {**form, "open": False, "leaves": False} if isinstance(form, dict) else None
    return {"form": form, "list": None, "boxes": None}


def boxes_state(levers: int, boxes: Sequence[int]) -> dict[str, object] | None:
    """The numbers of levers to choose from, and the current one; None if there's no choice."""
    return {"options": boxes, "chosen": boxes.index(levers)} if levers in boxes else None


def workshop_state(workshop: Workshop, power: dict[str, object]) -> dict[str, object]:
    """The hardware, for a page with an open workshop; no recorder if the power's `recording` is None."""
    condition = workshop.condition
    return {
        "hardware": {
            "stuck": condition.stuck,
            "cut": condition.cut,
            "bounce_ms": condition.bounce_ms,
            "lost_percent": condition.lost_percent,
            "display_unplugged": condition.display_unplugged,
            "disk_full": condition.disk_full,
            "service": workshop.box.has_service_button,
        },
        "pins": [
            [line.number, line.name, round(line.value, 3), line.opened, line.edges]
            for line in workshop.box.lines()
        ],
        "power": power,
    }


def repair(workshop: Workshop, request: ChangeHardware | BreakLever | Mend | PressService) -> str:
    """Breaks or mends the hardware; returns a line for the log."""
    match request:
        case ChangeHardware(what, value):
            workshop.change(**{what: value})
            return f"{what} {value}"
        case BreakLever(lever, state):
            workshop.break_lever(lever, None if state == "works" else LeverFault(state))
            return f"lever {lever} {state}"
        case Mend():
            workshop.restore(Condition())
            return "everything mended"
        case PressService():
            workshop.box.press_service()
            return "the button inside the box is pressed"


@cache
def all_texts(language: str) -> Texts:
    """The texts of the page and its workshop in this language."""
    translate = translations()[language]
    return {**page_texts(translate), **workshop_texts(translate)}


def _take_rules(request: GiveRules, words: Words, fill_in: Callable[[FormInput], None]) -> str:
    """Gives the box rules, checked like those of a config. Returns one line for the page."""
    _ = translations()[words.language]
    if words.form is None or not words.form["open"]:
        return _("A match is on. You can change these when it's over.")
    path = Path(Path(request.file).name or "rules")
    try:
        rules = from_text(request.text, path)
    except ShutTheBoxError as error:
        return one_line(str(error))
    try:
        on_box(rules, words.levers, words.others)
    except ValueError as error:
        return one_line(f"{shown_path(path)}: {error}")
    fill_in(RulesGiven(rules))
    return _("The game is now: {game}.").format(game=rules.title(words.language, _))
