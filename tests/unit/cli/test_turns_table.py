"""A match that people have written down is reviewed: tables of turns as spreadsheets save them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.command import printed, refused
from tests.support.records import TWO_TURNS

from shutthebox.cli.turns_table import is_table, read_table
from shutthebox.config.profiles import builtin
from shutthebox.rules.record import Record, RecordError, parse, write

TRADITIONAL = builtin("traditional")

TURNS = [
    ("Anna", (6, 4), "4,6"), ("Anna", (6, 6), "5,7"), ("Anna", (4, 3), ""),
    ("Ben", (6, 3), "9"), ("Ben", (5, 5), "2,8"), ("Ben", (6, 6), "5,7"), ("Ben", (1, 1), ""),
]  # fmt: skip


def table(form: str, heads: str, cut: str = "") -> str:
    lines = (form.format(player, *dice, tiles=cut.join(tiles.split(","))) for player, dice, tiles in TURNS)
    return "\n".join((heads, *lines)) + "\n"


TABLES = {
    "commas": table('{},{}+{},"{tiles}"', "Player,Dice,Tiles shut", ","),
    "semicolons and another order": table("{tiles};{};{}-{}", "Geschlossene Klappen;SPIELER;Wurf", " "),
    "tabs and two columns of dice": table(
        "{1}\t{2}\t{0}\t{tiles}", "Dé 1\tDé 2\tJoueur\tClapets fermés", "+"
    ),
    "a name that holds a word for dice without its accent": table(
        "{};{}+{};{tiles}", "Nom de joueur;Lancers;Leviers baissés", " "
    ),
    "an elision": table("{}|{}+{}|{tiles}", "Nom d’un joueur|Jets|Joués", " "),
    "heads without accents": table("{};{};{};{tiles}", "PLACE;DE 1;DE 2;BAISSES", " "),
    "seats": table("{};{}+{};{tiles}", "Plaats;Worp;Dicht", " "),
    "other columns": table("x;7;{};{} {};{tiles};45", "date;Worp nr;Naam;Dobbelstenen;Kleppen;Score", "/"),
    "dice without a sign": table("{}|{}{}|{tiles}", "name|dice|tiles", "-"),
    "the name once": table("{},{}+{},{tiles}", "player,dice,shut", " ").replace("\nAnna,6+6", "\n,6+6"),
    "a byte order mark and Windows' lines": "\ufeff"
    + table("{},{}+{},{tiles}", "player,dice,shut", " ").replace("\n", "\r\n"),
    "dashes for nothing": table("{},{}+{},{tiles}", "player,dice,shut", " ").replace(",\n", ",-\n"),
    "a line for each turn": "player,dice,shut\nAnna,6+4 6+6 4+3,4+6 5+7\nBen,6+3 5+5 6+6 1+1,9 2+8 5+7 -\n",
    "a line for each turn, with bars": (
        "sep=;\nplayer;dice;shut\nAnna;6+4, 6+6, 4+3;4 6 | 5 7 |\nBen;6+3/5+5/6+6/1+1;9/2,8/5,7\n"
    ),
    "only totals": "player,total,shut\n"
    + "".join(f"{player},{sum(dice)},{tiles.replace(',', ' ')}\n" for player, dice, tiles in TURNS),
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_a_table_is_the_match_that_a_record_tells(text: str) -> None:
    assert is_table(text, "evening.txt")
    read, told = read_table(text, "evening.csv", TRADITIONAL), parse(TWO_TURNS, "record.txt", builtin)
    if "total" in text:
        assert write(read).splitlines()[-4:] == write(told).splitlines()[-4:]
    else:
        assert read == told


def test_rounds_are_counted() -> None:
    text = table("{},{}+{},{tiles}", "player,dice,shut", " ")
    again = text + text.partition("\n")[2]
    assert read_table(again, "evening.csv", builtin("golf")).rounds == 2


WRONG = {
    "player,dice\nAnna,3+4\n": "t.csv:1: 'player, dice' has no column for tiles; use heads like",
    "player,tiles\nAnna,3\n": "t.csv:1: 'player, tiles' has no column for dice; use heads like",
    "": "t.csv:1: '' has no column for player, tiles, dice; use heads like",
    "player,dice,tiles\n": "t.csv: no turns; use a line for each throw below the heads",
    "player,dice,tiles\nAnna,,3\n": "t.csv:2: '' is not a throw; use numbers like 3+5",
    "player,dice,tiles\n,3+4,7\n": "t.csv:2: no player; use a name",
    "player,dice,tiles\nAnna,3+4,77\n": "t.csv:2: '77': use tiles from 1 to 54",
    "player,dice,tiles\nAnna,3+4,6\n": "t.csv:2: 'Anna': 6 adds up to 6, not 7",
    "player,dice,tiles\nAnna,3+4 1+1 2+2,7\n": "t.csv:2: '7': tiles for 1 of 3 throws; use those of",
    "player,dice,tiles\nAnna,3+9,6\n": "t.csv:2: 'Anna': a die shows 1 to 6",
    "player,dice,tiles\nAnna,3+4,7\n\nBen,3+4,7\n": "t.csv:4: 'Ben': it is the turn of 'Anna'",
    "player,dice,tiles\n" + "".join(f"P{i},1+1,\n" for i in range(21)): "t.csv: 21 players; use 1 to 20",
}


@pytest.mark.parametrize(("text", "complaint"), WRONG.items())
def test_fail__a_table_of_turns(text: str, complaint: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_table(text, "t.csv", TRADITIONAL)
    assert str(caught.value).startswith(complaint)
    assert str(caught.value).isprintable()


@given(text=st.text(alphabet=st.sampled_from("Ann,;\t|\"'\n\r 0123456789+-playerdicetiles"), max_size=300))
def test_any_text_is_a_match_or_refused_in_one_line(text: str) -> None:
    said = ""
    try:
        assert isinstance(read_table("player,dice,tiles\n" + text, "t.csv", TRADITIONAL), Record)
    except RecordError as error:
        said = str(error)
    assert said.isprintable()


def test_a_record_is_no_table() -> None:
    assert not is_table(TWO_TURNS, "match.csv")
    assert is_table("anything", "match.csv")
    assert not is_table("anything", "match.txt")


@pytest.mark.slow
def test_review_reads_a_table_of_any_game(tmp_path: Path) -> None:
    path = tmp_path / "evening.csv"
    path.write_text(TABLES["commas"], "utf-8")
    assert "Player 1: accuracy 70 %" in printed("review", path)
    assert "Player 1: accuracy" in printed("review", path, "--profile", "golf")
    path.write_text("player,dice\n")
    assert refused("review", path).startswith(f"shutthebox: {path}:1: 'player, dice' has no column")
