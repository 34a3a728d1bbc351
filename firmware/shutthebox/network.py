"""This machine's network addresses, readable even by a daemon without network access.

systemd-networkd writes its leases to world-readable files. For NetworkManager the package installs a script
that does the same (`systemd/networkmanager-address`). Only commands with network access ask the kernel.
"""

import os
import re
import socket
from contextlib import suppress
from pathlib import Path

LEASES = ("run/systemd/netif/leases/*", "run/shutthebox-network/*")
"""Files with a line ADDRESS=..., one for each network."""


def addresses(machine: Path = Path("/")) -> tuple[str, ...]:
    """The IPv4 addresses of this machine, and its name; nothing without a network.

    Args:
        machine: where the files of the machine are found.
    """
    found: list[str] = []
    for lease in sorted(path for pattern in LEASES for path in machine.glob(pattern)):
        with suppress(OSError):
            found += re.findall(r"^ADDRESS=([0-9.]+)$", lease.read_text("utf-8", "replace"), re.MULTILINE)
    return (*dict.fromkeys(found), name()) if found else ()


def address_in_network() -> str:
    """This machine's address as others on its network see it; its name if it has none."""
    return (addresses() or (name(),))[0]


def name() -> str:
    """The machine's name in its network."""
    return f"{os.uname().nodename.partition('.')[0]}.local"


def address_of_process() -> str:
    """The address from which this process reaches others; the machine's name without a network."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: only the way there is looked up
        return str(probe.getsockname()[0])
    return name()
