"""`shutthebox scoreboard`: a folder with the scores, for any web server."""

import argparse
import shlex
from pathlib import Path

from shutthebox.cli.own_config import add_config_option, load_config_or_default
from shutthebox.cli.parser import Subparsers
from shutthebox.config.schema import Config
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import check_folder, make_folder, reason, shown_path


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox scoreboard`."""
    parser = subparsers.add_parser(
        "scoreboard",
        help="write the pages with the scores and the rules",
        description="Writes the files of the scoreboard that don't change while the box runs (the style, and "
        "the rules of every game) beside those that the box writes during a match, and says "
        "how to show the folder in a browser. On a box, lighttpd shows it, started by "
        "shutthebox-scoreboard.socket. Writes nothing if the scoreboard is off.",
        example="shutthebox scoreboard",
    )
    add_config_option(parser)
    parser.add_argument(
        "--state", metavar="DIR", type=Path, help="where the box writes its scores; default: its own folder"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the folder, and prints the command that shows it."""
    # Imported here: the other commands need no pages.
    from shutthebox.config.settings_loader import DEFAULT_LEVERS, settings_for
    from shutthebox.web.scoreboard.folder import FOLDER_NAME, PORT, ScoreboardFolder, offered, own_address

    config = load_config_or_default(args.config, "showing what")
    if args.state is not None:
        check_folder(args.state, "--state")
    if not config.scoreboard.on:
        print("The scoreboard is off: [scoreboard] on = true in the configuration switches it on.")
        return 0
    folder = (args.state or config.scores_folder) / FOLDER_NAME
    try:
        settings = settings_for(config, config.box.levers or DEFAULT_LEVERS, "the configuration")
    except ShutTheBoxError:
        settings = settings_for(Config(), DEFAULT_LEVERS, "")  # as the box does
    make_folder(folder.parent, "--state")
    try:
        pages = ScoreboardFolder(folder, offered(config, settings.levers))
        pages.write_lasting(settings.profiles, own_address())
    except OSError as error:
        raise ShutTheBoxError(f"{shown_path(folder)}: {reason(error)}") from None
    print(f"The scoreboard is in {shown_path(folder)}.")
    print(f"To see it at http://127.0.0.1:{PORT}/ on this machine:")
    print(f"python3 -m http.server --bind 127.0.0.1 --directory {shlex.quote(str(folder))} {PORT}")
    return 0
