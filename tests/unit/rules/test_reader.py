"""House rules: files that are read, and the one line that refuses others."""

import re
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate
from tests.support.each import each
from tests.support.house import house, on_table
from tests.unit.rules.refused import BANK, CONTRADICTORY, PASSES, SHARED, TUG

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
    # More values out of range, and keys that are short for each other.
    ("min_tiles = 0", "min_tiles: 0 is not allowed; use a whole number from 1 to 54"),
    ('operations = ["sum"]\ndifference = true', 'difference: true is short for operations = ["sum", "diff'),
    ("operations = []", 'operations: [] is not allowed; use a list of at least one of "sum"'),
    ('operations = ["sum", "sum"]', "operations: ['sum', 'sum'] is not allowed; use a list of"),
    ('operations = "sum"', "operations: 'sum' is not allowed; use a list of at least one"),
    ('operations = ["sum", "power"]', "operations: ['sum', 'power'] is not allowed; use a list"),
    ("strikes = 10", "strikes: 10 is not allowed; use a whole number from 1 to 9"),
    ("rows = 2\nrow_points = [2, 10]", "row_points: [2, 10] is not allowed; use a list of 1 to 2"),
    ('rows = 2\nback = "high"', "back: 'high' is not allowed; use"),
    ('draw = "dominoes"\nbag = 22', "bag: 22 is not allowed; use"),
    ('one_die = "optional-high"\none_die_at = 0', "one_die_at: 0 is not allowed; use a whole number"),
    ("handicap = [[1, 10]]", "handicap: tile 10 is on no box of this profile"),
    ("start_open = [1, 10]", "start_open: tile 10 is on no box of this profile"),
    ('turns = "together"\nown_throws = 10', "own_throws"),
    ("shut_others = 10000", "shut_others"),
    ('shut_others = "twice"', "shut_others"),
    ("shut_others = true", "shut_others"),
    *CONTRADICTORY,
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
