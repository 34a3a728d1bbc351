"""Matches: the order of players, winners, ties, and stakes.

`test_random_play` holds every format, tie and stake to an independent tally.
"""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.dictate import TINY, finish, points_box
from tests.support.fast import fast_among
from tests.support.positions import common_throw

from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import Thrown
from shutthebox.rules.endings import LAST_ROUND
from shutthebox.rules.match import begin
from shutthebox.rules.position import Reason, Stage
from shutthebox.rules.profile import (
    Blocked,
    First,
    MatchFormat,
    OneDie,
    Profile,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.turn import Outcome, Refusal

PUB_3 = replace(builtin("pub"), rounds=3)
SHARE = points_box(tie=Tie.SHARE)


# The game, the seats, the scores in the order of play (0 is a shut box), and what the end of the match is.
ENDS: dict[str, tuple[Profile, int, list[int], dict[str, Any]]] = {
    "the lowest wins": (
        points_box(), 3, [5, 3, 4], {"winners": (1,), "totals": (5, 3, 4), "reason": Reason.ROUNDS}
    ),
    "the tied play another round, which adds no points": (
        points_box(), 3, [4, 9, 4, 8, 2],
        {"winners": (2,), "totals": (4, 9, 4), "scores": (8, 9, 2), "reason": Reason.PLAY_OFF},
    ),
    # A shut box.
    "pub: the second of three shuts, and the third does not play": (
        builtin("pub"), 3, [12, 0],
        {"winners": (1,), "owes": (2, -4, 2), "scores": (12, 0, None), "reason": Reason.SHUT},
    ),
    "jouhet: shut in the first turn wins and makes a captain": (
        builtin("jouhet"), 2, [0], {"winners": (0,), "captain": True}
    ),
    # A limit.
    "trac 100: the first to reach it loses": (
        builtin("trac-100"), 3, [40, 45, 10, 40, 45, 20, 19, 10],
        {"winners": (2,), "totals": (99, 100, 30), "owes": (0, 1, 0), "reason": Reason.LIMIT},
    ),
    "tournament 45: players drop out until one is left": (
        builtin("tournament-45"), 3, [30, 10, 45, 15, 34],
        {"winners": (1,), "totals": (45, 44, 45), "reason": Reason.LAST_LEFT},
    ),
    # Who pays.
    "trac: the highest score buys the round": (builtin("trac"), 3, [12, 30, 5], {"owes": (0, 1, 0)}),
    # Sheet 002: the winner collects the pool at the end of each round. The third is shared by all.
    "each round has its pool": (
        PUB_3, 3, [12, 3, 5, 3, 12, 5, 20, 20, 20], {"totals": (35, 35, 30), "owes": (-1, -1, 2)}
    ),
    "alone, against a total": (
        replace(builtin("ladder"), limit=10), 1, [9], {"winners": (0,), "reason": Reason.LADDER}
    ),
    "alone, nothing is better than the best score in each round": (
        points_box(match=MatchFormat.LADDER, win=Win.HIGHEST, rounds=2, limit=2), 1, [1, 1],
        {"winners": (0,), "reason": Reason.LADDER},
    ),
    # The worst, who begins the next match.
    "the loser": (SHARE, 3, [1, 5, 3], {"loser": 1}),
    "the loser: the first of two": (SHARE, 3, [1, 5, 5], {"loser": 1}),
    "the loser: the first from the left": (SHARE, 3, [5, 1, 5], {"loser": 2}),
    "nobody is the loser": (SHARE, 3, [3, 3, 3], {"loser": None}),
    "a player alone is out": (
        points_box(match=MatchFormat.DROP_OUT, limit=5), 1, [6], {"winners": (), "reason": Reason.LIMIT}
    ),
    # Rounds won.
    "a point for each who is best in a round": (
        points_box(match=MatchFormat.ROUNDS_WON, rounds=2), 2, [43, 43, 43, 40],
        {"winners": (1,), "totals": (1, 2), "scores": (43, 40), "reason": Reason.ROUNDS},
    ),
    "the first to shut wins the round": (
        points_box(match=MatchFormat.ROUNDS_WON, rounds=2, shut_wins=ShutWins.ROUND, win=Win.FIRST_TO_SHUT),
        2, [0, 0], {"winners": (0,), "totals": (2, 0)},
    ),
    # A tie that nobody wins.
    "the pool stays until one player wins": (
        points_box(tie=Tie.CARRY, stakes=Stakes.POOL), 3, [40, 40, 43, 43, 40, 43],
        {"winners": (1,), "owes": (2, -4, 2), "totals": (43, 40, 43), "reason": Reason.ROUNDS},
    ),
    "a round that nobody wins makes the next one worth more": (
        points_box(match=MatchFormat.ROUNDS_WON, rounds=3, tie=Tie.CARRY), 2, [5, 9, 7, 7, 9, 5],
        {"winners": (1,), "totals": (1, 2)},
    ),
    # What a shut box costs everyone else.
    "a shut box costs the others 20": (
        points_box(shut_others=20, shut_wins=ShutWins.ROUND), 2, [43, 0],
        {"winners": (1,), "totals": (63, 0), "scores": (63, 0)},
    ),
    "what a shut box costs counts for the limit and the stakes": (
        points_box(shut_others="doubled", match=MatchFormat.DROP_OUT, limit=86, stakes=Stakes.POOL), 2,
        [43, 0], {"winners": (1,), "totals": (86, 0), "owes": (1, -1), "reason": Reason.LAST_LEFT},
    ),
    "the team of who has shut is spared": (
        points_box(shut_others=20, teams=2), 4, [5, 0, 4, 9], {"totals": (25, 0, 24, 9)}
    ),
    "a head start is not doubled": (
        points_box(shut_others="doubled", handicap=(10,)), 2, [43, 0], {"totals": (76, 0)}
    ),
    "a shut box costs nothing in a play-off": (
        points_box(shut_others=20), 2, [5, 5, 0, 9], {"totals": (5, 5), "scores": (0, 9)}
    ),
    "nobody has to win against the bank": (
        points_box(stakes=Stakes.BANK, pays=((0, 2),)), 2, [5, 6], {"winners": (), "reason": Reason.BANK}
    ),
    "whoever gets only the stake back from the bank has not won": (
        points_box(stakes=Stakes.BANK, pays=((3, 2), (5, 1))), 3, [3, 5, 6],
        {"winners": (0,), "owes": (-1, 0, 1), "reason": Reason.BANK},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("game", "players", "scores", "end"), ENDS.values(), ids=ENDS)
def test_how_a_match_ends(game: Profile, players: int, scores: list[int], end: dict[str, Any]) -> None:
    assert finish(begin(game, players), scores[:-1]).result is None, "no sooner"
    match = finish(begin(game, players), scores)
    assert match.stage is Stage.ADVANCE
    assert match.advance().stage is Stage.FINISHED
    of = {name: match.result if hasattr(match.result, name) else match for name in end}
    assert {name: getattr(of[name], name) for name in end} == end


@pytest.mark.parametrize(
    ("game", "players", "rounds", "first", "complaint"),
    [
        (TINY, 0, 1, 0, "players: 0 is not allowed; use 1 to 20"),
        (TINY, 21, 1, 0, "players: 21 is not allowed; use 1 to 20"),
        (builtin("ladder"), 2, 1, 0, "players: 2 is not allowed; use 1 to 1"),
        (TINY, 1, 0, 0, "rounds: 0 is not allowed; use 1 to 99"),
        (TINY, 1, 100, 0, "rounds: 100 is not allowed; use 1 to 99"),
        (points_box(first=First.ROTATES), 2, 1, 1, "first: 2 is not allowed; use 1 to 1"),
        (points_box(first=First.LOSER), 2, 1, 2, "first: 3 is not allowed; use 1 to 2"),
    ],
)
def test_fail__begin(game: Profile, players: int, rounds: int, first: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        begin(game, players, rounds, first)


LIMITED = MatchFormat.TARGET_LOSES, MatchFormat.TARGET_WINS, MatchFormat.DROP_OUT


@pytest.mark.parametrize("format_", fast_among(LIMITED, LIMITED[1:2]))
def test_a_limit_that_is_never_reached_ends_after_the_last_round(format_: MatchFormat) -> None:
    win = Win.HIGHEST if format_ is MatchFormat.TARGET_WINS else Win.LOWEST
    profile = replace(TINY, match=format_, win=win, limit=10**9)
    match = finish(begin(profile, 2), [1, 2] * LAST_ROUND)
    assert match.round.number == LAST_ROUND
    assert match.result is not None
    assert match.result.winners == ((1,) if format_ is MatchFormat.TARGET_WINS else (0,))


@pytest.mark.parametrize(
    ("keys", "scores", "begins"),
    [
        ({"rounds": 2}, [43, 43, 40], 2),
        ({"rounds": 2}, [43, 40, 40], 1),
        # A play-off is begun by whoever of the tied is next in order, whoever has won the last round.
        ({"rounds": 2, "match": MatchFormat.ROUNDS_WON}, [9, 5, 7, 7, 9, 5], 0),
        ({"tie": Tie.REPLAY_ALL}, [5, 9, 5], 2),
        ({"tie": Tie.CARRY, "stakes": Stakes.POOL}, [5, 5, 9], 1),
    ],
)
def test_who_has_won_a_round_begins_the_next(keys: dict[str, Any], scores: list[int], begins: int) -> None:
    match = finish(begin(points_box(first=First.WINNER, **keys), 3), scores)
    assert match.advance().player == begins


def test_who_has_rolled_the_highest_begins_every_round_and_is_next_after_nobody() -> None:
    match = finish(begin(points_box(first=First.ROLL, rounds=3), 3, first=1), [9, 5, 5])
    assert (match.next_round is not None, match.advance().player) == (True, 1)
    tied = finish(begin(points_box(first=First.ROLL), 3, first=1), [9, 5, 5])
    assert tied.advance().player == 2, "the first of the tied in the order of the match"


def test_who_has_won_the_match_begins_the_next() -> None:
    match = finish(begin(points_box(first=First.WINNER, tie=Tie.SHARE), 3), [9, 5, 5])
    assert match.begins_next_match == 1
    assert begin(match.game, 3, first=match.begins_next_match).player == 1


def test_in_rotation_the_clock_runs_from_a_throw_to_its_answer() -> None:
    match = begin(replace(builtin("young"), turn_seconds=30), 1).throw((3, 4))
    assert match.clock_runs
    match = match.move(to_tiles([7]))
    with pytest.raises(ValueError, match="the clock does not run before a throw"):
        match.out_of_time()


def test_in_rotation_only_the_first_player_can_become_captain() -> None:
    profile = points_box(captain=True, shut_wins=ShutWins.MATCH)
    profile = replace(profile, turns=Turns.ALTERNATE, tiles=(1, 2))
    match = begin(profile, 2).throw((1,)).move(to_tiles([1])).throw((2,)).move(to_tiles([2]))
    second = match.throw((5,)).advance().throw((1,)).move(to_tiles([1]))
    assert second.result is not None
    assert (second.result.winners, second.result.captain) == ((1,), False)
    first = match.throw((2,)).move(to_tiles([2]))
    assert first.result is not None
    assert (first.result.winners, first.result.captain) == ((0,), True)
    later = begin(profile, 2).throw((1,)).move(to_tiles([1])).throw((5,)).advance()
    later = later.throw((2,)).move(to_tiles([2]))
    assert later.result is not None
    assert later.result.captain, "the first player's row, though another turn has ended before"


TOGETHER = Profile("together", turns=Turns.TOGETHER, shut_wins=ShutWins.NO, tie=Tie.SHARE)


def test_everyone_answers_the_same_throw() -> None:
    match = begin(TOGETHER, 2).throw((5, 4)).move(to_tiles([9]))
    assert (match.player, match.stage, common_throw(match)) == (1, Stage.THROW, (5, 4))
    with pytest.raises(ValueError, match=r"the throw for everyone is 5\+4"):
        match.throw((6, 3))
    match = match.throw((5, 4)).move(to_tiles([4, 5]))
    assert (match.player, match.round.common) == (0, None)
    assert [row.open.bit_count() for row in match.round.rows] == [8, 7]


def test_the_first_throws_are_everyones_own() -> None:
    match = begin(replace(TOGETHER, own_throws=1), 2).throw((5, 4)).move(to_tiles([9]))
    assert match.round.common is None
    match = match.throw((1, 1)).move(to_tiles([2]))
    assert common_throw(match.throw((1, 2))) == (1, 2)


def test_whoever_is_out_answers_no_more_and_the_next_one_throws() -> None:
    game = replace(TOGETHER, tiles=(1, 2, 3))
    match = begin(game, 2).throw((1, 2)).move(to_tiles([3])).throw((1, 2)).move(to_tiles([1, 2]))
    match = match.throw((1, 2)).move(to_tiles([1, 2]))
    assert (match.turn.outcome, match.result) == (Outcome.SHUT, None)
    match = match.advance().throw((1, 2)).move(to_tiles([3]))
    assert match.result is not None
    assert match.result.winners == (0, 1), "no: the round is played to its end, and both have shut"


@pytest.mark.parametrize("shut_wins", [ShutWins.MATCH, ShutWins.ROUND])
def test_several_may_shut_the_box_with_one_throw(shut_wins: ShutWins) -> None:
    game = replace(TOGETHER, tiles=(1, 2, 3), shut_wins=shut_wins)
    match = begin(game, 3).throw((1, 2))
    for shut in ([3], [3], [1, 2]):
        match = match.move(to_tiles(shut))
        match = match.throw((1, 2)) if match.round.common else match.throw((2, 1))
    for shut in ([1, 2], [1, 2]):
        match = match.move(to_tiles(shut))
        assert match.result is None, "the others answer the throw first"
        match = match.advance().throw((2, 1))
    match = match.move(to_tiles([3]))
    assert match.result is not None
    assert (match.result.winners, match.result.reason) == ((0, 1, 2), Reason.SHUT)


def test_who_has_not_shut_it_with_the_others_is_left_as_it_stands() -> None:
    game = replace(TOGETHER, tiles=(1, 2, 3, 6), shut_wins=ShutWins.ROUND)
    match = begin(game, 2).throw((3, 3)).move(to_tiles([6])).throw((3, 3)).move(to_tiles([1, 2, 3]))
    match = match.throw((4, 2)).move(to_tiles([1, 2, 3])).advance().throw((4, 2)).move(to_tiles([6]))
    assert match.result is not None
    assert match.result.winners == (0, 1)


def test_one_die_needs_everyones_leave() -> None:
    game = replace(TOGETHER, one_die=OneDie.FORCED_SUM, tiles=(1, 2, 3, 7), dice=2)
    match = begin(game, 2).throw((3, 4)).move(to_tiles([7])).throw((3, 4)).move(to_tiles([7]))
    assert common_throw(match.throw((2,))) == (2,), "6 are left to both"
    match = begin(game, 2).throw((1, 2)).move(to_tiles([3])).throw((1, 2)).move(to_tiles([3]))
    with pytest.raises(ValueError, match="one die: not yet"):
        match.throw((1,))


def test_one_die_is_not_yet_allowed_while_others_need_both() -> None:
    game = replace(TOGETHER, one_die=OneDie.OPTIONAL_HIGH, tiles=(1, 2, 7), handicap=((7,), 0))
    match = begin(game, 2)
    assert match.dice_refusal(1) is Refusal.ONE_DIE_NOT_YET
    assert Thrown((1,)).why_not(match) == "one die: not yet, for everyone"
    match = match.throw((1, 1)).move(to_tiles([2])).throw((1, 1)).move(to_tiles([2]))
    assert match.dice_refusal(1) is Refusal.ONE_DIE_NOT_YET


def test_a_total_of_both_dice_is_for_everyone_even_where_one_die_would_be_forced() -> None:
    game = replace(TOGETHER, one_die=OneDie.FORCED_SUM, tiles=(1, 2, 9), handicap=((9,), 0))
    match = begin(game, 2).throw((9,))
    assert match.turn.outcome is Outcome.BLOCKED
    assert match.advance().throw((9,)).stage is Stage.ANSWER
    match = begin(replace(game, handicap=(0, (9,))), 2).throw((9,)).move(to_tiles([9]))
    assert match.throw((9,)).turn.outcome is Outcome.BLOCKED


def test_a_row_that_waits_for_one_die_is_not_blocked_before_the_others_may_throw_it() -> None:
    game = replace(TOGETHER, one_die=OneDie.FORCED_SUM, tiles=(1, 7), blocked=Blocked.PASSES)
    match = begin(replace(game, handicap=((7,), 0)), 2).throw((2, 2))
    assert match.stage is Stage.ANSWER
    match = match.move(0).throw((2, 2)).move(0).throw((3, 4)).move(0).throw((3, 4)).move(to_tiles([7]))
    assert match.throw((1,)).stage is Stage.ANSWER


def test_whoever_stands_worst_when_another_shuts_the_box_buys_the_round() -> None:
    game = replace(TOGETHER, tiles=(1, 2, 3, 4), strikes=3, shut_wins=ShutWins.MATCH)
    match = begin(replace(game, stakes=Stakes.LOSER_PAYS, handicap=(0, 0, (4,))), 3)
    for faces, answers in (
        ((1, 3), ([4], [1, 3], [1, 3])),
        ((1, 2), ([1, 2], [], [])),
        ((1, 2), ([3], [], [])),
    ):
        for shut in answers:
            match = match.throw(faces).move(to_tiles(shut))
            match = match.advance() if match.stage is Stage.ADVANCE and not match.result else match
    assert match.result is not None
    assert match.scores == (0, 6, 2)
    assert list(map(int, match.result.owes)) == [0, 1, 0]


TUG = Profile("tug", turns=Turns.TUG, win=Win.FIRST_TO_SHUT)


def test_the_other_opens_what_is_shut_once_a_player_is_blocked() -> None:
    match = begin(TUG, 2).throw((1, 2)).move(to_tiles([3])).throw((1, 2)).move(to_tiles([1, 2]))
    match = match.throw((2, 1))
    assert (match.turn.outcome, match.turn.score, match.standing) == (Outcome.BLOCKED, 39, match.turn.open)
    match = match.advance()
    assert (match.player, match.turn.open, match.standing) == (1, 0b111, 0b111111000)
    match = match.throw((4, 2)).move(to_tiles([1, 2, 3]))
    assert match.result is not None
    assert (match.result.winners, match.result.reason) == ((1,), Reason.SHUT)
    assert (match.standing, match.totals) == (match.game.starting, (0, 0))


def test_a_player_without_a_tile_to_open_is_passed_over() -> None:
    match = begin(replace(TUG, tiles=(8, 9)), 2).throw((1, 1)).advance()
    assert (match.player, match.turn.throws, match.turn.open) == (0, 0, to_tiles([8, 9]))


def test_insurances_are_gone_with_the_turn() -> None:
    game = replace(TUG, insurance=True, tiles=(1, 2, 3, 4, 12))
    match = begin(game, 2).throw((1, 1)).move(to_tiles([2]))
    assert match.turn.misses_left == 1
    match = match.throw((6, 5)).move(0)
    assert (match.player, match.turn.misses_left) == (0, 0)
    match = match.throw((2, 2)).move(to_tiles([4])).throw((6, 5)).move(0).throw((6, 5)).advance()
    match = match.throw((2, 2)).move(to_tiles([4])).throw((6, 5)).move(0).throw((6, 5)).advance()
    assert (match.player, match.turn.misses_left) == (0, 0)


def test_the_tiles_of_a_head_start_are_shut_when_its_seat_begins() -> None:
    match = begin(replace(TUG, handicap=((1, 2),)), 2)
    assert [row.open for row in match.round.rows] == [0b111111100, 0b11]
    assert match.throw((1, 1)).advance().throw((2, 1)).move(0b11).result is not None


def test_two_teams_take_turns_at_the_row() -> None:
    match = begin(replace(TUG, teams=2, tiles=(2, 3, 12)), 4)
    match = match.throw((1, 1)).move(to_tiles([2])).throw((6, 5)).advance()
    assert (match.player, match.turn.opens, match.turn.open) == (1, True, to_tiles([2]))
    match = match.throw((6, 5)).advance()
    assert (match.player, match.turn.opens, match.turn.open) == (2, False, to_tiles([3, 12]))
    match = match.throw((2, 1)).move(to_tiles([3])).throw((6, 6)).move(to_tiles([12]))
    assert match.result is not None
    assert match.result.winners == (0, 2)


@pytest.mark.parametrize(("players", "teams"), [(1, None), (3, None), (4, None), (3, 2)])
def test_a_tug_is_for_two_players_or_two_teams(players: int, teams: int | None) -> None:
    with pytest.raises(ValueError, match="two players or two teams"):
        begin(replace(TUG, teams=teams), players)


@pytest.mark.parametrize(
    ("tiles", "shut", "winners"), [((1, 12), [1], (0, 1)), ((2, 11, 12), [2], (1,)), ((1, 12), [], (1,))]
)
def test_after_999_throws_fewer_tiles_to_move_win(
    tiles: tuple[int, ...], shut: list[int], winners: tuple[int, ...]
) -> None:
    match = begin(replace(TUG, tiles=tiles, dice=1), 2)
    if shut:
        match = match.throw((shut[0],)).move(to_tiles(shut))
    while match.result is None:
        match = match.throw((5,))
        match = match if match.result else match.advance()
    assert match.round.throws == 999
    assert (match.result.winners, match.result.reason) == (winners, Reason.ROUNDS)
