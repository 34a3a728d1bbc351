"""Doctor check of the network: whether a connected machine has been given an address."""

import fcntl
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from shutthebox.cli.doctor.result import CheckResult, failed, passed
from shutthebox.config.schema import Config

INTERFACES = Path("/sys/class/net")
LINKS = Path("/run/systemd/netif/links")
"""Where systemd-networkd, which a card uses, keeps a file for each interface, by its number."""

_ETHERNET = "1"
_SIOCGIFADDR = 0x8915


def check_network(config: Config) -> Iterator[CheckResult]:
    """Whether each interface that is connected, or that has a network configured, has an address.

    No results on a machine without a network.
    """
    for folder in sorted(INTERFACES.glob("*")):
        if _text(folder / "type") != _ETHERNET or (folder / "master").exists():
            continue
        name, address = folder.name, _address(folder.name)
        is_connected = _text(folder / "carrier") == "1"
        if address is not None:
            yield passed("network", f"{name} has the address {address}")
        elif is_connected:
            yield failed("network", f"{name} is connected, but has no address: does the router give it one?")
        elif _is_configured(folder):
            remedy = "is its cable in, are the Wi-Fi's name and password right?"
            yield failed("network", f"{name} is configured, but not connected: {remedy}")


def _address(interface: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            answer = fcntl.ioctl(any_socket, _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
        except OSError:  # it has none
            return None
    return socket.inet_ntoa(answer[20:24])


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:  # the interface has just gone, or doesn't say while it's down
        return ""


def _is_configured(interface: Path) -> bool:
    return "\nNETWORK_FILE=" in _text(LINKS / _text(interface / "ifindex"))
