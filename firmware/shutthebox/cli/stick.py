"""`shutthebox stick`: offers a USB stick to the box. systemd starts it when one is inserted."""

import argparse
import logging
from pathlib import Path

from shutthebox.adapters.stick_socket import SOCKET
from shutthebox.cli.own_config import load_config_or_default
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.stats import add_options, store_folder


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox stick`, which udev starts for a USB stick."""
    parser = subparsers.add_parser(
        "stick",
        help="offer a USB stick to the box",
        description="The system runs this when a stick is put in, with the rights to mount "
        "it. Tells the box what is on it, and does what the owner chooses. Stops "
        "when the stick is pulled out.",
        example="sudo shutthebox stick /dev/sda1",
    )
    parser.add_argument(
        "device", metavar="DEVICE", type=Path, help="a partition, or a disk without partitions"
    )
    parser.add_argument(
        "--socket",
        metavar="FILE",
        type=Path,
        default=SOCKET,
        help=f"the box's socket; default: {SOCKET}",
    )
    add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves the box until the stick is removed."""
    from shutthebox.owner.stick.helper import serve

    logging.getLogger().setLevel(logging.INFO)
    language = load_config_or_default(None, "saving what").box.language
    serve(args.device, args.socket, store_folder(args), language)
    return 0
