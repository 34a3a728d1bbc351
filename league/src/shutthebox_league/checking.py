"""Checks a match before it counts by replaying its record through the rules, action by action."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from shutthebox.night import NIGHT_BEGINS_H
from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.contradictions import contradiction
from shutthebox.rules.match import Match
from shutthebox.rules.position import Reason
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import ProfileError
from shutthebox.rules.record import Record, RecordError, parse, parse_to_end
from shutthebox_league.categories import Category, category_of

MAX_RECORD = 96 * 1024
"""The most characters of a record: 7,200 throws, one every 3 s for six hours without a pause.

Nobody can read two dice, move the levers and press faster than that for long. With nine players, a throw
takes 13 characters on average, including its share of the ends of turns.
"""

EARLIEST_S = 1_700_000_000  # No box is older; its clock was not set.
CLOCK_AHEAD_S = 600


class RefusedError(ValueError):
    """The rules don't give this result; the text is one line."""


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
        record: as the box wrote it.
        places: of all seats, in their order.
        unranked: why it counts in no ranking, in a few words; empty if it counts.
        commitment: of its tournament of equal dice; empty for random dice.
        ended: why the match is over, in a few words; empty where its totals say it.
        category: the matches that it can be compared with; None if a box doesn't offer its rules.
    """

    record: Record
    places: tuple[Place, ...]
    unranked: str
    commitment: str
    ended: str
    category: Category | None


def check_match(played: MatchPlayed) -> CheckedMatch:
    """Replays a match, of a game that can be chosen.

    Raises:
        RefusedError: naming the line and the rule that it breaks.
    """
    text = played.record
    if len(text) > MAX_RECORD:
        raise RefusedError(
            f"record: {len(text)} characters; at most {MAX_RECORD} are allowed, more than an evening's play"
        )
    if not text.replace("\n", "").isprintable():
        raise RefusedError("record: use characters that can be printed")
    if any(not line or line[0] in "# " for line in text.removesuffix("\n").split("\n")):
        raise RefusedError("record: has a comment or an empty line; use a record as a box writes it")
    try:
        record, end = parse_to_end(text, "record", _no_profile)
    except (RecordError, ProfileError) as error:
        raise RefusedError(str(error)) from None
    except (ArithmeticError, LookupError, ValueError, RecursionError, AssertionError) as error:
        raise RefusedError(f"record: can't be replayed: {type(error).__name__}") from error
    if complaint := contradiction(record.profile):
        raise RefusedError(f"record: {complaint}")
    conditions = record.conditions
    if conditions is None:
        raise RefusedError("record: its conditions are missing; use a record as a box writes it")
    if end.result is None and not (record.given_up and conditions.equal_dice):
        raise RefusedError("record: the match has not ended")
    category = category_of(record)
    unranked = why_unranked(record, end) or ("" if category else "house rules")
    return CheckedMatch(
        record, _places(record, end), unranked, conditions.equal_dice, _why_ended(end), category
    )


def read_record(text: str) -> Record:
    """The record in this text, replayed through the rules.

    Raises:
        RecordError: naming the line and the rule that it breaks.
        ProfileError: if it doesn't contain its rules, or they aren't valid.
    """
    return parse(text, "record", _no_profile)


def _no_profile(name: str) -> Profile:
    raise ProfileError("a box writes out the rules")


def _places(record: Record, end: Match) -> tuple[Place, ...]:
    computers = record.conditions.computers if record.conditions else ()
    winners = end.result.winners if end.result else ()
    sign = -1 if record.profile.highest_total_wins else 1
    totals = [None if score is None else total for total, score in zip(end.totals, end.scores, strict=True)]
    others = [sign * total for seat, total in enumerate(totals) if total is not None and seat not in winners]

    def place(seat: int, total: int | None) -> int:
        if seat in winners:
            return 1
        return 0 if total is None else 1 + len(winners) + sum(other < sign * total for other in others)

    return tuple(
        Place(seat + 1, place(seat, total), total, seat + 1 in computers) for seat, total in enumerate(totals)
    )


def why_unranked(record: Record, end: Match) -> str:
    """Why a match of any game counts in no ranking, in a few words; empty if it counts."""
    conditions = record.conditions
    if end.result is None:
        return "given up"
    if conditions is None:
        return "facts were lost"
    # All of them, so that mypy asks what a new one means here.
    real_dice, computers, out_of_play, versions, lost, _equal_dice, _first, linked = conditions
    if lost:
        return "facts were lost"
    if linked:
        return "two linked boxes"  # they don't send such matches
    if real_dice:
        return "real dice"
    if computers:
        return "a computer played"
    if out_of_play:
        return "levers were out of play"
    if words := sorted({action.WORD for action in record.actions if not action.IS_RANKED}):
        return f"with {words[0]}"
    # A record has its own keys, and has just been played again to the same result: earlier rules count.
    if any(int(version.rpartition(" ")[2]) > RULES_VERSION for version in versions):
        return "other rules"
    return ""


def _why_ended(end: Match) -> str:
    match end.result and end.result.reason:
        case Reason.SHUT:
            return "the box was shut"
        case Reason.PLAY_OFF:
            return "after a play-off"
        case Reason.LIMIT:
            return f"{end.rules.limit or 0} points reached"
        case Reason.LAST_LEFT:
            return "the last one in"
        case Reason.ROUNDS | Reason.BANK | Reason.LADDER | None:
            return ""


def time_of(played: MatchPlayed, received_s: int) -> int:
    """When a match ended: by the box's clock, or by ours if the box's can't be right."""
    right = EARLIEST_S <= played.ended_s <= received_s + CLOCK_AHEAD_S
    return played.ended_s if right else received_s


def night_of(time_s: int, zone: tzinfo) -> date:
    """The night that a time belongs to, named after the day on which it starts."""
    return (datetime.fromtimestamp(time_s, UTC).astimezone(zone) - timedelta(hours=NIGHT_BEGINS_H)).date()
