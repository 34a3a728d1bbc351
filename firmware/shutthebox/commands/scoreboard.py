"""`shutthebox scoreboard`: a page with the scores, for everybody to read."""

import argparse
import sys
from pathlib import Path
from typing import Any

from shutthebox import config as configuration
from shutthebox.config import Config, ConfigError
from shutthebox.files import check_folder
from shutthebox.web import LOOPBACK, listen


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
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves the page until it is told to stop."""
    # Imported here: the other commands need no web server.
    from shutthebox.platform.scores import scores_folder
    from shutthebox.platform.systemd import passed_socket
    from shutthebox.scoreboard.server import ScoreboardServer

    config = configuration.read(args.config) if args.config else _usual()
    if args.state is not None:
        check_folder(args.state, "--state")
    folder = args.state or scores_folder(config)
    listener = passed_socket() or listen(args.port, args.listen)
    with ScoreboardServer(listener, folder, config.box.language) as server:
        host, port = server.socket.getsockname()[:2]
        print(f"The scores are at http://{f'[{host}]' if ':' in host else host}:{port}/", flush=True)
        server.serve()
    return 0


def _usual() -> Config:
    """The box's own configuration. One that cannot be used keeps the page up, as it does the box."""
    try:
        return configuration.usual()
    except ConfigError as error:
        print(f"shutthebox: {error}; showing what the built-in configuration would", file=sys.stderr)
        return Config()
