"""The one thread that waits for edges on all lines of a factory."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from typing import Protocol

#: The kernel's own announcements of devices that come and go; their multicast group 1.
_NETLINK_KOBJECT_UEVENT = 15
#: How often a chip that was unplugged is looked for. In seconds.
LOOK_AGAIN_S = 1.0


class Source(Protocol):
    """Something with a file descriptor that the kernel makes readable."""

    def on_readable(self) -> None:
        """Reads what is there without blocking and hands it on; raises nothing."""

    def on_look_again(self) -> bool:
        """Looks for its chip again; returns True once there is nothing more to look for."""


class Waiter:
    """Sleeps in epoll until a line has an edge; costs nothing while none has.

    The thread starts with the first line and ends with `close`. Descriptors may be added and
    removed from any thread at any time, also from within a callback. One event descriptor
    wakes the thread to end it.

    A chip that is unplugged shows as an error of its lines' descriptors from Linux 6.6 on. Before
    that the kernel wakes nobody, so its announcements are listened to, for chips that can be
    unplugged. Only while one is gone does the thread wake by itself, once a second, to look for it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sources: dict[int, Source] = {}
        self._gone: set[Source] = set()
        self._epoll: select.epoll | None = None
        self._wake = -1
        self._announcements: socket.socket | None = None
        self._thread: threading.Thread | None = None

    @property
    def thread(self) -> threading.Thread | None:
        """The thread, while there is one."""
        return self._thread

    def add(self, fd: int, source: Source, *, can_be_unplugged: bool = False) -> None:
        """Calls ``source.on_readable()`` in the waiting thread whenever ``fd`` is readable."""
        with self._lock:
            epoll = self._started()
            self._sources[fd] = source
            epoll.register(fd, select.EPOLLIN)
            if can_be_unplugged and self._announcements is None:
                self._listen(epoll)

    def remove(self, fd: int) -> None:
        """Forgets ``fd``; to be called before it is closed. A call under way may still end."""
        with self._lock:
            if self._sources.pop(fd, None) is not None and self._epoll is not None:
                with contextlib.suppress(OSError):
                    self._epoll.unregister(fd)

    def look_again(self, source: Source) -> None:
        """Calls ``source.on_look_again()`` once a second until it returns True."""
        with self._lock:
            self._started()
            self._gone.add(source)
            os.eventfd_write(self._wake, 1)

    def stop_looking(self, source: Source) -> None:
        """Ends `look_again`."""
        with self._lock:
            self._gone.discard(source)

    def close(self) -> None:
        """Ends the thread and waits for it, unless called from that thread itself."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._epoll = None
            self._sources.clear()
            self._gone.clear()
            if thread is not None:
                os.eventfd_write(self._wake, 1)
            if self._announcements is not None:
                self._announcements.close()
                self._announcements = None
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def abandon(self) -> None:
        """Closes this process's copies of the descriptors, for good; for the child of a fork only.

        The child has no such thread, and the epoll set is shared with the parent, so nothing
        may be unregistered here. Takes no lock: the thread that had it may not have come along.
        """
        if self._announcements is not None:
            self._announcements.close()
        if self._epoll is not None:
            self._epoll.close()
            os.close(self._wake)

    def _started(self) -> select.epoll:
        if self._epoll is None:
            self._epoll = select.epoll()
            self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            self._epoll.register(self._wake, select.EPOLLIN)
            self._thread = threading.Thread(
                target=self._run, args=(self._epoll, self._wake), name="gpiozero-gpiod", daemon=True
            )
            self._thread.start()
        return self._epoll

    def _listen(self, epoll: select.epoll) -> None:
        # Not allowed everywhere; the kernel's own word on the descriptors has to do there.
        with contextlib.suppress(OSError):
            listening = socket.socket(
                socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, _NETLINK_KOBJECT_UEVENT
            )
            try:
                listening.bind((0, 1))
            except OSError:
                listening.close()
                raise
            epoll.register(listening, select.EPOLLIN)
            self._announcements = listening

    def _a_chip_has_gone(self) -> bool:
        """Reads the kernel's announcements; whether one says that a GPIO chip is no more."""
        gone = False
        with contextlib.suppress(OSError, AttributeError):  # nothing more to read; or just closed
            while True:
                assert self._announcements is not None or not gone
                words = self._announcements.recv(1 << 14).split(b"\0")  # type: ignore[union-attr]
                gone |= b"ACTION=remove" in words and b"SUBSYSTEM=gpio" in words
        return gone

    def _run(self, epoll: select.epoll, wake: int) -> None:
        # The thread owns both descriptors, so that neither can be closed under a waiting epoll.
        try:
            # Looked at after the wake-up call was taken: `close` may have made another in between.
            while self._epoll is epoll:
                events = epoll.poll(LOOK_AGAIN_S if self._gone else None)
                for fd, _ in events:
                    with self._lock:
                        if self._epoll is not epoll:
                            return
                        source = self._sources.get(fd)
                        announced = self._announcements is not None and fd == self._announcements.fileno()
                        everybody = list(self._sources.values())
                    if source is not None:
                        source.on_readable()
                    elif fd == wake:
                        os.eventfd_read(wake)
                    elif announced and self._a_chip_has_gone():
                        for each in everybody:
                            each.on_readable()
                if not events:
                    for each in list(self._gone):
                        if each.on_look_again():
                            self.stop_looking(each)
        finally:
            # `close` may be about to wake this thread: by then the number may be another file's.
            with self._lock:
                epoll.close()
                os.close(wake)
