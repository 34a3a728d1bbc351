"""What `shutthebox verify` says of a match that both boxes have signed, and of what a forger makes of it."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from tests.support.chance import next_action
from tests.support.command import Said, command, printed, refused
from tests.support.fast import fast_among
from tests.support.linked import KEYS, linked_record, public, sign, signed_record

from shutthebox.adapters.store.database import Store
from shutthebox.config.profiles import builtin
from shutthebox.game.facts import Began, BoxLeft, Finished, Linked, LogSigned, PlayersLeft
from shutthebox.link.invitation import linkable
from shutthebox.link.match import Agreement
from shutthebox.link.proof import commitment_of
from shutthebox.rules.actions import Action, Thrown, apply
from shutthebox.rules.conditions import RULES_VERSION, Conditions, LinkProof
from shutthebox.rules.linked_dice import DiceChain, earlier_links, linked_throw, own_throws
from shutthebox.rules.match import Match
from shutthebox.rules.moves import dice_allowed
from shutthebox.rules.position import Stage
from shutthebox.rules.record import Record, RecordError, parse, write

NOT_KNOWN = (
    "not known: whose keys and dice these are. Whoever has both can make any match. "
    "For a match of your own box, give its commitment: --mine"
)
FRESH = Ed25519PrivateKey.from_private_bytes(b"f" * 32)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verify(record: Record | str, *options: str) -> Said:
    Path("match.txt").write_text(record if isinstance(record, str) else write(record))
    return command("verify", "match.txt", *options)


def proof_of(record: Record) -> LinkProof:
    proof = record.conditions and record.conditions.linked
    assert proof is not None
    return proof


def commitments(record: Record) -> tuple[str, str]:
    assert record.boxes is not None
    ends, keys = proof_of(record).commitments, record.boxes.keys
    return commitment_of(ends[0], keys[0]), commitment_of(ends[1], keys[1])


def end_of(record: Record) -> Match:
    match = record.beginning
    for action in record.actions:
        match = apply(match, action)
    return match


# -- what is said ----------------------------------------------------------------------------------


def test_a_line_for_each_thing_that_is_checked_and_for_each_that_it_cannot_know() -> None:
    record = signed_record()
    host, guest = commitments(record)
    winners = end_of(record).result
    assert winners is not None
    names = [("The Anchor", "The Crown")[winner] for winner in winners.winners]
    said = verify(record)
    assert said.out.splitlines() == [
        "match.txt: every throw follows from the links",
        f"finished: won by {' and '.join(names)}, by the rules",
        "game: traditional, tiles 1 to 9",
        "signature of The Anchor: good",
        f"commitment of The Anchor: {host}",
        "signature of The Crown: good",
        f"commitment of The Crown: {guest}",
        NOT_KNOWN,
        f"not signed: version 1.0.0 rules {RULES_VERSION}",
    ]
    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize("seat", [0, 1])
def test_an_owner_sees_that_the_record_is_of_a_match_on_their_box(seat: int) -> None:
    record = signed_record()
    said = verify(record, "--mine", commitments(record)[seat])
    assert said.code == 0
    assert f"{commitments(record)[seat]} (yours)" in said.out
    assert "not known" not in said.out


@pytest.mark.parametrize("mine", ["", "5e", "G" * 64, "A" * 64])
def test_a_commitment_that_is_none_is_one_line(mine: str) -> None:
    Path("match.txt").write_text(write(signed_record()))
    assert "--mine: " in refused("verify", "match.txt", "--mine", mine)


def test_without_the_library_the_rest_is_checked() -> None:
    """Neither the box nor a plain installation has it."""
    record = signed_record()
    Path("good.txt").write_text(write(record))
    Path("cut.txt").write_text(write(replace(record, actions=record.actions[:-3])))
    program = (
        "import sys; sys.modules['cryptography'] = None; "
        "from shutthebox.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    for name, code in (("good.txt", 0), ("cut.txt", 1)):
        words = (sys.executable, "-c", program, "verify", name)
        said = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (said.returncode, said.stderr) == (code, "")
        assert "signatures: not checked" in said.stdout.splitlines()
    assert "signatures: not checked" not in printed("verify", "good.txt")


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_signature_is_said(missing: int) -> None:
    record = signed_record()
    assert record.boxes is not None
    left = [*record.boxes.signatures]
    left[missing] = ""
    forged = replace(record, boxes=record.boxes._replace(signatures=(left[0], left[1])))
    said, name = verify(forged), record.boxes.names[missing]
    assert said.code == 0
    assert f"signature of {name}: missing; its player's choices may have been written afterwards" in said.out
    assert verify(forged, "--mine", commitments(record)[missing]).code == 1, "one's own box always signs"
    assert verify(forged, "--mine", commitments(record)[1 - missing]).code == 0


def test_a_match_of_before_is_checked_as_it_was() -> None:
    record = linked_record(2)
    said = verify(record)
    assert said.code == 0
    first, *rest = said.out.splitlines()
    assert first == "match.txt: every throw follows from the links"
    assert "signatures: none; only the throws are proved, not the choices" in rest


# -- forgers ---------------------------------------------------------------------------------------


def play_on(record: Record, actions: list[Action], random: Random) -> Record | None:
    """The match from there on with other choices and the same links; None if it needs more of them."""
    thrown, proof = own_throws(record), proof_of(record)
    links = earlier_links(proof.links, len(thrown))
    match, throws = replace(record, actions=tuple(actions)), 0
    position = end_of(match)
    throws = len(own_throws(match))
    while position.stage is not Stage.FINISHED:
        action = next_action(position, random)
        if isinstance(action, Thrown) and position.round.common is None:
            throws += 1
            if throws >= len(links):
                return None
            dice = random.choice(dice_allowed(position.rules, position.turn.open, position.turn.behind))
            action = Thrown(linked_throw(position, throws, dice, links[throws]))
        actions = [*actions, action]
        position = apply(position, action)
    conditions = record.conditions
    assert conditions is not None
    shorter = conditions._replace(linked=LinkProof(proof.commitments, links[throws]))
    return replace(record, actions=tuple(actions), conditions=shorter)


def in_hindsight(record: Record) -> Iterator[Record]:
    """The same links, other choices."""
    for seed in range(300):
        forged = play_on(record, [], Random(seed))
        if forged is not None and forged.actions != record.actions:
            yield forged


def test_choices_written_afterwards_are_found() -> None:
    """Whoever knows all throws shuts the right tiles."""
    true = signed_record(5)
    mine = commitments(true)
    forged = next(in_hindsight(true))
    said = verify(forged)
    assert said.code == 1
    assert said.out.count("not of this match; something in the record was changed") == 2
    assert "every throw follows from the links" in said.out, "the throws are the true ones"
    assert forged.boxes is not None
    no_signatures = replace(forged, boxes=forged.boxes._replace(signatures=("", "")))
    no_keys = replace(forged, boxes=forged.boxes._replace(signatures=("", ""), keys=("", "")))
    fresh_keys = sign(
        replace(forged, boxes=forged.boxes._replace(keys=(public(FRESH), public(KEYS[1])))), (FRESH, KEYS[1])
    )
    nothing = replace(forged, boxes=None)
    for each in (no_signatures, no_keys, fresh_keys, nothing):
        for seat in (0,) if each is fresh_keys else (0, 1):
            assert verify(each, "--mine", mine[seat]).code == 1, seat
    assert verify(fresh_keys).code == 0, "without a commitment, nobody knows whose keys these are"
    assert NOT_KNOWN in verify(fresh_keys).out


def test_both_boxes_made_by_one_person_are_nobodys() -> None:
    mine = commitments(signed_record(1))[0]
    made = signed_record(7)
    assert NOT_KNOWN in verify(made).out
    said = verify(made, "--mine", mine)
    assert said.code == 1
    assert "yours: neither of the two is your box" in said.out


def test_one_key_for_both_boxes_proves_nothing() -> None:
    record = signed_record()
    assert record.boxes is not None
    own = public(KEYS[0])
    forged = sign(replace(record, boxes=record.boxes._replace(keys=(own, own))), (KEYS[0], KEYS[0]))
    assert verify(forged).code == 1


@pytest.mark.parametrize("seed", fast_among(range(1, 9), [1]))
def test_a_shortened_record_is_not_finished(seed: int) -> None:
    """117 of 117 passed in silence."""
    record = signed_record(seed)
    thrown, proof = own_throws(record), proof_of(record)
    links = earlier_links(proof.links, len(thrown))
    conditions = record.conditions
    assert conditions is not None
    for keep in range(0, len(record.actions), 3):
        throws = sum(number < keep for number in thrown)
        cut = replace(
            record,
            actions=record.actions[:keep],
            conditions=conditions._replace(linked=LinkProof(proof.commitments, links[throws])),
        )
        if end_of(cut).result is not None:
            continue  # it only lacks that the last turn has been seen
        said = verify(cut)
        assert (said.code, "not finished" in said.out) == (1, True)


def test_a_match_with_only_its_last_line_unseen_is_finished() -> None:
    """Players may leave before that."""
    record = signed_record()
    assert record.actions[-1].to_text() == "next"
    assert verify(replace(record, actions=record.actions[:-1])).out == verify(record).out


def test_game_tiles_names_and_all_the_rest_are_bound() -> None:
    record = signed_record(3, "golf")
    text = write(record)
    for before, after in (
        ("box 1 The Anchor", "box 1 The Bell"),
        ("box 1 The Anchor\nbox 2 The Crown", "box 1 The Crown\nbox 2 The Anchor"),
        ("rounds 1", "rounds 2"),
        (f"session {'5e' * 16} 600", f"session {'5e' * 16} 60"),
        (f"session {'5e' * 16}", f"session {'5f' * 16}"),
        ('name = "golf"', 'name = "traditional"'),
        ('title.en = "Golf"', 'title.en = "Bridge"'),
        ("tiles = [1, 2, 3, 4, 5, 6, 7, 8, 9]", "tiles = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"),
        ("dice box", "dice real"),
    ):
        assert before in text, before
        forged = text.replace(before, after)
        assert verify(forged).code != 0, after
        assert verify(forged, "--mine", commitments(record)[0]).code != 0, after


@pytest.mark.slow
def test_no_other_single_character_is_accepted() -> None:
    record, random = signed_record(3), Random(5)
    text = write(record)
    for at in range(0, len(text), 3):
        forged = text[:at] + random.choice("0123456789abcdef +-,.") + text[at + 1 :]
        try:
            read = parse(forged, "x", builtin)
        except RecordError:
            continue
        conditions = read.conditions and read.conditions._replace(
            versions=(record.conditions or Conditions()).versions
        )
        means_the_same = replace(read, conditions=conditions) == record
        assert (verify(forged).code == 0) == means_the_same, forged[max(0, at - 30) : at + 30]


# -- the store, and its owner ----------------------------------------------------------------------


def keep_linked(folder: Path, record: Record, seat: int, *, left: BoxLeft | None = None) -> None:
    """Stores a match as a box keeps it whose secret is known."""
    boxes, proof, game = record.boxes, proof_of(record), linkable(record.profile)
    assert boxes is not None
    assert game is not None
    assert record.conditions is not None
    random = Random(record_seed(record))
    secrets = [random.randbytes(32).hex() for _ in range(2)]
    assert DiceChain(secrets[seat]).commitment == proof.commitments[seat]
    agreement = Agreement(
        game, record.rounds, 0, boxes.limit_s, boxes.names, proof.commitments, boxes.session, boxes.keys
    )
    with closing(Store(folder, lambda: 1.8e9)) as store:
        link = Linked(agreement, seat, secrets[seat])
        store.keep(Began(record.beginning, record.conditions._replace(versions=()), link))
        for action in record.actions:
            store.keep(action)
        if left is not None:
            store.keep(left)
        else:
            for player, signature in enumerate(boxes.signatures):
                store.keep(LogSigned(player, signature))
            store.keep(Finished(end_of(record)))
        store.keep(PlayersLeft())


def record_seed(record: Record) -> int:
    """The seed of `signed_record` for this record."""
    return next(
        seed
        for seed in range(20)
        if DiceChain(Random(seed).randbytes(32).hex()).commitment == proof_of(record).commitments[0]
    )


def test_an_owner_finds_the_commitment_in_stats_and_needs_no_note_of_it_with_the_memory(
    tmp_path: Path,
) -> None:
    record = signed_record(2)
    keep_linked(tmp_path / "state", record, 1)
    own = commitments(record)[1]
    assert own in printed("stats", "--state", tmp_path / "state")
    (told,) = json.loads(printed("stats", "--state", tmp_path / "state", "--json"))["linked"]
    assert (told["commitment"], told["names"]) == (own, ["The Anchor", "The Crown"])
    Path("match.txt").write_text(write(record))
    assert f"{own} (yours)" in printed("verify", "match.txt", "--state", tmp_path / "state")
    Path("other.txt").write_text(write(signed_record(4)))
    assert command("verify", "other.txt", "--state", tmp_path / "state").code == 1
    tournament = "shut-the-box tournament 1\nname Friday\nseed " + "5" * 64 + "\n"
    Path("friday.txt").write_text(tournament)
    assert "--mine" in refused("verify", "friday.txt", "match.txt", "--mine", own)


def test_who_left_with_a_throw_on_the_table_stands_with_the_match(tmp_path: Path) -> None:
    """A roller who sees a bad throw can leave. It doesn't count, but everybody sees it."""
    record = signed_record(2)
    keep_linked(tmp_path, replace(record, actions=record.actions[:1]), 1, left=BoxLeft(0, has_thrown=True))
    left = "The Anchor left with a throw on the table"
    assert left in printed("stats", "--state", tmp_path)
    Path("match.txt").write_text(printed("export", "--record", "--state", tmp_path))
    assert f"not proved: {left}" in printed("replay", "match.txt")
    said = command("verify", "match.txt")
    assert said.code == 1
    assert f"not finished: {left}" in said.out


# -- by hand ---------------------------------------------------------------------------------------


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


DOMINOES = [[low, high] for low in range(1, 7) for high in range(low, 7)]


def numbers_of(text: str) -> Iterator[int]:
    for block in count():
        digest = hashlib.sha256(f"{text} {block}".encode()).digest()
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))


def below(bound: int, source: Iterator[int]) -> int:
    return next(number for number in source if number < 2**32 - 2**32 % bound) % bound


def check_by_hand(text: str) -> None:
    """As docs/link.md says, and with nothing of the package."""
    lines = text.splitlines()
    players = lines.index("players 2")
    game = ['name = "house"', 'title.en = "House rules"']
    game += [line for line in lines[1:players] if not line.startswith(("name =", "title."))]
    said = dict(
        line.split(" ", 1)
        for line in lines[players:]
        if line.split()[0] not in ("box", "key", "signature", "1", "2")
    )
    of_seat = {
        tuple(line.split()[:2]): line.split(" ", 2)[2]
        for line in lines
        if line.split()[0] in ("box", "key", "signature")
    }
    *ends, last1, last2 = said["linked"].split()
    first = int(said.get("first", 1)) - 1
    session, limit = said["session"].split()
    names, keys, signatures = ([of_seat[word, seat] for seat in "12"] for word in ("box", "key", "signature"))
    agreed = [game, int(said["rounds"]), first, int(limit), names, ends, session, keys]
    played = [line.split() for line in lines if line[0] in "12"]
    throws = sum(words[1][0].isdigit() for words in played)
    # Links, from the last throw back to the commitments.
    links = [(last1, last2)]
    for _ in range(throws):
        links.append((sha(bytes.fromhex(links[-1][0])), sha(bytes.fromhex(links[-1][1]))))
    links.reverse()
    assert list(links[0]) == ends
    entries, number, ends_of = list[str](), 0, DOMINOES
    for seat, what, *answer in played:
        if not what[0].isdigit():
            entries.append("next")
            ends_of = DOMINOES
            continue
        number += 1
        faces, both = [int(face) for face in what.split("+")], links[number]
        source = numbers_of(f"{both[0]} {both[1]} {number} {seat} {len(faces)}")
        if 'draw = "dominoes"' in game:
            ends_of = ends_of or DOMINOES
            domino = ends_of[below(len(ends_of), source)]
            assert faces == domino
            ends_of = [other for other in ends_of if other != domino]
        else:
            assert faces == [below(6, source) + 1 for _ in faces]
        entries += [f"roll {len(faces)}", f"throw {what} {both[int(seat) - 1]}"]
        if answer:
            entries.append(f"open {answer[0][1:]}" if answer[0][0] == "+" else f"shut {answer[0]}")
    assert entries.pop() == "next", "the last turn's end comes after the entry that decides"
    digest = sha(json.dumps(agreed))
    for entry in entries:
        digest = sha(f"{digest} {entry}")
    for key, signature in zip(keys, signatures, strict=True):
        verifier = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        verifier.verify(bytes.fromhex(signature), f"shut-the-box linked match {digest}".encode())
    for seat, end, key in zip("12", ends, keys, strict=True):
        assert f"commitment of {of_seat['box', seat]}: {sha(f'{end} {key}')}" in verify(text).out


@pytest.mark.parametrize("game", ["traditional", "golf", "pub", "open-one", "domino-bag"])
def test_an_outsider_checks_a_match_by_hand(game: str) -> None:
    check_by_hand(write(signed_record(3, game, rounds=2)))


def test_the_page_has_every_text_that_is_hashed() -> None:
    page = re.sub(r"\s+", " ", (Path(__file__).parents[3] / "docs/link.md").read_text(encoding="utf-8"))
    for text in (
        "shut-the-box linked match HASH",
        "LINK1 LINK2 NUMBER SEAT DICE BLOCK",
        "roll 2",
        "throw 3+5 LINK",
        "shut 1,7",
        "open 4",
    ):
        assert text in page, text
