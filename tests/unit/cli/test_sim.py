"""The command `sim`: who is told that they can play."""

import os
import signal
import webbrowser
from pathlib import Path

import pytest
from tests.support.command import command


@pytest.mark.parametrize(
    ("listen", "invited"),
    [((), False), (("--listen", "127.0.0.2"), False), (("--listen",), True)],
    ids=["nobody", "this machine", "everybody"],
)
def test_phones_are_invited_only_if_they_can_come(
    listen: tuple[str, ...], invited: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def end_the_box(url: str) -> None:
        opened.append(url)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(webbrowser, "open", end_the_box)
    said = command("sim", "--port", "0", "--state", tmp_path, *listen)
    assert said.code == 0, said
    (page,) = opened
    assert f"The box is at {page} " in said.out
    assert ("Phones on this network play at http://" in said.out) == invited
