"""Two whole boxes with their real helpers, and a broker, in one virtual time, from one seed.

Hands at both boxes do what the prompts say, but some decline, or leave a match and begin another. Meanwhile
messages are lost, doubled and late, lines are cut, broker and helpers die, clocks are set, and plugs are
pulled at any moment, also while the store is being written; some stay out for longer than a match waits, and
after some, the store can't be used for a while. After every step
the boxes have one record, no throw has changed, and nothing that a screen has shown is lost. In the end the
prompts have led both to a result, and the broker keeps nothing that nobody needs.

    python -m tests.support.simulation 10000        seeds 1 to 10,000; prints those that fail, and all endings
    python -m tests.support.simulation --seed 4711  one of them, with all that was done
"""

import argparse
import logging
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from enum import StrEnum
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import NamedTuple, cast

from tests.support.box import config_with
from tests.support.faulty_store import FaultyBox, StoreTrouble
from tests.support.mortal_link import MortalLink
from tests.support.progress import end_progress, show_progress
from tests.support.virtual_broker import NEVER_NS, HelperLink
from tests.support.walk import read_prompts

from shutthebox.adapters.signatures import is_genuine
from shutthebox.adapters.store.chain import MARK_NAME
from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.adapters.store.records import kept_match
from shutthebox.config.profiles import builtins
from shutthebox.config.schema import Config
from shutthebox.game.effects import Effect, Keep, Show
from shutthebox.game.facts import Began, Fact, Finished, PlayersLeft, Resumed
from shutthebox.game.inputs import Held, LeversMoved, Pressed
from shutthebox.game.mode import Mode
from shutthebox.game.modes.match_mode import MatchMode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.link.invitation import LIMIT_S, linkable
from shutthebox.link.match import Rolled
from shutthebox.link.proof import decided_hash, text_to_sign
from shutthebox.rules.actions import (
    Action,
    Advanced,
    Moved,
    OutOfTime,
    Reopened,
    Thrown,
    action_from_text,
    apply,
)
from shutthebox.rules.linked_dice import why_unproven
from shutthebox.rules.match import Match
from shutthebox.rules.moves import Throw
from shutthebox.rules.record import Record, write
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.simulator.scenario.effect_lines import fact_text
from shutthebox.simulator.scenario.script import VERBS
from shutthebox.simulator.virtual_link import LinkEnd, VirtualLink
from shutthebox.simulator.virtual_time import VirtualTime
from shutthebox.translations import localize_screen
from shutthebox_link.helper import LOOK_S
from shutthebox_uplink.mqtt import LONGEST_RECONNECT_S

MS = 1_000_000
S = 1000 * MS
TROUBLE_STEPS = 600
"""After so many steps all is well from then on."""

AGAIN_NS = round((LONGEST_RECONNECT_S + LOOK_S + 5) * S)
"""So long after all is well again a box may still be away: until its helper tries again, and asks again."""

TROUBLE_NS, REST_NS = 240 * S, AGAIN_NS + 30 * S
"""So long all may be bad, and so long it's well afterwards. Only who is away on purpose is so for longer."""

MAX_STEPS = 6000
MAX_REMATCHES = 2
MAX_ABSENCES = 2
"""Each takes as long as all the rest: a box looks at its contacts every second."""

PAUSES_MS = 20, 100, 200, 200, 1000, 3000
SECTOR = 512
MEMORY = next((str(path) for path in (Path("/dev/shm"),) if path.is_dir()), None)
"""A store is synced after every fact, which on a disk takes most of the time."""

GAMES = [game.name for game in builtins() if linkable(game)]
NAMES = "The Anchor", "The Crown"


class Trouble(NamedTuple):
    """How often something happens, per step.

    Attributes:
        cuts: a plug is pulled.
        torn: of those, while something is being kept.
        link: something happens to the link.
        helpers: a helper dies.
        stores: a plug is pulled, and then the store can't be used for a while.
        clocks: somebody sets a box's clock, or it starts without one.
        away: a box, or what it's linked by, is away for about as long as a match waits.
        leaves: players leave their match.
        declines: of the invitations, so many are.
        again: of the results, after so many players want a rematch.
        pairing: all of it from the start, not only once the match has begun.
    """

    cuts: float = 0.0
    torn: float = 0.0
    link: float = 0.0
    helpers: float = 0.0
    stores: float = 0.0
    clocks: float = 0.0
    away: float = 0.0
    leaves: float = 0.0
    declines: float = 0.0
    again: float = 0.0
    pairing: bool = False


class Ending(StrEnum):
    """How the way to a match, or a match, ends."""

    DECLINED = "declined"
    RESULT = "a result"
    LATE_RESULT = "a result that one box had long before the other"
    HOST_LEFT = "the host's players have left"
    GUEST_LEFT = "the guest's players have left"
    RESULT_LEFT = "the other box has ended a match whose last move it lacked"
    NO_LINK_FOR_HOST = "the guest's link was too late for the host"
    NO_LINK_FOR_GUEST = "the host's link was too late for the guest"
    NO_THROW_FOR_HOST = "the guest's throw was too late for the host"
    NO_THROW_FOR_GUEST = "the host's throw was too late for the guest"
    BOTH_GAVE_UP = "too late for both"
    SILENCE = "too late from a box that was there"
    AGAIN = "a result, and a rematch"
    NOT_AGAIN = "the players of one box wanted a rematch, those of the other didn't"
    PARTED = "a result at one box, whose players left before the other had it"


RARE = frozenset({Ending.LATE_RESULT, Ending.RESULT_LEFT, Ending.PARTED})
"""Those that take a cut within a second, or a fiftieth of one: a test of its own makes it."""


class Kept(NamedTuple):
    """A match as a box has kept it.

    Attributes:
        session: of the two boxes; of a rematch, its name.
        seat: of this box, from 0.
        match: that the facts give; None once it's left, or if the rules don't allow them.
        facts: all its actions.
        is_sound: the rules allow the actions.
        is_over: it has a result.
        has_left: it's not in progress any more.
        roller: the player, from 0, of the latest roll.
        rolled_ns: when that was; None once the throw has been made.
        decided_ns: when this box kept the action that decides it.
    """

    session: str = ""
    seat: int = 0
    match: Match | None = None
    facts: tuple[Action, ...] = ()
    is_sound: bool = True
    is_over: bool = False
    has_left: bool = False
    roller: int = 0
    rolled_ns: int | None = None
    decided_ns: int | None = None

    def after(self, fact: Fact, now_ns: int) -> "Kept":
        """The match after another fact."""
        match fact:
            case Began(match, link=link):
                return Kept(link.agreement.session, link.seat, match) if link else Kept(match=match)
            case Finished():
                return self._replace(is_over=True)
            case PlayersLeft():
                return self._replace(match=None, has_left=True)
            case Rolled():
                assert self.match is not None, "a throw belongs to a match"
                return self._replace(roller=self.match.player, rolled_ns=now_ns)
            case Thrown() | Moved() | Reopened() | OutOfTime() | Advanced():
                action = action_from_text(fact.to_text())  # as the store reads it
                is_sound = self.match is not None and action.why_not(self.match) is None
                played = apply(self.match, action) if self.match and is_sound else None
                is_decided = played is not None and played.result is not None and self.decided_ns is None
                return self._replace(
                    match=played,
                    facts=(*self.facts, fact),
                    is_sound=is_sound,
                    rolled_ns=None if isinstance(fact, Thrown) else self.rolled_ns,
                    decided_ns=now_ns if is_decided else self.decided_ns,
                )
        return self

    @property
    def throws(self) -> list[Throw]:
        """All throws so far."""
        return throws_of(self.facts)


def throws_of(actions: Iterable[Action]) -> list[Throw]:
    """The throws among some actions."""
    return [action.faces for action in actions if isinstance(action, Thrown)]


class PowerFailure(BaseException):
    """A box has lost its power, in the middle of what it was doing."""


_INSISTED = "Not sent yet", "Keep holding: end match"
"""Screens from which a player may end a match whose result the other box lacks."""


class Seat:
    """One box, the hands at it, and what they have seen.

    Attributes:
        kept: its latest match.
        screen: the latest, in words.
        seen: the actions that screens have shown.
        insisted: the sessions that its hands have ended before their time.
        past: the matches that were followed by a rematch.
        was_away: the latest screen of a match that waits said that the other box is away.
        die_in: effects until the plug is pulled; None for never.
    """

    def __init__(
        self,
        number: int,
        random: Random,
        make: Callable[..., FaultyBox],
        note: Callable[[str, Iterable[Action]], None],
        tell: Callable[[int, str], None],
    ) -> None:
        self.number, self._random, self._note, self._tell = number, random, note, tell
        self.kept = Kept()
        self.seen: tuple[Action, ...] = ()
        self.insisted: set[str] = set()
        self.past: list[Kept] = []
        self.was_away = False
        self.die_in: int | None = None
        self.dies_writing = False
        self._before: dict[Path, bytes] = {}
        self._unsure: Keep | None = None
        self._starting: list[tuple[Effect, int]] | None = None
        self.box = make(observers=[self._observe])

    # What the box does.

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, SwitchChanged):
            return
        if self._starting is not None:
            self._starting.append((what, t_ns))
            return
        if self.die_in is not None:
            self.die_in -= 1
            if self.die_in <= 0 and (isinstance(what, Keep) or not self.dies_writing):
                if not self.dies_writing:
                    self._take(what, t_ns)
                elif isinstance(what, Keep):
                    self._unsure = what
                    self._note(self.kept.session, self.kept.after(what.fact, t_ns).facts)
                raise PowerFailure(self)
        self._take(what, t_ns)
        if self.die_in is not None:
            self.note_files()

    def _take(self, what: Effect, t_ns: int) -> None:
        if isinstance(what, Keep):
            self._tell(self.number, f"# keeps {fact_text(what.fact)}")
            before, self.kept = self.kept, self.kept.after(what.fact, t_ns)
            if self.kept.facts is not before.facts:
                self._note(self.kept.session, self.kept.facts)
            if isinstance(what.fact, Began):
                self.seen = ()
                if before.match is not None:
                    assert before.is_over, f"box {self.number + 1} begins another match during one"
                    self.past.append(before._replace(match=None, has_left=True))
            elif isinstance(what.fact, PlayersLeft) and any(words in self.text for words in _INSISTED):
                self.insisted.add(self.kept.session)
        elif isinstance(what, Show):
            self.screen = localize_screen(what)
            self._tell(self.number, f"# shows {' / '.join(self.text.splitlines())}")
            self._look_at(what)

    def _look_at(self, show: Show) -> None:
        """Remembers what a screen shows, all of which must be kept by then."""
        kept, shown = self.kept, show.scene.actions
        assert show.screen.lit or not self.screen.prompt.startswith("Press"), "the lamp shows a press is due"
        if show.mode in (Mode.WATCHING, Mode.AWAITING):
            self.was_away = "Hold 10 s" in self.text
        if show.scene.beginning is not None:
            assert shown == kept.facts[: len(shown)], f"box {self.number + 1} shows what it hasn't kept"
            self.seen = max(self.seen, shown, key=len)
            self._note(kept.session, shown)
        if show.mode is Mode.MATCH_OVER:
            assert kept.is_over, f"box {self.number + 1} shows a result that it hasn't kept"
        if "doesn't count" in self.text:
            assert not kept.is_over, f"box {self.number + 1} takes back a result"

    def note_files(self) -> None:
        """Remembers the store's log and head mark, before more is written."""
        self._before.clear()
        store = self.box.store
        if store is None:
            return
        for ending in ("-wal", MARK_NAME):
            path = store.path.with_name(f"{STORE_FILE}{ending}")
            self._before[path] = path.read_bytes() if path.exists() else b""

    @property
    def shown_match(self) -> Match | None:
        """The match as far as the box has it, dice that still tumble included."""
        mode = self.box.runner.machine.state.mode
        return mode.play.match if isinstance(mode, MatchMode) else None

    @property
    def show(self) -> Show:
        """The latest screen."""
        return self.box.show

    @property
    def text(self) -> str:
        """All that the screen says."""
        return self.screen.text

    # Its plug.

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """What the box does meanwhile isn't of the match that its hands play."""
        self._starting = []
        yield
        self._starting = None

    @property
    def is_unsure(self) -> bool:
        """Whether the box doesn't know yet which match it has."""
        return not self.box.memory.is_durable

    def die(self, trouble: StoreTrouble | None = None) -> None:
        """Pulls the plug, and puts it back; the store may be in trouble from then on."""
        unsure, self._unsure, self.die_in = self._unsure, None, None
        self._starting = []
        if unsure is None:
            self.box.unplug()
        else:
            self.box.unplug(self._spoil)
        if trouble is not None:
            self.box.begin_trouble(trouble)
        self.box.plug_in()
        started, self._starting = self._starting, None
        before, now_ns = self.kept, self.box.now_ns
        if unsure is not None:
            self._take(unsure, now_ns)
            if not self._goes_on_with(unsure, started):
                # It wasn't kept, and nobody can have seen it.
                self.kept = before
        for what, t_ns in started:
            self._take(what, t_ns)

    def _goes_on_with(self, unsure: Keep, started: list[tuple[Effect, int]]) -> bool:
        """Whether the box, having started, has what it was keeping when its power failed."""
        kept = self.kept
        for what, t_ns in started:
            if isinstance(what, Keep):
                # A match that's over, or left, isn't resumed.
                if isinstance(unsure.fact, Finished | PlayersLeft) and isinstance(what.fact, Resumed):
                    return False
                kept = kept.after(what.fact, t_ns)
        return self._fits(kept)

    @property
    def fits(self) -> bool:
        """Whether the box has the match that it has kept, and shows it."""
        return self._fits(self.kept)

    def _fits(self, kept: Kept) -> bool:
        shown = self.shown_match
        if shown is None or kept.match is None:
            return kept.is_sound and (shown is kept.match or kept.is_over)
        return shown._replace(game=kept.match.game) == kept.match  # a box may know the game by another name

    def _spoil(self, path: Path, content: bytes) -> bytes:
        """A file of the store, if power fails while its log is being written; the head mark comes later."""
        before = self._before.get(path, content)
        if path.name.endswith(MARK_NAME):
            return before
        if content[:32] != before[:32]:  # a new log, or nothing to spoil
            return content
        longer, torn, is_first = before.ljust(len(content), b"\0"), b"", True
        for at in range(0, len(content), SECTOR):
            written, old = content[at : at + SECTOR], longer[at : at + SECTOR]
            if written != old:
                # The first of these sectors has the end of what was synced before, which no disk loses.
                may_be = (written, old) if is_first else (written, old, self._random.randbytes(len(written)))
                written, is_first = self._random.choice(may_be), False
            torn += written
        return torn[: self._random.choice((len(content), max(len(before), 32)))]


class Simulation:
    """Two boxes and what happens to them.

    Args:
        seed: of everything.
        folder: for their stores.
        trouble: what goes wrong; None for what the seed says.
        game: that is played; empty for one of the seed's choice.
        tell: told of all that is done, as lines of a scenario.
        is_scenario: the link is that of scenarios, and not the real helpers.
    """

    def __init__(
        self,
        seed: int,
        folder: Path,
        trouble: Trouble | None = None,
        game: str = "",
        tell: Callable[[str], None] = lambda line: None,
        *,
        is_scenario: bool = False,
    ) -> None:
        self.seed, self._tell = seed, tell
        tell(f"seed {seed}")
        self._random = random = Random(f"{seed} simulation")
        self.trouble = trouble or Trouble(
            cuts=random.choice((0, 0.005, 0.03)),
            torn=random.choice((0, 0.5)),
            link=random.choice((0, 0.02, 0.1)),
            helpers=random.choice((0, 0.01)),
            away=random.choice((0, 0, 0.005)),
            leaves=random.choice((0, 0, 0.01)),
            declines=random.choice((0, 0, 0.5)),
            pairing=random.random() < 0.2,
        )
        if trouble is None:
            more = Random(f"{seed} stores")
            self.trouble = self.trouble._replace(
                stores=more.choice((0, 0.005, 0.02)), clocks=more.choice((0, 0.01))
            )
            self.trouble = self.trouble._replace(again=Random(f"{seed} again").choice((0, 0.7, 0.95)))
        self._tastes = Random(f"{seed} tastes")
        self._wish: dict[tuple[str, int], bool] = {}
        """Whether players want a rematch, by session and seat."""
        self.game = game or random.choice(GAMES)
        self.time = VirtualTime()
        self.link: MortalLink | HelperLink
        if is_scenario:
            self.link = MortalLink(seed, lambda: self.time.now_ns)
        else:
            self.link = HelperLink(seed, lambda: self.time.now_ns, folder)
        self.time.add(self.link)
        self._throws: dict[str, list[Throw]] = {}
        self._matches: dict[str, dict[int, Kept]] = {}
        self._explained: set[tuple[str, int]] = set()
        self._late: set[tuple[str, int]] = set()
        self.endings: set[Ending] = set()
        self._mended_ns = self._release_ns = self._bad_ns = 0
        self._is_away = self._is_patient = False
        self._absences = MAX_ABSENCES
        self._troubled: dict[int, int] = {}
        """Until when a seat's store is in trouble."""
        self.seats: list[Seat] = []
        for number in range(2):
            state = folder / f"{number}"
            state.mkdir()
            config = self._config(number)
            make = partial(self._box, number, config, state)
            self.seats.append(Seat(number, random, make, self._note_throws, self._say))

    def _config(self, number: int) -> Config:
        values = {"game__setup": "usual", "game__profile": self.game, "game__rounds": 1} | {
            "link__on": True,
            "link__name": NAMES[number],
        }
        for key, value in values.items():
            shown = str(value).lower() if isinstance(value, bool) else value
            self._say(number, f"config {key.replace('__', '.')} {shown}")
        return config_with(**values)

    def _box(self, number: int, config: Config, state: Path, **more: object) -> FaultyBox:
        return FaultyBox(
            config,
            state,
            seed=self.seed + number,
            advised=False,
            epoch_s=self._random.uniform(0, 2e9),
            link=LinkEnd(cast(VirtualLink, self.link), number),
            time=self.time,
            **more,  # type: ignore[arg-type]
        )

    def close(self) -> None:
        """Closes both boxes."""
        for seat in self.seats:
            seat.box.close()

    def _say(self, number: int, line: str) -> None:
        self._tell(f"box 2: {line}" if number else line)

    def _do(self, number: int | None, line: str, act: Callable[[], object]) -> None:
        """Does something, at a box or between them; whoever loses the power by it gets it back."""
        t_ns = self.time.now_ns
        self._say(number or 0, f"@{t_ns // S}.{t_ns % S:09d} {line}")
        try:
            act()
        except PowerFailure as failure:
            dead: Seat = failure.args[0]
            self._say(dead.number, f"power-cut  # while {'keeping' if dead.dies_writing else 'busy'}")
            dead.die()
            self._bad_ns = self.time.now_ns
            for seat in self.seats:
                if seat.box.box.button_down:  # the failure has interrupted the hand, too
                    self.wait(max(0, self._release_ns - self.time.now_ns))
                    self._do(seat.number, "button up", partial(seat.box.set_button, False))

    # Steps.

    def run(self) -> None:
        """Plays to the end.

        Raises:
            AssertionError: a promise is broken.
        """
        for step in range(MAX_STEPS):
            for seat in [seat for seat in self.seats if self._is_due(seat)]:
                self._end_trouble(seat)
            if step >= TROUBLE_STEPS or self.time.now_ns > self._mended_ns + TROUBLE_NS + REST_NS:
                self._mend()
            elif self.time.now_ns < self._mended_ns + REST_NS:
                pass
            elif self.trouble.pairing or all(seat.kept.match for seat in self.seats):
                self._make_trouble()
            self._is_patient = step >= TROUBLE_STEPS
            self.hand(self._random.choice(self.seats))
            self.wait(self._random.choice(PAUSES_MS) * MS)
            self.check()
            kept = [seat.kept for seat in self.seats]
            if any(each.is_over for each in kept) and all(each.match is None for each in kept):
                self._mend()
                self.wait(2 * S)
                self._verify()
                self._tidy_up()
                return
        shown = " | ".join(f"{seat.show.mode}: {seat.text!r}" for seat in self.seats)
        raise AssertionError(f"prompts that are followed alone lead to the end: {shown}")

    def check(self) -> None:
        """Looks whether all promises hold.

        Raises:
            AssertionError: one doesn't.
        """
        is_bad = self._is_away or not self.link.is_well or not all(map(self.link.has_helper, (0, 1)))
        if is_bad or any(
            seat.die_in is not None or seat.box.trouble or seat.is_unsure for seat in self.seats
        ):
            self._bad_ns = self.time.now_ns
        for seat in self.seats:
            kept, who = seat.kept, f"box {seat.number + 1}"
            has, had = map(_short, (seat.shown_match, kept.match))
            assert seat.is_unsure or seat.fits, f"{who} has what it has kept: it has {has}, kept is {had}"
            assert seat.seen == kept.facts[: len(seat.seen)], f"{who} has lost what it has shown"
            waits = "Hold 10 s" in seat.text and self.time.now_ns > self._bad_ns + AGAIN_NS
            assert not waits, f"all is well, and {who} waits for the other: {seat.text!r}"
            for each in (*seat.past, kept):
                if each.session:
                    both = self._matches.setdefault(each.session, {})
                    was = both.get(seat.number, Kept())
                    assert not was.is_over or each.is_over, f"{who} has lost a result"
                    both[seat.number] = each
        if all(seat.past for seat in self.seats):
            self.endings.add(Ending.AGAIN)
        for session, both in self._matches.items():
            if len(both) == 2:
                most = min(len(kept.facts) for kept in both.values())
                assert both[0].facts[:most] == both[1].facts[:most], "one record"
            for number, kept in both.items():
                if kept.has_left and not kept.is_over and (session, number) not in self._explained:
                    self._explained.add((session, number))
                    self._find_reason(self.seats[number], both.get(1 - number))
            if all(kept.has_left for kept in both.values()):
                self._judge(session, [both.get(number, Kept()) for number in range(2)])

    def _find_reason(self, seat: Seat, other: Kept | None) -> None:
        """Looks why a box has no result."""
        kept, host = seat.kept, seat.number == 0
        is_late = kept.rolled_ns is not None and self.time.now_ns - kept.rolled_ns >= LIMIT_S * S
        is_gone = other is None or other.has_left
        is_unsaid = seat.show.mode is not Mode.LINKING  # a plug was pulled once it was kept
        if kept.session in seat.insisted:
            self.endings.add(Ending.HOST_LEFT if host else Ending.GUEST_LEFT)
        elif is_late and ("too long" in seat.text or is_unsaid):
            if kept.roller == kept.seat:
                self.endings.add(Ending.NO_LINK_FOR_HOST if host else Ending.NO_LINK_FOR_GUEST)
            else:
                self.endings.add(Ending.NO_THROW_FOR_HOST if host else Ending.NO_THROW_FOR_GUEST)
            if not seat.was_away:
                self.endings.add(Ending.SILENCE)
            self._late.add((kept.session, seat.number))
            if (kept.session, 1 - seat.number) in self._late:
                self.endings.add(Ending.BOTH_GAVE_UP)
        else:
            assert is_gone, f"box {seat.number + 1} gave a match up: {seat.text!r}"
            assert "has left" in seat.text or is_unsaid, seat.text

    def _verify(self) -> None:
        """Looks whether what the boxes have stored proves to anybody what has happened, and is the same."""
        records: dict[str, list[str]] = {}
        for seat in self.seats:
            assert seat.box.store is not None, "the box has a store"
            db, over = seat.box.store.connection, set[str]()
            for (number,) in db.execute("select distinct match from result").fetchall():
                record = kept_match(db, number, "store")
                assert record.boxes is not None, "both boxes are named"
                session = record.boxes.session
                assert record.conditions is not None
                assert record.conditions.linked is not None
                proof = record.conditions.linked
                assert why_unproven(record, proof) is None
                if isinstance(self.link, HelperLink) and session not in self._insisted:
                    self._check_signatures(record)
                if record.actions[-1] == Advanced():  # which may be missing where players have left
                    record = replace(record, actions=record.actions[:-1])
                over.add(session)
                records.setdefault(session, []).append(write(record))
            assert over == {kept.session for kept in (*seat.past, seat.kept) if kept.is_over}, "all are kept"
        assert all(each[1:] in ([], each[:1]) for each in records.values()), "one record of each match"

    @property
    def _insisted(self) -> set[str]:
        """The sessions that hands at either box have ended before their time."""
        return {session for seat in self.seats for session in seat.insisted}

    @staticmethod
    def _check_signatures(record: Record) -> None:
        """Looks whether both boxes have signed the finished match."""
        digest, boxes = decided_hash(record), record.boxes
        assert digest is not None, "it is decided"
        assert boxes is not None, "both are named"
        for key, signature in zip(boxes.keys, boxes.signatures, strict=True):
            assert is_genuine(key, signature, text_to_sign(digest)), "signed by both boxes"

    def _tidy_up(self) -> None:
        """Looks whether the broker keeps nothing for ever once everybody has gone."""
        self._mend()
        while any(seat.show.mode is not Mode.ATTRACT for seat in self.seats):
            for seat in self.seats:
                if seat.show.mode is not Mode.ATTRACT:
                    self._press(
                        seat, 1 if seat.show.mode in (Mode.MENU, Mode.LINKING, Mode.MATCH_OVER) else 0.1
                    )
                    self.wait(S)
        self.wait(AGAIN_NS)
        if isinstance(self.link, HelperLink):
            kept = set(self.link.broker.kept)
            assert kept <= self.link.topics, "the broker keeps for ever what nobody needs"

    def _judge(self, session: str, both: list[Kept]) -> None:
        """Looks whether a match has ended at both boxes alike."""
        if all(kept.is_over for kept in both):
            late_ns = abs((both[0].decided_ns or 0) - (both[1].decided_ns or 0))
            self.endings.add(Ending.LATE_RESULT if late_ns > LIMIT_S * S else Ending.RESULT)
            for seat, other in (both, both[::-1]):
                missing = seat.facts[len(other.facts) :]
                assert missing in ((), (Advanced(),)), "one record"
        elif any(kept.is_over for kept in both):
            has_insisted = any(
                session in seat.insisted and kept.decided_ns is not None
                for seat, kept in zip(self.seats, both, strict=True)
            )
            assert has_insisted, "a match that counts at one box counts at both"
            self.endings.add(Ending.PARTED)
        elif any(kept.decided_ns is not None for kept in both):
            self.endings.add(Ending.RESULT_LEFT)

    def _note_throws(self, session: str, actions: Iterable[Action]) -> None:
        throws = throws_of(actions)
        known = self._throws.setdefault(session, [])
        most = min(len(known), len(throws))
        assert known[:most] == throws[:most], f"throws were {known}, and are {throws}"
        known += throws[most:]

    # What goes wrong.

    def _make_trouble(self) -> None:
        random, trouble = self._random, self.trouble
        if self._absences and random.random() < trouble.away * (80 if self._is_delicate else 1):
            self._absences -= 1
            self._be_away()
        for seat in self.seats:
            if random.random() < trouble.cuts and seat.die_in is None:
                seat.dies_writing = random.random() < trouble.torn
                seat.die_in = random.randint(1, 6)
                seat.note_files()
            if random.random() < trouble.stores and seat.box.trouble is None:
                self._spoil_store(seat)
            if random.random() < trouble.clocks:
                self._set_clock(seat)
        if random.random() < trouble.helpers:
            number = random.randrange(2)
            if self.link.has_helper(number):
                self._do(number, "# helper dies", partial(self.link.kill_helper, number))
            else:
                self._do(number, "# helper starts", partial(self.link.start_helper, number))
        if random.random() < trouble.link:
            what = random.choice(
                (
                    "link up",
                    "link cut",
                    "link lose 0.2",
                    "link lose 0.7",
                    "link double",
                    "link late 30",
                    "link late 3600",
                )
            )
            self._do(None, what, partial(VERBS["link"].parse(what.split()[1:]).do, self.seats[0].box))

    def _spoil_store(self, seat: Seat) -> None:
        """Pulls a plug; from its next start on, the box can't use its store for a while."""
        what = self._random.choice([*StoreTrouble])
        lasts_s = self._random.choice((0.1, 3, 30, 30, LIMIT_S + 30))
        self._troubled[seat.number] = self.time.now_ns + round(lasts_s * S)
        self._hang(seat, is_hung=what is StoreTrouble.SLOW)
        self._do(seat.number, f"# starts again, but {what}", partial(seat.die, what))

    def _is_due(self, seat: Seat) -> bool:
        return self.time.now_ns >= self._troubled.get(seat.number, NEVER_NS)

    def _end_trouble(self, seat: Seat) -> None:
        self._say(seat.number, "# has its store again")
        del self._troubled[seat.number]
        is_hung = seat.box.trouble is StoreTrouble.SLOW
        seat.box.end_trouble()
        if is_hung:
            seat.die()  # by the watchdog
            self._hang(seat, is_hung=False)

    def _hang(self, seat: Seat, *, is_hung: bool) -> None:
        """A box whose disk is too slow does nothing, until its watchdog kills it; its helper lives on."""
        if isinstance(self.link, HelperLink):
            self.link.spares_helpers = is_hung
            self.link.hang(seat.number, is_hung=is_hung)

    def _set_clock(self, seat: Seat) -> None:
        """To some days later or earlier, or to 1970, as at a start without a clock."""
        days = self._random.choice((7.5, 400, -30, None))
        now_s = self.time.now_ns / S
        seat.box.epoch_s = 1 - now_s if days is None else max(1 - now_s, seat.box.epoch_s + days * 86_400)
        self._say(seat.number, f"# sets its clock: {days} days")

    @property
    def _is_delicate(self) -> bool:
        """Whether one box knows something that the other may have to wait for."""
        one, other = (seat.kept for seat in self.seats)
        is_thrown = one.rolled_ns != other.rolled_ns and None in (one.rolled_ns, other.rolled_ns)
        knows = (one.decided_ns is None) != (other.decided_ns is None)
        return is_thrown or knows or one.is_over != other.is_over

    def _be_away(self) -> None:
        """A box, or what it's linked by, is away, and the others go on for as long as they can."""
        random, there = self._random, [*self.seats]
        seat = random.choice(there)
        lasts_ns = random.choice((LIMIT_S // 2, LIMIT_S + 30, LIMIT_S + 300)) * S
        self._is_away = True
        match random.choice(("plug", "helper", "link", "silence")):
            case "plug":
                there.remove(seat)
                seat.die_in = None
                self._do(seat.number, "# pulls the plug", partial(self.link.cut_power, seat.number))
                self.time.remove(seat.box)

                def end() -> None:
                    self.time.add(seat.box)
                    seat.die()

            case "helper":
                self._do(seat.number, "# helper dies", partial(self.link.kill_helper, seat.number))

                def end() -> None:
                    if not self.link.has_helper(seat.number):  # a power cut starts it again
                        self.link.start_helper(seat.number)

            case "link":
                self._do(None, "link cut", self.link.cut)
                end = self.link.mend
            case _:
                self._tell("link lose 1")
                self.link.lost = 1.0
                end = self.link.mend
        end_ns = self.time.now_ns + lasts_ns
        while self.time.now_ns < end_ns:
            self.hand(random.choice(there))
            self.wait(min(random.choice((1, 20, 60)) * S, max(0, end_ns - self.time.now_ns)))
            self.check()
        self._do(seat.number, "# is back", end)
        self._is_away = False

    def _mend(self) -> None:
        self._mended_ns = self.time.now_ns
        for seat in self.seats:
            seat.die_in = None
            if seat.number in self._troubled:
                self._end_trouble(seat)
        for number in (0, 1):
            if not self.link.has_helper(number):
                self._do(number, "# helper starts", partial(self.link.start_helper, number))
        if not self.link.is_well:
            self._do(None, "link up", self.link.mend)

    # Hands.

    def wait(self, lasts_ns: int) -> None:
        """Lets time pass at both boxes."""
        self._do(None, f"wait {lasts_ns / S:g}", partial(self._run_until, self.time.now_ns + lasts_ns))

    def _run_until(self, t_ns: int) -> None:
        while self.time.now_ns < t_ns:
            self.time.run_until(t_ns)

    def _press(self, seat: Seat, seconds: float = 0.1) -> None:
        self._release_ns = self.time.now_ns + round(seconds * S)
        self._do(seat.number, f"hold {seconds:g}", partial(seat.box.press, round(seconds * S)))

    def _set(self, seat: Seat, lever: int, down: bool) -> None:
        self._do(
            seat.number, f"{'flip' if down else 'lift'} {lever}", partial(seat.box.set_lever, lever, down)
        )
        self.wait(100 * MS)

    def _flick(self, seat: Seat, lever: int) -> None:
        down = lever in seat.box.box.levers_down
        self._set(seat, lever, not down)
        self._set(seat, lever, down)

    def hand(self, seat: Seat) -> None:
        """One thing that hands do: what the prompt says, unless they want to leave."""
        if seat.box.is_hung:
            return
        show, is_playing = seat.show, seat.kept.match is not None
        leaves = not self._is_patient and self._random.random() < self.trouble.leaves
        if "End the match?" in seat.text:
            self._press(seat, 1)
        elif is_playing and leaves and show.mode is not Mode.MATCH_OVER:
            self.leave(seat)
        elif show.mode is Mode.MATCH_OVER and "Hold 10 s" in seat.text:
            if leaves or (self.trouble.leaves and self._random.random() < 0.1 and not self._is_patient):
                self._press(seat, 11)
        elif show.asleep:
            self._press(seat)
        elif show.mode is Mode.MATCH_OVER:
            self._after_match(seat)
        elif show.mode is Mode.ATTRACT:
            # The guest goes there once the host's room is open.
            if not seat.kept.is_over and (seat.number == 0 or self._room is not None):
                self._press(seat, 1)
        elif show.mode is Mode.MENU:
            self._choose(seat, "Another box")
        elif show.mode is Mode.LINKING:
            self._link_up(seat)
        else:
            self._play(seat)

    def _after_match(self, seat: Seat) -> None:
        """Plays again, or leaves the result."""
        if "They have left" in seat.text and self._wants_again(seat):
            self.endings.add(Ending.NOT_AGAIN)
        if "Press: again" in seat.text:
            self._press(seat, 0.1 if self._wants_again(seat) else 1)
        elif "Waiting" not in seat.text:
            self._press(seat)
        elif self._tastes.random() < 0.02:
            self._press(seat, 1)

    def _wants_again(self, seat: Seat) -> bool:
        if self._is_patient or len(seat.past) >= MAX_REMATCHES:
            return False
        at = seat.kept.session, seat.number
        if at not in self._wish:
            self._wish[at] = self._tastes.random() < self.trouble.again
        return self._wish[at]

    def leave(self, seat: Seat) -> None:
        """Ends the match before its time."""
        session = seat.kept.session
        self._press(seat, 11)
        self.wait(100 * MS)
        if "End the match?" in seat.text:
            seat.insisted.add(session)
            self._press(seat)
            self.wait(100 * MS)

    def _choose(self, seat: Seat, wanted: str, lever: int = 2) -> None:
        screen = seat.screen
        if wanted in screen.rows[screen.cursor or 0]:
            self._press(seat)
        else:
            self._flick(seat, lever)

    @property
    def _room(self) -> str | None:
        """All digits that the host shows: room and code."""
        found = re.search(r"Room (\d{4})\s+Code (\d{4})", self.seats[0].text)
        return None if found is None else found[1] + found[2]

    def _link_up(self, seat: Seat) -> None:
        screen = seat.screen
        if screen.title in ("Room?", "Code?"):
            self._enter(seat, screen)
        elif screen.cursor is not None:
            self._choose(seat, "Enter a room" if seat.number else "Show a room")
        elif screen.prompt == "Press: play" and self._declines:
            self._press(seat, 1)
        elif screen.prompt.startswith("Press"):
            if "has declined" in seat.text:
                self.endings.add(Ending.DECLINED)
            self._press(seat)

    @property
    def _declines(self) -> bool:
        return not self._is_patient and self._random.random() < self.trouble.declines

    def _enter(self, seat: Seat, screen: LocalizedScreen) -> None:
        entered = re.sub(r"\D", "", screen.big)
        wanted = self._room
        if wanted is None:
            self._press(seat, 1)
            return
        digits = wanted[4:] if screen.title == "Code?" else wanted[:4]
        if digits.startswith(entered):
            self._flick(seat, int(digits[len(entered)]))
        else:
            self._press(seat, 1)

    def _play(self, seat: Seat) -> None:
        levers = to_tiles(seat.box.box.levers_down)
        screen = seat.screen
        if screen.prompt == "Hold 10 s: end":  # the other box will be back
            return
        told = read_prompts(screen, levers)
        match self._random.choice(told) if told else None:
            case Pressed():
                self._press(seat)
            case Held():
                self._press(seat, 1)
            case LeversMoved(down):
                for lever in to_numbers(levers ^ down):
                    self._set(seat, lever, bool(down >> (lever - 1) & 1))


def _short(match: Match | None) -> str:
    return f"player {match.player + 1} at {match.stage.name}, {match.turn}" if match else "no match"


class Outcome(NamedTuple):
    """Of one seed; the error is empty if all promises were kept."""

    seed: int
    game: str
    throws: int
    endings: frozenset[Ending]
    error: str


def simulate(seed: int, tell: Callable[[str], None] = lambda line: None) -> Outcome:
    """Plays one seed."""
    with tempfile.TemporaryDirectory(prefix="shutthebox-", dir=MEMORY) as folder:
        simulation = Simulation(seed, Path(folder), tell=tell)
        error = ""
        with closing(simulation):
            try:
                simulation.run()
            except Exception:
                error = traceback.format_exc()
        throws = len(simulation.seats[0].kept.throws)
        return Outcome(seed, simulation.game, throws, frozenset(simulation.endings), error)


def main() -> int:
    """Plays the seeds of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.simulation", description=__doc__)
    parser.add_argument("count", metavar="N", nargs="?", type=int, default=300, help="seeds, from 1")
    parser.add_argument("--seed", metavar="N", type=int, help="this one alone, with all that was done")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes")
    args = parser.parse_args()
    if args.seed is not None:
        outcome = simulate(args.seed, print)
        print(outcome.error or f"seed {args.seed}: all well: {outcome.game}, {outcome.throws} throws")
        return bool(outcome.error)
    logging.disable()  # the helpers' complaints about their broker would fill the terminal
    started, failed, throws = time.perf_counter(), list[Outcome](), 0
    endings = Counter(dict.fromkeys(Ending, 0))
    with Pool(args.jobs) as pool:
        for done, outcome in enumerate(pool.imap_unordered(simulate, range(1, args.count + 1)), 1):
            throws += outcome.throws
            endings.update(outcome.endings)
            if outcome.error:
                failed.append(outcome)
                print(f"seed {outcome.seed}: {outcome.game}: {outcome.error.splitlines()[-1]}", flush=True)
            show_progress(done, args.count, started)
    end_progress()
    print(f"{args.count} seeds, {throws} throws, {len(failed)} failed", *(each.seed for each in failed))
    for ending, seeds in endings.items():
        print(f"{seeds:6} {ending}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
