"""Reads a match from a table of turns as people keep it: a CSV file with player, dice and tiles shut."""

import csv
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from shutthebox.errors import quoted
from shutthebox.rules.actions import Action, Advanced, Moved, Reopened, Thrown, apply
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import Throw
from shutthebox.rules.orders import order_of
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import MAX_PLAYERS, MAX_ROUNDS, Blocked, Profile
from shutthebox.rules.record import KIND, Record, RecordError
from shutthebox.rules.tiles import MAX_TILE, to_tiles
from shutthebox.texts import N_
from shutthebox.translations import translations

_HEADS = {
    "player": N_("player players name seat who"),
    "dice": N_("dice die d throw thrown roll rolled"),
    "total": N_("total sum"),
    "tiles": N_("tiles tile shut closed flipped down move played"),
    # Columns with these words are ignored, whatever else they say.
    "": N_("open left remaining score points number no nr num"),
}
"""Words of column heads. Each catalogue has its language's under these texts: without accents, but where a
word without them means something else, as in "dé" and "de"."""

_DELIMITERS = (",", ";", "\t", "|")

_THROW = re.compile(r"\d{1,3}(?: ?\+ ?\d{1,3})+")
_MAX_LINES = 20_000
_FIELD = 200
"""The most characters of a cell that are read."""


class _Columns(NamedTuple):
    player: int
    dice: tuple[int, ...]
    tiles: int


class _Line(NamedTuple):
    number: int
    player: str
    dice: Throw
    tiles: str


def is_table(text: str, name: str) -> bool:
    """Whether a file is a table of turns rather than a record, by its extension or column headings."""
    if text.lstrip("\ufeff \t\r\n").startswith((KIND, "#")):
        return False
    if name.lower().endswith((".csv", ".tsv")):
        return True
    found = {_kind(head) for head in next(_rows(text[:4096]), (0, []))[1]}
    return {"player", "tiles"} <= found


def read_table(text: str, where: str, profile: Profile) -> Record:
    """Reads a table of turns and plays it through the rules.

    Each line is a throw: the player, what the dice showed, and the tiles shut (none if nothing could be).
    Or it's a turn: all its throws, and the tiles shut for each.
    Columns are found by their headings, in any order and in the box's languages; others are ignored.

    Args:
        text: the file's text, with columns separated by commas, semicolons, tabs or bars.
        where: the file, for error messages.
        profile: the game.

    Raises:
        RecordError: for the first line that is wrong, in one line.
    """
    lines = _lines(text, where, profile)
    names = list(dict.fromkeys(line.player for line in lines))
    if len(names) > MAX_PLAYERS:
        raise RecordError(f"{where}: {len(names)} players; use 1 to {MAX_PLAYERS}")
    turns = [player for player, _ in groupby(line.player for line in lines)]
    whole = order_of(profile).one_turn_each
    rounds = min(MAX_ROUNDS, max(map(turns.count, names))) if profile.has_rounds and whole else None
    try:
        match = start = begin(profile, len(names), rounds)
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from None
    actions: list[Action] = []
    for line in lines:
        for act in (_advance, _throw, _answer):
            action = act(line, match)
            if action is None:
                continue
            at_turn = names[match.player]
            if not isinstance(action, Advanced) and at_turn != line.player:
                raise RecordError(
                    f"{where}:{line.number}: {quoted(line.player)}: it is the turn of {quoted(at_turn)}"
                )
            if reason := action.why_not(match):
                raise RecordError(f"{where}:{line.number}: {quoted(line.player)}: {reason}")
            match = apply(match, action)
            actions.append(action)
    if match.stage is Stage.ADVANCE:
        actions.append(Advanced())
    return Record(start.game, start.players, start.rounds, tuple(actions))


def _advance(line: _Line, match: Match) -> Action | None:
    """Moves on if the line before ended a turn."""
    return Advanced() if match.stage is Stage.ADVANCE and match.result is None else None


def _throw(line: _Line, match: Match) -> Action | None:
    return Thrown(line.dice)


def _answer(line: _Line, match: Match) -> Action | None:
    """The answer to the throw; None if it ended the turn without one."""
    numbers = [int(number) for number in re.findall(r"\d+", line.tiles)]
    if match.stage is not Stage.ANSWER and not numbers:
        return None
    if match.game.blocked is Blocked.OPENS_ONE and "+" in line.tiles[:1] and len(numbers) == 1:
        return Reopened(numbers[0])
    return Moved(to_tiles(number for number in numbers if 1 <= number <= MAX_TILE))


def _lines(text: str, where: str, profile: Profile) -> list[_Line]:
    rows = _rows(text, where)
    first, heads = next(rows, (1, []))
    columns = _columns(heads, f"{where}:{first}")
    found: list[_Line] = []
    for number, row in rows:
        if len(found) == _MAX_LINES:
            raise RecordError(f"{where}:{number}: too many lines; use at most {_MAX_LINES}")
        cells = [row[i].strip()[:_FIELD] if i < len(row) else "" for i in range(len(heads))]
        player, shown = cells[columns.player], [cells[i] for i in columns.dice]
        tiles = cells[columns.tiles]
        player = player or (found[-1].player if found else "")
        if not player:
            raise RecordError(f"{where}:{number}: no player; use a name")
        if not all(1 <= int(tile) <= MAX_TILE for tile in re.findall(r"\d+", tiles)):
            raise RecordError(f"{where}:{number}: {quoted(tiles)}: use tiles from 1 to {MAX_TILE}")
        for throw, answer in _throws(shown, tiles, f"{where}:{number}"):
            dice = tuple(map(int, re.findall(r"\d{1,3}", throw)))
            if not dice or len(dice) > 9:
                raise RecordError(f"{where}:{number}: {quoted(throw)} is not a throw; use numbers like 3+5")
            found.append(_Line(number, player, dice, answer))
    if not found:
        raise RecordError(f"{where}: no turns; use a line for each throw below the heads")
    return _split_faces(found, profile)


def _throws(shown: Sequence[str], tiles: str, where: str) -> list[tuple[str, str]]:
    """The throws of a line, each with the tiles shut for it: one, or all of a turn as in "3+5 6+3"."""
    throws = _THROW.findall(shown[0]) if len(shown) == 1 else []
    if len(throws) < 2:
        return [(" ".join(shown), tiles)]
    answers = re.split("[;/|]" if re.search("[;/|]", tiles) else r"\s+", tiles.strip())
    if len(answers) == len(throws) - 1:
        answers.append("")  # nothing was shut for the last one
    if len(answers) != len(throws):
        raise RecordError(
            f"{where}: {quoted(tiles)}: tiles for {len(answers)} of {len(throws)} throws; use those "
            "of each throw, as in 8 1+7 2"
        )
    return list(zip(throws, answers, strict=True))


def _split_faces(lines: Sequence[_Line], profile: Profile) -> list[_Line]:
    """The lines, with 35 read as 3 and 5 if somebody wrote that: no throw adds up to it."""
    most = profile.dice * profile.sides
    if not any(len(line.dice) == 1 and line.dice[0] > most for line in lines):
        return list(lines)
    return [
        line._replace(dice=tuple(map(int, str(line.dice[0])))) if len(line.dice) == 1 else line
        for line in lines
    ]


def _columns(heads: Sequence[str], where: str) -> _Columns:
    kinds = [_kind(head) for head in heads]
    dice = tuple(i for i, kind in enumerate(kinds) if kind == "dice")
    # "Throw" may be a number beside "Die 1" and "Die 2".
    numbered = tuple(i for i in dice if re.search(r"\d", heads[i]))
    dice = numbered if len(numbered) > 1 else dice
    dice = dice or tuple(i for i, kind in enumerate(kinds) if kind == "total")[:1]
    missing = [kind for kind in ("player", "tiles") if kind not in kinds] + ["dice"] * (not dice)
    if missing:
        shown = quoted(", ".join(heads)[:_FIELD])
        raise RecordError(
            f"{where}: {shown} has no column for {', '.join(missing)}; use heads like player, dice and tiles"
        )
    return _Columns(kinds.index("player"), dice, kinds.index("tiles"))


def _kind(head: str) -> str:
    """The kind of a column, by its heading; empty for any other."""
    written = set(re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", head[:_FIELD].casefold())))
    alone = len(written) == 1
    # Among others, "de" and "d" are no dice: "nom de joueur", "nom d'équipe".
    words = {word for each in written for word in (each, _without_accents(each)) if alone or len(word) > 1}
    found = []
    for kind, heads in _known_heads().items():
        known = heads | set(map(_without_accents, heads)) if alone else heads
        if words & known:
            found.append(kind)
    return "" if "" in found or not found else found[0] if len(found) == 1 else _first(found)


@cache
def _known_heads() -> dict[str, set[str]]:
    languages = translations().values()
    return {kind: {word for _ in languages for word in _(text).split()} for kind, text in _HEADS.items()}


def _without_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _first(found: Sequence[str]) -> str:
    """The more specific of several kinds: "tiles shut by the player" are tiles, "dice total" a total."""
    order: Callable[[str], int] = ("tiles", "total", "dice", "player").index
    return min(found, key=order)


def _rows(text: str, where: str = "table") -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with the number of its line."""
    lines = text.removeprefix("\ufeff").splitlines()
    if lines and lines[0].startswith("sep="):
        lines[0] = ""  # an instruction to Excel
    reader = csv.reader(lines, _dialect("\n".join(lines)[:4096]))
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise RecordError(f"{where}:{reader.line_num}: {error}; use CSV") from None


def _dialect(sample: str) -> type[csv.Dialect] | csv.Dialect:
    """The dialect that the sniffer finds, or another whose heads are known: "1,7" in a cell misleads it."""
    dialects: list[type[csv.Dialect] | csv.Dialect] = []
    for delimiters in (",;\t|", *_DELIMITERS):
        try:
            dialects.append(csv.Sniffer().sniff(sample, delimiters))
        except csv.Error:
            continue
    head = next((line for line in sample.splitlines() if line.strip()), "")
    plain = (type("Plain", (csv.excel,), {"delimiter": delimiter}) for delimiter in _DELIMITERS)
    for dialect in (*dialects, *plain):
        kinds = {_kind(cell) for cell in next(csv.reader([head], dialect), [])}
        if {"player", "tiles"} <= kinds and kinds & {"dice", "total"}:
            return dialect
    return csv.excel
