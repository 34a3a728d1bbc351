"""Reads a profile from TOML text and checks every key of it.

Each key has one line in `_KEYS` that knows its type and range; what keys together forbid is
checked once the profile stands. Every complaint names the file, the key and what is allowed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from shutthebox import validation
from shutthebox.errors import ShutTheBoxError, shown
from shutthebox.rules.moves import can_ever_move, most_moves
from shutthebox.rules.profile import (
    Blocked,
    Draw,
    MatchFormat,
    MoveKind,
    OneDie,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.score import score, worst_score
from shutthebox.rules.tiles import MAX_TILE, Tiles, sum_of, to_numbers, to_tiles

MAX_DIGITS = 15
"""Most digits of a digits score: the row 1..12 has 15, which a panel and a float still show exactly."""

MAX_LIMIT = 10**MAX_DIGITS - 1
"""The highest limit of points: what a digits score can reach."""

MAX_MOVES = 20_000
"""Most moves of one throw; a pack of cards and nine dice have 5,718."""


class ProfileError(ShutTheBoxError, ValueError):
    """A profile that cannot be played; the text is one line: file, key, what is allowed."""


def _rising(low: int, high: int) -> Callable[[object], tuple[int, ...]]:
    numbers = validation.numbers(low, high)
    return lambda value: tuple(sorted(numbers(value)))


def _tiles(value: object) -> tuple[int, ...]:
    if isinstance(value, list):
        return _rising(1, MAX_TILE)(value)
    try:
        return tuple(range(1, validation.whole(1, MAX_TILE)(value) + 1))
    except validation.WrongValueError:
        raise validation.WrongValueError(
            f"1 to {MAX_TILE}, or a list of distinct numbers from 1 to {MAX_TILE}"
        ) from None


def _totals(value: object) -> frozenset[int]:
    return frozenset(_rising(1, 9 * 20)(value))


_KEYS: dict[str, Callable[[object], object]] = {
    "name": validation.name,
    "title.en": validation.text,
    "title.fr": validation.text,
    "source": validation.text,
    "tiles": _tiles,
    "boxes": _rising(1, MAX_TILE),
    "start_open": _rising(1, MAX_TILE),
    "dice": validation.whole(1, 9),
    "sides": validation.whole(2, 20),
    "draw": validation.choice(Draw),
    "one_die": validation.choice(OneDie),
    "move": validation.choice(MoveKind),
    "max_tiles": validation.whole(1, MAX_TILE),
    "difference": validation.boolean,
    "first_move_must_include": validation.whole(1, MAX_TILE),
    "ends_turn_on": _totals,
    "blocked": validation.choice(Blocked),
    "turns": validation.choice(Turns),
    "score": validation.choice(Scoring),
    "lost_score": validation.whole(0, 10**MAX_DIGITS - 1),
    "win": validation.choice(Win),
    "shut_wins": validation.choice(ShutWins),
    "rounds": validation.whole(1, 99),
    "match": validation.choice(MatchFormat),
    "limit": validation.whole(1, MAX_LIMIT),
    "tie": validation.choice(Tie),
    "stakes": validation.choice(Stakes),
    "captain": validation.boolean,
}

_OWN = re.compile(r"name|source|title\..*")
"""Keys that a profile has of its own, whatever it is like."""

_TITLE = re.compile(r"title\.[a-z]{2}")
"""A title in any language; the two of `_KEYS` are those that complaints name."""


def parse_keys(text: str, where: str, like: Callable[[str], Mapping[str, object]]) -> dict[str, object]:
    """The checked values of a profile's keys by name, those of the profile it is like included.

    Args:
        text: TOML.
        where: the file, for complaints.
        like: gives the keys of a built-in profile; raises KeyError for any other name, with
            what is allowed as its text.

    Raises:
        ProfileError: for bad TOML, an unknown key, a wrong type or a value out of range.
    """
    try:
        document = validation.toml(text)
    except validation.WrongValueError as wrong:
        raise ProfileError(f"{where}: {wrong}") from None
    given = _flatten(document)
    keys: dict[str, object] = {}
    if "like" in given:
        base = given.pop("like")
        try:
            inherited = like(base) if isinstance(base, str) else like("")
        except KeyError as error:
            raise ProfileError(
                f"{where}: like: {shown(base)} is no built-in profile; {error.args[0]}"
            ) from None
        keys = {key: value for key, value in inherited.items() if not _OWN.fullmatch(key)}
        if "tiles" in given:
            # Another row is another box: what the model allows beside its own row does not carry over.
            keys.pop("boxes", None)
        if given.get("match") == MatchFormat.TOTAL:
            keys.pop("limit", None)
    for key, value in given.items():
        check = validation.text if _TITLE.fullmatch(key) else _KEYS.get(key)
        if check is None:
            allowed = ", ".join(["like", *_KEYS])
            raise ProfileError(f"{where}: {validation.shown_key(key)}: unknown key; allowed are {allowed}")
        try:
            keys[key] = check(value)
        except validation.WrongValueError as wrong:
            raise ProfileError(f"{where}: {key}: {shown(value)} is not allowed; allowed is {wrong}") from None
    return keys


def _flatten(document: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in document.items():
        if key == "title" and isinstance(value, dict):
            flat.update({f"title.{language}": title for language, title in value.items()})
        else:
            flat[key] = value
    return flat


def to_profile(keys: Mapping[str, object], where: str, name: str) -> Profile:
    """The profile of these keys, checked for contradictions on every box that it allows.

    Args:
        keys: as `parse_keys` gives them.
        where: the file, for complaints.
        name: the id if the keys have none.

    Raises:
        ProfileError: if keys contradict each other, naming one of them.
    """
    if "name" not in keys:
        try:
            validation.name(name)
        except validation.WrongValueError as wrong:
            given = shown(name)
            raise ProfileError(
                f"{where}: name: missing, and the file's, {given}, is not allowed; allowed is {wrong}"
            ) from None
    titles = tuple(sorted((key[-2:], str(title)) for key, title in keys.items() if _TITLE.fullmatch(key)))
    settings: dict[str, Any] = {key: value for key, value in keys.items() if not _TITLE.fullmatch(key)}
    profile = _with_defaults(Profile(**{"name": name, "titles": titles, **settings}), keys)
    for count in profile.allowed_boxes:
        box = profile.for_box(count)
        assert box is not None, "an allowed box"
        complaint = _contradiction(box)
        if complaint:
            raise ProfileError(f"{where}: {complaint}")
    if profile.start_open is not None and profile.start_open[-1] > max(
        profile.tiles[-1], *profile.allowed_boxes
    ):
        raise ProfileError(
            f"{where}: start_open: tile {profile.start_open[-1]} is on no box of this profile; "
            f"allowed are its tiles"
        )
    return profile


def _with_defaults(profile: Profile, keys: Mapping[str, object]) -> Profile:
    """The profile with the defaults of keys that depend on other keys."""
    if "win" not in keys and profile.match is MatchFormat.TARGET_WINS:
        profile = replace(profile, win=Win.HIGHEST)
    if "shut_wins" not in keys and not profile.shut_scores_best:
        profile = replace(profile, shut_wins=ShutWins.NO)
    return profile


def without(profile: Profile, tiles: Tiles) -> Profile | None:
    """The variant where these tiles start every turn shut; None if it cannot be played so."""
    if not tiles & profile.starting:
        return profile
    played = replace(profile, start_open=to_numbers(profile.starting & ~tiles), boxes=())
    return None if _contradiction(played) or not can_ever_move(played, played.starting) else played


def _contradiction(box: Profile) -> str | None:
    """What two or more keys together forbid, as ``key: what is allowed``; None if nothing."""
    if not box.starting:
        return "start_open: no tile of the box would be open; allowed are its tiles"
    must = box.first_move_must_include
    if must is not None and not to_tiles([must]) & box.starting:
        return f"first_move_must_include: tile {must} does not start open; allowed are tiles that do"
    if must is not None and not can_ever_move(box, box.starting, to_tiles([must])):
        return f"first_move_must_include: no throw can shut tile {must}; allowed are tiles that one can"
    if most_moves(box) > MAX_MOVES:
        return (
            f"dice: {box.dice} of {box.sides} sides have over {MAX_MOVES} moves on {len(box.tiles)} tiles; "
            f"allowed are fewer dice, sides or tiles"
        )
    if box.draw is Draw.DOMINOES and (box.dice, box.sides) != (2, 6):
        return 'draw: "dominoes" have two ends of 1 to 6; allowed are dice = 2 and sides = 6 with it'
    if box.difference and box.dice != 2:
        return "difference: needs two dice to subtract; allowed is dice = 2 with it"
    if box.score in (Scoring.DIGITS, Scoring.DIGITS_REVERSED):
        digits = len("".join(map(str, box.tiles)))
        if digits > MAX_DIGITS:
            return f"score: {digits} digits cannot be shown; allowed are rows of up to {MAX_DIGITS} (1 to 12)"
    if (box.limit is None) != (box.match is MatchFormat.TOTAL):
        if box.limit is None:
            return f'limit: missing; match = "{box.match}" needs a whole number from 1 up'
        return 'limit: means nothing with match = "total"; allowed with target-loses, target-wins, drop-out'
    if box.limit is not None and _best_score(box) == 0:
        return "limit: never reached, since every turn scores 0; allowed where a turn can score"
    if must is not None and box.lost_score is not None:
        worst = worst_score(box)
        if (box.lost_score > worst) if box.highest_wins else (box.lost_score < worst):
            allowed = f"up to {worst}" if box.highest_wins else f"{worst} or more"
            return (
                f"lost_score: {box.lost_score} is better than the worst score of a turn; allowed is {allowed}"
            )
    return _contradiction_of_match(box)


def _contradiction_of_match(box: Profile) -> str | None:
    """The same, of the keys that say who wins."""
    if box.win is Win.FIRST_TO_SHUT:
        if box.rounds != 1 or box.match is not MatchFormat.TOTAL or box.shut_wins is ShutWins.NO:
            return (
                'win: "first-to-shut" is not allowed here; allowed with rounds = 1, match = "total" and '
                'shut_wins = "match" or "round"'
            )
    elif box.match is not MatchFormat.TOTAL and box.highest_wins != (box.match is MatchFormat.TARGET_WINS):
        return (
            f'win: "{box.win}" contradicts match = "{box.match}"; allowed is '
            f'"{Win.HIGHEST if box.match is MatchFormat.TARGET_WINS else Win.LOWEST}"'
        )
    if box.shut_wins is not ShutWins.NO and not box.shut_scores_best:
        why = f'win = "{box.win}"' if box.highest_wins else f'score = "{box.score}"'
        return (
            f'shut_wins: "{box.shut_wins}" is not allowed, as with {why} a shut is not best; allowed is "no"'
        )
    if box.captain and box.shut_wins is not ShutWins.MATCH:
        return 'captain: needs a shut that wins the match; allowed is true with shut_wins = "match"'
    return None


def _best_score(box: Profile) -> int:
    """An upper bound of what a turn can score; 0 only where every turn scores 0."""
    if box.first_move_must_include is not None:
        return 1
    ends_shut = box.blocked is not Blocked.ENDS_TURN and not box.ends_turn_on
    if ends_shut and box.score in (Scoring.SUM, Scoring.COUNT, Scoring.DIGITS, Scoring.DIGITS_REVERSED):
        # Only a row that no throw can finish leaves tiles open.
        stuck = any(not can_ever_move(box, to_tiles([tile])) for tile in box.tiles)
        return 1 if stuck and box.blocked is Blocked.PASSES else 0
    if box.score is Scoring.THROWS:
        return 1
    return sum_of(box.starting) if box.score is Scoring.SHUT_SUM else score(box, box.starting, 0)
