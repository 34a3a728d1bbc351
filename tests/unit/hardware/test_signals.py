"""The simulated channel: what the debouncer's tests are fed is of today's deck and makes sense."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from hwtools import signals
from shutthebox.game.switches.debounce import Debouncer, SwitchChanged

DATA: dict[str, Any] = json.loads(signals.RESULT.read_text(encoding="utf-8"))


def test_the_data_are_of_this_deck() -> None:
    assert DATA["source"] == signals.digest(), "run make -C hardware signals"


def test_static_makes_no_edge_and_stays_within_the_rails() -> None:
    for strike in DATA["static"]:
        assert strike["pin"] == []
        low, high = strike["pin_v"]
        assert low > -0.3
        assert high < 3.6


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_ngspice_gives_the_same_again() -> None:
    if not shutil.which("ngspice"):
        pytest.skip("NOT CHECKED: no ngspice here")
    try:
        fresh = signals.simulate()
    except subprocess.CalledProcessError as error:  # say what the simulator said
        pytest.fail(str(error.stderr))
    for was, now in zip(DATA["cases"], fresh["cases"], strict=True):
        assert [level for _, level in was["pin"]] == [level for _, level in now["pin"]], was["name"]
        for (a, _), (b, _) in zip(was["pin"], now["pin"], strict=True):
            assert abs(a - b) < 20_000


@pytest.mark.parametrize("window_ms", [25, 40], ids=["button", "lever"])
@pytest.mark.parametrize("case", DATA["cases"], ids=lambda c: c["name"])
@pytest.mark.parametrize("where", ["contact", "pin"])
def test_the_debouncer_makes_one_event_of_it(case: dict[str, Any], where: str, window_ms: int) -> None:
    """Behind the filter, and even without it: one event, a settle window after the last edge."""
    before, after = case["before"] == 0, case["after"] == 0  # active is low
    debouncer = Debouncer({1: window_ms * 1_000_000}, {1: before}, 0)
    events = [event for t, level in case[where] for event in debouncer.edge(1, level == 0, t)]
    assert not events, "nothing settles while the contact bounces"
    events = debouncer.settle(10**9)
    last = case[where][-1][0] if case[where] else 0
    expected = [SwitchChanged(1, after, last + window_ms * 1_000_000)] if before != after else []
    assert events == expected
