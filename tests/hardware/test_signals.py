"""The simulated channel: what the debouncer's tests are fed is of today's deck and makes sense."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from typing import Any

import pytest

from hwtools import signals

DATA: dict[str, Any] = json.loads(signals.RESULT.read_text(encoding="utf-8"))
#: The shortest settle window of the firmware: 25 ms for the button.
SETTLE_NS = 25_000_000


def test_the_data_are_of_this_deck() -> None:
    assert DATA["source"] == signals.digest(), "run make -C hardware signals"


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda c: c["name"])
def test_the_edges_lead_from_before_to_after(case: dict[str, Any]) -> None:
    levels = [case["before"], *(level for _, level in case["pin"])]
    assert all(a != b for a, b in itertools.pairwise(levels)), "edges alternate"
    assert levels[-1] == case["after"]
    times = [t for t, _ in case["pin"]]
    assert times == sorted(times)
    assert len(case["pin"]) <= len(case["contact"])


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda c: c["name"])
def test_no_bounce_outlasts_the_settle_window(case: dict[str, Any]) -> None:
    gaps = [b - a for (a, _), (b, _) in itertools.pairwise(case["pin"])]
    assert max(gaps, default=0) < SETTLE_NS


def test_static_makes_no_edge_and_stays_within_the_rails() -> None:
    for strike in DATA["static"]:
        assert strike["pin"] == []
        low, high = strike["pin_v"]
        assert low > -0.3
        assert high < 3.6


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
