"""Matches: the order of players, winners, ties, and stakes."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.support.dictate import TINY, finish, points_box

from shutthebox.config.profiles import builtin
from shutthebox.rules.formats import LAST_ROUND, MAX_TIE_ROUNDS, Reason
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.profile import (
    Blocked,
    First,
    MatchFormat,
    Profile,
    ShutWins,
    Stakes,
    Tie,
    Turns,
    Win,
)
from shutthebox.rules.tiles import from_text, to_tiles
from shutthebox.rules.turn import Outcome

HALF = Fraction(1, 2)
PUB_3 = replace(builtin("pub"), rounds=3)
LOSER_PAYS = points_box(stakes=Stakes.LOSER_PAYS, match=MatchFormat.TOTAL)
LOSER_PAYS_2 = replace(LOSER_PAYS, shut_wins=ShutWins.MATCH, rounds=2)
POOL_2 = points_box(stakes=Stakes.POOL_DOUBLE, rounds=2)
SHARE = points_box(tie=Tie.SHARE)


def bank(**keys: Any) -> Profile:
    """It takes 2 and pays 9 for a shut box, 2 up to 4, 1 up to 9."""
    return points_box(**{"stakes": Stakes.BANK, "stake": 2, "pays": ((0, 9), (4, 2), (9, 1)), **keys})


def limited(form: MatchFormat, limit: int = 5, **keys: Any) -> Profile:
    return points_box(match=form, limit=limit, **keys)


def ladder(goal: int | None, win: Win) -> Profile:
    keys: dict[str, Any] = {"match": MatchFormat.LADDER, "shut_wins": ShutWins.NO, "rounds": 2}
    return Profile("ladder", tiles=(1, 2, 3), win=win, limit=goal, **keys)


# The game, the seats, the scores in the order of play (0 is a shut box), and what the end of the match is.
ENDS: dict[str, tuple[Profile, int, list[int], dict[str, Any]]] = {
    "the lowest wins": (
        points_box(), 3, [5, 3, 4], {"winners": (1,), "totals": (5, 3, 4), "scores": (5, 3, 4)}
    ),
    "rounds are added up": (
        points_box(rounds=2), 2, [5, 3, 1, 2], {"winners": (1,), "totals": (6, 5), "round": 2}
    ),
    "the tied play another round, which adds no points": (
        points_box(), 3, [4, 9, 4, 8, 2], {"winners": (2,), "totals": (4, 9, 4), "scores": (8, 9, 2)}
    ),
    "endless ties are shared": (points_box(), 2, [4, 4] * (MAX_TIE_ROUNDS + 1), {"winners": (0, 1)}),
    "digits with two shut boxes starts over for everybody": (
        builtin("digits"), 3, [0, 147, 0, 14789, 9, 89], {"winners": (1,), "totals": (14789, 9, 89)}
    ),
    # A shut box.
    "pub: the second of three shuts, and the third does not play": (
        builtin("pub"), 3, [12, 0], {"winners": (1,), "owes": (2, -4, 2), "scores": (12, 0, None)}
    ),
    "jouhet: shut in the first turn wins and makes a captain": (
        builtin("jouhet"), 2, [0], {"winners": (0,), "captain": True}
    ),
    "jouhet: shut later wins without the title": (
        builtin("jouhet"), 2, [5, 0], {"winners": (1,), "captain": False}
    ),
    "jouhet: so it does in the second round": (
        builtin("jouhet"), 2, [5, 6, 0], {"winners": (0,), "captain": False}
    ),
    "jouhet: whatever the scores": (
        builtin("jouhet"), 2, [5, 6, 7, 8, 9, 0], {"winners": (1,), "captain": False}
    ),
    "jouhet: without a shut box the total of three rounds": (
        builtin("jouhet"), 2, [5, 6, 7, 8, 9, 1], {"winners": (1,), "totals": (21, 15)}
    ),
    "nobody shuts: then the lowest wins": (
        points_box(win=Win.FIRST_TO_SHUT), 3, [5, 2, 9], {"winners": (1,)}
    ),
    "a shut box that wins rounds wins no match with a limit": (
        limited(MatchFormat.TARGET_LOSES, shut_wins=ShutWins.ROUND), 2, [4, 0, 5],
        {"winners": (1,), "reason": Reason.LIMIT},
    ),
    "but the play-off it does": (
        points_box(shut_wins=ShutWins.ROUND, rounds=2), 2, [3, 3, 3, 3, 0],
        {"winners": (0,), "reason": Reason.SHUT},
    ),
    # A limit.
    "trac 100: the first to reach it loses": (
        builtin("trac-100"), 3, [40, 45, 10, 40, 45, 20, 19, 10],
        {"winners": (2,), "totals": (99, 100, 30), "owes": (0, 1, 0)},
    ),
    "trac 100: the others tied for the win play off without the loser": (
        builtin("trac-100"), 3, [40, 40, 40, 40, 40, 40, 20, 9, 8],
        {"winners": (2,), "totals": (100, 80, 80), "owes": (1, 0, 0), "seats": (1, 2), "round": 4},
    ),
    "trac 100: alone nobody wins or pays": (
        builtin("trac-100"), 1, [45, 45, 45], {"winners": (), "owes": (0,)}
    ),
    "cover: the highest of those who are there wins": (
        replace(builtin("cover-200"), limit=50), 3, [40, 30, 44, 10, 5, 7],
        {"winners": (2,), "totals": (50, 35, 51)},
    ),
    "tournament 45: players drop out until one is left": (
        builtin("tournament-45"), 3, [30, 10, 45, 15, 34], {"winners": (1,), "totals": (45, 44, 45)}
    ),
    "tournament 45: alone one wins against nobody": (
        builtin("tournament-45"), 1, [44, 42], {"winners": (), "totals": (86,)}
    ),
    # Alone, against a total.
    **{
        f"a ladder to {goal}, {win} wins: {scores}": (
            ladder(goal, win), 1, scores, {"winners": (0,) if climbs else (), "reason": Reason.LADDER}
        )
        for goal, win, scores, climbs in (
            (None, Win.LOWEST, [9, 9], True),
            (10, Win.LOWEST, [4, 5], True),
            (10, Win.LOWEST, [5, 5], False),
            (10, Win.LOWEST, [5, 6], False),
            (0, Win.LOWEST, [0, 0], True),  # there is nothing better
            (10, Win.HIGHEST, [5, 6], True),
            (10, Win.HIGHEST, [5, 5], False),
            (10, Win.HIGHEST, [5, 4], False),
            (12, Win.HIGHEST, [6, 6], True),  # all tiles open, twice
        )
    },
    # The bank.
    "everybody plays for the bank's payment": (
        bank(), 6, [0, 1, 4, 5, 9, 10], {"winners": (0,), "owes": (-7, 0, 0, 1, 1, 2)}
    ),
    "the bank pays for high scores": (
        bank(win=Win.HIGHEST, pays=((5, 1), (9, 3))), 5, [4, 5, 8, 9, 10],
        {"winners": (3, 4), "owes": (2, 1, 1, -1, -1)},
    ),
    "the bank knows head starts": (
        bank(handicap=(0, 4)), 2, [4, 4], {"winners": (1,), "owes": (0, -7)}
    ),
    "teams win together": (
        points_box(teams=2), 4, [9, 3, 1, 6], {"winners": (1, 3), "team_totals": (10, 9, 10, 9)}
    ),
    # Who pays.
    "trac: the highest score buys the round": (builtin("trac"), 3, [12, 30, 5], {"owes": (0, 1, 0)}),
    "a play-off does not change who pays": (
        builtin("trac"), 3, [10, 10, 12, 5, 40], {"winners": (0,), "owes": (0, 0, 1)}
    ),
    "a winner at once never pays for a round": (
        LOSER_PAYS_2, 3, [40, 10, 20, 0], {"owes": (1, HALF, HALF)}
    ),
    "nor in the first one": (LOSER_PAYS_2, 3, [0], {"owes": (0, HALF, HALF)}),
    # Sheet 002: the winner collects the pool at the end of each round. The third is shared by all.
    "each round has its pool": (
        PUB_3, 3, [12, 3, 5, 3, 12, 5, 20, 20, 20], {"totals": (35, 35, 30), "owes": (-1, -1, 2)}
    ),
    "a shut doubles the pool of its round alone": (
        POOL_2, 3, [0, 5, 9, 9, 5, 6], {"owes": (-4 + 1, 2 - 2, 2 + 1)}
    ),
    "and not that of the next, though the same player wins": (
        POOL_2, 3, [0, 5, 9, 4, 5, 9], {"owes": (-4 - 2, 2 + 1, 2 + 1)}
    ),
    "a shut that wins the match settles the round that it ends": (
        PUB_3, 3, [12, 3, 5, 9, 0], {"owes": (1 + 2, -2 - 4, 1 + 2)}
    ),
    # The worst, who begins the next match.
    "the loser": (SHARE, 3, [1, 5, 3], {"loser": 1}),
    "the loser: the first of two": (SHARE, 3, [1, 5, 5], {"loser": 1}),
    "the loser: the first from the left": (SHARE, 3, [5, 1, 5], {"loser": 2}),
    "nobody is the loser": (SHARE, 3, [3, 3, 3], {"loser": None}),
    # Why it is over.
    **{
        f"{reason.value}: {scores} {keys}": (points_box(**keys), 2, scores, {"reason": reason})
        for reason, scores, keys in (
            (Reason.ROUNDS, [3, 4], {}),
            (Reason.ROUNDS, [3, 3], {"tie": Tie.SHARE}),
            (Reason.PLAY_OFF, [3, 3, 4, 5], {}),
            (Reason.PLAY_OFF, [3, 3, 4, 5], {"tie": Tie.REPLAY_ALL}),
            (Reason.SHUT, [3, 0], {"shut_wins": ShutWins.MATCH}),
            (Reason.SHUT, [0], {"shut_wins": ShutWins.ROUND}),
            (Reason.BANK, [5, 6], {"stakes": Stakes.BANK, "pays": ((0, 2),)}),
        )
    },
    "the limit that loses": (limited(MatchFormat.TARGET_LOSES), 2, [5], {"reason": Reason.LIMIT}),
    "the limit that wins": (
        limited(MatchFormat.TARGET_WINS, win=Win.HIGHEST), 2, [5, 3], {"reason": Reason.LIMIT}
    ),
    "the last one left": (limited(MatchFormat.DROP_OUT), 2, [5, 3], {"reason": Reason.LAST_LEFT}),
    "the last two out at once": (limited(MatchFormat.DROP_OUT), 2, [5, 6], {"reason": Reason.LAST_LEFT}),
    "a player alone is out": (
        limited(MatchFormat.DROP_OUT), 1, [6], {"winners": (), "reason": Reason.LIMIT}
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


def calls(match: Match, tile: int, faces: tuple[int, ...]) -> dict[str, Callable[[], Match]]:
    return {
        "throw": lambda: match.throw(faces),
        "answer": lambda: match.move(to_tiles([tile])),
        "advance": match.advance,
        "reopen": lambda: match.reopen(tile),
    }


@pytest.mark.parametrize("name", ["throw", "answer", "advance", "reopen"])
def test_nothing_happens_to_a_finished_match(name: str) -> None:
    match = finish(begin(points_box(), 1), [5]).advance()
    with pytest.raises(ValueError):
        calls(match, 1, (1,))[name]()


@pytest.mark.parametrize("stage", ["throw", "answer", "advance"])
def test_only_what_is_due_can_happen(stage: str) -> None:
    match = begin(builtin("open-one"), 2)
    if stage == "answer":
        match = match.throw((4, 4))
    if stage == "advance":
        match = match._with_turn(replace(match.turn, outcome=Outcome.BLOCKED, score=9))
    assert match.stage.value == stage
    for name, call in calls(match, 8, (4, 4)).items():
        if name == stage:
            call()
        else:
            with pytest.raises(ValueError):
                call()


@pytest.mark.parametrize(("players", "rounds"), [(0, 1), (10, 1), (1, 0), (1, 100)])
def test_fail__begin(players: int, rounds: int) -> None:
    with pytest.raises(ValueError, match="is not allowed"):
        begin(TINY, players, rounds)


def test_a_head_start_holds_when_everybody_starts_over() -> None:
    match = begin(points_box(tie=Tie.REPLAY_ALL, handicap=(2, 0)), 2)
    assert match.totals == (-2, 0)
    match = finish(match, [7, 5])
    assert (match.totals, match.result) == ((5, 5), None)
    match = match.advance()
    assert match.totals == (-2, 0)
    match = finish(match, [14, 13])
    assert match.result is not None
    assert (match.totals, match.result.winners) == ((12, 13), (0,))
    match = begin(points_box(tie=Tie.REPLAY_ALL, handicap=(2,), win=Win.HIGHEST), 2)
    assert match.totals == (2, 0)


def test_a_round_ended_by_a_shut_box_is_scored_as_it_stands() -> None:
    profile = Profile("rounds", tiles=(1, 2, 3), rounds=2)
    match = finish(begin(profile, 3), [0])
    assert (match.totals, match.scores) == ((0, 6, 6), (0, 6, 6))
    assert [row.outcome for row in match.rows[1:]] == [Outcome.UNPLAYED] * 2
    match = match.advance()
    assert (match.player, match.round) == (0, 2)


@pytest.mark.parametrize("format_", [MatchFormat.TARGET_LOSES, MatchFormat.TARGET_WINS, MatchFormat.DROP_OUT])
def test_a_limit_that_is_never_reached_ends_after_the_last_round(format_: MatchFormat) -> None:
    win = Win.HIGHEST if format_ is MatchFormat.TARGET_WINS else Win.LOWEST
    profile = replace(TINY, match=format_, win=win, limit=10**9)
    match = finish(begin(profile, 2), [1, 2] * LAST_ROUND)
    assert match.round == LAST_ROUND
    assert match.result is not None
    assert match.result.winners == ((1,) if format_ is MatchFormat.TARGET_WINS else (0,))


@pytest.mark.parametrize("players", [0, 2])
def test_a_ladder_is_for_one_player(players: int) -> None:
    with pytest.raises(ValueError, match=f"players: {players} is not allowed, 1 to 1 are"):
        begin(builtin("ladder"), players)


def test_every_second_seat_is_of_one_team() -> None:
    match = begin(points_box(teams=2), 4)
    assert (match.teams, match.in_teams) == (2, True)
    assert [match.team(player) for player in range(4)] == [(0, 2), (1, 3), (0, 2), (1, 3)]


@pytest.mark.parametrize(("teams", "players"), [(2, 3), (3, 4), (4, 2), (None, 4)])
def test_players_who_cannot_be_divided_play_alone(teams: int | None, players: int) -> None:
    match = begin(points_box(teams=teams), players)
    assert (match.teams, match.in_teams) == (players, False)
    assert [match.team(player) for player in range(players)] == [(player,) for player in range(players)]


def test_the_clock_runs_from_the_first_throw_of_a_turn_to_its_end() -> None:
    match = begin(replace(builtin("golf"), turn_seconds=30), 2)
    assert not match.clock_runs
    match = match.throw((3, 4))
    assert match.clock_runs
    match = match.move(to_tiles([7]))
    assert match.clock_runs
    match = match.out_of_time()
    assert (match.turn.outcome, match.scores, match.stage) == (Outcome.TIME, (38, None), Stage.ADVANCE)
    assert not match.clock_runs
    assert not match.advance().clock_runs


def test_in_rotation_the_clock_runs_from_a_throw_to_its_answer() -> None:
    match = begin(replace(builtin("young"), turn_seconds=30), 1)
    match = match.throw((3, 4))
    assert match.clock_runs
    match = match.move(to_tiles([7]))
    assert not match.clock_runs
    with pytest.raises(ValueError, match="no clock runs while the match waits for throw"):
        match.out_of_time()


@pytest.mark.parametrize(
    ("first", "begun"),
    [(First.SEAT_1, [0, 0, 0, 0]), (First.ROTATES, [0, 1, 2, 0]), (First.LOSER, [0, 1, 2, 0])],
)
def test_who_begins_from_round_to_round(first: First, begun: list[int]) -> None:
    match, found = begin(points_box(first=first), 3, 4), []
    for _ in range(4):
        found.append(match.player)
        match = finish(match, [1, 2, 3])
        match = match.advance()
    assert found == begun


def test_a_round_goes_round_the_table() -> None:
    match = begin(points_box(first=First.LOSER), 3, first=1)
    assert (match.player, match.order) == (1, (1, 2, 0))
    match = finish(match, [5])
    assert match.advance().player == 2
    match = finish(match, [6])
    assert match.advance().player == 0


@pytest.mark.parametrize("key", [First.SEAT_1, First.ROTATES])
def test_fail__begun_by_another_where_no_loser_begins(key: First) -> None:
    with pytest.raises(ValueError, match="first: 2 is not allowed, 1 is"):
        begin(points_box(first=key), 2, first=1)


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
    blocked = match.throw((5,))
    assert blocked.turns_over == 1
    later = begin(profile, 2).throw((1,)).move(to_tiles([1])).throw((5,)).advance()
    later = later.throw((2,)).move(to_tiles([2]))
    assert later.result is not None
    assert later.result.captain, "the first player's row, though another turn has ended before"


def test_whoever_begins_the_match_can_become_captain() -> None:
    profile = points_box(captain=True, shut_wins=ShutWins.MATCH, first=First.LOSER)
    match = finish(begin(profile, 2, first=1), [0])
    assert match.result is not None
    assert (match.result.winners, match.result.captain) == ((1,), True)
    match = finish(begin(profile, 2, first=1), [1, 0])
    assert match.result is not None
    assert not match.result.captain


def test_dominoes_come_from_one_bag_for_all() -> None:
    profile = replace(builtin("domino-bag"), turns=Turns.ALTERNATE, blocked=Blocked.PASSES)
    match = begin(profile, 2).throw((4, 3)).move(to_tiles([7]))
    assert match.player == 1
    with pytest.raises(ValueError, match="cannot be thrown"):
        match.throw((3, 4))
    match = match.throw((3, 3)).move(to_tiles([6]))
    assert {row.drawn.bit_count() for row in match.rows} == {2}


def test_everybody_throws_once_on_an_own_row() -> None:
    match = begin(builtin("young"), 2)
    match = match.throw((3, 4)).move(from_text("7"))
    assert match.player == 1
    match = match.throw((3, 4)).move(from_text("3,4"))
    assert match.player == 0
    assert [row.open.bit_count() for row in match.rows] == [8, 7]


def test_lucky_seven_is_won_by_the_first_seven() -> None:
    match = begin(builtin("lucky-seven"), 3)
    for faces in [(1, 2), (6, 6), (1, 1), (3, 3)]:
        match = match.throw(faces).move(0)
    assert match.player == 1
    match = match.throw((3, 4)).move(to_tiles([7]))
    assert match.result is not None
    assert match.result.winners == (1,)


def test_who_is_blocked_sits_out() -> None:
    profile = replace(builtin("golf"), turns=Turns.ALTERNATE)
    match = begin(profile, 3).throw((1, 1)).move(to_tiles([2]))
    match = match.throw((6, 6)).move(from_text("3,9"))
    match = match.throw((6, 6)).move(from_text("3,9"))
    match = match.throw((1, 1))
    assert (match.turn.outcome, match.stage) == (Outcome.BLOCKED, Stage.ADVANCE)
    match = match.advance()
    assert match.player == 1
    match = match.throw((6, 6)).move(from_text("4,8"))
    match = match.throw((6, 6)).move(from_text("4,8"))
    assert match.player == 1


def test_the_first_to_shut_wins_at_once() -> None:
    profile = points_box(win=Win.FIRST_TO_SHUT, shut_wins=ShutWins.ROUND)
    match = finish(begin(profile, 3, rounds=3), [5, 0])
    assert match.rounds == 1, "a race is one round, whatever is asked for"
    assert match.result is not None
    assert match.result.winners == (1,)


def test_one_row_is_for_all_who_are_still_in() -> None:
    match = begin(builtin("high-rollers"), 3)
    match = match.throw((6, 3)).move(to_tiles([9])).throw((6, 2)).move(to_tiles([8]))
    assert (match.player, {row.open for row in match.rows}) == (2, {to_tiles(range(1, 8))})
    match = match.throw((6, 6)).move(from_text("5,7"))
    assert [row.insured for row in match.rows] == [0, 0, 1]
    match = match.throw((6, 4)).move(from_text("4,6"))
    match = match.throw((6, 5))
    assert (match.turn.outcome, match.stage, match.result) == (Outcome.BLOCKED, Stage.ADVANCE, None)
    match = match.advance()
    assert (match.player, match.turn.throws) == (2, 1)
    match = match.throw((6, 1))
    assert (match.stage, match.turn.insured) == (Stage.ANSWER, 1)
    match = match.move(0)
    assert (match.player, match.turn.insured, match.stage) == (2, 0, Stage.THROW), "who uses one throws again"
    match = match.throw((1, 2)).move(to_tiles([3]))
    # Who is out keeps the row as it was then.
    assert [from_text("1,2"), from_text("1,2,3"), from_text("1,2")] == [row.open for row in match.rows]
    match = match.throw((4, 5))
    assert match.result is not None
    assert (match.player, match.result.winners) == (0, (2,))


def test_the_least_expected_turn_is_played_by_real_throws() -> None:
    """A whole turn through the front door, nothing dictated."""
    match = begin(builtin("pub"), 1)
    for faces, shut in [
        ((4, 5), "9"),
        ((3, 5), "8"),
        ((1, 6), "7"),
        ((5, 6), "5,6"),
        ((4,), "4"),
        ((6,), "1,2,3"),
    ]:
        assert len(faces) in dice_allowed(match.game, match.turn.open)
        match = match.throw(faces).move(from_text(shut))
    assert match.scores == (0,)
    assert match.turn.outcome is Outcome.SHUT
    assert match.turn.throw == (6,)
