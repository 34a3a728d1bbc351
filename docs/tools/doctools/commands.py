"""The commands as the manual page shutthebox(1) and as Markdown, from their parsers."""

import argparse
import re
from collections.abc import Iterator

from shutthebox.cli.main import command_line
from shutthebox.cli.parser import CommandParser

_HEAD = r"""
.TH SHUTTHEBOX 1 "" "shutthebox" "User Commands"
.SH NAME
shutthebox \- play, check and explain the electronic Shut the Box
.SH SYNOPSIS
.B shutthebox
.I COMMAND
.RI [ OPTION ...]
.br
.B shutthebox
.RB { \-\-help | \-\-version }
.SH DESCRIPTION
The box has levers, one button and a small display, and a Raspberry Pi that judges every flip
against the throw.
Installed as a package it plays as the service
.BR shutthebox.service ,
which is
.BR "shutthebox run" .
The other commands are for owners, makers and developers.
.PP
Every command takes
.BR \-\-help .
.SH COMMANDS
"""

_TAIL = r"""
.SH EXIT STATUS
0 on success, 1 for a fault while running, 2 for wrong use or a bad file.
A bad file gets one line that names the key and what is allowed there.
.SH FILES
.TP
.I /etc/shutthebox/config.toml
The configuration, with every key and its default; see
.BR shutthebox\-config (5).
.TP
.I /var/lib/shutthebox
The service's memory: the running match, scores, statistics.
Only root can read it:
.B "sudo shutthebox stats"
.TP
.I ~/.local/state/shutthebox
The same for a box you start by hand. The simulated one uses the folder
.I simulator
in it.
.TP
.I /usr/share/shutthebox/config.txt
Lines to add to the Pi's own
.IR /boot/firmware/config.txt .
.SH EXAMPLES
.TP
.B shutthebox odds digits \-\-throw 6,4
Shows which flip is best, and what each is worth.
.TP
.B sudo shutthebox export > box.jsonl
Prints everything the box remembers as plain text; backup makes a copy that can be restored.
.TP
.B journalctl \-u shutthebox
Shows the service's log.
.SH SEE ALSO
.BR shutthebox\-config (5),
.BR systemctl (1),
.BR journalctl (1),
.I /usr/share/doc/shutthebox/
"""


def manual_page() -> str:
    """The manual page shutthebox(1)."""
    _, commands = command_line()
    parts = [_HEAD.strip()]
    for name, command in commands.items():
        parts += _section(name, command)
    return "\n".join([*parts, _TAIL.strip(), ""])


def markdown() -> str:
    """Every command as a section in Markdown, one level below a chapter."""
    _, commands = command_line()
    return "\n".join(line for name, command in commands.items() for line in _chapter(name, command))


def _section(name: str, command: CommandParser) -> Iterator[str]:
    yield rf".SS shutthebox {roff(name)}{''.join(f' {_usage(a)}' for a in _positional(command))}"
    yield from (roff(sentence) for sentence in re.split(r"(?<=\.) (?=[A-Z])", command.description or ""))
    for argument in _described(command):
        yield ".TP"
        if not argument.option_strings:
            yield f".I {roff(str(argument.metavar))}"
        elif argument.nargs == 0:
            yield f".B {roff(argument.option_strings[-1])}"
        elif argument.nargs == "?":
            yield rf'.BR {roff(argument.option_strings[-1])} " [" \fI{_value(argument)}\fR ]'
        else:
            yield f'.BI {roff(argument.option_strings[-1])} " {roff(_value(argument))}"'
        yield roff(_help(argument))
    yield ".PP"
    yield rf"Example: \fB{roff(command.example)}\fR"


def _chapter(name: str, command: CommandParser) -> Iterator[str]:
    words = [_usage(argument, markup=False) for argument in _positional(command)]
    yield f"### shutthebox {' '.join([name, *words])}"
    yield ""
    yield command.description or ""
    yield ""
    rows = [f"| `{_written(argument)}` | {_help(argument)} |" for argument in _described(command)]
    if rows:
        yield from ("| argument | meaning |", "|---|---|", *rows, "")
    yield from ("```sh", command.example, "```", "")


def _positional(command: CommandParser) -> list[argparse.Action]:
    return [argument for argument in command.arguments if not argument.option_strings]


def _described(command: CommandParser) -> list[argparse.Action]:
    return [
        argument
        for argument in command.arguments
        if argument.help != argparse.SUPPRESS and "--help" not in argument.option_strings
    ]


def _usage(argument: argparse.Action, *, markup: bool = True) -> str:
    name = str(argument.metavar)
    shown = rf"\fI{roff(name)}\fP" if markup else name
    match argument.nargs:
        case "?":
            return f"[{shown}]"
        case "*":
            return f"[{shown} …]"
        case _:
            return shown


def _written(argument: argparse.Action) -> str:
    if not argument.option_strings:
        return str(argument.metavar).replace("|", "\\|")
    if argument.nargs == 0:
        return argument.option_strings[-1]
    value = f"[{_value(argument)}]" if argument.nargs == "?" else _value(argument)
    return f"{argument.option_strings[-1]} {value}".replace("|", "\\|")


def _value(argument: argparse.Action) -> str:
    return "|".join(argument.choices) if argument.choices else str(argument.metavar)


def _help(argument: argparse.Action) -> str:
    text = (argument.help or "").replace("%%", "%")
    return f"{text[0].upper()}{text[1:]}."


def roff(text: str) -> str:
    """Text that roff prints as it stands."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
