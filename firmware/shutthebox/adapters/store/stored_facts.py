"""The facts as the store keeps them, one line of text each.

A fact says what doesn't follow from the facts before it, and a fact about a match names the match. An action
of a match has its own words (`shutthebox.rules.actions`); any other fact is a word and its values as JSON,
such as ``sign [7,0,"ANN"]``.

Lines must stay readable forever, because each is part of a checksum. And after an update that doesn't start,
an earlier version may have to continue with the store. So a word keeps its values, and a new word may only
say what a box can do without: earlier versions read it as a `LaterFact`.
"""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from shutthebox.errors import quoted
from shutthebox.game.facts import ClockShown, Linked, Remembered, fact_line, remembered
from shutthebox.link.invitation import linkable
from shutthebox.link.match import (
    LINK_WORDS,
    Agreement,
    LinkedMatch,
    LinkError,
    Revealed,
    Rolled,
    link_fact_from_text,
)
from shutthebox.rules.actions import Action, action_from_text
from shutthebox.rules.conditions import WORDS, Conditions, conditions_from_lines
from shutthebox.rules.match import Match


class MatchBegun(NamedTuple):
    """A match has begun.

    Attributes:
        match: its number, rising.
        at_s: when, in seconds since 1970.
        profile: the game's, as lines of a record.
        players: how many.
        rounds: how many.
        conditions: lines of a record (`known_conditions`).
        sides: of the dice, if throws are counted; else 0.
    """

    match: int
    at_s: int
    profile: str
    players: int
    rounds: int
    conditions: str
    sides: int

    def to_text(self) -> str:
        """For example ``begin [1,1795262400,"…",2,1,"dice box",6]``."""
        game = self.profile, self.players, self.rounds
        return fact_line("begin", self.match, self.at_s, *game, self.conditions, self.sides)


class MatchResumed(NamedTuple):
    """A match continues under other conditions, written as in `MatchBegun`."""

    match: int
    conditions: str

    def to_text(self) -> str:
        """For example ``resume [1,"dice real"]``."""
        return fact_line("resume", self.match, self.conditions)


class MatchLinked(NamedTuple):
    """A match that has just begun is played with another box.

    Attributes:
        match: its number.
        session: of the pairing.
        seat: this box's, from 0.
        secret: of this box's dice.
        limit_s: within which a box must reveal its link.
        names: of the boxes, by seat.
        commitments: of their dice, by seat.
    """

    match: int
    session: str
    seat: int
    secret: str
    limit_s: int
    names: tuple[str, str]
    commitments: tuple[str, str]

    @classmethod
    def of(cls, match: int, linked: Linked) -> "MatchLinked":
        """What is stored of a linked match with this number."""
        game = linked.agreement
        return cls(
            match, game.session, linked.seat, linked.secret, game.limit_s, game.names, game.commitments
        )

    def linked(self, beginning: Match, keys: tuple[str, str], pairing: str) -> LinkedMatch:
        """This box's log of the match, before its first entry.

        Args:
            beginning: the match before its first throw.
            keys: of the boxes, by seat.
            pairing: the session in which it's played, if it isn't the first match there.

        Raises:
            LinkError: two boxes can't play it, or the secret isn't the one agreed on.
        """
        game = linkable(beginning.game)
        if game is None:
            raise LinkError(f"{beginning.game.name} is not a game for two boxes")
        rounds, first = beginning.rounds, beginning.round.first_player
        agreement = Agreement(
            game, rounds, first, self.limit_s, self.names, self.commitments, self.session, keys
        )
        return Linked(agreement, self.seat, self.secret, pairing).beginning

    def to_text(self) -> str:
        """For example ``link [1,"9f…",0,"3c…",600,["The Anchor","The Crown"],["0a…","77…"]]``."""
        return fact_line("link", *self)


class BoxKeys(NamedTuple):
    """The public keys of both boxes of a linked match that has just begun.

    Attributes:
        match: its number.
        keys: by seat; empty for a box without one.
    """

    match: int
    keys: tuple[str, str]

    def to_text(self) -> str:
        """For example ``keys [1,["5e…","a0…"]]``."""
        return fact_line("keys", *self)


class PlayedAgain(NamedTuple):
    """A linked match that has just begun isn't the first one since two boxes were paired.

    Attributes:
        match: its number.
        pairing: the session in which it's played.
    """

    match: int
    pairing: str

    def to_text(self) -> str:
        """For example ``again [2,"9f…"]``."""
        return fact_line("again", *self)


class RematchSecret(NamedTuple):
    """The players at this box want to play a linked match again.

    Attributes:
        match: the number of the one that is over.
        secret: of this box's dice for the next one.
    """

    match: int
    secret: str

    def to_text(self) -> str:
        """For example ``rematch [1,"3c…"]``."""
        return fact_line("rematch", *self)


class BoxSigned(NamedTuple):
    """The box of a player, from 0, has signed the finished log of a linked match."""

    match: int
    player: int
    signature: str

    def to_text(self) -> str:
        """For example ``signature [1,0,"c4…"]``."""
        return fact_line("signature", *self)


class BoxQuit(NamedTuple):
    """The box of a player, from 0, has left an undecided linked match, perhaps with a throw on the table."""

    match: int
    player: int
    has_thrown: bool

    def to_text(self) -> str:
        """For example ``quit [1,1,1]``."""
        return fact_line("quit", self.match, self.player, int(self.has_thrown))


class FactsLost(NamedTuple):
    """Facts of a match were lost to damage; its conditions say so from now on."""

    match: int
    facts: int
    conditions: str

    def to_text(self) -> str:
        """For example ``lost [1,5,"dice box"]``."""
        return fact_line("lost", self.match, self.facts, self.conditions)


class PlayerResult(NamedTuple):
    """A player's result in a match.

    Attributes:
        player: from 0.
        score: None for a player who had no turn.
        owes: stakes.
        won: alone or with others.
        captain: whether they won by shutting the box in the first turn.
    """

    player: int
    score: int | None
    owes: Fraction
    won: bool
    captain: bool


class MatchDecided(NamedTuple):
    """A match has ended with these results; players with nothing to report are left out."""

    match: int
    results: tuple[PlayerResult, ...]

    def to_text(self) -> str:
        """For example ``finish [1,[[0,34,"-1",1,0],[1,43,"1",0,0]]]``."""
        rows = [
            (row.player, row.score, str(row.owes), int(row.won), int(row.captain)) for row in self.results
        ]
        return fact_line("finish", self.match, rows)


class ResultSigned(NamedTuple):
    """A player, from 0, has signed a match with three letters."""

    match: int
    player: int
    initials: str

    def to_text(self) -> str:
        """For example ``sign [1,0,"ANN"]``."""
        return fact_line("sign", self.match, self.player, self.initials)


class MatchLeft(NamedTuple):
    """The players have left a match."""

    match: int

    def to_text(self) -> str:
        """For example ``leave [1]``."""
        return fact_line("leave", self.match)


def departure_of(facts: Sequence["StoredFact"]) -> BoxQuit | None:
    """Who left a match, if that ended it. A plug pulled at that moment lets it go on, even to its end."""
    if any(isinstance(fact, MatchDecided) for fact in facts):
        return None
    has_ended = any(isinstance(fact, MatchLeft) for fact in facts)
    return next((fact for fact in reversed(facts) if isinstance(fact, BoxQuit) and has_ended), None)


class SwitchesWorn(NamedTuple):
    """For each switch (0 is the button), its number, and its presses and chatter since the last such fact."""

    counts: tuple[tuple[int, int, int], ...]

    def to_text(self) -> str:
        """For example ``wear [[0,3,0],[2,0,1]]``."""
        return fact_line("wear", *self.counts)


class FaultKept(NamedTuple):
    """Something was wrong.

    Attributes:
        at_s: when, in seconds since 1970.
        kind: the part, in one word.
        text: one line.
    """

    at_s: int
    kind: str
    text: str

    def to_text(self) -> str:
        """For example ``fault [1795262400,"lever","lever 3 chatters"]``."""
        return fact_line("fault", self.at_s, self.kind, self.text)


class LaterFact(NamedTuple):
    """A line that only a later version understands. It's kept.

    Attributes:
        text: the line.
    """

    text: str

    def to_text(self) -> str:
        """The line as a later version has written it."""
        return self.text

    @property
    def is_play(self) -> bool:
        """Whether its match makes no sense without it. That's an action, because everything else has JSON."""
        return not re.match(r"\S+ \[", self.text)


StoredFact: TypeAlias = (
    MatchBegun
    | MatchLinked
    | BoxKeys
    | PlayedAgain
    | RematchSecret
    | BoxSigned
    | BoxQuit
    | MatchResumed
    | FactsLost
    | MatchDecided
    | ResultSigned
    | MatchLeft
    | Action
    | Rolled
    | Revealed
    | ClockShown
    | Remembered
    | SwitchesWorn
    | FaultKept
    | LaterFact
)
"""A stored fact; `fact_from_text` reads what its `to_text` writes."""

_LONGEST_PLAYED = 100
"""Every action is shorter than this, in characters."""

_JSON_WORDS = (
    "begin", "link", "keys", "again", "rematch", "signature", "quit", "resume", "lost", "finish", "sign",
    "leave", "choose", "wear", "fault",
)  # fmt: skip


def fact_from_text(text: str) -> StoredFact:
    """The fact in this line. Any line is one, if only a later version's.

    Raises:
        ValueError: nonsense after a known word.
    """
    word, _, rest = text.partition(" ")
    if word in _JSON_WORDS:
        return _with_values(text, word, json.loads(rest))
    if word == "clock":
        return ClockShown(int(rest))
    if word in LINK_WORDS:
        return link_fact_from_text(text)
    return _parse_played(text) if len(text) < _LONGEST_PLAYED else LaterFact(text)


@lru_cache(1024)
def _parse_played(text: str) -> StoredFact:
    """Cached, because most facts are actions, and few differ."""
    try:
        return action_from_text(text)
    except ValueError:
        return LaterFact(text)


def _with_values(text: str, word: str, values: object) -> StoredFact:
    match word, values:
        case "begin", [
            int(number), int(at_s), str(profile), int(players), int(rounds), str(conditions), int(sides)
        ]:  # fmt: skip
            return MatchBegun(number, at_s, profile, players, rounds, conditions, sides)
        case "link", [
            int(number), str(session), int(seat), str(secret), int(limit_s),
            [str(host), str(guest)], [str(hosts), str(guests)],
        ]:  # fmt: skip
            return MatchLinked(number, session, seat, secret, limit_s, (host, guest), (hosts, guests))
        case "keys", [int(number), [str(hosts), str(guests)]]:
            return BoxKeys(number, (hosts, guests))
        case "again", [int(number), str(pairing)]:
            return PlayedAgain(number, pairing)
        case "rematch", [int(number), str(secret)]:
            return RematchSecret(number, secret)
        case "signature", [int(number), int(player), str(signature)]:
            return BoxSigned(number, player, signature)
        case "quit", [int(number), (0 | 1) as player, int(has_thrown)]:
            return BoxQuit(number, player, bool(has_thrown))
        case "resume", [int(number), str(conditions)]:
            return MatchResumed(number, conditions)
        case "lost", [int(number), int(facts), str(conditions)]:
            return FactsLost(number, facts, conditions)
        case "finish", [int(number), [*results]]:
            return MatchDecided(number, tuple(map(_result, results)))
        case "sign", [int(number), int(player), str(initials)]:
            return ResultSigned(number, player, initials)
        case "leave", [int(number)]:
            return MatchLeft(number)
        case "choose", [str(key), value]:
            return remembered(key, value)
        case "wear", [*counts]:
            return SwitchesWorn(tuple(map(_worn, counts)))
        case "fault", [int(at_s), str(kind), str(fault)]:
            return FaultKept(at_s, kind, fault)
        case _:
            raise ValueError(f"{quoted(text)} is not a fact")


def _result(values: object) -> PlayerResult:
    match values:
        case [int(player), (int() | None) as score, str(owes), int(won), int(captain)]:
            return PlayerResult(player, score, stakes_from_text(owes), bool(won), bool(captain))
        case _:
            raise ValueError(f"{quoted(str(values))} is not a player's result")


def _worn(values: object) -> tuple[int, int, int]:
    match values:
        case [int(switch), int(presses), int(chatter)]:
            return switch, presses, chatter
        case _:
            raise ValueError(f"{quoted(str(values))} is not a switch's wear")


def is_play(fact: StoredFact) -> bool:
    """Whether the fact only makes sense after those before it: an action, a link, or the clock's reading."""
    return (
        fact.is_play
        if isinstance(fact, LaterFact)
        else isinstance(fact, Action | Rolled | Revealed | ClockShown)
    )


def results_of(match: Match) -> tuple[PlayerResult, ...]:
    """The results of a decided match."""
    result = match.result
    assert result is not None, "the match is decided"
    found = []
    for player in range(match.players):
        won, owes = player in result.winners, result.owes[player]
        score = None if match.scores[player] is None else match.totals[player]
        if score is not None or owes or won:
            found.append(PlayerResult(player, score, owes, won, won and result.captain))
    return tuple(found)


def stakes_from_text(text: str) -> Fraction:
    """Stakes from their stored text: a whole number or a fraction.

    Raises:
        ValueError: anything else. A number like 1e99999999 would take forever to read.
    """
    if not re.fullmatch("-?[0-9]{1,12}(/[1-9][0-9]{0,3})?", text):
        raise ValueError(f"{quoted(text)} is not an amount of stakes")
    return Fraction(text)


def conditions_text(conditions: Conditions) -> str:
    """The conditions as stored text."""
    return "\n".join(conditions.to_lines())


def known_conditions(text: str) -> Conditions:
    """The conditions that this version understands in text stored by this or a later one.

    Raises:
        ValueError: for nonsense.
    """
    known = [line for line in text.splitlines() if line.partition(" ")[0] in WORDS]
    return conditions_from_lines(known) or Conditions()
