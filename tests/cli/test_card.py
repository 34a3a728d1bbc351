"""`shutthebox card`: from the card's first partition to the one that is kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.config.test_card import KEY, TOURNAMENT

from shutthebox.cli.card import network_files
from shutthebox.cli.main import main
from shutthebox.cli.run import CARD_TEXTS
from shutthebox.config.card import Network
from shutthebox.config.schema import default_text, read_config
from shutthebox.config.settings_loader import settings_for

SCRIPT = Path(__file__).resolve().parents[2] / "packaging/image/root/usr/lib/shutthebox/card"


def take_over(card: Path, to: Path) -> list[str]:
    code = main(["card", str(card), "--to", str(to)])
    mistakes = (to / "card/mistakes.txt").read_text().splitlines()
    assert code == (2 if mistakes else 0)
    return mistakes


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
    assert (kept / "network/name").read_text() == ""
    (card / "network.toml").write_text('name = "Anchor"\n')
    assert take_over(card, kept) == []
    assert (kept / "network/name").read_text() == "anchor\n"


def test_house_rules_and_a_tournament_are_there_while_they_are_on_the_card(tmp_path: Path) -> None:
    card, kept = tmp_path / "card", tmp_path / "kept"
    (card / "rules").mkdir(parents=True)
    (card / "shutthebox.toml").write_text('[game]\nprofile = "friday"\n')
    (card / "rules/friday.toml").write_text('like = "pub"\n')
    (card / "rules/sunday.toml").write_text('like = "trac"\n')
    (card / "tournament.txt").write_text(TOURNAMENT)
    before = os.umask(0o077)  # of the stick's helper
    try:
        assert take_over(card, kept) == []
    finally:
        os.umask(before)
    assert (kept / "etc/rules").stat().st_mode & 0o777 == 0o755
    config = read_config(kept / "etc/config.toml")
    settings = settings_for(config, 9, "test")
    assert settings.profile.name == "friday"
    assert {"friday", "sunday"} <= {game.name for game in settings.games}
    assert settings.tournament is not None
    (card / "rules/sunday.toml").unlink()
    (card / "tournament.txt").unlink()
    assert take_over(card, kept) == []
    settings = settings_for(read_config(kept / "etc/config.toml"), 9, "test")
    assert "sunday" not in {game.name for game in settings.games}
    assert settings.tournament is None
    (card / "rules/friday.toml").unlink()
    (mistake,) = take_over(card, kept)
    assert "game.profile" in mistake
    assert (kept / "etc/rules/friday.toml").exists(), "all or nothing"


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


def test_a_file_that_is_gone_from_the_card_is_no_longer_wanted(tmp_path: Path) -> None:
    card, kept = tmp_path / "card", tmp_path / "kept"
    card.mkdir()
    for name in ("league.toml", "home-assistant.toml"):
        (card / name).write_text("# none\n")
    assert take_over(card, kept) == []
    assert (kept / "etc/league.toml").exists()
    for name in ("league.toml", "home-assistant.toml"):
        (card / name).unlink()
    assert take_over(card, kept) == []
    assert not list((kept / "etc").glob("*"))


def test_the_latest_change_counts_on_the_card_or_from_a_stick(tmp_path: Path) -> None:
    card, stick, kept = tmp_path / "card", tmp_path / "stick", tmp_path / "kept"
    for folder in (card, stick):
        folder.mkdir()
    (card / "shutthebox.toml").write_text("[game]\nplayers = 3\n")
    (card / "network.toml").write_text("# none\n")
    assert take_over(card, kept) == []
    (stick / "network.toml").write_text("cable = true\n")
    (stick / "league.toml").write_text("# none\n")
    assert main(["card", str(stick), "--to", str(kept), "--stick"]) == 0
    assert (kept / "network/cable.network").read_text()
    (card / "shutthebox.toml").write_text("[game]\nplayers = 4\n")
    assert take_over(card, kept) == []
    assert (kept / "network/cable.network").read_text(), "only the configuration has changed on the card"
    assert (kept / "etc/league.toml").exists()
    assert "players = 4" in (kept / "etc/config.toml").read_text()
    (card / "network.toml").write_text("# none at all\n")
    assert take_over(card, kept) == []
    assert not (kept / "network/cable.network").read_text()


def test_a_stick_with_a_mistake_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shutthebox.toml").write_text("[game]\nplayers = 3\n")
    (tmp_path / "network.toml").write_text("cable = 1\n")
    assert main(["card", str(tmp_path), "--to", str(tmp_path / "kept"), "--stick"]) == 2
    assert capsys.readouterr().out.startswith("network.toml: line 1: cable: 1 is not allowed; ")
    assert not (tmp_path / "kept").exists()


def test_the_key_of_a_wifi_is_the_standards_own() -> None:
    # IEEE 802.11i, annex H.4, the first test vector.
    files = network_files(Network("IEEE", "password", "BE"))
    key = "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"
    assert f"psk={key}\n" in files["wpa_supplicant-wlan0.conf"]


DHCP = "[Network]\nDHCP=yes\nMulticastDNS=yes\n[DHCPv4]\nUseMTU=yes\n"


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


def test_a_configuration_that_no_box_can_play_with_is_a_mistake(tmp_path: Path) -> None:
    card = tmp_path / "card"
    card.mkdir()
    (card / "shutthebox.toml").write_text("[box]\nlevers = 12\n[gpio]\nlevers = [4, 17]\n")
    (mistake,) = take_over(card, tmp_path / "kept")
    assert "12 levers, but gpio.levers names 2 lines" in mistake
    assert not (tmp_path / "kept/etc/config.toml").exists()


@pytest.mark.parametrize("text", [text.text for text in CARD_TEXTS])
def test_the_script_says_what_is_translated(text: str) -> None:
    assert f'echo "{text}" >$notices/' in SCRIPT.read_text()
    assert SCRIPT.read_text().count(">$notices/") == len(CARD_TEXTS)
