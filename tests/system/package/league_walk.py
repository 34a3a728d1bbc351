"""docs/league.md, "From one box to a league", walked through on a clean Debian 13 that boots.

`sudo .venv/bin/python -m tests.system.package.league_walk` after `make deb`: installs the packages, founds a
league, enrols a box, and has the uplink send what lies in its outbox. Box and league are the same machine
here.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.league import FakeBox, played_record

from . import root as roots
from .control import OWN, relations, stanza_of
from .root import GPIOZERO_DEB, LIBRARY_DEBS, NEEDED, Root, built

NOT_DEBIANS = {*OWN, "python3-gpiozero", "python3-openskill"}
FOLDER = "/var/lib/shutthebox-league"
OUTBOX = "/var/spool/shutthebox/outbox"
CURL = ("curl", "-s", "--unix-socket", "/run/shutthebox-league-page.sock")
NAME = "league.example"
HEALTH = ("curl", "-skf", "--resolve", f"{NAME}:443:127.0.0.1", f"https://{NAME}/health")
BACKUPS = "/var/backups/shutthebox-league"
METRICS = "http://127.0.0.1:9108/metrics"
AS_LEAGUE = ("setpriv", "--reuid=shutthebox-league", "--regid=shutthebox-league", "--clear-groups")


def league_base() -> Path:
    """A Debian, as a tar, that has what all our packages depend on."""
    packages = ("shutthebox", *NEEDED, "shutthebox-uplink", "shutthebox-league")
    wanted = dict.fromkeys(name for package in packages for name in relations("Depends", stanza_of(package)))
    return roots.base_with(
        [*roots.BASE, "curl", "nginx-light", "openssl", *(name for name in wanted if name not in NOT_DEBIANS)]
    )


def until(what: str, is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 180
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"not so after three minutes: {what}")
        time.sleep(0.5)
    print(f"ok: {what}", flush=True)


def serve(run: Callable[..., CompletedProcess[str]]) -> None:
    """The web server, with a certificate where certbot keeps it."""
    live = f"/etc/letsencrypt/live/{NAME}"
    run("mkdir", "--parents", live)
    run(*(f"openssl req -x509 -nodes -newkey rsa:2048 -subj /CN={NAME} -days 9".split()),
        "-keyout", f"{live}/privkey.pem", "-out", f"{live}/fullchain.pem")  # fmt: skip
    run("cp", "/usr/share/shutthebox-league/nginx.conf", "/etc/nginx/sites-available/shutthebox-league")
    run("ln", "-s", "../sites-available/shutthebox-league", "/etc/nginx/sites-enabled/")
    run("systemctl", "restart", "nginx")
    until(
        "the league is healthy, as the web server shows it", lambda: run(*HEALTH, check=False).returncode == 0
    )


def look_after(run: Callable[..., CompletedProcess[str]]) -> None:
    """A renewed certificate, the night's back-up, and another database."""
    run("sh", "-c", f"RENEWED_DOMAINS={NAME} /usr/share/shutthebox-league/certbot-hook")
    assert run("systemctl", "is-enabled", "shutthebox-league-backup.timer").stdout == "enabled\n"
    run("systemctl", "start", "shutthebox-league-backup")
    (copy,) = run("ls", BACKUPS).stdout.split()
    health = json.loads(run(*HEALTH).stdout)
    assert (health["status"], health["backup_age_s"] < 600, health["boxes"]) == ("ok", True, 1)
    run(*AS_LEAGUE, "shutthebox-league", "restore", f"{BACKUPS}/{copy}")
    until("the league is healthy with its back-up", lambda: run(*HEALTH, check=False).returncode == 0)
    run("sh", "-c", "systemctl stop 'shutthebox-league-*'")
    run(*AS_LEAGUE, "shutthebox-league", "move", f"sqlite:///{FOLDER}/moved.sqlite3")
    units = ("consumer.service", "review.service", "page.socket", "backup.timer")
    run("systemctl", "start", *(f"shutthebox-league-{unit}" for unit in units))
    until("the league is healthy where it moved", lambda: run(*HEALTH, check=False).returncode == 0)
    assert "The Red Lion" in run(*CURL, "http://x/match/1").stdout


def walk(root: Root, folder: Path) -> None:
    """The steps of the page, and their required results."""
    run = root.run
    debs = []
    for package in ("python3-openskill", "shutthebox", "shutthebox-uplink", "shutthebox-league"):
        root.put(built(package), f"/opt/{package}.deb")
        debs.append(f"/opt/{package}.deb")
    for library, path in zip(NEEDED, LIBRARY_DEBS, strict=True):
        root.put(built(library), path)
    with root.boot(settled=False):
        run("dpkg", "--install", GPIOZERO_DEB, *LIBRARY_DEBS, *debs)
        assert not run("dpkg", "--audit").stdout
        print("ok: installed", flush=True)
        run(*AS_LEAGUE, "shutthebox-league", "found", "--host", "localhost", "--zone", "Europe/London")
        broker = "mosquitto/conf.d/shutthebox-league.conf"
        run("cp", "/usr/share/shutthebox-league/mosquitto.conf", f"/etc/{broker}")
        run("systemctl", "restart", "mosquitto")
        units = ("consumer", "review", "page.socket")
        run("systemctl", "start", *(f"shutthebox-league-{unit}" for unit in units))
        until("the broker runs", lambda: run("systemctl", "is-active", "mosquitto").stdout == "active\n")
        text = run(*AS_LEAGUE, "shutthebox-league", "enrol", "red-lion", "--pub", "The Red Lion").stdout
        enrolment = folder / "enrolment"
        enrolment.write_text(text)
        root.put(enrolment, "/etc/shutthebox/league.toml")
        until("the page is there", lambda: run(*CURL, "http://x/", check=False).returncode == 0)
        serve(run)
        entry = folder / "entry"
        box = FakeBox("1" * 32)
        entry.write_bytes(box.play(played_record(1), int(time.time())))
        root.put(entry, "/opt/entry")
        # As the box's unit writes: another user, with the outbox's group and no other way to it.
        run(
            "systemd-run", "--wait", "--pipe", "--property=DynamicUser=yes", "--property=PrivateUsers=yes",
            "--property=SupplementaryGroups=shutthebox-outbox", f"--property=ReadWritePaths={OUTBOX}",
            "--property=RestrictSUIDSGID=yes",
            "sh", "-c", f"cd {OUTBOX} && cp /opt/entry new && chmod 640 new && mv new {1:016}.json",
        )  # fmt: skip
        assert run("stat", "-c", "%G %a", f"{OUTBOX}/{1:016}.json").stdout == "shutthebox-outbox 640\n"
        run("systemctl", "start", "shutthebox-uplink")
        until("the outbox is empty", lambda: not run("ls", OUTBOX).stdout)
        assert "The Red Lion" in run(*CURL, "http://x/match/1").stdout
        metrics = run("curl", "-s", METRICS).stdout
        assert 'shutthebox_league_messages_total{outcome="committed"} 1.0' in metrics
        print("ok: the match is on the page", flush=True)
        look_after(run)
        run(*AS_LEAGUE, "shutthebox-league", "void", "1")
        assert "evoked" in run(*AS_LEAGUE, "shutthebox-league", "revoke", "red-lion.1").stdout
        run(*AS_LEAGUE, "shutthebox-league", "void", "1", "--undo")
        known = "/var/lib/mosquitto/shutthebox-league.json"
        until("the broker knows the key no more", lambda: "red-lion.1" not in run("cat", known).stdout)
        run("systemctl", "restart", "mosquitto")
        assert "league-consumer" in run("cat", known).stdout
        until("the consumer is there again", lambda: "connected 1.0" in run("curl", "-s", METRICS).stdout)
        for name in ("uplink", "league-consumer", "league-review", "league-page"):
            unit = f"shutthebox-{name}"
            assert run("systemctl", "is-active", unit).stdout == "active\n"
            assert run("systemctl", "show", "-P", "NRestarts", unit).stdout == "0\n"
        run("dpkg", "--purge", "shutthebox-league", "shutthebox-uplink")
        assert not run("sh", "-c", f"ls -d {FOLDER} /var/spool/shutthebox 2>/dev/null || true").stdout
        assert run("ls", BACKUPS).stdout.endswith(".sqlite3\n")
        print("ok: purged, but for the back-ups", flush=True)


def main() -> int:
    if (why := roots.missing()) is not None:
        print(why, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="league-walk-") as name:
        walk(Root(Path(name) / "root", league_base()), Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
