"""`shutthebox card`: from the card's first partition to the one that is kept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.card_files import CERTIFICATE, KEY, NETWORK_CONFIG, PSK, TOURNAMENT, USER_DATA
from tests.support.command import command, refused
from tests.support.fast import fast_among

from shutthebox.config.networks import Network, network_files
from shutthebox.config.schema import default_text, read_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.files import replace_file
from shutthebox.owner.card import TAKEN, read_stick, take_over_stick
from shutthebox.owner.notices import CARD_TEXTS

NAMES = {
    "shutthebox": "shutthebox.toml", "network": "network.toml", "key": "ssh-key.txt",
    "tournament": "tournament.txt", "broker": "broker.pem", "league": "league.toml",
    "home_assistant": "home-assistant.toml",
}  # fmt: skip
HOME_ASSISTANT = '[home_assistant]\nhost = "homeassistant.local"\n'
SCRIPT = Path(__file__).resolve().parents[3] / "packaging/image/root/usr/lib/shutthebox/card"


@pytest.fixture
def card(tmp_path: Path) -> Path:
    folder = tmp_path / "card"
    folder.mkdir()
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The partition that is kept; nothing is there yet."""
    return tmp_path / "kept"


def take_over(card: Path, to: Path) -> list[str]:
    """The mistakes that are said."""
    code = command("card", card, "--to", to).code
    mistakes = (to / "card/mistakes.txt").read_text().splitlines()
    assert code == (2 if mistakes else 0)
    return mistakes


def put(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / NAMES[name]).write_text(text)


def test_what_is_good_is_taken_over(card: Path, kept: Path) -> None:
    network = 'wifi = "Pub"\npassword = "last orders"\ncountry = "BE"\n'
    put(card, shutthebox='[box]\nlanguage = "fr"\n', network=network, key=KEY)
    assert take_over(card, kept) == []
    assert (kept / "etc/config.toml").read_text() == '[box]\nlanguage = "fr"\n'
    assert (kept / "ssh/authorized_keys").read_text() == f"{KEY}\n"
    assert (kept / "ssh/authorized_keys").stat().st_mode & 0o777 == 0o600
    joined = kept / "network/wpa_supplicant-wlan0.conf"
    assert joined.stat().st_mode & 0o777 == 0o600
    assert f"ssid={b'Pub'.hex()}\n" in joined.read_text()
    assert "last orders" not in joined.read_text()
    assert "Name=wlan0" in (kept / "network/wifi.network").read_text()
    assert (kept / "network/name").read_text() == ""
    put(card, network='name = "Anchor"\n')
    assert take_over(card, kept) == []
    assert (kept / "network/name").read_text() == "anchor\n"


def test_house_rules_and_a_tournament_are_there_while_they_are_on_the_card(card: Path, kept: Path) -> None:
    (card / "rules").mkdir()
    put(card, shutthebox='[game]\nprofile = "friday"\n', tournament=TOURNAMENT)
    (card / "rules/friday.toml").write_text('like = "pub"\n')
    (card / "rules/sunday.toml").write_text('like = "trac"\n')
    before = os.umask(0o077)  # of the stick's helper
    try:
        assert take_over(card, kept) == []
    finally:
        os.umask(before)
    assert (kept / "etc/rules").stat().st_mode & 0o777 == 0o755
    settings = settings_for(read_config(kept / "etc/config.toml"), 9, "test")
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


def test_the_certificate_of_a_broker_is_found_while_it_is_on_the_card(card: Path, kept: Path) -> None:
    put(card, shutthebox="[link]\non = true\n", broker=CERTIFICATE)
    assert take_over(card, kept) == []
    assert Path(read_config(kept / "etc/config.toml").link.ca).read_text() == CERTIFICATE
    (card / "broker.pem").unlink()
    assert take_over(card, kept) == []
    assert read_config(kept / "etc/config.toml").link.ca == ""


def test_a_partition_that_is_not_there_is_said_in_a_line(tmp_path: Path) -> None:
    said = refused("card", tmp_path / "none", "--to", tmp_path / "kept", code=1)
    assert said == f"shutthebox: card: {tmp_path / 'none'}: No such file or directory"


def test_a_mistake_leaves_what_was_good(card: Path, kept: Path) -> None:
    put(card, shutthebox=default_text(), network="cable = true\n", key=KEY)
    assert take_over(card, kept) == []
    before = {
        path: path.read_text() for path in kept.rglob("*") if path.is_file() and path.parent.name != "card"
    }
    put(card, shutthebox='[game]\nprofile = "chess"\n', network="cable = maybe\n", key="?\n")
    files = [mistake.split(":")[0] for mistake in take_over(card, kept)]
    assert files == ["shutthebox.toml", "network.toml", "ssh-key.txt"]
    assert {path: path.read_text() for path in before} == before
    # Without the files there is neither a network nor a login; the configuration stays.
    for name in files:
        (card / name).unlink()
    assert take_over(card, kept) == []
    assert (kept / "network/cable.network").read_text() == ""
    assert (kept / "ssh/authorized_keys").read_text() == ""
    assert (kept / "etc/config.toml").read_text() == default_text()


def test_a_file_that_is_gone_from_the_card_is_no_longer_wanted(card: Path, kept: Path) -> None:
    put(card, home_assistant=HOME_ASSISTANT)
    assert take_over(card, kept) == []
    assert (kept / "etc/home-assistant.toml").exists()
    for path in card.iterdir():
        path.unlink()
    assert take_over(card, kept) == []
    assert not list((kept / "etc").glob("*"))


def test_the_latest_change_counts_on_the_card_or_from_a_stick(card: Path, kept: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    put(card, shutthebox="[game]\nplayers = 3\n", network="# none\n")
    assert take_over(card, kept) == []
    put(stick, network="cable = true\n", home_assistant=HOME_ASSISTANT)
    assert command("card", stick, "--to", kept, "--stick").code == 0
    assert (kept / "network/cable.network").read_text()
    put(card, shutthebox="[game]\nplayers = 4\n")
    assert take_over(card, kept) == []
    assert (kept / "network/cable.network").read_text(), "only the configuration has changed on the card"
    assert (kept / "etc/home-assistant.toml").exists()
    assert "players = 4" in (kept / "etc/config.toml").read_text()
    put(card, network="# none at all\n")
    assert take_over(card, kept) == []
    assert not (kept / "network/cable.network").read_text()


def test_a_stick_with_a_mistake_changes_nothing(card: Path, kept: Path) -> None:
    put(card, shutthebox='[game]\nprofile = "chess"\n', network="cable = 1\n")
    said = command("card", card, "--to", kept, "--stick")
    assert said.code == 2
    first, second = said.out.splitlines()
    assert first.startswith("shutthebox.toml: line 2: game.profile: ")
    assert second.startswith("network.toml: line 1: cable: 1 is not allowed; ")
    assert not kept.exists()


def test_a_stick_takes_away_what_an_owner_wants_no_more(card: Path, kept: Path) -> None:
    (card / "rules").mkdir()
    files = {"home_assistant": HOME_ASSISTANT, "tournament": TOURNAMENT, "network": "cable = true\n"}
    put(card, **files)
    (card / "rules/friday.toml").write_text('like = "pub"\n')
    assert command("card", card, "--to", kept, "--stick").code == 0
    put(card, home_assistant="", tournament="\n")
    said = command("card", card, "--to", kept, "--stick").out.splitlines()
    assert [line.partition(":")[0] for line in said] == ["home-assistant.toml", "tournament.txt"]
    put(card, **dict.fromkeys(files, "# none\n"))
    (card / "rules/friday.toml").write_text("# none\n")
    assert command("card", card, "--to", kept, "--stick").code == 0
    assert not [path for path in (kept / "etc").rglob("*") if path.is_file()]
    assert not (kept / "network/cable.network").read_text()


class PlugPulled(BaseException):
    """Nothing runs after it."""


def files_in(folder: Path) -> dict[Path, str]:
    places = (folder / "etc", folder / "network", folder / "ssh")
    return {path: path.read_text() for place in places for path in place.rglob("*") if path.is_file()}


@pytest.mark.parametrize("left", fast_among(range(10), [0, 4, 9]))
def test_a_plug_pulled_while_settings_are_taken_leaves_all_of_them_or_none(
    left: int, card: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(card, shutthebox="[game]\nplayers = 3\n", network="# none\n")
    assert take_over(card, kept) == []
    before = files_in(kept)
    stick, whole = tmp_path / "stick", tmp_path / "whole"
    stick.mkdir()
    put(stick, shutthebox="[game]\nplayers = 4\n", network="cable = true\n", key=KEY)
    shutil.copytree(kept, whole)
    take_over_stick(read_stick(stick, whole), whole)
    after = {kept / path.relative_to(whole): text for path, text in files_in(whole).items()}
    writes = iter(range(left))

    def write(*args: Any, **options: Any) -> None:
        if next(writes, None) is None:
            raise PlugPulled
        replace_file(*args, **options)

    with monkeypatch.context() as patch, suppress(PlugPulled):
        patch.setattr("shutthebox.owner.card.replace_file", write)
        take_over_stick(read_stick(stick, kept), kept)
    if (kept / TAKEN).exists():  # as the card's script does
        assert command("card", kept / TAKEN, "--to", kept, "--stick").code == 0
        assert not (kept / TAKEN).exists()
    assert files_in(kept) == (before if left < len(list(stick.iterdir())) else after)


def test_the_key_of_a_wifi_is_the_standards_own() -> None:
    # IEEE 802.11i, annex H.4, the first test vector.
    files = network_files(Network("IEEE", "password", "BE"))
    key = "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"
    assert files["wpa_supplicant-wlan0.conf"].count(f"psk={key}\n") == 2


def test_a_wifi_of_wpa2_of_both_and_of_wpa3_alone_is_joined() -> None:
    """WPA3 is for a Wi-Fi without WPA2: at one with both, a Pi's radio is admitted and gets no answer."""
    text = network_files(Network("Pub", 'last "orders"', "BE"))["wpa_supplicant-wlan0.conf"]
    blocks = [dict(re.findall(r"\t(\w+)=(.*)\n", block)) for block in text.split("network={")[1:]]
    wpa2, wpa3 = sorted(blocks, key=lambda block: -int(block.get("priority", "0")))
    assert wpa2["key_mgmt"] == "WPA-PSK"
    assert "ieee80211w" not in wpa2
    assert "SAE" in wpa3["key_mgmt"].split()
    assert wpa3["ieee80211w"] == "2", "WPA3 wants its management frames protected"
    assert bytes.fromhex(wpa3["sae_password"]) == b'last "orders"'
    assert {block["ssid"] for block in blocks} == {b"Pub".hex()}


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
            "country=FR\nsae_pwe=2\nnetwork={\n\tssid=507562\n\tscan_ssid=1\n\tkey_mgmt=NONE\n}\n",
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


@pytest.mark.parametrize("text", [text.text for text in CARD_TEXTS])
def test_the_script_says_what_is_translated(text: str) -> None:
    assert f'echo "{text}" >$notices/' in SCRIPT.read_text()
    assert SCRIPT.read_text().count(">$notices/") == len(CARD_TEXTS)


def test_the_owners_time_zone_counts_before_imagers_and_leaves_its_wifi(card: Path, kept: Path) -> None:
    (card / "user-data").write_text(USER_DATA)
    (card / "network-config").write_text(NETWORK_CONFIG)
    put(card, network='timezone = "Europe/Brussels"\n')
    assert take_over(card, kept) == []
    assert (kept / "network/timezone").read_text() == "Europe/Brussels\n"
    assert (kept / "network/name").read_text() == "the-anchor\n"
    assert f"psk={PSK}" in (kept / "network/wpa_supplicant-wlan0.conf").read_text()
    (card / "network.toml").unlink()
    assert take_over(card, kept) == []
    assert (kept / "network/timezone").read_text() == ""
    assert (kept / "card/timezone").read_text() == "Europe/Paris\n"


def test_the_cards_script_sets_the_owners_time_zone(tmp_path: Path) -> None:
    """Its own lines, with other folders."""
    (lines,) = re.findall(r"(?ms)^zone=.*?^\[ -z [^\n]*\n", SCRIPT.read_text())
    (tmp_path / "network").mkdir()
    (tmp_path / "card").mkdir()
    for own, imagers, chosen in [
        ("Europe/Brussels\n", "Europe/Paris\n", "Europe/Brussels"),
        ("", "Europe/Paris\n", "Europe/Paris"),
        (None, "Europe/Paris\n", "Europe/Paris"),
    ]:
        (tmp_path / "network/timezone").unlink(missing_ok=True)
        if own is not None:
            (tmp_path / "network/timezone").write_text(own)
        (tmp_path / "card/timezone").write_text(imagers)
        script = lines.replace("/data/", f"{tmp_path}/").replace("/etc/localtime", f"{tmp_path}/localtime")
        subprocess.run(["sh", "-uc", script], check=True)
        assert (tmp_path / "localtime").readlink() == Path("/usr/share/zoneinfo") / chosen


def test_what_imager_was_told_is_taken_over(card: Path, kept: Path) -> None:
    """Most people answer Imager's questions, and expect their Wi-Fi, name, key, zone and language."""
    (card / "user-data").write_text(f"{USER_DATA}locale: fr_FR.UTF-8\n")
    (card / "network-config").write_text(NETWORK_CONFIG)
    put(card, shutthebox="[box] # ours\nsound = false\n")
    assert take_over(card, kept) == []
    assert (kept / "ssh/authorized_keys").read_text() == f"{KEY}\n"
    assert (kept / "network/name").read_text() == "the-anchor\n"
    assert (kept / "card/timezone").read_text() == "Europe/Paris\n"
    joined = (kept / "network/wpa_supplicant-wlan0.conf").read_text()
    assert joined.count(f"psk={PSK}") == 2
    assert "SAE" not in joined, "its password can't be had from the key"
    assert "country=FR" in joined
    config = read_config(kept / "etc/config.toml")
    assert (config.box.language, config.box.sound) == ("fr", False)
    put(card, shutthebox='[box]\nlanguage = "de"\n', network="cable = true\n")
    assert take_over(card, kept) == []
    assert read_config(kept / "etc/config.toml").box.language == "de"
    assert (kept / "network/wpa_supplicant-wlan0.conf").read_text() == ""
    put(card, shutthebox=default_text())
    assert take_over(card, kept) == []
    assert read_config(kept / "etc/config.toml").box.language == "fr", "the card comes with this file"
    for name in ("user-data", "network-config"):
        (card / name).unlink()
    assert take_over(card, kept) == []
    assert (kept / "ssh/authorized_keys").read_text() == ""
    assert (kept / "card/timezone").read_text() == ""
