"""Reads a profile from TOML and checks every key.

A key's own check is at its field in `shutthebox.rules.profile.Profile`; contradictions between keys are
checked once the profile is complete. Every error names the file, the key and what's allowed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from shutthebox import validation
from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.rules import rows
from shutthebox.rules.moves import can_ever_move, most_moves
from shutthebox.rules.orders import for_seat, order_of
from shutthebox.rules.profile import (
    DROPS,
    MAX_DIGITS,
    MAX_LIMIT,
    NEEDS,
    Blocked,
    First,
    HeadStart,
    MatchFormat,
    Operation,
    Profile,
    Scoring,
    ShutWins,
    Stakes,
    Tie,
    Win,
    check_of,
)
from shutthebox.rules.score import worst_score
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.writer import to_toml
from shutthebox.validation import Check

MAX_MOVES = 6_000
"""The most moves of one throw; a pack of cards and nine dice have 5,718. The loop looks at all of them, so
more would delay levers."""


class ProfileError(ShutTheBoxError, ValueError):
    """A profile that can't be played. The message is one line: file, key, what's allowed."""


KEYS: Mapping[str, Check[Any]] = {
    "name": validation.name,
    "title.en": validation.text,
    "title.fr": validation.text,
    **{key.name: check_of(key) for key in fields(Profile) if key.name not in ("name", "titles")},
}
"""The keys of a profile beside `like`, each with its check."""

_OWN = re.compile(r"name|source|title\..*")
"""Keys that a profile doesn't inherit through `like`."""

_TITLE = re.compile(r"title\.[a-z]{2}")
"""A title in any language; the two of `KEYS` are those that complaints name."""


def parse_keys(text: str, where: str, like: Callable[[str], Mapping[str, object]]) -> dict[str, object]:
    """The checked values of a profile's keys by name, including those of the profile it's like.

    Args:
        text: TOML.
        where: the file, for error messages.
        like: returns the keys of a built-in profile; raises KeyError for other names, saying what's allowed.

    Raises:
        ProfileError: for bad TOML, unknown keys, wrong types and values out of range.
    """
    document, wrong = validation.examine_toml(text)
    mistakes = [f"{where}: {mistake}" for mistake in wrong]
    given = _flatten(document)
    keys: dict[str, object] = {}
    if "like" in given:
        base = given.pop("like")
        try:
            inherited = like(base) if isinstance(base, str) else like("")
        except KeyError as error:
            mistakes.append(f"{where}: like: {quoted(base)} is not a built-in profile; {error.args[0]}")
            inherited = {}
        dropped = {key for name in given for key in DROPS.get(name, ())}
        keys = {
            key: value for key, value in inherited.items() if not _OWN.fullmatch(key) and key not in dropped
        }
        if "tiles" in given:
            # Another row is another box: what the model allows beside its own row does not carry over.
            keys.pop("boxes", None)
        if given.get("match") in (MatchFormat.TOTAL, MatchFormat.LADDER, MatchFormat.ROUNDS_WON):
            keys.pop("limit", None)
        if "limit" in given and given.get("match", keys.get("match")) == MatchFormat.ROUNDS_WON:
            keys.pop("rounds", None)
        if given.get("stakes", Stakes.BANK) != Stakes.BANK:
            keys.pop("stake", None)
            keys.pop("pays", None)
    for key, value in given.items():
        if len(mistakes) >= validation.MOST_MISTAKES:
            break
        check = validation.text if _TITLE.fullmatch(key) else KEYS.get(key)
        if check is None:
            known = ["like", *KEYS]
            mistakes.append(
                f"{where}: {validation.shown_key(key)}: unknown key; "
                f"{validation.did_you_mean(key, known)}use one of {', '.join(known)}"
            )
            continue
        try:
            keys[key] = check(value)
        except validation.WrongValueError as wrong_value:
            mistakes.append(f"{where}: {key}: {quoted(value)} is not allowed; use {wrong_value}")
    if mistakes:
        raise ProfileError(*mistakes)
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
    """The profile with these keys, checked for contradictions on every box it allows.

    Args:
        keys: from `parse_keys`.
        where: the file, for error messages.
        name: the id if the keys have none.

    Raises:
        ProfileError: if keys contradict each other; the message names one of them.
    """
    profile = unchecked_profile(keys, where, name)
    if profile.difference and "operations" in keys:
        raise ProfileError(
            f'{where}: difference: true is short for operations = ["sum", "difference"]; use one key'
        )
    for count in profile.allowed_boxes:
        box = profile.for_box(count)
        assert box is not None, "an allowed box"
        complaint = contradiction(box)
        if complaint:
            raise ProfileError(f"{where}: {complaint}")
    shut = (tile for head in profile.handicap if not isinstance(head, int) for tile in head)
    highest = max(profile.tiles[-1], *profile.allowed_boxes)
    for key, tile in (("start_open", max(profile.start_open or (0,))), ("handicap", max(shut, default=0))):
        if tile > highest:
            raise ProfileError(f"{where}: {key}: tile {tile} is on no box of this profile; use its tiles")
    return profile


def unchecked_profile(keys: Mapping[str, object], where: str, name: str) -> Profile:
    """The profile with these keys, which may contradict each other. Takes the arguments of `to_profile`.

    Raises:
        ProfileError: if `name` is needed and isn't an id.
    """
    if "name" not in keys:
        try:
            validation.name(name)
        except validation.WrongValueError as wrong:
            given = quoted(name)
            raise ProfileError(
                f"{where}: name: missing, and the file's, {given}, is not allowed; use {wrong}"
            ) from None
    titles = tuple(sorted((key[-2:], str(title)) for key, title in keys.items() if _TITLE.fullmatch(key)))
    settings: dict[str, Any] = {key: value for key, value in keys.items() if not _TITLE.fullmatch(key)}
    return _with_defaults(Profile(**{"name": name, "titles": titles, **settings}), keys)


def _with_defaults(profile: Profile, keys: Mapping[str, object]) -> Profile:
    """The profile with the defaults of keys that depend on other keys."""

    def default(**derived: Any) -> Profile:  # noqa: ANN401  (values of any key)
        return replace(profile, **{key: value for key, value in derived.items() if key not in keys})

    profile = default(**order_of(profile).defaults)
    if profile.match is MatchFormat.TARGET_WINS:
        profile = default(win=Win.HIGHEST)
    against_nobody = profile.is_solo or profile.stakes is Stakes.BANK
    if against_nobody or not profile.shut_scores_best:
        profile = default(shut_wins=ShutWins.NO)
    return profile


def with_options(
    profile: Profile,
    *,
    limit: int | None = None,
    best: int | None = None,
    teams: int | None = None,
    handicap: tuple[HeadStart, ...] | None = None,
    turn_seconds: int | None = None,
    first: First | None = None,
) -> Profile:
    """The game as the players want it for a match, without what it can't be played with.

    Args:
        profile: the game.
        limit: points, for a game that has a limit; None for its own.
        best: the total to beat on a ladder; None for its own.
        teams: how many; 0 for none, None for its own.
        handicap: head starts by seat; None for its own.
        turn_seconds: time for a turn; 0 for no clock, None for its own.
        first: who begins; None for its own.
    """
    profile = profile.with_limit(limit)
    if profile.is_solo and best is not None:
        profile = replace(profile, limit=best)
    if teams is not None:
        profile = _if_playable(profile, replace(profile, teams=teams or None))
    if handicap is not None:
        profile = _if_playable(profile, replace(profile, handicap=handicap))
    if turn_seconds is not None:
        profile = _if_playable(profile, replace(profile, turn_seconds=turn_seconds or None))
    if first is not None:
        profile = _if_playable(profile, replace(profile, first=first))
    return profile


def _if_playable(profile: Profile, changed: Profile) -> Profile:
    return profile if contradiction(changed) else changed


def without(profile: Profile, tiles: Tiles) -> Profile | None:
    """The game with these tiles shut at the start of every turn; None if it can't be played like that."""
    if not tiles & profile.starting:
        return profile
    played = replace(profile, start_open=to_numbers(profile.starting & ~tiles), boxes=())
    return None if contradiction(played) or not can_ever_move(played, played.starting) else played


def contradiction(box: Profile) -> str | None:
    """A contradiction between keys, as ``key: what is allowed``; None if there's none."""
    # First, because with such operations the checks below find no moves, or take forever.
    if complaint := _unmet_need(box) or _contradiction_of_operations(box):
        return complaint
    if not box.starting:
        return "start_open: no tile of the box would be open; use its tiles"
    must = box.first_move_must_include
    if must is not None and not to_tiles([must]) & box.starting:
        return f"first_move_must_include: tile {must} does not start open; use tiles that do"
    if must is not None and not can_ever_move(box, box.starting, to_tiles([must])):
        return f"first_move_must_include: no throw can shut tile {must}; use tiles that one can"
    # Short rows can't have that many sets, and most rows are short.
    if (1 if rows.are_plain(box) else 3) << len(box.tiles) > MAX_MOVES and most_moves(box) > MAX_MOVES:
        return (
            f"dice: {box.dice} of {box.sides} sides have over {MAX_MOVES} moves on {len(box.tiles)} tiles; "
            f"use fewer dice, sides or tiles"
        )
    most = min(box.max_tiles or MAX_MOVES, box.starting.bit_count() * box.rows)
    if box.min_tiles > most:
        return f"min_tiles: {box.min_tiles} are more than one move may have; use up to {most}"
    if box.row_points and len(box.row_points) != box.rows:
        return f"row_points: {list(box.row_points)} has another number of rows; use two numbers"
    if 0 in box.ends_turn_on and not box.has_blanks:
        return "ends_turn_on: 0 is the double blank; allowed with bag = 28"
    if box.score in (Scoring.DIGITS, Scoring.DIGITS_REVERSED):
        digits = len("".join(map(str, box.tiles)))
        if digits > MAX_DIGITS:
            return f"score: {digits} digits can't be shown; use rows of up to {MAX_DIGITS} (1 to 12)"
    if box.counts_rounds_won:
        if box.limit is not None and box.rounds != 1:
            return (
                'rounds: is not allowed with match = "rounds-won" and limit, which ends the match; use'
                " one of the two"
            )
    elif not box.is_solo and (box.limit is None) != (box.match is MatchFormat.TOTAL):
        if box.limit is None:
            return f'limit: missing; match = "{box.match}" needs a whole number from 1 up'
        return (
            'limit: means nothing with match = "total"; allowed with target-loses, target-wins, drop-out, '
            "rounds-won, ladder"
        )
    if box.limit == 0 and not box.is_solo:
        return f"limit: 0 is not allowed; use a whole number from 1 to {MAX_LIMIT}"
    if box.limit is not None and not (box.is_solo or box.counts_rounds_won) and _always_scores_0(box):
        return "limit: never reached, since every turn scores 0; allowed where a turn can score"
    if must is not None and box.lost_score is not None:
        worst = worst_score(box)
        if (box.lost_score > worst) if box.highest_wins else (box.lost_score < worst):
            allowed = f"up to {worst}" if box.highest_wins else f"{worst} or more"
            return f"lost_score: {box.lost_score} is better than the worst score of a turn; use {allowed}"
    return _contradiction_of_match(box) or _contradiction_of_seats(box)


def _unmet_need(box: Profile) -> str | None:
    """A `Needs` of a key or of the order of play that another key doesn't meet."""
    # The order of play comes first: it decides other keys, which needn't be written.
    for needs in order_of(box).needs:
        value, given = getattr(box, needs.key), _with("turns", (box.turns,))
        if needs.where is not None:
            where, only = needs.where
            if getattr(box, where) != only:
                continue
            given += f" and {where} = {to_toml(only)}"
        if value not in needs.values:
            listed = _list(needs.values)
            remedy = f"use {listed}" if listed else "leave it out"
            return f"{needs.key}: {_say(value)}is not allowed {given}; {remedy}"
    for key, default, needs in NEEDS:
        value, other = getattr(box, key), getattr(box, needs.key)
        applies = value in needs.of if needs.of else value != default
        if applies and other not in needs.values:
            given = _with(needs.key, (other,))
            return f"{key}: {_say(value)}is not allowed {given}; allowed {_with(needs.key, needs.values)}"
    return None


def _say(value: object) -> str:
    return f"{to_toml(value)} " if isinstance(value, str | int) else ""


def _with(key: str, values: tuple[object, ...]) -> str:
    """For example ``with dice = 2 to 9``, ``with shut_wins = "round" or "no"``, ``without teams``."""
    listed = _list(values)
    return f"with {key} = {listed}" if listed else f"without {key}"


def _list(values: tuple[object, ...]) -> str:
    """These values of a key; empty for a key that isn't set."""
    plain = [value for value in values if value not in (None, frozenset())]
    if len(plain) > 2 and all(isinstance(value, int) for value in plain):
        return f"{plain[0]} to {plain[-1]}"
    *some, last = map(to_toml, plain) if plain else [""]
    return f"{', '.join(some)} or {last}" if some else last


def _contradiction_of_operations(box: Profile) -> str | None:
    if box.only_adds or box.difference:
        return None
    if box.dice == 1:
        return 'operations: need two dice or more; use ["sum"] with dice = 1'
    if Operation.PRODUCT in box.operations and box.dice > 3:
        return 'operations: "product" multiplies two or three dice; use dice = 2 or 3 with it'
    if Operation.QUOTIENT in box.operations and box.dice != 2:
        return 'operations: "quotient" divides two dice; use dice = 2 with it'
    return None


_BY_POINTS = (MatchFormat.TARGET_LOSES, MatchFormat.TARGET_WINS, MatchFormat.DROP_OUT)
"""Formats that are decided at a limit of points, and so by the highest or by the lowest totals."""


def _contradiction_of_carry(box: Profile) -> str | None:
    """The same for a tie that leaves the pool on the table."""
    if box.is_solo:
        return 'tie: match = "ladder" is played alone; allowed with games of several players'
    if not box.has_pool and not box.counts_rounds_won:
        return (
            'tie: "carry" needs something to carry; allowed with stakes = "pool" or "pool-double", or with '
            'match = "rounds-won"'
        )
    if box.match is MatchFormat.TOTAL and box.rounds != 1:
        return 'tie: "carry" is not allowed with match = "total" and several rounds; use rounds = 1'
    return None


def _contradiction_of_match(box: Profile) -> str | None:
    """The same for the keys that say who wins."""
    if box.tie is Tie.CARRY and (complaint := _contradiction_of_carry(box)):
        return complaint
    if box.win is Win.FIRST_TO_SHUT:
        one_round = box.rounds == 1 and box.match is MatchFormat.TOTAL
        if not (one_round or box.counts_rounds_won) or box.shut_wins is ShutWins.NO:
            return (
                'win: "first-to-shut" is not allowed here; allowed with rounds = 1 and match = "total", or '
                'match = "rounds-won", and with shut_wins = "match" or "round"'
            )
    elif box.match in _BY_POINTS and box.highest_wins != (box.match is MatchFormat.TARGET_WINS):
        return (
            f'win: "{box.win}" contradicts match = "{box.match}"; use '
            f'"{Win.HIGHEST if box.match is MatchFormat.TARGET_WINS else Win.LOWEST}"'
        )
    if box.shut_wins is not ShutWins.NO and not box.shut_scores_best:
        why = f'win = "{box.win}"' if box.highest_wins else f'score = "{box.score}"'
        return f'shut_wins: "{box.shut_wins}" is not allowed, as with {why} a shut is not best; use "no"'
    if box.is_solo and box.shut_wins is not ShutWins.NO:
        return f'shut_wins: "{box.shut_wins}" is not allowed with match = "ladder"; use "no"'
    if box.stakes is Stakes.BANK:
        return _contradiction_of_bank(box)
    return None


def _contradiction_of_bank(box: Profile) -> str | None:
    """The same for a game against the bank."""
    if not box.pays:
        return 'pays: missing; stakes = "bank" needs stakes by score, as in {0 = 9, 5 = 2}'
    if box.rounds != 1 or box.match is not MatchFormat.TOTAL:
        return 'stakes: "bank" pays for one turn; allowed with rounds = 1 and match = "total"'
    if box.shut_wins is not ShutWins.NO:
        return (
            f'shut_wins: "{box.shut_wins}" is not allowed with stakes = "bank", against which everybody has '
            'a turn; use "no"'
        )
    payments = [paid for _, paid in box.pays]
    if payments != sorted(payments, reverse=not box.highest_wins):
        return "pays: a better score would be paid less; use payments that rise with better scores"
    return None


def _contradiction_of_seats(box: Profile) -> str | None:
    """The same for teams and head starts."""
    if box.is_solo and (box.teams is not None or any(box.handicap)):
        key = "teams" if box.teams is not None else "handicap"
        return f'{key}: match = "ladder" is played alone; allowed with games of several players'
    if box.stakes is Stakes.BANK and box.teams is not None:
        return 'teams: with stakes = "bank" everybody plays alone; allowed with stakes of the players'
    order = order_of(box)
    if any(box.handicap) and not order.has_head_starts:
        return f"handicap: is not allowed {_with('turns', (box.turns,))}; leave it out"
    for seat, head in enumerate(box.handicap):
        if isinstance(head, int):
            if head and box.counts_rounds_won:
                return 'handicap: points mean nothing with match = "rounds-won"; use tiles that start shut'
            if head and (box.is_race or not order.has_points):
                return "handicap: points mean nothing in a race; use tiles that start shut"
            if box.match is MatchFormat.TARGET_WINS and box.limit is not None and head >= box.limit:
                return f"handicap: {head} points would reach the limit; use fewer than {box.limit}"
            continue
        played = for_seat(box, seat)
        none_left = not box.starting & ~to_tiles(head)
        if none_left or (played is not box and contradiction(replace(played, handicap=()))):
            shown = ", ".join(map(str, head))
            return f"handicap: without {shown} there is nothing to play; use fewer tiles, or others"
    return None


def _always_scores_0(box: Profile) -> bool:
    """Whether every turn goes on until the box is shut, and then scores nothing."""
    if (
        box.row_points
        and not any(box.row_points)
        and box.score in (Scoring.SUM, Scoring.COUNT, Scoring.SHUT_SUM)
    ):
        return True
    if not box.only_shut_ends or box.score in (Scoring.SHUT_SUM, Scoring.THROWS):
        return False
    # Only a row that no throw can finish leaves tiles open.
    return box.blocked is Blocked.OPENS_ONE or all(can_ever_move(box, to_tiles([t])) for t in box.tiles)
