"""The odds at the box: their answers, the time of these, and the computer's aim."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from queue import SimpleQueue

import pytest
from tests.support.box import S
from tests.support.machine import Table, settings_for
from tests.support.positions import with_rows
from tests.support.waiting import HANG_S

from shutthebox.adapters.odds_worker import InlineOdds, OddsWorker, answer_or_fall_back
from shutthebox.config.profiles import builtin
from shutthebox.game.mode import Mode
from shutthebox.odds import match_play
from shutthebox.odds.odds import Odds
from shutthebox.odds.questions import (
    AnswerReady,
    AskAnswer,
    AskDice,
    AskHint,
    AskReview,
    DiceReady,
    HintReady,
    OddsReady,
    Prepare,
    Question,
    ReviewReady,
)
from shutthebox.odds.seats import Equilibrium
from shutthebox.odds.strengths import Strength
from shutthebox.rules import turn as turns
from shutthebox.rules.actions import Thrown
from shutthebox.rules.match import Match, begin
from shutthebox.rules.moves import Throw
from shutthebox.rules.position import Stage
from shutthebox.rules.profile import HeadStart
from shutthebox.rules.tiles import Tiles, to_numbers, to_tiles

PUB = builtin("pub")
SHORT = replace(PUB, tiles=(1, 2, 3, 4, 5, 6, 7), boxes=())


@pytest.fixture
def posted() -> SimpleQueue[OddsReady]:
    return SimpleQueue()


@pytest.fixture
def worker(posted: SimpleQueue[OddsReady]) -> OddsWorker:
    worker = OddsWorker(posted.put)
    worker.start()
    return worker


def test_questions_are_answered_off_the_callers_thread_in_their_order(
    worker: OddsWorker, posted: SimpleQueue[OddsReady]
) -> None:
    match = begin(SHORT, 1).throw((6, 4))
    match_play._equilibrium.cache_clear()
    assert worker.ask(Prepare(SHORT, 2)) == ()
    assert worker.ask(AskHint(match)) == ()
    worker.ask(AskAnswer(match))
    first, second = posted.get(timeout=HANG_S), posted.get(timeout=HANG_S)
    assert isinstance(first, HintReady)
    assert isinstance(second, AnswerReady)
    assert posted.empty(), "a preparation has no answer"
    assert match_play._equilibrium.cache_info().currsize == 1, "and is ready before it is asked for"


ALONE = begin(PUB, 1)
BROKEN = begin(PUB, 2).throw((6, 6))
BROKEN = BROKEN._replace(round=BROKEN.round._replace(seats=(0, 7)))
"""A match with a seat that nobody sits on: its odds fail."""


@pytest.mark.parametrize(
    ("question", "plainly"),
    [
        (AskHint(BROKEN), HintReady(BROKEN, None)),
        (AskAnswer(BROKEN), AnswerReady(BROKEN, to_tiles([9, 3]))),
        (AskReview(ALONE, (Thrown((9, 9)),)), ReviewReady(ALONE, (Thrown((9, 9)),), None)),
    ],
    ids=["hint", "answer", "review"],
)
def test_nobody_waits_for_ever_for_odds_that_fail(
    question: Question,
    plainly: OddsReady,
    worker: OddsWorker,
    posted: SimpleQueue[OddsReady],
    caplog: pytest.LogCaptureFixture,
) -> None:
    worker.ask(question)
    assert posted.get(timeout=HANG_S) == plainly
    assert "no answer to" in caplog.text
    assert InlineOdds().ask(question) == (plainly,), "virtual time is no different"
    worker.ask(AskDice(begin(PUB, 1)))
    assert isinstance(posted.get(timeout=HANG_S), DiceReady), "and the worker goes on"


def test_on_a_large_row_there_is_no_hint_but_a_computer_still_plays() -> None:
    match = begin(builtin("the-300"), 2)
    assert answer_or_fall_back(AskDice(match)) == DiceReady(match, 4)
    match = match.throw((6, 6, 6, 5))
    assert answer_or_fall_back(AskHint(match)) == HintReady(match, None)
    assert answer_or_fall_back(AskAnswer(match)) == AnswerReady(match, to_tiles([23]))
    assert answer_or_fall_back(AskReview(match, ())) == ReviewReady(match, (), None)


def behind(total: int, open_tiles: Tiles) -> Match:
    """The second player in mid-turn, with the first one's total to beat."""
    match = begin(PUB, 2)
    first = match.round.rows[0]._replace(outcome=turns.Outcome.BLOCKED, score=total)
    second = turns.Turn(open_tiles, throws=1, moves=1)
    return with_rows(match, first, second)._replace(player=1, totals=(total, 0), scores=(total, None))


@pytest.mark.slow
def test_the_computer_plays_for_the_win_not_for_the_points() -> None:
    odds, play = Odds(PUB), Equilibrium(PUB, 2).seat(scores=(9,))
    differing = 0
    for open_tiles in range(64, 512, 61):
        for faces in product(range(1, 7), repeat=2):
            match = behind(9, open_tiles).throw(faces)
            if match.stage is Stage.ANSWER:
                came = answer_or_fall_back(AskAnswer(match))
                assert isinstance(came, AnswerReady)
                assert came.tiles == play.ranked(match.turn)[0][0]
                differing += came.tiles != odds.ranked(match.turn)[0].tiles
    assert differing, "with something to beat, other moves win than score"


class Late(InlineOdds):
    """Has no reviews before it is told to; they come in their order then."""

    def __init__(self) -> None:
        self.there = False
        self.waiting: list[Question] = []

    def ask(self, question: Question) -> Sequence[OddsReady]:
        if not isinstance(question, AskReview):
            return super().ask(question)
        self.waiting.append(question)
        return self.told() if self.there else ()

    def told(self) -> list[OddsReady]:
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


@pytest.mark.parametrize(("cut_after", "head_starts"), [(0, ()), (1, ((9,), (5, 6), 0))])
def test_a_power_cut_takes_no_turn_out_of_luck_and_decisions(
    cut_after: int, head_starts: tuple[HeadStart, ...]
) -> None:
    settings = settings_for("pub", players=3, handicap=head_starts)
    whole, cut = (Table(settings, odds=InlineOdds()) for _ in range(2))
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


def test_a_beginner_decides_without_odds_and_a_regular_every_other_time() -> None:
    for moves, regular in ((0, Strength.MASTER), (1, Strength.BEGINNER), (2, Strength.MASTER)):
        waiting = begin(builtin("digits"), 1)
        match = with_rows(waiting, waiting.turn._replace(throws=moves, moves=moves)).throw((6, 4))
        shut = {Strength.BEGINNER: to_tiles([1, 9]), Strength.MASTER: to_tiles([4, 6])}
        for strength, played in ((Strength.BEGINNER, Strength.BEGINNER), (Strength.REGULAR, regular)):
            assert answer_or_fall_back(AskAnswer(match, strength)) == AnswerReady(match, shut[played])
        waiting = begin(PUB, 1)
        few = with_rows(waiting, turns.Turn(to_tiles([1, 2]), throws=moves, moves=moves))
        assert answer_or_fall_back(AskDice(few, Strength.BEGINNER)) == DiceReady(few, 2)
        assert answer_or_fall_back(AskDice(few, Strength.REGULAR)) == DiceReady(few, 1 if moves != 1 else 2)
        assert answer_or_fall_back(AskDice(few, Strength.MASTER)) == DiceReady(few, 1)
