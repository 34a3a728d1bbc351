"""Players: initials, with a PIN if wanted; and their deletion.

A PIN protects initials: a match signed with them counts only after it was confirmed with the PIN. There
are no accounts. A PIN is never shown again and kept as a hash only.
"""

import hashlib
import hmac
import re
import secrets

from jwt import PyJWS
from jwt.exceptions import PyJWTError
from sqlalchemy import Connection, delete, insert, select, update

from shutthebox_league.errors import LeagueError
from shutthebox_league.schema import ENTRANT, ENTRY, MATCH, PLAYER, RATING, SEAT

_PIN = re.compile("[0-9]{4,8}", re.ASCII)
MOST_FAILURES = 5
LOCKED_S = 900
"""After so many wrong PINs in a row initials are locked for so long."""


def set_pin(db: Connection, initials: str, pin: str) -> None:
    """Protects initials that have no PIN. Matches from before stay as they are.

    Raises:
        LeagueError: if they have one, or the PIN is not allowed.
    """
    if not _PIN.fullmatch(pin):
        raise LeagueError("this PIN is not allowed; allowed are 4 to 8 digits")
    if _player_has_pin(db, initials):
        raise LeagueError(f"{initials} has a PIN already; the owner of the league can remove it")
    salt = secrets.token_hex(16)
    row = {
        "initials": initials,
        "pin_hash": _hash(pin, salt),
        "salt": salt,
        "failures": 0,
        "locked_until_s": 0,
    }
    db.execute(insert(PLAYER), row)


def pin_is_right(db: Connection, initials: str, pin: str, now_s: int) -> bool:
    """Whether this is the PIN of these initials. Wrong ones are counted, so the transaction has to be kept.

    Raises:
        LeagueError: if they have no PIN, or are locked.
    """
    player = db.execute(select(PLAYER).where(PLAYER.c.initials == initials).with_for_update()).first()
    if player is None:
        raise LeagueError(f"{initials} has no PIN")
    if now_s < player.locked_until_s:
        raise LeagueError(f"{initials} is locked after {MOST_FAILURES} wrong PINs; try again in 15 minutes")
    right = hmac.compare_digest(_hash(pin[:8], player.salt), player.pin_hash)
    failures = 0 if right else player.failures + 1
    locked = failures >= MOST_FAILURES
    values = {"failures": 0 if locked else failures, "locked_until_s": now_s + LOCKED_S if locked else 0}
    db.execute(update(PLAYER).where(PLAYER.c.initials == initials).values(values))
    return right


def confirm(db: Connection, initials: str, match_id: int) -> bool:
    """Counts a match for initials that have signed it; False if they have not."""
    where = (SEAT.c.match_id == match_id) & (SEAT.c.initials == initials)
    if not db.execute(update(SEAT).where(where).values(confirmed=True)).rowcount:
        return False
    db.execute(update(MATCH).where(MATCH.c.id == match_id).values(rated=False))
    return True


def remove_pin(db: Connection, initials: str) -> bool:
    """Removes a PIN; False if there is none. For the owner of a league."""
    return bool(db.execute(delete(PLAYER).where(PLAYER.c.initials == initials)).rowcount)


def forget(db: Connection, initials: str) -> int:
    """Removes initials from everything: the matches stay, and nobody is named in that seat.

    Returns:
        How many matches were signed with them.
    """
    matches = select(SEAT.c.match_id).where(SEAT.c.initials == initials)
    chains = db.execute(select(MATCH.c.chain_id, MATCH.c.id).where(MATCH.c.id.in_(matches))).all()
    for row in chains:
        db.execute(update(MATCH).where(MATCH.c.id == row.id).values(rated=False))
    # The signed entries that hold the initials go too. Their hashes stay, so the chain is still checked.
    for chain_id in {row.chain_id for row in chains}:
        found = db.execute(
            select(ENTRY.c.sequence, ENTRY.c.message).where(ENTRY.c.chain_id == chain_id)
        ).all()
        for row in found:
            if _signs(row.message, initials):
                where = (ENTRY.c.chain_id == chain_id) & (ENTRY.c.sequence == row.sequence)
                db.execute(update(ENTRY).where(where).values(message=b""))
    db.execute(update(SEAT).where(SEAT.c.initials == initials).values(initials=None, confirmed=True))
    db.execute(delete(RATING).where(RATING.c.initials == initials))
    db.execute(delete(ENTRANT).where(ENTRANT.c.initials == initials))
    remove_pin(db, initials)
    return len(chains)


def _signs(message: bytes, initials: str) -> bool:
    try:
        payload = PyJWS().decode(message.decode("ascii"), options={"verify_signature": False})
    except (PyJWTError, ValueError):
        return False
    return f'"initials": "{initials}"'.encode() in payload


def _player_has_pin(db: Connection, initials: str) -> bool:
    return db.execute(select(PLAYER.c.initials).where(PLAYER.c.initials == initials)).first() is not None


def _hash(pin: str, salt: str) -> str:
    return hashlib.scrypt(pin.encode(), salt=bytes.fromhex(salt), n=2**14, r=8, p=1, dklen=32).hex()
