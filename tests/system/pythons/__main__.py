"""Runs the tests on another Debian's own Python: `python -m tests.system.pythons trixie`, or `forky`.

trixie is Debian 13 with Python 3.13, as Raspberry Pi OS is; forky is the next Debian, with Python 3.14. The
libraries are Debian's as well, but for two: gpiozero, of which Debian 13 has 1.6, and openskill, which it has
not. The tests that want what is not there are skipped: a browser, a broker, a database server, QEMU.

With `--readme` it follows the README in a bare Debian instead, whose libraries pip brings.

It takes the last commit. Ends with 1 if a test fails, 75 and one line where there can be no such Debian.
"""

import argparse
import shutil
import sys
from pathlib import Path

from tests.system.package import root as roots
from tests.system.package.root import GPIOZERO_DEB, Root
from tests.system.pythons import readme
from tests.system.pythons.clone import clone

OURS = (".", "libraries/gpiozero-gpiod", "libraries/luma-spans", "league/uplink", "league")
_OPENSKILL_DEB = "/opt/python3-openskill.deb"
SETTINGS = ("PYTHONDONTWRITEBYTECODE=", "HOME=/root", "TZ=UTC")
# The interpreter and pytest; the box, the simulator, the pins; the uplink, the league; the tests themselves.
_PACKAGES = """
    python3 python3-pip python3-hatchling python3-editables tzdata procps git make
    python3-pytest python3-pytest-timeout python3-pytest-xdist python3-hypothesis python3-mock
    python3-colorzero python3-luma.oled python3-pil python3-smbus2 python3-segno
    python3-yaml python3-spidev
    python3-websockets python3-libgpiod python3-paho-mqtt python3-spake2 python3-jwt python3-cryptography
    python3-sqlalchemy python3-alembic python3-starlette python3-uvicorn python3-jinja2
    python3-prometheus-client python3-psycopg
    python3-babel python3-jsonschema python3-shtab python3-selenium
"""


def prepare(suite: str) -> Path:
    """The Debian as a tar, made once."""
    roots.gpiozero()
    roots.openskill()
    return roots.base_with(_PACKAGES.split(), suite)


def lay_out(root: Root) -> None:
    """Puts the project into a Debian and installs it there, without a network."""
    clone(root, "/opt/project")
    root.put(roots.openskill(), _OPENSKILL_DEB)
    root.run("dpkg", "--install", GPIOZERO_DEB, _OPENSKILL_DEB)
    editable = [option for folder in OURS for option in ("--editable", f"/opt/project/{folder}")]
    root.run(
        "python3", "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
        "--break-system-packages", "--root-user-action=ignore", *editable,
    )  # fmt: skip


def main() -> int:
    """Runs them."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.system.pythons", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("debian", nargs="?", default="trixie", help="trixie or forky (trixie)")
    parser.add_argument("--readme", action="store_true", help="the README's two commands, in a bare Debian")
    parser.add_argument("--prepare", action="store_true", help="only fetch and make what is needed")
    args, options = parser.parse_known_args()
    if (why := roots.missing()) is not None:
        print(why, file=sys.stderr)
        return 75
    try:
        tar = readme.prepare(args.debian) if args.readme else prepare(args.debian)
    except roots.FetchError as error:
        print(f"no {args.debian} can be had: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
        return 75
    if args.prepare:
        return 0
    folder = roots.room_for_roots()
    try:
        if args.readme:
            return readme.try_commands(folder, tar)
        root = Root(folder / "root", tar)
        lay_out(root)
        version = root.run(
            "python3", "-c", "import platform; print(platform.python_version())"
        ).stdout.strip()
        print(f"Python {version} of Debian {args.debian}", flush=True)
        return root.show(
            "env", "--chdir=/opt/project", *SETTINGS, "python3", "-m", "pytest", "-p", "no:cacheprovider",
            "--numprocesses", "auto", "--dist", "worksteal", *options,
        )  # fmt: skip
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
