"""The package in a Debian 13 that is running: from its installation to its removal, in order."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from tests.system.virtual_pi.table import until

from shutthebox.adapters.display.pillow import bitmap_of
from shutthebox.config.schema import Config
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay

from .daemon import (
    SERVICES,
    STATE,
    active,
    as_nobody,
    is_up,
    journal,
    matches_begun,
    restart,
    shown,
    without_pins,
)
from .pages import blocks, follow, page
from .root import GPIOZERO_DEB, LIBRARY_DEBS, Root, built

pytestmark = [pytest.mark.package, pytest.mark.timeout(600, func_only=True)]

CARD = Path(__file__).parents[3] / "packaging/image/root"
#: How nspawn ends when the machine in it does.
STARTS_ANEW = 133
VOICE = "shutthebox-speech.service"
LINK = "shutthebox-link.service"


@pytest.fixture(scope="module")
def root(new_root: Callable[[], Root]) -> Root:
    return new_root()


def scoreboard(root: Root, path: str = "") -> str:
    """The page, as a visitor on the box itself gets it; nothing if there is none."""
    visit = (
        "import http.client; c = http.client.HTTPConnection('127.0.0.1', 8090, timeout=30); "
        f"c.request('GET', '/{path}'); print(c.getresponse().read().decode())"
    )
    return root.run("python3", "-c", visit, check=False).stdout


def test_from_installation_to_poweroff(root: Root) -> None:
    """The first life of the machine."""
    with root.boot():
        root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS, "/opt/shutthebox.deb")
        # There being no chip, it isn't started, says so once, and the machine is as well as before.
        assert root.run("systemctl", "is-enabled", "shutthebox").stdout == "enabled\n"
        assert journal(root, "-u", "shutthebox").count("ConditionPathExistsGlob=/dev/gpiochip*") == 1
        assert shown(root, "NRestarts") == "0"
        assert root.state() == "running"
        wanted_by = "/etc/systemd/system/dev-shutthebox-pins.device.wants/shutthebox.service"
        assert root.run("test", "-L", wanted_by).returncode == 0, "a chip that appears starts it"

        without_pins(root)
        root.run("systemctl", "daemon-reload")
        root.run("systemctl", "restart", "shutthebox")
        assert shown(root, "ActiveState") == "active", "ready, as the daemon itself has said"
        pid = shown(root, "MainPID")
        assert int(root.run("stat", "--format=%u", f"/proc/{pid}").stdout) >= 61184, "a dynamic user"
        folder = root.run("stat", "--format=%F %a", STATE).stdout
        assert folder == "directory 750\n"

        # A match, so that there is something to keep.
        (root.path / STATE[1:] / "press").touch()
        assert until(lambda: matches_begun(root) == 1), journal(root, "-u", "shutthebox")

        # What the power key does; gpio-shutdown is one (docs/package.md).
        key = root.run(
            "busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1",
            "org.freedesktop.login1.Manager", "HandlePowerKey",
        )  # fmt: skip
        assert key.stdout == 's "poweroff"\n'
        root.run("systemctl", "poweroff")

    # Stopped in order, before the shutdown, with a goodbye on the glass.
    lines = journal(root).splitlines()
    stopped = max(i for i, line in enumerate(lines) if "Stopped shutthebox.service" in line)
    assert stopped < next(i for i, line in enumerate(lines) if "Reached target shutdown.target" in line)
    assert "Deactivated successfully" in lines[stopped - 1], journal(root, "-u", "shutthebox")
    display = VirtualDisplay(Config())
    display.show(LocalizedScreen(Mode.ATTRACT, big="Goodbye"), 0)
    with Image.open(io.BytesIO((root.path / STATE[1:] / "glass.png").read_bytes())) as glass:
        assert bitmap_of(glass) == display.look(0)


def test_the_next_day(root: Root, newer: Path, scoreboard_deb: Path) -> None:
    """It plays by itself after power on, and lives through an upgrade, a removal and a return."""
    root.put(newer, "/opt/newer.deb")
    root.put(scoreboard_deb, "/opt/scoreboard.deb")
    config = root.path / "etc/shutthebox/config.toml"
    with root.boot():
        assert until(lambda: is_up(root))
        assert matches_begun(root) == 1, "the match of the day before goes on"

        assert until(lambda: active(root, SERVICES)), journal(root, "-u", SERVICES)
        assert not scoreboard(root), "nobody has asked for one"
        assert not active(root, VOICE)

        # On and off with the configuration, at the box's next start.
        changed = "[game]\nplayers = 3\n[scoreboard]\non = true\n[speech]\non = true\n[link]\non = true\n"
        config.write_text(changed)
        restart(root)
        assert until(lambda: 'class="playing"' in scoreboard(root)), journal(root)
        assert "voice: on, but espeak-ng is missing" in journal(root, "-u", SERVICES)
        assert not active(root, VOICE), "no espeak-ng"
        espeak = root.path / "usr/bin/espeak-ng"
        espeak.write_text("#!/bin/sh\nexec cat\n")
        espeak.chmod(0o755)
        restart(root)
        assert until(lambda: active(root, VOICE)), journal(root, "-u", VOICE)
        config.write_text(changed.replace("on = true", "on = false"))
        restart(root)
        assert until(lambda: not active(root, VOICE) and not scoreboard(root)), journal(root)
        config.write_text(changed)
        restart(root)
        assert until(lambda: active(root, VOICE) and bool(scoreboard(root))), journal(root)

        # Killed halfway, say for lack of memory, it's tried again.
        once = "test -e /run/killed || { touch /run/killed; kill -KILL $$; }"
        root.run("mkdir", "-p", f"/run/systemd/system/{SERVICES}.d")
        text = f"[Service]\nReadWritePaths=/run\nExecStartPre=/bin/sh -c '{once.replace('$', '$$')}'\n"
        root.run("sh", "-c", f"cat > /run/systemd/system/{SERVICES}.d/killed.conf <<'.'\n{text}.\n")
        root.run("systemctl", "daemon-reload")
        restart(root)
        assert until(lambda: active(root, SERVICES)), journal(root, "-u", SERVICES)
        root.run("test", "-e", "/run/killed")

        before = shown(root, "MainPID")
        root.run("dpkg", "--install", "/opt/newer.deb", "/opt/shutthebox.deb")
        assert root.run("shutthebox", "--version").stdout == "shutthebox 99\n"
        assert until(lambda: is_up(root)), journal(root, "-u", "shutthebox")
        assert shown(root, "MainPID") not in ("0", before), "the new version plays"
        assert "cannot set niceness" not in journal(root, "-u", "shutthebox")
        tasks = root.run("ps", "-L", "-o", "ni=", "-p", shown(root, "MainPID")).stdout.split()
        assert {*tasks} == {"-5"}, f"no thread lets a lever wait: {tasks}"
        assert config.read_text() == changed
        assert matches_begun(root) == 1
        assert 'class="playing"' in scoreboard(root), journal(root, "-u", "shutthebox-scoreboard*")
        assert "Comment jouer" in scoreboard(root, "rules/fr/pub.html")
        root.run("systemctl", "stop", "shutthebox")
        assert "The box is at rest" in scoreboard(root)
        root.run("systemctl", "start", "shutthebox")
        assert until(lambda: active(root, SERVICES)), journal(root, "-u", SERVICES)
        assert until(lambda: active(root, VOICE)), journal(root, "-u", VOICE)

        pid = shown(root, "MainPID")
        root.run("dpkg", "--remove", "shutthebox")
        assert root.run("test", "-e", f"/proc/{pid}", check=False).returncode == 1, "it has ended"
        assert not scoreboard(root)
        assert not active(root, VOICE)
        assert config.read_text() == changed
        assert (root.path / STATE[1:] / "box.sqlite3").is_file()

        root.run("dpkg", "--install", "/opt/shutthebox.deb")
        assert until(lambda: is_up(root))
        assert matches_begun(root) == 1
        assert config.read_text() == changed

        # The package of the scoreboard brings its server; lighttpd's own is the owner's.
        root.run("systemctl", "stop", "shutthebox-scoreboard.socket", "shutthebox-scoreboard.service")
        root.run("dpkg", "--install", "/opt/scoreboard.deb")
        assert until(lambda: 'class="playing"' in scoreboard(root)), journal(root)
        assert not (root.path / "etc/systemd/system/lighttpd.service").is_symlink()
        root.run("dpkg", "--purge", "shutthebox-scoreboard")
        assert not scoreboard(root)

        # Saved, and put back into a box that has never played, as docs/package.md has it.
        root.run("systemctl", "stop", "shutthebox")
        root.run("tar", "-C", STATE, "-czf", "/opt/box.tar.gz", ".")
        root.run("dpkg", "--purge", "shutthebox")
        root.run("dpkg", "--install", "/opt/shutthebox.deb")
        assert until(lambda: is_up(root))
        assert matches_begun(root) == 0
        root.run("systemctl", "stop", "shutthebox")
        root.run("mkdir", "-p", STATE)
        root.run("tar", "-C", STATE, "-xzf", "/opt/box.tar.gz")
        root.run("systemctl", "start", "shutthebox")
        assert matches_begun(root) == 1

        (root.path / "etc/shutthebox/league.toml").touch()
        root.run("dpkg", "--purge", "shutthebox")
        assert not (root.path / "etc/shutthebox").exists(), "with settings and keys"
        assert not (root.path / STATE[1:]).exists()
        assert not (root.path / "var/lib/shutthebox").is_symlink()
        assert not config.exists()
        assert shown(root, "LoadState") == "not-found" or shown(root, "ActiveState") == "inactive"


def test_two_boxes_in_one_pub(new_root: Callable[[], Root]) -> None:
    """docs/link.md, with the helper in its unit, whose user systemd makes up, at the box's socket."""
    root = new_root()
    root.put(built("shutthebox-uplink"), "/opt/uplink.deb")
    root.put(Path(__file__).with_name("two_boxes.py"), "/opt/two_boxes.py")
    root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS, "/opt/shutthebox.deb", "/opt/uplink.deb")
    without_pins(root)
    commands, _, second, restart = blocks(page("link.md"), "Two boxes in one pub")
    root.write("/etc/hosts", "127.0.0.1 localhost anchor.local\n")
    config = root.path / "etc/shutthebox/config.toml"
    # As an editor makes a new file.
    config.unlink()
    config.write_text(second)
    config.chmod(0o644)
    with root.boot():
        follow(root, commands)
        root.run("cp", "/etc/mosquitto/certs/link.pem", "/etc/shutthebox/broker.pem")
        follow(root, restart)
        # Which has the helper started again, too, and doesn't wait for that.
        assert until(lambda: active(root, SERVICES)), journal(root, "-u", SERVICES)
        assert until(lambda: not link_job(root) and link_says(root) == "resting"), journal(root)
        # It plays with what no other user can read any more: the page has its owner write a password there.
        assert config.read_text() == second
        shown_file = root.run("stat", "--format=%a %U %G", "/etc/shutthebox/config.toml").stdout
        assert shown_file == "640 root shutthebox-settings\n"
        assert as_nobody(root, "cat", "/etc/shutthebox/config.toml").returncode != 0
        assert "playing with the built-in" not in journal(root, "-u", "shutthebox")
        root.run("systemd-analyze", "security", "--threshold=20", "shutthebox-link")
        box = shown(root, "MainPID")
        root.run("systemctl", "kill", "--signal=KILL", "shutthebox-link")
        assert until(lambda: link_says(root) == "resting" and restarts(root) == 1), journal(root)
        assert shown(root, "MainPID") == box, "it plays on"
        root.run("systemctl", "stop", "shutthebox")
        root.run("python3", "/opt/two_boxes.py")
        assert restarts(root) == 2, journal(root, "-u", "shutthebox-link")


def link_says(root: Root) -> str:
    return root.run("systemctl", "show", "--value", "--property=StatusText", LINK).stdout.strip()


def link_job(root: Root) -> str:
    """What systemd has still to do with the helper's unit; empty if nothing."""
    return root.run("systemctl", "show", "--value", "--property=Job", LINK).stdout.strip()


def restarts(root: Root) -> int:
    return int(root.run("systemctl", "show", "--value", "--property=NRestarts", LINK).stdout)


def test_a_card_that_is_never_written_to(new_root: Callable[[], Root], tmp_path: Path) -> None:
    """The root is an overlay in memory, the state a partition of its own: that alone survives."""
    root = new_root()
    root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS, "/opt/shutthebox.deb")
    without_pins(root)
    (root.path / STATE[1:]).mkdir(parents=True)
    partition = tmp_path / "partition"
    partition.mkdir()
    (partition / "press").touch()
    read_only = ["--volatile=overlay", f"--bind={partition}:{STATE}"]
    with root.boot(read_only):
        assert until(lambda: is_up(root))
        assert until(lambda: matches_begun(root) == 1), journal(root, "-u", "shutthebox")
        root.run("touch", "/etc/shutthebox/forgotten")
    with root.boot(read_only):
        assert until(lambda: is_up(root))
        assert matches_begun(root) == 1
        assert root.run("test", "-e", "/etc/shutthebox/forgotten", check=False).returncode == 1
        # What has a partition of its own can be purged too.
        root.run("dpkg", "--purge", "shutthebox")
    assert not list(partition.iterdir())


def test_a_cards_update_whose_box_never_plays_gives_its_start_up(new_root: Callable[[], Root]) -> None:
    """With the card's own unit and script, but for twenty seconds instead of five minutes."""
    root = new_root()
    root.run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS, "/opt/shutthebox.deb")
    unit, script = "etc/systemd/system/shutthebox-confirm.service", "usr/lib/shutthebox/confirm"
    root.put(CARD / unit, f"/{unit}")
    texts = {
        script: (CARD / script).read_text().replace("-lt 300", "-lt 20"),
        "usr/bin/fw_printenv": "#!/bin/sh\necho 2\n",
    }
    assert "-lt 20" in texts[script]
    for name, text in texts.items():
        (root.path / name).parent.mkdir(exist_ok=True)
        (root.path / name).write_text(text)
        (root.path / name).chmod(0o755)
    root.run("systemctl", "enable", "shutthebox-confirm")
    with root.boot(settled=False) as outside:
        assert outside.wait(120) == STARTS_ANEW
