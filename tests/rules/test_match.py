"""Matches: the order of players, winners, ties, and stakes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.support.dictate import TINY, finish, owed, points_box

from shutthebox.config import profiles
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


def test_players_take_turns_and_the_lowest_wins() -> None:
    match = finish(begin(points_box(), 3), [5, 3, 4])
    assert match.result is not None
    assert match.result.winners == (1,)
    assert (match.totals, match.scores, match.stage) == ((5, 3, 4), (5, 3, 4), Stage.ADVANCE)
    assert match.advance().stage is Stage.FINISHED


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
    match = begin(profiles.builtin("open-one"), 2)
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


def test_rounds_are_added_up() -> None:
    match = finish(begin(points_box(), 2, rounds=2), [5, 3, 1, 2])
    assert match.totals == (6, 5)
    assert match.result is not None
    assert match.result.winners == (1,)
    assert match.round == 2


@pytest.mark.parametrize(("players", "rounds"), [(0, 1), (10, 1), (1, 0), (1, 100)])
def test_fail__begin(players: int, rounds: int) -> None:
    with pytest.raises(ValueError, match="is not allowed"):
        begin(TINY, players, rounds)


class TestTies:
    def test_the_tied_play_another_round_which_adds_no_points(self) -> None:
        match = finish(begin(points_box(), 3), [4, 9, 4])
        assert match.result is None
        match = finish(match, [8, 2])
        assert match.player == 2
        assert match.result is not None
        assert match.result.winners == (2,)
        assert match.totals == (4, 9, 4)
        assert match.scores == (8, 9, 2)

    def test_endless_ties_are_shared(self) -> None:
        match = finish(begin(points_box(), 2), [4, 4] * (MAX_TIE_ROUNDS + 1))
        assert match.result is not None
        assert match.result.winners == (0, 1)

    def test_a_head_start_holds_when_everybody_starts_over(self) -> None:
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

    def test_digits_with_two_shut_boxes_starts_over_for_everybody(self) -> None:
        match = finish(begin(profiles.builtin("digits"), 3), [0, 147, 0])
        assert (match.result, match.totals) == (None, (0, 147, 0))
        match = match.advance()
        assert (match.seats, match.totals) == ((0, 1, 2), (0, 0, 0))
        match = finish(match, [14789, 9, 89])
        assert match.result is not None
        assert match.result.winners == (1,)
        assert match.totals == (14789, 9, 89)


class TestShutBox:
    def test_pub_the_second_of_three_shuts_and_the_third_does_not_play(self) -> None:
        match = finish(begin(profiles.builtin("pub"), 3), [12, 0])
        assert match.result is not None
        assert match.result.winners == (1,)
        assert owed(match) == (2, -4, 2)
        assert match.scores == (12, 0, None)
        assert match.advance().stage is Stage.FINISHED

    def test_jouhet_shut_in_the_first_turn_wins_and_makes_a_captain(self) -> None:
        match = finish(begin(profiles.builtin("jouhet"), 2), [0])
        assert match.result is not None
        assert (match.result.winners, match.result.captain) == ((0,), True)

    @pytest.mark.parametrize("scores", [[5, 0], [5, 6, 0], [5, 6, 7, 8, 9, 0]])
    def test_jouhet_shut_later_wins_without_the_title_whatever_the_scores(self, scores: list[int]) -> None:
        match = finish(begin(profiles.builtin("jouhet"), 2), scores)
        assert match.result is not None
        assert (match.result.winners, match.result.captain) == (((len(scores) - 1) % 2,), False)

    def test_jouhet_without_a_shut_box_is_won_on_the_total_of_three_rounds(self) -> None:
        match = finish(begin(profiles.builtin("jouhet"), 2), [5, 6, 7, 8, 9])
        assert match.result is None
        match = finish(match, [1])
        assert match.result is not None
        assert (match.totals, match.result.winners) == ((21, 15), (1,))

    def test_a_round_ended_by_a_shut_box_is_scored_as_it_stands(self) -> None:
        profile = Profile("rounds", tiles=(1, 2, 3), rounds=2)
        match = finish(begin(profile, 3), [0])
        assert (match.totals, match.scores) == ((0, 6, 6), (0, 6, 6))
        assert [row.outcome for row in match.rows[1:]] == [Outcome.UNPLAYED] * 2
        match = match.advance()
        assert (match.player, match.round) == (0, 2)


class TestFormats:
    def test_trac_100_the_first_to_reach_it_loses(self) -> None:
        match = begin(profiles.builtin("trac-100"), 3)
        match = finish(match, [40, 45, 10, 40, 45, 20])
        assert match.result is None
        match = finish(match, [19, 10])
        assert match.result is not None
        assert (match.totals, match.result.winners) == ((99, 100, 30), (2,))
        assert owed(match) == (0, 1, 0)

    def test_trac_100_the_others_tied_for_the_win_play_off_without_the_loser(self) -> None:
        match = finish(begin(profiles.builtin("trac-100"), 3), [40, 40, 40, 40, 40, 40, 20])
        assert match.result is None
        match = match.advance()
        assert (match.seats, match.player, match.round) == ((1, 2), 1, 4)
        match = finish(match, [9, 8])
        assert match.result is not None
        assert match.result.winners == (2,)
        assert (match.totals, owed(match)) == ((100, 80, 80), (1, 0, 0))

    def test_trac_100_alone_nobody_wins_or_pays(self) -> None:
        match = finish(begin(profiles.builtin("trac-100"), 1), [45, 45, 45])
        assert match.result is not None
        assert match.result.winners == ()
        assert owed(match) == (0,)

    def test_cover_200_the_highest_of_those_there_wins(self) -> None:
        match = begin(replace(profiles.builtin("cover-200"), limit=50), 3)
        match = finish(match, [40, 30, 44, 10, 5, 7])
        assert match.result is not None
        assert (match.totals, match.result.winners) == ((50, 35, 51), (2,))

    def test_tournament_45_players_drop_out_until_one_is_left(self) -> None:
        match = finish(begin(profiles.builtin("tournament-45"), 3), [30, 10, 45])
        match = match.advance()
        assert (match.seats, match.player) == ((0, 1), 0)
        match = finish(match, [15, 34])
        assert match.result is not None
        assert (match.result.winners, match.totals) == ((1,), (45, 44, 45))

    def test_tournament_45_alone_goes_on_until_the_end(self) -> None:
        match = finish(begin(profiles.builtin("tournament-45"), 1), [44])
        assert match.result is None
        match = finish(match, [42])
        assert match.result is not None
        assert (match.totals, match.result.winners) == ((86,), ()), "a player alone wins against nobody"

    @pytest.mark.parametrize(
        "format_", [MatchFormat.TARGET_LOSES, MatchFormat.TARGET_WINS, MatchFormat.DROP_OUT]
    )
    def test_a_limit_that_is_never_reached_ends_after_the_last_round(self, format_: MatchFormat) -> None:
        win = Win.HIGHEST if format_ is MatchFormat.TARGET_WINS else Win.LOWEST
        profile = replace(TINY, match=format_, win=win, limit=10**9)
        match = finish(begin(profile, 2), [1, 2] * LAST_ROUND)
        assert match.round == LAST_ROUND
        assert match.result is not None
        assert match.result.winners == ((1,) if format_ is MatchFormat.TARGET_WINS else (0,))


class TestAlone:
    @pytest.mark.parametrize(
        ("goal", "win", "scores", "climbs"),
        [
            (None, Win.LOWEST, [9, 9], True),
            (10, Win.LOWEST, [4, 5], True),
            (10, Win.LOWEST, [5, 5], False),
            (10, Win.LOWEST, [5, 6], False),
            (0, Win.LOWEST, [0, 0], True),  # there is nothing better
            (10, Win.HIGHEST, [5, 6], True),
            (10, Win.HIGHEST, [5, 5], False),
            (10, Win.HIGHEST, [5, 4], False),
            (12, Win.HIGHEST, [6, 6], True),  # all tiles open, twice
        ],
    )
    def test_a_ladder_is_climbed_by_a_better_total_or_by_the_best(
        self, goal: int | None, win: Win, scores: list[int], climbs: bool
    ) -> None:
        profile = Profile(
            "ladder",
            tiles=(1, 2, 3),
            match=MatchFormat.LADDER,
            win=win,
            shut_wins=ShutWins.NO,
            rounds=2,
            limit=goal,
        )
        match = finish(begin(profile, 1), scores[:1])
        assert match.result is None
        match = finish(match, scores[1:])
        assert match.result is not None
        assert match.result.winners == ((0,) if climbs else ())

    @pytest.mark.parametrize("players", [0, 2])
    def test_a_ladder_is_for_one_player(self, players: int) -> None:
        with pytest.raises(ValueError, match=f"players: {players} is not allowed, 1 to 1 are"):
            begin(profiles.builtin("ladder"), players)


class TestBank:
    @pytest.mark.parametrize(
        ("keys", "scores", "winners", "owes"),
        [
            # It takes 2 and pays 9 for a shut box, 2 up to 4, 1 up to 9.
            ({}, [0, 1, 4, 5, 9, 10], (0,), (-7, 0, 0, 1, 1, 2)),
            ({"win": Win.HIGHEST, "pays": ((5, 1), (9, 3))}, [4, 5, 8, 9, 10], (3, 4), (2, 1, 1, -1, -1)),
            ({"handicap": (0, 4)}, [4, 4], (1,), (0, -7)),
        ],
    )
    def test_everybody_plays_for_the_payment(
        self, keys: dict[str, Any], scores: list[int], winners: tuple[int, ...], owes: tuple[int, ...]
    ) -> None:
        settings: dict[str, Any] = {"stake": 2, "pays": ((0, 9), (4, 2), (9, 1)), **keys}
        match = finish(begin(points_box(stakes=Stakes.BANK, **settings), len(scores)), scores)
        assert match.result is not None
        assert (match.result.winners, owed(match)) == (winners, owes)


class TestTeams:
    def test_every_second_seat_is_of_one_team(self) -> None:
        match = begin(points_box(teams=2), 4)
        assert (match.teams, match.in_teams) == (2, True)
        assert [match.team(player) for player in range(4)] == [(0, 2), (1, 3), (0, 2), (1, 3)]
        match = finish(match, [9, 3, 1, 6])
        assert match.team_totals == (10, 9, 10, 9)
        assert match.result is not None
        assert match.result.winners == (1, 3)

    @pytest.mark.parametrize(("teams", "players"), [(2, 3), (3, 4), (4, 2), (None, 4)])
    def test_players_who_cannot_be_divided_play_alone(self, teams: int | None, players: int) -> None:
        match = begin(points_box(teams=teams), players)
        assert (match.teams, match.in_teams) == (players, False)
        assert [match.team(player) for player in range(players)] == [(player,) for player in range(players)]


class TestTime:
    def test_it_runs_from_the_first_throw_of_a_turn_to_its_end(self) -> None:
        match = begin(replace(profiles.builtin("golf"), turn_seconds=30), 2)
        assert not match.clock_runs
        match = match.throw((3, 4))
        assert match.clock_runs
        match = match.move(to_tiles([7]))
        assert match.clock_runs
        match = match.out_of_time()
        assert (match.turn.outcome, match.scores, match.stage) == (Outcome.TIME, (38, None), Stage.ADVANCE)
        assert not match.clock_runs
        assert not match.advance().clock_runs

    def test_in_rotation_it_runs_from_a_throw_to_its_answer(self) -> None:
        match = begin(replace(profiles.builtin("young"), turn_seconds=30), 1)
        match = match.throw((3, 4))
        assert match.clock_runs
        match = match.move(to_tiles([7]))
        assert not match.clock_runs
        with pytest.raises(ValueError, match="no clock runs while the match waits for throw"):
            match.out_of_time()


class TestFirst:
    """The player who begins a round."""

    @pytest.mark.parametrize(
        ("first", "begun"),
        [(First.SEAT_1, [0, 0, 0, 0]), (First.ROTATES, [0, 1, 2, 0]), (First.LOSER, [0, 1, 2, 0])],
    )
    def test_from_round_to_round(self, first: First, begun: list[int]) -> None:
        match, found = begin(points_box(first=first), 3, 4), []
        for _ in range(4):
            found.append(match.player)
            match = finish(match, [1, 2, 3])
            match = match.advance()
        assert found == begun

    def test_a_round_goes_round_the_table(self) -> None:
        match = begin(points_box(first=First.LOSER), 3, first=1)
        assert (match.player, match.order) == (1, (1, 2, 0))
        match = finish(match, [5])
        assert match.advance().player == 2
        match = finish(match, [6])
        assert match.advance().player == 0

    @pytest.mark.parametrize(
        ("scores", "loser"), [([1, 5, 3], 1), ([1, 5, 5], 1), ([5, 1, 5], 2), ([3, 3, 3], None)]
    )
    def test_the_loser_of_a_match_is_the_worst(self, scores: list[int], loser: int | None) -> None:
        match = finish(begin(points_box(tie=Tie.SHARE), 3), scores)
        assert match.loser == loser

    @pytest.mark.parametrize("key", [First.SEAT_1, First.ROTATES])
    def test_fail__begun_by_another_where_no_loser_begins(self, key: First) -> None:
        with pytest.raises(ValueError, match="first: 2 is not allowed, 1 is"):
            begin(points_box(first=key), 2, first=1)


class TestCaptain:
    def test_in_rotation_only_the_first_player_can_become_one(self) -> None:
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

    def test_whoever_begins_the_match_is_the_first_player(self) -> None:
        profile = points_box(captain=True, shut_wins=ShutWins.MATCH, first=First.LOSER)
        match = finish(begin(profile, 2, first=1), [0])
        assert match.result is not None
        assert (match.result.winners, match.result.captain) == ((1,), True)
        match = finish(begin(profile, 2, first=1), [1, 0])
        assert match.result is not None
        assert not match.result.captain


class TestReason:
    @pytest.mark.parametrize(
        ("keys", "scores", "reason"),
        [
            ({}, [3, 4], Reason.ROUNDS),
            ({"tie": Tie.SHARE}, [3, 3], Reason.ROUNDS),
            ({}, [3, 3, 4, 5], Reason.PLAY_OFF),
            ({"tie": Tie.REPLAY_ALL}, [3, 3, 4, 5], Reason.PLAY_OFF),
            ({"shut_wins": ShutWins.MATCH}, [3, 0], Reason.SHUT),
            ({"shut_wins": ShutWins.ROUND}, [0], Reason.SHUT),
            ({"match": MatchFormat.TARGET_LOSES, "limit": 5}, [5], Reason.LIMIT),
            ({"match": MatchFormat.TARGET_WINS, "limit": 5, "win": Win.HIGHEST}, [5, 3], Reason.LIMIT),
            ({"match": MatchFormat.DROP_OUT, "limit": 5}, [5, 3], Reason.LAST_LEFT),
            ({"match": MatchFormat.DROP_OUT, "limit": 5}, [5, 6], Reason.LAST_LEFT),
            ({"stakes": Stakes.BANK, "pays": ((0, 2),)}, [5, 6], Reason.BANK),
        ],
    )
    def test_a_result_says_why_the_match_is_over(
        self, keys: dict[str, Any], scores: list[int], reason: Reason
    ) -> None:
        match = finish(begin(points_box(**keys), 2), scores)
        assert match.result is not None
        assert match.result.reason is reason

    def test_of_a_player_alone(self) -> None:
        for format_, reason in ((MatchFormat.DROP_OUT, Reason.LIMIT), (MatchFormat.LADDER, Reason.LADDER)):
            match = finish(begin(points_box(match=format_, limit=5), 1), [6])
            assert match.result is not None
            assert (match.result.winners, match.result.reason) == ((), reason)


class TestAlternate:
    def test_dominoes_come_from_one_bag_for_all(self) -> None:
        profile = replace(profiles.builtin("domino-bag"), turns=Turns.ALTERNATE, blocked=Blocked.PASSES)
        match = begin(profile, 2).throw((4, 3)).move(to_tiles([7]))
        assert match.player == 1
        with pytest.raises(ValueError, match="cannot be thrown"):
            match.throw((3, 4))
        match = match.throw((3, 3)).move(to_tiles([6]))
        assert {row.drawn.bit_count() for row in match.rows} == {2}

    def test_everybody_throws_once_on_an_own_row(self) -> None:
        match = begin(profiles.builtin("young"), 2)
        match = match.throw((3, 4)).move(from_text("7"))
        assert match.player == 1
        match = match.throw((3, 4)).move(from_text("3,4"))
        assert match.player == 0
        assert [row.open.bit_count() for row in match.rows] == [8, 7]

    def test_lucky_seven_is_won_by_the_first_seven(self) -> None:
        match = begin(profiles.builtin("lucky-seven"), 3)
        for faces in [(1, 2), (6, 6), (1, 1), (3, 3)]:
            match = match.throw(faces).move(0)
        assert match.player == 1
        match = match.throw((3, 4)).move(to_tiles([7]))
        assert match.result is not None
        assert match.result.winners == (1,)

    def test_who_is_blocked_sits_out(self) -> None:
        profile = replace(profiles.builtin("golf"), turns=Turns.ALTERNATE)
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

    def test_the_first_to_shut_wins_at_once(self) -> None:
        profile = points_box(win=Win.FIRST_TO_SHUT, shut_wins=ShutWins.ROUND)
        match = finish(begin(profile, 3, rounds=3), [5, 0])
        assert match.rounds == 1, "a race is one round, whatever is asked for"
        assert match.result is not None
        assert match.result.winners == (1,)

    def test_nobody_shuts_then_the_lowest_wins(self) -> None:
        match = finish(begin(points_box(win=Win.FIRST_TO_SHUT), 3), [5, 2, 9])
        assert match.result is not None
        assert match.result.winners == (1,)


def test_one_row_is_for_all_who_are_still_in() -> None:
    match = begin(profiles.builtin("high-rollers"), 3)
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
    match = begin(profiles.builtin("pub"), 1)
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
