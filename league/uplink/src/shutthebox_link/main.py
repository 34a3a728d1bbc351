"""The `shutthebox-link` command. Exits with 0 if all is well, 1 for a fault, 2 for wrong use."""

import argparse
import logging
import os
import signal
import ssl
import sys
from collections.abc import Sequence
from pathlib import Path

from shutthebox.adapters.link_socket import SOCKET
from shutthebox.adapters.systemd import Systemd
from shutthebox.config.schema import CONFIG_FILE, LinkConfig, read_config, with_files_beside
from shutthebox.errors import ShutTheBoxError, one_line
from shutthebox.files import reason
from shutthebox_link.helper import BrokerAddress, Helper
from shutthebox_link.key_store import KeyStore
from shutthebox_uplink import __version__

STATE = Path(os.environ.get("STATE_DIRECTORY", "/var/lib/shutthebox-link"))


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the link's helper until SIGTERM or SIGINT; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="shutthebox-link", description="Carries a match between this box and another one."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    for option, metavar, default, what in (
        ("--config", "F", CONFIG_FILE, "with a section [link]"),
        ("--socket", "F", SOCKET, "of the box"),
        ("--state", "DIR", STATE, "for the keys of matches"),
    ):
        parser.add_argument(
            option, metavar=metavar, type=Path, default=default, help=f"{what}; default: {default}"
        )
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        return _run(args)
    except ShutTheBoxError as error:
        print(f"shutthebox-link: {one_line(str(error))}", file=sys.stderr)
        return error.exit_code


def _run(args: argparse.Namespace) -> int:
    # systemd passes only the configuration file.
    config = with_files_beside(read_config(args.config), CONFIG_FILE.parent).link
    if not config.on:
        raise ShutTheBoxError(f"{args.config}: link.on: is false; the link's helper needs true")
    if not args.state.is_dir():
        raise ShutTheBoxError(f"--state: {args.state}: is not a folder")
    helper = Helper(args.socket, broker_address(config), KeyStore(args.state))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: helper.inbox.put(None))
    systemd = Systemd()
    systemd.ready()
    helper.run(systemd.alive, systemd.status)
    systemd.stopping()
    return 0


def broker_address(config: LinkConfig) -> BrokerAddress:
    """Where the broker is.

    Raises:
        ShutTheBoxError: if its certificate can't be read.
    """
    host, port, is_encrypted = config.address
    tls = None
    if is_encrypted:
        try:
            tls = ssl.create_default_context(cafile=config.ca or None)
        except OSError as error:
            why = f"link.ca: {config.ca}: {reason(error)}; use a certificate as PEM"
            raise ShutTheBoxError(why) from None
        tls.minimum_version = ssl.TLSVersion.TLSv1_2
    return BrokerAddress(host, port, tls, config.user, config.password)


if __name__ == "__main__":
    sys.exit(main())
