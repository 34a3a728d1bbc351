"""The owner's settings, as the machine needs them."""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from shutthebox.game.facts import Streak
from shutthebox.odds.strengths import Strength
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.profile import First, Group, HeadStart, Profile
from shutthebox.rules.reader import with_options, without
from shutthebox.rules.tiles import Tiles, to_tiles


class ShownStakes(StrEnum):
    """For how long the box says who owes what."""

    OFF = "off"
    MATCH = "match"
    EVENING = "evening"


class Brightness(StrEnum):
    """How bright the panel is."""

    DIM = "dim"
    MEDIUM = "medium"
    BRIGHT = "bright"


def misfit(profile: Profile, levers: int) -> str:
    """Why a box with so many levers cannot play this game."""
    return (
        f"{profile.name} needs {profile.tiles[-1]} levers, this box has {levers}; allowed are games that fit"
    )


def ladder_of(profile: Profile) -> str:
    """The name under which the best total of a game is kept: its id, and how many tiles are played."""
    return f"{profile.name}.{profile.starting.bit_count()}"


FREE_TRIES = 5
"""Wrong codes that cost the owner no pause. From this one on, attract says how many there were."""


def english_order(profile: Profile, language: str) -> tuple[str, str]:
    """The order of titles where no other is known."""
    return profile.title().casefold(), profile.name


class Settings(NamedTuple):
    """The machine's part of the config.

    Attributes:
        profiles: the games that fit this box, each on the box that is played, with all its levers.
        profile: the usual one.
        players: 1..9, the usual number.
        rounds: 1..99, or None for what each game says.
        limit: points, for games that are played to a limit; None for what each of them says.
        teams: how many; 0 for none, None for what each game says.
        handicap: head starts by seat; None for those of each game.
        turn_seconds: time for a turn; 0 for no clock, None for what each game says.
        first: who begins; None for what each game says.
        bests: by `ladder_of` the best total so far.
        streak: of solved puzzles.
        skips_setup: a press in attract begins the usual game at once, without questions.
        hints: a hold while flipping gives a hint.
        stakes: for how long the box says who owes what.
        real_dice: players throw dice of their own and enter what they show.
        computers: seats, from 1, that the computer plays.
        strength: how well it plays.
        levers: how many the box has.
        language: of the screens, one of `languages`.
        languages: code and own name of every language of the screens.
        sound: the buzzer speaks.
        brightness: of the panel.
        sleep_ns: without any input for so long the panel goes dark.
        names: setup asks every player for three letters.
        family: the children's games come first in the list, and the end of a turn is told in kinder words.
        out: the levers that the owner has taken out of play, and those of `taken`.
        taken: switches whose lines another program has, until the restart.
        code: the levers that are down when the owner unlocks service; none for no code.
        wrong_codes: how often the code was wrong since it was right.
        service_button: the box has one, so the menu does not lead to service.
        title_order: by what the games of a group are put in order, in a language.
        given: house rules that were given beside the box; among `profiles`.
        tournament: its seed makes the throws, and no chance; None for dice of chance.
        scoreboard: gives the address of the scoreboard's page; None where the scoreboard is off.
    """

    profiles: tuple[Profile, ...]
    profile: Profile
    players: int = 2
    rounds: int | None = None
    limit: int | None = None
    teams: int | None = None
    handicap: tuple[HeadStart, ...] | None = None
    turn_seconds: int | None = None
    first: First | None = None
    bests: Mapping[str, int] = {}
    streak: Streak = Streak()
    skips_setup: bool = False
    hints: bool = False
    stakes: ShownStakes = ShownStakes.OFF
    real_dice: bool = False
    computers: tuple[int, ...] = ()
    strength: Strength = Strength.REGULAR
    levers: int = 9
    language: str = "en"
    languages: tuple[tuple[str, str], ...] = (("en", "English"),)
    sound: bool = True
    brightness: Brightness = Brightness.BRIGHT
    sleep_ns: int = 600_000_000_000
    names: bool = False
    family: bool = False
    out: Tiles = 0
    taken: frozenset[int] = frozenset()
    code: Tiles = 0
    wrong_codes: int = 0
    service_button: bool = False
    title_order: Callable[[Profile, str], tuple[str, str]] = english_order
    given: Profile | None = None
    tournament: Tournament | None = None
    scoreboard: Callable[[], str] | None = None

    @property
    def out_by_choice(self) -> Tiles:
        """The levers that the owner has taken out of play."""
        return self.out & ~to_tiles(lever for lever in self.taken if lever > 0)

    def without(self, taken: Collection[int]) -> "Settings":
        """The settings of a box that has no hold of these switches."""
        return self._replace(
            taken=frozenset(taken), out=self.out | to_tiles(lever for lever in taken if lever > 0)
        )

    def with_rules(self, rules: Profile) -> "Settings":
        """The settings with these house rules in the place of those given before.

        Raises:
            ValueError: if they do not fit the box, or their name is that of another game.
        """
        played = rules.for_levers(self.levers)
        if played is None:
            raise ValueError(misfit(rules, self.levers))
        others = tuple(profile for profile in self.profiles if profile is not self.given)
        if rules.name in (profile.name for profile in others):
            raise ValueError(f"name: {rules.name!r} is taken; allowed is one of your own")
        usual = played if self.profile is self.given else self.profile
        return self._replace(profiles=(*others, played), profile=usual, given=played)

    @property
    def games(self) -> tuple[Profile, ...]:
        """The games that can be played now, without the levers out of play, in the order of the list."""
        played = (without(profile, self.out) for profile in self.profiles)
        groups = sorted(Group, key=lambda group: self.family and group is not Group.CHILDREN)
        return tuple(
            sorted(
                (profile for profile in played if profile is not None),
                key=lambda profile: (groups.index(profile.group), self.title_order(profile, self.language)),
            )
        )

    @property
    def groups(self) -> tuple[tuple[Group, tuple[Profile, ...]], ...]:
        """The same games under the headings of their groups."""
        return tuple((group, tuple(games)) for group, games in groupby(self.games, lambda game: game.group))

    @property
    def game(self) -> Profile | None:
        """The usual game as it is played now; None if it needs a lever that is out of play."""
        played = without(self.profile, self.out)
        return self.chosen(played) if played else None

    def chosen(self, profile: Profile) -> Profile:
        """The game as the players want it; what it cannot be played with is left out."""
        return with_options(
            profile,
            limit=self.limit,
            best=self.best(profile),
            teams=self.teams,
            handicap=self.handicap,
            turn_seconds=self.turn_seconds,
            first=self.first,
        )

    def best(self, profile: Profile) -> int | None:
        """The total to beat in a game of a player alone; None before the first."""
        return self.bests.get(ladder_of(profile))
