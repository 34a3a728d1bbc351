"""A landlord's year with the card, in this order: files, sticks, levers and buttons, read off the glass."""

from __future__ import annotations

import shutil
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select
from tests.support.chromium import resize, start_chromium
from tests.support.league import found_league, open_door
from tests.system.image.bundles import broken_system, sign, silent_system
from tests.system.image.machine import (
    BOOT_AT,
    BOOT_S,
    BUILD,
    CONFIG,
    CardPi,
    hardware_disk,
    make_card,
    write_files,
)
from tests.system.image.radio import fetched, open_wifi, programs
from tests.system.image.table import (
    BESIDE_BOX,
    BUILT_IN,
    PULLS,
    SlowTable,
    await_box,
    confirmed,
    is_active,
    played,
    ports,
    said_in_attract,
    slot,
)
from tests.system.virtual_pi.owner import (
    CUT_OFF,
    HOLD_S,
    SERVICE_LINE,
    Owner,
    formatted,
    listed,
    put_on,
    saved_name,
)
from tests.system.virtual_pi.play import Play
from tests.system.virtual_pi.table import GPIO, LEVERS, until

from shutthebox.config.card import MAX_RULES
from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.faults import Fault
from shutthebox.game.stick import Stick, StickJob, StickOutcome
from shutthebox_league.schema import MATCH

OWNERS = f"{CONFIG.replace('rounds = 3', 'rounds = 1')}[gpio]\nservice = {SERVICE_LINE}\n"
SETTINGS = settings_for(parse_config(OWNERS, "test"), LEVERS, "test")
WANTED = f"{OWNERS}[scoreboard]\non = true\n[speech]\non = true\n"
MISTAKE = "network.toml: line 1: cable: 'yes' is not allowed; use true or false"
FELL_BACK = "Update failed: the old version is back"
SAVE, TAKE_OVER, UPDATE = StickJob.SAVE, StickJob.TAKE_OVER, StickJob.UPDATE
STICK_BYTES = 512 << 20
#: What systemd-networkd and systemd-resolved listen at: for an address, and for the box's name.
NETWORK_PORTS = {53, 68, 546, 5353}

pytestmark = [pytest.mark.image, pytest.mark.timeout(12 * BOOT_S)]


class Landlord(Owner):
    pi: CardPi

    def await_box(self, *notices: str) -> None:
        """Waits until it plays after a start, with these words on the glass."""
        await_box(self.table)
        self.begin()
        self.table.see([said_in_attract(*notices, settings=SETTINGS)])

    def restarts(self) -> None:
        """Presses, which starts the machine anew, and pulls the stick out meanwhile."""
        before = self.pi.boot_id()
        self.press(sees=False)
        self.pi.await_restart(before)
        self.pi.pull_out_stick()


@pytest.fixture(scope="module")
def landlord(folder: Path) -> Iterator[Landlord]:
    """The machine, before it is switched on for the first time."""
    make_card(folder / "year.img", {"shutthebox.toml": WANTED, "network.toml": 'cable = "yes"\n'})
    hardware_disk(folder / "hardware-year.img", *programs(folder))
    with CardPi(folder / "year.img", folder / "hardware-year.img") as pi:
        yield Landlord(SlowTable(pi, SETTINGS), SETTINGS)


@pytest.fixture
def pi(landlord: Landlord) -> CardPi:
    """Instead of the session's machine."""
    return landlord.pi


def settings_stick(folder: Path, files: dict[str, str]) -> Path:
    settings = folder / "settings"
    shutil.rmtree(settings, ignore_errors=True)
    for name, text in files.items():
        path = settings / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    image = formatted(folder)
    put_on(image, settings, "shutthebox")
    return image


def test_a_mistake_on_the_card_is_said_and_put_right(landlord: Landlord, pi: CardPi) -> None:
    await_box(landlord.table)
    landlord.table.see([said_in_attract(MISTAKE, settings=BUILT_IN)])
    assert ports(pi) == set()
    pi.pull_plug()
    write_files(pi.card, {"shutthebox.toml": OWNERS, "network.toml": "# none\n"})
    pi.power_on()
    landlord.await_box()
    assert not any(is_active(pi, unit) for unit in BESIDE_BOX)
    assert ports(pi) == set()


def arrived(league: Engine) -> int:
    with league.connect().execution_options(reads=True) as db:
        return db.scalar(select(func.count()).select_from(MATCH)) or 0


def taken_settings(pi: CardPi) -> tuple[int, int]:
    """How many house rules the box has, and how many of the other files of the stick of settings."""
    rules = pi.run("ls /data/etc/rules", check=False).out.split()
    other = (
        "grep -l scoreboard /data/etc/config.toml",
        "ls /data/etc/league.toml",
        "grep -l DHCP /data/network/cable.network",
    )
    return len(rules), sum(pi.run(command, check=False).code == 0 for command in other)


def test_settings_from_a_stick_join_a_league_and_stay(landlord: Landlord, pi: CardPi, tmp_path: Path) -> None:
    place = found_league(tmp_path)
    place.enrol("lion")
    enrolment = (tmp_path / "lion.toml").read_text().replace("127.0.0.1", "10.0.2.2")
    with ExitStack() as stack:
        stack.callback(place.engine.dispose)
        files = {
            "shutthebox.toml": WANTED, "league.toml": enrolment,
            "network.toml": 'cable = "yes"\n',
        }  # fmt: skip
        offers = Stick(offers=(SAVE, StickJob.SETTINGS))
        landlord.puts_in(settings_stick(tmp_path, files), offers)
        landlord.asks(offers, StickJob.SETTINGS)
        landlord.hears(offers._replace(outcome=StickOutcome.BAD_SETTINGS, mistakes=(MISTAKE,)))
        landlord.pulls_out()
        files["network.toml"] = "cable = true\n"
        games = {f"rules/night-{night}.toml": 'like = "pub"\n' for night in range(MAX_RULES)}
        landlord.puts_in(settings_stick(tmp_path, files | games), offers)
        landlord.asks(offers, StickJob.SETTINGS)
        landlord.hears(offers._replace(doing=StickJob.SETTINGS))
        landlord.pulls_out(CUT_OFF, offers._replace(outcome=StickOutcome.SETTINGS_TAKEN))
        assert until(lambda: not is_active(pi, "'shutthebox-stick@*'"), BOOT_S)
        assert taken_settings(pi) in ((0, 0), (len(games), len(files))), "all or nothing"
        landlord.puts_in(settings_stick(tmp_path, files), offers)
        landlord.asks(offers, StickJob.SETTINGS)
        landlord.hears(offers._replace(outcome=StickOutcome.SETTINGS_TAKEN))
        landlord.restarts()
        landlord.await_box()
        with open_door(place):
            Play(landlord.table, SETTINGS).finish()
            assert until(lambda: arrived(place.engine) == 1, BOOT_S), landlord.table.journal()
        for start in range(min(PULLS, 3) + 1):
            if start:
                pi.pull_plug()
                pi.power_on()
                await_box(landlord.table)
            for unit in BESIDE_BOX:
                assert until(partial(is_active, pi, unit), BOOT_S), landlord.table.journal()
            assert {8090} <= ports(pi) <= {8090} | NETWORK_PORTS
            assert pi.run("systemctl --failed --no-legend --plain").out == ""
            with urllib.request.urlopen(f"http://127.0.0.1:{pi.scoreboard_port}/", timeout=BOOT_S) as page:
                assert b"<html" in page.read()


def on_a_telephone(pi: CardPi, name: str, path: str, folder: Path) -> str:
    """What Chromium shows of the scoreboard in that Wi-Fi, by its name; BUILD has the picture."""
    browser = start_chromium(
        folder, f"--host-resolver-rules=MAP {name}.local:8090 127.0.0.1:{pi.scoreboard_port}"
    )
    try:
        resize(browser, 390, 844, mobile=True)
        browser.set_page_load_timeout(BOOT_S)
        browser.get(f"http://{name}.local:8090{path}")
        browser.save_screenshot(str(BUILD / f"telephone{path.replace('/', '-')}.png"))
        return str(browser.execute_script("return document.body.textContent"))
    finally:
        browser.quit()


def test_in_a_wifi_the_boxs_own_name_leads_a_browser_to_the_scoreboard(
    landlord: Landlord, pi: CardPi, tmp_path: Path
) -> None:
    pi.pull_plug()
    wifi = 'wifi = "The Red Lion"\npassword = "shut the box"\ncountry = "BE"\nname = "lion"\n'
    write_files(pi.card, {"shutthebox.toml": f"{WANTED}# again\n", "network.toml": wifi})
    pi.power_on()
    await_box(landlord.table)
    # WPA3 only, which is the harder one: the box prefers WPA2 where it has a choice.
    open_wifi(pi, "The Red Lion", "shut the box", "wpa_key_mgmt=SAE\nieee80211w=2")
    assert until(lambda: "<html" in fetched(pi, "lion"), BOOT_S), pi.run(
        "journalctl --boot --no-pager -u wpa_supplicant@wlan0 -u systemd-networkd -u access-point"
    ).out
    assert "Power save: off" in pi.run("iw dev wlan0 get power_save").out, "or it misses its name being asked"
    scores = on_a_telephone(pi, "lion", "/", tmp_path / "guest")
    assert "playing" in scores, scores
    assert "10.9.0.2" in on_a_telephone(pi, "lion", "/box.html", tmp_path / "owner")


def leave_match(landlord: Landlord) -> None:
    """Holds the button before the levers are lifted, which would choose something at a result."""
    landlord.pi.push(int(GPIO.roll), HOLD_S)
    start_box_anew(landlord)


def start_box_anew(landlord: Landlord) -> None:
    """Lifts all levers, and starts the daemon alone."""
    landlord.table.stand(0)
    landlord.pi.run("systemctl restart shutthebox")
    landlord.await_box()


def test_a_memory_is_saved_spoilt_and_taken_over(landlord: Landlord, pi: CardPi, tmp_path: Path) -> None:
    # The league of an earlier evening is gone, and the box would ask for it.
    pi.run("rm -f /data/etc/league.toml && systemctl restart shutthebox-services")
    leave_match(landlord)
    Play(landlord.table, SETTINGS).finish()
    leave_match(landlord)
    image, offers, matches = formatted(tmp_path), Stick(offers=(SAVE,)), played(pi)
    assert matches
    landlord.puts_in(image, offers)
    landlord.asks(offers, SAVE)
    landlord.hears(offers._replace(doing=SAVE, percent=0))
    landlord.pulls_out(CUT_OFF)
    assert all(name.endswith(".part") for name in listed(image))
    landlord.puts_in(image, offers)
    landlord.asks(offers, SAVE)
    name = saved_name(pi)
    both = Stick(offers=(SAVE, TAKE_OVER), memory=name)
    landlord.hears(both._replace(outcome=StickOutcome.SAVED, detail=name))
    landlord.pulls_out()
    pi.run("systemctl stop shutthebox && echo spoilt >/data/state/box.sqlite3 && systemctl start shutthebox")
    await_box(landlord.table)
    landlord.begin(Fault.STORE_REPLACED)
    landlord.see()
    assert played(pi) == 0
    landlord.puts_in(image, both)
    player = landlord.table.shown("MainPID")
    landlord.asks(both, TAKE_OVER)
    assert landlord.table.back_after(player), landlord.table.journal()
    await_box(landlord.table)
    landlord.begin()
    landlord.hears(both._replace(outcome=StickOutcome.TAKEN_OVER, detail=name))
    assert played(pi) == matches
    landlord.opens_service()
    landlord.press()
    landlord.asks(both, TAKE_OVER)
    pi.pull_out_stick()
    await_box(landlord.table)
    assert played(pi) == matches


def update_stick(folder: Path, bundle: Path) -> Path:
    image = formatted(folder, size=STICK_BYTES)
    put_on(image, bundle, bundle.name)
    return image


def installs_nothing(pi: CardPi) -> bool:
    """Whether RAUC is idle. Its service runs again, because the stick's helper has asked it for its state."""
    what = "de.pengutronix.rauc / de.pengutronix.rauc.Installer Operation"
    return pi.run(f"busctl get-property {what}").out == 's "idle"\n'


def test_an_update_from_a_stick(landlord: Landlord, pi: CardPi, tmp_path: Path) -> None:
    system, before, matches = BUILD / "system.img", slot(pi), played(pi)
    image = update_stick(tmp_path, sign(system, "99.0", tmp_path / "shutthebox-99.0.raucb"))
    start_box_anew(landlord)
    offers = Stick(offers=(SAVE, UPDATE), version="99.0")
    landlord.puts_in(image, offers)
    landlord.asks(offers, UPDATE)
    landlord.hears(*(offers._replace(doing=UPDATE, percent=percent) for percent in range(31, 70)))
    landlord.pulls_out(CUT_OFF)
    assert until(lambda: installs_nothing(pi), BOOT_S)
    assert pi.run("fw_printenv -n BOOT_ORDER").out.split()[0] == before, "the box is as it was"
    landlord.puts_in(image, offers)
    landlord.asks(offers, UPDATE)
    landlord.hears(offers._replace(outcome=StickOutcome.UPDATE_WRITTEN, detail="99.0"))
    landlord.restarts()
    landlord.await_box()
    assert slot(pi) != before
    assert until(lambda: confirmed(pi), BOOT_S)
    assert played(pi) == matches


def failed_update(landlord: Landlord, system: Path, version: str, folder: Path) -> None:
    """Has the box take a stick with an update that is no good, and waits for the start that follows."""
    image = update_stick(folder, sign(system, version, folder / f"shutthebox-{version}.raucb"))
    system.unlink()
    assert until(lambda: confirmed(landlord.pi), BOOT_S), "the system before is on trial itself"
    landlord.table.stand(0)
    landlord.pi.pull_plug()
    landlord.pi.power_on()
    landlord.await_box()
    offers = Stick(offers=(SAVE, UPDATE), version=version)
    landlord.puts_in(image, offers)
    landlord.asks(offers, UPDATE)
    landlord.hears(offers._replace(outcome=StickOutcome.UPDATE_WRITTEN, detail=version))
    landlord.restarts()


def test_an_update_that_does_not_start_falls_back(landlord: Landlord, pi: CardPi, tmp_path: Path) -> None:
    before, matches = slot(pi), played(pi)
    failed_update(landlord, broken_system(BUILD / "system.img", tmp_path / "broken.img"), "99.1", tmp_path)
    landlord.await_box(FELL_BACK)
    assert slot(pi) == before
    assert played(pi) == matches


def test_an_update_that_never_plays_falls_back_after_three_starts(
    landlord: Landlord, pi: CardPi, tmp_path: Path
) -> None:
    """The box gives up the first of them by itself; at the others somebody pulls the plug."""
    before, matches = slot(pi), played(pi)
    failed_update(landlord, silent_system(BUILD / "system.img", tmp_path / "silent.img"), "99.2", tmp_path)
    assert slot(pi) != before
    pi.await_restart(pi.boot_id())
    for _ in range(2):
        assert slot(pi) != before
        assert not is_active(pi, "shutthebox")
        pi.pull_plug()
        pi.power_on()
    landlord.await_box(FELL_BACK)
    assert slot(pi) == before
    assert played(pi) == matches


def test_an_update_on_the_card_itself_needs_no_stick(landlord: Landlord, pi: CardPi, tmp_path: Path) -> None:
    before, matches = slot(pi), played(pi)
    bundle = sign(BUILD / "system.img", "99.3", tmp_path / "shutthebox-99.3.raucb")
    landlord.table.stand(0)
    pi.pull_plug()
    put_on(Path(f"{pi.card}@@{BOOT_AT}"), bundle, bundle.name)
    pi.power_on()
    offers = Stick(offers=(UPDATE,), version="99.3", checked=True, is_card=True)
    await_box(landlord.table)
    landlord.begin()
    landlord.hears(offers)
    landlord.opens_service()
    landlord.asks(offers, UPDATE)
    landlord.hears(offers._replace(outcome=StickOutcome.UPDATE_WRITTEN, detail="99.3"))
    start = pi.boot_id()
    landlord.press(sees=False)
    pi.await_restart(start)
    await_box(landlord.table)
    assert slot(pi) != before
    assert until(lambda: confirmed(pi), BOOT_S)
    assert played(pi) == matches
