"""What Raspberry Pi Imager's dialog writes onto the card, and what a hostile file makes of it."""

import time
from pathlib import Path

import pytest
from tests.support.card_files import KEY, NETWORK_CONFIG, PSK, USER_DATA, any_box, auth
from tests.support.command import command

from shutthebox.config.card import Card, read_card
from shutthebox.config.networks import Network

PROJECT = Path(__file__).resolve().parents[3]


def card_of(folder: Path, **texts: str) -> Card:
    names = {"user": "user-data", "net": "network-config", "own": "network.toml", "key": "ssh-key.txt"}
    for name, text in texts.items():
        (folder / names[name]).write_text(text, encoding="utf-8")
    return read_card(folder, any_box)


def test_the_whole_dialog(tmp_path: Path) -> None:
    card = card_of(tmp_path, user=USER_DATA, net=NETWORK_CONFIG)
    assert card.mistakes == ()
    assert card.network == Network('Café "1"', PSK, "FR", name="the-anchor")
    assert card.keys == (KEY,)
    assert card.zone == "Europe/Paris"
    assert card.notes == (
        "user-data: not used: packages, apt, keyboard, ssh_pwauth, users.passwd",
        "network-config: password: is a WPA2 key; to join a Wi-Fi that only allows WPA3, write network.toml",
    )


def test_a_country_without_a_wifi_is_no_wifi(tmp_path: Path) -> None:
    """Imager writes it where only the country was chosen, and the rest of the dialog has to count."""
    head, _, rest = NETWORK_CONFIG.partition("      access-points:\n")
    without = head + "      optional: true\n"
    assert rest
    for text in (without, without + "      access-points: {}\n"):
        card = card_of(tmp_path, user=USER_DATA, net=text)
        assert card.mistakes == ()
        assert card.network == Network(name="the-anchor")
        assert card.zone == "Europe/Paris"


def test_a_time_zone_that_does_not_exist_is_named(tmp_path: Path) -> None:
    card = card_of(tmp_path, user="#cloud-config\ntimezone: Europe/Pariss\n")
    (mistake,) = card.mistakes
    assert mistake.endswith("timezone: there's no Europe/Pariss; use a name such as Europe/Paris")


@pytest.mark.parametrize("name", ["custom.toml", "firstrun.sh"])
def test_what_another_imager_wrote_is_named(tmp_path: Path, name: str) -> None:
    """Otherwise whoever filled in its dialog waits for a Wi-Fi that never comes."""
    (tmp_path / name).write_text("x")
    card = card_of(tmp_path)
    assert card.mistakes == ()
    assert [note for note in card.notes if note.startswith(f"{name}: not used")]


def test_the_cards_own_network_file_leaves_imagers_alone_until_it_is_edited(tmp_path: Path) -> None:
    """Every card has this file, so the dialog's Wi-Fi and name would never count."""
    shipped = (PROJECT / "packaging/image/boot/card/network.toml").read_text()
    card = card_of(tmp_path, user=USER_DATA, net=NETWORK_CONFIG, own=shipped)
    assert card.network == Network('Café "1"', PSK, "FR", name="the-anchor")
    card = card_of(tmp_path, own="# none\n")
    assert card.network == Network()


def test_a_wifi_of_wpa3_alone_is_joined_with_the_password_in_netplans_words(tmp_path: Path) -> None:
    """It used to be taken for an open Wi-Fi, and the box was offline without a word."""
    card = card_of(tmp_path, net=auth("key-management: sae, password: last orders"))
    assert card.network == Network('Café "1"', "last orders", "FR")
    assert card.notes == card.mistakes == ()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (f"key-management: sae, password: {PSK}", "password: is a WPA2 key; WPA3 needs the password itself"),
        ("key-management: sae", "key-management: sae needs a password"),
        ("key-management: eap, identity: a, password: last orders", "key-management: use none, psk"),
    ],
)
def test_fail__a_wifi_that_cannot_be_joined_is_said(lines: str, said: str, tmp_path: Path) -> None:
    (mistake,) = card_of(tmp_path, net=auth(lines)).mistakes
    assert mistake.startswith(f"network-config: access-points.auth.{said}")


def test_the_owners_own_files_come_first(tmp_path: Path) -> None:
    other = KEY.replace("landlord", "barmaid")
    card = card_of(tmp_path, user=USER_DATA, net=NETWORK_CONFIG, own='cable = true\nname = "bull"', key=other)
    assert card.network == Network(cable=True, name="bull")
    assert card.keys == (other,)
    assert card.mistakes == ()


@pytest.mark.parametrize(
    ("net", "network"),
    [
        ("", Network()),
        ("network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n", Network(cable=True)),
        (NETWORK_CONFIG.replace(PSK, "last orders"), Network('Café "1"', "last orders", "FR")),
        (NETWORK_CONFIG.replace(PSK, ""), Network('Café "1"', "", "FR")),
        (NETWORK_CONFIG.replace('"Caf', '"1234').replace("é", ""), Network('1234 "1"', PSK, "FR")),
    ],
)
def test_networks(net: str, network: Network, tmp_path: Path) -> None:
    assert card_of(tmp_path, net=net).network == network


@pytest.mark.parametrize(
    ("user", "net", "said"),
    [
        ("a: [1, 2", "", "user-data: line 1: not valid YAML; use what Raspberry Pi Imager writes"),
        (
            "#!/bin/sh\nrm -rf /",
            "",
            "user-data: line 1: is a program, which the box won't run; use #cloud-config",
        ),
        ("- a\n- b", "", "user-data: the file: not a mapping; use what Raspberry Pi Imager writes"),
        (
            "hostname: a b",
            "",
            "user-data: hostname: 'a b' is not allowed; use 1 to 32 letters without",
        ),
        ("timezone: ../../etc/shadow", "", "user-data: timezone: use a name such as Europe/Paris"),
        (
            "ssh_authorized_keys: [nonsense]",
            "",
            "user-data: ssh_authorized_keys: no public key; use a",
        ),
        (
            "",
            NETWORK_CONFIG.replace('regulatory-domain: "FR"', "dhcp6: true"),
            "network-config: regulatory-domain: is",
        ),
        ("", NETWORK_CONFIG.replace(PSK, "short"), "network-config: password: "),
        (
            "",
            "wifis: {wlan0: {access-points: {a: {}, b: {}}}}",
            "network-config: wifis.access-points: use only one",
        ),
        ("", "[" * 800, "network-config: "),
        (
            "",
            "a: !!python/object/apply:os.system [id]\nwifis: [x]",
            "network-config: wifis: not a mapping; use",
        ),
        ("", "&a [*a]", "network-config: line 1: not valid YAML"),
    ],
)
def test_fail__a_mistake_is_one_line(user: str, net: str, said: str, tmp_path: Path) -> None:
    card = card_of(tmp_path, user=user, net=net)
    assert len(card.mistakes) == 1
    assert card.mistakes[0].startswith(said)
    assert "short" not in card.mistakes[0]


def test_hostile_files_cost_nothing(tmp_path: Path) -> None:
    """Aliases of aliases and merges of merges are small, and become gigabytes in many readers."""
    bomb = "a0: &a0 {k: v}\n" + "".join(
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 30)
    )
    laughs = "a0: &b0 [x]\n" + "".join(
        f"a{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    began = time.process_time()
    card = card_of(tmp_path, user=bomb, net=laughs)
    assert time.process_time() - began < 10, "seconds of work, where a bomb takes days"
    assert card.network == Network()


def test_check_config_says_what_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "user-data").write_text(USER_DATA)
    said = command("check-config", tmp_path)
    assert said.code == 0
    assert "user-data: not used: packages, apt, keyboard, ssh_pwauth, users.passwd" in said.out
