"""The link to another box: whether its helper is running, and the broker accepts this box."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

from shutthebox.adapters.link_socket import SOCKET
from shutthebox.cli.doctor.result import CheckResult, failed, passed, skipped
from shutthebox.config.schema import Config, LinkConfig
from shutthebox.files import reason

SOCKETS = Path("/proc/net/unix")
_CONNECTED = "03"

_PATIENCE_S = 5.0
"""Seconds to wait for each answer from the broker."""

_CONNECT, _ACCEPTED = 0x10, b"\x20\x02\x00\x00"
"""MQTT 3.1.1: the first byte of CONNECT, and the CONNACK that accepts it."""

_REFUSALS = dict.fromkeys((4, 5), "the broker refuses: are link.user and link.password right?")


def check_link(config: Config) -> Iterator[CheckResult]:
    """Whether this box could meet another one now; no results if linked play is off."""
    if config.link.on:
        yield _helper(config.link_socket or SOCKET)
        yield _broker(config.link)


def _helper(path: Path) -> CheckResult:
    try:
        lines = [line.split() for line in SOCKETS.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        return skipped("link", f"{SOCKETS}: {error}")
    states = [line[5] for line in lines if line[-1] == str(path)]
    if not states:
        return failed("link", f"{path}: the box doesn't listen there; systemctl status shutthebox")
    if _CONNECTED not in states:
        return failed("link", f"{path}: no helper calls there; systemctl status shutthebox-link")
    return passed("link", "the helper is there")


def _broker(link: LinkConfig) -> CheckResult:
    """Connects to the broker, as the helper does, and hangs up."""
    host, port, is_encrypted = link.address
    where = f"{host}:{port}"
    try:
        tls = ssl.create_default_context(cafile=link.ca or None) if is_encrypted else None
    except OSError as error:
        return failed("broker", f"link.ca: {link.ca}: {reason(error)}")
    try:
        with socket.create_connection((host, port), _PATIENCE_S) as plain, _wrap(plain, tls, host) as wire:
            wire.sendall(_hello(link.user, link.password))
            answer = wire.recv(len(_ACCEPTED))
    except ssl.SSLCertVerificationError as error:
        return failed("broker", f"{where}: certificate verify failed: {error.verify_message}")
    except OSError as error:
        return failed("broker", f"{where}: {reason(error)}")
    if answer == _ACCEPTED:
        return passed("broker", f"{where} lets this box in")
    return failed("broker", f"{where}: {_REFUSALS.get(answer[-1] if answer else 0, 'not an MQTT broker')}")


def _wrap(plain: socket.socket, tls: ssl.SSLContext | None, host: str) -> socket.socket:
    return plain if tls is None else tls.wrap_socket(plain, server_hostname=host)


def _hello(user: str, password: str) -> bytes:
    """A CONNECT packet with an empty client id and a clean session."""
    texts = ["", user, password] if user else [""]
    flags = 0xC2 if user else 0x02
    body = _field("MQTT") + bytes([4, flags, 0, 30]) + b"".join(map(_field, texts))
    length = len(body)
    size = bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])
    return bytes([_CONNECT]) + size + body


def _field(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(2, "big") + data
