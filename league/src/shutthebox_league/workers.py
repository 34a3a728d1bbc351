"""Processes that serve one socket side by side, and are started again if they end or hang."""

import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from shutthebox_league.confined import end_with_parent

_log = logging.getLogger(__name__)

_LOOK_S, _AGAIN_S, _GOODBYE_S = 1.0, 1.0, 20.0

Work = Callable[[socket.socket, Callable[[], None]], None]
"""Serves a listening socket until SIGTERM, and calls the function every second or so."""


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    receiver: Connection
    heard_s: float


class Workers:
    """Starts them as forks, so create it in a process without threads.

    Args:
        work: what each of them does.
        listener: the socket that they share.
        count: how many.
        hangs_s: a worker that hasn't called its function for so many seconds is killed.
    """

    def __init__(self, work: Work, listener: socket.socket, count: int, hangs_s: float = 60.0) -> None:
        self._work, self._listener, self._count, self._hangs_s = work, listener, count, hangs_s
        self._is_stopping = False
        self._workers: list[_Worker] = []

    def stop(self) -> None:
        """Makes `run` return soon. Safe to call from a signal handler."""
        self._is_stopping = True

    def run(self, beat: Callable[[], None] = lambda: None) -> None:
        """Keeps them running until `stop` is called, and then waits for them.

        Args:
            beat: called every second, for a watchdog.
        """
        self._workers = [self._start() for _ in range(self._count)]
        try:
            while not self._is_stopping:
                self._receive_beats()
                for number, worker in enumerate(self._workers):
                    if why := self._find_fault(worker):
                        _log.error("a worker %s; starting another", why)
                        self._close(worker)
                        time.sleep(_AGAIN_S)
                        self._workers[number] = self._start()
                beat()
        finally:
            for worker in self._workers:
                worker.process.terminate()
            until_s = time.monotonic() + _GOODBYE_S
            for worker in self._workers:
                worker.process.join(max(0.0, until_s - time.monotonic()))
                self._close(worker)

    def _start(self) -> _Worker:
        context = get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=self._serve, args=(os.getpid(), sender))
        process.start()
        sender.close()
        return _Worker(process, receiver, time.monotonic())

    def _serve(self, parent: int, sender: Connection) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        if end_with_parent(parent):
            self._work(self._listener, lambda: sender.send_bytes(b"."))

    def _receive_beats(self) -> None:
        for receiver in wait([worker.receiver for worker in self._workers], _LOOK_S):
            (worker,) = (each for each in self._workers if each.receiver is receiver)
            try:
                worker.receiver.recv_bytes()
                worker.heard_s = time.monotonic()
            except (EOFError, OSError):
                worker.process.join(_LOOK_S)

    def _find_fault(self, worker: _Worker) -> str:
        if (code := worker.process.exitcode) is not None:
            return f"has ended ({code})"
        return "hangs" if time.monotonic() - worker.heard_s > self._hangs_s else ""

    @staticmethod
    def _close(worker: _Worker) -> None:
        worker.process.kill()
        worker.process.join()
        worker.receiver.close()
