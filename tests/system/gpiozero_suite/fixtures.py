"""The fixtures that gpiozero's tests want, which its source package leaves out.

With GPIOZERO_RIG=1 the tests get our pins where they ask for mock ones: `rig`. Every known
exception is named in `exceptions`, and has to fail: one that passes is to be struck out there.
With GPIOZERO_EMULATED=tcg the tests that an emulated machine is too slow for may fail.
"""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from gpiozero import Device
from gpiozero.pins.mock import MockFactory, MockPWMPin
from tests.system.gpiozero_suite.exceptions import DEVICES, EMULATED, REAL_PINS, TIMED

ON_OUR_PINS = os.environ.get("GPIOZERO_RIG") == "1"
#: Tests that compare with the clock, to 50 ms, fail now and then on a machine that is busy or
#: emulated. What they fail this often in a row counts. All others get one try.
TRIES = 5

if ON_OUR_PINS:
    from tests.system.gpiozero_suite import rig

    rig.install()


class ThreadedTest(threading.Thread):
    def __init__(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
        super().__init__(daemon=True)
        self._call = lambda: function(*arguments, **keywords)
        self._answer: Any = None
        self.start()

    def run(self) -> None:
        self._answer = self._call()  # type: ignore[no-untyped-call]

    @property
    def result(self) -> Any:
        self.join(10)
        assert not self.is_alive(), "the function does not end"
        return self._answer


@pytest.fixture
def no_default_factory() -> Iterator[None]:
    before = Device.pin_factory
    Device.pin_factory = None
    yield
    Device.pin_factory = before


@pytest.fixture
def mock_factory() -> Iterator[Any]:
    before = Device.pin_factory
    if not ON_OUR_PINS:
        mocked = Device.pin_factory = MockFactory()
        try:
            yield mocked
        finally:
            mocked.reset()
            Device.pin_factory = before
        return
    with rig.bench():
        factory = Device.pin_factory = rig.RigFactory()
        try:
            yield factory
        finally:
            Device.pin_factory = before
            factory.close()


@pytest.fixture
def pwm(mock_factory: Any) -> None:
    mock_factory.pin_class = rig.RigPWMPin if ON_OUR_PINS else MockPWMPin


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = DEVICES if ON_OUR_PINS else REAL_PINS
    for item in items:
        reason = known.get(item.name)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
        elif os.environ.get("GPIOZERO_EMULATED") == "tcg" and item.name in EMULATED:
            item.add_marker(pytest.mark.xfail(reason=EMULATED[item.name], strict=False))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not ON_OUR_PINS or TIMED not in inspect.getsource(item.function):  # type: ignore[attr-defined]
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for _ in range(TRIES):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if not any(report.failed for report in reports) or item.get_closest_marker("xfail"):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
