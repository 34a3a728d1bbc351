"""A tug: the chance of who is at turn to move the last tile."""

from dataclasses import replace
from itertools import product

import pytest

from shutthebox.config.profiles import builtin
from shutthebox.odds.advice import advise
from shutthebox.odds.coach import review
from shutthebox.odds.odds import Odds
from shutthebox.odds.options import Unit
from shutthebox.odds.pick import pick
from shutthebox.odds.tug import TugPlay
from shutthebox.odds.worths import OddsError
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import Doubles, MatchFormat, OneDie, Profile, Turns, Win
from shutthebox.rules.tiles import to_tiles

LONG = builtin("long-game")
SHORT = Profile("tug", tiles=(1, 2, 3, 4), sides=3, turns=Turns.TUG, win=Win.FIRST_TO_SHUT)


@pytest.mark.slow
def test_who_begins_has_the_chance_that_an_independent_solver_says() -> None:
    assert pick(LONG).win.chances(begin(LONG, 2)) == pytest.approx(
        (0.573902966571, 0.426097033429), abs=5e-13
    )


@pytest.mark.parametrize(
    "game",
    [
        SHORT,
        pytest.param(
            replace(SHORT, one_die=OneDie.OPTIONAL_HIGH, one_die_at=2, insurance=True), marks=pytest.mark.slow
        ),
        pytest.param(replace(SHORT, start_open=(1, 3, 4), doubles=Doubles.ENDS_TURN), marks=pytest.mark.slow),
        pytest.param(
            replace(SHORT, ends_turn_on=frozenset({4}), difference=True, handicap=((1, 2),)),
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda game: f"{game.one_die} {game.doubles} {game.difference}",
)
def test_the_best_play_is_that_of_the_matches_themselves(game: Profile) -> None:
    """The chance of every match that can follow, by what its throws and answers lead to, until all stand."""
    beginning = _known(begin(game, 2))
    graph: Graph = {}
    _find(beginning, graph)
    worths = dict.fromkeys(graph, 0.5)

    def worth(after: Match, player: int) -> float:
        if after.result is not None:
            return float(player in after.result.winners)
        return worths[after] if after.player == player else 1 - worths[after]

    for _ in range(100):
        for match, choices in graph.items():
            worths[match] = max(
                sum(max(worth(after, match.player) for after in answers) for answers in throws) / len(throws)
                for throws in choices
            )
    assert pick(beginning.game).win.chances(beginning)[0] == pytest.approx(worths[beginning], abs=1e-9)


Graph = dict[Match, list[list[list[Match]]]]
"""By match, by number of dice, by throw: the matches that its answers lead to."""


def _known(match: Match) -> Match:
    """A match as far as its future goes; the throws that there are do not run out."""
    if match.result is not None:
        return match
    rows = tuple(
        row._replace(throws=0, moves=0, outcome=None, score=None, throw=None) for row in match.round.rows
    )
    round_ = match.round._replace(rows=rows, throws=0)
    return match._replace(round=round_, turns_over=0, scores=(None, None))


def _find(match: Match, graph: Graph) -> None:
    if match in graph or match.result is not None:
        return
    graph[match] = []
    for dice in dice_allowed(match.rules, match.turn.open):
        throws = [match.throw(faces) for faces in product(range(1, match.game.sides + 1), repeat=dice)]
        graph[match].append([_answered(thrown) for thrown in throws])
    for after in [after for throws in graph[match] for answers in throws for after in answers]:
        _find(after, graph)


def _answered(thrown: Match) -> list[Match]:
    found = [thrown]
    if thrown.stage is Stage.ANSWER:
        found = [thrown.move(shut) for shut in turns.answers(thrown.rules, thrown.turn) or (0,)]
    return [_known(each if each.result or each.stage is Stage.THROW else each.advance()) for each in found]


def test_hints_are_in_chance_to_win_and_take_the_tiles_that_finish() -> None:
    match = begin(replace(LONG, insurance=False), 2).throw((1, 2)).move(to_tiles([3]))
    match = match.throw((2, 1)).move(to_tiles([1, 2])).throw((1, 2)).advance().throw((4, 2))
    advice = advise(match)
    assert (advice.best, advice.unit, advice.to_win) == (to_tiles([1, 2, 3]), Unit.CHANCE, ())


def test_a_review_is_in_chance_to_win_and_adds_up() -> None:
    game = replace(LONG, insurance=False)
    actions: list[Action] = [Thrown((1, 2)), Moved(to_tiles([1, 2])), Thrown((1, 1)), Advanced()]
    actions += [Thrown((1, 2)), Moved(to_tiles([1, 2])), Advanced()]
    found = review(begin(game, 2), actions, for_win=False)
    first, second = (player.win for player in found.players)
    assert first is not None
    assert second is not None
    assert [each.final for each in (first, second)] == [0, 1]
    assert second.skill < 0, "one die is better for 1 and 2"
    assert first.skill < 0, "3 alone leaves more to do with a 2"
    assert first.luck + first.skill == first.final - first.initial
    assert not any(player.points.luck or player.points.skill for player in found.players)


def test_what_a_tug_has_no_odds_of() -> None:
    with pytest.raises(OddsError, match="first_move_must_include"):
        TugPlay(replace(LONG, first_move_must_include=2))
    with pytest.raises(OddsError, match="worth no points"):
        Odds(LONG)
    with pytest.raises(OddsError, match="later rounds only have odds"):
        review(begin(replace(LONG, match=MatchFormat.ROUNDS_WON, rounds=2), 2), ())
