"""The outbox of a box in a league: what's waiting there, and what the uplink reports."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from shutthebox.adapters.delivery_watch import LONG_S, read_uplink_status
from shutthebox.adapters.outbox import ENDING
from shutthebox.cli.doctor.result import CheckResult, failed, passed
from shutthebox.config.schema import Config
from shutthebox.files import list_folder, reason
from shutthebox.outbox_entry import DeliveryState

UPLINKS_FOLDER = Path("/var/spool/shutthebox/outbox")
"""The folder that the uplink's package provides."""


def check_outbox(config: Config) -> Iterator[CheckResult]:
    """Whether the league gets the box's matches; no results for a box without a league."""
    folder = config.outbox_folder or UPLINKS_FOLDER
    times = list[float]()
    try:
        for file in list_folder(folder, ENDING):
            with contextlib.suppress(FileNotFoundError):  # The uplink has just sent it.
                times.append(file.lstat().st_mtime)
        if not folder.exists():
            return
        said = read_uplink_status(folder)
    except OSError as error:
        yield failed("league", f"{folder}: {reason(error)}")
        return
    waiting = f"{len(times)} to send"
    if said.state is DeliveryState.NO_LEAGUE:
        yield passed("league", f"{said.line}; {waiting}")
    elif said.state is not DeliveryState.GOOD:
        yield failed("league", f"{waiting}; {said.line}")
    elif times and time.time() - min(times) > LONG_S:
        yield failed(
            "league", f"{waiting}, the oldest for more than a day; systemctl status shutthebox-uplink"
        )
    else:
        yield passed("league", waiting)
