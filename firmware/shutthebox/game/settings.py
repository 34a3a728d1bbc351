"""What the owner has settled about the box, as the machine needs it."""

from dataclasses import dataclass
from enum import StrEnum

from shutthebox.rules.profile import Profile
from shutthebox.rules.reader import without
from shutthebox.rules.tiles import Tiles


class ShownStakes(StrEnum):
    """For how long the box says who owes what."""

    OFF = "off"
    MATCH = "match"
    EVENING = "evening"


@dataclass(frozen=True, slots=True)
class Settings:
    """The machine's part of the config.

    Attributes:
        profiles: the variants that fit this box, each on the box that is played, with all its levers.
        profile: the usual one.
        players: 1..9, the usual number.
        rounds: 1..99, or None for what each variant says.
        limit: points, for variants that are played to a limit; None for what each of them says.
        usual: a press in attract begins the usual game at once instead of asking.
        hints: a hold while flipping gives a hint.
        stakes: for how long the box says who owes what.
        real_dice: players throw dice of their own and enter what they show.
        computers: seats, from 1, that the computer plays.
        levers: how many the box has.
        language: of the screens, one of `languages`.
        languages: code and own name of every language of the screens.
        sound: the buzzer speaks.
        sleep_ns: without any input for so long the panel goes dark.
        out: the levers that the owner has taken out of play.
        service_button: the box has one, so the menu does not lead to service.
    """

    profiles: tuple[Profile, ...]
    profile: Profile
    players: int = 2
    rounds: int | None = None
    limit: int | None = None
    usual: bool = False
    hints: bool = False
    stakes: ShownStakes = ShownStakes.OFF
    real_dice: bool = False
    computers: tuple[int, ...] = ()
    levers: int = 9
    language: str = "en"
    languages: tuple[tuple[str, str], ...] = (("en", "English"),)
    sound: bool = True
    sleep_ns: int = 600_000_000_000
    out: Tiles = 0
    service_button: bool = False

    @property
    def games(self) -> tuple[Profile, ...]:
        """The variants that can be played now, without the levers that are out of play."""
        played = (without(profile, self.out) for profile in self.profiles)
        return tuple(profile for profile in played if profile is not None)

    @property
    def game(self) -> Profile | None:
        """The usual variant as it is played now; None if it needs a lever that is out of play."""
        played = without(self.profile, self.out)
        return played.with_limit(self.limit) if played else None
