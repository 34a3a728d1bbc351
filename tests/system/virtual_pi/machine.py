"""The running guest, as tests use it."""

from __future__ import annotations

import base64
import contextlib
import functools
import io
import itertools
import json
import os
import shlex
import shutil
import socket
import struct
import subprocess
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from . import image
from .build import FIRST_WORDS

MEMORY = "512M"
SNAPSHOT = "ready"
#: Until systemd is up, under emulation on a machine that is busy with others.
BOOT_S = 900
#: Until a kernel on a working KVM has reached its first program; it takes about a second.
TRIAL_S = 15
_USB = ("-device", "qemu-xhci,id=usb")
HEADER_CHIP = next(iter(image.CHIPS))


@dataclass(frozen=True)
class Done:
    """How a command in the guest ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class PanelWrite:
    """One message that the display was sent: when (guest's CLOCK_MONOTONIC, ns), and what."""

    time_ns: int
    data: bytes


class VirtualPi:
    """A machine under Debian's kernel and systemd that takes itself for a Pi 4.

    Used as a context manager, which kills it in any case. It starts from a memory image taken
    after the first boot, so it is there within seconds; nothing that a test does to it remains.
    """

    def __init__(self, *, fresh: bool = False) -> None:
        """Args: ``fresh`` boots from the disk instead of from the memory image."""
        self._fresh = fresh
        self._folder = Path(tempfile.mkdtemp(prefix="virtual-pi-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._agent: socket.socket | None = None
        self._rest = b""
        self._ids = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self.boot_s = 0.0

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- what tests do with it

    def run(
        self,
        command: str | list[str],
        *,
        timeout: float = 60,
        check: bool = True,
        env: dict[str, str] | None = None,
    ) -> Done:
        """Runs a command, as a shell line or a list of words, as root.

        Raises:
            AssertionError: It ended with another code than 0, and ``check`` was left on.
            TimeoutError: It took longer than ``timeout`` seconds, and was killed in the guest.
        """
        reply = self._ask(
            {"do": "run", "command": command, "timeout": timeout, "env": env or {}}, timeout + 30
        )
        done = Done(reply["code"], reply["out"], reply["err"])
        if "killed: time is up" in done.err:
            raise TimeoutError(f"{command} took more than {timeout} s\n{done.out}{done.err}")
        if check and done.code:
            raise AssertionError(f"{command} ended with {done.code}\n{done.out}{done.err}")
        return done

    def copy_in(self, path: Path, to: str) -> None:
        """Copies a file to the path ``to``, or a folder's contents into the folder ``to``."""
        if path.is_file():
            self._write(to, path.read_bytes(), path.stat().st_mode & 0o777)
            return
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(path, arcname=".", filter=_worth_copying)
        self._write("/run/copied.tar", packed.getvalue(), 0o600)
        folder = shlex.quote(to)
        self.run(f"mkdir -p {folder} && tar -xf /run/copied.tar -C {folder} && rm /run/copied.tar")

    def write(self, to: str, text: str, mode: int = 0o644) -> None:
        self._write(to, text.encode(), mode)

    def read(self, path: str) -> bytes:
        return base64.b64decode(self._ask({"do": "read", "path": path})["data"])

    def set_line(self, offset: int, level: int, chip: str = HEADER_CHIP) -> int:
        """Moves an input from outside, as a switch does; returns when, in the guest's ns."""
        reply = self._ask({"do": "set-line", "chip": chip, "offset": offset, "level": level})
        return int(reply["t_ns"])

    def push(self, offset: int, seconds: float = 0.12) -> None:
        """Pushes a button for so long, by the guest's clock."""
        self._ask({"do": "push", "chip": HEADER_CHIP, "offset": offset, "seconds": seconds})

    def line(self, offset: int, chip: str = HEADER_CHIP) -> int:
        """The level on a line, driven from either side: 0 or 1."""
        return int(self._ask({"do": "line", "chip": chip, "offset": offset})["level"])

    def panel_log(self) -> list[PanelWrite]:
        """Everything written to the display since the last call."""
        raw = base64.b64decode(self._ask({"do": "panel"})["data"])
        found = []
        while raw:
            time_ns, length = struct.unpack_from("=QI", raw)
            found.append(PanelWrite(time_ns, raw[12 : 12 + length]))
            raw = raw[12 + length :]
        return found

    def put_in_stick(self, image: Path, *, protected: bool = False) -> None:
        """Puts a USB stick with this content into the machine; what is written goes into the file."""
        file = {"driver": "file", "filename": str(image)}
        disk = {"driver": "raw", "read-only": protected, "file": file}
        rate = {"throttle-group": "stick-rate", "read-only": protected, "file": disk}
        self._command("object-add", **{"qom-type": "throttle-group", "id": "stick-rate"})
        self._command("blockdev-add", **{"node-name": "stick", "driver": "throttle", **rate})
        self._command("device_add", driver="usb-storage", id="stick", drive="stick", removable=True)

    def pull_out_stick(self) -> None:
        """Pulls it out, whatever is being done with it."""
        self._command("device_del", id="stick")
        until = time.monotonic() + 30
        while True:
            try:
                self._command("blockdev-del", **{"node-name": "stick"})
                self._command("object-del", id="stick-rate")
                return
            except RuntimeError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def stall_stick(self) -> None:
        """From now on it takes no more than a byte a second."""
        limits = {"bps-write": 1}
        self._command("qom-set", path="/objects/stick-rate", property="limits", value=limits)

    def _command(self, name: str, **arguments: Any) -> Any:
        """Asks QEMU's monitor; returns its answer."""
        with contextlib.closing(_unix(self._folder / "monitor")) as monitor, monitor.makefile("rw") as talk:
            self._monitor(talk, {"execute": "qmp_capabilities"})
            return self._monitor(talk, {"execute": name, "arguments": arguments})["return"]

    def close(self) -> None:
        """Kills the guest and removes everything it has written."""
        if self._agent is not None:
            self._agent.close()
            self._agent = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)

    # -- starting

    def _start(self) -> None:
        begin = time.monotonic()
        kernel, initramfs, disk = image.disk()
        # A memory image fits only the processor that it was taken on.
        machine = [MEMORY, _qemu(), *_processor(kernel, initramfs), *_USB]
        saved = image.cache() / f"saved-{image.digest([disk.name, kernel.parent.name, *machine])}.qcow2"
        if self._fresh or not saved.exists():
            self._overlay(disk, self._folder / "disk.qcow2")
            self._launch(kernel, initramfs, self._folder / "disk.qcow2")
            self._await_boot()
            if not saved.exists():
                self._save(saved)
        else:
            shutil.copyfile(saved, self._folder / "disk.qcow2")
            self._launch(kernel, initramfs, self._folder / "disk.qcow2", "-loadvm", SNAPSHOT)
            self._connect(begin + BOOT_S)
        self.boot_s = time.monotonic() - begin

    @staticmethod
    def _overlay(disk: Path, to: Path) -> None:
        command = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(disk), str(to)]
        subprocess.run(command, check=True)

    def _launch(self, kernel: Path, initramfs: Path, disk: Path, *more: str) -> None:
        log = (self._folder / "console.log").open("wb")
        with log:
            self._process = subprocess.Popen(
                [
                    *_command(_processor(kernel, initramfs), kernel, initramfs),
                    "-drive", f"file={disk},if=virtio,format=qcow2,cache=unsafe",
                    "-device", "virtio-serial-pci", "-device", "virtio-rng-pci", *_USB,
                    "-chardev", f"socket,id=agent,path={self._folder}/agent,server=on,wait=off",
                    "-device", "virtserialport,chardev=agent,name=shutthebox.agent",
                    "-chardev", f"socket,id=monitor,path={self._folder}/monitor,server=on,wait=off",
                    "-mon", "chardev=monitor,mode=control",
                    *more,
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def _await_boot(self) -> None:
        self._connect(time.monotonic() + BOOT_S)
        state = self.run("systemctl is-system-running --wait", timeout=BOOT_S, check=False)
        if state.out.strip() not in ("running", "degraded"):
            raise RuntimeError(f"the guest did not come up: {state}\n{self.console()}")

    def console(self) -> str:
        """The output of the kernel and systemd."""
        return (self._folder / "console.log").read_text(errors="replace")

    def _connect(self, until: float) -> None:
        while True:
            assert self._process is not None
            if self._process.poll() is not None:
                raise RuntimeError(f"qemu ended with {self._process.returncode}\n{self.console()}")
            try:
                if self._agent is None:
                    self._agent = _unix(self._folder / "agent")
                self._ask({"do": "paths"}, 2)
                return
            except (OSError, TimeoutError):
                if time.monotonic() > until:
                    raise RuntimeError(f"the guest does not answer\n{self.console()}") from None
                time.sleep(0.1)

    def _save(self, saved: Path) -> None:
        """Takes the memory image into the overlay and copies that for later starts."""
        if said := self._command("human-monitor-command", **{"command-line": f"savevm {SNAPSHOT}"}):
            raise RuntimeError(f"savevm: {said}")
        self._command("stop")
        part = saved.with_name(f"part-{os.getpid()}-{saved.name}")
        shutil.copyfile(self._folder / "disk.qcow2", part)
        part.rename(saved)
        self._command("cont")

    @staticmethod
    def _monitor(talk: Any, request: dict[str, Any]) -> dict[str, Any]:
        talk.write(json.dumps(request) + "\n")
        talk.flush()
        while True:
            reply: dict[str, Any] = json.loads(talk.readline())
            if "error" in reply:
                raise RuntimeError(f"{request}: {reply['error']}")
            if "return" in reply:
                return reply

    # -- the wire

    def _write(self, to: str, data: bytes, mode: int) -> None:
        step = 1 << 18
        for start in range(0, max(1, len(data)), step):
            part = base64.b64encode(data[start : start + step]).decode()
            self._ask({"do": "write", "path": to, "data": part, "mode": mode, "more": start > 0})

    def _ask(self, request: dict[str, Any], timeout: float = 30) -> dict[str, Any]:
        assert self._agent is not None, "the guest is not running"
        number = next(self._ids)
        until = time.monotonic() + timeout
        self._agent.settimeout(timeout)
        self._agent.sendall(json.dumps({"id": number, **request}).encode() + b"\n")
        while True:
            while b"\n" not in self._rest:
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"the guest did not answer {request['do']!r} within {timeout} s")
                self._agent.settimeout(left)
                data = self._agent.recv(1 << 16)
                if not data:
                    raise ConnectionError("the guest is gone\n" + self.console())
                self._rest += data
            line, _, self._rest = self._rest.partition(b"\n")
            reply: dict[str, Any] = json.loads(line)
            if reply.get("id") != number:
                continue  # the late answer to something given up, or from before the memory image
            if "error" in reply:
                raise RuntimeError(f"in the guest: {reply['error']}")
            return reply


def _unix(path: Path) -> socket.socket:
    wire = socket.socket(socket.AF_UNIX)
    try:
        wire.connect(str(path))
    except OSError:
        wire.close()
        raise
    return wire


def _worth_copying(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = member.name.rpartition("/")[2]
    return None if name in ("__pycache__", ".venv", ".git") or name.endswith(".pyc") else member


def _command(processor: tuple[str, ...], kernel: Path, initramfs: Path) -> list[str]:
    """QEMU without disks and wires; it ends with the process that started it, however that ends."""
    return [
        "setpriv", "--pdeathsig", "KILL", "nice", "qemu-system-x86_64", *processor,
        "-M", "pc", "-smp", "2", "-m", MEMORY, "-nodefaults", "-no-user-config", "-display", "none",
        "-no-reboot", "-kernel", str(kernel), "-initrd", str(initramfs), "-serial", "stdio",
        "-append", "console=ttyS0 quiet panic=-1 random.trust_cpu=on audit=0 mitigations=off",
    ]  # fmt: skip


KVM = ("-accel", "kvm", "-cpu", "host")
EMULATED = ("-accel", "tcg,thread=multi", "-cpu", "max")


@functools.cache
def _processor(kernel: Path, initramfs: Path) -> tuple[str, ...]:
    """KVM if the guest's kernel runs on it, else emulation.

    A /dev/kvm that opens proves nothing: inside some virtual machines it is there, and the
    kernel stands still at its first instructions. So it is tried.
    """
    usable = os.access("/dev/kvm", os.R_OK | os.W_OK)
    return KVM if usable and speaks(_command(KVM, kernel, initramfs), TRIAL_S) else EMULATED


def speaks(machine: list[str], seconds: float) -> bool:
    """Starts a machine and kills it again: whether its kernel has run a program by then."""
    with tempfile.TemporaryFile() as log:
        trial = subprocess.Popen(machine, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end and trial.poll() is None:
                time.sleep(0.05)
                if FIRST_WORDS.encode() in os.pread(log.fileno(), 1 << 16, 0):
                    return True
        finally:
            trial.kill()
            trial.wait()
    return False


def accelerator() -> str:
    """The accelerator of guests here: "kvm" or "tcg"."""
    kernel, initramfs, _ = image.disk()
    return _processor(kernel, initramfs)[1].partition(",")[0]


def _qemu() -> str:
    done = subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]
