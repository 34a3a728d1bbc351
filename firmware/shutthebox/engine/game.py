"""A game to play: a built-in one, or house rules in a text or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from shutthebox import translations
from shutthebox.config import profiles
from shutthebox.errors import quoted
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import ProfileError
from shutthebox.rules.words import explain
from shutthebox.rules.writer import Value, to_keys, to_lines


@dataclass(frozen=True, slots=True, repr=False)
class Game:
    """The rules of a game on a box of a certain size. Make one with a method that begins with `from_`.

    Example:
        >>> game = Game.from_name("traditional")
        >>> game.tiles
        (1, 2, 3, 4, 5, 6, 7, 8, 9)
        >>> game.title("fr")
        'Traditionnel'
        >>> game.rules()[0]
        'The box has 9 tiles, 1 to 9.'

    Attributes:
        profile: the rules as the rest of this package has them; no part of the API.
    """

    profile: Profile

    @classmethod
    def from_name(cls, name: str, tiles: int | None = None) -> Game:
        """A built-in game.

        Args:
            name: its id, such as "traditional"; `names` lists them.
            tiles: how many the box has, of `sizes`; None for the game's usual box.

        Raises:
            ProfileError: there's no such game, or no such box.
        """
        return cls(profiles.builtin(name))._on_box(tiles)

    @classmethod
    def from_text(cls, text: str, tiles: int | None = None) -> Game:
        r"""House rules: the keys and values of a TOML file, as `docs/house-rules.md` describes them.

        >>> game = Game.from_text('like = "traditional"\none_die = "never"')
        >>> game.keys["one_die"]
        'never'

        Raises:
            ProfileError: they can't be played; the text is a line that says why.
        """
        return cls(profiles.from_text(text, Path("house.toml")))._on_box(tiles)

    @classmethod
    def from_file(cls, path: str | PathLike[str], tiles: int | None = None) -> Game:
        """House rules in a TOML file.

        Raises:
            ProfileError: the file can't be read, or its rules can't be played.
        """
        return cls(profiles.read(Path(path)))._on_box(tiles)

    @staticmethod
    def names() -> tuple[str, ...]:
        """The ids of all built-in games: the usual one first, then by id.

        >>> Game.names()[:3]
        ('traditional', '2012', 'add-or-subtract')
        """
        return tuple(profile.name for profile in profiles.builtins())

    @property
    def name(self) -> str:
        """The game's id."""
        return self.profile.name

    @property
    def tiles(self) -> tuple[int, ...]:
        """The numbers on the tiles, rising; with two rows, of the front one."""
        return self.profile.tiles

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of tiles that the game can be played with."""
        return self.profile.allowed_boxes

    @property
    def highest_wins(self) -> bool:
        """Whether more points are better in a turn."""
        return self.profile.highest_wins

    @property
    def keys(self) -> Mapping[str, Value]:
        """Every key of the rules with its value, as house rules have them."""
        return MappingProxyType(to_keys(self.profile))

    def title(self, language: str = "en") -> str:
        """The game's title.

        Raises:
            ValueError: the language is unknown; `languages` lists them.
        """
        return self.profile.title(language, _translate(language))

    def rules(self, language: str = "en") -> tuple[str, ...]:
        """The rules in words, a sentence or two for each, in the order of a sheet of rules.

        Raises:
            ValueError: the language is unknown; `languages` lists them.
        """
        return tuple(explain(self.profile, _translate(language)))

    def to_text(self) -> str:
        """The rules as a TOML file, which `from_text` reads if you give it a name of your own."""
        return "".join(f"{line}\n" for line in to_lines(self.profile))

    def _on_box(self, tiles: int | None) -> Game:
        if tiles is None:
            return self
        profile = self.profile.for_box(tiles)
        if profile is None:
            sizes = ", ".join(map(str, self.sizes))
            raise ProfileError(f"tiles: {self.name} has no box of {quoted(tiles)}; use {sizes}")
        return Game(profile)

    def __repr__(self) -> str:
        return f"<Game {self.name}, {len(self.tiles)} tiles>"


def languages() -> Mapping[str, str]:
    """The languages of titles and rules: codes, and each language's own name.

    >>> languages()["de"]
    'Deutsch'
    """
    return MappingProxyType(dict(translations.languages()))


def _translate(language: str) -> Callable[[str], str]:
    if language not in (known := translations.languages()):
        raise ValueError(f"language: {quoted(language)} is not known; use {', '.join(known)}")
    return translations.translations()[language]
