"""Turns the box's screens into spoken sentences. Pure: no clock, file or voice."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from shutthebox.game.effects import Effect, PlaySound, Show, Sound
from shutthebox.game.lever_tiles import list_lever_tiles
from shutthebox.game.messages import (
    ChartBar,
    CommaList,
    ListRow,
    Message,
    Name,
    Numbers,
    Seat,
    Spelling,
    Text,
    TileSum,
    Translate,
    localize,
    message,
)
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen, TileState
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import Profile
from shutthebox.translations import translations


class Announcement(NamedTuple):
    """One announcement.

    Attributes:
        text: one or more sentences.
        language: of the text, by its code.
        waits: wait for the current announcement to end instead of interrupting it.
    """

    text: str
    language: str
    waits: bool = False


class Announcer:
    """Turns the effects of a box into announcements: each new text of the screen, once.

    Pass it every effect, in order, as runner observers get them.

    Example:
        >>> from shutthebox.config.schema import Config
        >>> from shutthebox.simulator.virtual_box import VirtualBox
        >>> announcer, said = Announcer(), []
        >>> box = VirtualBox(Config(), observers=[lambda what, t_ns: said.append(announcer.take(what))])
        >>> box.press(100_000_000)
        >>> box.run_until(1_000_000_000)
        >>> box.close()
        >>> [announcement.text for announcement in said if announcement][-1]
        'Players? 2. Press: choose. Lever 8: previous, 9: next. Hold: back.'
    """

    def __init__(self) -> None:
        self._mode: Mode | None = None
        self._usual: tuple[Profile | None, str] | None = None
        """The usual game and the language, while nobody plays."""
        self._parts: Mapping[str, str] = {}
        self._says_prompt_again = False
        self._heard: set[str] = set()
        """Everything said since the title last changed."""
        self._to_do: frozenset[str] = frozenset()
        """The actions that the last screen offered."""
        self._claims: frozenset[str] = frozenset()
        """What the latest announcement said is wrong, or to do."""
        self.stands = True
        """Whether what the latest announcement said is wrong, or to do, still is."""

    def take(self, what: Effect | SwitchChanged) -> Announcement | None:
        """The announcement for this effect; None for none."""
        match what:
            case PlaySound(Sound.REFUSED | Sound.FAULT):
                self._says_prompt_again = True
            case Show():
                announcement = self._show(what)
                self.stands = announcement is not None or self._claims <= _claims(what)
                return announcement
            case _:
                pass
        return None

    def _show(self, show: Show) -> Announcement | None:
        if show.asleep:
            self._mode, self._parts = None, {}
        if show.screen.tumbling:
            # The next throw is announced even if it's the same again.
            self._parts = {part: self._parts.get(part, "") for part in ("title", "aside")}
        # The throw follows in a moment; and in attract, screens may follow each other without end.
        if show.asleep or show.screen.tumbling or self._rests(show):
            return None
        translate = translations()[show.language]
        parts, before = screen_parts(show, translate), self._parts
        if show.mode is Mode.ATTRACT and (show.scene.game, show.language) != self._usual:
            self._usual, before = (show.scene.game, show.language), {}
        again = {"alert": parts["alert"] or parts["prompt"]} if self._says_prompt_again else {}
        self._mode, self._parts, self._says_prompt_again = show.mode, parts, False
        if before.get("alert") and not parts["alert"]:
            # Once a fault is gone, the task is repeated.
            before = {**before, "prompt": ""}
        new = parts if parts["title"] != before.get("title") else news(parts, before)
        if "dice" not in new:
            # Moving levers makes fewer tiles fit, which is only announced with a throw.
            new = {part: text for part, text in new.items() if part != "fits"}
        if new is parts:
            self._heard = set()
        elif show.screen.is_list:
            # The actions stay the same throughout a list, and the number of options left isn't worth hearing.
            new = {
                part: text
                for part, text in new.items()
                if part in _STEP or (part != "aside" and text not in self._heard)
            }
        to_do, known = _to_do(show, translate), self._to_do
        if "also" in new and new is not parts:
            # Actions that were offered before aren't repeated because something now precedes them.
            new = {**new, "also": sentences(text for text in to_do[1:] if text not in known)}
        self._to_do = frozenset(to_do)
        self._heard |= set(parts.values())
        text = sentences((new or again).values())
        if text:
            said = new or again
            self._claims = frozenset(said[part] for part in ("alert", "prompt") if said.get(part))
        by_itself = _LATER | {"big"} if show.mode is Mode.READY else _LATER
        return (
            Announcement(text, show.language, waits=bool(new) and new.keys() <= by_itself) if text else None
        )

    def _rests(self, show: Show) -> bool:
        is_usual = (show.scene.game, show.language) == self._usual
        return show.mode is self._mode is Mode.ATTRACT and is_usual and not show.screen.alert


def _claims(show: Show) -> frozenset[str]:
    """What's wrong, and all that can be done; a dark screen says nothing."""
    if show.asleep:
        return frozenset()
    translate, screen = translations()[show.language], show.screen
    texts = (screen.alert, screen.prompt, *screen.also)
    return frozenset(localize(to_speech(text), translate) for text in texts)


_LATER = frozenset({"aside", "rows", "also"})
"""Texts that change by themselves: the clock ticks, or the coach's comment on a turn arrives a moment later.

In ready, so does the large word: how many dice are best.
"""

_STEP = ("big", "rows", "paragraph", "code", "alert")
"""The parts that a step through a list changes, and the refusal of such a step."""

_SECONDS_SAID = (10, 5)
"""The seconds left that are announced, besides those at the start: all of them would drown out the throw."""


def to_speech(text: Text) -> Text:
    """The text as the voice says it."""
    match text:
        case Message(english, values, voice):
            said = tuple(
                (blank, value if isinstance(value, int) else to_speech(value)) for blank, value in values
            )
            return Message(voice or english, said)
        case Numbers(runs=runs):
            return CommaList(
                tuple(
                    message("{first} to {last}", first=first, last=last) if last > first else str(first)
                    for first, last in runs
                )
            )
        case TileSum(numbers, at_back):
            tiles: list[Text] = [*map(str, numbers)]
            tiles += (message("{tile} at the back", tile=number) for number in at_back)
            some = CommaList(tuple(tiles[:-1]))
            return message("{some} and {last}", some=some, last=tiles[-1]) if some.texts else tiles[0]
        case Name(letters):
            # A voice spells capitals; what a box calls itself is written as it's said.
            return letters.capitalize() if letters.isupper() else letters
        case Spelling(letters):
            return " ".join(letters)
        case Seat(_, name):
            return to_speech(name)
        case "–":
            return message("no score")
        case ListRow(name, value):
            return Message("{name} {value}", (("name", to_speech(name)), ("value", to_speech(value))))
        case ChartBar(number):
            return str(number)
        case CommaList(texts):
            return CommaList(tuple(map(to_speech, texts)))
        case _:
            return text


def _to_do(show: Show, translate: Translate) -> list[str]:
    """The prompt and what else can be done, in words."""
    return [localize(to_speech(text), translate) for text in (show.screen.prompt, *show.screen.also)]


def screen_parts(show: Show, translate: Translate) -> dict[str, str]:
    """The parts of the screen as text, in speaking order; an empty string for an empty part."""
    screen, _ = show.screen, translate

    def said(text: Text) -> str:
        return localize(to_speech(text), translate)

    parts = {
        "heard": said(show.scene.heard),
        "title": said(screen.title),
        "aside": said(_aside(show)),
        "dice": _dice(screen, translate),
        "fits": sentences(map(said, _fitting(screen))),
        "big": said(screen.big) if screen.big != screen.title else "",
        "rows": sentences(map(said, _rows(screen))),
        "paragraph": sentences(map(said, _paragraph(screen))),
        "code": screen.code and said(message("Address: {address}", address=_address(screen.code))),
        "alert": said(screen.alert),
        "prompt": said(screen.prompt) if screen.prompt != screen.alert else "",
        "also": sentences(said(text) for text in screen.also if text != screen.alert),
    }
    if show.mode is Mode.MATCH_OVER and screen.rows:
        parts["big"] = ""  # the rows say whose scores they are
    if show.mode is Mode.TURN_OVER:
        if show.scene.throw:
            corner = "" if isinstance(screen.aside, str) else parts["aside"]  # not the throw again
            parts |= {
                "aside": corner,
                "dice": _say_thrown(show.scene.throw, sum(show.scene.throw), translate),
            }
        if screen.prompt in (message("Box shut!"), message("All open!")):
            parts["big"] = ""  # which says it again
        # The last throw, how the turn has ended, then the score.
        order = (
            "heard",
            "title",
            "aside",
            "dice",
            "alert",
            "prompt",
            "big",
            "also",
            "rows",
            "paragraph",
            "code",
        )
        parts = {part: parts[part] for part in order}
    return parts


def _aside(show: Show) -> Text:
    """The corner, without seconds that aren't announced."""
    match show.screen.aside:
        case Message(values=(("seconds", int(left)),)):
            said = (
                _SECONDS_SAID if show.scene.game is None else (*_SECONDS_SAID, show.scene.game.turn_seconds)
            )
            return show.screen.aside if left in said else ""
        case aside:
            return aside


def open_tiles(show: Show, translate: Translate) -> str:
    """The tiles that are open, as a sentence; empty if there is none."""
    scene = show.scene
    if not scene.open:
        return ""
    if not scene.lever_tiles:
        found: tuple[Text, ...] = (message("Open: {tiles}", tiles=Numbers(scene.open)),)
    else:
        first, *rest = list_lever_tiles([tile for tile in scene.lever_tiles if tile.in_play])
        hidden = message("Behind them: {tiles}", tiles=Numbers(scene.hidden))
        found = (message("Open: {tiles}", tiles=first), *rest, *((hidden,) if scene.hidden else ()))
    return sentences(localize(to_speech(text), translate) for text in found)


_FITTING = (TileState.VIABLE, TileState.OPENABLE)


def _fitting(screen: Screen) -> Sequence[Text]:
    """The tiles that fit the throw; empty where the prompt names them. More may be open: `open_tiles`."""
    levers = Numbers(tuple(lever for lever, state in screen.tiles if state in _FITTING))
    named = screen.prompt.values if isinstance(screen.prompt, Message) else ()
    if not screen.dice or not levers.numbers or levers in dict(named).values():
        return ()
    stand_for = [tile for tile in screen.lever_tiles if tile.lever in levers.numbers]
    first, *rest = list_lever_tiles(stand_for) if stand_for else (levers,)
    return message("These fit: {tiles}", tiles=first), *rest


def _rows(screen: Screen) -> Sequence[Text]:
    """A list: the chosen line if it's a choice, or else all lines."""
    return (screen.rows[screen.cursor],) if screen.chooses and screen.cursor is not None else screen.rows


def _paragraph(screen: Screen) -> Sequence[Text]:
    """A paragraph; the cause of a result and what its lever shows are two sentences."""
    match screen.paragraph:
        case ListRow(cause, lever):
            return cause, lever
        case text:
            return (text,)


def _address(code: str) -> str:
    """An address as people type it."""
    return code.partition("#")[0].removeprefix("http://").rstrip("/")


def _dice(screen: Screen, translate: Translate) -> str:
    """The throw on the table; empty without one."""
    _ = translate
    if screen.tumbling:
        return _("The dice roll")
    return _say_thrown(screen.dice, screen.total, translate) if screen.dice else ""


def _say_thrown(throw: Throw, total: int | None, translate: Translate) -> str:
    _ = translate
    *some, last = map(str, throw)
    if not some:
        return _("Thrown: {total}").format(total=last)
    faces = _("{some} and {last}").format(some=", ".join(some), last=last)
    if total is None:
        return _("Thrown: {total}").format(total=faces)
    return _("Thrown: {faces}, which is {total}").format(faces=faces, total=total)


def news(parts: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """The parts whose text is new since the last time; empty texts are never news."""
    return {part: text for part, text in parts.items() if text and text != before.get(part)}


def sentences(texts: Iterable[str]) -> str:
    """Joins the texts, adding a full stop to those that don't end like a sentence."""
    return " ".join(text if text[-1] in ".!?…" else f"{text}." for text in texts if text)
