"""A command of the program, run in this process: its exit code and what it says."""

import contextlib
import io
from dataclasses import dataclass

from shutthebox.cli.main import main


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended, what it has printed, and its complaints."""

    code: int
    out: str
    err: str


def command(*words: object) -> Said:
    """Runs ``shutthebox`` with these words."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Said(code, out.getvalue(), err.getvalue())


def printed(*words: object) -> str:
    """The output of a command that succeeds, and complains of nothing."""
    said = command(*words)
    assert (said.code, said.err) == (0, ""), said
    return said.out


def refused(*words: object, code: int = 2) -> str:
    """The complaint of a command that fails: one line, and no output."""
    said = command(*words)
    assert (said.code, said.out) == (code, ""), said
    assert said.err.endswith("\n")
    complaint = said.err.removesuffix("\n")
    assert complaint.isprintable(), said
    return complaint
