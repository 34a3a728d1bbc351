"""Events: a named contest of entrants in one format, counted from the matches they play in its nights.

A match is noted for an event when its seats are signed, and the event's table is recomputed then, so viewing
it costs the same however many matches there are. Matches stay in the order in which they came to count: a
late match changes nothing that has been decided.
"""

import json
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from datetime import time as time_of_day
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, insert, select, update

from shutthebox.errors import quoted
from shutthebox.night import NIGHT_BEGINS_H
from shutthebox.rules.profile import MAX_ROUNDS
from shutthebox_league.authority import token_hash
from shutthebox_league.categories import (
    Category,
    category_from_row,
    category_id,
    highest_wins,
    profile_of,
    read_category,
)
from shutthebox_league.errors import LeagueError
from shutthebox_league.formats import (
    Format,
    Game,
    Line,
    Standing,
    best_of_night,
    first_of,
    knockout,
    ladder,
    round_robin,
    swiss,
)
from shutthebox_league.initials import INITIALS
from shutthebox_league.names import read_new_name
from shutthebox_league.schema import (
    BOX,
    CATEGORY,
    ENTRANT,
    ENTRY,
    EVENT,
    EVENT_BOX,
    EVENT_GAME,
    GAME_WAITS,
    IS_TAKEN,
    IS_USED,
    MATCH,
    PROTECTED,
    SEAT,
)
from shutthebox_league.tournaments import check_undecided

MAX_ENTRANTS = 64

MAX_AT_ONCE = 50
"""The most events of one game an entrant may be in on the same night: each match counts for all of them."""

GRACE_H = 24
"""Hours from an event's last night until it closes, by default."""

WAITING = 20
"""The most games of one box that wait for an entrant's confirmation; the oldest are dropped."""

_AT_A_TIME, _LATEST = 500, 20


@dataclass(frozen=True, slots=True)
class Event:
    """A contest.

    Attributes:
        name: for people.
        format: of it.
        category: the matches that count.
        first_night: of it.
        last_night: of it; the same for one night.
        closes_s: matches, signatures and confirmations that come later don't count.
        boxes: the names of those whose matches count at once.
        standing: its table and its next pairings; None before the first is made.
        matches: that count, the latest last.
    """

    name: str
    format: Format
    category: Category
    first_night: date
    last_night: date
    closes_s: int
    boxes: Sequence[str]
    standing: Standing | None
    matches: Sequence[int]


# -- making one ------------------------------------------------------------------------


def make_event(
    db: Connection,
    name: str,
    format_: str,
    category: Category,
    entrants: Sequence[str],
    first_night: date,
    last_night: date,
    *,
    boxes: Sequence[str],
    zone: tzinfo,
    grace_h: int = GRACE_H,
) -> tuple[int, dict[str, str]]:
    """Creates an event; returns its id and each entrant's code.

    Raises:
        LeagueError: for a value that is not allowed.
    """
    if format_ not in list(Format):
        raise LeagueError(f"--format: {quoted(format_)} is not allowed; use one of {', '.join(Format)}")
    for initials in entrants:
        if not INITIALS.fullmatch(initials):
            raise LeagueError(f"--entrants: {quoted(initials)} is not allowed; use three letters A-Z each")
    if not 2 <= len(entrants) <= MAX_ENTRANTS or len(set(entrants)) < len(entrants):
        raise LeagueError(f"--entrants: use 2 to {MAX_ENTRANTS} different initials")
    if last_night < first_night:
        raise LeagueError("--last-night: use the first night or a later one")
    if not 0 <= grace_h <= 24 * 31:
        raise LeagueError("--grace: use 0 to 744 hours")
    if profile_of(category) is None or not 1 <= category.rounds <= MAX_ROUNDS:
        raise LeagueError(f"--tiles, --rounds: no box offers {category.game} like that")
    box_ids = [_box_id(db, box) for box in dict.fromkeys(boxes)]
    end = datetime.combine(last_night + timedelta(days=1), time_of_day(NIGHT_BEGINS_H), zone)
    number = category_id(db, category)
    _check_others(db, number, entrants, first_night, last_night)
    values = {
        "name": read_new_name(name, "NAME"),
        "format": format_,
        "category_id": number,
        "first_night": first_night,
        "last_night": last_night,
        "closes_s": int(end.timestamp()) + grace_h * 3600,
    }
    event_id = int(db.execute(insert(EVENT).returning(EVENT.c.id), values).scalar_one())
    codes = {initials: secrets.token_urlsafe(6) for initials in entrants}
    rows = [
        {"event_id": event_id, "position": i, "initials": who, "code_hash": token_hash(codes[who])}
        for i, who in enumerate(entrants, 1)
    ]
    db.execute(insert(ENTRANT), rows)
    if box_ids:
        db.execute(insert(EVENT_BOX), [{"event_id": event_id, "box_id": box_id} for box_id in box_ids])
    return event_id, codes


def _check_others(db: Connection, number: int, entrants: Sequence[str], first: date, last: date) -> None:
    """Refuses an event if an entrant is in too many others at that time."""
    many = (
        select(ENTRANT.c.initials)
        .join(EVENT, EVENT.c.id == ENTRANT.c.event_id)
        .where(
            EVENT.c.category_id == number, EVENT.c.first_night <= last, EVENT.c.last_night >= first,
            ENTRANT.c.initials.in_(entrants),
        )
        .group_by(ENTRANT.c.initials)
        .having(func.count() >= MAX_AT_ONCE)
    )  # fmt: skip
    if found := db.execute(many.limit(1)).scalar():
        raise LeagueError(
            f"--entrants: {found} is in {MAX_AT_ONCE} events of this game then; no more are allowed"
        )


def _box_id(db: Connection, name: str) -> int:
    found = db.execute(select(BOX.c.id).where(BOX.c.name == name)).scalar()
    if found is None:
        raise LeagueError(f"--boxes: {quoted(name)} is not a box; use one that `list boxes` shows")
    return int(found)


# -- reading one -----------------------------------------------------------------------


def read_event(db: Connection, event_id: int, now_s: int) -> Event | None:
    """An event as it stands; None if there is none."""
    found = db.execute(
        select(EVENT, CATEGORY)
        .join(CATEGORY, CATEGORY.c.id == EVENT.c.category_id)
        .where(EVENT.c.id == event_id)
    ).first()
    if found is None:
        return None
    state = json.loads(found.state) if found.state else {}
    standing = None
    if "lines" in state:
        pairs = tuple((first, second) for first, second in state["next"])
        standing = Standing(tuple(Line(**line) for line in state["lines"]), pairs, tuple(state["champions"]))
        if found.format == Format.BEST_OF_NIGHT and now_s > found.closes_s:
            played = [line for line in standing.lines if line.points is not None]
            standing = Standing(standing.lines, (), first_of(played))
    boxes = select(BOX.c.name).join(EVENT_BOX, EVENT_BOX.c.box_id == BOX.c.id)
    return Event(
        found.name,
        Format(found.format),
        category_from_row(found),
        found.first_night,
        found.last_night,
        found.closes_s,
        db.execute(boxes.where(EVENT_BOX.c.event_id == event_id).order_by(BOX.c.name).limit(100))
        .scalars()
        .all(),
        standing,
        state.get("matches", []),
    )


def event_names(db: Connection, most: int = 100) -> Sequence[tuple[int, str]]:
    """Lists the newest events, newest first."""
    newest = select(EVENT.c.id, EVENT.c.name).order_by(EVENT.c.id.desc()).limit(most)
    return [(row.id, row.name) for row in db.execute(newest)]


def waiting_games(db: Connection, event_id: int, most: int = 100) -> Sequence[Any]:
    """Lists an event's games that wait for an entrant's confirmation: rows of `EVENT_GAME`."""
    query = (
        select(EVENT_GAME)
        .join(MATCH, MATCH.c.id == EVENT_GAME.c.match_id)
        .where(EVENT_GAME.c.event_id == event_id, GAME_WAITS, MATCH.c.voided == 0)
        .order_by(EVENT_GAME.c.match_id.desc())
        .limit(_AT_A_TIME)
    )
    return db.execute(_box_by_box(query, most)).all()


def _box_by_box(query: Select[Any], most: int) -> Select[Any]:
    """The latest game of each box, then the one before it of each, and so on: no box can hide another's."""
    found = query.subquery()
    number = func.row_number().over(partition_by=found.c.box_id, order_by=found.c.match_id.desc())
    return select(found).order_by(number, found.c.match_id.desc()).limit(most)


# -- which matches count ---------------------------------------------------------------


def note_match(db: Connection, match: Row[Any]) -> None:
    """Notes a match for the events that it counts for. The caller has locked the books.

    Args:
        db: the league's database, in a transaction.
        match: its row.
    """
    seats = db.execute(
        select(SEAT.c.initials, SEAT.c.place, SEAT.c.total, SEAT.c.named_s).where(
            SEAT.c.match_id == match.id, SEAT.c.initials.is_not(None), SEAT.c.confirmed,
            SEAT.c.total.is_not(None), SEAT.c.computer.is_(False),
        )
    ).all()  # fmt: skip
    if match.unranked or match.voided or not seats:
        return
    of_event = (ENTRANT.c.event_id == EVENT.c.id) & ENTRANT.c.initials.in_([seat.initials for seat in seats])
    nights = (EVENT.c.first_night <= match.night) & (EVENT.c.last_night >= match.night)
    entered: dict[int, set[str]] = {}
    for event_id, initials in db.execute(
        select(EVENT.c.id, ENTRANT.c.initials)
        .join(ENTRANT, of_event)
        .where(EVENT.c.category_id == match.category_id, nights)
    ):
        entered.setdefault(event_id, set()).add(initials)
    if not entered:
        return
    own = (ENTRY.c.chain_id == match.chain_id) & (ENTRY.c.sequence == match.sequence)
    received_s = db.execute(select(ENTRY.c.received_s).where(own)).scalar_one()
    for event_id, initials in sorted(entered.items()):
        event = db.execute(select(EVENT).where(EVENT.c.id == event_id).with_for_update()).one()
        of_entrants = [seat for seat in seats if seat.initials in initials]
        if received_s <= event.closes_s:
            in_time = [seat for seat in of_entrants if (seat.named_s or received_s) <= event.closes_s]
            _note_games(db, event, match, in_time)


def _note_games(db: Connection, event: Row[Any], match: Row[Any], seats: Sequence[Any]) -> None:
    game = EVENT_GAME.c
    named = (EVENT_BOX.c.event_id == event.id) & (EVENT_BOX.c.box_id == match.box_id)
    is_named = db.execute(select(EVENT_BOX.c.box_id).where(named)).first() is not None
    for values in _games_of(Format(event.format), match, seats):
        own = (game.event_id == event.id) & (game.match_id == match.id) & (game.player == values["player"])
        if db.execute(select(game.player).where(own)).first() is not None:
            continue
        if not is_named:
            of_box = (game.event_id == event.id) & (game.box_id == match.box_id) & GAME_WAITS
            waiting = db.execute(select(game.match_id).where(of_box).order_by(game.match_id)).scalars().all()
            if len(waiting) >= WAITING:
                db.execute(delete(EVENT_GAME).where(of_box, game.match_id == waiting[0]))
        waits = {"player_waits": not is_named, "opponent_waits": not is_named and bool(values["opponent"])}
        row = {"event_id": event.id, "match_id": match.id, "box_id": match.box_id, **values, **waits}
        db.execute(insert(EVENT_GAME), {**row, "used": False})
        if is_named:
            _start_counting(db, event, match.id, values["player"], values["opponent"])


def _games_of(format_: Format, match: Row[Any], seats: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The games of a match, each with those who play and its result."""
    if format_ is Format.BEST_OF_NIGHT:
        for seat in seats:
            yield {"player": seat.initials, "opponent": None, "winner": None, "total": seat.total}
    elif match.players == len(seats) == 2:
        first, second = sorted(seats, key=lambda seat: seat.initials)
        winner = None if first.place == second.place else (first if first.place == 1 else second).initials
        if winner is not None or format_ is not Format.KNOCKOUT:
            yield {
                "player": first.initials, "opponent": second.initials, "winner": winner, "total": None,
            }  # fmt: skip


def _start_counting(
    db: Connection, event: Row[Any], match_id: int, player: str, opponent: str | None
) -> None:
    """Makes a game count from now on, after all that already count."""
    game = EVENT_GAME.c
    last = db.execute(select(func.max(game.position)).where(game.event_id == event.id)).scalar() or 0
    own = (game.event_id == event.id) & (game.match_id == match_id) & (game.player == player)
    db.execute(update(EVENT_GAME).where(own).values(position=last + 1))
    _mark_used(db, event, player, opponent)
    db.execute(update(EVENT).where(EVENT.c.id == event.id).values(stale=True))


def _mark_used(db: Connection, event: Row[Any], player: str, opponent: str | None) -> None:
    """Marks the games of some entrants that the table is made of: the first that count, or the best total."""
    most = Format(event.format).games
    if most is None:
        return
    game = EVENT_GAME.c
    own = (game.event_id == event.id) & (game.player == player) & (game.opponent == opponent)
    order: tuple[ColumnElement[Any], ...] = (game.position,)
    if event.format == Format.BEST_OF_NIGHT:
        highest = highest_wins(_category_of(db, event).game)
        order = (game.total.desc(), game.position.desc()) if highest else (game.total, game.position)
    first = select(game.match_id).where(own, IS_TAKEN).order_by(*order).limit(most)
    ids = db.execute(first).scalars().all()
    db.execute(update(EVENT_GAME).where(own, IS_USED, game.match_id.not_in(ids)).values(used=False))
    for match_id in ids:
        db.execute(update(EVENT_GAME).where(own, game.match_id == match_id).values(used=True))


def events_changed(db: Connection, which: ColumnElement[bool]) -> None:
    """Marks the tables of all events that these matches count for to be recomputed."""
    game = EVENT_GAME.c
    taken = select(MATCH.c.id).where(which)
    is_void = select(MATCH.c.voided > 0).where(MATCH.c.id == game.match_id).scalar_subquery()
    pairs = select(game.event_id, game.player, game.opponent)
    found = db.execute(pairs.where(game.match_id.in_(taken)).distinct()).all()
    for event_id in sorted({row.event_id for row in found}):
        event = db.execute(select(EVENT).where(EVENT.c.id == event_id).with_for_update()).one()
        own = (game.event_id == event_id) & game.match_id.in_(taken)
        db.execute(update(EVENT_GAME).where(own).values(void=is_void))
        for row in found:
            if row.event_id == event_id:
                _mark_used(db, event, row.player, row.opponent)
        # A ladder continues from its state; this one starts over.
        values = {"stale": True, "state": json.dumps({**_state(event), "position": 0, "order": None})}
        db.execute(update(EVENT).where(EVENT.c.id == event_id).values(values))


def forget_games(db: Connection, initials: str, pub_id: int | None) -> None:
    """Removes initials from all events, or from the games of one pub."""
    game = EVENT_GAME.c
    events = select(ENTRANT.c.event_id).where(ENTRANT.c.initials == initials)
    own = of_entrant(game.event_id.in_(events), initials)
    if pub_id is not None:
        own &= game.match_id.in_(select(MATCH.c.id).where(MATCH.c.pub_id == pub_id))
    events_changed(db, MATCH.c.id.in_(select(game.match_id).where(own)))
    pairs = select(game.event_id, game.player, game.opponent)
    of_events = db.execute(pairs.where(own).distinct()).all()
    db.execute(delete(EVENT_GAME).where(own))
    if pub_id is None:
        # Every table names all entrants.
        db.execute(update(EVENT).where(EVENT.c.id.in_(events)).values(stale=True, state=""))
        db.execute(delete(ENTRANT).where(ENTRANT.c.initials == initials))
    for event_id, player, opponent in of_events:
        _mark_used(db, db.execute(select(EVENT).where(EVENT.c.id == event_id)).one(), player, opponent)


def of_entrant(events: ColumnElement[bool], initials: str) -> ColumnElement[bool]:
    """Games of an entrant in these events."""
    # The events stand in both parts, so that SQLite looks both up in an index.
    return (events & (EVENT_GAME.c.player == initials)) | (events & (EVENT_GAME.c.opponent == initials))


def _has_to_confirm(initials: ColumnElement[str] | str) -> ColumnElement[bool]:
    """Games that an entrant has yet to confirm."""
    game = EVENT_GAME.c
    return ((game.player == initials) & game.player_waits) | (
        (game.opponent == initials) & game.opponent_waits
    )


# -- confirming ------------------------------------------------------------------------


def confirm_by_code(
    db: Connection, event_id: int, match_id: int, initials: str, code: str, now_s: int
) -> None:
    """Confirms an entrant's game by the entrant's code.

    Raises:
        LeagueError: if the code is wrong, or no such game is waiting.
    """
    check_code(db, event_id, initials, code)
    if not _confirm(db, event_id, match_id, initials, now_s):
        raise LeagueError("no such match is waiting for you to confirm it")


def check_code(db: Connection, event_id: int, initials: str, code: str) -> None:
    """Checks an entrant's code, and only reads.

    Raises:
        LeagueError: if it's wrong.
    """
    own = (ENTRANT.c.event_id == event_id) & (ENTRANT.c.initials == initials)
    known = db.execute(select(ENTRANT.c.code_hash).where(own)).scalar()
    if not known or not secrets.compare_digest(known, token_hash(code)):
        raise LeagueError("wrong code for these initials")


def waiting_for_landlord(db: Connection, pub_id: int, now_s: int, most: int = 50) -> Sequence[Any]:
    """The games that a landlord can confirm: `event_id`, `event`, `match_id` and `initials`.

    They are of players who are protected in the pub, in open events that count on one of its boxes.
    """
    game = EVENT_GAME.c
    boxes = (
        select(EVENT_BOX.c.event_id).join(BOX, BOX.c.id == EVENT_BOX.c.box_id).where(BOX.c.pub_id == pub_id)
    )
    query = (
        select(
            EVENT.c.id.label("event_id"),
            EVENT.c.name.label("event"),
            game.match_id,
            game.box_id,
            PROTECTED.c.initials,
        )
        .join(EVENT, EVENT.c.id == game.event_id)
        .join(MATCH, MATCH.c.id == game.match_id)
        .join(PROTECTED, _has_to_confirm(PROTECTED.c.initials) & (PROTECTED.c.pub_id == pub_id))
        .where(game.event_id.in_(boxes), GAME_WAITS, EVENT.c.closes_s >= now_s, MATCH.c.voided == 0)
    )
    return db.execute(_box_by_box(query, most)).all()


def check_landlord(db: Connection, which: ColumnElement[bool], now_s: int) -> None:
    """Refuses a landlord's change to matches that others rely on.

    Those count for an event that is over, or at a box that it doesn't name: its entrants have confirmed them.
    Or they count for a tournament that has closed: everybody knows its throws by now.

    Raises:
        LeagueError: naming one.
    """
    check_undecided(db, which, now_s)
    game = EVENT_GAME.c
    is_named = (EVENT_BOX.c.event_id == game.event_id) & (EVENT_BOX.c.box_id == game.box_id)
    found = db.execute(
        select(game.match_id, EVENT.c.name)
        .join(EVENT, EVENT.c.id == game.event_id)
        .where(
            game.match_id.in_(select(MATCH.c.id).where(which)),
            game.position.is_not(None),
            (EVENT.c.closes_s < now_s) | ~select(EVENT_BOX.c.box_id).where(is_named).exists(),
        )
        .limit(1)
    ).first()
    if found is not None:
        raise LeagueError(
            f"match {found.match_id} counts for the event {found.name}; the league's operator can do this"
        )


def confirm_by_landlord(
    db: Connection, pub_id: int, games: Sequence[tuple[int, int, str]], now_s: int
) -> int:
    """Confirms games for a landlord, by event, match and initials; returns how many were waiting."""
    may = {(row.event_id, row.match_id, row.initials) for row in waiting_for_landlord(db, pub_id, now_s)}
    return sum(_confirm(db, *game, now_s) for game in games if game in may)


def _confirm(db: Connection, event_id: int, match_id: int, initials: str, now_s: int) -> bool:
    game = EVENT_GAME.c
    event = db.execute(select(EVENT).where(EVENT.c.id == event_id).with_for_update()).first()
    own = (game.event_id == event_id) & (game.match_id == match_id)
    found = db.execute(
        select(game.player, game.opponent, game.player_waits, game.opponent_waits)
        .join(MATCH, MATCH.c.id == game.match_id)
        .where(own, _has_to_confirm(initials), MATCH.c.voided == 0)
    ).first()
    if event is None or found is None or now_s > event.closes_s:
        return False
    left = {
        "player_waits": found.player_waits and found.player != initials,
        "opponent_waits": found.opponent_waits and found.opponent != initials,
    }
    db.execute(update(EVENT_GAME).where(own, game.player == found.player).values(left))
    if not any(left.values()):
        _start_counting(db, event, match_id, found.player, found.opponent)
    return True


# -- the table -------------------------------------------------------------------------


def recompute_event(db: Connection, event_id: int) -> None:
    """Recomputes an event's table, or takes one step towards it. The caller holds the event's lock.

    After a step the event is still stale, and its old table is shown.
    """
    event = db.execute(select(EVENT).where(EVENT.c.id == event_id)).one()
    state = _state(event)

    def keep(found: dict[str, Any], *, stale: bool) -> None:
        values = {"state": json.dumps(found), "stale": stale}
        db.execute(update(EVENT).where(EVENT.c.id == event_id).values(values))

    if "lines" not in state and (last := _note_earlier(db, event, state.get("noted", 0))) is not None:
        keep({**state, "noted": last}, stale=True)
        return
    entrants = list(
        db.execute(
            select(ENTRANT.c.initials).where(ENTRANT.c.event_id == event_id).order_by(ENTRANT.c.position)
        ).scalars()
    )
    kept: dict[str, Any] = {}
    match Format(event.format):
        case Format.LADDER:
            standing, kept, is_done = _advance_ladder(db, event_id, entrants, state)
            if not is_done:
                keep({**state, **kept}, stale=True)
                return
        case Format.BEST_OF_NIGHT:
            highest = highest_wins(_category_of(db, event).game)
            totals = {row.player: row.total for row in _read_used(db, event_id)}
            standing = best_of_night(entrants, totals, highest=highest, over=False)
        case Format.ROUND_ROBIN:
            standing = round_robin(entrants, _games(db, event_id))
        case Format.SWISS:
            standing = swiss(entrants, _games(db, event_id))
        case Format.KNOCKOUT:
            standing = knockout(entrants, _games(db, event_id))
    game = EVENT_GAME.c
    latest = (
        select(game.match_id)
        .where(game.event_id == event_id, IS_TAKEN)
        .order_by(game.position.desc())
        .limit(_LATEST)
    )
    ids = list(dict.fromkeys(reversed(db.execute(latest).scalars().all())))
    keep({**asdict(standing), "matches": ids, **kept}, stale=False)


def _note_earlier(db: Connection, event: Row[Any], last: int) -> int | None:
    """Notes some of the matches that came before the event was made; returns the last of them, or None."""
    entrants = select(ENTRANT.c.initials).where(ENTRANT.c.event_id == event.id)
    of_entrants = select(SEAT.c.match_id).where(SEAT.c.initials.in_(entrants), SEAT.c.match_id > last)
    found = db.execute(
        select(MATCH)
        .where(
            MATCH.c.category_id == event.category_id,
            MATCH.c.night.between(event.first_night, event.last_night),
            MATCH.c.id.in_(of_entrants),
        )
        .order_by(MATCH.c.id)
        .limit(_AT_A_TIME)
    ).all()
    for match in found:
        note_match(db, match)
    return found[-1].id if found else None


def _advance_ladder(
    db: Connection, event_id: int, entrants: Sequence[str], state: dict[str, Any]
) -> tuple[Standing, dict[str, Any], bool]:
    """Advances a ladder by some games; returns whether those were all."""
    order, position = state.get("order") or entrants, state.get("position") or 0
    order = [name for name in order if name in entrants]
    played = Counter(state.get("played") or {}) if position else Counter[str]()
    game = EVENT_GAME.c
    rows = db.execute(
        select(EVENT_GAME)
        .where(game.event_id == event_id, IS_TAKEN, game.position > position)
        .order_by(game.position)
        .limit(_AT_A_TIME)
    ).all()
    standing = ladder(order, [_game(row) for row in rows])
    played.update({line.name: line.played for line in standing.lines})
    lines = tuple(replace(line, played=played[line.name]) for line in standing.lines)
    kept = {
        "order": [line.name for line in lines],
        "position": rows[-1].position if rows else position,
        "played": played,
    }
    return Standing(lines, standing.next), kept, len(rows) < _AT_A_TIME


def _read_used(db: Connection, event_id: int) -> Sequence[Row[Any]]:
    # By itself SQLite may look through all games in another order.
    own = (EVENT_GAME.c.event_id == event_id) & (EVENT_GAME.c.player > "") & IS_USED
    return sorted(db.execute(select(EVENT_GAME).where(own)), key=attrgetter("position"))


def _games(db: Connection, event_id: int) -> list[Game]:
    return [_game(row) for row in _read_used(db, event_id)]


def _game(row: Row[Any]) -> Game:
    return Game(row.player, row.opponent, row.winner)


def _state(event: Row[Any]) -> dict[str, Any]:
    return dict(json.loads(event.state)) if event.state else {}


def _category_of(db: Connection, event: Row[Any]) -> Category:
    found = read_category(db, event.category_id)
    assert found is not None, "an event's category stays"
    return found
