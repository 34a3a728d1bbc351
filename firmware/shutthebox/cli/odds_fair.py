"""``shutthebox odds --fair``: the head starts that make a round of two fair."""

from shutthebox.cli.odds_text import tidy
from shutthebox.odds.strengths import Strength
from shutthebox.odds.terminal.head_start import FairHeadStart, fair_head_start
from shutthebox.rules.profile import Profile, Tie

_SEATS = (
    (Strength.MASTER, Strength.MASTER),
    (Strength.BEGINNER, Strength.MASTER),
    (Strength.MASTER, Strength.BEGINNER),
)


def fair_answer(profile: Profile) -> tuple[FairHeadStart, ...]:
    """The fair head starts between two masters, and of a beginner in each seat against a master.

    Raises:
        OddsError: for rules without such odds.
    """
    seats = _SEATS[1:] if _left_out(profile) else _SEATS
    return tuple(fair_head_start(profile, strengths) for strengths in seats)


def fair_document(profile: Profile, answer: tuple[FairHeadStart, ...]) -> dict[str, object]:
    """The answer as JSON."""
    left_out = {"left_out": _left_out(profile)} if _left_out(profile) else {}
    return left_out | {
        "profile": profile.name,
        "fair": [
            {
                "seats": [strength.value for strength in found.strengths],
                "seat": found.seat + 1,
                "points": found.points,
                "win": tidy(found.win),
                "win_without": tidy(found.without),
            }
            for found in answer
        ],
    }


def fair_text(profile: Profile, answer: tuple[FairHeadStart, ...]) -> str:
    """The answer as lines of text."""
    lines = [
        f"{profile.title()}: fair head starts in points, two players, one round",
        "",
        f"{'first seat':<11} {'second seat':<12} {'head start':<21} {'to win':>9} {'without':>11}",
    ]
    for found in answer:
        first, second = found.strengths
        given = f"seat {found.seat + 1}: {found.points} point{'s' * (found.points != 1)}"
        chances = f"{tidy(100 * found.win):>7.2f} % {tidy(100 * found.without):>9.2f} %"
        lines.append(f"{first:<11} {second:<12} {given:<21} {chances}")
    if left_out := _left_out(profile):
        lines += ["", f"No figures: {left_out}."]
    lines += ["", "A master plays best for the win; a beginner shuts the highest tiles, with all the dice."]
    return "\n".join(lines)


def _left_out(profile: Profile) -> str | None:
    """The head starts that aren't worked out, in words; None if all are."""
    return f'between two masters with tie = "{profile.tie}"' if profile.tie is Tie.REPLAY_ALL else None
