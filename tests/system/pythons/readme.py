"""The README's two commands in a bare Debian: `make sim` until its page answers, then `make test`.

Nothing is there but what the README asks for, and git. pip reaches its index as this machine's does.
"""

import ast
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterable
from pathlib import Path

from tests.system.package import root as roots
from tests.system.package.root import Root
from tests.system.pythons.clone import clone

PACKAGES = ("python3-venv", "make", "git")
_CLONE = "/root/shut-the-box"
_TRUST = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
_PROXIES = tuple(f"{kind}_proxy" for kind in ("http", "https", "no"))


def prepare(suite: str) -> Path:
    """The bare Debian as a tar, made once."""
    return roots.base_with([*PACKAGES], suite)


def pip_settings() -> dict[str, str]:
    """How this machine's pip and its network are set up, as variables that say the same to another pip."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True
    ).stdout
    found = {}
    for line in listed.splitlines():
        if match := re.match(r"global\.([\w-]+)=(.*)", line):
            found[f"PIP_{match[1].upper().replace('-', '_')}"] = " ".join(ast.literal_eval(match[2]).split())
    of_network = (*_TRUST, *_PROXIES)
    own = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in of_network}
    return found | own


def _options(settings: dict[str, str]) -> list[str]:
    """Options of nspawn: this machine's network, and the files and folders that the settings name."""
    binds = set()
    for word in " ".join(settings.values()).split():
        # The files of an index on this machine lie beside its pages.
        path = Path(word.removeprefix("file://")).parent if word.startswith("file://") else Path(word)
        if path.is_absolute() and path.exists() and len(path.parts) > 1:
            binds.add(f"--bind-ro={path}")
    variables = [f"--setenv={name}={value}" for name, value in settings.items()]
    return [
        "--resolv-conf=replace-host",
        "--setenv=HOME=/root",
        f"--chdir={_CLONE}",
        *sorted(binds),
        *variables,
    ]


def try_commands(folder: Path, tar: Path) -> int:
    """Runs them; the exit code of the first that fails."""
    root = Root(folder / "root", tar, outside=_options(pip_settings()))
    # The installer writes it; Debian 13's C library knows localhost without.
    root.write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")
    clone(root, _CLONE)
    with root.start("make", "sim") as sim:
        try:
            if not _answers(sim.stdout or ()):
                return sim.wait() or 1
        finally:
            sim.terminate()
    return root.show("make", "test", "ARGS=--job readme")


def _answers(said: Iterable[str]) -> bool:
    """Whether the page whose address the simulator says answers."""
    for line in said:
        print(line, end="", flush=True)
        if found := re.search(r"http://\S+", line):
            with urllib.request.urlopen(found[0]) as answer:
                print(f"Its page answers, in {len(answer.read())} bytes", flush=True)
            return True
    return False
