"""Inputs made to take long or much memory, per reader: as large as they may be, and as bad."""

from tests.fuzz.readers import COLUMNS, READERS, encode

_EVERY_BOX = ", ".join(map(str, range(1, 55)))
_HEAD = b"shut-the-box record 1\nprofile lucky-seven\nplayers 9\n"


def _filled(reader: str, line: bytes, head: bytes = b"") -> bytes:
    """The line again and again, as often as fits."""
    return head + line * ((READERS[reader].most_bytes - len(head)) // len(line))


def _toml(reader: str) -> dict[str, bytes]:
    """Hard TOML for any reader of it."""
    return {
        "nested lists": _filled(reader, b"[\n", b"tiles = "),
        "nested tables": b"a = " + b"{a = " * 190,
        "dotted keys": b"".join(b"k%d." % n + b"a." * 480 + b"a = 1\n" for n in range(64)),
        "headers": b"".join(b"[a%d]\n" % n for n in range(8000)),
        "a number": b"tiles = " + b"9" * 980,
        "numbers": _filled(reader, b"1,\n", b"tiles = [") + b"]",
        "a text": _filled(reader, b"a" * 900 + b"\n", b'name = """'),
        "too much": b"#" * (READERS[reader].most_bytes + 1),
    }


def _rules(text: str) -> bytes:
    return f'name = "hostile"\n{text}\n'.encode()


_PROFILES = {
    "every box of many dice": _rules(f"tiles = 54\nboxes = [{_EVERY_BOX}]\ndice = 9\nsides = 20"),
    "as many moves as may be": _rules("tiles = 54\ndice = 9\nsides = 6"),
    "faces that are free": _rules('tiles = 54\ndice = 9\nsides = 20\nmove = "faces-free"'),
    "a tile that must go": _rules("tiles = 30\ndice = 5\nfirst_move_must_include = 29"),
    "never blocked": _rules('tiles = 40\ndice = 4\nblocked = "passes"\nturns = "alternate"'),
    "two rows": _rules("tiles = 54\ndice = 9\nrows = 2"),
    "insurances": _rules("tiles = 30\ndice = 5\nsides = 20\ninsurance = true"),
    "payments": _rules('stakes = "bank"\npays = {' + ", ".join(f"{n} = 1" for n in range(5000)) + "}"),
    "head starts": _rules("handicap = [" + "[1, 2], " * 5000 + "]"),
    "few tiles at a time": _rules(f"tiles = 54\nboxes = [{_EVERY_BOX}]\ndice = 9\nsides = 20\nmax_tiles = 3"),
}

HOSTILE: dict[str, dict[str, bytes]] = {
    "profile": {**_toml("profile"), **_PROFILES},
    "house-rules": {**_toml("house-rules"), **_PROFILES},
    "config": _toml("config"),
    "owners-files": {
        **_toml("owners-files"),
        "no keys": _filled("owners-files", b"?\n"),
        "wrong keys": _filled("owners-files", b"a = 1\n"),
    },
    "scenario": {
        "presses": _filled("scenario", b"press\n"),
        "configs": _filled("scenario", b"config game.players 2\n"),
        "seeds, then configs": b"seed 1\n" * 50_000 + b"config game.players 2\n" * 30_000,
        "dice": _filled("scenario", b"dice " + b"1 2|" * 16_000 + b"1\n"),
        "levers": _filled("scenario", b"flip " + b"1 " * 30_000 + b"\n"),
        "quotes": _filled("scenario", b'"' * 60_000 + b"\n"),
        "open quotes": _filled("scenario", b'"a' * 30_001 + b"\n"),
        "one line": _filled("scenario", b"a"),
        "too much": b"#" * (READERS["scenario"].most_bytes + 1),
    },
    "record": {
        "throws": _filled("record", b"1 6+6 -\n", _HEAD),
        "passes": _HEAD + b"".join(b"%d 6+6 -\n" % (n % 9 + 1) for n in range(9 * 998)),
        "comments": _filled("record", b"#\n", _HEAD),
        "a tile": _HEAD + b"1 1+6 " + b"9" * 5000 + b"\n",
        "a tile twice": _HEAD + b"1 1+6 " + b"1," * 5000 + b"1\n",
        "a name": b"shut-the-box record 1\nprofile " + b"a" * 5000 + b"\n",
        "counts": _filled("record", b"players 2\n"),
        "keys": b"shut-the-box record 1\n" + _PROFILES["every box of many dice"] + b"players 2\n",
    },
    "said": {
        "nested": _filled("said", b"["),
        "digits": _filled("said", b"9", b'{"version": '),
        "too much": b" " * (READERS["said"].most_bytes + 1),
    },
    "message": {
        "nested": b"[" * 4096,
        "digits": b'{"lever": ' + b"9" * 1000 + b"}",
        "an exponent": b'{"lever": 1e999999999, "down": true}',
        "keys": b'{"lever": 1, "down": true,' + b'"down": true,' * 70 + b'"down": true}',
    },
    "store": {
        "nothing": b"",
        "zeros": bytes(64 << 10),
        "a header": b"SQLite format 3\0" + b"\xff" * 8000,
        "heads of facts": b"\x05\x00\x01\x7f\x01" * 200_000,
        "a fact that goes on in itself": bytes(4096)
        + b"\x00\x00\x00\x02"
        + b"\x07\x00\x01\xff\xff\x7f\x01" * 100_000,
    },
    "rows": {
        **{
            f"{text[:12]} in {table}.{column}": encode([(number, text)])
            for number, (table, column) in enumerate(COLUMNS)
            for text in ("1e99999999", "[" * 60_000)
        },
        **{
            f"{value} in {table}.{column}": encode([(number, value)])
            for number, (table, column) in enumerate(COLUMNS)
            for value in (-1, 2**63 - 1)
        },
        "a profile": encode(
            [(COLUMNS.index(("match", "profile")), _PROFILES["every box of many dice"].decode())]
        ),
        "impossible dice": encode([(COLUMNS.index(("throws", "dice")), 10**6)]),
        "impossible sides": encode([(COLUMNS.index(("throws", "sides")), 10**6)]),
    },
}
