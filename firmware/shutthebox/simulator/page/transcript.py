"""The box in words: for screen readers, for the help, and for the log of the workshop."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypedDict

from shutthebox.game.effects import Effect, Form, Keep, PlaySound, Show
from shutthebox.game.inputs import CursorMoved, FormInput, LeaveAsked, NamesGiven, RulesGiven, SettingChosen
from shutthebox.game.lever_tiles import LeverTile
from shutthebox.game.messages import Text, Translate, localize, message
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.game.switches.switch import switch as row_of
from shutthebox.odds.coach import MatchReview
from shutthebox.rules.profile import Profile
from shutthebox.simulator.page.coach_document import CoachDocument, coach_document
from shutthebox.simulator.page.form_document import FormDocument, form_document, offers_value
from shutthebox.simulator.page.texts import rules_of
from shutthebox.simulator.page.turns import TurnDocument, TurnList
from shutthebox.simulator.scenario.effect_lines import fact_text
from shutthebox.speech.sentences import Announcer, open_tiles, screen_parts, sentences
from shutthebox.translations import ENGLISH, localize_screen, translations

LOG_LINES = 200
"""How many of the latest log lines are kept."""


class LeverDocument(TypedDict):
    """A lever with the tile that it moves now, and its name in words."""

    lever: int
    tile: int
    back: bool
    times: int
    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """The box in words for a page: finished texts, so that no other thread touches the game's state.

    Attributes:
        language: of all of it.
        panel: everything on the panel, in words.
        said: the latest announcement; empty once what it says is wrong, or to do, no longer is.
        open: the current player's open tiles; empty without a match.
        announcements: how many there have been; the same one may come again.
        title: of the game on the table, or the usual one.
        rules: of that game, a sentence each.
        coach: the coach's latest words on this match; None if there are none.
        dice: the faces on the table; while they tumble, only their number counts.
        tumbling: whether the dice are still rolling.
        form: the page's; None before the first screen.
        walks: whether a list's cursor can be moved now.
        levers: how many the box has.
        others: the names of its games, without the page's house rules.
        turns: of the match, each with its throws, tiles and score.
        seats: the players of the match.
        rows: whether the rows on the panel are choices.
        tiles: on levers, where they don't simply bear the levers' numbers.
        playing: a match is on, and somebody is there.
    """

    language: str = ENGLISH
    panel: str = ""
    said: str = ""
    open: str = ""
    announcements: int = 0
    title: str = ""
    rules: tuple[str, ...] = ()
    coach: CoachDocument | None = None
    dice: tuple[int, ...] = ()
    tumbling: bool = False
    form: FormDocument | None = None
    walks: bool = False
    levers: int = 0
    others: frozenset[str] = frozenset()
    rows: bool = False
    tiles: tuple[LeverDocument, ...] = ()
    turns: tuple[TurnDocument, ...] = ()
    seats: tuple[str, ...] = ()
    playing: bool = False

    def offers(self, given: FormInput) -> bool:
        """Whether the box offers this now. Only then is it passed on, and checked again."""
        form = self.form
        if form is None:
            return False
        match given:
            case SettingChosen(key, value):
                return bool(form["open"]) and offers_value(form, key, value)
            case NamesGiven() | RulesGiven():
                return bool(form["open"])
            case CursorMoved():
                return self.walks
            case LeaveAsked():
                return bool(form["leaves"])


class Transcript:
    """An observer of the runner: called in the main thread, readable from any.

    Args:
        language: to use until the box shows something.
        start_ns: the log's time zero, by the runner's clock.
    """

    def __init__(self, language: str = ENGLISH, start_ns: int = 0) -> None:
        self.words = Words(language)
        """The box's current words; replaced as a whole."""
        self._announcer = Announcer()
        self._turns = TurnList()
        self._form_of: tuple[Form, str] | None = None
        self._explained: tuple[Profile | None, str] | None = None
        self._reviewed: MatchReview | None = None
        self._log: deque[str] = deque(maxlen=LOG_LINES)
        self._logged = 0
        self._log_lock = threading.Lock()
        self._start_ns = start_ns
        self._on_change: Callable[[], None] = lambda: None

    def state(self) -> dict[str, object]:
        """The words in the state of a page, of this box or of a film."""
        words = self.words
        return {
            "language": words.language,
            "coach": words.coach,
            "dice": {"faces": words.dice, "tumbling": words.tumbling},
            "form": words.form,
            "list": {"rows": words.rows} if words.walks else None,
            "playing": words.playing,
            "turns": {"seats": words.seats, "turns": words.turns},
            "game": {"title": words.title, "rules": words.rules},
            "words": words.panel,
            "said": [words.announcements, words.said],
            "open": words.open,
            "tiles": words.tiles,
        }

    def on_change(self, callback: Callable[[], None]) -> None:
        """Calls this after new words or lines, in the thread that added them."""
        self._on_change = callback

    def __call__(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        """Puts into words what players see and hear, and logs what happens."""
        if isinstance(what, Show):
            self._take(what)
        announcement = self._announcer.take(what)
        if announcement is not None:
            count = self.words.announcements + 1
            self.words = replace(self.words, said=announcement.text, announcements=count)
        elif not self._announcer.stands and self.words.said:
            self.words = replace(self.words, said="")
        line = log_line(what)
        if line:
            self._log_at(t_ns, line)
        self._on_change()

    def note(self, line: str) -> None:
        """Adds a line to the log that isn't from the box. Thread-safe; in real time."""
        self._log_at(time.monotonic_ns(), line)

    def _log_at(self, t_ns: int, line: str) -> None:
        with self._log_lock:
            self._log.append(f"{max(t_ns - self._start_ns, 0) / 1e9:9.3f}  {line}")
            self._logged += 1

    def log_since(self, count: int) -> tuple[int, list[str]]:
        """How many lines there have been, and those after the first `count`, as far as they're kept."""
        with self._log_lock:
            new = min(self._logged - count, len(self._log))
            return self._logged, list(self._log)[len(self._log) - new :]

    def _take(self, show: Show) -> None:
        translate = translations()[show.language]
        tumbling = show.screen.tumbling
        words = replace(
            self.words,
            language=show.language,
            panel=_panel_text(show, translate),
            open=open_tiles(show, translate),
            dice=show.screen.dice if tumbling else show.scene.throw or (),
            tumbling=tumbling,
            turns=tuple(self._turns.follow(show.scene.beginning, show.scene.actions)),
            seats=tuple(localize(seat, translate) for seat in show.scene.seats),
            playing=bool(show.scene.seats) and not show.scene.winners and not show.asleep,
            rows=show.screen.chooses and not show.screen.paragraph,
            tiles=tuple(_lever(tile, translate) for tile in show.scene.lever_tiles if show.scene.flips_tiles),
        )
        if show.scene.form is not None and (show.scene.form, show.language) != self._form_of:
            # Only remade when something in it changes, because it names every game.
            self._form_of, settings = (show.scene.form, show.language), show.scene.form.settings
            words = replace(
                words,
                form=form_document(show.scene.form, translate),
                walks=show.scene.form.walks,
                levers=settings.levers,
                others=frozenset(game.name for game in settings.profiles if game is not settings.page_rules),
            )
        if (show.scene.game, show.language) != self._explained:
            self._explained = (show.scene.game, show.language)
            title, rules = rules_of(show.scene.game, show.language, translate)
            words = replace(words, title=title, rules=rules)
        computers = show.scene.form.settings.game.computers if show.scene.form is not None else ()
        # After the computer's turn, people still read about their own.
        of_people = show.mode is not Mode.TURN_OVER or show.scene.player not in computers
        if (
            show.scene.review is not None
            and show.scene.review is not self._reviewed
            and show.scene.game is not None
            and of_people
        ):
            self._reviewed = show.scene.review
            coach = coach_document(show.scene.review, show.scene.game, show.scene.seats, translate, computers)
            words = replace(words, coach=coach)
        elif not show.scene.seats:
            words = replace(words, coach=None)
        self.words = words


def _lever(tile: LeverTile, translate: Translate) -> LeverDocument:
    name: Text = message("{tile} at the back", tile=tile.number) if tile.at_back else str(tile.number)
    if tile.points > 1:
        name = message("{tile}, counts ×{times}", tile=name, times=tile.points)
    return {
        "lever": tile.lever,
        "tile": tile.number,
        "back": tile.at_back,
        "times": tile.points,
        "name": localize(message("Lever {lever}: {tile}", lever=tile.lever, tile=name), translate),
    }


def _panel_text(show: Show, translate: Translate) -> str:
    _ = translate
    return sentences([_("The display is dark")] if show.asleep else screen_parts(show, translate).values())


def log_line(what: Effect | SwitchChanged) -> str:
    """A log line; empty for an effect that isn't logged."""
    match what:
        case SwitchChanged(switch, active):
            return f"{row_of(switch).name} {'down' if active else 'up'}"
        case PlaySound(sound):
            return f"sound {sound}"
        case Keep(fact):
            return f"kept {fact_text(fact)}"
        case Show():
            text = " / ".join(localize_screen(what).text.split("\n"))
            return f"{what.mode}{' asleep' * what.asleep}, levers {what.scene.verdict}: {text}"
        case _:
            return ""
