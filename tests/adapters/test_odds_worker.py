"""The odds at the box: their answers, the time of these, and the computer's aim."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from queue import SimpleQueue
from random import Random
from typing import Any

import pytest
from tests.support.box import S
from tests.support.machine import Table, settings_for
from tests.support.waiting import HANG_S

from shutthebox.adapters.odds_worker import OddsNow, OddsWorker, answer
from shutthebox.config.profiles import builtin
from shutthebox.config.schema import Config, GameConfig, SetupChoice
from shutthebox.game.inputs import AnswerCame, DiceCame, HintCame, OddsCame, ReviewCame
from shutthebox.game.mode import Mode
from shutthebox.game.questions import AskAnswer, AskDice, AskHint, AskReview, Prepare, Question
from shutthebox.odds import match_play
from shutthebox.odds.bank import bank_play
from shutthebox.odds.odds import Odds
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.strengths import Strength
from shutthebox.odds.worths import Advice, Option, Unit
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Thrown
from shutthebox.rules.match import Match, Stage, begin
from shutthebox.rules.moves import Throw
from shutthebox.rules.profile import HeadStart
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles
from shutthebox.rules.turn import Turn
from shutthebox.simulator.virtual_box import VirtualBox

PUB = builtin("pub")


def test_a_hint_knows_the_score_that_is_played_for() -> None:
    for name, best in (("traditional", [1, 9]), ("digits", [4, 6]), ("misere", [1, 2, 3, 4])):
        match = begin(builtin(name), 1).throw((6, 4))
        came = answer(AskHint(match))
        assert isinstance(came, HintCame)
        assert came.match == match
        assert came.hint is not None
        assert came.hint.best == to_tiles(best)
        assert came.hint.unit is Unit.POINTS


def test_a_race_is_ranked_by_the_throws_to_go() -> None:
    came = answer(AskHint(begin(builtin("young"), 2).throw((3, 4))))
    assert isinstance(came, HintCame)
    assert came.hint is not None
    assert came.hint.unit is Unit.THROWS
    assert came.hint.options[0].cost == 0
    assert all(option.cost > 0.01 for option in came.hint.options[1:]), "one is better than the others"
    assert came.hint.best == to_tiles([7]), "no die shows a 7, so the 3 and the 4 come again sooner"


def hint_for(match: Match) -> Advice:
    came = answer(AskHint(match))
    assert isinstance(came, HintCame)
    assert came.hint is not None
    return came.hint


def test_against_the_bank_a_hint_counts_what_is_paid() -> None:
    turn = turns.throw(builtin("bank"), Turn(to_tiles([1, 2, 4, 5, 7]), moves=1), (3, 3))
    match = begin(builtin("bank"), 2)
    match = replace(match, rows=(turn, match.rows[1]), stage=Stage.ANSWER)
    hint = hint_for(match)
    paid = bank_play(builtin("bank")).ranked(turn)
    assert [option.choice for option in hint.options] == [tiles for tiles, _, _ in paid]
    assert [option.cost for option in hint.options] == [
        pytest.approx(float(paid[0][2].first - worth.first)) for _, _, worth in paid
    ]
    assert hint.best == to_tiles([1, 5])
    assert hint_for(replace(match, game=builtin("golf"))).best == to_tiles([2, 4])


def near(value: float) -> Any:
    """Equal to this number, but for rounding."""
    return pytest.approx(value)


def at_the_bank(*tiles: int) -> Match:
    """The first of two players in mid-turn, with these tiles open, about to throw."""
    match = begin(builtin("bank"), 2)
    turn = Turn(to_tiles(tiles), throws=3, moves=3)
    return replace(match, rows=(turn, match.rows[1]), stage=Stage.THROW)


def test_a_hint_against_the_bank_by_hand() -> None:
    """The bank pays 5 for a shut box, and 2 up to a score of 4.

    With 1 or 2 left it pays 5/6 + 10/6 = 5/2 on average. With both, one die gives (5/2 + 5/2 + 5 + 3 * 2) / 6
    = 8/3 and scores (10/6 + 5/6 + 3 * 3) / 6 = 23/12; two dice give (5/2 + 2 * 5 + 33 * 2) / 36 = 157/72.
    """
    dice = (Option(1, 0.0), Option(2, near(8 / 3 - 157 / 72)))
    assert hint_for(at_the_bank(1, 2)) == Advice(dice, Unit.STAKES)
    assert answer(AskDice(at_the_bank(1, 2))) == DiceCame(at_the_bank(1, 2), 1)
    # With 3 alone one die gives 5/2 again, and scores 5/2.
    tiles = (Option(to_tiles([3]), 0.0), Option(to_tiles([1, 2]), near(8 / 3 - 5 / 2)))
    throw_3 = at_the_bank(1, 2, 3).throw((1, 2))
    assert hint_for(throw_3) == Advice(tiles, Unit.STAKES)
    assert answer(AskAnswer(throw_3)) == AnswerCame(throw_3, to_tiles([3]))
    assert hint_for(at_the_bank(8, 9)) == Advice((Option(2, 0.0),), Unit.STAKES)


def test_a_hint_in_a_shared_row_gives_the_chances_to_win() -> None:
    match = begin(builtin("high-rollers"), 2)
    row = replace(match.turn, open=to_tiles([1, 2, 3, 9]))
    thrown = replace(match, rows=(row, row), player=1).throw((1, 2))
    hint = hint_for(thrown)
    assert hint.unit is Unit.CHANCE
    assert [option.choice for option in hint.options] == [to_tiles([1, 2]), to_tiles([3])]
    assert hint.options[0].cost == 0 < hint.options[1].cost < 0.5


def test_in_a_shared_row_a_hint_leaves_the_others_what_they_cannot_shut() -> None:
    match = begin(builtin("high-rollers"), 2)
    row = replace(match.turn, open=to_tiles([1, 2, 3, 9]))
    match = replace(match, rows=(row, row)).throw((1, 2))
    # With 9 alone the other needs a 9; with 1, 2 and 9 a 3 would do as well.
    assert hint_for(match).best == to_tiles([1, 2])
    assert answer(AskAnswer(match)) == AnswerCame(match, to_tiles([1, 2]))
    four = begin(builtin("high-rollers"), 4)
    assert answer(AskHint(four)) == HintCame(four, None)


def test_a_hint_counts_the_tiles_of_a_head_start_as_shut() -> None:
    given = replace(builtin("golf"), handicap=(0, (1, 2)))
    second = begin(given, 2).throw((1, 1)).move(to_tiles([2]))
    second = replace(second, player=1, stage=Stage.THROW).throw((6, 4))
    alone = begin(replace(builtin("golf"), start_open=tuple(range(3, 10))), 1).throw((6, 4))
    assert hint_for(second).options == hint_for(alone).options


def test_a_hint_knows_the_tiles_behind() -> None:
    profile = replace(builtin("double-shutter"), tiles=(1, 2, 3, 4, 5), sides=3)
    match = begin(profile, 1).throw((2, 3)).move(to_tiles([5])).throw((2, 3))
    hint = hint_for(match)
    assert hint.best == to_tiles([5]), "the 5 behind"
    assert len(hint.options) == 3


def test_questions_are_answered_off_the_callers_thread_in_their_order() -> None:
    posted: SimpleQueue[OddsCame] = SimpleQueue()
    worker = OddsWorker(posted.put)
    match = begin(PUB, 1).throw((6, 4))
    assert worker.ask(Prepare(PUB)) == ()
    assert worker.ask(AskHint(match)) == ()
    worker.ask(AskAnswer(match))
    first, second = posted.get(timeout=HANG_S), posted.get(timeout=HANG_S)
    assert isinstance(first, HintCame)
    assert isinstance(second, AnswerCame)
    assert posted.empty(), "a preparation has no answer"


def test_a_question_that_fails_ends_neither_the_worker_nor_the_game(
    caplog: pytest.LogCaptureFixture,
) -> None:
    posted: SimpleQueue[OddsCame] = SimpleQueue()
    worker = OddsWorker(posted.put)
    worker.ask(AskReview(begin(PUB, 1), (Thrown((9, 9)),)))
    worker.ask(AskDice(begin(PUB, 1)))
    assert isinstance(posted.get(timeout=HANG_S), DiceCame)
    assert "no answer to" in caplog.text


def test_on_a_large_row_there_is_no_hint_but_a_computer_still_plays() -> None:
    match = begin(builtin("the-300"), 2)
    assert answer(AskDice(match)) == DiceCame(match, 4)
    match = match.throw((6, 6, 6, 5))
    assert answer(AskHint(match)) == HintCame(match, None)
    assert answer(AskAnswer(match)) == AnswerCame(match, to_tiles([23]))
    assert answer(AskReview(match, ())) == ReviewCame(match, (), None)


def behind(total: int, open_tiles: Tiles) -> Match:
    """The second player in mid-turn, with the first one's total to beat."""
    match = begin(PUB, 2)
    first = replace(match.rows[0], outcome=turns.Outcome.BLOCKED, score=total)
    second = turns.Turn(open_tiles, throws=1, moves=1)
    return replace(match, player=1, totals=(total, 0), scores=(total, None), rows=(first, second))


def test_the_computer_plays_for_the_win_not_for_the_points() -> None:
    odds, play = Odds(PUB), Equilibrium(PUB, 2).seat(scores=(9,))
    differing = 0
    for open_tiles in range(64, 512, 7):
        for faces in product(range(1, 7), repeat=2):
            match = behind(9, open_tiles).throw(faces)
            if match.stage is Stage.ANSWER:
                came = answer(AskAnswer(match))
                assert isinstance(came, AnswerCame)
                assert came.tiles == play.ranked(match.turn)[0][0]
                differing += came.tiles != odds.ranked(match.turn)[0].tiles
    assert differing, "with something to beat, other moves win than score"


def test_luck_and_decisions_make_up_the_score_on_the_box() -> None:
    """Twenty turns of a box played at random: what the dice did and what the hands gave away."""
    world = VirtualBox(Config(game=GameConfig(profile="pub", players=1, setup=SetupChoice.USUAL)), seed=4)
    random = Random(4)
    finished = 0
    while finished < 20:
        state = world.runner.machine.state
        match, mode = state.match, state.mode
        if match is not None and mode.name in (Mode.RAISE, Mode.FLIPPING):
            levers = match.game.starting & ~match.turn.open
            if mode.name is Mode.FLIPPING:
                levers |= random.choice(turns.answers(match.game, match.turn))
            for number in world.box.levers:
                world.set_lever(number, bool(levers >> (number - 1) & 1))
            world.run_until(world.now_ns + 50_000_000)
        mode = world.runner.machine.state.mode
        if mode.name is Mode.TURN_OVER:
            review, over = mode.play.review, mode.play.match  # type: ignore[union-attr]
            assert review is not None
            points = review.players[0].points
            assert points.initial == Odds(PUB).points(turns.start(PUB))
            assert points.initial + points.luck + points.given_away == points.final == over.turn.score
            finished += 1
        world.press(100_000_000)
        world.run_until(world.now_ns + 1_000_000_000)
    world.close()


class Late(OddsNow):
    """Has no reviews before it is told to; they come in their order then."""

    def __init__(self) -> None:
        self.there = False
        self.waiting: list[Question] = []

    def ask(self, question: Question) -> Sequence[OddsCame]:
        if not isinstance(question, AskReview):
            return super().ask(question)
        self.waiting.append(question)
        return self.told() if self.there else ()

    def told(self) -> list[OddsCame]:
        waiting, self.waiting = self.waiting, []
        return [advice for question in waiting for advice in super(Late, self).ask(question)]


def play_turn(table: Table, throw: Throw) -> None:
    """Throws nothing else, and shuts the first answer, until blocked."""
    while (mode := table.mode) is not Mode.TURN_OVER:
        table.dice.throws[:] = [throw]
        if mode is Mode.FLIPPING:
            move = turns.answers(table.match.rules, table.match.turn)[0]
            table.stand([*table.down, *to_numbers(move)])
        table.press()
        table.wait(S)


@pytest.mark.parametrize("cut_after", [0, 1])
@pytest.mark.parametrize("head_starts", [(), ((9,), (5, 6), 0)])
def test_a_power_cut_takes_no_turn_out_of_luck_and_decisions(
    cut_after: int, head_starts: tuple[HeadStart, ...]
) -> None:
    settings = settings_for("pub", players=3, handicap=head_starts)
    whole, cut = (Table(settings, odds=OddsNow()) for _ in range(2))
    late = Late()
    for player in range(3):
        late.there = player > cut_after
        play_turn(whole, (player + 1, 2))
        play_turn(cut, (player + 1, 2))
        if player == cut_after:
            cut = cut.again(odds=late)
        for table in (whole, cut):
            table.press()
            table.stand(())
    assert whole.mode is cut.mode is Mode.MATCH_OVER
    assert any(whole.play.luck)
    assert (cut.play.luck, cut.play.given_away) == (whole.play.luck, whole.play.given_away)
    assert cut.screen == whole.screen


def test_a_hint_says_what_is_best_for_the_points_and_for_the_win() -> None:
    odds, play = Odds(PUB), Equilibrium(PUB, 2).seat(scores=(9,))
    differing = 0
    for open_tiles in range(64, 512, 7):
        match = behind(9, open_tiles).throw((5, 3))
        if match.stage is not Stage.ANSWER:
            continue
        came = answer(AskHint(match))
        assert isinstance(came, HintCame)
        assert came.hint is not None
        assert came.hint.best == odds.ranked(match.turn)[0].tiles
        best = play.ranked(match.turn)
        if came.hint.best_to_win is not None:
            assert came.hint.best_to_win == best[0][0] != came.hint.best
            differing += 1
        else:
            chances = {tiles: chance for tiles, _, chance in best}
            assert chances[came.hint.best] > best[0][2] - 1e-9
    assert differing
    alone = answer(AskHint(begin(PUB, 1).throw((5, 3))))
    assert isinstance(alone, HintCame)
    assert alone.hint is not None
    assert alone.hint.best_to_win is None


def test_a_beginner_decides_without_odds_and_a_regular_every_other_time() -> None:
    for moves, regular in ((0, Strength.MASTER), (1, Strength.BEGINNER), (2, Strength.MASTER)):
        waiting = begin(builtin("digits"), 1)
        match = replace(waiting, rows=(replace(waiting.turn, throws=moves, moves=moves),)).throw((6, 4))
        shut = {Strength.BEGINNER: to_tiles([1, 9]), Strength.MASTER: to_tiles([4, 6])}
        for strength, played in ((Strength.BEGINNER, Strength.BEGINNER), (Strength.REGULAR, regular)):
            assert answer(AskAnswer(match, strength)) == AnswerCame(match, shut[played])
        waiting = begin(PUB, 1)
        few = replace(waiting, rows=(turns.Turn(to_tiles([1, 2]), throws=moves, moves=moves),))
        assert answer(AskDice(few, Strength.BEGINNER)) == DiceCame(few, 2)
        assert answer(AskDice(few, Strength.REGULAR)) == DiceCame(few, 1 if moves != 1 else 2)
        assert answer(AskDice(few, Strength.MASTER)) == DiceCame(few, 1)


def test_the_chances_of_a_match_are_ready_before_they_are_asked_for() -> None:
    match_play._equilibrium.cache_clear()
    posted: SimpleQueue[OddsCame] = SimpleQueue()
    worker = OddsWorker(posted.put)
    for profile in (PUB, builtin("the-300"), builtin("young")):
        worker.ask(Prepare(profile, 2))
    worker.ask(AskDice(begin(PUB, 1)))
    posted.get(timeout=HANG_S)
    assert match_play._equilibrium.cache_info().currsize == 1
