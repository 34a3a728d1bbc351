"""The verbs of scenarios: each parses its line and carries it out on a box."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self

from shutthebox.config.profiles import from_text
from shutthebox.game.inputs import CursorMoved, FormInput, LeaveAsked, RulesGiven
from shutthebox.game.letters import is_name
from shutthebox.game.switches.switch import BUTTONS, DICE_BUTTON, Switch
from shutthebox.rules.moves import Throw
from shutthebox.rules.reader import ProfileError
from shutthebox.simulator.form_input import MAX_STEP, names_from, setting
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.arguments import (
    WrongError,
    duration_ns,
    faces,
    fraction,
    number,
    numbers,
    parse_either,
    take_words,
    toml_value,
)
from shutthebox.simulator.virtual_box import VirtualBox

PRESS_NS = 100_000_000
"""How long a press lasts."""

USUAL_HOLD_NS = 1_000_000_000
"""How long a hold lasts by default."""

POWER_CUT_WORK = 50
"""A power cut takes as long as this many presses."""


class Verb:
    """One line of a scenario."""

    __slots__ = ()
    word: ClassVar[str]
    """The first word of the line."""

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Parses the rest of the line.

        Raises:
            WrongError: the text says what's allowed.
        """
        take_words(0, words, "the word alone")
        return cls()

    @property
    def lasts_ns(self) -> int:
        """How long the hand is busy, in ns."""
        return 0

    @property
    def work(self) -> int:
        """The work, in units of one press."""
        return 1

    def do(self, box: VirtualBox) -> None:
        """Carries it out; time passes in the box.

        Raises:
            UnknownLeverError: the box has no such lever.
            ValueError: the game doesn't make such a throw.
        """


@dataclass(frozen=True, slots=True)
class Configure(Verb):
    """``config KEY VALUE``: set a key of the configuration that the box starts with."""

    word = "config"
    key: str
    value: str

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        if len(words) < 2:
            raise WrongError("use config KEY VALUE")
        return cls(words[0], " ".join(words[1:]))


@dataclass(frozen=True, slots=True)
class Seed(Verb):
    """``seed N``: the seed for dice, bounces and lost edges."""

    word = "seed"
    number: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        return cls(number(take_words(1, words, "seed N")[0], 0, 2**63 - 1, "seed"))


@dataclass(frozen=True, slots=True)
class QueueDice(Verb):
    """``dice 3 5 | 6``: the throws that the box will make next."""

    word = "dice"
    throws: tuple[Throw, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        throws = [chunk.split() for chunk in " ".join(words).split("|")]
        if not all(throws):
            raise WrongError("an empty throw; use dice 3 5 | 6")
        return cls(tuple(map(faces, throws)))

    def do(self, box: VirtualBox) -> None:
        box.dice.queue.extend(self.throws)


@dataclass(frozen=True, slots=True)
class Press(Verb):
    """``press``: press the dice button for a tenth of a second."""

    word = "press"
    lasts_ns: int = PRESS_NS

    def do(self, box: VirtualBox) -> None:
        box.press(self.lasts_ns)


class Hold(Press):
    """``hold [SECONDS]``: hold the dice button."""

    word = "hold"

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        return cls(duration_ns(take_words(1, words, "hold [SECONDS]")[0]) if words else USUAL_HOLD_NS)


@dataclass(frozen=True, slots=True)
class SetButton(Verb):
    """``button down|up``: press the dice button, or release it."""

    word = BUTTONS[DICE_BUTTON].verb
    switch: ClassVar[int] = DICE_BUTTON
    down: bool

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        return cls(parse_either(take_words(1, words, f"{cls.word} down|up")[0], "down", "up"))

    def do(self, box: VirtualBox) -> None:
        box.set_button(self.down, self.switch)


def _verb_of(row: Switch) -> type[SetButton]:
    told = f"``{row.verb} down|up``: the {row.name}, where ``config gpio.{row.key}`` gives it a line."
    parts = {"__slots__": (), "__doc__": told, "word": row.verb, "switch": row.number}
    return type(f"Set{row.key.title()}", (SetButton,), parts)


OTHER_BUTTONS = tuple(_verb_of(row) for row in BUTTONS.values() if row.number != DICE_BUTTON)
"""A verb for each button that a box may have besides the dice button."""


@dataclass(frozen=True, slots=True)
class Flip(Verb):
    """``flip N …``: put levers down."""

    word = "flip"
    down: ClassVar[bool] = True
    levers: tuple[int, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        return cls(numbers(words, "lever"))

    @property
    def work(self) -> int:
        return len(self.levers)

    def do(self, box: VirtualBox) -> None:
        for lever in self.levers:
            box.set_lever(lever, self.down)


@dataclass(frozen=True, slots=True)
class Lift(Flip):
    """``lift N …``: put levers up."""

    word = "lift"
    down: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Bounce(Verb):
    """``bounce N down|up DURATION``: move a lever, whose contact bounces for that long."""

    word = "bounce"
    lever: int
    down: bool
    lasts_ns: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        lever, direction, lasts = take_words(3, words, "bounce LEVER down|up DURATION")
        down = parse_either(direction, "down", "up")
        return cls(number(lever, 1, 54, "lever"), down, duration_ns(lasts))

    def do(self, box: VirtualBox) -> None:
        box.box.lever_line(self.lever)  # it says which levers there are
        box.bounce(self.lever, self.down, self.lasts_ns)


@dataclass(frozen=True, slots=True)
class Glitch(Verb):
    """``glitch N DURATION``: put a spike on a lever's line."""

    word = "glitch"
    lever: int
    lasts_ns: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        lever, lasts = take_words(2, words, "glitch LEVER DURATION")
        return cls(number(lever, 1, 54, "lever"), duration_ns(lasts))

    def do(self, box: VirtualBox) -> None:
        box.glitch(self.lever, self.lasts_ns)


@dataclass(frozen=True, slots=True)
class LoseEdges(Verb):
    """``lose-edges FRACTION``: lose this share of the levers' edges from now on."""

    word = "lose-edges"
    fraction: float

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        return cls(fraction(take_words(1, words, "lose-edges 0.02")[0]))

    def do(self, box: VirtualBox) -> None:
        box.box.lose_edges(self.fraction)


@dataclass(frozen=True, slots=True)
class FormVerb(Verb):
    """Something given on the form beside the box."""

    given: FormInput

    def do(self, box: VirtualBox) -> None:
        box.fill_in(self.given)


class Choose(FormVerb):
    """``choose KEY VALUE``: choose a setting of the menu on the form beside the box."""

    __slots__ = ()
    word = "choose"

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        if len(words) < 2:
            raise WrongError("use choose KEY VALUE")
        return cls(setting(words[0], toml_value(" ".join(words[1:]))))


class Names(FormVerb):
    """``names ABC - XYZ``: enter the players' names on the form beside the box; - is none."""

    __slots__ = ()
    word = "names"

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        given = names_from(words)
        if not all(map(is_name, given.names)):
            raise WrongError("use names of three letters from A to Z, or -")
        return cls(given)


class Rules(FormVerb):
    """``rules "TOML"``: enter house rules, as one JSON string, on the form beside the box."""

    __slots__ = ()
    word = "rules"

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        try:
            text = json.loads(" ".join(words))
        except (ValueError, RecursionError):
            text = None
        if not isinstance(text, str):
            raise WrongError("use a profile as one text in JSON")
        try:
            return cls(RulesGiven(from_text(text, Path("rules"))))
        except ProfileError as error:
            raise WrongError(str(error)) from None


class Cursor(FormVerb):
    """``cursor N``: move a list's cursor N lines down, or up if N is negative."""

    __slots__ = ()
    word = "cursor"

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        by = number(take_words(1, words, "cursor N")[0], -MAX_STEP, MAX_STEP, "number of lines")
        return cls(CursorMoved(by))


class LeaveMatch(FormVerb):
    """``leave``: ask for the end of the match on the form beside the box."""

    __slots__ = ()
    word = "leave"

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        take_words(0, words, "the word alone")
        return cls(LeaveAsked())


@dataclass(frozen=True, slots=True)
class PlugOled(Verb):
    """``oled off|on``: unplug the panel, or plug it in again."""

    word = "oled"
    unplugged: bool

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        return cls(parse_either(take_words(1, words, "oled off|on")[0], "off", "on"))

    def do(self, box: VirtualBox) -> None:
        if isinstance(box.display, VirtualDisplay):
            box.display.panel.unplugged = self.unplugged


@dataclass(frozen=True, slots=True)
class PowerCut(Verb):
    """``power-cut``: pull the plug and put it back."""

    word = "power-cut"

    @property
    def work(self) -> int:
        return POWER_CUT_WORK

    def do(self, box: VirtualBox) -> None:
        box.cut_power()


@dataclass(frozen=True, slots=True)
class ChangeLink(Verb):
    """``link cut|up|lose 0.2|double|late 30``: what happens to messages between the boxes from now on."""

    word = "link"
    what: Literal["cut", "up", "lose", "double", "late"]
    amount: float = 0.0

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        match words:
            case ["cut" | "up" | "double" as what]:
                return cls(what)
            case ["lose" as what, share]:
                return cls(what, fraction(share))
            case ["late" as what, seconds]:
                return cls(what, duration_ns(seconds))
            case _:
                raise WrongError("use link cut, link up, link lose 0.2, link double, link late 30")

    def do(self, box: VirtualBox) -> None:
        if box.link is None:
            return
        link = box.link.link
        match self.what:
            case "cut":
                link.cut()
            case "up":
                link.mend()
            case "lose":
                link.lost = self.amount
            case "double":
                link.doubled = True
            case "late":
                link.late_ns = round(self.amount)


@dataclass(frozen=True, slots=True)
class Wait(Verb):
    """``wait SECONDS``: nobody touches the box."""

    word = "wait"
    lasts_ns: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        return cls(duration_ns(take_words(1, words, "wait SECONDS")[0]))

    def do(self, box: VirtualBox) -> None:
        box.run_until(box.now_ns + self.lasts_ns)
