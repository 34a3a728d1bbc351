"""Reads the store: matches, the hall of fame, the fairness of the dice, the levers' health."""

import json
import re
import sqlite3
from dataclasses import dataclass
from itertools import groupby
from math import inf
from operator import itemgetter

from shutthebox.adapters.store.retention import FAME
from shutthebox.adapters.store.stored_facts import (
    BoxKeys,
    MatchDecided,
    MatchLeft,
    MatchLinked,
    StoredFact,
    departure_of,
    fact_from_text,
    known_conditions,
)
from shutthebox.adapters.store.tables import TOTALS, WHOLE, remembered_of
from shutthebox.config.profiles import builtin
from shutthebox.game.earlier_results import EarlierResults
from shutthebox.game.facts import Chosen, Streak, WrongCodes
from shutthebox.game.messages import ChartBar, ListRow, Message, Name, Text, message
from shutthebox.link.proof import commitment_of
from shutthebox.odds.terminal.fairness import Fairness, die_fairness, totals_fairness
from shutthebox.rules.faces import MAX_FACE, MAX_FACES
from shutthebox.rules.linked_boxes import LinkedBoxes
from shutthebox.rules.match import Match
from shutthebox.rules.profile import MAX_PLAYERS
from shutthebox.rules.reader import ProfileError

BAR = 12
"""The longest bar on the statistics screen, in characters."""

_IMPOSSIBLE_THROWS = """
select 1 from throws where dice not between 1 and ?1 or sides not between 2 and ?2
or die not between 0 and dice or value not between 1 and dice * sides or count not between 1 and 1000000000000
"""
"""Their chances would take forever to calculate."""


@dataclass(frozen=True, slots=True)
class DieCount:
    """The throws of one die, or of the totals, and whether they look fair.

    Attributes:
        dice: how many were thrown together.
        sides: of each.
        die: which of them, from 1 in the order thrown; 0 for their total.
        counts: each value and how often it came, rising.
        fairness: the chi-square test of them.
    """

    dice: int
    sides: int
    die: int
    counts: dict[int, int]
    fairness: Fairness


@dataclass(frozen=True, slots=True)
class SignedWinner:
    """A winner who has signed.

    Attributes:
        initials: three letters.
        score: in the whole match; None for a winner who had no turn, because everybody else lost.
        profile: the game's name.
        began_s: when the match began, in seconds since 1970.
        unproven: conditions that leave its fairness unproven, in a word or two each: real dice, computer,
            levers out, head start.
    """

    initials: str
    score: int | None
    profile: str
    began_s: int
    unproven: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SwitchWear:
    """How much a switch has been used.

    Attributes:
        presses: how often it was pressed or flipped down.
        chatter: edges in settle windows; many per press mean that the switch is wearing out.
    """

    presses: int
    chatter: int


@dataclass(frozen=True, slots=True)
class LoggedFault:
    """A fault of the hardware, the store or the rules, as it was logged.

    Attributes:
        at_s: when, in seconds since 1970.
        kind: the part, in one word.
        text: what was wrong, in one line.
    """

    at_s: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class PlayedLink:
    """A match with another box.

    Attributes:
        began_s: when it began, in seconds since 1970.
        names: of the boxes, by seat.
        commitment: of this box: what tells its owner that a record is of this match.
        ending: how it ended, in a few words.
    """

    began_s: int
    names: tuple[str, str]
    commitment: str
    ending: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """Everything the box has counted.

    Attributes:
        matches: begun.
        finished: of those, played to the end.
        given_up: of those, left undecided.
        real_dice: of those, played with the players' own dice.
        with_computer: of those, played with a computer.
        without_levers: of those, played with levers out of play.
        with_gaps: of the replayable ones, those that lost facts to damage; they aren't ranked.
        versions: of the box and its rules in the replayable ones.
        throws: made by the box.
        fame: winners who have signed, latest first.
        dice: the dice thrown, by number, sides and die.
        switches: the health of each lever (0: the button), rising.
        faults: latest first.
        linked: the replayable matches with another box, latest first.
        out_of_play: levers that the owner has taken out of play at the box.
    """

    matches: int
    finished: int
    given_up: int
    real_dice: int
    with_computer: int
    without_levers: int
    with_gaps: int
    versions: tuple[str, ...]
    throws: int
    fame: tuple[SignedWinner, ...]
    dice: tuple[DieCount, ...]
    switches: dict[int, SwitchWear]
    faults: tuple[LoggedFault, ...]
    linked: tuple[PlayedLink, ...]
    out_of_play: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """The result of one player in a match.

    Attributes:
        number: from 1.
        score: in the whole match; None for a player who had no turn.
        won: alone or with others.
        initials: None for a player who hasn't signed. In a match on two boxes, what the player's box calls
            itself.
    """

    number: int
    score: int | None
    won: bool
    initials: str | None


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that has been decided.

    Attributes:
        began_s: when it began, in seconds since 1970.
        profile: the game's name.
        keys: the game's profile, as stored.
        players: all of them, in order.
    """

    began_s: int
    profile: str
    keys: str
    players: tuple[Player, ...]


_DECIDED = """
select match.id, began_s, profile, (select text from fact where number = first + 1 and text glob 'link *'),
    seat.value, score, won, initials
from match join json_each(?) as seat on seat.value < players
    left join result on result.match = match.id and player = seat.value
where match.id in (select distinct match from result order by match desc limit ?)
order by match.id desc, seat.value
"""
"""A player who had no turn, owes nothing and hasn't won has no row of results."""


def latest(db: sqlite3.Connection, count: int) -> tuple[PlayedMatch, ...]:
    """The latest decided matches, latest first."""
    rows = db.execute(_DECIDED, (json.dumps(list(range(MAX_PLAYERS))), count))
    return tuple(
        PlayedMatch(
            began_s,
            _name(keys),
            keys,
            tuple(
                Player(seat + 1, score, bool(won), initials or _box(link, seat))
                for *_, seat, score, won, initials in players
            ),
        )
        for (_, began_s, keys, link), players in groupby(rows, itemgetter(0, 1, 2, 3))
    )


def _box(link: str | None, seat: int) -> str | None:
    """What the box of a seat calls itself, as the fact says that links the match to another; None without."""
    match fact_from_text(link) if link else None:
        case MatchLinked(names=names):
            return names[seat]
        case _:
            return None


_LINKED_FACTS = """
select match.id, began_s, text from match join fact on number >= first
    and number < ifnull((select min(first) from match as later where later.id > match.id), 9e18)
    and text glob '[fklq]* [[]*'
where (select text from fact where number = first + 1) glob 'link *'
order by match.id desc, number
"""
"""Of matches with another box: what they say besides how they were played."""


def linked_matches(db: sqlite3.Connection) -> tuple[PlayedLink, ...]:
    """The matches with another box whose facts are kept, latest first.

    Raises:
        sqlite3.Error: if they can't be read.
        ValueError: they make no sense.
    """
    found = []
    for (_, began_s), rows in groupby(db.execute(_LINKED_FACTS), itemgetter(0, 1)):
        facts = [fact_from_text(text) for *_, text in rows]
        link = next(fact for fact in facts if isinstance(fact, MatchLinked))
        keys = next((fact.keys for fact in facts if isinstance(fact, BoxKeys)), ("", ""))
        commitment = commitment_of(link.commitments[link.seat], keys[link.seat])
        found.append(PlayedLink(began_s, link.names, commitment, _ending(link, facts)))
    return tuple(found)


def _ending(link: MatchLinked, facts: list[StoredFact]) -> str:
    for fact in facts:
        if isinstance(fact, MatchDecided):
            won = [link.names[row.player] for row in fact.results if row.won and row.player in (0, 1)]
            return f"won by {' and '.join(won) or 'nobody'}"
    if quit_by := departure_of(facts):
        left = quit_by.player + 1, quit_by.has_thrown
        return LinkedBoxes(link.session, link.limit_s, link.names, left=left).departure
    return "ended without a result" if any(isinstance(fact, MatchLeft) for fact in facts) else "in progress"


def latest_finished(db: sqlite3.Connection) -> int:
    """The id of the latest decided match, or else of the latest match; 0 if there's none.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    decided = "exists (select 1 from result where result.match = match.id)"
    query = f"select id from match order by {decided} desc, id desc limit 1"
    return int((db.execute(query).fetchone() or (0,))[0])


def past(db: sqlite3.Connection, match: Match, letters: str) -> EarlierResults:
    """Earlier results recorded under the winner's initials.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    rows = db.execute(
        "select profile, rounds, score, conditions from result join match on match.id = result.match"
        f" where initials = ? and won and {WHOLE}",
        (letters,),
    ).fetchall()
    game = (match.game.name, match.rounds)
    same = [score for keys, rounds, score, _ in rows if (_name(keys), rounds) == game]
    better = max if match.game.highest_total_wins else min
    return EarlierResults(
        better(same, default=None), any(known_conditions(row[-1]).computers for row in rows)
    )


def finished_since(db: sqlite3.Connection, since_s: float, until_s: float = inf) -> int:
    """How many matches that began in this time span (end excluded) have been decided.

    Raises:
        sqlite3.Error: if it can't be read.
    """
    query = (
        "select count(distinct match) from result join match on match.id = result.match"
        " where began_s >= ? and began_s < ?"
    )
    return int(db.execute(query, (int(since_s), until_s)).fetchone()[0])


def read(db: sqlite3.Connection) -> Statistics:
    """Counts everything, including matches that the store has forgotten.

    Raises:
        ValueError: for throws of impossible dice.
        sqlite3.Error: if it can't be read.
    """
    if db.execute(_IMPOSSIBLE_THROWS, (MAX_FACES, MAX_FACE // MAX_FACES)).fetchone():
        raise ValueError("throws of impossible dice are counted")
    totals = dict.fromkeys(("matches", "finished", "given_up", *TOTALS), 0)
    fame = db.execute(
        "select player, initials, score, profile, began_s, conditions"
        f" from result join match on match.id = result.match where won and initials is not null and {WHOLE}"
        " order by match.id desc limit ?",
        (FAME,),
    ).fetchall()
    rows: dict[tuple[int, int, int], dict[int, int]] = {}
    for dice, sides, die, value, count in db.execute("select dice, sides, die, value, count from throws"):
        rows.setdefault((dice, sides, die), {})[value] = count
    counted = tuple(_count(*key, counts) for key, counts in sorted(rows.items()))
    return Statistics(
        **(totals | dict(db.execute("select name, count from total").fetchall())),
        with_gaps=int(db.execute(f"select count(*) from match where not {WHOLE}").fetchone()[0]),
        versions=_versions(db),
        throws=sum(sum(entry.counts.values()) for entry in counted if entry.die == 0),
        fame=tuple(
            SignedWinner(who, score, _name(keys), began_s, _unproven(conditions, keys, player))
            for player, who, score, keys, began_s, conditions in fame
        ),
        dice=counted,
        switches=health(db),
        faults=logged_faults(db),
        linked=linked_matches(db),
        out_of_play=out_of_play(db) or (),
    )


def _versions(db: sqlite3.Connection) -> tuple[str, ...]:
    rows = db.execute("select conditions from match group by conditions order by min(id)")
    lines = [line for (conditions,) in rows for line in conditions.splitlines()]
    return tuple(
        dict.fromkeys(line.removeprefix("version ") for line in lines if line.startswith("version "))
    )


def _unproven(conditions: str, keys: str, player: int) -> tuple[str, ...]:
    words = zip(TOTALS.values(), ("real dice", "computer", "levers out"), strict=True)
    known = known_conditions(conditions)
    found = [word for holds, word in words if holds(known)]
    given = re.search(r"^handicap = (.*)$", keys, re.MULTILINE)
    heads = json.loads(given[1]) if given else ()
    return (*found, "head start") if player < len(heads) and heads[player] else tuple(found)


def setting(db: sqlite3.Connection, key: str) -> object:
    """The value chosen at the box for this config key; None if none was."""
    chosen = (fact for fact in remembered_of(db) if isinstance(fact, Chosen) and fact.key == key)
    return next((fact.value for fact in chosen), None)


def out_of_play(db: sqlite3.Connection) -> tuple[int, ...] | None:
    """The levers that the owner has taken out of play at the box; None if that was never set there."""
    chosen = setting(db, "box.out_of_play")
    return tuple(sorted(chosen)) if isinstance(chosen, tuple) else None


def logged_faults(db: sqlite3.Connection) -> tuple[LoggedFault, ...]:
    """The logged faults, latest first. One that comes back within the hour is logged once."""
    return tuple(
        LoggedFault(*row) for row in db.execute("select at_s, kind, text from fault order by id desc")
    )


def evening(db: sqlite3.Connection, since_s: float) -> tuple[int, int, int | None]:
    """How many matches have begun since then, their throws, and the busiest hour, if any."""
    began = "began_s >= ?"
    matches, first = db.execute(
        f"select count(*), min(first) from match where {began}", (since_s,)
    ).fetchone()
    if not matches:
        return 0, 0, None
    throws = "select count(*) from fact where number >= ? and text like 'throw %'"
    hours = (
        "select strftime('%H', began_s, 'unixepoch', 'localtime') as hour from match"
        f" where {began} group by hour order by count(*) desc, hour limit 1"
    )
    (busiest,) = db.execute(hours, (since_s,)).fetchone()
    return matches, int(db.execute(throws, (first,)).fetchone()[0]), int(busiest)


def wrong_codes(db: sqlite3.Connection) -> int:
    """How many wrong codes were entered since the last right one."""
    return sum(fact.times for fact in remembered_of(db) if isinstance(fact, WrongCodes))


def streak(db: sqlite3.Connection) -> Streak:
    """How many puzzles of the day were solved in a row."""
    return next((fact for fact in remembered_of(db) if isinstance(fact, Streak)), Streak())


def health(db: sqlite3.Connection) -> dict[int, SwitchWear]:
    """The counts of each lever (0: the button) at the end of the last match."""
    rows = db.execute("select number, presses, chatter from lever order by number")
    return {number: SwitchWear(int(presses), int(chatter)) for number, presses, chatter in rows}


def _count(dice: int, sides: int, die: int, counts: dict[int, int]) -> DieCount:
    if die:
        fairness = die_fairness([counts.get(face, 0) for face in range(1, sides + 1)])
    else:
        fairness = totals_fairness(counts, dice, sides)
    return DieCount(dice, sides, die, counts, fairness)


def _name(keys: str) -> str:
    """The profile's name, from the beginning of its text."""
    return keys.split('"')[1]


def statistics_lines(statistics: Statistics) -> tuple[Text, ...]:
    """The lines of the statistics screen. Guests see it, so p-values are left to `stats`."""
    found: list[Text] = [
        message("Matches: {count}", count=statistics.finished),
        message("Throws: {count}", count=statistics.throws),
        *map(_famous_line, statistics.fame),
    ]
    for entry in statistics.dice:
        if entry.dice == 1 and not entry.die:
            continue  # the total of one die is the die
        what = message("Die {number}", number=entry.die) if entry.die else message("Total")
        dice = f"{entry.dice}d{entry.sides}"
        found.append(ListRow(message("{dice} {what}", dice=dice, what=what), str(sum(entry.counts.values()))))
        most = max(entry.counts.values())
        found += [
            ListRow(ChartBar(value, round(BAR * count / most)), str(count))
            for value, count in sorted(entry.counts.items())
        ]
    return tuple(found)


def _famous_line(famous: SignedWinner) -> Message:
    """Three letters, their score and the game. For house rules, that's just the name of the file."""
    score = "-" if famous.score is None else famous.score
    try:
        game: Text = Message(builtin(famous.profile).title())
    except ProfileError:
        game = famous.profile
    return message("{initials} {score} {game}", initials=Name(famous.initials), score=score, game=game)
