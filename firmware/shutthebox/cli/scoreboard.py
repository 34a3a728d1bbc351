"""`shutthebox scoreboard`: a page with the scores, for everybody to read."""

import argparse
import re
import socket
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path

from shutthebox.cli.own_config import own_config_or_default
from shutthebox.cli.parser import Subparsers
from shutthebox.config.schema import read_config
from shutthebox.errors import shown
from shutthebox.files import check_folder
from shutthebox.web.http import LOOPBACK, listen


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "scoreboard",
        help="a page with the scores, which can only be read",
        description="Serves a page with the match as it goes, the best results and the rules, to everybody "
        "who can reach it. Nothing can be changed there. It fills a television; its QR code leads telephones "
        "to the rules. Under systemd, shutthebox-scoreboard.socket starts it.",
        example="shutthebox scoreboard --listen :: --name box.local",
    )
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.add_argument(
        "--state", metavar="DIR", type=Path, help="where the box writes its scores; default: its own folder"
    )
    parser.add_argument(
        "--port", metavar="N", type=int, default=8090, help="of the page; default: 8090; 0: a free one"
    )
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        default=LOOPBACK,
        help="of this machine, in numbers; :: is all of them; default: only this machine sees the page",
    )
    parser.add_argument(
        "--name",
        metavar="HOST",
        type=_host_name,
        action="append",
        default=[],
        help="another name by which visitors reach this machine, such as box.local; may be repeated. The "
        "page is refused to those who ask for any name but the machine's addresses, its host name, that "
        "name with .local, and these",
    )
    parser.set_defaults(run=run)


def _host_name(text: str) -> str:
    if len(text) > 253 or not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", text):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not allowed; allowed is a host name: box.local")
    return text


def run(args: argparse.Namespace) -> int:
    """Serves the page until it is told to stop."""
    # Imported here: the other commands need no web server.
    from shutthebox.adapters.systemd import passed_socket
    from shutthebox.web.scoreboard.server import ScoreboardServer

    config = read_config(args.config) if args.config else own_config_or_default("showing what")
    if args.state is not None:
        check_folder(args.state, "--state")
    folder = args.state or config.scores_folder
    listener = passed_socket() or listen(args.port, args.listen)
    own = socket.gethostname()
    names = sorted({own, f"{own.partition('.')[0]}.local", *args.name})
    with ScoreboardServer(listener, folder, config.box.language, names) as server:
        address, port = server.socket.getsockname()[:2]
        print("\n".join(_opened(address, port, names)), flush=True)
        server.serve()
    return 0


def _opened(address: str, port: int, names: Sequence[str]) -> Iterator[str]:
    """The lines that say where the page is, and to whom it is open."""
    yield f"The scores are at http://{f'[{address}]' if ':' in address else address}:{port}/"
    found = ip_address(address)
    if found.is_loopback:
        yield "Only this machine can read them."
        return
    reach = "this machine" if found.is_unspecified else "this address"
    yield f"Everybody who can reach {reach} can read scores and initials, and do nothing else."
    yield f"It answers to its addresses and to these names: {', '.join(names)}. More with --name."
