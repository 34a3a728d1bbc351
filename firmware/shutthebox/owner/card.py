"""Applies what the owner wrote onto the card or a stick."""

import hashlib
import json
import logging
import os
import shutil
from pathlib import Path

from shutthebox.config.card import Card, owners_file, read_card
from shutthebox.config.settings_loader import try_config
from shutthebox.errors import ShutTheBoxError
from shutthebox.files import reason, replace_file, shown_path

_log = logging.getLogger(__name__)

SEEN = "card/seen.json"
"""Digests of the card's files as they were last applied, by name."""

MISTAKES = "card/mistakes.txt"

TAKEN = "card/stick"
"""A copy of a stick's files, from the moment they're found good until all have been applied."""


class CardError(ShutTheBoxError, RuntimeError):
    """A partition of the card can't be used; the message says why."""

    exit_code = 1


def take_over_stick_folder(folder: Path, to: Path) -> tuple[str, ...]:
    """Applies the files in a stick's folder if they are all good; returns the mistakes.

    Raises:
        CardError: if a folder can't be read or written.
    """
    try:
        card = read_stick(folder, to)
        if folder == to / TAKEN and not card.mistakes:
            _finish(card, to)
        elif not card.mistakes:
            take_over_stick(card, to)
    except OSError as error:
        raise _card_error(error, to) from None
    return card.mistakes


def take_over_card(folder: Path, to: Path) -> tuple[str, ...]:
    """Applies the card's files that have changed since last time; returns the mistakes.

    Removing a file from the card removes what it set. The mistakes are left for the box to report.

    Raises:
        CardError: if a folder can't be read or written.
    """
    try:
        card = read_card(folder, try_config)
        _write(to / MISTAKES, "".join(f"{mistake}\n" for mistake in card.mistakes))
        for note in card.notes:
            _log.warning("%s", note)
        if not card.mistakes:
            now = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in card.texts.items()}
            before = _read_seen(to)
            for name in sorted({*now, *before}):
                if now.get(name) != before.get(name):
                    _take_over(name, card, to)
            _write(to / SEEN, json.dumps(now))
    except OSError as error:
        raise _card_error(error, to) from None
    return card.mistakes


def read_stick(folder: Path, to: Path) -> Card:
    """Reads and checks the files in a stick's folder, together with what the box already has.

    Raises:
        OSError: if the stick can't be read.
    """
    return read_card(folder, try_config, to / "etc")


def take_over_stick(card: Card, to: Path) -> None:
    """Applies a stick's files, which must be free of mistakes: all or none, even across a power cut.

    They are first copied to `TAKEN`; from then on, every startup applies them until all are done.

    Raises:
        CardError: if one can't be written.
    """
    taken = to / TAKEN
    try:
        if taken.exists():  # from an earlier stick, left unfinished
            _finish(read_stick(taken, to), to)
        _copy(card, taken)
        _finish(card, to)
    except OSError as error:
        raise _card_error(error, to) from error


def _finish(card: Card, to: Path) -> None:
    if not card.mistakes:  # another version may find some
        for name in card.texts:
            _take_over(name, card, to)
    shutil.rmtree(to / TAKEN)


def _card_error(error: OSError, to: Path) -> CardError:
    return CardError(f"card: {shown_path(Path(error.filename or to))}: {reason(error)}")


def _read_seen(to: Path) -> dict[str, str]:
    try:
        found = json.loads((to / SEEN).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _take_over(name: str, card: Card, to: Path) -> None:
    """Installs one file of the card where the system looks for it, or undoes that if the file is gone."""
    for place, installed in owners_file(name).install(card, name).items():
        path = to / place
        if installed is None:
            path.unlink(missing_ok=True)
            continue
        _write(path, installed.text, installed.mode)
        if installed.for_box:
            path.parent.chmod(0o755)


def _copy(card: Card, folder: Path) -> None:
    """Puts a stick's files into a folder of the card: all of them or none, even if the plug is pulled."""
    part = folder.with_suffix(".part")
    for former in (part, folder):
        shutil.rmtree(former, ignore_errors=True)
    part.mkdir(parents=True)
    for name, text in card.texts.items():
        _write(part / name, text, 0o600)
    part.rename(folder)
    os.sync()


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    """Writes the file whole or not at all, even if the plug is pulled."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(), mode=mode, durable=True)
