"""The files that an owner writes on the card."""

from __future__ import annotations

from pathlib import Path

import pytest

from shutthebox.config.card import Network, parse_keys, parse_network, read_card
from shutthebox.config.schema import ConfigError, parse_config

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFvrm6gWcMoXGqrgMzXyDGUwYqDUe1sX6xDGtEiX7gDn landlord@pub"


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("", Network()),
        ("# nothing\n", Network()),
        ("cable = true", Network(cable=True)),
        ('wifi = "Café"\npassword = "12345678"\ncountry = "fr"', Network("Café", "12345678", "FR")),
        ('wifi = "open"\ncountry = "BE"', Network("open", "", "BE")),
    ],
)
def test_a_network(text: str, network: Network) -> None:
    assert parse_network(text, "network.toml") == network


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wifi", "not valid TOML"),
        ("wlan = 'x'", "wlan: unknown key; allowed are wifi, password, country, cable"),
        ("wifi = 3", "wifi: 3 is not allowed"),
        ("wifi = ''", "a name of 1 to 32 bytes"),
        (f"wifi = '{'é' * 17}'", "a name of 1 to 32 bytes"),
        ("wifi = 'x'", "country: is missing"),
        ("wifi = 'x'\ncountry = 'Belgium'", "two letters"),
        ("wifi = 'x'\ncountry = 'BE'\npassword = 'secret7'", "8 to 63 characters"),
        ("password = 'long enough'\ncountry = 'BE'", "wifi: is missing"),
        ("cable = 'yes'", "true or false"),
    ],
)
def test_a_mistake_in_a_network(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as complaint:
        parse_network(text, "network.toml")
    assert str(complaint.value).startswith("network.toml: ")
    assert said in str(complaint.value)
    assert "\n" not in str(complaint.value)
    assert "secret7" not in str(complaint.value), "everybody in the pub can read the display"


def test_keys() -> None:
    assert parse_keys(f"# mine\n\n  {KEY}  \n", "ssh-key.txt") == (KEY,)
    assert parse_keys("", "ssh-key.txt") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "line 1: a private key"),
        (f"{KEY}\nssh-ed25519 AAAA\n", "line 2: no public key"),
        (KEY.replace("ssh-ed25519", "ssh-rsa"), "line 1: no public key"),
        (KEY[:60], "line 1: no public key"),
        ("command=evil " + KEY, "line 1: no public key"),
    ],
)
def test_a_mistake_in_a_key(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_keys(text, "ssh-key.txt")


def test_a_mistake_in_one_file_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "shutthebox.toml").write_text('[game]\nplayers = "many"\n')
    (tmp_path / "network.toml").write_text("cable = true\n")
    (tmp_path / "ssh-key.txt").write_text("nonsense\n")
    card = read_card(tmp_path, parse_config)
    assert (card.config, card.network, card.keys) == (None, Network(cable=True), None)
    assert [mistake.split(":")[0] for mistake in card.mistakes] == ["shutthebox.toml", "ssh-key.txt"]
    assert "game.players" in card.mistakes[0]


def test_what_is_not_there_is_not_wanted(tmp_path: Path) -> None:
    card = read_card(tmp_path, parse_config)
    assert (card.config, card.network, card.keys, card.mistakes) == (None, Network(), (), ())


@pytest.mark.parametrize(
    "name", ["network.toml.txt", "Network.txt", "ssh-key.txt.txt", "shutthebox.toml.toml"]
)
def test_an_ending_that_a_computer_has_added_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    (mistake,) = read_card(tmp_path, parse_config).mistakes
    assert mistake.startswith(f"{name}: is not read; its name has to be ")


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "network.toml").write_bytes(b"\xff\xfe w i f i")
    (tmp_path / "shutthebox.toml").mkdir()
    mistakes = read_card(tmp_path, parse_config).mistakes
    assert [mistake.split(":")[0] for mistake in mistakes] == ["shutthebox.toml", "network.toml"]
