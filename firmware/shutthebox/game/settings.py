"""The owner's settings, as the machine needs them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, Protocol

from shutthebox import sections, validation
from shutthebox.game.facts import Streak
from shutthebox.odds.strengths import Strength
from shutthebox.rules.orders import order_of
from shutthebox.rules.profile import (
    HEAD_STARTS_CHECK,
    MAX_LIMIT,
    MAX_PLAYERS,
    MAX_ROUNDS,
    TEAMS_CHECK,
    TURN_SECONDS_CHECK,
    First,
    Group,
    HeadStart,
    Profile,
)
from shutthebox.rules.reader import with_options, without
from shutthebox.rules.tiles import Tiles, to_tiles

if TYPE_CHECKING:  # few evenings are a tournament
    from shutthebox.rules.equal_dice import Tournament


class ShownStakes(StrEnum):
    """Whether the box says who owes what, and for how long it adds up."""

    OFF = "off"
    MATCH = "match"
    EVENING = "evening"


class Brightness(StrEnum):
    """How bright the panel is."""

    DIM = "dim"
    MEDIUM = "medium"
    BRIGHT = "bright"


class SetupChoice(StrEnum):
    """The effect of a press in attract."""

    ASK = "ask"
    USUAL = "usual"


class DiceKind(StrEnum):
    """Where throws come from: the box, or the players' own dice."""

    AUTO = "auto"
    REAL = "real"


@sections.section
class GameConfig(NamedTuple):
    """The usual game."""

    profile: str = sections.key(
        validation.text,
        "traditional",
        "The usual game: its id (`shutthebox profiles` lists them), or a file's path.",
        on_card=validation.name,
    )
    players: int = sections.key(
        validation.whole(1, MAX_PLAYERS), 2, f"How many usually play, 1 to {MAX_PLAYERS}."
    )
    rounds: int | None = sections.key(
        validation.whole(1, MAX_ROUNDS),
        None,
        "Rounds of a match decided on totals, 1 to 99. Left out: what the game says.",
        "3",
    )
    limit: int | None = sections.key(
        validation.whole(1, MAX_LIMIT),
        None,
        "For games played to a limit: how many points end the match or put a player out, 1 or more. "
        "Left out: what the game says.",
        "100",
    )
    teams: int | None = sections.key(
        sections.or_none(TEAMS_CHECK),
        None,
        "Teams that the seats belong to in rotation, 2 to 4; 0: none. Everybody plays alone where the "
        "players can't be divided evenly. Left out: what the game says.",
        "2",
    )
    handicap: tuple[HeadStart, ...] | None = sections.key(
        HEAD_STARTS_CHECK,
        None,
        "Head starts by seat: points, or a list of tiles that start every turn of that seat shut. Left out: "
        "what the game says. `shutthebox odds ID --fair` says how many points are fair.",
        "[0, 5, [1, 2]]",
    )
    turn_seconds: int | None = sections.key(
        sections.or_none(TURN_SECONDS_CHECK),
        None,
        "Seconds for a turn from its first throw on, 5 to 3600 (in rotation for each throw); 0: no clock. "
        "Left out: what the game says.",
        "60",
    )
    first: First | None = sections.key(
        validation.choice(First),
        None,
        'Who begins: "seat-1": player 1, always; "rotates": the next player begins each round; "loser": the '
        'same, and the loser of a match begins the next one of the evening; "winner": the winner of a round '
        'begins the next round, and the winner of a match the next match; "roll": everyone throws before a '
        "match, and the highest begins all its rounds. Left out: what the game says.",
        '"loser"',
    )
    stakes: ShownStakes = sections.key(
        validation.choice(ShownStakes),
        ShownStakes.OFF,
        '"off": the box never says who owes what; "match": at the end of each match; "evening": it also '
        "adds up the matches that the same players play one after the other.",
    )
    setup: SetupChoice = sections.key(
        validation.choice(SetupChoice),
        SetupChoice.ASK,
        'What a press does while nobody is playing: "ask" for players and rounds, or start the "usual" game.',
    )
    dice: DiceKind = sections.key(
        validation.choice(DiceKind),
        DiceKind.AUTO,
        'The box throws its own dice ("auto"), or the players throw "real" ones and enter the total.',
    )
    hints: bool = sections.key(validation.boolean, False, "Holding the button while flipping gives a hint.")
    names: bool = sections.key(
        validation.boolean,
        False,
        "Every player enters three letters before a match; the box keeps them for the evening.",
    )
    family: bool = sections.key(
        validation.boolean,
        False,
        "For children: easy games come first in the list, and a turn ends with kinder words.",
    )
    computers: tuple[int, ...] = sections.key(
        validation.numbers(1, MAX_PLAYERS, least=0),
        (),
        "Seats that the computer plays, such as [2]. It throws; a person sets the levers as it says.",
    )
    strength: Strength = sections.key(
        validation.choice(Strength),
        Strength.REGULAR,
        'How well the computer plays: a "beginner" shuts the highest tiles, a "regular" goes by the odds '
        'every other time, a "master" plays to win.',
    )


class BoxSection(Protocol):
    """The part of the config's ``[box]`` that the game reads."""

    @property
    def language(self) -> str:
        """The screens' language."""

    @property
    def sound(self) -> bool:
        """Whether the buzzer plays."""

    @property
    def out_of_play(self) -> tuple[int, ...]:
        """Levers that the owner has taken out of play."""

    @property
    def service_code(self) -> tuple[int, ...]:
        """The levers to put down to unlock service."""

    @property
    def sleep_min(self) -> float:
        """Minutes without a touch before the panel goes dark."""


class DisplaySection(Protocol):
    """The part of the config's ``[display]`` that the game reads."""

    @property
    def brightness(self) -> Brightness:
        """The panel's brightness."""


def misfit_text(game: Profile, levers: int) -> str:
    """Why a box with this many levers can't play this game."""
    return f"{game.name} needs {game.tiles[-1]} levers, this box has {levers}; use games that fit"


def on_box(rules: Profile, levers: int, taken: Collection[str]) -> Profile:
    """House rules, fitted to a box with this many levers and games with these names.

    Raises:
        ValueError: if they do not fit the box, or their name is taken.
    """
    played = rules.for_levers(levers)
    if played is None:
        raise ValueError(misfit_text(rules, levers))
    if rules.name in taken:
        raise ValueError(f"name: {rules.name!r} is taken; use a name of your own")
    return played


def ladder_of(game: Profile) -> str:
    """The name under which a game's best total is stored: its id and number of tiles."""
    return f"{game.name}.{game.starting.bit_count()}"


FREE_TRIES = 5
"""How many wrong codes cost no pause. From this many on, attract says how many there were."""


def english_order(game: Profile, language: str) -> tuple[str, str]:
    """The sort key of titles if there's no better one."""
    return game.title().casefold(), game.name


class Settings(NamedTuple):
    """The machine's part of the config, with what the players have chosen.

    Attributes:
        profiles: the games that fit this box, each with all its levers. Iterating may read files lazily.
        game: the config's section; `GameConfig.profile` names one of the profiles.
        box: the config's section.
        display: the config's section.
        levers: how many the box has.
        languages: each screen language's code, and its name in that language.
        bests: the best total so far, by `ladder_of`.
        streak: of solved puzzles.
        taken: switches whose lines another program holds, until the restart.
        wrong_codes: how many wrong codes since the last right one.
        service_button: the box has one, so the menu doesn't lead to service.
        title_order: the sort key of a group's games, in a language.
        page_rules: house rules given on the page; also among `profiles`.
        tournament: throws come from its seed; None for random throws.
        scoreboard: returns the address of the scoreboard's page; None if the scoreboard is off.
        link: what this box calls itself to other boxes; None if it plays with none.
        recognize: gives a game from an invitation the name and title of the built-in game with its rules.
    """

    profiles: Iterable[Profile]
    game: GameConfig
    box: BoxSection
    display: DisplaySection
    levers: int = 9
    languages: tuple[tuple[str, str], ...] = (("en", "English"),)
    bests: Mapping[str, int] = {}
    streak: Streak = Streak()
    taken: frozenset[int] = frozenset()
    wrong_codes: int = 0
    service_button: bool = False
    title_order: Callable[[Profile, str], tuple[str, str]] = english_order
    page_rules: Profile | None = None
    tournament: "Tournament | None" = None
    scoreboard: Callable[[], str] | None = None
    link: str | None = None
    recognize: Callable[[Profile], Profile] = lambda game: game

    @property
    def for_two_boxes(self) -> "Settings":
        """The settings without what a match with another box never has."""
        game = self.game._replace(dice=DiceKind.AUTO, computers=(), stakes=ShownStakes.OFF)
        return self._replace(game=game, tournament=None)

    def value(self, path: str) -> object:
        """The value of a config key, such as ``box.sound``."""
        section_name, _, name = path.partition(".")
        return getattr(getattr(self, section_name), name)

    def with_value(self, path: str, value: object) -> "Settings":
        """The settings with another value for this key."""
        section_name, _, name = path.partition(".")
        changed = getattr(self, section_name)._replace(**{name: value})
        return self._replace(**{section_name: changed})

    @property
    def profile(self) -> Profile:
        """The usual game, with all its levers."""
        return next(game for game in self.profiles if game.name == self.game.profile)

    @property
    def skips_setup(self) -> bool:
        """Whether a press in attract begins the usual game at once, without questions."""
        return self.game.setup is SetupChoice.USUAL

    @property
    def real_dice(self) -> bool:
        """Whether players throw their own dice and enter what they show."""
        return self.game.dice is DiceKind.REAL

    @property
    def sleep_ns(self) -> int:
        """How long without input before the panel goes dark."""
        return round(self.box.sleep_min * 60_000_000_000)

    @property
    def code(self) -> Tiles:
        """The levers to put down to unlock service; none without a code."""
        return to_tiles(self.box.service_code)

    @property
    def out_by_choice(self) -> Tiles:
        """The levers that the owner has taken out of play."""
        return to_tiles(self.box.out_of_play)

    @property
    def out(self) -> Tiles:
        """The levers out of play: the owner's, and those whose lines are taken."""
        return self.out_by_choice | to_tiles(lever for lever in self.taken if lever > 0)

    def without(self, taken: Collection[int]) -> "Settings":
        """The settings with these switches' lines held by another program."""
        return self._replace(taken=frozenset(taken))

    def with_rules(self, rules: Profile) -> "Settings":
        """The settings with these house rules instead of those given before.

        Raises:
            ValueError: if they do not fit the box, or their name is that of another game.
        """
        others = tuple(game for game in self.profiles if game is not self.page_rules)
        played = on_box(rules, self.levers, {game.name for game in others})
        after = self._replace(profiles=(*others, played), page_rules=played)
        return after.with_value("game.profile", played.name) if self.profile is self.page_rules else after

    @property
    def games(self) -> tuple[Profile, ...]:
        """The games that can be played now, without the levers out of play, in the order of the list.

        With one throw for everyone, one row would have to be set up again for each answer, so such a game
        isn't listed but can be named in the configuration, or given on the page. The same holds for a
        game for two with more players.
        """
        played, language = (without(game, self.out) for game in self.profiles), self.box.language
        groups = sorted(Group, key=lambda group: self.game.family and group is not Group.CHILDREN)
        return tuple(
            sorted(
                (game for game in played if game is not None and self._is_listed(game)),
                key=lambda game: (groups.index(game.group), self.title_order(game, language)),
            )
        )

    def _is_listed(self, game: Profile) -> bool:
        given = self.page_rules
        if game.name == self.game.profile or (given is not None and game.name == given.name):
            return True
        order = order_of(game)
        if not order.is_listed:
            return False
        # Of the players' choices, only teams change how many can play.
        with_teams = with_options(game, teams=self.game.teams)
        return game.is_solo or order.seats(with_teams, self.game.players) == self.game.players

    @property
    def groups(self) -> tuple[tuple[Group, tuple[Profile, ...]], ...]:
        """The same games under the headings of their groups."""
        return tuple((group, tuple(games)) for group, games in groupby(self.games, lambda game: game.group))

    @property
    def usual_game(self) -> Profile | None:
        """The usual game as it is played now; None if it needs a lever that is out of play."""
        played = without(self.profile, self.out)
        return self.chosen(played) if played else None

    def chosen(self, game: Profile) -> Profile:
        """The game as the players want it, without what it can't be played with."""
        return with_options(
            game,
            limit=self.game.limit,
            best=self.best(game),
            teams=self.game.teams,
            handicap=self.game.handicap,
            turn_seconds=self.game.turn_seconds,
            first=self.game.first,
        )

    def best(self, game: Profile) -> int | None:
        """The total to beat in a solo game; None before the first."""
        return self.bests.get(ladder_of(game))
