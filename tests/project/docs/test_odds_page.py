"""The figures on the pages about odds that no other test has: each is worked out and looked for there."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.command import printed

from shutthebox.config.profiles import builtin
from shutthebox.odds.odds import Odds
from shutthebox.odds.seats import Equilibrium, Prize
from shutthebox.odds.shared_row import SharedRow
from shutthebox.odds.terminal.policies import Policy, beginners_ends, policy_value
from shutthebox.odds.worths import Objective
from shutthebox.rules import turn as turns
from shutthebox.rules.match import begin
from shutthebox.rules.profile import OneDie, Profile, ShutWins, Stakes, Tie

PROJECT = Path(__file__).parents[3]
PAGE = "\n".join(
    (PROJECT / page).read_text(encoding="utf-8") for page in ("docs/odds.md", "tests/unit/odds/literature.md")
)
TRADITIONAL = builtin("traditional")


def score(profile: Profile) -> float:
    return Odds(profile).value(turns.start(profile)).score


def figures() -> Iterator[str]:
    rollers = builtin("high-rollers")
    first, _ = SharedRow(rollers).chances(begin(rollers, 2))
    yield f"Of two players the first wins {100 * first:.4f} %"
    for chance in SharedRow(rollers).chances(begin(rollers, 3)):
        yield f"{100 * chance:.4f} %"
    beginner = sum(chance * end.score for end, chance in beginners_ends(TRADITIONAL).items())
    yield f"comes to {beginner:.2f} points"
    yield f"to {score(TRADITIONAL):.2f}."
    yield f"{score(builtin('digits')):,.2f}"
    by_sum = replace(TRADITIONAL, one_die=OneDie.OPTIONAL_SUM)
    shut = Odds(by_sum).distribution(turns.start(by_sum), Objective.SHUT)
    yield f"here {100 * shut[6]:.4f} %"
    two_at_most = replace(TRADITIONAL, one_die=OneDie.NEVER, max_tiles=2)
    yield f"; {policy_value(two_at_most, Policy.RANDOM).shut:.6f};"


@pytest.mark.slow
def test_the_figures_are_on_the_page() -> None:
    assert [figure for figure in figures() if figure not in PAGE] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["golf", "knipsen", "misere"])
def test_the_table_of_fair_head_starts(game: str) -> None:
    *_, fair = json.loads(printed("odds", game, "--fair", "--json"))["fair"]
    assert (fair["seats"], fair["seat"]) == (["master", "beginner"], 2)
    shares = f"{100 * fair['win']:.2f} % | {100 * fair['win_without']:.2f} %"
    assert f"| `{game}` | {fair['points']} points | {shares} |" in PAGE


@pytest.mark.slow
def test_a_tie_that_is_played_off_in_the_digit_game() -> None:
    digits = replace(builtin("digits"), shut_wins=ShutWins.MATCH, stakes=Stakes.POOL_DOUBLE, tie=Tie.PLAY_OFF)
    first, _ = Equilibrium(digits, 2, Prize.MONEY).chances()
    assert f"the first player loses {-first:.6f}." in PAGE
