"""Reads a profile from TOML and checks every key.

A key's own check is at its field in `shutthebox.rules.profile.Profile`; contradictions between keys
(`shutthebox.rules.contradictions`) are checked once the profile is complete. Every error names the file, the
key and what's allowed.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from shutthebox import validation
from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.rules.contradictions import (
    complaints,
    contradiction,
    keys_without_effect,
    why_unplayable,
)
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import (
    DROPS,
    First,
    HeadStart,
    MatchFormat,
    Profile,
    ShutWins,
    Stakes,
    Win,
    check_of,
)
from shutthebox.rules.tiles import Tiles, to_numbers
from shutthebox.validation import Check


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


class Keys(dict[str, object]):
    """The checked values of a profile's keys, by name.

    Attributes:
        like: the built-in profile that some come from; empty for none.
        inherited: the keys that come from it.
    """

    def __init__(self, values: Mapping[str, object], like: str = "", inherited: Iterable[str] = ()) -> None:
        super().__init__(values)
        self.like, self.inherited = like, frozenset(inherited)

    def without(self, names: Iterable[str]) -> "Keys":
        """The same without these keys."""
        left_out = set(names)
        kept = {key: value for key, value in self.items() if key not in left_out}
        return Keys(kept, self.like, self.inherited - left_out)


def parse_keys(text: str, where: str, like: Callable[[str], Mapping[str, object]]) -> Keys:
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
    base = given.pop("like", None)
    if base is not None:
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
        if len(mistakes) >= validation.MAX_MISTAKES:
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
    return Keys(keys, str(base or ""), keys.keys() - given.keys())


def _flatten(document: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in document.items():
        if key == "title" and isinstance(value, dict):
            flat.update({f"title.{language}": title for language, title in value.items()})
        else:
            flat[key] = value
    return flat


def to_profile(keys: Mapping[str, object], where: str, name: str) -> Profile:
    """The profile with these keys, which somebody chooses: checked for contradictions on every box it allows.

    Args:
        keys: from `parse_keys`.
        where: the file, for error messages.
        name: the id if the keys have none.

    Raises:
        ProfileError: if keys contradict each other; the message names one of them.
    """
    model, inherited = (keys.like, keys.inherited) if isinstance(keys, Keys) else ("", frozenset[str]())
    profile = _of_known_tiles(keys, where, name)
    known = {tile for box in profile.on_every_box for tile in box.tiles}
    if unknown := set(profile.one_die_tiles or ()) - known:
        raise ProfileError(
            f"{where}: one_die_tiles: tile {min(unknown)} is on no box of this profile; use its tiles"
        )
    if wrong := complaints(profile, inherited):
        raise ProfileError(*(f"{where}: {complaint.to_text(model, inherited)}" for complaint in wrong))
    return profile


def to_played_profile(keys: Mapping[str, object], where: str, name: str) -> Profile:
    """The profile of a match that has been played, or is being played, by these rules.

    It may be one that can't be chosen any more.

    Args:
        keys: from `parse_keys`.
        where: the file, for error messages.
        name: the id if the keys have none.

    Raises:
        ProfileError: if the rules can't be played.
    """
    profile = _of_known_tiles(keys, where, name)
    for box in profile.on_every_box:
        if complaint := why_unplayable(box):
            raise ProfileError(f"{where}: {complaint.to_text()}")
    return profile


def _of_known_tiles(keys: Mapping[str, object], where: str, name: str) -> Profile:
    """The profile with these keys, which may contradict each other but name tiles of the box."""
    profile = unchecked_profile(keys, where, name)
    if profile.difference and "operations" in keys:
        raise ProfileError(
            f'{where}: difference: true is short for operations = ["sum", "difference"]; use one key'
        )
    shut = (tile for head in profile.handicap if not isinstance(head, int) for tile in head)
    highest = max(profile.tiles[-1], *profile.allowed_boxes)
    for key, tile in (("start_open", max(profile.start_open or (0,))), ("handicap", max(shut, default=0))):
        if tile > highest:
            raise ProfileError(f"{where}: {key}: tile {tile} is on no box of this profile; use its tiles")
    return profile


def unchecked_profile(keys: Mapping[str, object], where: str, name: str) -> Profile:
    """The profile with these keys, which may contradict each other.

    Args:
        keys: from `parse_keys`.
        where: the file, for error messages.
        name: the id if the keys have none.

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
    profile = _of_keys(keys, name)
    # A key may matter only where another one does, so dropping it may make that one matter no more.
    while isinstance(keys, Keys) and (lost := keys_without_effect(profile, keys.inherited.__contains__)):
        keys = keys.without(set(lost).union(*(DROPS.get(key, ()) for key in lost)) & keys.inherited)
        profile = _of_keys(keys, name)
    return profile


def _of_keys(keys: Mapping[str, object], name: str) -> Profile:
    titles = tuple(sorted((key[-2:], str(title)) for key, title in keys.items() if _TITLE.fullmatch(key)))
    settings: dict[str, Any] = {key: value for key, value in keys.items() if not _TITLE.fullmatch(key)}
    return _with_defaults(Profile(**{"name": name, "titles": titles, **settings}), keys)


def _with_defaults(profile: Profile, keys: Mapping[str, object]) -> Profile:
    """The profile with the defaults of keys that depend on other keys."""

    def default(**derived: Any) -> Profile:  # noqa: ANN401  (values of any key)
        missing = {key: value for key, value in derived.items() if key not in keys}
        return replace(profile, **missing) if missing else profile

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
    return None if why_unplayable(played) or not can_ever_move(played, played.starting) else played
