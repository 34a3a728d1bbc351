"""An emulated machine that starts from the card, as a Pi does: its boot script, kernel, root and services.

QEMU's `virt` machine stands for the Pi; the work of the Pi's own firmware before U-Boot is left out. The
drivers of the simulated pins and display are on a second disk, which systemd is told of through QEMU's
`fw_cfg`, so nothing on the card is changed for the test.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from tests.support import debian
from tests.support.mosquitto import free_port
from tests.system.image.uboot import UBOOT
from tests.system.virtual_pi import play
from tests.system.virtual_pi.image import CHIPS, REVISION
from tests.system.virtual_pi.machine import HEADER_CHIP, Done, VirtualPi
from tests.system.virtual_pi.table import GPIO

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
BUILD = Path(os.environ.get("BUILD", PROJECT / "build/image"))
CACHE = Path(os.environ.get("IMAGE_CACHE", Path("~/.cache/shutthebox-image").expanduser()))
VIRTUAL_PI = PROJECT / "tests/system/virtual_pi"
COMMANDS = (
    "qemu-system-aarch64", "qemu-img", "mmdebstrap", "qemu-aarch64-static", "mke2fs", "mcopy", "rauc",
    str(UBOOT),
)  # fmt: skip
#: Three rounds, so that there is time to pull the plug ten times.
CONFIG = play.CONFIG.replace("players = 2", "players = 2\nrounds = 3")
#: A Zero 2 W has no more.
MEMORY = "512M"
CARD_BYTES = 2 << 30
#: Where genimage puts the partition that people write on.
BOOT_AT = 260 << 20
#: From power-on to the agent's answer, emulated on a busy machine.
BOOT_S = 900

# Names as short as they are, because fw_cfg has room for 55 characters.
UNIT = "x.service"
UNIT_TEXT = """\
[Unit]
Description=Pins and display of the emulated machine
DefaultDependencies=no
After=systemd-udevd.service sys-kernel-config.mount
Before=shutthebox.service

[Service]
ExecStartPre=/bin/sh -c 'mkdir -p /run/hardware && mount -o ro /dev/disk/by-label/HARDWARE /run/hardware'
ExecStartPre=/run/hardware/start
ExecStart=/usr/bin/python3 /run/hardware/box.py
StandardOutput=journal+console
OOMScoreAdjust=-900
"""
RULE = f'SUBSYSTEM=="block", ENV{{ID_FS_LABEL}}=="HARDWARE", TAG+="systemd", ENV{{SYSTEMD_WANTS}}+="{UNIT}"\n'
START = """\
#!/bin/sh
set -eux
modprobe -a configfs i2c-dev gpio-sim virtio_console
insmod /run/hardware/i2c-panel.ko
# The machine's own pins take the number that the Pi's have.
cd /sys/bus/amba/drivers/pl061_gpio
for chip in *.pl061; do if [ -e "$chip" ]; then echo "$chip" >unbind; fi; done
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
udevadm wait --timeout=300 /dev/virtio-ports/shutthebox.agent
# A unit with ProtectProc has a /proc of its own, in which the machine is no Pi.
mkdir -p /run/systemd/system/shutthebox.service.d
cat >/run/systemd/system/shutthebox.service.d/emulated.conf <<'DROP_IN'
[Service]
BindReadOnlyPaths=-/run/cpuinfo:/proc/cpuinfo
TimeoutStartSec=600
TimeoutStopSec=120
WatchdogSec=120
DROP_IN
systemctl daemon-reload
"""

#: The agent, with the contacts of a box at rest: nobody has touched a lever or the button.
AT_REST = [int(line) for line in (*GPIO.levers, GPIO.roll)]
BOX = f"""\
import agent

agent.become_a_pi({REVISION!r}, {CHIPS!r})
for offset in {AT_REST!r}:
    agent.answer({{"do": "set-line", "chip": {HEADER_CHIP!r}, "offset": offset, "level": 1}})
agent.serve()
"""


def missing() -> str | None:
    """One line on what this machine lacks, with the command that brings it; None if nothing."""
    if os.uname().sysname != "Linux" or os.geteuid() != 0:
        return "the image is tried as root on Linux only"
    if (lacking := debian.missing(*COMMANDS)) is not None:
        return lacking
    if not (BUILD / "card.img").exists():
        return f"no {BUILD / 'card.img'}: say make image first"
    return None


def kernel_version() -> str:
    """Of the image's kernel."""
    (found,) = (BUILD / "parts/usr/lib/modules").iterdir()
    return found.name


def display_module() -> Path:
    """The display's driver for the image's kernel, built if it is not there yet."""
    source = VIRTUAL_PI / "kernel"
    inputs = [(source / "i2c-panel.c").read_bytes(), (HERE / "hardware.sh").read_bytes()]
    digest = hashlib.sha256(b"\0".join([kernel_version().encode(), *inputs])).hexdigest()[:12]
    path = CACHE / f"i2c-panel-{digest}.ko"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            command = ["nice", str(HERE / "hardware.sh"), kernel_version(), str(source), folder]
            subprocess.run(command, check=True)
            shutil.copy(Path(folder, "i2c-panel.ko"), path)
    return path


def hardware_disk(to: Path, *more: Path) -> None:
    """Writes the disk with the pins and the display, and more files beside."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copy(display_module(), tree / "i2c-panel.ko")
        shutil.copy(VIRTUAL_PI / "agent.py", tree)
        (tree / "box.py").write_text(BOX)
        (tree / "start").write_text(START)
        (tree / "start").chmod(0o755)
        for path in more:
            shutil.copy(path, tree)
        size = f"{16 + sum(path.stat().st_size for path in more) * 11 // 10 // (1 << 20)}M"
        subprocess.run(
            ["mke2fs", "-q", "-t", "ext4", "-d", folder, "-L", "HARDWARE", str(to), size], check=True
        )


class CardPi(VirtualPi):
    """A machine with a card in it, which keeps what is written to it while the plug is pulled.

    Attributes:
        card: the card's contents, a file of its own for this machine.
        scoreboard_port: of 127.0.0.1, leads to the scoreboard's in the machine once that has a network.
    """

    def __init__(self, card: Path, hardware: Path) -> None:
        super().__init__(fresh=True)
        self.card = card
        self.scoreboard_port = free_port()
        self._hardware = hardware
        self._starts = 0

    def _start(self) -> None:
        self.power_on()

    def power_on(self) -> None:
        """Starts it, and waits until its system answers."""
        begin = time.monotonic()
        self._starts += 1
        (self._folder / "unit").write_text(UNIT_TEXT)
        (self._folder / "rule").write_text(RULE)
        for wire in ("agent", "monitor"):
            (self._folder / wire).unlink(missing_ok=True)
        credentials = "name=opt/io.systemd.credentials"
        with self.console_log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    # Before others: its clock goes on while it waits for a core, and a press becomes a hold.
                    "nice", "-n", "-10", "setpriv", "--pdeathsig", "KILL", "qemu-system-aarch64",
                    "-M", "virt", "-cpu", "cortex-a72", "-accel", "tcg,thread=multi",
                    "-smp", "2", "-m", MEMORY, "-nodefaults", "-no-user-config", "-display", "none",
                    "-serial", "stdio", "-bios", str(UBOOT),
                    "-drive", f"if=none,id=hardware,file={self._hardware},format=raw,readonly=on",
                    "-device", "virtio-blk-device,drive=hardware",
                    "-drive", f"if=none,id=card,file={self.card},format=raw",
                    "-device", "virtio-blk-device,drive=card",
                    "-device", "virtio-rng-device", "-device", "virtio-serial-device",
                    # A sound card for the voice.
                    "-audiodev", "none,id=sound", "-device", "qemu-xhci,id=usb",
                    "-device", "usb-audio,audiodev=sound",
                    # A cable, which leads to 127.0.0.1 of this machine under the name 10.0.2.2.
                    "-netdev", f"user,id=cable,hostfwd=tcp:127.0.0.1:{self.scoreboard_port}-:8090",
                    "-device", "virtio-net-device,netdev=cable",
                    "-chardev", f"socket,id=monitor,path={self._folder}/monitor,server=on,wait=off",
                    "-mon", "chardev=monitor,mode=control",
                    "-chardev", f"socket,id=agent,path={self._folder}/agent,server=on,wait=off",
                    "-device", "virtserialport,chardev=agent,name=shutthebox.agent",
                    "-fw_cfg", f"{credentials}/systemd.extra-unit.{UNIT},file={self._folder}/unit",
                    "-fw_cfg", f"{credentials}/udev.rules.hardware,file={self._folder}/rule",
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        self._connect(begin + BOOT_S)
        self.boot_s = time.monotonic() - begin

    def pull_plug(self) -> None:
        """Ends the machine in mid-instruction; the card stays."""
        assert self._process is not None
        assert self._agent is not None
        self._agent.close()
        self._agent = None
        self._rest = b""
        self._process.kill()
        self._process.wait()
        self._process = None

    def run(
        self,
        command: str | list[str],
        *,
        timeout: float = BOOT_S,
        check: bool = True,
        env: dict[str, str] | None = None,
    ) -> Done:
        """As of any virtual Pi, with the patience that an emulated arm64 on a busy machine takes."""
        return super().run(command, timeout=timeout, check=check, env=env)

    def boot_id(self) -> str:
        """Another one after every start. A machine that is about to start anew may never answer."""
        answer = self._ask({"do": "read", "path": "/proc/sys/kernel/random/boot_id"}, 60)
        return base64.b64decode(answer["data"]).decode().strip()

    def await_restart(self, before: str) -> None:
        """Waits until the system has started anew, by itself, since it had this boot id."""
        until = time.monotonic() + BOOT_S
        while True:
            try:
                self._connect(until)
                if self.boot_id() != before:
                    return
            except (TimeoutError, ValueError):
                pass  # an answer that was cut off in the middle, or never came
            assert time.monotonic() < until, f"it has not started anew within {BOOT_S} s\n{self.console()}"
            time.sleep(1)

    @property
    def console_log(self) -> Path:
        """The output of U-Boot, the kernel and systemd since it was switched on."""
        return self._folder / "console.log"


def make_card(to: Path, files: dict[str, str]) -> None:
    """Writes the image on a card of 2 GiB, and these files on its first partition, as its owner does."""
    subprocess.run(["cp", "--sparse=always", str(BUILD / "card.img"), str(to)], check=True)
    os.truncate(to, CARD_BYTES)
    write_files(to, files)


def write_files(card: Path, files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text)
            command = ["mcopy", "-o", "-i", f"{card}@@{BOOT_AT}", str(Path(folder, name)), f"::{name}"]
            subprocess.run(command, check=True)
