"""Every command that the pages show is run.

Commands of this project are real, in a folder with the files that the pages name. Stand-ins take the place
of system programs that would change this machine, and check their arguments.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.linked import KEYS, public, signed_record
from tests.support.stick import put_python_program

from doctools import PROJECT
from shutthebox.config.profiles import builtin
from shutthebox.config.schema import default_text
from shutthebox.link.proof import commitment_of
from shutthebox.rules.actions import Thrown
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.match import begin
from shutthebox.rules.record import Record, write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        Path("/dev/gpiochip0").exists(), reason="there are pins here, which are not for tests"
    ),
]

PAGES = [*sorted((PROJECT / "docs").glob("*.md")), PROJECT / "README.md", PROJECT / "SECURITY.md"]
ROOTS = ("/etc/", "/boot/", "/var/lib/", "/usr/share/shutthebox")
"""Paths of the system, which lie in a folder of the test here."""

WITHOUT_PINS = ("run", "doctor", "blank")
"""Commands that end with 1 on a machine without pins and display."""

WITHOUT_A_CARD = ("card", "update", "stick")
"""Commands that end with 1 on a machine that was not started from the image of a card, and has no stick."""


def commands() -> Iterator[str]:
    for page in PAGES:
        for block in re.findall(
            r"^ *```sh\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            for line in re.sub(r"\\\n *", "", block).splitlines():
                command = line.partition(" #")[0].strip()
                if command and not command.startswith(("#", ". .venv")):
                    yield command


COMMANDS = sorted(set(commands()))

WHEEL = "./shutthebox-VERSION-py3-none-any.whl[sim]"
"""The wheel that a release plays without a clone."""

LINKED = signed_record()
"""A match that was played on two boxes, in `match.txt`."""

_STAND_IN = f"""\
import os, re, subprocess, sys
from pathlib import Path
project, name, args = Path({str(PROJECT)!r}), Path(sys.argv[0]).name, sys.argv[1:]


def check(good, why):
    if not good:
        sys.exit(f"{{name}}: {{why}}: {{args}}")


def unit(word):
    file = word if "." in word else f"{{word}}.service"
    check((project / "systemd" / file).is_file(), f"no unit {{file}}")
"""

#: The program, on a machine that may have a box of its own: its memory is not for tests.
_WITHOUT_A_BOX = """
import sys
from pathlib import Path
from shutthebox.cli import main
from shutthebox.config import schema
schema.SERVICE_FOLDER = schema.CONFIG_FILE = Path("/nowhere")
sys.exit(main.main())
"""
STAND_INS = {
    "sudo": "os.execvp(args[0], args)",
    "systemctl": """
check(args[0] in ("start", "stop", "restart", "status", "enable", "daemon-reload"), "what is it to do?")
for word in args[1:]:
    if word not in ("--now", "--no-block", "mosquitto"):
        unit(word)
""",
    "journalctl": 'unit(args[args.index("-u") + 1])',
    "systemd-sysusers": "check(not args, 'takes none here')",
    "reboot": "check(not args, 'takes none here')",
    # tests/support/link.py runs what it is told here.
    "mosquitto_passwd": "check(args[:2] == ['-c', '-b'] and len(args) == 5, 'which file, and whose?')",
    "chown": "check(args[0] == 'mosquitto' and len(args) > 1, 'who gets what?')",
    "pipx": f"""
folders = [word for word in args if word.startswith("./libraries")]
check(all((project / word / "pyproject.toml").is_file() for word in folders), "no project there")
check(args[0] in ("install", "inject") or {WHEEL!r} in args, "not as released")
""",
    "pip": f"""
wheel = {WHEEL.removesuffix("[sim]")!r}
extras = [word.removeprefix(wheel).strip("[]") for word in args[1:] if word.startswith(wheel)]
known = [line.partition(" = [")[0] for line in (project / "pyproject.toml").read_text().splitlines()]
check(args[0] == "install" and extras, "not as released")
check(all(not extra or extra in known for extra in extras), "no such extra")
""",
    # The release itself runs it: packaging/release/release.py.
    "uvx": f"check({WHEEL!r} in args, 'not as released')",
    "apt": """
control = (project / "packaging" / "debian" / "control").read_text()
ours = re.findall(r"^Package: (.+)$", control, re.M)
others = re.findall(r"[a-z][a-z0-9.+-]+", control) + ["dpkg-dev", "pipx", "python3-venv", "make"]
check(args[0] in ("install", "build-dep"), "what is it to do?")
for word in args[1:]:
    if match := re.fullmatch(r"./(.+)_\\*.deb", word):
        check(match[1] in ours, "not our package")
    elif word == "./*_all.deb":
        pass
    elif word.startswith("-"):
        check(word in ("-y", "--only-upgrade", "--no-remove"), f"{word} is not known")
    elif word == "./packaging":
        check((project / word / "debian" / "control").is_file(), "no package to build there")
    else:
        check(word in others, f"{word} is not known")
""",
    "make": f"""
sys.exit(subprocess.run([{shutil.which("make")!r}, "-n", *args], cwd=project, stdout=-3).returncode)
""",
    "espeak-ng": "sys.stdin.read()",
    "shutthebox-uplink": "check(args == ['--remove'], 'what is it to do?')",
    # A command that runs until it is told to stop is told so as soon as it is ready.
    "shutthebox": f"""
import signal
ready = {{"sim": "The box is at", "speech": "Listening to"}}
more = ["--no-browser", "--port", "0"] if args[0] == "sim" else []
command = [sys.executable, "-c", {_WITHOUT_A_BOX!r}, *args, *more]
if args[0] not in ready:
    os.execv(command[0], command)
# A program started with this signal ignored would go on ignoring it.
signal.signal(signal.SIGINT, signal.default_int_handler)
done = subprocess.Popen(command, stdout=-1, stderr=-2, text=True)
said = ""
for line in done.stdout:
    said += line
    if ready[args[0]] in line:
        done.send_signal({int(signal.SIGINT)})
code = done.wait()
sys.exit(0 if code in (0, 130) and ready[args[0]] in said else said)
""",
}


@pytest.fixture
def folder(tmp_path: Path, evening: Path) -> Path:
    """The folder of a reader of the pages: the project, a config, rules, a scenario, a memory."""
    work = tmp_path / "work"
    work.mkdir()
    for name in ("systemd", "firmware"):
        (work / name).symlink_to(PROJECT / name)
    for name in ("evening", "pictures"):
        (work / name).mkdir()
    (work / "box.toml").write_text(default_text())
    for name in ("friday.toml", "house.toml"):
        (work / name).write_text('like = "pub"\nrounds = 3\n')
    (work / "evening.scn").write_text("press\nwait 1\n")
    (written,) = re.findall(r"^```\n(player,.*?)^```", (PROJECT / "docs/odds.md").read_text(), re.M | re.S)
    (work / "evening.csv").write_text(written)
    (work / "match.txt").write_text(write(LINKED))
    cup = Tournament("Cup", "a" * 64)
    (work / "cup.txt").write_text(cup.to_text())
    pub = builtin("pub")
    thrown = Thrown(cup.throw(begin(pub, 2), 2))
    final = Record(pub, 2, 1, (thrown,), Conditions(equal_dice=cup.commitment), given_up=True)
    (work / "final.record").write_text(write(final))
    etc = ("etc/sysusers.d", "etc/modules-load.d", "etc/udev/rules.d", "etc/systemd/system",
           "etc/mosquitto/certs", "etc/mosquitto/conf.d")  # fmt: skip
    for root in ("boot/firmware", *etc):
        (tmp_path / root).mkdir(parents=True)
    (tmp_path / "usr/share/shutthebox").mkdir(parents=True)
    shutil.copy(PROJECT / "hardware/config.txt", tmp_path / "usr/share/shutthebox")
    shutil.copy(PROJECT / "systemd/shutthebox.service", tmp_path / "etc/systemd/system")
    (tmp_path / "usr/share/shutthebox-uplink").mkdir()
    for name in ("mosquitto-link.conf", "mosquitto-link.acl", "mosquitto-unit.conf"):
        shutil.copy(PROJECT / "systemd" / name, tmp_path / "usr/share/shutthebox-uplink")
    (tmp_path / "var/lib/private/shutthebox").mkdir(parents=True)
    state = tmp_path / "home/.local/state/shutthebox"
    shutil.copytree(evening, state)
    (state / "simulator").mkdir()
    subprocess.run(["tar", "-czf", work / "box.tar.gz", "-C", state, "."], check=True)
    stand_ins = tmp_path / "bin"
    stand_ins.mkdir()
    for name, body in STAND_INS.items():
        put_python_program(stand_ins / name, _STAND_IN + body.strip())
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    linked = LINKED.conditions and LINKED.conditions.linked
    assert linked is not None
    command = command.replace("5f1c…", commitment_of(linked.commitments[0], public(KEYS[0])))
    for root in ROOTS:
        command = re.sub(rf"(?<![\w/.]){re.escape(root)}", f"{folder}{root}", command)
    home = folder / "home"
    environment = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / ".local/state"),
    }
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder / "work",
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_works(command: str, folder: Path) -> None:
    words = command.removeprefix("sudo ").split()
    if words[:2] == ["shutthebox", "restore"]:
        assert run(f"shutthebox backup {words[2]}", folder).returncode == 0
    done = run(command, folder)
    assert "Traceback" not in done.stderr
    words = words[words[0] == "sudo" :]
    failing = words[0] == "shutthebox" and words[1] in (*WITHOUT_PINS, *WITHOUT_A_CARD)
    assert done.returncode in ((0, 1) if failing else (0,)), done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "sudo systemctl restart shutthebox-speach",
        "sudo apt install espeak-mg",
        "make nothing",
        "shutthebox profile trac",
    ],
)
def test_fail__a_command_that_is_wrong(command: str, folder: Path) -> None:
    assert run(command, folder).returncode not in (0, 127)
