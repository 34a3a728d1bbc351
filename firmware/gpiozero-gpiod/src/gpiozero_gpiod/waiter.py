"""The one thread that waits for edges on all lines of a factory."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from typing import Protocol


class Source(Protocol):
    """Something with a file descriptor that the kernel makes readable."""

    def on_readable(self) -> None:
        """Reads what is there without blocking and hands it on; raises nothing."""


class Waiter:
    """Sleeps in epoll until a line has an edge; costs nothing while none has.

    The thread starts with the first line and ends with `close`. Descriptors may be added and
    removed from any thread at any time, also from within a callback. One event descriptor
    wakes the thread to end it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sources: dict[int, Source] = {}
        self._epoll: select.epoll | None = None
        self._wake = -1
        self._thread: threading.Thread | None = None

    @property
    def thread(self) -> threading.Thread | None:
        """The thread, while there is one."""
        return self._thread

    def add(self, fd: int, source: Source) -> None:
        """Calls ``source.on_readable()`` in the waiting thread whenever ``fd`` is readable."""
        with self._lock:
            if self._epoll is None:
                self._epoll = select.epoll()
                self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
                self._epoll.register(self._wake, select.EPOLLIN)
                self._thread = threading.Thread(
                    target=self._run, args=(self._epoll, self._wake), name="gpiozero-gpiod", daemon=True
                )
                self._thread.start()
            self._sources[fd] = source
            self._epoll.register(fd, select.EPOLLIN)

    def remove(self, fd: int) -> None:
        """Forgets ``fd``; to be called before it is closed. A call under way may still end."""
        with self._lock:
            if self._sources.pop(fd, None) is not None and self._epoll is not None:
                with contextlib.suppress(OSError):
                    self._epoll.unregister(fd)

    def close(self) -> None:
        """Ends the thread and waits for it, unless called from that thread itself."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._epoll = None
            self._sources.clear()
            if thread is not None:
                os.eventfd_write(self._wake, 1)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def abandon(self) -> None:
        """Closes this process's copies of the descriptors; for the child of a fork only.

        The child has no such thread, and the epoll set is shared with the parent, so nothing
        may be unregistered here.
        """
        epoll, self._epoll = self._epoll, None
        self._sources = {}
        self._thread = None
        self._lock = threading.Lock()
        if epoll is not None:
            epoll.close()
            os.close(self._wake)

    def _run(self, epoll: select.epoll, wake: int) -> None:
        # The thread owns both descriptors, so that neither can be closed under a waiting epoll.
        try:
            while True:
                for fd, _ in epoll.poll():
                    if fd == wake:
                        return
                    with self._lock:
                        source = self._sources.get(fd) if self._epoll is epoll else None
                    if source is not None:
                        source.on_readable()
        finally:
            epoll.close()
            os.close(wake)
