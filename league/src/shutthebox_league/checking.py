"""The check of a match before it counts: its record is replayed through the rules, action by action."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache

from shutthebox.config.profiles import builtin, builtins
from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.match import Match
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import ProfileError
from shutthebox.rules.record import Record, RecordError, parse, replay
from shutthebox.rules.writer import to_lines

NIGHT_BEGINS_H = 6
"""A night lasts until six in the morning, local time."""

_EARLIEST_S = 1_700_000_000  # No box is older; its clock was not set.
_CLOCK_AHEAD_S = 600


class RefusedError(ValueError):
    """A result that the rules do not give; the text is one line."""


@dataclass(frozen=True, slots=True)
class Place:
    """The result of one seat.

    Attributes:
        seat: from 1.
        place: 1 for every winner, then by totals, equal totals sharing; 0 for a seat without a turn.
        total: None for a seat without a turn.
        computer: the box played it.
    """

    seat: int
    place: int
    total: int | None
    computer: bool


@dataclass(frozen=True, slots=True)
class CheckedMatch:
    """A match that the rules confirm.

    Attributes:
        record: of it.
        places: of all seats, in their order.
        unranked: why it counts in no ranking, in a few words; empty if it counts.
        commitment: of its tournament of equal dice; empty for dice of chance.
    """

    record: Record
    places: tuple[Place, ...]
    unranked: str
    commitment: str


def check_match(played: MatchPlayed) -> CheckedMatch:
    """Replays a match.

    Raises:
        RefusedError: naming the line and the rule that it breaks.
    """
    try:
        record = read_record(played.record)
    except (RecordError, ProfileError) as error:
        raise RefusedError(str(error)) from None
    end = replay(record)[-1]
    conditions = record.conditions
    if conditions is None:
        raise RefusedError("record: its conditions are missing; allowed is a record as a box writes it")
    if end.result is None and not (record.given_up and conditions.equal_dice):
        raise RefusedError("record: the match has not ended")
    return CheckedMatch(record, _places(record, end), _unranked(record, end), conditions.equal_dice)


def read_record(text: str) -> Record:
    """The record in this text, replayed through the rules.

    Raises:
        RecordError: naming the line and the rule that it breaks.
        ProfileError: if it does not write out its rules, or they are none.
    """
    return parse(text, "record", _no_profile)


def _no_profile(name: str) -> Profile:
    raise ProfileError("a box writes out the rules")


def _places(record: Record, end: Match) -> tuple[Place, ...]:
    computers = record.conditions.computers if record.conditions else ()
    winners = end.result.winners if end.result else ()
    totals = [
        total if score is not None else None for total, score in zip(end.totals, end.scores, strict=True)
    ]
    losing = sorted(
        {total for seat, total in enumerate(totals) if total is not None and seat not in winners},
        reverse=record.profile.highest_wins,
    )
    places = []
    for seat, total in enumerate(totals):
        place = 1 if seat in winners else 0
        if not place and total is not None:
            place = (
                1
                + len(winners)
                + sum(
                    other is not None and i not in winners and losing.index(other) < losing.index(total)
                    for i, other in enumerate(totals)
                )
            )
        places.append(Place(seat + 1, place, total, seat + 1 in computers))
    return tuple(places)


def _unranked(record: Record, end: Match) -> str:
    conditions = record.conditions
    if end.result is None:
        return "given up"
    if conditions is None or conditions.lost:
        return "facts were lost"
    if conditions.real_dice:
        return "real dice"
    if conditions.computers:
        return "a computer played"
    if conditions.out_of_play:
        return "levers were out of play"
    if not is_builtin(record.profile):
        return "house rules"
    if any(not version.endswith(f" rules {RULES_VERSION}") for version in conditions.versions):
        return "other rules"
    return ""


@cache
def _builtin_names() -> frozenset[str]:
    return frozenset(profile.name for profile in builtins())


def is_builtin(profile: Profile) -> bool:
    """Whether these are the rules of a game that the box knows by itself, on one of its boxes."""
    if profile.name not in _builtin_names():
        return False
    known = builtin(profile.name)
    sizes = [known, *(known.for_box(size) for size in known.allowed_boxes)]
    written = to_lines(profile)
    return any(found is not None and to_lines(found.with_limit(profile.limit)) == written for found in sizes)


def time_of(played: MatchPlayed, received_s: int) -> int:
    """When a match ended: by the box's clock, or ours where the box's cannot be right."""
    right = _EARLIEST_S <= played.ended_s <= received_s + _CLOCK_AHEAD_S
    return played.ended_s if right else received_s


def night_of(time_s: int, zone: tzinfo) -> date:
    """The night that a time of day belongs to, named after the day on which it begins."""
    return (datetime.fromtimestamp(time_s, UTC).astimezone(zone) - timedelta(hours=NIGHT_BEGINS_H)).date()
