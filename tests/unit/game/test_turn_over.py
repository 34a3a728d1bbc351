"""The end of a turn: the score, the total, who is out; praise and blame only for who asks."""

from collections.abc import Sequence

import pytest
from tests.support.machine import Table, settings_for

from shutthebox.rules.actions import Action, Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.profile import MatchFormat, Profile, ShutWins, Win
from shutthebox.rules.tiles import to_tiles

SMALL = Profile("small", tiles=(1, 2, 3, 4), dice=2, sides=3, shut_wins=ShutWins.NO)
BLOCKED_AT_8: Sequence[Action] = (Thrown((1, 1)), Moved(to_tiles([2])), Thrown((1, 1)))
SHUT: Sequence[Action] = (Thrown((2, 3)), Moved(to_tiles([1, 4])), Thrown((2, 3)), Moved(to_tiles([2, 3])))


def ended(profile: Profile, actions: Sequence[Action], rounds: int | None = None, players: int = 2) -> Table:
    match = begin(profile, players, rounds)
    return Table(settings_for(profile, players=players), match=match, actions=actions)


def test_a_match_over_rounds_shows_the_total_beside_the_score() -> None:
    one, several = ended(SMALL, BLOCKED_AT_8), ended(SMALL, BLOCKED_AT_8, rounds=3)
    assert (one.screen.big, one.screen.aside) == ("Score: 8", "1+1")
    assert (several.screen.big, several.screen.aside) == ("Score: 8", "total 8")


def test_who_is_out_is_told_so_once_and_plays_no_more() -> None:
    game = Profile("out", tiles=(1, 2, 3, 4), dice=2, sides=3, match=MatchFormat.DROP_OUT, limit=8)
    third = (Thrown((1, 2)), Moved(to_tiles([3])), Thrown((3, 3)), Moved(to_tiles([2, 4])), Thrown((3, 3)))
    table = ended(game, (), players=3)
    for actions in (third, BLOCKED_AT_8, third):
        table = Table(settings_for(game, players=3), match=table.match, actions=actions)
        told = "out!" in table.text
        assert told is (table.match.player == 2)
        if table.match.player < 2:
            table = Table(settings_for(game, players=3), match=table.match.advance())
    assert table.screen.big == "Player 2: out!"
    assert table.match.next_round is not None
    assert table.match.next_round.seats == (0, 2)


@pytest.mark.parametrize("match", [MatchFormat.DROP_OUT, MatchFormat.TARGET_LOSES, MatchFormat.TARGET_WINS])
def test_who_reaches_the_limit_is_told_at_once(match: MatchFormat) -> None:
    for limit in (8, 9):
        game = Profile("limit", tiles=(1, 2, 3, 4), dice=2, sides=3, match=match, limit=limit)
        assert ("8 reached" in ended(game, BLOCKED_AT_8).text) is (limit == 8)
    assert "9 reached" not in ended(game, BLOCKED_AT_8).text


def test_the_worst_score_is_not_cheered() -> None:
    misere = Profile("misere", tiles=(1, 2, 3, 4), dice=2, sides=3, win=Win.HIGHEST, shut_wins=ShutWins.NO)
    usual, worst = ended(SMALL, SHUT), ended(misere, SHUT)
    assert (usual.screen.big, usual.screen.celebrates) == ("SHUT!", True)
    assert (worst.screen.big, worst.screen.celebrates) == ("Score: 0", False)
