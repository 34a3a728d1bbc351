"""Everything the machine remembers, as one frozen value that screens are built from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from shutthebox.game.debounce import Health
from shutthebox.game.entry import Entry
from shutthebox.game.judge import FINE, Verdict
from shutthebox.game.mode import Mode
from shutthebox.game.picker import Picker
from shutthebox.game.trouble import Trouble
from shutthebox.odds.advice import Account, Step
from shutthebox.rules.match import Match
from shutthebox.rules.tiles import Tiles


@dataclass(frozen=True, slots=True)
class State:
    """The machine between two inputs.

    Attributes:
        mode: what the box is doing.
        levers: the levers that are down.
        match: the match as the players have seen it; None in attract, menu and setup.
        rolled: the match after the throw that still tumbles, already kept; None at other times.
        rolled_ns: when that throw was made.
        entry: the throw of real dice that is being entered.
        picker: the choice that is open in menu and setup.
        item: which choice that is; empty for the menu's list of items.
        chosen_with: levers flipped for a choice and not put back yet.
        verdict: on the levers.
        notice: why the last input was refused, in the players' language; empty if it was not.
        ledger: per player the stakes owed until settled; negative: to get.
        signed: the winner's initials so far; None while nobody is asked.
        letter: the letter that a press would take.
        ready_ns: since when the box has been waiting for the throw.
        answer: the tiles that the computer shuts, and a person sets; None if a person plays.
        steps: the throws and answers of the running turn.
        ended: per turn that has ended, its player and its steps, until it has been taken apart.
        given_away: per player, points that decisions have cost in this match.
        luck: per player, points that the dice have added in this match.
        account: of the turn that has just ended; None if the odds are not known.
        dice_hint: how many dice are best, and what the other number costs in points; None where
            there is no choice, no advice, or no hints.
        hint: lines of advice on the screen; empty for none.
        offering: the box asks whether to abandon the match.
        asleep: the panel is dark.
        trouble: what has gone wrong around the box; said in attract until an input there,
            and in a corner of the screens of a turn.
        health: per lever what its contact has done; empty before the first report.
        wrong_ns: since when the same levers have been wrong.
        stuck: levers that are down and seem not to come up.
        dead: levers that are up, or seem so, whatever hands do.
        row: the row of the service screen at the cursor.
    """

    mode: Mode
    levers: Tiles
    match: Match | None = None
    rolled: Match | None = None
    rolled_ns: int = 0
    entry: Entry | None = None
    picker: Picker | None = None
    item: str = ""
    chosen_with: Tiles = 0
    verdict: Verdict = FINE
    notice: str = ""
    ledger: tuple[Fraction, ...] = ()
    signed: str | None = None
    letter: str = "A"
    ready_ns: int = 0
    answer: Tiles | None = None
    steps: tuple[Step, ...] = ()
    ended: tuple[tuple[int, tuple[Step, ...]], ...] = ()
    given_away: tuple[Fraction, ...] = ()
    luck: tuple[Fraction, ...] = ()
    account: Account | None = None
    dice_hint: tuple[int, float] | None = None
    hint: tuple[str, ...] = ()
    offering: bool = False
    asleep: bool = False
    trouble: Trouble | None = None
    health: Mapping[int, Health] = field(default_factory=dict)
    wrong_ns: int = 0
    stuck: Tiles = 0
    dead: Tiles = 0
    row: int = 0
