"""Doctor checks of the store: levers, dice, and whether the clock fits the dates of the matches."""

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.reading import open_reading
from shutthebox.cli.check_config import switch_name
from shutthebox.cli.doctor.result import CheckResult, CheckStatus, failed, passed, skipped
from shutthebox.cli.stats import date_text
from shutthebox.config.schema import SERVICE_FOLDER, Config
from shutthebox.config.settings_loader import DEFAULT_LEVERS, with_choices
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import check_folder
from shutthebox.game.switches.debounce import WORN
from shutthebox.game.switches.switch import BUTTONS

OLDEST_CLOCK_S = 1_735_689_600
"""The start of 2025: a clock before that has never been set."""

KEPT_RIGHT = Path("/run/systemd/timesync/synchronized")
"""Where systemd says that the network has set the clock."""

MANY_PRESSES = 50
"""Once a lever has this many presses, another one without any is suspicious."""

LEAST_FREE = 16 << 20
"""Bytes that should be free on the store's disk."""


def check_levers(config: Config) -> Iterator[CheckResult]:
    """The levers out of play, and the wear of those in play."""
    levers = range(1, (config.box.levers or DEFAULT_LEVERS) + 1)
    out = sorted(with_kept_choices(config).box.out_of_play)
    text = f"out of play: {', '.join(map(str, out))}" if out else "all in play"
    yield passed("levers", f"{len(levers)}, {text}; `shutthebox doctor --levers` watches them")
    found: dict[int, queries.SwitchWear] = {}
    with contextlib.suppress(StoreError), open_reading(config.memory_folder) as kept:
        found = queries.health(kept.db)
    most = max((health.presses for health in found.values()), default=0)
    if most < MANY_PRESSES:
        yield skipped("lever health", "too few presses to tell")
        return
    ailing = []
    for switch in (*(number for number, row in BUTTONS.items() if row.is_counted), *levers):
        health = found.get(switch, queries.SwitchWear(0, 0))
        if switch not in out and not health.presses:
            ailing.append(f"{switch_name(switch)} was never pressed: is its wire cut?")
        elif switch not in out and health.chatter > 2 * WORN * health.presses:
            ailing.append(
                f"{switch_name(switch)} chatters: {health.chatter} edges in {health.presses} presses"
            )
    for text in ailing:
        yield failed("lever health", text)
    if not ailing:
        yield passed("lever health", f"up to {most} presses each, none chatters")


def with_kept_choices(config: Config) -> Config:
    """The configuration with what was chosen at the box, as far as it can be read."""
    with contextlib.suppress(StoreError), open_reading(config.memory_folder) as kept:
        out = queries.out_of_play(kept.db)
        return with_choices(config, {"box.out_of_play": out if out is None else list(out)})
    return config


def check_store(config: Config) -> Iterator[CheckResult]:
    """The dice: the kernel's entropy, a store that can be written, fair throws so far."""
    try:
        os.getrandom(1, os.GRND_NONBLOCK)
        yield passed("entropy", "the kernel's is ready")
    except (AttributeError, BlockingIOError):
        yield skipped("entropy", "not ready, or this system doesn't say")
    folder = config.memory_folder
    if os.geteuid() and folder == SERVICE_FOLDER and not os.access(folder, os.F_OK):
        yield skipped("store", f"only root can look into {folder}: sudo shutthebox doctor")
        yield skipped("dice", "the store can't be read")
        return
    try:
        check_folder(folder, "store.folder")
    except ShutTheBoxError as error:
        yield failed("store", str(error))
        yield skipped("dice", "there is no store")
        return
    # Path.exists would raise for a folder inside one that this user may not enter.
    there = next(path for path in (folder, *folder.absolute().parents) if os.access(path, os.F_OK))
    if unwritable := _why_unwritable(there):
        yield failed("store", unwritable)
        return
    file = folder / STORE_FILE
    if not os.path.lexists(file):
        yield passed("store", f"{folder} can be written to; it's still empty")
        yield skipped("dice", "no throws yet")
        return
    try:
        with open_reading(folder) as kept:
            found = queries.read(kept.db)
            kept.verify()
    except StoreError as error:
        yield failed("store", str(error))
        yield skipped("dice", "the store can't be read or trusted")
        return
    free = shutil.disk_usage(folder).free
    if unwritable := _why_unwritable(file):
        yield failed("store", unwritable)
    elif free < LEAST_FREE:
        remedy = "make room, or use a larger card"
        yield failed("store", f"{file}: the disk is full, {free >> 10} KiB are free: {remedy}")
    else:
        yield passed("store", f"{file}: {found.matches} matches")
    p_values = [entry.fairness.p_value for entry in found.dice if entry.fairness.enough]
    if not p_values:
        yield skipped("dice", f"{found.throws} throws are too few to tell")
    else:
        # The smallest of several: each may be bad luck, so the threshold is divided by their number.
        fair = min(p_values) >= 0.001 / len(p_values)
        yield CheckResult(
            "dice", CheckStatus.OK if fair else CheckStatus.FAIL, f"least p = {min(p_values):.4f}"
        )


def _why_unwritable(path: Path) -> str:
    """Why the box can't write a file or folder of its own, with the remedy; empty if it can."""
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        return f"{path} is on a read-only disk: its file system is damaged, or mounted so; see dmesg"
    if not os.access(path, os.R_OK | os.W_OK):
        return f"{path} can't be read and written by this user"
    # Root may do what the box, which the file belongs to, may not.
    if not path.stat().st_mode & stat.S_IWUSR:
        return f"{path} is read-only for the box: sudo chmod u+w {path.resolve()}"
    return ""


def check_clock(config: Config) -> Iterator[CheckResult]:
    """Whether the time of day fits the date of the last match; only dates depend on it."""
    now = time.time()
    shown = time.strftime("%Y-%m-%d %H:%M")
    latest = _latest_match(config)
    if now < OLDEST_CLOCK_S:
        yield failed("clock", f"{shown}: it has never been set; scores get wrong dates")
    elif latest is not None and latest > now + 60:
        kept = date_text(latest, "%Y-%m-%d %H:%M")
        text = f"{shown}, but the last match is from {kept}: it has been set back, or was ahead"
        yield failed("clock", text)
    elif KEPT_RIGHT.exists():
        yield passed("clock", f"{shown}, set by the network")
    else:
        yield passed("clock", f"{shown}; nothing here keeps it right, but only dates depend on it")


def _latest_match(config: Config) -> int | None:
    with contextlib.suppress(StoreError), open_reading(config.memory_folder) as kept:
        (began_s,) = kept.db.execute("select max(began_s) from match").fetchone()
        return None if began_s is None else int(began_s)
    return None
