"""Finds profiles: the built-in ones in the package, a pub's own in a folder or by path."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from shutthebox import validation
from shutthebox.config.stray_files import is_copy, is_hidden
from shutthebox.errors import quoted
from shutthebox.files import list_folder, read_text, reason, shown_path
from shutthebox.game.settings import ShownStakes
from shutthebox.link.invitation import linkable
from shutthebox.rules.contradictions import contradiction
from shutthebox.rules.profile import Profile, Stakes
from shutthebox.rules.reader import ProfileError, parse_keys, to_profile, unchecked_profile

_log = logging.getLogger(__name__)


@cache
def _builtin_files() -> Mapping[str, Traversable]:
    """The files of the built-in games by id: the default game first, the others in the order of their ids."""
    folder = resources.files("shutthebox.rules") / "profiles"
    files = {
        file.name.removesuffix(".toml"): file
        for file in folder.iterdir()
        if file.name.endswith(".toml") and not is_hidden(file.name)
    }
    return dict(sorted(files.items(), key=lambda item: (item[0] != "traditional", item[0])))


@cache
def _builtin_keys(name: str) -> Mapping[str, object]:
    files = _builtin_files()
    if name not in files:
        near = validation.did_you_mean(name, files)
        raise KeyError(f"{near}use one of {', '.join(sorted(files))}")
    return parse_keys(files[name].read_text(encoding="utf-8"), f"{name}.toml", _builtin_keys)


@cache
def builtin(name: str) -> Profile:
    """A built-in profile by its id.

    Raises:
        ProfileError: if there is none of that name; the text lists them.
    """
    try:
        keys = _builtin_keys(name)
    except KeyError as error:
        raise ProfileError(
            f"profile: {quoted(name)} is not known; {error.args[0]}, or a file's path"
        ) from None
    # Unchecked, which is enough for most lists; `find` and `playable_builtins` look for contradictions.
    return unchecked_profile(keys, f"{name}.toml", name)


def builtins() -> tuple[Profile, ...]:
    """All built-in profiles: the default first, then by id."""
    return tuple(map(builtin, _builtin_files()))


@cache
def playable_builtins(levers: int) -> tuple[Profile, ...]:
    """The built-in profiles that fit a box. Those that can't be played are left out and logged."""
    playable = list[Profile]()
    for name in _builtin_files():
        try:
            game = builtin(name).for_levers(levers)
            if game is not None and (complaint := contradiction(game)):
                raise ProfileError(f"{name}.toml: {complaint}")
        except ProfileError as error:
            _log.warning("%s; left out", error)
        else:
            playable += [game] if game else []
    return tuple(playable)


@lru_cache(maxsize=4)
def recognize(game: Profile) -> Profile:
    """Gives the game of two linked boxes the name and title of the built-in one with these rules, if any has.

    It follows from the rules alone: both boxes call a game the same, whatever their levers and house rules.
    Cached, since an invitation is drawn at every flick and all games are tried.
    """
    own = next((own for own in playable_builtins(game.tiles[-1]) if linkable(own) == game), game)
    return replace(game, name=own.name, titles=own.titles, group=own.group)


def read(path: Path) -> Profile:
    """A house-rules file.

    Raises:
        ProfileError: if it can't be read or played.
    """
    return from_text(read_text(path, ProfileError, "a profile"), path)


def from_text(text: str, path: Path) -> Profile:
    """The house rules in the text of this file.

    Raises:
        ProfileError: if they can't be played.
    """
    where = shown_path(path)
    profile = to_profile(parse_keys(text, where, _builtin_keys), where, path.stem or "house")
    if profile.name in _builtin_files():
        raise _name_taken(path, profile.name)
    return profile


def find(id_or_path: str, folder: Path | None = None) -> Profile:
    """The profile of that id (house rules in `folder` included) or in that file.

    Raises:
        ProfileError: if there is none, or its file is no good.
    """
    if "/" in id_or_path or id_or_path.endswith(".toml"):
        return read(Path(id_or_path))
    if folder is not None and id_or_path not in _builtin_files():
        held = _read_all(folder)
        named = {profile.name: profile for profile in held.values() if isinstance(profile, Profile)}
        found = named.get(id_or_path) or held.get(folder / f"{id_or_path}.toml")
        if isinstance(found, ProfileError):
            raise found
        if found is not None:
            return found
    return _check_builtin(id_or_path)


@cache
def _check_builtin(name: str) -> Profile:
    """A built-in game, checked because it may be a contributor's first draft."""
    profile = builtin(name)
    to_profile(_builtin_keys(name), f"{name}.toml", name)
    return profile


def house_rules(folder: Path) -> tuple[tuple[Profile, ...], tuple[ProfileError, ...]]:
    """The profiles in a folder by file name, and the faults of those left out.

    A missing folder counts as empty.
    """
    try:
        held = _read_all(folder).values()
    except ProfileError as error:
        return (), (error,)
    good = tuple(profile for profile in held if isinstance(profile, Profile))
    return good, tuple(fault for fault in held if isinstance(fault, ProfileError))


def why_no_stakes(game: Profile, shown: ShownStakes) -> str | None:
    """Says of house rules that the box doesn't show their stakes; None if it does, or there are none."""
    if shown is not ShownStakes.OFF or game.name in _builtin_files():
        return None
    if game.stakes in (Stakes.NONE, Stakes.BANK):
        return None
    return (
        f'the box shows no stakes, as [game] stakes is "{shown}"; use "{ShownStakes.MATCH}" or '
        f'"{ShownStakes.EVENING}" to see who owes what'
    )


def _read_all(folder: Path) -> dict[Path, Profile | ProfileError]:
    """Every file of a folder, by name, with its profile or its fault.

    Raises:
        ProfileError: if the folder can't be read.
    """
    held: dict[Path, Profile | ProfileError] = {}
    taken = set[str]()
    for path in _files(folder):
        try:
            profile = read(path)
            if profile.name in taken:
                raise _name_taken(path, profile.name)
        except ProfileError as error:
            held[path] = error
        else:
            taken.add(profile.name)
            held[path] = profile
    return held


def _name_taken(path: Path, name: str) -> ProfileError:
    return ProfileError(f"{shown_path(path)}: name: {name!r} is taken; use a name of your own")


def house_rules_files(folder: Path) -> Sequence[Path]:
    """The files of house rules in a folder, by name: no hidden files, and no copies.

    Raises:
        OSError: if the folder can't be read.
    """
    found = [path for path in list_folder(folder, ".toml") if not is_hidden(path.name)]
    names = {path.name.lower() for path in found}
    return [path for path in found if not is_copy(path.name, names)]


def _files(folder: Path) -> Sequence[Path]:
    try:
        return house_rules_files(folder)
    except OSError as error:
        raise ProfileError(f"{shown_path(folder)}: {reason(error)}; use a folder") from None
