"""The argument parser: errors are one line each, with a suggestion for a mistyped word."""

import argparse
from collections.abc import Iterable
from typing import Any, NoReturn, TypeAlias

from shutthebox.errors import one_line, quoted
from shutthebox.validation import did_you_mean


class CommandParser(argparse.ArgumentParser):
    """A parser of the ``shutthebox`` command or of one of its commands.

    Attributes:
        arguments: all arguments added; the manual page and the reference are generated from them.
        example: a useful command line, shown at the end of the help.
    """

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:  # noqa: ANN401  (as argparse has them)
        self.arguments: list[argparse.Action] = []
        self.example = example
        super().__init__(*args, **kwargs)
        if example:
            self.epilog = f"example: {example}"

    def add_argument(self, *args: Any, **kwargs: Any) -> argparse.Action:  # noqa: ANN401  (as argparse has them)
        """Adds an argument as argparse does, and keeps it in `arguments` for manual page and completions."""
        action = super().add_argument(*args, **kwargs)
        self.arguments.append(action)
        return action

    def error(self, message: str) -> NoReturn:
        """Prints one line and exits with 2."""
        self._end(f"{one_line(message)}; ")

    def refuse(self, word: str, kind: str, known: Iterable[str]) -> NoReturn:
        """Prints one line about an unknown command or option, with a suggestion, and exits with 2."""
        near = did_you_mean(word.partition("=")[0], known)
        self._end(f"unknown {kind} {quoted(word)}; {near}")

    def _end(self, why: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {why}see {self.prog} --help\n")


Subparsers: TypeAlias = "argparse._SubParsersAction[CommandParser]"
"""The list that a command adds itself to; argparse has no public name for its type."""
