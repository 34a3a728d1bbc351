"""The box in a browser tab: the daemon on simulated pins, with the browser's clock.

A web worker has no threads and must not block. It calls `Tab.advance` at the next deadline and `Tab.take` for
the page's messages, which are those of `shutthebox.simulator.page`. Another worker calculates the odds.
"""

import base64
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import randbits
from typing import NamedTuple
from urllib.parse import parse_qsl

from shutthebox.adapters.buzzer import TUNES
from shutthebox.adapters.odds_worker import answer_or_fall_back
from shutthebox.adapters.store.database import Store
from shutthebox.adapters.store.errors import UNREADABLE, StoreError
from shutthebox.adapters.store.records import kept_match
from shutthebox.config.schema import Config, ConfigError, with_value
from shutthebox.config.settings_loader import levers_needed, possible_boxes, settings_for
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.game.effects import Sound
from shutthebox.game.mode import Mode
from shutthebox.odds.questions import OddsReady, Question
from shutthebox.rules import record
from shutthebox.simulator.hardware.bounce import DWELL_NS
from shutthebox.simulator.hardware.lit_picture import LitPicture
from shutthebox.simulator.hardware.workshop import Workshop
from shutthebox.simulator.page.message import (
    BreakLever,
    BuildBox,
    ChangeHardware,
    FillIn,
    GiveRules,
    Mend,
    MoveButton,
    MoveLever,
    OpenWorkshop,
    PageRequest,
    PressService,
    PullPlug,
    RecordScenario,
    ReplayScenario,
    parse,
)
from shutthebox.simulator.page.state import View, box_state, boxes_state, repair, workshop_state
from shutthebox.simulator.page.texts import pixels_text
from shutthebox.simulator.page.transcript import Transcript
from shutthebox.simulator.scenario.from_record import scenario_text
from shutthebox.simulator.tab_film import pack
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import translations

OPTIONS = {
    "game": "game.profile",
    "players": "game.players",
    "levers": "box.levers",
    "language": "box.language",
}
"""The options in an address, with their config keys; there's also `seed`, for the dice."""

_POWER: dict[str, object] = {"recording": None, "recorded": False}
"""The plug can be pulled, but nothing is recorded."""

_MS = 1_000_000
_MAX_SEED = 2**53
_MAX_SHOWN = 40  # characters of an option


class AddressQuery(NamedTuple):
    """What the query of an address asks for.

    Attributes:
        config: as it says.
        seed: of the dice; None for any.
        refused: options that don't work, such as "game=nothing"; the box plays without them.
    """

    config: Config
    seed: int | None
    refused: tuple[str, ...]


def parse_address(address: str) -> AddressQuery:
    """Parses an address. Whatever it says, there's a box to play on."""
    given, seed, refused = dict[str, str](), None, list[str]()
    for name, text in parse_qsl(address.removeprefix("?"), keep_blank_values=True):
        if name == "seed" and text.isdecimal() and len(text) < len(str(_MAX_SEED)):
            seed = int(text)
        elif name in OPTIONS and _config({name: text}) is not None:
            given[name] = text
        else:
            refused.append(_format_option(name, text))
    # A game and a number of levers may each be valid, but not together.
    for left_out in ((), ("game",), ("levers",), ("game", "levers")):
        config = _config({name: text for name, text in given.items() if name not in left_out})
        if config is not None and _is_playable(config):
            refused += [_format_option(name, given[name]) for name in left_out if name in given]
            return AddressQuery(config, seed, tuple(refused))
    raise AssertionError("the usual game fits its own box")


def _config(given: Mapping[str, str]) -> Config | None:
    """The config with these options; None if one isn't allowed."""
    config = Config()
    for name, text in given.items():
        value = int(text) if text.isdecimal() and len(text) < len(str(_MAX_SEED)) else text
        try:
            config = with_value(config, OPTIONS[name], value, "address")
        except ConfigError:
            return None
    return config


def _is_playable(config: Config) -> bool:
    try:
        settings_for(config, levers_needed(config, "address"), "address")
    except ShutTheBoxError:
        return False
    return True


def _format_option(name: str, text: str) -> str:
    option = one_line(f"{name}={text}")
    return option if len(option) <= _MAX_SHOWN else f"{option[: _MAX_SHOWN - 1]}…"


class _Tunes:
    """The buzzer: which tone sounds when.

    Attributes:
        box: the one whose clock it uses; None until it has started, at 0.
    """

    def __init__(self) -> None:
        self.box: VirtualBox | None = None
        self._notes: list[tuple[int, int]] = []

    def play(self, sound: Sound) -> None:
        end_ns, self._notes = self.box.now_ns if self.box else 0, []
        for frequency, length_ms in TUNES[sound]:
            end_ns += length_ms * _MS
            self._notes.append((end_ns, frequency))

    def tone(self, now_ns: int) -> int | None:
        """The tone in Hz; None for silence."""
        while self._notes and self._notes[0][0] <= now_ns:
            del self._notes[0]
        return (self._notes[0][1] or None) if self._notes else None

    @property
    def due_ns(self) -> int | None:
        return self._notes[0][0] if self._notes else None


class _OddsInWorker:
    """Sends questions to the worker of the odds."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send

    def ask(self, question: Question) -> Sequence[OddsReady]:
        self._send(base64.b64encode(pickle.dumps(question)).decode("ascii"))
        return ()


def answer_text(question: str) -> str:
    """Answers a question from `Tab`; empty if there's no answer. Runs in the worker for the odds."""
    found = answer_or_fall_back(pickle.loads(base64.b64decode(question)))
    return "" if found is None else base64.b64encode(pickle.dumps(found)).decode("ascii")


class Tab:
    """One box and its one page.

    Args:
        address: the query of the page's address.
        memory: the folder for its memory.
        epoch_s: the time of day, in seconds since 1970.
        post: called with every state for the page, as JSON.
        ask: called with questions for the odds; pass the answers to `answered`.

    Attributes:
        complaint: a line for the player about what the address asks for but can't get; may be empty.
    """

    def __init__(
        self,
        address: str,
        memory: str,
        epoch_s: float,
        post: Callable[[str], None],
        ask: Callable[[str], None],
    ) -> None:
        config, seed, refused = parse_address(address)
        folder = Path(memory)
        folder.mkdir(parents=True, exist_ok=True)
        self._post = post
        self._transcript = Transcript(config.box.language)
        self._glass, self._tunes = LitPicture(), _Tunes()
        self._view = View()
        self._match: str | None = None
        self._config = config
        self._boxes: dict[str, object] | None = None
        self._moves: list[tuple[int, MoveButton | MoveLever]] = []
        self._stands_ns: dict[int, int] = {}
        self._box = VirtualBox(
            config,
            folder,
            seed=randbits(52) if seed is None else seed,
            display=self._glass,
            observers=[self._transcript],
            where="address",
            odds=_OddsInWorker(ask),
            buzzer=self._tunes,
            epoch_s=epoch_s,
        )
        self._tunes.box = self._box
        self._workshop = Workshop(self._box.box, self._glass)
        self.complaint = self._complaint(refused)
        self._show()

    def advance(self, now_ns: int) -> int:
        """Lets time pass up to now, counted from the start. Returns the next deadline."""
        while self._moves and self._moves[0][0] <= now_ns:
            at_ns, move = self._moves.pop(0)
            self._wait(at_ns)
            self._move(move)
        self._wait(now_ns)
        if self._boxes is None:  # not before the box is seen for the first time
            levers = len(self._box.box.levers)
            self._boxes = boxes_state(levers, possible_boxes(self._config, levers, "address"))
        self._show()
        moves = [at_ns for at_ns, _ in self._moves[:1]]
        due = (self._box.runner.deadline_ns, self._glass.due_ns, self._tunes.due_ns, *moves)
        return min(each for each in due if each is not None)

    def take(self, message: str, now_ns: int) -> None:
        """Carries out a message from the page, unless it isn't allowed."""
        request = parse(message)
        if isinstance(request, str):
            return
        if isinstance(request, MoveLever | BreakLever) and request.lever not in self._box.box.levers:
            return
        if isinstance(request, MoveButton | MoveLever):
            contact = request.lever if isinstance(request, MoveLever) else 0
            at_ns = max(now_ns, self._stands_ns.get(contact, 0))
            self._stands_ns[contact] = at_ns + DWELL_NS
            self._moves.append((at_ns, request))
            self._moves.sort(key=lambda move: move[0])
        else:
            self._wait(now_ns)
            self._do(request)

    def answered(self, text: str, now_ns: int) -> None:
        """Takes an answer from the odds."""
        self._wait(now_ns)
        self._box.runner.take(pickle.loads(base64.b64decode(text)), self._box.now_ns)

    def close(self) -> None:
        """Shuts the box down properly."""
        self._box.close()

    def _complaint(self, refused: Sequence[str]) -> str:
        if not refused:
            return ""
        words = self._transcript.words
        _ = translations()[words.language]
        line = _("The address asks for {options}, which this box doesn't have. Playing: {game}.")
        return line.format(options=", ".join(refused), game=words.title)

    def _wait(self, until_ns: int) -> None:
        self._box.run_until(max(until_ns, self._box.now_ns))

    def _move(self, move: MoveButton | MoveLever) -> None:
        if isinstance(move, MoveButton):
            self._box.box.set_button(move.down)
        else:
            self._box.box.set_lever(move.lever, move.down)
        self._box.take_edges()

    def _do(self, request: PageRequest) -> None:
        match request:
            case BuildBox():
                self._view.resend("boxes")  # the page opens another address
            case OpenWorkshop(is_open):
                self._view.open_workshop(is_open)
            case ChangeHardware() | BreakLever() | Mend() | PressService():
                repair(self._workshop, request)
            case PullPlug():
                self._box.cut_power()
            case GiveRules():
                self._view.give_rules(request, self._transcript.words, self._box.fill_in)
            case FillIn(given):
                self._view.fill_in(given, self._transcript.words, self._box.fill_in)
            case MoveLever() | MoveButton() | RecordScenario() | ReplayScenario():
                pass
        self._box.take_edges()

    def _show(self) -> None:
        """Posts the changes since the last post to the page; nothing if there are none."""
        if message := self._view.news(self._state(), self._transcript):
            self._post(message)

    def _match_link(self) -> str | None:
        """The finished match, packed for a link; None if there's none, or it can't be replayed."""
        show = self._box.show
        if show.mode is not Mode.MATCH_OVER or self._box.store is None:
            self._match = None
            return None
        if self._match is None:
            self._match = self._pack_match(self._box.store)
        return self._match or None

    def _pack_match(self, store: Store) -> str:
        with suppress(StoreError, ShutTheBoxError, *UNREADABLE):
            (number,) = store.connection.execute("select max(id) from match").fetchone()
            match = kept_match(store.connection, number, "memory")
            scenario_text(match, Path("profile.toml"))  # such a link can be followed
            return pack(record.write(match))
        return ""

    def _state(self) -> dict[str, object]:
        now_ns = self._box.now_ns
        panel = pixels_text(self._glass.look(now_ns))
        state = box_state(self._workshop, self._transcript, panel, self._tunes.tone(now_ns))
        state |= {"match": self._match_link(), "boxes": self._boxes}
        return state | workshop_state(self._workshop, _POWER) if self._view.in_workshop else state
