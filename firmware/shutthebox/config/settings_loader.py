"""Makes the machine's settings from the config and the profiles."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from shutthebox.config.profiles import builtins, find, from_text, house_rules, playable_builtins, recognize
from shutthebox.config.schema import Config, ConfigError, GpioConfig, Line, with_value
from shutthebox.errors import ShutTheBoxError, raise_all
from shutthebox.files import read_text
from shutthebox.game.facts import BestTotal, Chosen, PageRules, Remembered, Streak, WrongCodes
from shutthebox.game.settings import DiceKind, Settings, misfit_text
from shutthebox.game.switches.switch import BUTTONS
from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import ProfileError
from shutthebox.translations import languages, title_order
from shutthebox.validation import shown_key

if TYPE_CHECKING:
    from shutthebox.rules.equal_dice import Tournament

_log = logging.getLogger(__name__)

DEFAULT_LEVERS = 9


def levers_needed(config: Config, where: str) -> int:
    """The number of levers of a simulated box: as configured, otherwise as many as the usual game needs.

    Raises:
        ProfileError: if the usual game is unknown or its file is no good.
    """
    return config.box.levers or usual_profile(config, where).tiles[-1]


def possible_boxes(config: Config, levers: int, where: str) -> tuple[int, ...]:
    """The numbers of levers a simulated box can have: this one, and those the games are made for."""
    of_games = {count for profile in builtins() for count in profile.allowed_boxes}
    return tuple(sorted({levers, *(count for count in of_games if _is_playable(config, count, where))}))


def _is_playable(config: Config, levers: int, where: str) -> bool:
    try:
        settings_for(config, levers, where)
    except ShutTheBoxError:
        return False
    return True


def usual_profile(config: Config, where: str) -> Profile:
    """The configured game, on the box of its own sheet.

    Raises:
        ProfileError: if it is unknown or its file is no good.
    """
    try:
        return find(config.game.profile, rules_folder(config))
    except ProfileError as error:
        raise ProfileError(f"{where}: game.profile: {error}") from None


def rules_folder(config: Config) -> Path | None:
    """The folder with house rules, if one is configured."""
    return Path(config.rules.folder) if config.rules.folder else None


def broken_rules(config: Config) -> tuple[ProfileError, ...]:
    """The faults of the house rules that are left out; each names its file."""
    folder = rules_folder(config)
    return house_rules(folder)[1] if folder else ()


def with_choices(config: Config, choices: Mapping[str, object]) -> Config:
    """The config with the settings chosen at the box; keys that can't be chosen there are ignored.

    Args:
        config: as its file says.
        choices: by key, as TOML values; None for a forgotten choice.
    """
    if not choices:
        return config
    # Imported lazily, here and below, to keep startup fast.
    from shutthebox.game.menu_items import CHOOSABLE

    for key, value in choices.items():
        if key not in CHOOSABLE:
            _log.warning("chosen at the box: %s: can't be chosen there", shown_key(key))
        elif value is not None:
            try:
                config = with_value(config, key, value, "chosen at the box")
            except ConfigError as error:
                _log.warning("%s", error)
    return config


def restore_choices(config: Config, settings: Settings, kept: Iterable[Remembered]) -> Settings:
    """Restores what was chosen at the box; falls back to the configuration if the choices no longer fit."""
    choices, rules = dict[str, object](), None
    bests, streak, wrong_codes = dict[str, int](), Streak(), 0
    for fact in kept:
        match fact:
            case Chosen(key, value):
                choices[key] = _lists(value)
            case PageRules(toml):
                rules = toml
            case BestTotal(ladder, total):
                bests[ladder] = total
            case Streak():
                streak = fact
            case WrongCodes(count):
                wrong_codes = count
            case _:
                assert_never(fact)
    chosen = _with_settings(config, settings, choices, rules) if choices or rules else settings
    return chosen._replace(bests=bests, streak=streak, wrong_codes=wrong_codes)


def _with_settings(
    config: Config, settings: Settings, choices: Mapping[str, object], toml: str | None
) -> Settings:
    for fitting in (choices, {key: value for key, value in choices.items() if key != "game.profile"}):
        try:
            rules = None if toml is None else from_text(toml, Path("rules"))
            plays_them = rules is not None and fitting.get("game.profile") == rules.name
            of_config = {**fitting, "game.profile": None} if plays_them else fitting
            chosen = settings_for(with_choices(config, of_config), settings.levers, "chosen at the box")
            if rules is not None:
                chosen = chosen.with_rules(rules)
            return chosen.with_value("game.profile", rules.name) if plays_them and rules else chosen
        except (ShutTheBoxError, ValueError) as error:
            _log.warning("%s; playing as configured", error)
    return settings


def _lists(value: object) -> object:
    """The value with lists in place of tuples, as TOML reads it."""
    return list(map(_lists, value)) if isinstance(value, tuple) else value


def switch_lines(gpio: GpioConfig, levers: int) -> dict[int, Line]:
    """The line of every switch of a box with this many levers.

    Raises:
        ConfigError: if the wiring has fewer lines for levers.
    """
    if levers > len(gpio.levers):
        raise ConfigError(
            f"box.levers: {levers} levers, but gpio.levers names {len(gpio.levers)} lines; one each is needed"
        )
    wired: dict[int, Line | None] = {number: getattr(gpio, row.key) for number, row in BUTTONS.items()}
    lines = {number: line for number, line in wired.items() if line is not None}
    return lines | dict(enumerate(gpio.levers[:levers], 1))


def try_config(config: Config, where: str) -> None:
    """Refuses a configuration that no box can play with.

    Raises:
        ShutTheBoxError: naming the file as `where`, the key and what is allowed.
    """
    levers = config.box.levers or DEFAULT_LEVERS
    wrong = list[ShutTheBoxError]()
    for check in (partial(switch_lines, config.gpio, levers), partial(settings_for, config, levers, where)):
        try:
            check()
        except ShutTheBoxError as error:
            wrong.append(error)
    raise_all(wrong)


def settings_for(config: Config, levers: int, where: str) -> Settings:
    """The machine's settings, on a box with this many levers.

    Raises:
        ProfileError: if the usual game is unknown or its file is no good.
        ConfigError: if it does not fit the box; `where` names the config in its text.
    """
    wrong = list[ShutTheBoxError]()
    usual = tournament = None
    try:
        wanted = usual_profile(config, where)
        usual = wanted.for_levers(levers)
        if usual is None:
            wrong.append(ConfigError(f"{where}: game.profile: {misfit_text(wanted, levers)}"))
    except ProfileError as error:
        wrong.append(error)
    for key, numbers in (("out_of_play", config.box.out_of_play), ("service_code", config.box.service_code)):
        if numbers and max(numbers) > levers:
            allowed = f"use 1 to {levers}"
            wrong.append(
                ConfigError(f"{where}: box.{key}: lever {max(numbers)} is not on this box; {allowed}")
            )
    try:
        tournament = _tournament(config, where)
    except ConfigError as error:
        wrong.append(error)
    raise_all(wrong)
    assert usual is not None
    settings = Settings(
        _GamesOnOffer(usual, partial(_playable_games, rules_folder(config), levers)),
        # From now on, a file is known by the name in it.
        config.game._replace(profile=usual.name),
        config.box,
        config.display,
        levers=levers,
        languages=tuple(languages(config.box.language).items()),
        service_button=config.gpio.service is not None,
        title_order=title_order,
        tournament=tournament,
        recognize=recognize,
    )
    if settings.usual_game is None and not settings.games:
        raise ConfigError(f"{where}: box.out_of_play: no game is left; use fewer levers")
    return settings


class _GamesOnOffer:
    """A box's games, the usual one first. The others are read on first use."""

    def __init__(self, usual: Profile, read_others: Callable[[], Iterable[Profile]]) -> None:
        self._usual, self._read_others = usual, read_others

    def __iter__(self) -> Iterator[Profile]:
        yield self._usual
        yield from self._others

    @cached_property
    def _others(self) -> tuple[Profile, ...]:
        return tuple(game for game in self._read_others() if game.name != self._usual.name)


def _playable_games(folder: Path | None, levers: int) -> Iterator[Profile]:
    yield from playable_builtins(levers)
    for game in house_rules(folder)[0] if folder else ():
        if played := game.for_levers(levers):
            yield played


def _tournament(config: Config, where: str) -> "Tournament | None":
    if not config.tournament.file:
        return None
    from shutthebox.rules.equal_dice import TournamentError, tournament_from_text

    if config.game.dice is DiceKind.REAL:
        raise ConfigError(f'{where}: tournament.file: not allowed with game.dice = "real"; use "auto"')
    path = Path(config.tournament.file)
    try:
        return tournament_from_text(read_text(path, TournamentError, "a tournament"), str(path))
    except TournamentError as error:
        raise ConfigError(*(f"{where}: tournament.file: {mistake}" for mistake in error.mistakes)) from None
