"""The `shutthebox` command. Exits with 0 on success, 1 for a fault, 2 for wrong usage."""

import argparse
import importlib
import io
import logging
import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from shutthebox import __version__
from shutthebox.cli.parser import CommandParser
from shutthebox.errors import ShutTheBoxError, one_line

MODULES = {
    "run": "run",
    "sim": "sim",
    "replay": "replay",
    "profiles": "profiles",
    "odds": "odds",
    "review": "review",
    "verify": "verify",
    "stats": "stats",
    "backup": "backup",
    "card": "card",
    "update": "update",
    "stick": "stick",
    "scoreboard": "scoreboard",
    "speech": "speech",
    "services": "services",
    "check-config": "check_config",
    "doctor": "doctor.command",
    "blank": "blank",
}
"""One command of each module. Some modules have a second one."""

_DEBIAN_NAMES = {"PIL": "python3-pil", "gpiod": "python3-libgpiod", "luma": "python3-luma.oled"}


class _OneLine(logging.Formatter):
    """Formats a message as one line of the journal; only a traceback has several."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (the library's name)
        return one_line(super().formatMessage(record))


def command_line(modules: Iterable[str] = MODULES) -> tuple[CommandParser, Mapping[str, CommandParser]]:
    """The parser, and that of each command.

    Args:
        modules: the commands whose modules to load; all by default.
    """
    parser = CommandParser(prog="shutthebox", description="The electronic Shut the Box.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(
        required=True, metavar="COMMAND", dest="command", parser_class=CommandParser
    )
    for command in modules:
        importlib.import_module(f"shutthebox.cli.{MODULES[command]}").add_parser(subparsers)
    return parser, subparsers.choices


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    # Only the command's own module is loaded, to keep startup fast.
    parser, commands = command_line(argv[:1] if argv and argv[0] in MODULES else MODULES)
    if not argv:
        parser.print_help()
        parser.exit()
    if argv and not argv[0].startswith("-") and argv[0] not in commands:
        parser.refuse(argv[0], "command", commands)
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        command = commands[args.command]
        options = [option for action in command.arguments for option in action.option_strings]
        command.refuse(unknown[0], "option" if unknown[0].startswith("-") else "argument", options)
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code; argparse raises SystemExit for wrong use."""
    args = _parse(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal's encoding lacks must not end a command.
            stream.reconfigure(errors="backslashreplace")
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    try:
        code = int(args.run(args))
        sys.stdout.flush()  # here, where a closed pipe isn't an error
        return code
    except ShutTheBoxError as error:
        print(f"shutthebox: {one_line(str(error))}", file=sys.stderr)
        return error.exit_code
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        package = _DEBIAN_NAMES.get(name, f"python3-{name.replace('_', '-')}")
        print(
            f"shutthebox: {name} is not installed: apt install {package}, or pip install 'shutthebox[sim]'",
            file=sys.stderr,
        )
        return 1
    except BrokenPipeError:
        # The reader has closed the pipe, so the rest of the buffer can't be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
