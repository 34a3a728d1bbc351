"""House rules: files that are read, and the one line that refuses others."""

from collections.abc import Mapping
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate

from shutthebox.config import profiles
from shutthebox.errors import ShutTheBoxError
from shutthebox.rules.moves import can_ever_move
from shutthebox.rules.profile import MatchFormat, MoveKind, OneDie, Profile, Scoring, ShutWins, Win
from shutthebox.rules.reader import ProfileError, chosen, parse_keys, to_profile, without
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.writer import to_keys, to_lines


def read(text: str | bytes, path: Path) -> Profile:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return profiles.read(path)


def parse(text: str) -> Profile:
    return to_profile(parse_keys(text, "x.toml", no_like), "x.toml", "x")


def no_like(name: str) -> Mapping[str, object]:
    raise KeyError("none is allowed here")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("", "name", "house"),
        ('name = "Our-2_rules"', "name", "Our-2_rules"),
        ("tiles = 1", "tiles", [1]),
        ("tiles = 54", "tiles", list(range(1, 55))),
        ("tiles = [9, 2, 54]", "tiles", [2, 9, 54]),
        ("boxes = [12, 9]", "boxes", [9, 12]),
        ("start_open = [3, 1]", "start_open", [1, 3]),
        ("dice = 1", "dice", 1),
        ("tiles = 12\ndice = 9", "dice", 9),
        ("sides = 20", "sides", 20),
        ("ends_turn_on = [7, 2]", "ends_turn_on", [2, 7]),
        ("max_tiles = 54", "max_tiles", 54),
        ("lost_score = 0", "lost_score", 0),
        ("rounds = 99", "rounds", 99),
        ('match = "drop-out"\nlimit = 1', "limit", 1),
        ('title.en = "A"\ntitle.fr = "À"', "title.fr", "À"),
        ('[title]\nen = "B"', "title.en", "B"),
        ('title.fr = "Gagné !"', "title.fr", "Gagné !"),
        ('like = "trac"', "move", "faces"),
        ('like = "trac"\nmove = "set"', "move", "set"),
        ('like = "trac"\ntiles = 10', "boxes", []),
        ('like = "trac"', "boxes", [9, 12]),
        ('like = "trac"', "title.en", ""),
        ('like = "trac-100"\nmatch = "total"', "limit", None),
        ('like = "trac-100"\nmatch = "drop-out"', "limit", 100),
        ("\ufeffdice = 1", "dice", 1),
        ("dice = 1\r\nsides = 8\r\n", "sides", 8),
        ("# a remark\ndice = 1 # another", "dice", 1),
        ("dice = 0b11", "dice", 3),
        ('blocked = "opens-one"\nscore = "throws"\nmatch = "target-loses"\nlimit = 45', "limit", 45),
        ('tiles = 12\nscore = "digits"', "score", "digits"),
        ("first_move_must_include = 1", "first_move_must_include", 1),
        ("difference = true\nmax_tiles = 1\nfirst_move_must_include = 1", "difference", True),
        ('tiles = 20\nmove = "faces"\nfirst_move_must_include = 12', "move", "faces"),
    ],
)
def test_ok__house_rules(text: str, key: str, value: object, tmp_path: Path) -> None:
    assert to_keys(read(text, tmp_path / "house.toml"))[key] == value


KEY_ERRORS = [
    # Unknown keys.
    ("tile = 9", "tile"),
    ("Tiles = 9", "Tiles"),
    ('title = "x"', "title"),
    ('title.german = "x"', "title.german"),
    ("title_en = 1", "title_en"),
    ("[dice]\ncount = 2", "dice"),
    ("[house]\ndice = 2", "house"),
    ('"a\\nb" = 1', "'a\\nb'"),
    ('"' + "k" * 500 + '" = 1', "'kkk"),
    # Wrong types.
    ("tiles = true", "tiles"),
    ("tiles = 9.0", "tiles"),
    ('tiles = "9"', "tiles"),
    ("tiles = [true]", "tiles"),
    ("tiles = [1, 2.0]", "tiles"),
    ("tiles = [[1]]", "tiles"),
    ("dice = true", "dice"),
    ("dice = 2.0", "dice"),
    ('dice = "2"', "dice"),
    ("dice = nan", "dice"),
    ("dice = 2024-01-01", "dice"),
    ("dice = [2]", "dice"),
    ("difference = 1", "difference"),
    ('captain = "yes"', "captain"),
    ("move = 3", "move"),
    ("move = []", "move"),
    ("ends_turn_on = 7", "ends_turn_on"),
    ("boxes = 9", "boxes"),
    ("name = 7", "name"),
    ("title.en = 7", "title.en"),
    ("source = true", "source"),
    ("like = 7", "like"),
    ("like = []", "like"),
    # Out of range.
    ("tiles = 0", "tiles"),
    ("tiles = 55", "tiles"),
    ("tiles = -1", "tiles"),
    ("tiles = []", "tiles"),
    ("tiles = [0]", "tiles"),
    ("tiles = [55]", "tiles"),
    ("tiles = [1, 1]", "tiles"),
    ("boxes = []", "boxes"),
    ("boxes = [0]", "boxes"),
    ("boxes = [9, 9]", "boxes"),
    ("start_open = []", "start_open"),
    ("dice = 0", "dice"),
    ("dice = 10", "dice"),
    ("dice = -2", "dice"),
    ("dice = 99999999999999999999999999", "dice"),
    ("sides = 1", "sides"),
    ("sides = 21", "sides"),
    ("max_tiles = 0", "max_tiles"),
    ("first_move_must_include = 0", "first_move_must_include"),
    ("ends_turn_on = []", "ends_turn_on"),
    ("ends_turn_on = [0]", "ends_turn_on"),
    ("ends_turn_on = [181]", "ends_turn_on"),
    ("lost_score = -1", "lost_score"),
    ("rounds = 0", "rounds"),
    ("rounds = 100", "rounds"),
    ("limit = 0", "limit"),
    ('move = "Set"', "move"),
    ('one_die = "optional"', "one_die"),
    ('draw = "cards"', "draw"),
    ('blocked = ""', "blocked"),
    ('turns = "w"', "turns"),
    ('score = "digit"', "score"),
    ('win = "none"', "win"),
    ('shut_wins = "yes"', "shut_wins"),
    ('match = "best"', "match"),
    ('tie = "coin"', "tie"),
    ('stakes = "beer"', "stakes"),
    ('name = ""', "name"),
    ('name = "a b"', "name"),
    ('name = "é"', "name"),
    ('name = "' + "x" * 41 + '"', "name"),
    ('title.en = "a\\nb"', "title.en"),
    ('title.fr = "' + "x" * 201 + '"', "title.fr"),
    ('source = "\\u0007"', "source"),
    # Like what?
    ('like = "house"', "like"),
    ('like = "nothing"', "like"),
    ('like = "a\\nb"', "like"),
    ('like = "' + "x" * 500 + '"', "like"),
    ('like = ""', "like"),
    # Contradictions.
    ("start_open = [10]", "start_open"),
    ("start_open = [1, 10]", "start_open"),
    ("tiles = [5, 6]\nstart_open = [1]", "start_open"),
    ("start_open = [4, 5]\nfirst_move_must_include = 2", "first_move_must_include"),
    ("first_move_must_include = 10", "first_move_must_include"),
    ("first_move_must_include = 1\nmax_tiles = 1", "first_move_must_include"),
    ('first_move_must_include = 1\nmax_tiles = 1\none_die = "optional-high"', "first_move_must_include"),
    ('tiles = 20\nmove = "faces"\nfirst_move_must_include = 13', "first_move_must_include"),
    ('draw = "dominoes"\ndice = 3', "draw"),
    ('draw = "dominoes"\nsides = 8', "draw"),
    ("difference = true\ndice = 3", "difference"),
    ("difference = true\ndice = 1", "difference"),
    ('tiles = 13\nscore = "digits"', "score"),
    ('tiles = 13\nscore = "digits-reversed"', "score"),
    ('boxes = [9, 13]\nscore = "digits"', "score"),
    ('match = "drop-out"', "limit"),
    ("limit = 100", "limit"),
    ('match = "total"\nlimit = 100', "limit"),
    ('blocked = "opens-one"\nmatch = "target-loses"\nlimit = 45', "limit"),
    ("tiles = 54\ndice = 9\nsides = 20", "dice"),
    # Who wins.
    ('match = "target-loses"\nlimit = 9\nwin = "highest"', "win"),
    ('match = "drop-out"\nlimit = 9\nwin = "highest"', "win"),
    ('match = "target-wins"\nlimit = 9\nwin = "lowest"', "win"),
    ('like = "misere"\nmatch = "target-loses"\nlimit = 9', "win"),
    ('win = "first-to-shut"\nrounds = 2', "win"),
    ('win = "first-to-shut"\nshut_wins = "no"', "win"),
    ('win = "first-to-shut"\nmatch = "drop-out"\nlimit = 9', "win"),
    ('win = "first-to-shut"\nscore = "throws"', "win"),
    ('win = "highest"\nshut_wins = "match"', "shut_wins"),
    ('win = "highest"\nshut_wins = "round"', "shut_wins"),
    ('score = "shut-sum"\nshut_wins = "match"', "shut_wins"),
    ('score = "throws"\nshut_wins = "round"', "shut_wins"),
    ('like = "traditional"\nwin = "highest"', "shut_wins"),
    ("captain = true", "captain"),
    ('like = "golf"\ncaptain = true', "captain"),
    ("first_move_must_include = 2\nlost_score = 44", "lost_score"),
    ('like = "digits"\nfirst_move_must_include = 2\nlost_score = 45', "lost_score"),
    ('like = "misere"\nfirst_move_must_include = 2\nlost_score = 1', "lost_score"),
    ("boxes = [9, 12]\nfirst_move_must_include = 2\nlost_score = 45", "lost_score"),
]


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
    ],
)
def test_the_defaults_of_who_wins_fit_the_other_keys(
    text: str, win: Win, shut_wins: ShutWins, tmp_path: Path
) -> None:
    profile = read(text, tmp_path / "house.toml")
    assert (profile.win, profile.shut_wins) == (win, shut_wins)


@pytest.mark.parametrize(("text", "key"), KEY_ERRORS)
def test_fail__house_rules(text: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    with pytest.raises(ProfileError) as caught:
        read(text, path)
    complaint = str(caught.value)
    assert complaint.startswith(f"{path}: {key}")
    assert "allowed" in complaint or "needs" in complaint
    assert complaint.isprintable()
    assert len(complaint) < 800
    assert isinstance(caught.value, ShutTheBoxError)
    assert isinstance(caught.value, ValueError)


def test_like_takes_rules_but_no_titles(tmp_path: Path) -> None:
    profile = read('like = "trac-100"\ntie = "share"', tmp_path / "house.toml")
    assert (profile.name, profile.title("en"), profile.source) == ("house", "house", "")
    assert (profile.move, profile.match, profile.limit) == (MoveKind.FACES, MatchFormat.TARGET_LOSES, 100)


def test_titles_fall_back(tmp_path: Path) -> None:
    profile = read('title.en = "Ours"', tmp_path / "house.toml")
    assert (profile.title("en"), profile.title("fr")) == ("Ours", "Ours")


def test_a_file_may_be_named_like_a_built_in_profile_and_be_like_it(tmp_path: Path) -> None:
    profile = read('like = "traditional"\nscore = "count"', tmp_path / "traditional.toml")
    assert (profile.score, profile.one_die) == (Scoring.COUNT, OneDie.OPTIONAL_HIGH)


@settings(deadline=None)
@given(generate.profiles())
def test_a_profile_written_reads_back(profile: Profile) -> None:
    assert parse("\n".join(to_lines(profile))) == profile


@settings(deadline=None)
@given(generate.profiles(), st.integers(0, (1 << 14) - 1))
def test_a_variant_without_some_tiles_starts_with_them_shut_and_reads_back(
    profile: Profile, out: int
) -> None:
    """A kept match is its profile's text: what cannot be read back could not be resumed."""
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
        assert parse("\n".join(to_lines(played))) == played


def test_the_total_to_beat_is_a_ladders_own() -> None:
    ladder, pub = profiles.builtin("ladder"), profiles.builtin("pub")
    assert chosen(ladder, best=17).limit == 17
    assert chosen(ladder) == ladder
    assert chosen(pub, best=17) == pub


def test_without_tiles_a_smaller_box_is_no_matter() -> None:
    """A box of two would have nothing left; a kept match is on the box of its own."""
    profile = to_profile({"tiles": tuple(range(1, 11)), "boxes": (2, 10)}, "test", "small")
    played = without(profile, to_tiles([1, 2]))
    assert played is not None
    assert parse("\n".join(to_lines(played))) == played


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


def test_built_in_profiles_written_read_back_on_every_box() -> None:
    for profile in profiles.builtins():
        for count in profile.allowed_boxes:
            played = profile.for_box(count)
            assert played is not None
            assert parse("\n".join(to_lines(played))) == played


@given(st.text(max_size=60))
def test_any_text_is_a_profile_or_one_line(text: str) -> None:
    _one_line(text)


KEYS = ["like", "name", "title", *to_keys(Profile(""))]
VALUES = ["-1", "0", "1", "9", "54", "55", "true", "[]", "[1]", "[9, 1]", '"set"', '"trac"', "1.5", "{a = 1}"]


@given(st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=5))
def test_any_keys_are_a_profile_or_one_line(lines: list[tuple[str, str]]) -> None:
    _one_line("\n".join(f"{key} = {value}" for key, value in lines))


def _one_line(text: str) -> None:
    complaint = "x.toml: "
    try:
        keys = parse_keys(text, "x.toml", profiles._builtin_keys)
        to_profile(keys, "x.toml", "x")
    except ProfileError as error:
        complaint = str(error)
    assert complaint.startswith("x.toml: ")
    assert complaint.isprintable()
