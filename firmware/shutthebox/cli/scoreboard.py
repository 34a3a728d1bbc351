"""`shutthebox scoreboard`: a page with the scores."""

import argparse
from pathlib import Path

from shutthebox.cli.own_config import add_config_option, load_config_or_default
from shutthebox.cli.parser import Subparsers
from shutthebox.config.schema import Config
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import check_folder, make_folder, reason, shown_path


def add_parser(subparsers: Subparsers) -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "scoreboard",
        help="show a read-only page with the scores",
        description="Shows a page with the match as it goes, the best results and the rules, "
        "on this machine only. The box writes it as a folder of files, which any "
        "web server can show to others. On a box, lighttpd does so, started by "
        "shutthebox-scoreboard.socket.",
        example="shutthebox scoreboard --port 0",
    )
    add_config_option(parser)
    parser.add_argument(
        "--state", metavar="DIR", type=Path, help="where the box writes its scores; default: its own folder"
    )
    parser.add_argument(
        "--port", metavar="N", type=int, default=8090, help="port of the page; default: 8090; 0: a free one"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="only write the files that don't change while the box runs (the style, and the "
        "rules of every game) for another web server; none if the scoreboard is off",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serves the page until told to stop."""
    # Imported here: the other commands need no web server.
    from shutthebox.config.settings_loader import DEFAULT_LEVERS, settings_for
    from shutthebox.web.http import listen
    from shutthebox.web.scoreboard.folder import FOLDER_NAME, ScoreboardFolder, offered, own_address
    from shutthebox.web.scoreboard.server import ScoreboardServer

    config = load_config_or_default(args.config, "showing what")
    if args.write and not config.scoreboard.on:
        print("The scoreboard is off: [scoreboard] on = true in the configuration switches it on.")
        return 0
    if args.state is not None:
        check_folder(args.state, "--state")
    folder = (args.state or config.scores_folder) / FOLDER_NAME
    try:
        settings = settings_for(config, config.box.levers or DEFAULT_LEVERS, "the configuration")
    except ShutTheBoxError:
        settings = settings_for(Config(), DEFAULT_LEVERS, "")  # as the box does
    listener = None if args.write else listen(args.port)
    make_folder(folder.parent, "--state")
    try:
        pages = ScoreboardFolder(folder, offered(config, settings.levers))
        pages.write_lasting(settings.profiles, own_address() if args.write else None)
    except OSError as error:
        raise ShutTheBoxError(f"{shown_path(folder)}: {reason(error)}") from None
    if listener is None:
        return 0
    with ScoreboardServer(listener, folder) as server:
        port = server.server_address[1]
        print(f"The scores are at http://127.0.0.1:{port}/\nOnly this machine can read them.", flush=True)
        server.serve_forever()
    return 0
