"""Equal dice: the same throws at every box, from a seed that is committed to before."""

import hashlib
from dataclasses import replace
from random import Random

import pytest
from tests.support.chance import next_action

from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import Action, Thrown, apply
from shutthebox.rules.conditions import Conditions
from shutthebox.rules.derived_throws import number_below
from shutthebox.rules.equal_dice import Tournament, TournamentError, tournament_from_text, unequal
from shutthebox.rules.match import begin
from shutthebox.rules.position import Stage
from shutthebox.rules.record import Record, parse, unproven, write
from shutthebox.rules.turn import bag

FRIDAY = Tournament("Friday at the Crown", "0123456789abcdef" * 4)


def played(tournament: Tournament, seed: int, players: int = 2) -> Record:
    """A match of players who choose at random, on the tournament's dice."""
    random, match = Random(seed), begin(builtin("golf"), players, 2)
    actions: list[Action] = []
    while match.stage is not Stage.FINISHED:
        action = next_action(match, random)
        if isinstance(action, Thrown):
            action = Thrown(tournament.throw(match, len(action.faces)))
        actions.append(action)
        match = apply(match, action)
    conditions = Conditions(equal_dice=tournament.commitment)
    return Record(match.game, players, 2, tuple(actions), conditions)


def throws(record: Record) -> dict[tuple[int, int, int], tuple[int, ...]]:
    """The throws by seat, round and number in the turn."""
    found, match = {}, begin(record.profile, record.players, record.rounds)
    for action in record.actions:
        if isinstance(action, Thrown):
            found[match.player, match.round.number, match.turn.throws] = action.faces
        match = apply(match, action)
    return found


def test_twenty_players_have_dice_of_their_own_that_anybody_can_check() -> None:
    record = played(FRIDAY, 1, players=20)
    first = {at[0]: faces for at, faces in throws(record).items() if at[1:] == (1, 0)}
    assert len(first) == 20
    assert len(set(first.values())) > 10
    assert unequal(parse(write(record), "record", builtin), FRIDAY) is None


def test_the_commitment_is_the_hash_of_the_file() -> None:
    assert FRIDAY.commitment == hashlib.sha256(FRIDAY.to_text().encode()).hexdigest()


def test_anybody_can_make_the_throws_again() -> None:
    """From numbers of four bytes: SHA-256 of the seed, the seat, the round, the throw and the block."""
    match = begin(builtin("cards"), 2, 3)
    first = [hashlib.sha256(f"{FRIDAY.seed} 1 1 1 {block}".encode()).digest() for block in range(2)]
    numbers = [
        int.from_bytes(digest[at : at + 4]) for digest in first for at in (0, 4, 8, 12, 16, 20, 24, 28)
    ]
    assert FRIDAY.throw(match, 9) == tuple(number % 6 + 1 for number in numbers if number < 2**32 - 4)[:9]
    row = match.turn._replace(throws=3)
    later = match._replace(player=1, round=match.round._replace(number=5, rows=(match.turn, row)))
    digest = hashlib.sha256(f"{FRIDAY.seed} 2 5 4 0".encode()).digest()
    assert FRIDAY.throw(later, 1) == (int.from_bytes(digest[:4]) % 6 + 1,)
    dominoes = begin(builtin("domino-bag"), 1)
    drawn = bag(dominoes.rules, dominoes.turn)[numbers[0] % 21]
    assert FRIDAY.throw(dominoes, 2) == drawn


def test_the_same_seat_gets_the_same_throws_whatever_anybody_does() -> None:
    tables = [throws(played(FRIDAY, seed)) for seed in range(8)]
    seen = set[tuple[int, int, int]]().union(*tables)
    for place in seen:
        faces = {table[place] for table in tables if place in table}
        # One die is the first of two.
        assert len({thrown[0] for thrown in faces}) == 1
        assert len({thrown for thrown in faces if len(thrown) == 2}) <= 1


@pytest.mark.parametrize("sides", [6, 20, 21])
def test_a_number_that_would_favour_some_faces_is_passed_over(sides: int) -> None:
    rest = 2**32 % sides
    whole = 2**32 - rest
    numbers = iter([2**32 - 1, whole, whole - 1, 0])
    assert number_below(sides, numbers) == sides - 1, "the highest face, by the highest number that counts"
    assert list(numbers) == [0]


def test_a_record_says_it_and_can_be_checked() -> None:
    record = parse(write(played(FRIDAY, 5)), "match.txt", builtin)
    assert f"dice equal {FRIDAY.commitment}\n" in write(record)
    assert any("equal dice" in sentence for sentence in unproven(record))
    assert unequal(record, FRIDAY) is None


def test_another_throw_is_found_and_a_total_alone_proves_none() -> None:
    """A forger would give the first die of the seed for the total of two."""
    record = played(FRIDAY, 6)
    first, second = record.actions[0].faces
    for faces, said in (((first % 6 + 1, second), f"{first % 6 + 1}+{second}"), ((first,), f"{first}")):
        found = unequal(replace(record, actions=(Thrown(faces),)), FRIDAY)
        assert found == f"action 1: player 1 threw {said}, by the seed it is {first}+{second}"


def test_a_record_of_another_tournament_or_of_none_is_found() -> None:
    record = played(FRIDAY, 7)
    other = Tournament("Saturday", FRIDAY.seed)
    assert "commitment" in str(unequal(record, other))
    assert "names none" in str(unequal(replace(record, conditions=Conditions()), FRIDAY))
    assert "names none" in str(unequal(replace(record, conditions=None), FRIDAY))


@pytest.mark.parametrize("name", ["x", "Friday, at the Crown", "x" * 60, "Été à Liège: 1, 2, 3", "x  y"])
def test_the_name_of_a_tournament(name: str) -> None:
    tournament = Tournament(name, "0" * 64)
    assert tournament.to_text() == f"shut-the-box tournament 1\nname {name}\nseed {'0' * 64}\n"
    assert tournament_from_text(tournament.to_text(), "x") == tournament


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shut-the-box tournament 1\nname  x\nseed " + "0" * 64,
        "shut-the-box tournament 1\ncalled x\nseed " + "0" * 64,
        "shut-the-box tournament 2\nname x\nseed " + "0" * 64,
        "shut-the-box tournament 1\nname " + "x" * 61 + "\nseed " + "0" * 64,
        "shut-the-box tournament 1\nname \x1b[2J\nseed " + "0" * 64,
        "shut-the-box tournament 1\nname x\nseed " + "0" * 63,
        "shut-the-box tournament 1\nname x\nseed " + "0" * 64 + "\nmore",
    ],
)
def test_what_is_no_tournament_is_one_line(text: str) -> None:
    with pytest.raises(TournamentError, match=r"^friday:?") as caught:
        tournament_from_text(text, "friday")
    assert len(str(caught.value).splitlines()) == 1


def test_the_seed_is_in_no_complaint() -> None:
    with pytest.raises(TournamentError) as caught:
        tournament_from_text(f"shut-the-box tournament 1\nname x\nseed {'1' * 63}g\n", "friday")
    assert "1111" not in str(caught.value)
