"""`shutthebox card`: takes over what the owner has written on the card. Its image runs this at the start."""

import argparse
import hashlib
from pathlib import Path

from shutthebox.cli.parser import Subparsers
from shutthebox.cli.run import try_config
from shutthebox.config.card import Network, read_card
from shutthebox.config.schema import Config, parse_config
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import reason, replace_file, shown_path


class CardError(ShutTheBoxError, RuntimeError):
    """A partition of the card cannot be used; the text says why."""

    exit_code = 1


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "card",
        help="take over the files of the card's first partition",
        description="The image of a card runs this when it starts. Writes what is good of the owner's files, "
        "and the mistakes beside it, where the box finds them and says them.",
        example="sudo shutthebox card /boot/card --to /data",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where it is mounted")
    parser.add_argument("--to", metavar="FOLDER", type=Path, required=True, help="the partition that is kept")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the good files, and the mistakes beside them.

    Raises:
        CardError: if a folder cannot be read or written.
    """
    try:
        return _take_over(args)
    except OSError as error:
        raise CardError(f"card: {shown_path(Path(error.filename or args.to))}: {reason(error)}") from None


def _take_over(args: argparse.Namespace) -> int:
    card = read_card(args.folder, _playable)
    to: Path = args.to
    if card.config is not None:
        _write(to / "etc/config.toml", card.config)
    if card.network is not None:
        for name, text in network_files(card.network).items():
            _write(to / "network" / name, text, 0o600)
    if card.keys is not None:
        _write(to / "ssh/authorized_keys", "".join(f"{key}\n" for key in card.keys), 0o600)
    _write(to / "card/mistakes.txt", "".join(f"{mistake}\n" for mistake in card.mistakes))
    for mistake in card.mistakes:
        print(mistake)
    return 0


def _playable(text: str, where: str) -> Config:
    config = parse_config(text, where)
    try_config(config, where)
    return config


def network_files(network: Network) -> dict[str, str]:
    """The files for systemd-networkd and wpa_supplicant, by name; none without a network to join."""
    files = {"cable.network": "", "wifi.network": "", "wpa_supplicant-wlan0.conf": ""}
    if network.cable:
        files["cable.network"] = _dhcp("Type=ether\nKind=!*")
    if network.wifi:
        files["wifi.network"] = _dhcp("Name=wlan0")
        # In hexadecimal there is nothing to quote.
        name = network.wifi.encode()
        secret = "key_mgmt=NONE"
        if network.password:
            secret = "psk=" + hashlib.pbkdf2_hmac("sha1", network.password.encode(), name, 4096, 32).hex()
        files["wpa_supplicant-wlan0.conf"] = (
            f"country={network.country}\nnetwork={{\n\tssid={name.hex()}\n\tscan_ssid=1\n\t{secret}\n}}\n"
        )
    return files


def _dhcp(match: str) -> str:
    return f"[Match]\n{match}\n[Network]\nDHCP=yes\n[DHCPv4]\nUseMTU=yes\n"


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    """Writes all of it or nothing, even if the plug is pulled."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(), mode=mode, durable=True)
