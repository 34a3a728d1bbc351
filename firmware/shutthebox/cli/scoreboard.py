"""`shutthebox scoreboard`: a page with the scores, for everybody to read."""

import argparse
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from shutthebox.config.schema import Config, ConfigError, box_config, read_config
from shutthebox.errors import shown
from shutthebox.files import check_folder
from shutthebox.web.http import LOOPBACK, listen


def add_parser(subparsers: Any) -> None:  # noqa: ANN401  (argparse does not name its type)
    """Adds the command."""
    parser = subparsers.add_parser("scoreboard", help="a page with the scores, which can only be read")
    parser.add_argument("--config", metavar="F", type=Path, help="a config file; default: the box's own")
    parser.add_argument("--state", metavar="DIR", type=Path, help="where the box writes its scores")
    parser.add_argument("--port", metavar="N", type=int, default=8090, help="of the page; 0: a free one")
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        default=LOOPBACK,
        help="of this machine; :: is all of them; default: this machine only",
    )
    parser.add_argument(
        "--name",
        metavar="HOST",
        type=_host_name,
        action="append",
        default=[],
        help="another name by which visitors reach this machine, such as box.local; may be repeated",
    )
    parser.set_defaults(run=run)


def _host_name(text: str) -> str:
    if len(text) > 253 or not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", text):
        raise argparse.ArgumentTypeError(f"{shown(text)} is not allowed; allowed is a host name: box.local")
    return text


def run(args: argparse.Namespace) -> int:
    """Serves the page until it is told to stop."""
    # Imported here: the other commands need no web server.
    from shutthebox.adapters.store.scores_file import scores_folder
    from shutthebox.adapters.systemd import passed_socket
    from shutthebox.web.scoreboard.server import ScoreboardServer

    config = read_config(args.config) if args.config else _usual()
    if args.state is not None:
        check_folder(args.state, "--state")
    folder = args.state or scores_folder(config)
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


def _usual() -> Config:
    """The box's own configuration. One that cannot be used keeps the page up, as it does the box."""
    try:
        return box_config()
    except ConfigError as error:
        print(f"shutthebox: {error}; showing what the built-in configuration would", file=sys.stderr)
        return Config()
