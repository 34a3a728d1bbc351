"""Notices the card's image leaves for the owner to read on the screen."""

from pathlib import Path

from shutthebox.game.messages import message

NOTICES = Path("/run/shutthebox-card")
"""Folder in which a card's image leaves messages for the players: files that end in .txt."""

NEW_VERSION = message("The new version is running")

CARD_TEXTS = (
    message("Update failed: the old version is back"),
    NEW_VERSION,
    message("Playing without memory: the card's fourth partition can't be used"),
    message("The card's first partition can't be read"),
)
"""The texts that the script `card` of packaging/image writes there; mistakes in files stay in English."""


def notices() -> tuple[str, ...]:
    """The card image's notices; none on any other box."""
    try:
        return tuple(
            line
            for path in sorted(NOTICES.glob("*.txt"))
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
            if line.strip()
        )
    except OSError:
        return ()
