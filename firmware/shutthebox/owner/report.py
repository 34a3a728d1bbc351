"""The owner's report: about the box, its faults, and this evening."""

import re
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from shutthebox import __version__
from shutthebox.adapters.machine import Sensors
from shutthebox.adapters.store import queries
from shutthebox.adapters.store.backup import last_save
from shutthebox.game.facts import Faulted
from shutthebox.game.faults import FAULT_TEXTS, MACHINE_FAULT_TEXTS, MachineFault
from shutthebox.game.lever_health import Ailment
from shutthebox.game.messages import TIMES, CommaList, ListRow, Message, Text, message
from shutthebox.game.owner_topics import WEEKDAYS, Topic
from shutthebox.game.switches.switch import switch as switch_row
from shutthebox.network import addresses
from shutthebox.night import night_of, start_of_night

SHOWN_FAULTS = 20
"""How many kinds of the latest faults are shown."""

_WEEKDAYS_S = 6 * 24 * 3600
"""Seconds for which a weekday and a time are unambiguous."""

KINDS = {fault.value: prompt for fault, (prompt, _) in FAULT_TEXTS.items()}
KINDS |= {fault.value: text for fault, text in MACHINE_FAULT_TEXTS.items()}
KINDS |= {"store": message("Memory"), "service": message("Wrong code"), "link": message("Another box")}
"""The words for each kind of fault but those of switches."""
_AILMENTS = {ailment.value: ailment for ailment in Ailment}


class BoxReport:
    """The owner's report. Main thread only; reads only small files.

    Args:
        read: queries the store; returns nothing if it can't be read.
        folder: of the store; None for a box without memory.
        since_s: the time of day when the box started.
        standing: kinds of faults that have not cleared.
        clock_s: the time of day.
        machine: where the files of the machine are found.
        has_link_helper: whether the helper for matches with another box is there; None if none is wanted.
    """

    def __init__(
        self,
        read: Callable[[Callable[[sqlite3.Connection], Sequence[Text]]], Sequence[Text]],
        folder: Path | None,
        since_s: float,
        standing: frozenset[str] = frozenset(),
        clock_s: Callable[[], float] = time.time,
        machine: Path = Path("/"),
        has_link_helper: bool | None = None,
    ) -> None:
        self._read, self._folder, self._standing = read, folder, standing
        self._clock_s, self._machine = clock_s, machine
        self._since_s, self._has_link_helper = since_s, has_link_helper

    def __call__(self, topic: Topic, wrong: Collection[int]) -> Sequence[Text]:
        """The lines of a topic; `wrong` are the switches that are wrong now."""
        match topic:
            case Topic.ABOUT:
                return self._about()
            case Topic.FAULTS:
                return self._read(lambda db: self._faults(db, wrong))
            case Topic.TONIGHT:
                return self._read(self._tonight)

    def _about(self) -> Sequence[Text]:
        lines: list[Text] = [
            ListRow(message("Version"), __version__),
            ListRow(message("Since"), self._when(self._since_s)),
        ]
        if found := re.search(r"rauc\.slot=(\w+)", self._text("proc/cmdline")):
            lines.append(ListRow(message("System"), found[1]))
        lines += addresses(self._machine)
        sensors = Sensors(self._machine)
        if (millidegrees := sensors.millidegrees()) is not None:
            lines.append(ListRow(message("Temperature"), f"{millidegrees // 1000} °C"))
        if sensors.measures_power:
            low = MACHINE_FAULT_TEXTS[MachineFault.POWER]
            lines.append(low if MachineFault.POWER in sensors.faults() else message("Power is good"))
        if self._folder is not None:
            with suppress(OSError):
                free = shutil.disk_usage(self._folder).free
                lines.append(ListRow(message("Free space"), f"{free // 1_000_000} MB"))
            saved_s = last_save(self._folder)
            saved = message("never") if saved_s is None else self._when(saved_s)
            lines.append(ListRow(message("Saved"), saved))
        if self._has_link_helper is not None:
            state = message("ready") if self._has_link_helper else message("no helper")
            lines.append(ListRow(message("Another box"), state))
        return lines

    def _when(self, at_s: float) -> Text:
        """The weekday within the last six days, otherwise the date, with the year if it's not this year's."""
        now, at = time.localtime(self._clock_s()), time.localtime(at_s)
        day = {"day": f"{at.tm_mday:02}", "month": f"{at.tm_mon:02}"}
        if 0 <= self._clock_s() - at_s < _WEEKDAYS_S:
            date: Text = WEEKDAYS[at.tm_wday]
        elif at.tm_year == now.tm_year:
            date = message("{day}/{month}", **day)
        else:
            return message("{day}/{month}/{year}", **day, year=str(at.tm_year))
        return Message("{date} {time}", (("date", date), ("time", time.strftime("%H:%M", at))))

    def _text(self, path: str) -> str:
        return _text(self._machine / path)

    def _faults(self, db: sqlite3.Connection, wrong: Collection[int]) -> Sequence[Text]:
        standing = set(self._standing)
        if queries.wrong_codes(db):
            standing.add("service")
        logged = [(_tell(Faulted(fault.kind, fault.text)), fault) for fault in queries.logged_faults(db)]
        times = Counter(told for told, _ in logged)
        latest = dict(reversed(logged))
        lines: list[Text] = []
        for (told, switch), count in islice(times.items(), SHOWN_FAULTS):
            fault = latest[told, switch]
            is_cleared = fault.kind not in standing if switch is None else switch not in wrong
            when = self._when(fault.at_s)
            if count > 1:
                when = CommaList((when, message("{count}x", count=count).say_as(TIMES)))
            lines += [told, ListRow(when, message("ok") if is_cleared else message("now"))]
        return lines or [message("None")]

    def _tonight(self, db: sqlite3.Connection) -> Sequence[Text]:
        tonight = night_of(self._clock_s())
        began_s = start_of_night(tonight.year, tonight.month, tonight.day)
        matches, throws, hour = queries.evening(db, began_s)
        lines: list[Text] = [
            message("Matches: {count}", count=matches),
            message("Throws: {count}", count=throws),
        ]
        if hour is not None:
            lines.append(ListRow(message("Busiest"), f"{hour}-{hour + 1} h"))
        return lines


def _tell(fault: Faulted) -> tuple[Text, int | None]:
    """A logged fault in a few words, and the number of its switch; None for another part."""
    if fault.switch is not None and fault.detail in _AILMENTS:
        with suppress(ValueError):  # from a box that had such a switch
            return _AILMENTS[fault.detail].localize(switch_row(fault.switch)), fault.switch
    return KINDS.get(fault.kind, fault.kind), None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
