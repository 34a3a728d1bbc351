"""A league by the lines of docs/league.md on a bare Debian 13.

The stand-ins: a certificate that certbot would have fetched, of a chain that the machine trusts; and gpiozero
2, as on a Raspberry Pi, from the moment that a box joins, which is the same machine here.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable

import pytest
from tests.support.league import FakeBox, played_record
from tests.system.virtual_pi.table import until

from . import root as roots
from .control import OWN
from .daemon import without_pins
from .pages import blocks, follow, page
from .root import GPIOZERO_DEB, NEEDED, Root

pytestmark = [pytest.mark.package, pytest.mark.timeout(900, func_only=True)]

FOUND, ADD, CARE = "From one box to a league", "Add a box", "Look after it"
NAME = "league.example"
FOLDER = "/var/lib/shutthebox-league"
BACKUPS = "/var/backups/shutthebox-league"
OUTBOX = "/var/spool/shutthebox/outbox"
SERVICES = ("take", "review", "page")
CA = "/etc/ssl/league-authority"
AS_LEAGUE = ("sudo", "-u", "shutthebox-league", "shutthebox-league")
FETCH = (
    "import ssl, sys, urllib.request as r; "
    "print(r.urlopen(sys.argv[1], context=ssl._create_unverified_context()).read().decode())"
)
#: The page as the web server in front gets it.
FETCH_BEHIND = (
    "import http.client, socket, sys; c = http.client.HTTPConnection('x'); "
    "c.sock = socket.socket(socket.AF_UNIX); c.sock.connect('/run/shutthebox-league-page.sock'); "
    "c.request('GET', sys.argv[1]); print(c.getresponse().read().decode())"
)
CERTBOT = f"""\
#!/bin/sh
# In place of certbot, which gets a certificate only where the world can reach it: the web server is asked for
# a file as Let's Encrypt would, and certificate and hook are where certbot has them.
set -eu
while [ "$1" != -w ]; do shift; done
mkdir -p "$2/.well-known/acme-challenge"
echo proof >"$2/.well-known/acme-challenge/x"
[ "$(python3 -c '{FETCH}' http://{NAME}/.well-known/acme-challenge/x)" = proof ]
live=/etc/letsencrypt/live/{NAME}
mkdir -p $live
cd $live
# A chain as a public authority's: root, one between, and the server's own. The system trusts the root.
mkdir -p {CA}
of_authority=basicConstraints=critical,CA:TRUE of_signer=keyUsage=critical,keyCertSign,cRLSign
new() {{ openssl req -nodes -newkey rsa:2048 -subj "/CN=$1" -keyout "$2" -out "$3" $4; }}
sign() {{
    printf '%s\\n' "$1" "$2" subjectKeyIdentifier=hash authorityKeyIdentifier=keyid >{CA}/extensions
    openssl x509 -req -days 9 -extfile {CA}/extensions -CA "$3.pem" -CAkey "$3.key" -in "$4" -out "$5"
}}
[ -e {CA}/root.key ] || {{
    new Root {CA}/root.key {CA}/root.pem "-x509 -days 9 -addext $of_signer"
    cp {CA}/root.pem /usr/local/share/ca-certificates/league-root.crt
    update-ca-certificates
    new Between {CA}/between.key {CA}/between.csr -batch
    sign $of_authority $of_signer {CA}/root {CA}/between.csr {CA}/between.pem
}}
new {NAME} privkey.pem own.csr -batch
sign subjectAltName=DNS:{NAME} basicConstraints=CA:FALSE {CA}/between own.csr own.pem
cat own.pem {CA}/between.pem >fullchain.pem
while [ "$1" != --deploy-hook ]; do shift; done
RENEWED_DOMAINS={NAME} "$2"
"""


class League:
    """A league in a root that is booted, and a box beside it."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.commands = page("league.md")

    def look(self, path: str, *, where: str = f"https://{NAME}") -> str:
        """A page, as a visitor gets it; nothing if there is none."""
        return self.root.run("python3", "-c", FETCH, f"{where}{path}", check=False).stdout

    def look_behind(self, path: str) -> str:
        """A page without a web server; nothing if there is none."""
        return self.root.run("python3", "-c", FETCH_BEHIND, path, check=False).stdout

    def health(self) -> str:
        said = self.look("/health")
        return str(json.loads(said)["status"]) if said else ""

    def becomes_healthy(self) -> bool:
        return until(lambda: self.health() == "ok", 180)

    def __call__(self, *words: str) -> str:
        """A command of the league."""
        return self.root.run(*AS_LEAGUE, *words).stdout

    def send(self, number: int, entry: bytes) -> None:
        """Leaves an entry in the box's outbox as its unit does, and waits until the uplink has sent it."""
        (self.root.path / "opt/entry").write_bytes(entry)
        # Another user, with the outbox's group and no other way to it.
        self.root.run(
            "systemd-run", "--wait", "--pipe", "--property=DynamicUser=yes", "--property=PrivateUsers=yes",
            "--property=SupplementaryGroups=shutthebox-outbox", f"--property=ReadWritePaths={OUTBOX}",
            "--property=RestrictSUIDSGID=yes",
            "sh", "-c", f"cd {OUTBOX} && cp /opt/entry new && chmod 640 new && mv new {number:016}.json",
        )  # fmt: skip
        assert until(lambda: not self.root.run("ls", OUTBOX).stdout, 180), self.log("shutthebox-uplink")

    def log(self, unit: str = "shutthebox-*") -> str:
        return self.root.run("journalctl", "--no-pager", "-u", unit).stdout

    def assert_steady(self) -> None:
        """Nothing has failed or been restarted by systemd."""
        assert not self.root.run("systemctl", "--failed", "--no-legend").stdout
        for name in (*(f"league-{name}" for name in SERVICES), "uplink"):
            unit = f"shutthebox-{name}"
            shown = self.root.run(
                "systemctl", "show", "--value", "-p", "ActiveState", "-p", "NRestarts", unit
            )
            assert set(shown.stdout.split()) == {"active", "0"}, self.log(unit)


def call_it(root: Root, name: str) -> None:
    """Gives the machine a name that it finds itself by."""
    root.write("/etc/hostname", f"{name}\n")
    root.write("/etc/hosts", f"127.0.0.1 localhost {name}\n")


def test_from_one_box_to_a_league(bare: Callable[..., Root]) -> None:
    root = bare("python3-shutthebox", "shutthebox-league", "shutthebox-uplink", "shutthebox", *NEEDED[1:])
    league = League(root)
    install, found, serve = blocks(league.commands, FOUND)
    enrol, join = blocks(league.commands, ADD)
    (move,) = (block for block in blocks(league.commands, CARE) if "move postgresql" in block)
    # Fetched now, installed by the page's lines without a network: so no port of this machine is taken.
    wanted = [*re.findall(r"apt install (.*)", "\n".join((install, serve, move))), *roots.debians_for(*OWN)]
    wanted.append("python3-colorzero")  # gpiozero depends on it
    root.run("sh", "-ec", f"cd /opt; apt-get install -y --download-only {' '.join(wanted)}")
    call_it(root, NAME)
    with root.boot(["--private-network"]):
        follow(root, install)
        follow(root, found)
        root.write("/usr/local/bin/certbot", CERTBOT, 0o755)
        follow(root, serve.replace("YOUR.NAME", NAME))
        assert league.becomes_healthy(), league.log()
        follow(root, "\n".join(line for line in serve.splitlines() if "certbot certonly" in line))
        assert league.health() == "ok", "with a certificate that was renewed"
        assert "The town" in league.look("/")
        known = root.run("systemctl", "list-unit-files", "--no-legend", "shutthebox*").stdout
        assert not re.search(r"^shutthebox\.service", known, re.MULTILINE), "a server is no box"
        assert root.state() == "running"

        root.put(roots.gpiozero(), GPIOZERO_DEB)
        follow(root, f"apt install {GPIOZERO_DEB}")
        follow(root, blocks(page("package.md"), "Install on a Pi that's running")[0].splitlines()[0])
        without_pins(root)
        follow(root, enrol)
        secret = f"{FOLDER}/league.toml"
        assert root.run("stat", "--format=%a %U", secret).stdout == "600 shutthebox-league\n"
        root.run("mv", secret, "/opt")
        follow(root, f"systemctl daemon-reload\n{join}")
        box = FakeBox("1" * 32)
        league.send(1, box.play(played_record(1), int(time.time())))
        assert "The Red Lion" in league.look("/match/1")
        brokers = root.run("sh", "-c", "command -v mosquitto || true").stdout
        assert not brokers, "port 443 is all that a box needs"

        assert root.run("systemctl", "is-enabled", "shutthebox-league-backup.timer").stdout == "enabled\n"
        root.run("systemctl", "start", "shutthebox-league-backup")
        (copy,) = root.run("ls", BACKUPS).stdout.split()
        assert json.loads(league.look("/health"))["backup_age_s"] < 600
        league("restore", f"{BACKUPS}/{copy}")
        assert league.becomes_healthy(), "with its backup"
        follow(root, move)
        assert league.becomes_healthy(), league.log()
        assert "The Red Lion" in league.look("/match/1"), "in the other database"
        league.send(2, box.play(played_record(2), int(time.time())))
        assert "The Red Lion" in league.look("/match/2")
        league.assert_steady()

        league("void", "1")
        assert "evoked" in league("revoke", "red-lion.1")
        league("void", "1", "--undo")
        root.run("apt-get", "purge", "-y", "shutthebox-league", "shutthebox-uplink")
        assert not root.run("sh", "-c", f"ls -d {FOLDER} /var/spool/shutthebox 2>/dev/null || true").stdout
        assert root.run("ls", BACKUPS).stdout.endswith(".sqlite3\n"), (
            "copies are for the day when all else is gone"
        )
