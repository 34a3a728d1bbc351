"""What computers and people leave beside the files of an owner: it refuses nothing, and isn't read."""

import os
from pathlib import Path

import pytest

from shutthebox.config.card import KEY_NAME, LEAGUE_NAME, read_card
from shutthebox.config.networks import NETWORK_NAME
from shutthebox.config.settings_loader import try_config

GAME = 'like = "pub"\nname = "friday"\nstakes = "none"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shutthebox.toml").write_text('[game]\nprofile = "friday"\n')
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/friday.toml").write_text(GAME)
    return tmp_path


@pytest.mark.parametrize(
    "stray",
    [
        "shutthebox - Copy.toml", "shutthebox (1).toml", "Copy of shutthebox.toml",
        "Kopie von shutthebox.toml",
        "shutthebox.toml~", "shutthebox.toml.bak", "shutthebox.toml.txt", "shutthebox 2.toml",
        "league table.pdf", "league.rtf", "league.toml~", "network diagram.png", "tournament results.txt",
        "old.toml",
        "rules/desktop.ini", "rules/Thumbs.db", "rules/friday.toml~", "rules/README.txt", "rules/old/",
        "rules/old.toml/", "rules/friday - Copy.toml", "rules/friday - Copy (2).toml",
        "rules/friday (1).toml",
        "rules/friday - Kopie.toml", "rules/Copie de friday.toml", "rules/friday.toml.txt",
    ],
)  # fmt: skip
def test_a_stray_file_is_left_alone_and_named_once(stray: str, folder: Path) -> None:
    path = folder / stray
    if stray.endswith("/"):
        path.mkdir()
    else:
        path.write_text(GAME)
    card = read_card(folder, try_config)
    assert card.mistakes == ()
    assert set(card.texts) == {"shutthebox.toml", "rules/friday.toml"}
    assert card.notes == (f"left alone, not files of the box: {stray.rstrip('/')}",)


@pytest.mark.parametrize(
    "stray", ["desktop.ini", "README.txt", "._shutthebox.toml", "rules/._friday.toml", "cmdline.txt"]
)
def test_a_file_that_looks_like_none_of_ours_is_not_worth_a_word(stray: str, folder: Path) -> None:
    (folder / stray).write_bytes(b"\0\5\x16\7")
    card = read_card(folder, try_config)
    assert (card.mistakes, card.notes) == ((), ())


@pytest.mark.parametrize(
    ("given", "said", "name"),
    [
        ("shutthebox - Copy.toml", "", "shutthebox.toml"),
        ("Copy of network.toml", "", NETWORK_NAME),
        ("shutthebox-league.toml", "", LEAGUE_NAME),
        ("ssh-key.pub", "", KEY_NAME),
        ("league", "", LEAGUE_NAME),
        # An ending that a computer has added.
        ("network (2).toml.txt", "", NETWORK_NAME),
        ("Network.txt", "", NETWORK_NAME),
        ("ssh-key.txt.txt", "", KEY_NAME),
        ("shutthebox.toml.toml", "", "shutthebox.toml"),
        ("shutthebox.toml.rtf", "", "shutthebox.toml"),
        # A name that does not print.
        (os.fsdecode(b"network\xff.toml"), r"'network\udcff.toml'", NETWORK_NAME),
        ("network\x1b[2J.toml", r"'network\x1b[2J.toml'", NETWORK_NAME),
        ("network\n.toml", r"'network\n.toml'", NETWORK_NAME),
    ],
)
def test_a_file_that_stands_alone_is_misnamed(given: str, said: str, name: str, tmp_path: Path) -> None:
    (tmp_path / given).touch()
    mistake = f"{said or given}: is not read; its name has to be {name}"
    assert read_card(tmp_path, try_config).mistakes == (mistake,)


def test_house_rules_with_a_number_are_another_game(folder: Path) -> None:
    (folder / "rules/friday-2.toml").write_text('like = "pub"\n')
    assert "rules/friday-2.toml" in read_card(folder, try_config).texts


_SAVE_AS = "in the editor, use Save as with the encoding UTF-8"


@pytest.mark.parametrize("name", ["shutthebox.toml", "network.toml", "ssh-key.txt", "rules/friday.toml"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a = 1\n".encode("utf-16"), f"line 1: is UTF-16 text; {_SAVE_AS}"),
        ("a = 1\n".encode("utf-16-le"), f"line 1: is UTF-16 text; {_SAVE_AS}"),
        ("a = 1\n".encode("utf-16-be"), f"line 1: is UTF-16 text; {_SAVE_AS}"),
        (rb"{\rtf1\ansi a = 1}", "line 1: is formatted text (RTF); in the editor, make it plain text"),
        ("# one\n# two\n# Café\n".encode("cp1252"), f"line 3: is not UTF-8 text; {_SAVE_AS}"),
    ],
    ids=["UTF-16", "UTF-16 without a mark", "the other UTF-16", "RTF", "ANSI"],
)
def test_a_file_in_another_encoding_says_its_line_and_what_to_do(
    content: bytes, said: str, name: str, folder: Path
) -> None:
    (folder / name).write_bytes(content)
    assert f"{name}: {said}" in read_card(folder, try_config).mistakes


@pytest.mark.parametrize(
    "line", ["profile = “pub”", 'profile = "pub”', "profile = „pub“", "profile = ‘pub’", "“x” = 1"]
)
@pytest.mark.parametrize(
    "name", ["shutthebox.toml", "network.toml", "rules/friday.toml", "home-assistant.toml"]
)
def test_curly_quotes_are_named_with_their_line(line: str, name: str, folder: Path) -> None:
    (folder / name).write_text(f"# ours\n{line}\n", "utf-8")
    (mistake,) = (said for said in read_card(folder, try_config).mistakes if said.startswith(f"{name}: "))
    assert "(at line 2, " in mistake
    assert mistake.endswith('; use straight quotes: "')


def test_curly_quotes_in_a_text_are_letters(folder: Path) -> None:
    (folder / "rules/friday.toml").write_text(f'{GAME}[title]\nen = "The “Lion”"  # ‘ours’\n', "utf-8")
    assert read_card(folder, try_config).mistakes == ()


def test_spaces_of_a_word_processor_are_named(folder: Path) -> None:
    (folder / "network.toml").write_text("cable\u00a0= true\n", "utf-8")
    (mistake,) = read_card(folder, try_config).mistakes
    assert mistake.endswith("; use plain spaces")
