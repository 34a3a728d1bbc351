"""Match records: they read back, and a broken one says which line breaks which rule."""

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate
from tests.support.linked import linked_record

from shutthebox.config import profiles
from shutthebox.errors import ShutTheBoxError
from shutthebox.rules.actions import Thrown
from shutthebox.rules.conditions import RULES_VERSION, Conditions, LinkProof, conditions_from_lines
from shutthebox.rules.profile import First, Profile
from shutthebox.rules.record import (
    FIRST_LINE,
    Record,
    RecordError,
    parse,
    parse_to_end,
    replay,
    unproven,
    write,
)

SHUT = """\
shut-the-box record 1
profile pub
players 3
rounds 1

# The first is blocked, the second shuts the box: the third does not play.
1 3+5 1,7
1 6+6 3,9
1 6+6 4,8
1 6+6
1 blocked 13
2 6+3 9
2 6+2 8
2 6+1 7
2 6+5 5,6
2 4 4
2 6 1,2,3
2 shut 0
scores 13 0 -
totals 13 0 0
winners 2
owes 2 -4 2
"""


def read(text: str) -> Record:
    return parse(text, "record.txt", profiles.builtin)


def no_profiles(name: str) -> Profile:
    raise AssertionError(name)


def test_a_record_by_hand_and_as_it_is_written() -> None:
    record = read(SHUT)
    assert (record.profile, record.players, record.rounds) == (profiles.builtin("pub"), 3, 1)
    assert replay(record)[-1].scores == (13, 0, None)
    text = write(record)
    assert text.startswith(f'{FIRST_LINE}\nname = "pub"\n'), "its own rules, and no profile's name"
    assert text.endswith("".join(SHUT.partition("1 3+5")[1:]).replace("\nowes", "\nended shut\nowes"))
    assert parse(text, "x", no_profiles) == record


HEAD = f"{FIRST_LINE}\nprofile jouhet\nplayers 2\n"


def test_a_match_of_which_nothing_has_been_played() -> None:
    record = read(HEAD)
    assert (record.rounds, record.actions, record.given_up) == (3, (), False), "the rounds of the game"
    assert (read(f"{HEAD}rounds 2\n").rounds, read(f"{HEAD}given-up\n").given_up) == (2, True)
    golf = read(f"{FIRST_LINE}\nrounds 99\nplayers 9\nprofile golf\n")
    assert (golf.players, golf.rounds) == (9, 99)
    assert read(write(golf)) == golf
    twelve = read(f"{FIRST_LINE}\nprofile traditional 12\nplayers 1\nrounds 1\n1 6+6 12\n")
    assert len(twelve.profile.tiles) == 12
    assert read(write(twelve)) == twelve


def test_a_turn_whose_time_is_over() -> None:
    text = """\
shut-the-box record 1
name = "quick"
tiles = [1, 2, 3, 4, 5, 6, 7, 8, 9]
turn_seconds = 30
players 2
rounds 1
1 3+5 8
1 time
1 time 37
2 1+1
2 time
2 time 45
scores 37 45
totals 37 45
winners 1
ended rounds
owes 0 0
"""
    record = read(text)
    assert write(record) == text
    end = replay(record)[-1]
    assert (end.scores, [row.throw for row in end.round.rows]) == ((37, 45), [None, (1, 1)])


@pytest.mark.parametrize("cut", [6, 7, 10, 11, 16])
def test_a_match_that_was_broken_off_is_a_record(cut: int) -> None:
    record = read("\n".join(SHUT.splitlines()[:cut]))
    assert read(write(record)) == record


@settings(deadline=None)
@given(generate.profiles(), st.integers(1, 4), st.integers(0, 2**32 - 1), st.integers(0, 300))
def test_records_read_back(profile: Profile, players: int, seed: int, most: int) -> None:
    record = generate.random_record(profile, players, seed, most)
    text = write(record)
    again, end = parse_to_end(text, "x", no_profiles)
    assert again == record
    assert write(again) == text
    assert [*replay(again)[:-1], end] == replay(record)


# Line to replace (by its text), what stands there instead, and the complaint after the line's number.
BROKEN = [
    ("1 3+5 1,7", "1 4+4 2,5", "4+4: 2,5 adds up to 7, not 8"),
    ("1 3+5 1,7", "1 3+5 7,1,7", "'7,1,7' names a tile twice"),
    ("1 3+5 1,7", "2 3+5 1,7", "'2': it is the turn of player 1"),
    ("1 3+5 1,7", "1 8 1,7 1", "'1 8 1,7 1' is not a line of a turn: player, throw and answer"),
    ("1 3+5 1,7", "1 3+x 1,7", "'x' is not a face: use numbers from 1 to 180"),
    ("1 3+5 1,7", "1 blocked 45", "blocked 45: a throw is due"),
    ("1 6+6 4,8", "1 6+6", "6+6: the throw on the table needs its answer first", 1),
    ("1 blocked 13", "1 blocked 12", "blocked '12': by the rules '1 blocked 13'"),
    ("1 blocked 13", None, "missing: '1 blocked 13'"),
    ("2 6 1,2,3", None, "shut 0: a throw is due"),
    ("totals 13 0 0", None, "missing: 'totals 13 0 0'"),
    ("owes 2 -4 2", "owes 1 -2 1", "'owes 1 -2 1': by the rules it is 'owes 2 -4 2'"),
    ("owes 2 -4 2", None, "missing: 'owes 2 -4 2'", -1),
    ("owes 2 -4 2", "owes 2 -4 2\nwinners 2", "'winners 2': not expected here, the match has ended", 1),
    ("profile pub", "profile pub 12", "profile: a box of '12' is not allowed; use 9"),
    ("profile pub", "profile pub\nprofile pub", "profile: allowed once, and instead of keys", 1),
    ("profile pub", "dicee = 2", "dicee: unknown key"),
    ("profile pub", 'like = "pub"', "like: 'pub' is not a built-in profile; a record has its keys itself"),
    ("profile pub", "dice = 2\ndice = 2", "dice: given twice", 1),
    ("profile pub", "dice = ", "not valid TOML"),
    ("players 3", "players 21", "players: '21' is not allowed; use 1 to 20"),
    ("players 3", "players 3\nplayers 3", "players: given twice", 1),
    ("rounds 1", "rounds 100", "rounds: '100' is not allowed; use 1 to 99"),
    ("rounds 1", "hello", "'hello' is not a line of a record's head"),
    ("shut-the-box record 1", "shut-the-box record 2", "not a record; its first line must be"),
    (
        "rounds 1",
        "rounds 1\ndice loaded",
        "dice: 'loaded' is not allowed; use box, real, or equal with 64 digits",
        1,
    ),
    ("rounds 1", "rounds 1\ncomputers 2", "computers: allowed after the line that begins with dice", 1),
    ("rounds 1", "rounds 1\ndice box\ndice box", "dice: given twice", 2),
    ("rounds 1", "rounds 1\ndice box\ncomputers 2 2", "computers: '2 2' is not allowed; use ris", 2),
    ("rounds 1", "rounds 1\ndice box\nout-of-play 55", "out-of-play: '55' is not allowed; use", 2),
    ("rounds 1", "rounds 1\ndice box\nlost 0", "lost: '0' is not allowed; use 1 to 999999", 2),
    ("rounds 1", "rounds 1" + "\ndice box" + "\nversion 1 rules 1" * 10, "version: '1 rules 1' is not", 11),
    ("owes 2 -4 2", "owes 2 -4 2\ngiven-up", "'given-up': not expected here, the match has ended", 1),
    ("1 blocked 13", "given-up", "'2 6+3 9': not expected here, the match has not ended yet", 1),
]


def test_fail__all_lines_that_a_record_written_by_hand_lacks_are_named_at_once() -> None:
    throws = [line for line in SHUT.splitlines()[6:-4] if line not in ("1 blocked 13", "2 shut 0")]
    with pytest.raises(RecordError) as caught:
        read("\n".join([FIRST_LINE, "profile pub", "players 3", *throws]) + "\n")
    assert str(caught.value) == (
        "record.txt:8: missing: '1 blocked 13', 'scores 13 0 -', 'totals 13 0 0', 'winners 2', 'owes 2 -4 2'"
    )


@pytest.mark.parametrize(("old", "new", "complaint", "shift"), [(*case, 0)[:4] for case in BROKEN])
def test_fail__a_broken_line_is_named(old: str, new: str | None, complaint: str, shift: int) -> None:
    lines = SHUT.splitlines()
    at = lines.index(old)
    changed = lines[:at] + ([] if new is None else [new]) + lines[at + 1 :]
    with pytest.raises(RecordError) as caught:
        read("\n".join(changed) + "\n")
    assert str(caught.value).startswith(f"record.txt:{at + 1 + shift}: {complaint}")
    assert str(caught.value).isprintable()
    assert isinstance(caught.value, ShutTheBoxError)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "record.txt:1: not a record"),
        (f"{FIRST_LINE}\n", "record.txt:1: players: missing; use 1 to 20; profile: missing"),
        (f"{FIRST_LINE}\nplayers 2\n", "record.txt:2: profile: missing"),
        (f"{FIRST_LINE}\nprofile pub\n1 3+5 8\n", "record.txt:3: players: missing"),
        (f"{FIRST_LINE}\ndice = 2\nprofile pub\n", "record.txt:3: profile: allowed once, and"),
        (f"{FIRST_LINE}\nplayers 2\nmatch = 'drop-out'\n", "record.txt: limit: missing"),
        (f"{HEAD}scores 0\n", "record.txt:4: 'scores 0': not expected here, the match has not ended yet"),
        (f"{HEAD}1 time\n", "record.txt:4: time: turns have no clock in this game"),
        (
            f"{HEAD}1 1+1 2\n0 1+1 2\n",
            "record.txt:5: '0 1+1 2': not expected here, the match has not ended yet",
        ),
        (f"{HEAD}dice box\nlevers 2\n", "record.txt:5: 'levers 2' is not a line of a record's head"),
    ],
)
def test_fail__heads(text: str, complaint: str) -> None:
    with pytest.raises(RecordError) as caught:
        read(text)
    assert str(caught.value).startswith(complaint)


# -- what a record does not prove --------------------------------------------------------------

LINK = st.text("0123456789abcdef", min_size=64, max_size=64)
FIELDS: dict[str, st.SearchStrategy[object]] = {
    "real_dice": st.booleans(),
    "computers": st.frozensets(st.integers(1, 9)).map(lambda seats: tuple(sorted(seats))),
    "out_of_play": st.frozensets(st.integers(1, 54)).map(lambda levers: tuple(sorted(levers))),
    "versions": st.lists(
        st.sampled_from(["1.0.0 rules 1", "1.0.0 rules 2", "1.0-rc1+x rules 30"]), unique=True
    ).map(tuple),
    "lost": st.integers(0, 999_999),
    "equal_dice": st.just(""),
    "first": st.just(1),
    "linked": st.none() | st.builds(LinkProof, st.tuples(LINK, LINK), st.tuples(LINK, LINK)),
}
CONDITIONS = st.builds(Conditions, *(FIELDS[name] for name in Conditions._fields))


def test_a_record_that_says_wrong_why_the_match_ended() -> None:
    """One written by hand need not say it."""
    with pytest.raises(RecordError, match="'ended limit': by the rules it is 'ended shut'"):
        read(SHUT.replace("winners 2\n", "winners 2\nended limit\n"))


def test_a_match_that_another_player_began() -> None:
    began = SHUT.replace("rounds 1\n", "rounds 1\ndice box\nfirst 2\n")
    with pytest.raises(RecordError, match="first: 2 is not allowed; use 1 to 1"):
        read(began)
    golf = replace(profiles.builtin("golf"), first=First.LOSER)
    text = write(Record(golf, 3, 1, (Thrown((6, 3)),), Conditions(first=2)))
    with pytest.raises(RecordError, match="first: 4 is not allowed; use 1 to 3"):
        read(text.replace("first 2", "first 4"))
    with pytest.raises(RecordError, match="it is the turn of player 3"):
        read(text.replace("first 2", "first 3"))
    record = Record(golf, 2, 1, (Thrown((6, 3)),), Conditions(first=2))
    assert read(write(record)) == record
    assert replay(record)[-1].player == 1


EQUAL = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("conditions", "lines"),
    [
        (Conditions(), ("dice box",)),
        (Conditions(equal_dice=EQUAL), (f"dice equal {EQUAL}",)),
        (
            Conditions(first=2, linked=LinkProof(("a" * 64, "b" * 64), ("c" * 64, "d" * 64))),
            ("dice box", f"linked {'a' * 64} {'b' * 64} {'c' * 64} {'d' * 64}", "first 2"),
        ),
        (
            Conditions(True, (1, 9), (1, 54), ("1.1 rules 1",), 999_999),
            ("dice real", "computers 1 9", "out-of-play 1 54", "version 1.1 rules 1", "lost 999999"),
        ),
    ],
)
def test_the_lines_of_every_condition(conditions: Conditions, lines: tuple[str, ...]) -> None:
    assert conditions.to_lines() == lines
    assert conditions_from_lines(lines) == conditions


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("linked", "linked: '' is not allowed; use two commitments and two links of 64 digits each"),
        (f"linked {EQUAL} {EQUAL}", "linked: "),
        (f"linked {EQUAL} {EQUAL} {EQUAL} {EQUAL} {EQUAL}", "linked: "),
        (f"linked {EQUAL} {EQUAL} {EQUAL} {EQUAL.upper()}", "linked: "),
        (f"linked {EQUAL} {EQUAL} {EQUAL}  {EQUAL}", "linked: "),
    ],
)
def test_fail__linked(line: str, complaint: str) -> None:
    with pytest.raises(RecordError, match=f"record.txt:6: {complaint}"):
        read(SHUT.replace("rounds 1\n", f"rounds 1\ndice box\n{line}\n"))


def test_only_two_play_on_linked_boxes() -> None:
    text = write(replace(linked_record(), actions=()))
    assert parse(text, "x", no_profiles).players == 2
    with pytest.raises(RecordError, match="linked: allowed with 2 players"):
        parse(text.replace("players 2\n", "players 3\n"), "x", no_profiles)


@given(CONDITIONS, st.booleans())
def test_conditions_read_back(conditions: Conditions, given_up: bool) -> None:
    begun = linked_record()
    record = replace(begun, actions=begun.actions[:5], conditions=conditions, given_up=given_up)
    assert parse(write(record), "x", no_profiles) == record


@given(CONDITIONS)
def test_an_update_during_a_match_loses_none_of_its_conditions(conditions: Conditions) -> None:
    assert conditions.joined(Conditions()) == conditions
    assert Conditions().joined(conditions) == conditions


def test_everything_that_is_not_proved_is_said() -> None:
    linked = LinkProof((EQUAL, EQUAL), (EQUAL, EQUAL))
    conditions = Conditions(True, (2, 3), (4, 7), ("1.0.0 rules 1",), 5, linked=linked)
    record = replace(read("\n".join(SHUT.splitlines()[:9])), conditions=conditions, given_up=True)
    assert unproven(record) == (
        "real dice: the players threw and entered them; the box didn't see them",
        "two linked boxes: each saw only its own levers; `shutthebox verify` checks every throw",
        "player 2 was the computer",
        "player 3 was the computer",
        "out of play: levers 4, 7",
        "facts lost to damage of the store: 5",
        "played on version 1.0.0 rules 1",
        f"checked here by rules {RULES_VERSION}",
        "given up before the end",
    )
    unknown = "dice, computers, levers and version are unknown: the record doesn't say"
    assert unproven(read(SHUT)) == (unknown,), "a record written by hand"


def test_a_match_played_under_two_conditions_has_both() -> None:
    first = Conditions(False, (1,), (4,), ("1.0.0 rules 2",), 1)
    later = Conditions(True, (3,), (), ("1.1.0 rules 3",), 2, equal_dice="f" * 64)
    both = Conditions(True, (1, 3), (4,), ("1.0.0 rules 2", "1.1.0 rules 3"), 3, equal_dice="f" * 64)
    assert first.joined(later) == both
    assert first.joined(Conditions(versions=first.versions)) == first
    begun, ended = (LinkProof((EQUAL, EQUAL), (link * 64, link * 64)) for link in "ab")
    linked = Conditions(linked=begun)
    assert linked.joined(Conditions()) == linked
    assert linked.joined(Conditions(linked=ended)).linked == ended


def test_a_table_of_twenty_is_read_back() -> None:
    played = generate.random_record(profiles.builtin("golf"), 20, seed=7)
    assert played.actions
    assert parse(write(played), "record.txt", profiles.builtin) == played
