"""`shutthebox stick`: mounts an owner's stick and obeys the box. systemd starts it when a stick is put in.

It says what the stick offers over the box's socket, as a whole and whenever that changes, and does what the
box asks for, one job at a time. It ends when the stick is pulled out.
"""

import argparse
import logging
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shutthebox import __version__
from shutthebox.adapters.stick import SOCKET, to_line
from shutthebox.adapters.store.backup import note_save
from shutthebox.adapters.store.errors import StoreError
from shutthebox.cli.card import take_over_stick
from shutthebox.cli.own_config import chosen_config_or_default
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.stats import add_options, store_folder
from shutthebox.cli.stick import updating
from shutthebox.cli.stick.errors import JobError, outcome_of
from shutthebox.cli.stick.looking import Contents, look, memory_name
from shutthebox.cli.stick.saving import save
from shutthebox.cli.stick.taking import take_over
from shutthebox.cli.stick.volume import Volume
from shutthebox.cli.update import CARD, keys_in_use
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.files import shown_path
from shutthebox.game.stick import NEEDS_RESTART, Stick, StickJob, StickOutcome

LOOK_S = 1.0
"""How often it sees whether the stick is still there, and tries to reach the box."""

KEPT = Path("/data")
"""The partition of a card that is kept."""

CARDS_DISK = Path("/dev/shutthebox-card")
"""The disk that a card's system was started from."""

_MOST_ASKED = 64


class StickError(ShutTheBoxError, RuntimeError):
    """The stick cannot be served; the text says why."""

    exit_code = 1


_log = logging.getLogger(__name__)


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "stick",
        help="offer the box what lies on a USB stick",
        description="The system runs this when a stick is put in, with the rights to mount it. Tells the box "
        "what lies there, and does what its owner chooses in service. Ends when the stick is pulled out.",
        example="sudo shutthebox stick /dev/sda1",
    )
    parser.add_argument("device", metavar="DEVICE", type=Path, help="a partition, or a disk without any")
    parser.add_argument(
        "--socket",
        metavar="FILE",
        type=Path,
        default=SOCKET,
        help=f"of the box; default: {SOCKET}",
    )
    add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves the box until the stick is pulled out."""
    logging.getLogger().setLevel(logging.INFO)
    # systemd says so when the stick is pulled out: a job is given up in order.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
    language = chosen_config_or_default(None, "saving what").box.language
    volume = Volume(args.device)
    try:
        if volume.in_use:
            print(f"{shown_path(args.device)}: is mounted, so it is no stick for the box")
            return 0
        on_card = CARD.exists()
        Helper(
            volume,
            args.socket,
            store_folder(args),
            language,
            kept=KEPT if on_card else None,
            is_card=on_card and str(args.device.resolve()).startswith(str(CARDS_DISK.resolve())),
        ).serve()
    except OSError as error:
        raise StickError(f"{shown_path(args.device)}: {error.strerror or error}") from None
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return 0


def _start_box_anew() -> None:
    subprocess.run(["systemctl", "try-restart", "--no-block", "shutthebox.service"], check=False)


class Helper:
    """One stick, and the wire to the box.

    Args:
        volume: the stick.
        address: where the box listens.
        state: the folder of the box's memory.
        language: of the page of statistics, unless another was chosen at the box.
        start_box_anew: has the daemon begin again, so that it takes a memory over.
        kept: the partition that a card keeps; None on a machine that was not started from one.
        is_card: the volume is the card itself.
    """

    def __init__(
        self,
        volume: Volume,
        address: Path,
        state: Path,
        language: str,
        start_box_anew: Callable[[], None] = _start_box_anew,
        *,
        kept: Path | None = None,
        is_card: bool = False,
    ) -> None:
        self._volume, self._address, self._state, self._language = volume, address, state, language
        self._start_box_anew = start_box_anew
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
            StickJob.UPDATE: self._update,
            StickJob.RESTART: self._restart,
        }

    def serve(self) -> None:
        """Looks at the stick, then serves the box until the stick has gone."""
        try:
            if self._look():
                self._look_for_update()
                self._offer()
            if self._stick.is_card and not self._stick.offers:
                return
            while not self._volume.gone:
                with suppress(OSError):
                    self._connect()
                if self._wire is not None:
                    self._obey()
                if not self._volume.gone:  # the box does not listen, or has enough others
                    time.sleep(LOOK_S)
        finally:
            self._volume.unmount()

    def _look(self) -> bool:
        """Finds what is on the stick; whatever is wrong with it is one of the things to say."""
        try:
            if self._folder is None:
                self._folder = self._volume.mount()
            self._found = look(self._folder)
        except OSError as error:
            _log.warning("stick: %s", one_line(error.strerror or str(error)))
            outcome = outcome_of(error, gone=self._volume.gone)
            self._stick = self._stick._replace(offers=(), outcome=outcome)
            return False
        return True

    def _offer(self) -> None:
        """Says what can be done with what was found."""
        memory = None if self._stick.is_card else self._found.memory
        offered = {
            StickJob.SAVE: not (self._stick.is_card or self._volume.protected),
            StickJob.TAKE_OVER: memory is not None,
            StickJob.SETTINGS: bool(self._kept and self._found.settings and not self._stick.is_card),
            StickJob.UPDATE: self._update_path is not None,
        }
        offers = tuple(job for job, is_offered in offered.items() if is_offered)
        self._stick = self._stick._replace(
            offers=offers, memory="" if memory is None else memory_name(memory)
        )
        if not offers and self._stick.outcome is None:
            self._stick = self._stick._replace(outcome=StickOutcome.PROTECTED)

    def _look_for_update(self) -> None:
        """Offers the latest update, if its signature is good and this version is another."""
        if self._kept is None or not self._found.updates:
            return
        path = self._found.updates[-1]
        try:
            bundle = updating.looked_at(path)
        except JobError as error:
            self._stick = self._stick._replace(outcome=error.outcome, detail=str(error))
            return
        if bundle.version != __version__:
            self._update_path = path
            unknown = bundle.unknown(keys_in_use())
            self._stick = self._stick._replace(
                version=bundle.version, forgets=bundle.forgets, unknown=unknown
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
                    read = wire.recv(_MOST_ASKED)
                except OSError:
                    read = b""
                if not read or len(asked) > _MOST_ASKED:
                    break
                *lines, asked = (asked + read).split(b"\n")
                for line in lines:
                    with suppress(ValueError):  # a job of a later version
                        self._do(StickJob(line.decode("ascii", "replace")))
            self._wire = None

    def _do(self, job: StickJob) -> None:
        is_offered = job in self._stick.offers
        if job is StickJob.RESTART:
            is_offered = self._stick.outcome in NEEDS_RESTART
        if not is_offered:
            return
        self._stick = self._stick._replace(doing=job, percent=None, outcome=None, detail="")
        self._tell()
        try:
            after = self._jobs[job]()
        except JobError as error:
            after = self._stick._replace(outcome=error.outcome, detail=str(error))
        except OSError as error:
            outcome = outcome_of(error, gone=self._volume.gone)
            after = self._stick._replace(outcome=outcome, detail=error.strerror or str(error))
        except (ShutTheBoxError, StoreError) as error:
            after = self._stick._replace(outcome=StickOutcome.FAILED, detail=str(error))
        except Exception:  # the box must not wait for a job that has ended
            _log.exception("stick: %s", job)
            after = self._stick._replace(outcome=StickOutcome.FAILED)
        self._stick = after._replace(doing=None, percent=None)
        _log.info("stick: %s: %s %s", job.value, self._stick.outcome, one_line(self._stick.detail))
        if self._look():
            self._offer()
        self._tell()

    def _tell(self) -> None:
        if self._wire is not None:
            try:
                self._wire.sendall(to_line(self._stick))
            except OSError:  # a box that has ended; the job goes on
                self._wire = None

    def _progress(self, percent: int) -> None:
        if percent != self._stick.percent:
            self._stick = self._stick._replace(percent=percent)
            self._tell()

    def _save(self) -> Stick:
        with self._volume.writable() as folder:
            name = save(folder, self._state, self._language, self._progress)
        note_save(self._state, time.time())
        return self._stick._replace(outcome=StickOutcome.SAVED, detail=name)

    def _settings(self) -> Stick:
        assert self._kept is not None
        assert self._found.settings is not None
        mistakes = take_over_stick(self._found.settings, self._kept)
        outcome = StickOutcome.BAD_SETTINGS if mistakes else StickOutcome.SETTINGS_TAKEN
        return self._stick._replace(outcome=outcome, mistakes=mistakes)

    def _update(self) -> Stick:
        assert self._update_path is not None
        updating.write(self._update_path, self._stick.version, self._progress)
        return self._stick._replace(outcome=StickOutcome.UPDATE_WRITTEN, detail=self._stick.version)

    def _restart(self) -> Stick:
        subprocess.run(["systemctl", "--no-block", "reboot"], check=False)
        return self._stick

    def _take_over(self) -> Stick:
        assert self._found.memory is not None
        take_over(self._found.memory, self._state)
        self._start_box_anew()
        return self._stick._replace(outcome=StickOutcome.TAKEN_OVER, detail=self._stick.memory)
