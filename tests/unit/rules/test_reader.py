"""House rules: files that are read, and the one line that refuses others."""

import re
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate
from tests.support.each import each
from tests.support.house import house, on_table

from shutthebox.config import profiles
from shutthebox.errors import ShutTheBoxError
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.profile import MatchFormat, MoveKind, OneDie, Profile, Scoring, ShutWins, Win
from shutthebox.rules.reader import ProfileError, with_options, without
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.writer import to_keys, to_lines
from shutthebox.validation import MAX_MISTAKES


def read(text: str | bytes, path: Path) -> Profile:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return profiles.read(path)


SHARED = 'turns = "shared"\n'
TUG = 'turns = "tug"\n'
BANK = 'stakes = "bank"\n'
PASSES = 'blocked = "passes"\nmatch = "target-loses"\nlimit = 9\n'


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("", "name", "house"),
        ('name = "Our-2_rules"', "name", "Our-2_rules"),
        ("tiles = [9, 2, 54]", "tiles", [2, 9, 54]),
        ("start_open = [3, 1]", "start_open", [1, 3]),
        (f"handicap = {[0, 9999, [2, 1], *[1] * 6]}", "handicap", [0, 9999, [1, 2], *[1] * 6]),
        (BANK + "pays = {10 = 1, 9 = 9999}", "pays", {"9": 9999, "10": 1}),
        (BANK + "pays = {999999999999999 = 0}", "pays", {"999999999999999": 0}),
        ('title.en = "A"\ntitle.fr = "À"', "title.fr", "À"),
        ('[title]\nen = "B"', "title.en", "B"),
        ('like = "trac"\nmove = "set"', "move", "set"),
        ('like = "bank"\nstake = 2', "stake", 2),
        ('like = "bank"\nstake = 2', "pays", {"0": 5, "4": 2, "9": 1}),
        ('like = "bank"\nstakes = "pool"', "pays", {}),
        ('like = "trac-100"\nmatch = "ladder"\nstakes = "none"', "limit", None),
        ('like = "trac"\ntiles = 10', "boxes", []),
        ('like = "trac"', "boxes", [9, 12]),
        ('like = "trac"', "title.en", ""),
        ('like = "trac-100"\nmatch = "total"', "limit", None),
        ('like = "trac-100"\nmatch = "drop-out"', "limit", 100),
        ("\ufeffdice = 1", "dice", 1),
        ("dice = 1\r\nsides = 8\r\n", "sides", 8),
        ("dice = 0b11", "dice", 3),
        ('blocked = "opens-one"\nscore = "throws"\nmatch = "target-loses"\nlimit = 45', "limit", 45),
        ('tiles = 20\nmove = "faces"\nfirst_move_must_include = 12', "move", "faces"),
    ],
)
def test_ok__house_rules(text: str, key: str, value: object, tmp_path: Path) -> None:
    assert to_keys(read(text, tmp_path / "house.toml"))[key] == value


@pytest.mark.parametrize(
    ("text", "win", "shut_wins"),
    [
        ("", Win.LOWEST, ShutWins.ROUND),
        ('match = "target-wins"\nlimit = 200\nscore = "shut-sum"', Win.HIGHEST, ShutWins.NO),
        ('match = "target-wins"\nlimit = 200', Win.HIGHEST, ShutWins.NO),
        ('match = "target-loses"\nlimit = 200', Win.LOWEST, ShutWins.ROUND),
        ('score = "throws"', Win.LOWEST, ShutWins.NO),
        ('win = "highest"', Win.HIGHEST, ShutWins.NO),
        ('like = "golf"\nmatch = "target-wins"\nlimit = 99', Win.HIGHEST, ShutWins.NO),
        ('match = "ladder"', Win.LOWEST, ShutWins.NO),
        ('stakes = "bank"\npays = {0 = 9}', Win.LOWEST, ShutWins.NO),
        ('turns = "shared"', Win.LAST_IN, ShutWins.ROUND),
    ],
)
def test_the_defaults_of_who_wins_fit_the_other_keys(
    text: str, win: Win, shut_wins: ShutWins, tmp_path: Path
) -> None:
    profile = read(text, tmp_path / "house.toml")
    assert (profile.win, profile.shut_wins) == (win, shut_wins)


WRONG = [
    # Unknown keys.
    ("tile = 9", "tile"),
    ('title = "x"', "title"),
    ('title.german = "x"', "title.german"),
    ("[dice]\ncount = 2", "dice"),
    ('"a\\nb" = 1', "'a\\nb'"),
    # Wrong types.
    ("tiles = true", "tiles"),
    ('tiles = "9"', "tiles"),
    ("difference = 1", "difference"),
    ("like = 7", "like"),
    # Out of range.
    ("tiles = 55", "tiles"),
    ("dice = 99999999999999999999999999", "dice"),
    ("lost_score = -1", "lost_score"),
    ('move = "Set"', "move"),
    ('name = "a b"', "name"),
    ('name = "' + "x" * 41 + '"', "name"),
    ('title.en = "a\\nb"', "title.en"),
    ('title.fr = "' + "x" * 201 + '"', "title.fr"),
    ('source = "\\u0007"', "source"),
    # Like what?
    ('like = "nothing"', "like"),
    # Head starts and payments.
    *(
        (f"handicap = {value}", "handicap")
        for value in ("5", [1] * 21, "[-1]", "[10000]", "[1.0]", "[[]]", "[[55]]")
    ),
    *(
        (BANK + "pays = " + value, "pays")
        for value in (
            "[1]",
            "{}",
            "{0 = -1}",
            "{0 = 10000}",
            "{01 = 1}",
            "{'٧' = 1}",
            "{1000000000000000 = 1}",
        )
    ),
    (BANK + "pays = {" + ", ".join(f"{score} = 1" for score in range(21)) + "}", "pays"),
    # Contradictions.
    ("first_move_must_include = 10", "first_move_must_include"),
    ("min_tiles = 3\nmax_tiles = 2", "min_tiles: 3 are more than one move may have; use up to 2"),
    ("tiles = 4\nmin_tiles = 5", "min_tiles: 5 are more than one move may have; use up to 4"),
    ('min_tiles = 2\nmove = "single"', 'min_tiles: 2 is not allowed with move = "single"'),
    ("min_tiles = 0", "min_tiles: 0 is not allowed; use a whole number from 1 to 54"),
    ("first_move_must_include = 1\nmax_tiles = 1", "first_move_must_include"),
    ('draw = "dominoes"\ndice = 3', "draw"),
    ("difference = true\ndice = 3", "difference"),
    ('operations = ["sum"]\ndifference = true', 'difference: true is short for operations = ["sum", "diff'),
    ("operations = []", 'operations: [] is not allowed; use a list of at least one of "sum"'),
    ('operations = ["sum", "sum"]', "operations: ['sum', 'sum'] is not allowed; use a list of"),
    ('operations = "sum"', "operations: 'sum' is not allowed; use a list of at least one"),
    ('operations = ["sum", "power"]', "operations: ['sum', 'power'] is not allowed; use a list"),
    ('operations = ["product"]\ndice = 1', "operations: need two dice or more; use"),
    ('operations = ["product"]\ndice = 4', 'operations: "product" multiplies two or three dice'),
    # Nothing is counted with operations that these dice can't have: it would fail, or take for ever.
    (
        'operations = ["quotient"]\ndice = 3\nfirst_move_must_include = 2',
        'operations: "quotient" divides two dice; use dice = 2',
    ),
    (
        'tiles = 20\noperations = ["product"]\ndice = 9\nsides = 20\nfirst_move_must_include = 2',
        'operations: "product" multiplies two or three dice; use dice = 2 or 3',
    ),
    ('operations = ["quotient"]\ndice = 3', 'operations: "quotient" divides two dice; use dice = 2'),
    ('doubles = "ends-turn"\ndice = 1', 'doubles: "ends-turn" is not allowed with dice = 1'),
    ('doubles = "doubled"\ndice = 1', 'doubles: "doubled" is not allowed with dice = 1'),
    ('doubles = "ends-turn"\ninsurance = true', 'doubles: "ends-turn" is not allowed with insurance'),
    ('doubles = "doubled"\nmove = "faces"', 'doubles: "doubled" is not allowed with move = "faces"'),
    ("strikes = 10", "strikes: 10 is not allowed; use a whole number from 1 to 9"),
    ('strikes = 2\nblocked = "passes"', 'strikes: 2 is not allowed with blocked = "passes"'),
    ("strikes = 2\ninsurance = true", "strikes: 2 is not allowed with insurance = true"),
    (
        "strikes = 2\nfirst_move_must_include = 2",
        "strikes: 2 is not allowed with first_move_must_include = 2",
    ),
    (SHARED + "strikes = 2", 'strikes: 2 is not allowed with turns = "shared"'),
    ('back = "reversed"', 'back: "reversed" is not allowed with rows = 1'),
    ("through = true", "through: true is not allowed with rows = 1"),
    ("row_points = [2]", "row_points: is not allowed with rows = 1"),
    ("rows = 2\nrow_points = [2]", "row_points: [2] has another number of rows; use"),
    ("rows = 2\nrow_points = [2, 10]", "row_points: [2, 10] is not allowed; use a list of 1 to 2"),
    ('rows = 2\nback = "high"', "back: 'high' is not allowed; use"),
    ("bag = 28", 'bag: 28 is not allowed with draw = "dice"'),
    ('draw = "dominoes"\nbag = 22', "bag: 22 is not allowed; use"),
    ('draw = "dominoes"\nends_turn_on = [0]', "ends_turn_on: 0 is the double blank; allowed with bag = 28"),
    ("one_die_at = 5", 'one_die_at: 5 is not allowed with one_die = "never"'),
    ('one_die = "only-one"\none_die_at = 5', 'one_die_at: 5 is not allowed with one_die = "only-one"'),
    ('one_die = "optional-high"\none_die_at = 0', "one_die_at: 0 is not allowed; use a whole number"),
    ('like = "pub"\none_die = "forced-front"', 'one_die: "forced-front" is not allowed with rows = 1'),
    # Who wins.
    ('like = "misere"\nmatch = "target-loses"\nlimit = 9', "win"),
    ('win = "first-to-shut"\nrounds = 2', "win"),
    ('win = "first-to-shut"\nshut_wins = "no"', "win"),
    ('win = "first-to-shut"\nmatch = "drop-out"\nlimit = 9', "win"),
    ('like = "traditional"\nwin = "highest"', "shut_wins"),
    ('like = "golf"\ncaptain = true', "captain"),
    ("boxes = [9, 12]\nfirst_move_must_include = 2\nlost_score = 45", "lost_score"),
    (
        SHARED + 'blocked = "passes"',
        'blocked: "passes" is not allowed with turns = "shared"; use "loses"',
    ),
    ('win = "last-in"', 'win: "last-in" is not allowed with turns = "whole"; allowed with turns = "shared"'),
    (SHARED + "rounds = 2", 'rounds: 2 is not allowed with turns = "shared"; use 1'),
    (SHARED + 'match = "target-loses"\nlimit = 9', 'match: "target-loses" is not allowed with turns ='),
    (SHARED + 'score = "shut-sum"', 'score: "shut-sum" is not allowed with turns = "shared"'),
    (SHARED + 'shut_wins = "no"', 'shut_wins: "no" is not allowed with turns = "shared"'),
    (SHARED + "first_move_must_include = 2", "first_move_must_include: 2 is not allowed with"),
    (SHARED + "captain = true", 'captain: true is not allowed with turns = "shared"'),
    (SHARED + 'stakes = "bank"\npays = {0 = 9}', 'stakes: "bank" is not allowed'),
    (SHARED + "pays = {0 = 9}", 'pays: is not allowed with stakes = "none"'),
    (SHARED + "stake = 2", 'stake: 2 is not allowed with stakes = "none"'),
    (SHARED + "handicap = [0, 1]", 'handicap: is not allowed with turns = "shared"'),
    (BANK, "pays: missing"),
    (BANK + "pays = {0 = 9}\nrounds = 2", 'stakes: "bank" pays for one turn'),
    (BANK + 'pays = {0 = 9}\nmatch = "drop-out"\nlimit = 9', 'stakes: "bank" pays for one turn'),
    (BANK + 'pays = {0 = 9}\nshut_wins = "match"', 'shut_wins: "match" is not allowed with stakes ='),
    (BANK + "pays = {0 = 2, 5 = 9}", "pays: a better score would be paid less"),
    (BANK + 'win = "highest"\npays = {0 = 9, 5 = 2}', "pays: a better score would be paid less"),
    (BANK + "pays = {0 = 9}\nteams = 2", 'teams: with stakes = "bank" everybody plays alone'),
    ('match = "ladder"\nshut_wins = "match"', 'shut_wins: "match" is not allowed with match = "ladder"'),
    ('match = "ladder"\nteams = 2', 'teams: match = "ladder" is played alone'),
    ('match = "ladder"\nhandicap = [5]', 'handicap: match = "ladder" is played alone'),
    ("insurance = true\ndice = 1", "insurance: true is not allowed with dice = 1"),
    ('insurance = true\nblocked = "opens-one"', 'insurance: true is not allowed with blocked = "opens-one"'),
    ('rows = 2\nblocked = "opens-one"', 'blocked: "opens-one" is not allowed with rows = 2'),
    ('rows = 2\nscore = "digits"', 'score: "digits" is not allowed with rows = 2'),
    ('tiles = 13\nscore = "digits"', "score: 17 digits can't be shown"),
    ("tiles = 54\ndice = 9\nsides = 7", "dice: 9 of 7 sides have over 6000 moves on 54 tiles"),
    ('match = "drop-out"', "limit: missing"),
    ("limit = 9", 'limit: means nothing with match = "total"'),
    ('match = "drop-out"\nlimit = 0', "limit: 0 is not allowed"),
    (PASSES + "tiles = [2, 3]", "limit: never reached, since every turn scores 0"),
    (PASSES + 'one_die = "only-one"', "limit: never reached, since every turn scores 0"),
    ('blocked = "opens-one"\nmatch = "target-loses"\nlimit = 9\n', "limit: never reached, since every"),
    ('match = "target-wins"\nlimit = 9\nhandicap = [0, 9]', "handicap: 9 points would reach the limit"),
    ('blocked = "passes"\nwin = "first-to-shut"\nhandicap = [1]', "handicap: points mean nothing in a"),
    ("tiles = 3\nhandicap = [0, [1, 2, 3]]", "handicap: without 1, 2, 3 there is nothing to play"),
    ("handicap = [[2]]\nfirst_move_must_include = 2", "handicap: without 2 there is nothing to play"),
    ("handicap = [[1, 10]]", "handicap: tile 10 is on no box of this profile"),
    ("start_open = [1, 10]", "start_open: tile 10 is on no box of this profile"),
    (
        'one_die = "optional-shut"\none_die_tiles = [7, 10]',
        "one_die_tiles: tile 10 is on no box of this profile",
    ),
    (
        'tiles = 12\nboxes = [6, 12]\none_die = "forced-shut"',
        "one_die_tiles: none of 7, 8, 9 is on a box of 6 tiles; use its tiles",
    ),
    ("one_die_tiles = [7, 8, 9]", 'one_die_tiles: is not allowed with one_die = "never"'),
    (
        'one_die = "optional-shut"\none_die_at = 6',
        'one_die_at: 6 is not allowed with one_die = "optional-shut"',
    ),
    ('add_throw = true\nscore = "digits"', 'add_throw: true is not allowed with score = "digits"'),
    ('add_throw = true\nscore = "throws"\nshut_wins = "no"', "add_throw: true is not allowed with score ="),
    ('add_throw = true\ndraw = "dominoes"', 'add_throw: true is not allowed with draw = "dominoes"'),
    ('add_throw = true\nturns = "together"', 'add_throw: true is not allowed with turns = "together"'),
    ('add_throw = true\nturns = "shared"', 'add_throw: true is not allowed with turns = "shared"'),
    ('add_throw = true\nturns = "tug"', 'add_throw: true is not allowed with turns = "tug"'),
    (
        'add_throw = true\nstakes = "bank"\npays = {0 = 9}\nshut_wins = "no"',
        'add_throw: true is not allowed with stakes = "bank"',
    ),
    (
        'add_throw = true\noperations = ["difference", "product"]',
        'add_throw: is not allowed with operations = ["difference", "product"]',
    ),
    ("first_move_must_include = 2\nadd_throw = true\nlost_score = 56", "lost_score: 56 is better than the"),
    ('first_move_must_include = 2\nwin = "highest"\nlost_score = 1', "lost_score: 1 is better than"),
    ("first_move_must_include = 2\nlost_score = 44", "lost_score: 44 is better than the worst score"),
    ('match = "target-wins"\nlimit = 9\nwin = "lowest"', 'win: "lowest" contradicts match ='),
    ('match = "drop-out"\nlimit = 9\nwin = "highest"', 'win: "highest" contradicts match = "drop-out"'),
    ('score = "throws"\nshut_wins = "round"', 'shut_wins: "round" is not allowed, as with score ='),
    ('match = "rounds-won"\nlimit = 3\nrounds = 2', 'rounds: is not allowed with match = "rounds-won"'),
    ('match = "rounds-won"\nhandicap = [0, 3]', "handicap: points mean nothing with match"),
    ('match = "rounds-won"\nlimit = 0', "limit: 0 is not allowed"),
    ('match = "rounds-won"\nwin = "first-to-shut"\nshut_wins = "no"', 'win: "first-to-shut" is not allowed'),
    (SHARED + 'match = "rounds-won"', 'match: "rounds-won" is not allowed with turns = "shared"'),
    ("own_throws = 1", 'own_throws: 1 is not allowed with turns = "whole"'),
    ('turns = "together"\nown_throws = 10', "own_throws"),
    (TUG + "rows = 2", 'rows: 2 is not allowed with turns = "tug"; use 1'),
    (TUG + "strikes = 2", 'strikes: 2 is not allowed with turns = "tug"; use 1'),
    (TUG + 'blocked = "passes"', 'blocked: "passes" is not allowed with turns = "tug"'),
    (TUG + 'blocked = "opens-one"', 'blocked: "opens-one" is not allowed with turns = "tug"'),
    (TUG + 'blocked = "loses"', 'blocked: "loses" is not allowed with turns = "tug"'),
    (TUG + 'draw = "dominoes"', 'draw: "dominoes" is not allowed with turns = "tug"'),
    (TUG + "captain = true", 'captain: true is not allowed with turns = "tug"'),
    (TUG + 'stakes = "bank"\npays = {0 = 9}', 'stakes: "bank" is not allowed with turns = "tug"'),
    (TUG + "handicap = [0, 3]", "handicap: points mean nothing"),
    (TUG + "teams = 3", 'teams: 3 is not allowed with turns = "tug"; use 2'),
    (TUG + "rounds = 2", 'rounds: 2 is not allowed with turns = "tug" and match = "total"; use 1'),
    (TUG + 'match = "drop-out"\nlimit = 9', 'match: "drop-out" is not allowed with turns = "tug"'),
    (TUG + 'match = "ladder"', 'match: "ladder" is not allowed with turns = "tug"'),
    (TUG + 'win = "lowest"', 'win: "lowest" is not allowed with turns = "tug"'),
    (TUG + 'score = "throws"', 'score: "throws" is not allowed with turns = "tug"'),
    (TUG + 'shut_wins = "no"', 'shut_wins: "no" is not allowed with turns = "tug"'),
    (TUG + 'match = "rounds-won"\nshut_wins = "match"', 'shut_wins: "match" is not allowed with turns'),
    (TUG + "shut_others = 20", 'shut_others: 20 is not allowed with turns = "tug"'),
    (TUG + "own_throws = 1", 'own_throws: 1 is not allowed with turns = "tug"'),
    (TUG + "handicap = [[1, 2, 3, 4, 5, 6, 7, 8, 9]]", "handicap: without 1, 2, 3, 4, 5, 6, 7, 8, 9 there"),
    ('tie = "carry"', 'tie: "carry" needs something to carry'),
    ('tie = "carry"\nstakes = "loser-pays"', 'tie: "carry" needs something to carry'),
    ('tie = "carry"\nstakes = "pool"\nrounds = 2', 'tie: "carry" is not allowed with match = "total"'),
    ('shut_others = 20\nshut_wins = "match"', 'shut_others: 20 is not allowed with shut_wins = "match"'),
    (
        'shut_others = "doubled"\nwin = "highest"',
        'shut_others: "doubled" is not allowed with win = "highest"',
    ),
    ('shut_others = 20\nwin = "first-to-shut"', 'shut_others: 20 is not allowed with win = "first-to-shut"'),
    ('shut_others = 20\nscore = "throws"', 'shut_others: 20 is not allowed with score = "throws"'),
    ('shut_others = 20\nmatch = "ladder"', 'shut_others: 20 is not allowed with match = "ladder"'),
    (BANK + "pays = {0 = 9}\nshut_others = 20", 'shut_others: 20 is not allowed with stakes = "bank"'),
    ('stakes = "pool"\nmatch = "ladder"\ntie = "carry"', 'tie: match = "ladder" is played alone'),
    (SHARED + "shut_others = 20", 'shut_others: 20 is not allowed with turns = "shared"'),
    (SHARED + "own_throws = 1", 'own_throws: 1 is not allowed with turns = "shared"'),
    (SHARED + 'tie = "carry"', 'tie: "carry" needs something to carry'),
    ("shut_others = 10000", "shut_others"),
    ('shut_others = "twice"', "shut_others"),
    ("shut_others = true", "shut_others"),
    ('win = "highest"\nshut_wins = "match"', 'shut_wins: "match" is not allowed, as with win ='),
]
"""House rules that are refused, and how the complaint begins after the file's name."""


def test_fail__house_rules(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"

    def is_refused(case: tuple[str, str]) -> None:
        text, complaint = case
        with pytest.raises(ProfileError) as caught:
            read(text, path)
        said = str(caught.value)
        assert said.startswith(f"{path}: {complaint}"), said
        assert re.search("[;?] use |leave it out|allowed|needs", said), said
        assert said.isprintable()
        assert len(said) < 800
        assert isinstance(caught.value, ShutTheBoxError)
        assert isinstance(caught.value, ValueError)

    each(WRONG, is_refused)


@pytest.mark.parametrize(
    "text",
    [
        SHARED + 'shut_wins = "match"\nscore = "count"\ninsurance = true\nteams = 2\nstakes = "pool"',
        SHARED + 'blocked = "loses"\nwin = "last-in"\nrounds = 1\nmatch = "total"\nstake = 1',
        SHARED + "handicap = [0, 0]",
        BANK + 'pays = {0 = 9, 5 = 2, 7 = 2}\nstake = 3\nshut_wins = "no"\nhandicap = [5, [1]]',
        BANK + 'pays = {0 = 2, 5 = 2, 9 = 9}\nwin = "highest"',
        'match = "ladder"\nlimit = 0\nrounds = 3\nhandicap = [0]',
        "insurance = true\ndice = 3",
        'rows = 2\nblocked = "passes"\nscore = "count"',
        'match = "drop-out"\nlimit = 1',
        PASSES,
        PASSES + 'tiles = [2, 3]\nscore = "throws"',
        PASSES + "tiles = [2, 3]\nturn_seconds = 5",
        PASSES + "tiles = [2, 3]\nends_turn_on = [7]",
        PASSES + "tiles = [2, 3]\nfirst_move_must_include = 2",
        'blocked = "opens-one"\nmatch = "target-wins"\nlimit = 9\nscore = "shut-sum"',
        'match = "target-wins"\nlimit = 9\nhandicap = [8]',
        'match = "target-loses"\nlimit = 9\nhandicap = [9]',
        'win = "first-to-shut"\nhandicap = [1]',
        'blocked = "passes"\nwin = "first-to-shut"\nhandicap = [0, [1]]',
        "tiles = 3\nhandicap = [0, [1, 2]]",
        "boxes = [9, 12]\nhandicap = [[1, 12]]\nstart_open = [1, 2, 12]",
        'first_move_must_include = 2\nwin = "highest"\nlost_score = 0',
        "first_move_must_include = 2\nlost_score = 45",
        'captain = true\nshut_wins = "match"',
        'match = "rounds-won"\nrounds = 5\nhandicap = [0, [1]]\nwin = "highest"',
        'match = "rounds-won"\nlimit = 5\nwin = "first-to-shut"\ntie = "carry"',
        'tie = "carry"\nstakes = "pool-double"\nfirst = "winner"',
        'turns = "together"\nown_throws = 9\ninsurance = true\nblocked = "ends-turn"',
        TUG + "insurance = true\nteams = 2\nhandicap = [[1], [2, 3]]\nturn_seconds = 30",
        TUG + 'match = "rounds-won"\nrounds = 3\nstakes = "pool"\ntie = "carry"',
        'like = "traditional"\nturns = "tug"',
    ],
)
def test_ok__keys_that_go_together(text: str) -> None:
    assert house("\n".join(to_lines(house(text)))) == house(text)


def test_a_game_as_the_players_choose_it() -> None:
    pub, to_100 = profiles.builtin("pub"), profiles.builtin("tournament-100")
    assert with_options(pub) == pub
    game = with_options(pub, limit=50, teams=2, handicap=(0, 5), turn_seconds=60)
    assert (game.limit, game.teams, game.handicap, game.turn_seconds) == (None, 2, (0, 5), 60)
    assert with_options(game, teams=0, handicap=(), turn_seconds=0) == pub
    assert with_options(to_100, limit=50).limit == 50
    assert with_options(to_100, limit=None).limit == 100
    # What a game can't be played with is left out, and the rest holds.
    shared = with_options(profiles.builtin("high-rollers"), teams=2, handicap=(5,), turn_seconds=30)
    assert (shared.teams, shared.handicap, shared.turn_seconds) == (2, (), 30)
    alone = with_options(profiles.builtin("ladder"), limit=9, best=17, teams=2, handicap=((1,),))
    assert alone == with_options(profiles.builtin("ladder"), best=17)


def test_like_takes_rules_but_no_titles(tmp_path: Path) -> None:
    profile = read('like = "trac-100"\ntie = "share"', tmp_path / "house.toml")
    assert (profile.name, profile.title("en"), profile.source) == ("house", "house", "")
    assert (profile.move, profile.match, profile.limit) == (MoveKind.FACES, MatchFormat.TARGET_LOSES, 100)


def test_the_title_in_a_language() -> None:
    titled = Profile("x", titles=(("en", "Ours"), ("fr", "À nous")))
    assert [titled.title(language) for language in ("en", "fr", "de")] == ["Ours", "À nous", "Ours"]
    assert titled.title("de", str.upper) == "OURS"
    assert Profile("x").title("fr", str.upper) == "x"
    assert Profile("x", titles=(("en", ""), ("fr", "À nous"))).title("en", str.upper) == "x"


def test_a_file_named_like_a_built_in_profile_has_to_give_another_name(tmp_path: Path) -> None:
    path = tmp_path / "traditional.toml"
    with pytest.raises(ProfileError, match=r"traditional\.toml: name: 'traditional' is taken"):
        read('like = "traditional"\nscore = "count"', path)
    profile = read('name = "ours"\nlike = "traditional"\nscore = "count"', path)
    assert (profile.score, profile.one_die) == (Scoring.COUNT, OneDie.OPTIONAL_HIGH)


@settings(deadline=None)
@given(generate.profiles())
def test_a_profile_written_reads_back(profile: Profile) -> None:
    assert on_table("\n".join(to_lines(profile))) == profile


@settings(deadline=None)
@given(generate.profiles(), st.integers(0, (1 << 14) - 1))
def test_a_variant_without_some_tiles_starts_with_them_shut_and_reads_back(
    profile: Profile, out: int
) -> None:
    """A kept match is its profile's text: what can't be read back could not be resumed."""
    played = without(profile, out)
    if played is None:
        must = profile.first_move_must_include
        needed = must is not None and to_tiles([must]) & out
        # Of a seat whose head start is tiles fewer are left.
        rows = [profile.starting & ~out]
        rows += [rows[0] & ~to_tiles(start) for start in profile.handicap if isinstance(start, tuple)]
        shut = to_tiles([must] if must else [])
        assert needed or not all(can_ever_move(profile, row, shut) for row in rows)
        return
    assert played.starting == profile.starting & ~out
    assert played.tiles == profile.tiles
    assert played.starting
    if out & profile.starting:
        assert on_table("\n".join(to_lines(played))) == played


def test_built_in_profiles_without_a_lever() -> None:
    traditional = profiles.builtin("traditional")
    assert without(traditional, 0) is traditional
    assert without(traditional, to_tiles([12])) is traditional, "a lever that it does not have"
    assert without(traditional, traditional.all_tiles) is None
    two_to_go = profiles.builtin("two-to-go")
    assert without(two_to_go, to_tiles([2])) is None, "its first move must shut 2"
    played = without(two_to_go, to_tiles([1]))
    assert played is not None
    assert played.first_move_must_include == 2


KEYS = ["like", "name", "title", *to_keys(Profile(""))]
VALUES = ["-1", "0", "1", "9", "54", "55", "true", "[]", "[1]", "[9, 1]", '"set"', '"trac"', "1.5", "{a = 1}"]


@given(st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=5))
def test_any_keys_are_a_profile_or_one_line(lines: list[tuple[str, str]]) -> None:
    complaint = "house.toml: "
    try:
        house("\n".join(f"{key} = {value}" for key, value in lines))
    except ProfileError as error:
        complaint = str(error)
    assert complaint.startswith("house.toml: ")
    assert complaint.isprintable()


def test_a_thousand_unknown_keys_are_not_all_complained_of() -> None:
    """Each is compared with all known ones: an invitation of them kept a small Pi busy for many seconds."""
    with pytest.raises(ProfileError) as error:
        house("\n".join(f"key{number} = 1" for number in range(1000)))
    assert len(error.value.mistakes) == MAX_MISTAKES
