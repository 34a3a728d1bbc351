"""The odds worker: answers questions in another thread, so that levers are never delayed.

Its thread has the priority of the game's. It may have Python's lock when a lever moves, and with a lower one
it would get no time to give the lock back while the Pi is busy.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from shutthebox.odds.questions import OddsReady, Prepare, Question, answer_without_odds

_log = logging.getLogger(__name__)


class OddsWorker:
    """Answers questions in its own thread.

    Args:
        post: receives every answer, in the worker's thread; must not block.
    """

    def __init__(self, post: Callable[[OddsReady], None]) -> None:
        self._post = post
        self._questions: SimpleQueue[Question] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="odds", daemon=True)

    def start(self) -> None:
        """Starts answering, including questions asked before. Call once, when the box is ready."""
        self._thread.start()

    def ask(self, question: Question) -> Sequence[OddsReady]:
        """Queues a question; its answer will be posted."""
        self._questions.put(question)
        return ()

    def _work(self) -> None:
        while True:
            advice = answer_or_fall_back(self._questions.get(), prepares_win=True)
            if advice is not None:
                self._post(advice)


class InlineOdds:
    """Answers at once, in the caller's thread: for virtual time."""

    def ask(self, question: Question) -> Sequence[OddsReady]:
        """The answer, if the question has one."""
        if isinstance(question, Prepare):
            return ()  # the caller would wait for what may never be asked
        advice = answer_or_fall_back(question)
        return () if advice is None else (advice,)


def answer_or_fall_back(question: Question, *, prepares_win: bool = False) -> OddsReady | None:
    """The odds' answer; falls back to one without odds on failure, so that nobody waits forever.

    Args:
        question: any question.
        prepares_win: solve the best play for the win ahead of time, which takes seconds on a Pi.
    """
    # Imported lazily to keep startup fast.
    from shutthebox.odds.answers import answer
    from shutthebox.odds.worths import OddsError

    try:
        return answer(question, prepares_win=prepares_win)
    except OddsError as error:
        _log.info("no odds: %s", error)
    except Exception:
        # A fault in the odds must end neither the worker nor the game.
        _log.exception("no answer to %r", question)
    return answer_without_odds(question)
