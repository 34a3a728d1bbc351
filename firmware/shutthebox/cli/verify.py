"""`shutthebox verify`: what the records of two linked boxes prove, or those of a tournament of equal dice."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from shutthebox.adapters.signatures import can_check, is_genuine
from shutthebox.adapters.store.queries import linked_matches
from shutthebox.adapters.store.reading import open_good_part
from shutthebox.cli.parser import Subparsers
from shutthebox.cli.stats import add_options, store_file
from shutthebox.config.profiles import builtin, recognize
from shutthebox.errors import ShutTheBoxError, quoted
from shutthebox.files import read_text, shown_path
from shutthebox.link.invitation import linkable
from shutthebox.link.proof import commitment_of, decided_hash, text_to_sign
from shutthebox.rules import equal_dice, record
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.equal_dice import TournamentError, tournament_from_text, unequal
from shutthebox.rules.linked_boxes import LinkedBoxes
from shutthebox.rules.linked_dice import is_link, why_unproven
from shutthebox.rules.match import Match
from shutthebox.rules.record import Record, RecordError, parse_to_end

_MAX_BYTES = 1024 * 1024


def add_parser(subparsers: Subparsers) -> None:
    """Adds `shutthebox verify`."""
    parser = subparsers.add_parser(
        "verify",
        help="check the records of linked boxes, or of a tournament, offline",
        description="Checks records of two linked boxes: whether every throw follows from what both boxes "
        "revealed, and whether both have signed the finished match. It prints a line for each thing that it "
        "has checked, and for each that it can't know. If the first file is that of a tournament of equal "
        "dice, it prints the tournament's commitment, and throws must follow from the tournament's seed. "
        "Needs no network. Exits with 1 if anything is wrong, or a match of linked boxes isn't finished.",
        example="shutthebox verify match.txt --mine 5f1c…",
    )
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="the tournament's file, with its seed, or a record"
    )
    parser.add_argument("records", metavar="RECORD", type=Path, nargs="*", help="records of matches")
    parser.add_argument(
        "--mine",
        metavar="COMMITMENT",
        action="append",
        default=[],
        help="your own box's for this match, as `stats` shows it; can be given more than once",
    )
    add_options(parser, "the memory of your own box, a folder or a file: its commitments are yours, too")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what each record proves; returns 1 if anything is wrong or unfinished."""
    text = read_text(args.file, TournamentError, "a tournament or a record", _MAX_BYTES)
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if first == record.FIRST_LINE:
        mine = _own_commitments(args)
        return max([_check_linked(path, mine) for path in (args.file, *args.records)])
    if args.mine or args.state is not None:
        raise ShutTheBoxError("--mine, --state: allowed with records of linked boxes only")
    if first == equal_dice.FIRST_LINE:
        tournament = tournament_from_text(text, str(args.file))
        print(f"commitment {tournament.commitment}")
        wrong = 0
        for path in args.records:
            said = unequal(_read(path)[0], tournament)
            wrong += said is not None
            print(f"{path}: {said or 'every throw follows from the seed'}")
        return 1 if wrong else 0
    allowed = f"{equal_dice.FIRST_LINE!r} and {record.FIRST_LINE!r}"
    raise TournamentError(f"{shown_path(args.file)}: begins with {quoted(first)}; use {allowed}")


def _read(path: Path) -> tuple[Record, Match]:
    return parse_to_end(read_text(path, RecordError, "a record", _MAX_BYTES), str(path), builtin)


def _own_commitments(args: argparse.Namespace) -> frozenset[str] | None:
    """Those given, and those of the memory named; None if neither was."""
    for commitment in args.mine:
        if not is_link(commitment):
            raise ShutTheBoxError(f"--mine: {quoted(commitment)} is not allowed; use 64 hexadecimal digits")
    if args.state is None:
        return frozenset(args.mine) or None
    with open_good_part(store_file(args)) as store:
        own = [match.commitment for match in linked_matches(store.db)]
    return frozenset([*args.mine, *own])


class ProofLine(NamedTuple):
    """What is said of a record, and whether it makes the record wrong."""

    text: str
    is_wrong: bool = False


def _check_linked(path: Path, mine: frozenset[str] | None) -> int:
    played, end = _read(path)
    conditions = played.conditions or Conditions()
    if conditions.linked is None:
        print(f"{path}: not a match on two linked boxes; for equal dice, give the tournament's file first")
        return 1
    reason = why_unproven(played, conditions.linked)
    print(f"{path}: {reason or 'every throw follows from the links'}")
    checks = [*_check_play(played, end, conditions), *_check_boxes(played, end, mine)]
    for check in checks:
        print(check.text)
    is_wrong = reason is not None or any(check.is_wrong for check in checks)
    return 1 if is_wrong else 0


def _check_play(played: Record, end: Match, conditions: Conditions) -> Iterator[ProofLine]:
    """Whether the match is finished, and was played as two linked boxes play."""
    if end.result is not None:
        names = [_name(played.boxes, winner) for winner in end.result.winners]
        yield ProofLine(f"finished: won by {' and '.join(names) or 'nobody'}, by the rules")
    else:
        departure = played.boxes.departure if played.boxes else ""
        why = f": {departure}" if departure else ": given up" if played.given_up else ""
        yield ProofLine(f"not finished{why}", is_wrong=True)
    if played.boxes is None:
        return
    game = linkable(played.profile)
    if game is None:
        yield ProofLine("game: not one that two boxes can play", is_wrong=True)
    elif played.profile not in (game, recognize(game)):
        yield ProofLine("game: its name, or more, isn't what these rules are called", is_wrong=True)
    else:
        tiles = played.profile.tiles
        yield ProofLine(f"game: {played.profile.name}, tiles {tiles[0]} to {tiles[-1]}")
    others = conditions._replace(versions=(), out_of_play=(), first=1, linked=None)
    if others != Conditions():
        yield ProofLine("dice, computers or lost facts: a linked match has none of these", is_wrong=True)


def _check_boxes(played: Record, end: Match, mine: frozenset[str] | None) -> Iterator[ProofLine]:
    """Whether both boxes have signed it, and whether one of them is one's own."""
    boxes, proof = played.boxes, played.conditions and played.conditions.linked
    keys = boxes.keys if boxes else ("", "")
    assert proof is not None, "it was played on two boxes"
    digest, is_whole = decided_hash(played), end.result is not None
    if boxes is None or not any(keys):
        yield ProofLine("signatures: none; only the throws are proved, not the choices")
    elif keys[0] == keys[1]:
        yield ProofLine("signatures: both boxes have the same key", is_wrong=True)
    elif not can_check():
        yield ProofLine("signatures: not checked")
    found = set[str]()
    for seat in (0, 1):
        name = _name(boxes, seat)
        commitment = commitment_of(proof.commitments[seat], keys[seat])
        is_mine = mine is not None and commitment in mine
        if is_mine:
            found.add(name)
        if boxes is not None and any(keys) and is_whole:
            yield from _check_signature(boxes, seat, digest, is_mine=is_mine)
        yield ProofLine(f"commitment of {name}: {commitment}{' (yours)' * is_mine}")
    if mine is None:
        yield ProofLine(
            "not known: whose keys and dice these are. Whoever has both can make any match. "
            "For a match of your own box, give its commitment: --mine",
        )
    elif not found:
        yield ProofLine("yours: neither of the two is your box", is_wrong=True)
    versions = [f"version {version}" for version in (played.conditions and played.conditions.versions) or ()]
    out = played.conditions.out_of_play if played.conditions else ()
    levers = [f"levers out of play {', '.join(map(str, out))}"] if out else []
    if said := [*versions, *levers]:
        yield ProofLine(f"not signed: {'; '.join(said)}")


def _check_signature(
    boxes: LinkedBoxes, seat: int, digest: str | None, *, is_mine: bool
) -> Iterator[ProofLine]:
    """Whether a box has signed exactly this."""
    what, key, signature = f"signature of {boxes.names[seat]}", boxes.keys[seat], boxes.signatures[seat]
    if not key or not signature:
        # The owner of this box wants to know what it has seen, and a forger may have left the signature out.
        said = f"{what}: missing; its player's choices may have been written afterwards"
        yield ProofLine(said, is_wrong=is_mine)
    elif not can_check():
        return
    elif digest is not None and is_genuine(key, signature, text_to_sign(digest)):
        yield ProofLine(f"{what}: good")
    else:
        yield ProofLine(f"{what}: not of this match; something in the record was changed", is_wrong=True)


def _name(boxes: LinkedBoxes | None, seat: int) -> str:
    return boxes.names[seat] if boxes else f"player {seat + 1}"
