"""`shutthebox card`: from the card's first partition to the one that is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.config.test_card import KEY

from shutthebox.cli.card import network_files
from shutthebox.cli.main import main
from shutthebox.cli.run import CARD_TEXTS, notices
from shutthebox.config.card import Network
from shutthebox.config.schema import default_text

SCRIPT = Path(__file__).resolve().parents[2] / "packaging/image/root/usr/lib/shutthebox/card"


def take_over(card: Path, to: Path) -> list[str]:
    assert main(["card", str(card), "--to", str(to)]) == 0
    return (to / "card/mistakes.txt").read_text().splitlines()


def test_what_is_good_is_taken_over(tmp_path: Path) -> None:
    card, kept = tmp_path / "card", tmp_path / "kept"
    card.mkdir()
    (card / "shutthebox.toml").write_text('[box]\nlanguage = "fr"\n')
    (card / "network.toml").write_text('wifi = "Pub"\npassword = "last orders"\ncountry = "BE"\n')
    (card / "ssh-key.txt").write_text(KEY)
    assert take_over(card, kept) == []
    assert (kept / "etc/config.toml").read_text() == '[box]\nlanguage = "fr"\n'
    assert (kept / "ssh/authorized_keys").read_text() == f"{KEY}\n"
    assert (kept / "ssh/authorized_keys").stat().st_mode & 0o777 == 0o600
    joined = kept / "network/wpa_supplicant-wlan0.conf"
    assert joined.stat().st_mode & 0o777 == 0o600
    assert f"ssid={b'Pub'.hex()}\n" in joined.read_text()
    assert "last orders" not in joined.read_text()
    assert "Name=wlan0" in (kept / "network/wifi.network").read_text()
    assert (kept / "network/cable.network").read_text() == ""


def test_a_partition_that_is_not_there_is_said_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["card", str(tmp_path / "none"), "--to", str(tmp_path / "kept")]) == 1
    assert capsys.readouterr().err == f"shutthebox: card: {tmp_path / 'none'}: No such file or directory\n"


def test_a_mistake_leaves_what_was_good(tmp_path: Path) -> None:
    card, kept = tmp_path / "card", tmp_path / "kept"
    card.mkdir()
    (card / "shutthebox.toml").write_text(default_text())
    (card / "network.toml").write_text("cable = true\n")
    (card / "ssh-key.txt").write_text(KEY)
    assert take_over(card, kept) == []
    before = {
        path: path.read_text() for path in kept.rglob("*") if path.is_file() and path.parent.name != "card"
    }
    (card / "shutthebox.toml").write_text('[game]\nprofile = "chess"\n')
    (card / "network.toml").write_text("cable = maybe\n")
    (card / "ssh-key.txt").write_text("?\n")
    mistakes = take_over(card, kept)
    assert [mistake.split(":")[0] for mistake in mistakes] == [
        "shutthebox.toml",
        "network.toml",
        "ssh-key.txt",
    ]
    assert {path: path.read_text() for path in before} == before
    # Without the files there is neither a network nor a login; the configuration stays.
    for name in ("shutthebox.toml", "network.toml", "ssh-key.txt"):
        (card / name).unlink()
    assert take_over(card, kept) == []
    assert (kept / "network/cable.network").read_text() == ""
    assert (kept / "ssh/authorized_keys").read_text() == ""
    assert (kept / "etc/config.toml").read_text() == default_text()


def test_the_key_of_a_wifi_is_the_standards_own() -> None:
    # IEEE 802.11i, annex H.4, the first test vector.
    files = network_files(Network("IEEE", "password", "BE"))
    key = "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"
    assert f"psk={key}\n" in files["wpa_supplicant-wlan0.conf"]


DHCP = "[Network]\nDHCP=yes\n[DHCPv4]\nUseMTU=yes\n"


@pytest.mark.parametrize(
    ("network", "cable", "wifi", "joined"),
    [
        (Network(), "", "", ""),
        (Network(cable=True), f"[Match]\nType=ether\nKind=!*\n{DHCP}", "", ""),
        (
            Network("Pub", "", "FR"),
            "",
            f"[Match]\nName=wlan0\n{DHCP}",
            "country=FR\nnetwork={\n\tssid=507562\n\tscan_ssid=1\n\tkey_mgmt=NONE\n}\n",
        ),
    ],
    ids=["none", "a cable", "an open Wi-Fi"],
)
def test_the_files_of_a_network(network: Network, cable: str, wifi: str, joined: str) -> None:
    """Each is there in any case: one that is empty takes the place of an earlier one."""
    assert network_files(network) == {
        "cable.network": cable,
        "wifi.network": wifi,
        "wpa_supplicant-wlan0.conf": joined,
    }


def test_mistakes_are_said_and_the_files_have_the_modes_that_they_need(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card, kept = tmp_path / "card", tmp_path / "kept"
    card.mkdir()
    (card / "shutthebox.toml").write_text("[game]\nplayers = 3\n")
    (card / "network.toml").write_text("cable = maybe\n")
    (mistake,) = take_over(card, kept)
    assert capsys.readouterr().out == f"{mistake}\n"
    assert mistake.startswith("network.toml: ")
    for name, mode in (
        ("etc/config.toml", 0o644),
        ("card/mistakes.txt", 0o644),
        ("ssh/authorized_keys", 0o600),
    ):
        assert (kept / name).stat().st_mode & 0o777 == mode
    assert not [path for path in kept.rglob("*") if path.name.endswith(".part")]


def test_a_configuration_that_no_box_can_play_with_is_a_mistake(tmp_path: Path) -> None:
    card = tmp_path / "card"
    card.mkdir()
    (card / "shutthebox.toml").write_text("[box]\nlevers = 12\n[gpio]\nlevers = [4, 17]\n")
    (mistake,) = take_over(card, tmp_path / "kept")
    assert "12 levers, but gpio.levers names 2 lines" in mistake
    assert not (tmp_path / "kept/etc/config.toml").exists()


def test_a_partition_that_cannot_be_written_is_said_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "card").mkdir()
    (tmp_path / "kept").touch()
    assert main(["card", str(tmp_path / "card"), "--to", str(tmp_path / "kept")]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"shutthebox: card: {tmp_path}/kept")
    assert said.endswith(": Not a directory\n")


def test_notices_are_read_in_order(tmp_path: Path) -> None:
    assert notices(tmp_path / "none") == ()
    (tmp_path / "b.txt").write_text("second\n\nthird\n")
    (tmp_path / "a.txt").write_text("first\n")
    assert notices(tmp_path) == ("first", "second", "third")


@pytest.mark.parametrize("text", [text.text for text in CARD_TEXTS])
def test_the_script_says_what_is_translated(text: str) -> None:
    assert f'echo "{text}" >$notices/' in SCRIPT.read_text()
    assert SCRIPT.read_text().count(">$notices/") == len(CARD_TEXTS)
