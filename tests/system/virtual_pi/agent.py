"""Runs inside the guest: carries out what the host asks for over a virtio-serial port.

One JSON object a line in both directions. Every request has an ``id``, and its answer the same
one; each is carried out in its own thread, so that a line can be moved while a command runs.
Only the standard library, and only what the Python of the oldest supported Debian has.
"""

import base64
import json
import os
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

PORT = "/dev/virtio-ports/shutthebox.agent"
CONFIG = Path("/sys/kernel/config/gpio-sim")
#: Kept here after the guest is up: where each chip's lines can be moved and read.
SIMULATED: dict[str, Path] = {}


def make_chip(label: str, lines: int) -> None:
    """Makes a GPIO chip that is nothing but software, and remembers where its lines are."""
    top = CONFIG / label
    bank = top / "bank0"
    bank.mkdir(parents=True)
    (bank / "num_lines").write_text(str(lines))
    (bank / "label").write_text(label)
    (top / "live").write_text("1")
    device = (top / "dev_name").read_text().strip()
    chip = (bank / "chip_name").read_text().strip()
    SIMULATED[label] = Path("/sys/devices/platform") / device / chip


def become_a_pi(revision: str, chips: dict[str, int]) -> None:
    """Puts a Pi's revision into /proc/cpuinfo and makes its GPIO chips."""
    real = Path("/proc/cpuinfo").read_text()
    fake = Path("/run/cpuinfo")
    fake.write_text(f"{real}\nHardware\t: BCM2835\nRevision\t: {revision}\nSerial\t\t: 0000000000000000\n")
    subprocess.run(["mount", "--bind", str(fake), "/proc/cpuinfo"], check=True)
    for label, lines in chips.items():
        make_chip(label, lines)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    do = request["do"]
    if do == "run":
        return run(request)
    if do == "write":
        path = Path(request["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if request.get("more") else "wb") as file:
            file.write(base64.b64decode(request["data"]))
        path.chmod(request.get("mode", 0o644))
        return {}
    if do == "read":
        data = Path(request["path"]).read_bytes()
        return {"data": base64.b64encode(data).decode()}
    if do == "panel":
        with Path("/dev/i2c-panel").open("rb", buffering=0) as panel:
            parts = []
            while part := panel.read(1 << 16):
                parts.append(part)
        return {"data": base64.b64encode(b"".join(parts)).decode()}
    if do == "set-line":
        start = time.monotonic_ns()
        (line_folder(request) / "pull").write_text("pull-up" if request["level"] else "pull-down")
        return {"t_ns": start}
    if do == "push":
        # Nothing else that the guest does may make a short push a long one.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        pull = line_folder(request) / "pull"
        pull.write_text("pull-down")
        time.sleep(request["seconds"])
        pull.write_text("pull-up")
        return {}
    if do == "line":
        return {"level": int((line_folder(request) / "value").read_text())}
    if do == "paths":
        return {"paths": {label: str(path) for label, path in SIMULATED.items()}}
    raise ValueError(f"unknown request {do!r}")


def line_folder(request: dict[str, Any]) -> Path:
    """The folder in which a line of a simulated chip is moved and read."""
    return SIMULATED[request["chip"]] / f"sim_gpio{request['offset']}"


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Runs a command to its end, or kills it with all its children when its time is up."""
    with subprocess.Popen(
        request["command"],
        shell=isinstance(request["command"], str),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=request.get("cwd"),
        env={**os.environ, **request.get("env", {})},
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=request.get("timeout"))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            err += b"\nkilled: time is up\n"
    return {
        "code": process.returncode,
        "out": out.decode(errors="replace"),
        "err": err.decode(errors="replace"),
    }


def serve() -> None:
    port = os.open(PORT, os.O_RDWR)
    lock = threading.Lock()

    def handle(line: bytes) -> None:
        number = None
        try:
            request = json.loads(line)
            number = request["id"]
            reply = {"id": number, **answer(request)}
        except Exception:
            reply = {"id": number, "error": traceback.format_exc()}
        data = json.dumps(reply).encode() + b"\n"
        with lock:
            while data:
                data = data[os.write(port, data) :]

    rest = b""
    while True:
        data = os.read(port, 1 << 16)
        if not data:  # nobody is connected on the host's side
            time.sleep(0.02)
            rest = b""
            continue
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            threading.Thread(target=handle, args=(line,), daemon=True).start()


if __name__ == "__main__":
    settings = json.loads(Path(sys.argv[1]).read_text())
    become_a_pi(settings["revision"], settings["chips"])
    serve()
