"""The loop asks the odds and never waits for them, after a restart too."""

import sys
import threading
from collections.abc import Iterator, Sequence
from queue import SimpleQueue

import pytest
from tests.support.box import S, config_with
from tests.support.machine import SilentOdds
from tests.support.waiting import HANG_S

from shutthebox.adapters.odds_worker import OddsWorker
from shutthebox.config.schema import Config
from shutthebox.game.mode import Mode
from shutthebox.game.modes.flipping import COMPUTER_THINKS_NS
from shutthebox.odds import evaluate, model, odds, seats, shared_row
from shutthebox.odds.questions import AskAnswer, OddsReady, Question
from shutthebox.odds.strengths import Strength
from shutthebox.rules.tiles import to_numbers
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import localize_screen

SOLVERS = (
    odds.Odds,
    model.TurnModel,
    evaluate.BestPlay,
    seats.Equilibrium,
    shared_row.SharedRow,
)
Threads = dict[str, set[int]]


class WaitingBox(VirtualBox):
    """A box of which no question is answered, restarts included."""

    def _start(self) -> None:
        self.questions = SilentOdds()
        self._odds = self.questions
        super()._start()


def config_for(game: str, levers: int) -> Config:
    return config_with(
        game__profile=game,
        box__levers=levers,
        game__players=2,
        game__computers=[1, 2],
        game__strength=Strength.MASTER.value,
        game__hints=True,
    )


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> Iterator[Threads]:
    """The threads in which anything has been solved, by the name of the solver."""
    threads: Threads = {}
    for solver in SOLVERS:

        def solve(self: object, *given: object, of: type = solver, make: object = solver.__init__) -> None:
            threads.setdefault(of.__name__, set()).add(threading.get_ident())
            make(self, *given)  # type: ignore[operator]

        monkeypatch.setattr(solver, "__init__", solve)
    forget_solutions()
    yield threads
    forget_solutions()


def forget_solutions() -> None:
    """Empties every cache of the odds, so that this test solves by itself."""
    for name, module in list(sys.modules.items()):
        if name.startswith("shutthebox.odds.") or name == OddsWorker.__module__:
            for function in vars(module).values():
                if hasattr(function, "cache_clear"):
                    function.cache_clear()


def test_nothing_is_solved_in_the_thread_of_the_loop(solved: Threads) -> None:
    box = VirtualBox(config_for("traditional", 9), advised=False)
    posted: SimpleQueue[OddsReady] = SimpleQueue()
    worker = OddsWorker(posted.put)
    worker.start()

    class Asks:
        def ask(self, question: Question) -> Sequence[OddsReady]:
            return worker.ask(question)

    box.runner._ports = box.runner._ports._replace(odds=Asks())
    try:
        box.press(S // 10)
        while box.show.mode is not Mode.FLIPPING:
            box.run_until(box.now_ns + S)
        box.runner.take(posted.get(timeout=HANG_S), box.now_ns)
        assert solved
        assert threading.get_ident() not in set.union(*solved.values())
    finally:
        box.close()


def presses(box: VirtualBox) -> None:
    box.press(S // 10)
    box.run_until(box.now_ns + S // 10)


def flips_what_it_says(box: VirtualBox) -> None:
    """A hand sets the answer that the computer has given."""
    open_before = set(box.show.scene.open)
    answer = box.runner.machine.state.mode.computers_answer  # type: ignore[union-attr]
    for tile in to_numbers(answer):
        box.set_lever(tile, tile in open_before)
    box.run_until(box.now_ns + S)


@pytest.mark.parametrize(("game", "levers"), [("open-one", 12), ("high-rollers", 9)])
def test_a_computer_whose_odds_take_for_ever_plays_by_a_simple_rule(game: str, levers: int) -> None:
    box = WaitingBox(config_for(game, levers))
    try:
        box.press(S // 10)
        for _ in range(2):
            while box.show.mode is not Mode.FLIPPING:
                box.run_until(box.now_ns + S // 5)
            assert "Thinking" in localize_screen(box.show).text
            assert not box.show.screen.alert
            presses(box)
            assert box.show.screen.alert, "a press is heard, and says why nothing happens"
            box.run_until(box.now_ns + COMPUTER_THINKS_NS)
            assert "Thinking" not in localize_screen(box.show).text
            flips_what_it_says(box)
        assert any(isinstance(question, AskAnswer) for question in box.questions.asked)
    finally:
        box.close()
