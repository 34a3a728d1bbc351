"""Mounts the owner's stick and serves the box. systemd starts it when a stick is inserted.

It reports the complete state of the stick over the box's socket whenever it changes, and does what the box
asks for, one job at a time. It ends when the stick is removed.
"""

import logging
import re
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shutthebox import __version__
from shutthebox.adapters.signals import handling
from shutthebox.adapters.stick_socket import to_line
from shutthebox.adapters.store.backup import note_save
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.files import shown_path
from shutthebox.game.stick import Stick, StickJob, StickOutcome
from shutthebox.owner.card import TAKEN, CardError, read_stick, take_over_stick
from shutthebox.owner.stick import updating
from shutthebox.owner.stick.contents import Contents, look, memory_name
from shutthebox.owner.stick.errors import JobError, box_disk_errors, outcome_of
from shutthebox.owner.stick.saving import save
from shutthebox.owner.stick.taking import take_over
from shutthebox.owner.stick.volume import Volume
from shutthebox.owner.update import CARD, is_earlier, keys_in_use

LOOK_S = 1.0
"""Seconds between checks that the stick is still there, and between attempts to reach the box."""

KEPT = Path("/data")
"""The persistent partition of a card."""

CARDS_DISK = Path("/dev/shutthebox-card")
"""The disk that a card's system was started from."""

_MAX_ASKED = 64

_NAMED = re.compile(r"shutthebox-([0-9][0-9A-Za-z.+~-]{0,19})\.raucb", re.IGNORECASE | re.ASCII)
"""The name of an update's file, with its version."""

_OF_THE_STICK = (
    StickOutcome.FULL, StickOutcome.PROTECTED, StickOutcome.UNREADABLE,
    StickOutcome.BAD_MEMORY, StickOutcome.BAD_SETTINGS, StickOutcome.BAD_UPDATE,
)  # fmt: skip
"""Outcomes that pulling the stick may cause; nothing was changed."""


class StickError(ShutTheBoxError, RuntimeError):
    """The stick can't be served; the message says why."""

    exit_code = 1


_log = logging.getLogger(__name__)


def serve(device: Path, address: Path, state: Path, language: str) -> None:
    """Serves the box until the stick is removed.

    Args:
        device: a partition, or a disk without partitions.
        address: where the box listens.
        state: the folder of the box's memory.
        language: of the page of statistics, unless another was chosen at the box.

    Raises:
        StickError: if it can't be served.
    """
    volume = Volume(device)
    # systemd sends this when the stick is pulled out. A job still ends cleanly, and the box is told.
    with handling(lambda *_: volume.give_up(), signal.SIGTERM):
        try:
            if volume.in_use:
                _log.info("%s: already mounted, so it's left alone", shown_path(device))
                return
            on_card = CARD.exists()
            kept = KEPT if on_card else None
            is_card = on_card and str(device.resolve()).startswith(str(CARDS_DISK.resolve()))
            Helper(volume, address, state, language, kept=kept, is_card=is_card).serve()
        except OSError as error:
            raise StickError(f"{shown_path(device)}: {error.strerror or error}") from None


def _restart_box() -> None:
    with suppress(OSError):  # the box restores it at its next start
        subprocess.run(["systemctl", "try-restart", "--no-block", "shutthebox.service"], check=False)


class Helper:
    """One stick, and the connection to the box.

    Args:
        volume: the stick.
        address: where the box listens.
        state: the folder of the box's memory.
        language: of the page of statistics, unless another was chosen at the box.
        restart_box: restarts the daemon, so that it picks up a memory.
        kept: the card's persistent partition; None on a machine that doesn't run from a card.
        is_card: the volume is the card itself.
    """

    def __init__(
        self,
        volume: Volume,
        address: Path,
        state: Path,
        language: str,
        restart_box: Callable[[], None] = _restart_box,
        *,
        kept: Path | None = None,
        is_card: bool = False,
    ) -> None:
        self._volume, self._address, self._state, self._language = volume, address, state, language
        self._restart_box = restart_box
        self._wire: socket.socket | None = None
        self._found = Contents()
        self._folder: Path | None = None
        self._kept = kept
        self._update_path: Path | None = None
        self._stick = Stick(is_card=is_card)
        self._jobs: dict[StickJob, Callable[[], Stick]] = {
            StickJob.SAVE: self._save,
            StickJob.TAKE_OVER: self._take_over,
            StickJob.SETTINGS: self._settings,
            StickJob.INSPECT: self._inspect,
            StickJob.UPDATE: self._update,
        }

    def serve(self) -> None:
        """Examines the stick, then serves the box until the stick is gone."""
        try:
            error = self._look()
            if error is None:
                self._set_stick(self._offered(self._with_update(self._stick)))
            else:
                outcome = outcome_of(error, gone=self._volume.gone)
                if outcome is StickOutcome.PULLED_OUT:
                    return  # before the box has heard of it
                self._set_stick(self._stick._replace(outcome=outcome))
            if self._stick.is_card and not self._stick.offers:
                return
            while not self._volume.gone:
                with suppress(OSError):
                    self._connect()
                if self._wire is not None:
                    self._obey()
                if not self._volume.gone:  # the box isn't listening, or has enough helpers
                    time.sleep(LOOK_S)
        finally:
            self._volume.unmount()

    def _set_stick(self, stick: Stick) -> None:
        """The only place where the stick's state changes, of which the box is told."""
        if stick != self._stick:
            self._stick = stick
            self._tell()

    def _look(self) -> OSError | None:
        """Finds what is on the stick; returns the error if it can't."""
        try:
            if self._folder is None:
                self._folder = self._volume.mount()
            self._found = look(self._folder)
        except OSError as error:
            _log.warning("stick: %s", one_line(error.strerror or str(error)))
            return error
        return None

    def _offered(self, stick: Stick) -> Stick:
        """The stick with what can be done with what was found."""
        memory = None if stick.is_card else self._found.memory
        offered = {
            StickJob.SAVE: not (stick.is_card or self._volume.protected),
            StickJob.TAKE_OVER: memory is not None,
            StickJob.SETTINGS: bool(self._kept and self._found.settings and not stick.is_card),
            StickJob.UPDATE: self._update_path is not None,
        }
        offers = tuple(job for job, is_offered in offered.items() if is_offered)
        outcome = stick.outcome if offers else stick.outcome or StickOutcome.PROTECTED
        name = "" if memory is None else memory_name(memory)
        return stick._replace(offers=offers, memory=name, outcome=outcome)

    def _with_update(self, stick: Stick) -> Stick:
        """The stick with the latest update by its file name, unless that's the running version.

        RAUC only reads it once the owner has chosen it, unless it's on the card itself.
        """
        if self._kept is None or not self._found.updates:
            return stick
        path = self._found.updates[-1]
        if stick.is_card:
            self._update_path = path
            try:
                return self._inspect()._replace(outcome=None)
            except JobError as error:
                self._update_path = None
                return stick._replace(outcome=error.outcome, detail=str(error))
        named = _NAMED.fullmatch(path.name)
        version = named[1] if named else ""
        if version == __version__:
            return stick
        self._update_path = path
        return stick._replace(version=version, earlier=bool(named) and is_earlier(version))

    def _inspect(self) -> Stick:
        assert self._update_path is not None
        bundle = updating.inspect_update(self._update_path)
        if bundle.version == __version__:
            self._update_path = None
            return self._stick._replace(outcome=StickOutcome.SAME_VERSION, detail=bundle.version)
        return self._stick._replace(
            version=bundle.version,
            checked=True,
            earlier=is_earlier(bundle.version),
            forgets=bundle.forgets,
            unknown=bundle.unknown(keys_in_use()),
        )

    def _connect(self) -> None:
        wire = socket.socket(socket.AF_UNIX)
        try:
            wire.settimeout(10 * LOOK_S)
            wire.connect(str(self._address))
        except OSError:
            wire.close()
            raise
        self._wire = wire

    def _obey(self) -> None:
        """Serves the box until it, or the stick, has gone."""
        assert self._wire is not None
        with self._wire as wire:
            self._tell()
            asked = b""
            while self._wire is not None and not self._volume.gone:
                if not select.select([wire], [], [], LOOK_S)[0]:
                    continue
                try:
                    read = wire.recv(_MAX_ASKED)
                except OSError:
                    read = b""
                if not read or len(asked) > _MAX_ASKED:
                    break
                *lines, asked = (asked + read).split(b"\n")
                for line in lines:
                    with suppress(ValueError):  # a job that only a later version knows
                        self._do(StickJob(line.decode("ascii", "replace")))
            self._wire = None

    def _do(self, job: StickJob) -> None:
        offered = StickJob.UPDATE if job is StickJob.INSPECT else job
        if offered not in self._stick.offers or (job is StickJob.UPDATE and not self._stick.checked):
            return
        self._set_stick(self._stick._replace(doing=job, percent=None, outcome=None, detail="", mistakes=()))
        try:
            after = self._jobs[job]()
        except JobError as error:
            after = self._stick._replace(outcome=error.outcome, detail=str(error))
        except OSError as error:
            after = self._stick._replace(outcome=outcome_of(error, gone=self._volume.gone))
        except Exception:  # the box must not wait for a job that has ended
            _log.exception("stick: %s", job)
            after = self._stick._replace(outcome=StickOutcome.UNSURE)
        # A finished job stays finished, whatever happens to the stick. But what looks bad may just be gone.
        unseen = self._look()
        if after.outcome is None or after.outcome in _OF_THE_STICK:
            if self._volume.gone:
                after = after._replace(outcome=StickOutcome.PULLED_OUT)
            elif unseen is not None:
                after = after._replace(outcome=outcome_of(unseen, gone=False))
        after = after._replace(doing=None, percent=None, offers=())
        _log.info("stick: %s: %s %s", job.value, after.outcome, one_line(after.detail))
        self._set_stick(after if unseen is not None else self._offered(after))

    def _tell(self) -> None:
        if self._wire is not None:
            try:
                self._wire.sendall(to_line(self._stick))
            except OSError:  # the box has ended; the job goes on
                self._wire = None

    def _still_in(self) -> None:
        """Abandons a job once the stick is gone.

        Raises:
            JobError: if it has.
        """
        if self._volume.gone:
            raise JobError(StickOutcome.PULLED_OUT)

    def _progress(self, percent: int) -> None:
        self._still_in()
        self._set_stick(self._stick._replace(percent=percent))

    def _save(self) -> Stick:
        with self._volume.writable() as folder:
            name = save(folder, self._state, self._language, self._progress)
        note_save(self._state, time.time())
        return self._stick._replace(outcome=StickOutcome.SAVED, detail=name)

    def _settings(self) -> Stick:
        assert self._kept is not None
        assert self._found.settings is not None
        card = read_stick(self._found.settings, self._kept)
        for note in card.notes:
            _log.warning("stick: settings: %s", note)
        if card.mistakes:
            return self._stick._replace(outcome=StickOutcome.BAD_SETTINGS, mistakes=card.mistakes)
        try:
            take_over_stick(card, self._kept)
        except CardError as error:
            if not (self._kept / TAKEN).exists():
                with box_disk_errors():
                    raise error.__cause__ or error from None
            _log.warning("stick: settings: %s; the next start tries again", error)
        return self._stick._replace(outcome=StickOutcome.SETTINGS_TAKEN)

    def _update(self) -> Stick:
        assert self._update_path is not None
        updating.write(self._update_path, self._stick.version, self._progress)
        return self._stick._replace(outcome=StickOutcome.UPDATE_WRITTEN, detail=self._stick.version)

    def _take_over(self) -> Stick:
        assert self._found.memory is not None
        take_over(self._found.memory, self._state, self._still_in)
        self._restart_box()
        return self._stick._replace(outcome=StickOutcome.TAKEN_OVER, detail=self._stick.memory)
