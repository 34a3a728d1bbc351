"""The files that an owner writes on the card."""

from __future__ import annotations

import os
from base64 import b64encode
from pathlib import Path

import pytest

from shutthebox.config.card import (
    CONFIG_NAME,
    KEY_NAME,
    NAMES,
    NETWORK_NAME,
    Network,
    parse_keys,
    parse_network,
    read_card,
)
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
        (
            f"wifi = '{'é' * 16}'\ncountry = 'be'\npassword = '{' ~' * 31} '\ncable = true",
            Network("é" * 16, " ~" * 31 + " ", "BE", cable=True),
        ),
        ("wifi = 'x'\ncountry = 'BE'\ncable = false", Network("x", "", "BE")),
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
        ("wifi = 'x'\ncountry = 'B1'", "two letters"),
        ("wifi = 'x'\ncountry = 'bé'", "two letters"),
        ("wifi = 'x'\ncountry = 32", "two letters"),
        (f"wifi = 'x'\ncountry = 'BE'\npassword = '{'x' * 64}'", "8 to 63 characters"),
        ("wifi = 'x'\ncountry = 'BE'\npassword = 'a\tb secret7'", "8 to 63 characters"),
        ("wifi = 'x'\ncountry = 'BE'\npassword = 'élan secret7'", "8 to 63 characters"),
        ("wifi = 'x'\ncountry = 'BE'\npassword = 12345678", "8 to 63 characters"),
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


@pytest.mark.parametrize(
    "kind",
    [
        "ssh-ed25519",
        "ssh-rsa",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com",
        "sk-ecdsa-sha2-nistp256@openssh.com",
    ],
)
def test_every_kind_of_key(kind: str) -> None:
    """A key repeats its kind, with the kind's length, before at least 33 bytes of its own."""
    head = len(kind).to_bytes(4, "big") + kind.encode()
    key = f"{kind} {b64encode(head + bytes(29)).decode()} landlord@pub"
    assert parse_keys(key, "ssh-key.txt") == (key,)
    for wrong in (head + bytes(28), b"\1" + head[1:] + bytes(29), bytes(99)):
        with pytest.raises(ConfigError, match="line 1: no public key"):
            parse_keys(f"{kind} {b64encode(wrong).decode()}", "ssh-key.txt")


def test_keys() -> None:
    assert parse_keys(f"# mine\n\n  {KEY}  \n", "ssh-key.txt") == (KEY,)
    assert parse_keys("", "ssh-key.txt") == ()
    other = KEY.replace("landlord@pub", "")
    assert parse_keys(f"{KEY}\n# {KEY}\n\n{other}\n", "ssh-key.txt") == (KEY, other.strip())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "line 1: a private key"),
        (f"{KEY}\nssh-ed25519 AAAA\n", "line 2: no public key"),
        (KEY.replace("ssh-ed25519", "ssh-rsa"), "line 1: no public key"),
        (KEY[:60], "line 1: no public key"),
        ("ssh-ed25519", "line 1: no public key"),
        (f"# mine\n\n{KEY}\n  {KEY[12:]}", "line 4: no public key"),
        (KEY.replace("AAAAC3", "AAAA!C3"), "line 1: no public key"),
        ("command=evil " + KEY, "line 1: no public key"),
    ],
)
def test_a_mistake_in_a_key(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_keys(text, "ssh-key.txt")


@pytest.mark.parametrize("wrong", NAMES)
def test_only_the_file_with_the_mistake_is_left_out(wrong: str, tmp_path: Path) -> None:
    good = {CONFIG_NAME: "[game]\nplayers = 3\n", NETWORK_NAME: "cable = true\n", KEY_NAME: f"{KEY}\n"}
    for name, text in {**good, wrong: "nonsense"}.items():
        (tmp_path / name).write_text(text)
    card = read_card(tmp_path, parse_config)
    assert card.config == (None if wrong == CONFIG_NAME else good[CONFIG_NAME])
    assert card.network == (None if wrong == NETWORK_NAME else Network(cable=True))
    assert card.keys == (None if wrong == KEY_NAME else (KEY,))
    assert [mistake.split(":")[0] for mistake in card.mistakes] == [wrong]


def test_what_is_not_there_is_not_wanted(tmp_path: Path) -> None:
    card = read_card(tmp_path, parse_config)
    assert (card.config, card.network, card.keys, card.mistakes) == (None, Network(), (), ())


@pytest.mark.parametrize(
    "name", ["network.toml.txt", "Network.txt", "ssh-key.txt.txt", "shutthebox.toml.toml"]
)
def test_an_ending_that_a_computer_has_added_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    (mistake,) = read_card(tmp_path, parse_config).mistakes
    wanted = {"n": "network.toml", "s": "shutthebox.toml"}[name[0].lower()]
    wanted = "ssh-key.txt" if "key" in name else wanted
    assert mistake == f"{name}: is not read; its name has to be {wanted}"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (b"network\xff.toml", r"'network\udcff.toml'"),
        (b"network\x1b[2J.toml", r"'network\x1b[2J.toml'"),
        (b"network\n.toml", r"'network\n.toml'"),
    ],
)
def test_a_name_that_does_not_print_is_said_in_one_line(name: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(name)).touch()
    assert read_card(tmp_path, parse_config).mistakes == (
        f"{said}: is not read; its name has to be network.toml",
    )


def test_a_name_in_capitals_is_the_same_to_the_card(tmp_path: Path) -> None:
    for name in ("NETWORK.TOML", "config.txt", "cmdline.txt"):
        (tmp_path / name).write_text("")
    assert read_card(tmp_path, parse_config).mistakes == ()


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "network.toml").write_bytes(b"\xff\xfe w i f i")
    (tmp_path / "shutthebox.toml").mkdir()
    mistakes = read_card(tmp_path, parse_config).mistakes
    assert [mistake.split(":")[0] for mistake in mistakes] == ["shutthebox.toml", "network.toml"]
