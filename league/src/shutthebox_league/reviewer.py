"""The reviewer: counts signed seats, rates matches and reviews them, away from the door.

If a match can't be handled, the reason is stored with it, and the reviewer goes on with the next.
"""

import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from functools import partial
from multiprocessing.connection import wait
from operator import methodcaller
from threading import Event
from typing import Any

from sqlalchemy import Connection, Engine, Row, Update, delete, insert, select, text, update

from shutthebox.odds.odds import KEPT_TABLES
from shutthebox.odds.pick import pick
from shutthebox.odds.worths import OddsError
from shutthebox_league.allowance import REVIEW_CPU_S_AN_HOUR, Allowance
from shutthebox_league.categories import Category, category_from_row, profile_of
from shutthebox_league.checking import night_of, read_record
from shutthebox_league.confined import Confined, TooMuchError
from shutthebox_league.counting import NIGHTS_KEPT, add_review, count_seat, delete_old_nights
from shutthebox_league.database import UNAVAILABLE, in_a_line, in_transaction, lock_books
from shutthebox_league.events import note_match, recompute_event
from shutthebox_league.league_health import PULSE_EVERY_S, REVIEWER, note_pulse
from shutthebox_league.notices import notice
from shutthebox_league.ratings import give_up_rating_again, has_changed, rate, rate_again
from shutthebox_league.reviewing import ReviewedTurn, prepare, review
from shutthebox_league.schema import CATEGORY, EVENT, IS_DUE, MATCH, REVIEW, SEAT
from shutthebox_league.shown import pack, shown_match

_log = logging.getLogger(__name__)

CPU_S = 60
"""The most CPU seconds of one review. Open One on twelve tiles takes 15 to 30 s, all others below 4 s."""

MEMORY = 384 * 1024 * 1024
"""The most bytes of memory for one review."""

AT_ONCE = 2
"""Reviews that run at once. At most one may be slow: of a game not known to be quick, or from a box that has
spent more than `LITTLE` of its allowance."""

LITTLE = 0.05

BY_OLDER_RULES = "by older rules"
LATER = "reviewed later"

_AT_A_TIME = 50
_IDLE_S = 0.5
_LOOK_S = 0.2
_QUICK_S = 0.5
_MAX_SHOWN = 1024 * 1024

_OLDEST_UNREVIEWED = text(
    """with recursive head(box_id) as (
         select min(box_id) from match where reviewed_s is null
         union all
         select (select min(box_id) from match where reviewed_s is null and box_id > head.box_id)
         from head where box_id is not null
       )
       select match.box_id, match.id as match_id,
         category.game, category.tiles, category.rounds, category.points
       from head join match on match.id =
         (select min(id) from match as own where own.reviewed_s is null and own.box_id = head.box_id)
       left join category on category.id = match.category_id"""
)
"""Each box's oldest match without a review. Takes one index lookup per such box."""


@dataclass(frozen=True, slots=True)
class _Running:
    """A running review.

    Keeps what it's about: in a restored league, the numbers may be those of other matches and categories.
    """

    match_id: int
    record: str
    category: Category | None
    may_take_long: bool
    process: Confined


class Reviewer:
    """Counts, rates and reviews. Run it in a single-threaded process, because it forks.

    Args:
        engine: the league's database.
        zone: of the league, for its nights.
        wall_clock_s: the time of day in seconds.
        beat: called at least every few seconds, for a watchdog.
    """

    def __init__(
        self,
        engine: Engine,
        zone: tzinfo,
        wall_clock_s: Callable[[], float] = time.time,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine, self._zone, self._wall_clock_s, self._beat = engine, zone, wall_clock_s, beat
        self._allowance = Allowance(REVIEW_CPU_S_AN_HOUR, 3600)
        # House rules have no category, and no odds.
        self._too_slow: set[Category] = set()
        self._quick: set[Category | None] = {None}
        self._prepared: set[Category] = set()
        self._nights_deleted: date | None = None
        self._running: dict[int, _Running] = {}

    def run(self, ends: Event) -> None:
        """Works until `ends` is set."""
        pulse_due_s = 0.0
        try:
            while not ends.is_set():
                try:
                    done = self.work()
                    if time.monotonic() >= pulse_due_s:
                        pulse_due_s = time.monotonic() + PULSE_EVERY_S
                        in_transaction(
                            self._engine, lambda db: note_pulse(db, REVIEWER, int(self._wall_clock_s()))
                        )
                except UNAVAILABLE as error:
                    _log.error("the database: %s", in_a_line(error))
                    done = False
                self._beat()
                if not done:
                    ends.wait(_IDLE_S)
        finally:
            for running in self._running.values():
                running.process.close()

    def work(self) -> bool:
        """Counts and rates what is due, and starts or finishes reviews; False if there was nothing to do.

        Raises:
            SQLAlchemyError: if the database is unavailable.
        """
        if self._nights_deleted != self._tonight:
            tonight = self._tonight
            in_transaction(
                self._engine, lambda db: delete_old_nights(db, tonight - timedelta(days=NIGHTS_KEPT))
            )
            self._nights_deleted = tonight
        signed = select(SEAT.c.match_id).where(IS_DUE)
        counted = self._handle(
            signed.order_by(SEAT.c.match_id).limit(_AT_A_TIME), self._count, _mark_uncounted
        )
        due = select(MATCH.c.id).where(MATCH.c.due_s <= int(self._wall_clock_s()))
        rated = self._handle(
            due.order_by(MATCH.c.due_s, MATCH.c.id).limit(_AT_A_TIME), self._rate, _mark_unrated
        )
        rated |= self._rate_again()
        settled = self._recompute_events()
        return self._review_some() or counted or rated or settled

    @property
    def _tonight(self) -> date:
        return night_of(int(self._wall_clock_s()), self._zone)

    # -- counting and rating -----------------------------------------------------------

    def _handle(
        self, which: object, do: Callable[[Connection, int], None], give_up: Callable[[int, str], Update]
    ) -> bool:
        """Runs `do` on these matches in one transaction, or one by one if that fails.

        Args:
            which: a query for the numbers of the matches.
            do: called with the number of each.
            give_up: what to store with one that `do` fails for, and why.
        """
        with self._engine.connect().execution_options(reads=True) as db:
            ids = list(dict.fromkeys(db.execute(which).scalars()))  # type: ignore[call-overload]
        try:
            return self._handle_together(ids, do)
        except UNAVAILABLE:
            raise
        except Exception:
            for match_id in ids:
                self._handle_alone(match_id, do, give_up)
        return bool(ids)

    def _handle_together(self, ids: Sequence[int], do: Callable[[Connection, int], None]) -> bool:
        """Skips matches that somebody else is changing, to avoid deadlocks."""

        def do_all(db: Connection) -> bool:
            lock_books(db)
            done = False
            for match_id in ids:
                own = select(MATCH.c.id).where(MATCH.c.id == match_id).with_for_update(skip_locked=True)
                if db.execute(own).first() is not None:
                    do(db, match_id)
                    done = True
            return done

        return bool(ids) and in_transaction(self._engine, do_all)

    def _handle_alone(
        self, match_id: int, do: Callable[[Connection, int], None], give_up: Callable[[int, str], Update]
    ) -> None:
        try:
            self._handle_together([match_id], do)
        except UNAVAILABLE:
            raise
        except Exception as error:
            _log.exception("match %d can't be counted or rated", match_id)
            in_transaction(self._engine, methodcaller("execute", give_up(match_id, type(error).__name__)))

    def _count(self, db: Connection, match_id: int) -> None:
        match = db.execute(select(MATCH).where(MATCH.c.id == match_id)).one()
        for seat in db.execute(select(SEAT).where(SEAT.c.match_id == match_id, IS_DUE)).all():
            count_seat(db, match, seat, self._tonight)
        note_match(db, match)

    def _rate(self, db: Connection, match_id: int) -> None:
        rate(db, match_id, int(self._wall_clock_s()))

    def _rate_again(self) -> bool:
        def go_on(db: Connection) -> None:
            lock_books(db)
            rate_again(db)

        with self._engine.connect().execution_options(reads=True) as db:
            if not has_changed(db):
                return False
        try:
            in_transaction(self._engine, go_on)
        except UNAVAILABLE:
            raise
        except Exception:
            _log.exception("after a voiding, the ratings can't be computed again; they stay as they are")
            in_transaction(self._engine, give_up_rating_again)
        return True

    # -- events ------------------------------------------------------------------------

    def _recompute_events(self) -> bool:
        """Recomputes the tables of events whose matches have changed, each in its own transaction."""
        with self._engine.connect().execution_options(reads=True) as db:
            stale = select(EVENT.c.id).where(EVENT.c.stale).order_by(EVENT.c.id).limit(_AT_A_TIME)
            events = db.execute(stale).scalars().all()
        for event_id in events:
            try:
                in_transaction(self._engine, partial(_recompute_event, event_id=event_id))
            except UNAVAILABLE:
                raise
            except Exception:
                _log.exception("event %d: its table can't be computed", event_id)
                fresh = update(EVENT).where(EVENT.c.id == event_id).values(stale=False)
                in_transaction(self._engine, methodcaller("execute", fresh))
            self._beat()
        return bool(events)

    # -- reviewing ---------------------------------------------------------------------

    def _review_some(self) -> bool:
        """Finishes and starts reviews, one at a time per box."""
        if self._running:
            wait([running.process.receiver for running in self._running.values()], _LOOK_S)
        for box_id, running in list(self._running.items()):
            self._finish(box_id, running)
        with self._engine.connect().execution_options(reads=True) as db:
            heads = db.execute(_OLDEST_UNREVIEWED).all()
        now_s = time.monotonic()
        # The box that has used least comes first, so one with thousands of matches keeps no other waiting.
        waiting = sorted(
            (self._allowance.spent(str(head.box_id), now_s), head.box_id, head) for head in heads
        )
        for spent, box_id, head in waiting:
            long = spent > LITTLE or _category(head) not in self._quick
            if long and any(running.may_take_long for running in self._running.values()):
                continue
            if spent < 1 and box_id not in self._running and len(self._running) < AT_ONCE:
                self._start(box_id, head.match_id, may_take_long=long)
        return bool(self._running)

    def _start(self, box_id: int, match_id: int, *, may_take_long: bool) -> None:
        own = select(MATCH.c.record, CATEGORY).join(
            CATEGORY, CATEGORY.c.id == MATCH.c.category_id, isouter=True
        )
        with self._engine.connect().execution_options(reads=True) as db:
            match = db.execute(own.where(MATCH.c.id == match_id)).first()
        if match is None:
            return
        category = _category(match)
        if category in self._too_slow:
            why = f"a review takes more than {CPU_S} s of computing"
            self._keep_review(match_id, match.record, why, {}, b"")
            return
        process = Confined(_review_text, match.record, CPU_S, MEMORY)
        self._running[box_id] = _Running(match_id, match.record, category, may_take_long, process)

    def _finish(self, box_id: int, running: _Running) -> None:
        """Stores the result of a review once it has finished."""
        unreviewed, sums, shown = "", dict[str, list[float]](), b""
        try:
            found = running.process.result()
            if found is None:
                return
            result, took_s = found
            head, _, shown = result.partition(b"\n")
            unreviewed, sums = json.loads(head)
            if running.category is not None and took_s < _QUICK_S:
                self._quick.add(running.category)
                self._prepare_odds(running.category)
        except TooMuchError as error:
            took_s, unreviewed = float(CPU_S), f"a review was begun, and {error}"
            # Records are of bounded length, so it's the game's odds that take long.
            self._too_slow |= {running.category} if running.category else set()
        del self._running[box_id]
        self._allowance.spend(str(box_id), took_s, time.monotonic())
        if self._allowance.is_spent(str(box_id), time.monotonic()):
            self._tell_owner(running.match_id)
        self._keep_review(running.match_id, running.record, unreviewed, sums, shown)

    def _prepare_odds(self, category: Category) -> None:
        """Computes the odds of the first few quick games once, for all later reviews to inherit."""
        if category in self._prepared or len(self._prepared) >= KEPT_TABLES:
            return
        self._prepared.add(category)
        if (profile := profile_of(category)) is not None:
            with suppress(OddsError):
                pick(profile).prepare()

    def _keep_review(
        self, match_id: int, record: str, unreviewed: str, sums: dict[str, list[float]], shown: bytes
    ) -> None:
        now_s = int(self._wall_clock_s())

        def keep(db: Connection) -> None:
            lock_books(db)
            match = db.execute(select(MATCH).where(MATCH.c.id == match_id).with_for_update()).first()
            if match is None or match.record != record:
                return  # The league was restored meanwhile.
            if match.reviewed_s is not None:
                return  # Another reviewer has been quicker.
            done = {"reviewed_s": now_s, "unreviewed": unreviewed[:100]}
            db.execute(update(MATCH).where(MATCH.c.id == match_id).values(done))
            db.execute(delete(REVIEW).where(REVIEW.c.match_id == match_id))
            if 0 < len(shown) <= _MAX_SHOWN:  # a part of it could not be unpacked
                db.execute(insert(REVIEW).values(match_id=match_id, shown=shown))
            for number, (turns, score, luck, given_away) in sums.items():
                values = {"turns": turns, "score_sum": score, "luck_sum": luck, "given_away_sum": given_away}
                of_seat = (SEAT.c.match_id == match_id) & (SEAT.c.seat == int(number))
                db.execute(update(SEAT).where(of_seat).values(values))
                seat = db.execute(select(SEAT).where(of_seat)).one()
                is_in = seat.counted and not seat.uncounted and seat.initials and seat.confirmed
                if is_in and not (match.unranked or match.voided):
                    add_review(db, match, seat, self._tonight)

        in_transaction(self._engine, keep)

    def _tell_owner(self, match_id: int) -> None:
        key = text("select key_name from chain join match on chain.id = match.chain_id where match.id = :id")
        said = f"{LATER}: its reviews took more than {REVIEW_CPU_S_AN_HOUR:.0f} s of computing in an hour"

        def tell(db: Connection) -> None:
            if (name := db.execute(key, {"id": match_id}).scalar()) is not None:
                notice(db, name, "reviews", said, int(self._wall_clock_s()))

        in_transaction(self._engine, tell)


def _category(row: Row[Any]) -> Category | None:
    return None if row.game is None else category_from_row(row)


def _mark_uncounted(match_id: int, why: str) -> Update:
    own = (SEAT.c.match_id == match_id) & IS_DUE
    return update(SEAT).where(own).values(counted=True, uncounted=why)


def _mark_unrated(match_id: int, why: str) -> Update:
    return update(MATCH).where(MATCH.c.id == match_id).values(due_s=None, unrated=f"not rated: {why}")


def _recompute_event(db: Connection, event_id: int) -> None:
    lock_books(db)
    locked = select(EVENT.c.id).where(EVENT.c.id == event_id).with_for_update(skip_locked=True)
    if db.execute(locked).first() is not None:
        recompute_event(db, event_id)


def _review_text(text: str) -> bytes:
    """A line of JSON with why there's no review, and each seat's sums over its turns; then what's shown."""
    try:
        record = read_record(text)
    except Exception:  # whatever newer rules make of it
        return json.dumps((BY_OLDER_RULES, {})).encode() + b"\n"
    unreviewed = ""
    turns: tuple[ReviewedTurn, ...] = ()
    try:
        prepare(record)
        turns = review(record)
    except OddsError as error:
        unreviewed = str(error)
    except Exception as error:
        unreviewed = f"the odds can't follow it: {type(error).__name__}"
    sums = dict[int, list[float]]()
    for turn in turns:
        of_seat = sums.setdefault(turn.seat, [0.0] * 4)
        found = turn.balance
        more = (1.0, float(found.final), float(found.luck), float(found.given_away))
        of_seat[:] = [have + new for have, new in zip(of_seat, more, strict=True)]
    try:
        shown = pack(shown_match(record, turns))
    except Exception as error:
        return json.dumps((f"it can't be shown: {type(error).__name__}", sums)).encode() + b"\n"
    return json.dumps((unreviewed, sums)).encode() + b"\n" + shown
