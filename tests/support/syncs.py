"""What a program has the disk do, step by step."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def spy_on_syncs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes what is synced and renamed in this folder from now on; it happens all the same.

    Returns:
        The steps so far, such as ``sync .shutthebox-*.part`` and ``.shutthebox-*.part -> copy``.
    """
    found: list[str] = []

    def name(path: Any, of: int | None = None) -> str:
        whole = Path(path) if of is None else Path(f"/proc/self/fd/{of}").readlink() / path
        return re.sub("[0-9a-f]{32}", "*", str(whole.relative_to(folder)))

    def spy(function: str, told: Callable[..., str | None]) -> None:
        real = getattr(os, function)

        def does(*args: Any, **more: Any) -> None:
            if (step := told(*args, **more)) is not None:
                found.append(step)
            real(*args, **more)

        monkeypatch.setattr(os, function, does)

    def moved(
        old: Any, new: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None, **_: Any
    ) -> str:
        return f"{name(old, src_dir_fd)} -> {name(new, dst_dir_fd)}"

    def synced(descriptor: int) -> str | None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        return f"sync {name(path)}" if path.is_relative_to(folder) else None

    spy("fsync", synced)
    for function in ("rename", "replace", "link"):
        spy(function, moved)
    return found
