"""The outbox of a box in a league: what waits there, and what the uplink says."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from shutthebox.adapters.outbox import ENDING
from shutthebox.cli.doctor.result import CheckResult, failed, passed
from shutthebox.config.schema import Config
from shutthebox.files import list_folder, read_bytes, reason
from shutthebox.outbox_entry import UPLINK_SAYS

UPLINKS_FOLDER = Path("/var/spool/shutthebox/outbox")
"""Of the uplink's package."""

LONG_S = 24 * 3600
"""An entry that waits longer is a fault: the line of a pub comes back within a day."""

_MOST_SAID = 2000


def outbox(config: Config) -> Iterator[CheckResult]:
    """Whether the league gets the box's matches; nothing for a box without one."""
    folder = config.outbox_folder or UPLINKS_FOLDER
    said, times = "", list[float]()
    try:
        for file in list_folder(folder, ENDING):
            with contextlib.suppress(FileNotFoundError):  # The uplink has just sent it.
                times.append(file.lstat().st_mtime)
        if not folder.exists():
            return
        with contextlib.suppress(FileNotFoundError):
            said = read_bytes(folder / UPLINK_SAYS, _MOST_SAID, follow_links=False).decode("utf-8", "replace")
    except OSError as error:
        yield failed("league", f"{folder}: {reason(error)}")
        return
    waiting = f"{len(times)} to send"
    if said:
        yield failed("league", f"{waiting}; {said}")
    elif times and time.time() - min(times) > LONG_S:
        yield failed(
            "league", f"{waiting}, the oldest for more than a day; systemctl status shutthebox-uplink"
        )
    else:
        yield passed("league", waiting)
