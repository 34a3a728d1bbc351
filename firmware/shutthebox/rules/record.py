"""A whole match as text: writes it, reads it back, and checks each line against the rules.

A record starts with the rules, the players and the conditions of play, has a line for each throw and for
the end of each turn, and closes with the result, if there is one::

    shut-the-box record 1
    name = "pub"
    tiles = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    one_die = "optional-high"
    shut_wins = "match"
    players 2
    rounds 1
    dice real
    computers 2
    out-of-play 4 7
    version 1.0.0 rules 4
    1 3+5 1,7
    1 6+6 3,9
    1 6+6
    1 blocked 25
    2 ...

A throw's line is player, faces and answer: the tiles shut, ``-`` for a pass, ``+4`` for a tile opened
again, nothing if the throw ended the turn (or, on the last line, has no answer yet). The result says with
``ended`` why the match is over (`shutthebox.rules.position.Reason`). ``1 time`` is a turn whose time ran
out, with or without a throw on the table. A match that was abandoned closes with ``given-up`` instead.
Instead of its keys, a record written by hand may name a profile: ``profile pub``, or
``profile traditional 12`` for the box of 12. Empty lines and lines that start with # are skipped.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.rules.actions import (
    ACTIONS,
    Action,
    Advanced,
    BareAction,
    Moved,
    Reopened,
    Thrown,
    apply,
)
from shutthebox.rules.conditions import RULES_VERSION, WORDS, Conditions, conditions_from_lines
from shutthebox.rules.faces import faces_from_text
from shutthebox.rules.linked_boxes import BOX_WORDS, LinkedBoxes, linked_boxes_from_lines
from shutthebox.rules.match import Match, begin
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import MAX_PLAYERS, MAX_ROUNDS, Profile
from shutthebox.rules.reader import ProfileError, parse_keys, to_played_profile
from shutthebox.rules.tiles import from_text
from shutthebox.rules.turn import Outcome
from shutthebox.rules.writer import to_lines
from shutthebox.validation import count

KIND = "shut-the-box record"
"""The beginning of every record's first line."""

FIRST_LINE = f"{KIND} 1"

_OUTCOMES = tuple(outcome.value for outcome in Outcome)
_BARE: dict[str, Action] = {
    kind.WORD: kind() for kind in ACTIONS if issubclass(kind, BareAction) and kind is not Advanced
}
"""Actions that are read by their word; `Advanced` is by the way in which the turn has ended."""

GIVEN_UP = "given-up"
_ENDED = "ended "

_MAX_MISSING = 12
"""The most missing lines that a complaint names."""


class RecordError(ShutTheBoxError, ValueError):
    """A text that isn't a record, or breaks the rules. The message is one line: file, line, what's wrong."""


@dataclass(frozen=True, slots=True)
class Record:
    """A match from its beginning: finished, given up, or as far as it got.

    Attributes:
        profile: the game, on the box in play.
        players: how many, 1..20.
        rounds: rounds to play, 1..99, if totals decide the match.
        actions: everything that happened, in order.
        conditions: of play; None if unknown.
        given_up: the players left the match before it was decided.
        boxes: the two linked boxes that it was played on; None for one box, and if unknown.
    """

    profile: Profile
    players: int
    rounds: int
    actions: tuple[Action, ...] = ()
    conditions: Conditions | None = None
    given_up: bool = False
    boxes: LinkedBoxes | None = None

    @property
    def beginning(self) -> Match:
        """The match before its first throw.

        Raises:
            ValueError: for a number out of range; never for a record from `parse`.
        """
        first = self.conditions.first - 1 if self.conditions else 0
        return begin(self.profile, self.players, self.rounds, first)


def unproven(record: Record) -> tuple[str, ...]:
    """Lists what the record doesn't prove, in short English sentences without a full stop."""
    found = []
    conditions = record.conditions
    if conditions is None:
        found.append("dice, computers, levers and version are unknown: the record doesn't say")
    else:
        # All of them, so that mypy asks what a new one means here.
        real_dice, computers, out_of_play, versions, lost, equal_dice, _first, linked = conditions
        if real_dice:
            found.append("real dice: the players threw and entered them; the box didn't see them")
        if equal_dice:
            found.append(f"equal dice: the throws follow from the seed of tournament {equal_dice[:16]}…")
        if linked:
            found.append(
                "two linked boxes: each saw only its own levers; `shutthebox verify` checks every throw"
            )
        for seats in computers:
            found.append(f"player {seats} was the computer")
        if out_of_play:
            levers = ", ".join(map(str, out_of_play))
            found.append(f"out of play: lever{'s' * (len(out_of_play) > 1)} {levers}")
        if lost:
            found.append(f"facts lost to damage of the store: {lost}")
        found += [f"played on version {version}" for version in versions] or ["the box's version is unknown"]
        if any(not version.endswith(f" rules {RULES_VERSION}") for version in versions):
            found.append(f"checked here by rules {RULES_VERSION}")
    if record.boxes and record.boxes.left:
        found.append(record.boxes.departure)
    if record.given_up:
        found.append("given up before the end")
    return tuple(found)


def replay(record: Record) -> list[Match]:
    """Every position of the match, from the beginning: one more than there are actions.

    Raises:
        ValueError: if an action is against the rules; never for a record from `parse`.
    """
    positions = [record.beginning]
    for action in record.actions:
        positions.append(apply(positions[-1], action))
    return positions


def write(record: Record) -> str:
    """The text of a record. It's self-contained: `parse` can read it without a profile.

    Raises:
        ValueError: if an action is against the rules.
    """
    positions = replay(record)
    lines = [FIRST_LINE, *to_lines(record.profile)]
    lines += [f"players {record.players}", f"rounds {record.rounds}"]
    lines += record.conditions.to_lines() if record.conditions else ()
    lines += record.boxes.to_lines() if record.boxes else ()
    for match, action in zip(positions, record.actions, strict=False):
        if action.JOINS_LINE:
            lines[-1] += f" {action.to_record(match)}"
        else:
            lines.append(action.to_record(match))
    lines += [GIVEN_UP] if record.given_up else _result_lines(positions[-1])
    return "\n".join(lines) + "\n"


def parse(text: str, where: str, find_profile: Callable[[str], Profile]) -> Record:
    """The record in `text`, checked against the rules to its end.

    Args:
        text: as written by `write`.
        where: the file, for error messages.
        find_profile: returns the profile with an id, for records that name one; raises
            `ProfileError` if there is none.

    Raises:
        RecordError: the message names the line and the rule it breaks.
    """
    return parse_to_end(text, where, find_profile)[0]


def parse_to_end(text: str, where: str, find_profile: Callable[[str], Profile]) -> tuple[Record, Match]:
    """As `parse`, with the position that the record ends with: that of its `replay`."""
    return _Parser(text, where, find_profile).record()


class _Parser:
    def __init__(self, text: str, where: str, find_profile: Callable[[str], Profile]) -> None:
        self._where = where
        self._find_profile = find_profile
        numbered = ((n, line.strip()) for n, line in enumerate(text.split("\n"), 1))
        self._lines = [(n, line) for n, line in numbered if line and not line.startswith("#")]
        self._at = 0
        self._missing: list[tuple[int, str]] = []

    def record(self) -> tuple[Record, Match]:
        match, conditions, boxes = self._header()
        start = match
        actions: list[Action] = []
        while (line := self._peek()) is not None and "1" <= line[0] <= "9":
            if match.stage is Stage.ADVANCE and not _ends_turn(line):
                self._missing.append((self._number_of_line, _end_of_turn(match)))
                match = match.advance()
                actions.append(Advanced())
                continue
            for action in self._actions(match):
                if reason := action.why_not(match):
                    raise self._error(f"{self._subject()}: {reason}")
                match = apply(match, action)
                actions.append(action)
            self._at += 1
        given_up = match.result is None and self._peek() == GIVEN_UP
        self._at += given_up
        self._result(match)
        if self._missing:
            # All at once: a record written by hand lacks the same line after every turn.
            shown = ", ".join(repr(line) for _, line in self._missing[:_MAX_MISSING])
            more = ", …" if len(self._missing) > _MAX_MISSING else ""
            raise RecordError(f"{self._where}:{self._missing[0][0]}: missing: {shown}{more}")
        record = Record(start.game, start.players, start.rounds, tuple(actions), conditions, given_up, boxes)
        return record, match

    def _peek(self) -> str | None:
        return self._lines[self._at][1] if self._at < len(self._lines) else None

    @property
    def _number_of_line(self) -> int:
        return self._lines[min(self._at, len(self._lines) - 1)][0] if self._lines else 1

    def _error(self, what: str) -> RecordError:
        return RecordError(f"{self._where}:{self._number_of_line}: {what}")

    def _subject(self) -> str:
        # The second word is short: it has been read as a throw or an outcome.
        words = self._lines[self._at][1].split()
        return f"{words[1]} {words[2]}" if _ends_turn(self._lines[self._at][1]) else words[1]

    def _header(self) -> tuple[Match, Conditions | None, LinkedBoxes | None]:
        if self._peek() != FIRST_LINE:
            raise self._error(
                f"not a record; its first line must be {FIRST_LINE!r}, and players and profile have to follow"
            )
        self._at += 1
        lines, conditions, of_boxes = list[str](), None, list[str]()
        keys: list[tuple[int, str]] = []
        named: Profile | None = None
        counts: dict[str, int] = {}
        while (line := self._peek()) is not None and not "1" <= line[0] <= "9":
            word, _, rest = line.partition(" ")
            if word in BOX_WORDS and not rest.startswith("="):
                of_boxes.append(line)
            elif "=" in line and named is None:
                keys.append(self._lines[self._at])
            elif word in ("players", "rounds"):
                if word in counts:
                    raise self._error(f"{word}: given twice")
                counts[word] = self._number(word, rest, MAX_PLAYERS if word == "players" else MAX_ROUNDS)
            elif word == "profile":
                if named is not None or keys:
                    raise self._error("profile: allowed once, and instead of keys")
                named = self._find_named(rest)
            elif word in WORDS and "=" not in line:
                lines.append(line)
                try:
                    conditions = conditions_from_lines(lines)
                except ValueError as error:
                    raise self._error(str(error)) from None
            elif word in ("scores", "totals", "winners", "captain", "owes", GIVEN_UP) and "players" in counts:
                break
            else:
                raise self._error(f"{quoted(line)} is not a line of a record's head")
            self._at += 1
        missing = {
            f"players: missing; use 1 to {MAX_PLAYERS}": "players" not in counts,
            "profile: missing; use its id, or its keys": named is None and not keys,
        }
        if any(missing.values()):
            raise self._error("; ".join(what for what, is_missing in missing.items() if is_missing))
        if named is None:
            named = _profile_of(tuple(keys), self._where)
        if conditions and conditions.linked and counts["players"] != len(conditions.linked.links):
            raise self._error("linked: allowed with 2 players")
        if of_boxes and not (conditions and conditions.linked):
            raise self._error(f"{of_boxes[0].split()[0]}: allowed with a line that begins with linked")
        try:
            boxes = linked_boxes_from_lines(of_boxes)
            first = conditions.first - 1 if conditions else 0
            return begin(named, counts["players"], counts.get("rounds"), first), conditions, boxes
        except ValueError as error:
            raise self._error(str(error)) from None

    def _number(self, word: str, text: str, most: int) -> int:
        number = count(text, most)
        if number is None:
            raise self._error(f"{word}: {quoted(text)} is not allowed; use 1 to {most}")
        return number

    def _find_named(self, rest: str) -> Profile:
        name, _, box = rest.partition(" ")
        try:
            profile = self._find_profile(name)
        except ProfileError as error:
            raise self._error(str(error)) from None
        if not box:
            return profile
        allowed = ", ".join(map(str, profile.allowed_boxes))
        played = profile.for_box(int(box)) if box in allowed.split(", ") else None
        if played is None:
            raise self._error(f"profile: a box of {quoted(box)} is not allowed; use {allowed}")
        return played

    def _actions(self, match: Match) -> Iterator[Action]:
        line = self._lines[self._at][1]
        words = line.split()
        if words[0] != str(match.player + 1):
            raise self._error(f"{quoted(words[0])}: it is the turn of player {match.player + 1}")
        if _ends_turn(line):
            yield Advanced()  # refused, if the turn is not over, before its words are compared
            if line != _end_of_turn(match):
                raise self._error(f"{words[1]} {quoted(words[2])}: by the rules {_end_of_turn(match)!r}")
            return
        if not 2 <= len(words) <= 3:
            raise self._error(f"{quoted(line)} is not a line of a turn: player, throw and answer")
        if bare := _BARE.get(" ".join(words[1:])):
            yield bare
            return
        try:
            yield Thrown(faces_from_text(words[1]))
            if len(words) == 3:
                yield _answer(words[2])
        except RecordError:
            raise
        except ValueError as error:
            raise self._error(str(error)) from None

    def _result(self, match: Match) -> None:
        due = _result_lines(match)
        for at, expected in enumerate(due):
            line = self._peek()
            if expected.startswith(_ENDED) and not (line or "").startswith(_ENDED):
                continue  # written by hand, it needn't say why
            if line is None or line in due[at + 1 :]:
                self._missing.append((self._number_of_line, expected))
                continue
            if line != expected:
                raise self._error(f"{quoted(line)}: by the rules it is {expected!r}")
            self._at += 1
        if (line := self._peek()) is not None:
            ended = "the match has ended" if match.result else "the match has not ended yet"
            raise self._error(f"{quoted(line)}: not expected here, {ended}")


@lru_cache(32)
def _profile_of(lines: tuple[tuple[int, str], ...], where: str) -> Profile:
    """The profile in numbered lines. Cached because most records of a league are of a few games."""
    keys: dict[str, object] = {}
    try:
        for number, line in lines:
            for key, value in parse_keys(line, f"{where}:{number}", _no_like).items():
                if key in keys:
                    raise RecordError(f"{where}:{number}: {key}: given twice")
                keys[key] = value
        return to_played_profile(keys, where, "record")
    except ProfileError as error:
        raise RecordError(str(error)) from None


def _answer(word: str) -> Action:
    if not word.startswith("+"):
        return Moved(from_text(word))
    tile = from_text(word[1:])
    if tile.bit_count() != 1:
        raise ValueError(f"{quoted(word)}: exactly one tile is opened")
    return Reopened(tile.bit_length())


def _ends_turn(line: str) -> bool:
    """Whether a line says how a turn ended."""
    words = line.split()
    return len(words) == 3 and words[1] in _OUTCOMES


def _end_of_turn(match: Match) -> str:
    return Advanced().to_record(match)


def _result_lines(match: Match) -> list[str]:
    if match.result is None:
        return []
    lines = [
        "scores " + " ".join("-" if score is None else str(score) for score in match.scores),
        "totals " + " ".join(map(str, match.totals)),
        "winners " + (" ".join(str(winner + 1) for winner in match.result.winners) or "-"),
        f"{_ENDED}{match.result.reason}",
    ]
    if match.result.captain:
        lines.append("captain")
    return [*lines, "owes " + " ".join(map(str, match.result.owes))]


def _no_like(name: str) -> dict[str, object]:
    raise KeyError("a record has its keys itself")
