from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from tests.support.benches import Bench, make_bench, simulated_chip

#: Their state is the process's, not the factory's: after one factory is closed, or one exception
#: has been raised on the way to a callback, no later factory of the process gets an edge.
ONE_PROCESS_EACH = ("lgpio", "rpigpio")
#: They are other people's, and race: lgpio now and then answers "GPIO busy" to a pin that is
#: closed just after an edge. What they fail this often in a row counts. Ours gets one try.
TRIES = 3


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with make_bench(request.param, tmp_path) as made:
        yield made


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Runs the tests of some back ends in a child each, when they are to run for real."""
    call = getattr(item, "callspec", None)
    if call is None or call.params.get("bench") not in ONE_PROCESS_EACH or simulated_chip() is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for _ in range(TRIES):
        reports = in_a_child(item, nextitem)
        if not any(report.failed for report in reports):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    # The child has left the test's module where the next test is in another; so must we.
    item.session._setupstate.teardown_exact(nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def in_a_child(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Runs one test in a fork of this process and returns what it reports."""
    results, child_end = os.pipe()
    child = os.fork()
    hook, config = item.config.hook, item.config
    if child == 0:
        try:
            done = runtestprotocol(item, log=False, nextitem=nextitem)
            told = [hook.pytest_report_to_serializable(config=config, report=report) for report in done]
            with os.fdopen(child_end, "w") as out:
                json.dump(told, out)
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(child_end)
    with os.fdopen(results) as read:
        text = read.read()
    os.waitpid(child, 0)
    assert text, f"the child that ran {item.nodeid} died"
    reports = []
    for told in json.loads(text):
        if isinstance(told["longrepr"], list):
            told["longrepr"] = tuple(told["longrepr"])  # why it was skipped; JSON has no tuples
        reports.append(hook.pytest_report_from_serializable(config=config, data=told))
    return reports
