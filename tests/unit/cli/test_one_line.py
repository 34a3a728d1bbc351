"""Foreign text on a terminal and in the journal: one line, in which nothing works as a command."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shutthebox.adapters.store.database import STORE_FILE
from shutthebox.errors import MAX_SHOWN, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é ’ ✓", "plain é ’ ✓"),
        ("", ""),
        ("two\nlines\r\n", "two\\nlines\\r\\n"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\u202eback\u2028line", "\\u202eback\\u2028line"),
        ("\udcff", "\\udcff"),
        ("x" * 5000, "x" * (MAX_SHOWN - 3) + "..."),
    ],
)
def test_what_does_not_print_is_escaped(text: str, shown: str) -> None:
    assert one_line(text) == shown


@given(st.text(st.characters()))
def test_it_always_prints(text: str) -> None:
    shown = one_line(text)
    assert shown.isprintable()
    assert len(shown) <= 10 * MAX_SHOWN
    shown.encode()


@pytest.mark.slow
def test_the_journal_is_one_line_a_message(tmp_path: Path) -> None:
    """A real process, whose files have a name that would colour the terminal."""
    state = tmp_path / "red \x1b[31m\nand more"
    state.mkdir()
    (state / f"{STORE_FILE}-mark").symlink_to("nowhere")
    script = tmp_path / "a.scn"
    script.write_text("press\n")
    command = [sys.executable, "-m", "shutthebox", "replay", str(script), "--state", str(state)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = f"WARNING shutthebox.adapters.store.chain: {tmp_path}/red \\x1b[31m\\nand more/"
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
    assert done.stderr[:-1].isprintable()


def test_a_traceback_stays_what_it_is() -> None:
    from shutthebox.cli.main import _OneLine

    try:
        raise ValueError("a fault of ours")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "said %s", ("a\nb",), sys.exc_info())
    lines = _OneLine("%(message)s").format(record).splitlines()
    assert lines[0] == "said a\\nb"
    assert lines[-1] == "ValueError: a fault of ours"
