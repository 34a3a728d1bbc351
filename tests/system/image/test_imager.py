"""A card as Raspberry Pi Imager leaves it: the answers of its dialog beside the box's own files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.card_files import NETWORK_CONFIG, PSK, USER_DATA, auth
from tests.system.image.machine import BOOT_S, CardPi, hardware_disk, make_card, write_files
from tests.system.image.radio import open_wifi, programs
from tests.system.image.table import SlowTable, await_box, is_active, said_in_attract
from tests.system.virtual_pi.table import LEVERS, until

from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for

pytestmark = [pytest.mark.image, pytest.mark.timeout(6 * BOOT_S)]

WIFI, PASSWORD = 'Café "1"', "last orders"
FRENCH = settings_for(parse_config('[box]\nlanguage = "fr"\n', "test"), LEVERS, "test")
WPA2 = hashlib.pbkdf2_hmac("sha1", PASSWORD.encode(), WIFI.encode(), 4096, 32).hex()
JOINED = "busybox ip address show wlan0"


@pytest.fixture(scope="module")
def pi(folder: Path) -> Iterator[CardPi]:
    """The machine with such a card, switched on for the first time."""
    files = {
        "user-data": f"{USER_DATA}locale: fr_FR.UTF-8\n",
        "network-config": NETWORK_CONFIG.replace(PSK, WPA2),
    }
    make_card(folder / "imager.img", files)
    hardware_disk(folder / "hardware-imager.img", *programs(folder))
    with CardPi(folder / "imager.img", folder / "hardware-imager.img") as machine_on:
        yield machine_on


def joins(pi: CardPi, network_config: str, keys: str) -> None:
    """Starts anew with this file, and waits for an address in a Wi-Fi that only takes these keys."""
    pi.pull_plug()
    write_files(pi.card, {"network-config": network_config})
    pi.power_on()
    # Soon, as on a Pi, whose radio is there from the start: systemd waits 5 minutes for one.
    open_wifi(pi, WIFI, PASSWORD, keys)
    assert until(lambda: "10.9.0.2" in pi.run(JOINED, check=False).out, BOOT_S), pi.run(
        "journalctl --boot --no-pager -u wpa_supplicant@wlan0 -u systemd-networkd -u access-point"
    ).out


def test_name_key_zone_and_language_of_the_dialog_are_the_boxs(pi: CardPi) -> None:
    """An owner who was asked all this expects it to count, and has no other way in."""
    table = SlowTable(pi, FRENCH)
    await_box(table)
    table.see([said_in_attract(settings=FRENCH)])
    assert pi.run("cat /proc/sys/kernel/hostname /etc/hostname").out == "the-anchor\nthe-anchor\n"
    assert pi.run("readlink /etc/localtime").out.endswith("zoneinfo/Europe/Paris\n")
    assert pi.run("cat /root/.ssh/authorized_keys").out in USER_DATA
    assert until(lambda: is_active(pi, "shutthebox-ssh.service"), BOOT_S), table.journal()
    assert "landlord" not in pi.run("cat /etc/passwd").out, "the user of the dialog stays out"
    assert pi.run("systemctl --failed --no-legend --plain").out == ""


def test_the_wifi_of_the_dialog_is_joined_by_its_wpa2_key(pi: CardPi) -> None:
    joins(pi, NETWORK_CONFIG.replace(PSK, WPA2), "wpa_key_mgmt=WPA-PSK")


def test_a_wifi_of_wpa3_alone_is_joined_by_netplans_words(pi: CardPi) -> None:
    of_wpa3 = auth(f"key-management: sae, password: {PASSWORD}")
    joins(pi, of_wpa3, "wpa_key_mgmt=SAE\nieee80211w=2")
