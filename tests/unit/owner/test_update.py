"""`shutthebox update`: its messages about an update before RAUC writes it."""

import itertools
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from tests.support.command import printed, refused
from tests.support.stick import put_program
from tests.support.updates import info
from tests.support.waiting import until

from shutthebox import __version__
from shutthebox.adapters.store.database import Store, open_to_read
from shutthebox.adapters.store.schema import VERSION
from shutthebox.game.facts import Chosen
from shutthebox.owner import update
from shutthebox.owner.update import Bundle, UpdateError, known_keys


def rauc_says(folder: Path, told: str) -> None:
    """Puts a RAUC there that describes every update so."""
    info = f"cp $3 {folder}/seen; echo '{told}'"
    put_program(folder / "rauc", f'echo "$@" >>{folder}/asked\n[ $1 != info ] || {{ {info}; }}')


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A card's system as far as the command looks, with a RAUC that takes every update for version 0.0.1."""
    rauc_says(tmp_path, info("0.0.1", store=str(VERSION - 1), config=" ".join(known_keys())))
    put_program(tmp_path / "systemctl", f'echo "systemctl $@" >>{tmp_path}/asked')
    monkeypatch.setattr(update, "BACKUP", tmp_path / "before-update.sqlite3")
    monkeypatch.setattr(update, "SERVICE_FOLDER", tmp_path / "state")
    monkeypatch.setattr(update, "CONFIG_FILE", tmp_path / "config.toml")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(update, "CARD", tmp_path / "rauc")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return tmp_path


def test_an_earlier_version_has_to_be_asked_for(card: Path) -> None:
    (card / "old.raucb").touch()
    said = refused("update", card / "old.raucb")
    assert f"version 0.0.1 is earlier than {__version__}: memory: version 0.0.1 can't read it" in said
    assert "allowed with --downgrade" in said
    assert (card / "asked").read_text().splitlines() == [f"info --output-format=json-2 {card}/old.raucb"]


@pytest.mark.parametrize("version", [__version__, "99"])
def test_the_same_or_a_later_version_is_written_and_started(version: str, card: Path) -> None:
    with closing(Store(card / "state", lambda: 0.0)) as store:
        store.keep(Chosen("game.players", 3))
    rauc_says(card, info(version, store=str(VERSION), config=" ".join(known_keys())))
    (card / "new.raucb").touch()
    (card / "config.toml").write_text("[game]\nplayers = 3\n")
    (card / "before-update.sqlite3").write_text("of the update before")
    assert printed("update", card / "new.raucb").splitlines() == [
        f"Writing version {version}; the box plays on meanwhile.",
        f"Version {version} is ready. If it doesn't work, {__version__} comes back by itself.",
        "The box restarts.",
    ]
    assert (card / "asked").read_text().splitlines() == [
        f"info --output-format=json-2 {card}/new.raucb",
        f"install {card}/new.raucb",
        "systemctl reboot",
    ]
    with closing(open_to_read(card / "before-update.sqlite3")) as db:
        assert db.execute("select key, value from setting").fetchall() == [("game.players", "3")]


def test_an_earlier_version_is_written_when_it_is_asked_for(card: Path) -> None:
    """What is lost is said before; a box without a memory has none to copy."""
    rauc_says(card, info("0.0.1", store=str(VERSION - 1), config="game.players"))
    (card / "old.raucb").touch()
    (card / "config.toml").write_text('[game]\nplayers = 3\nhints = true\n[box]\nlanguage = "fr"\n')
    memory, configuration, copy, *rest = printed("update", "--downgrade", card / "old.raucb").splitlines()
    assert memory.startswith("memory: version 0.0.1 can't read it; ")
    assert configuration.startswith("configuration: version 0.0.1 does not know box.language, game.hints; ")
    assert copy.startswith(f"No backup of the memory was made: {card}/state/box.sqlite3: no such store")
    assert rest[0] == "Writing version 0.0.1; the box plays on meanwhile."
    assert (card / "asked").read_text().splitlines()[1:] == [f"install {card}/old.raucb", "systemctl reboot"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"update": 3}', info(store="many")])
def test_another_description_is_an_error(text: str, card: Path) -> None:
    rauc_says(card, text)
    (card / "new.raucb").touch()
    assert "doesn't understand" in refused("update", card / "new.raucb")


def test_both_raucs_program_and_the_images_mark_are_needed(
    card: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one of them it is no card, and its owner is told what to do instead."""
    with monkeypatch.context() as without:
        without.setenv("PATH", str(card / "none"))
        said = refused("update", card / "new.raucb", code=1)
    assert "was not started from a card's image" in said
    assert "apt install" in said
    monkeypatch.setattr(update, "CARD", card / "none")
    assert refused("update", card / "new.raucb", code=1) == said


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo first; echo ' last of all ' >&2; echo; exit 3", "last of all"),
        ("exit 1", "RAUC failed without a message"),
    ],
)
def test_raucs_last_word_is_passed_on(script: str, said: str, card: Path) -> None:
    put_program(card / "rauc", script)
    (card / "new.raucb").touch()
    assert refused("update", card / "new.raucb") == f"shutthebox: {card}/new.raucb: {said}"


BUNDLE = Path(__file__).resolve().parents[3] / "packaging/image/bundle.sh"


def newer_rauc() -> bool:
    """Whether this machine has a RAUC that describes updates as the card's does."""
    if shutil.which("rauc") is None or shutil.which("openssl") is None or shutil.which("mksquashfs") is None:
        return False
    said = subprocess.run(["rauc", "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = re.findall(r"\d+", said)[:2]
    return (int(major), int(minor)) >= (1, 9)


@pytest.mark.skipif(
    not newer_rauc(), reason="NOT CHECKED: needs openssl, squashfs-tools and RAUC 1.9 or newer"
)
def test_raucs_own_description_of_an_update_that_is_signed_and_of_one_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ours", "other"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
             "-keyout", tmp_path / f"{name}.key", "-out", tmp_path / f"{name}.pem"],
            check=True, capture_output=True,
        )  # fmt: skip
        (tmp_path / "system.img").write_bytes(random.Random(1).randbytes(1 << 16))
        words = ["system.img", "99.1", f"{name}.pem", f"{name}.key", f"{name}.raucb"]
        subprocess.run([BUNDLE, *words], cwd=tmp_path, check=True)
    (tmp_path / "system.conf").write_text(
        "[system]\ncompatible=shutthebox-pi-arm64\nbootloader=noop\nbundle-formats=plain\n"
        f"data-directory={tmp_path}\n[keyring]\npath={tmp_path}/ours.pem\n"
    )
    (tmp_path / "bin").mkdir()
    put_program(tmp_path / "bin/rauc", f'exec {shutil.which("rauc")} --conf="{tmp_path}/system.conf" "$@"')
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    assert update.inspect(tmp_path / "ours.raucb") == Bundle("99.1", VERSION, known_keys())
    with pytest.raises(UpdateError, match=r"other.raucb: .*signature"):
        update.inspect(tmp_path / "other.raucb")


def test_an_update_from_an_address_is_fetched_and_removed_again(
    card: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "FETCHED", card / "fetched.raucb")
    (card / "new.raucb").write_text("signed")
    assert "is earlier than" in refused("update", (card / "new.raucb").as_uri())
    assert (card / "asked").read_text().splitlines() == [f"info --output-format=json-2 {card}/fetched.raucb"]
    assert (card / "seen").read_text() == "signed"
    assert not (card / "fetched.raucb").exists()
    assert "none.raucb: " in refused("update", (card / "none.raucb").as_uri())


# -- from an address -----------------------------------------------------------------------


@contextmanager
def answering(answer: bytes, then: Iterable[bytes] = ()) -> Iterator[str]:
    """The address of a server that gives one answer to every request, and then these pieces."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    visitor, _ = server.accept()
                    with visitor, suppress(OSError):
                        visitor.recv(65536)
                        visitor.sendall(answer)
                        for piece in then:
                            if over.wait(0.02):
                                break
                            visitor.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/new.raucb"
        finally:
            over.set()
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


SLOW = {
    "status": b"HTTP/1.1 200 OK",
    "header": b"HTTP/1.1 200 OK\r\nX-Slow: ",
    "body": b"HTTP/1.1 200 OK\r\n\r\n",
    "body of a length": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
}


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW)
def test_an_address_that_never_comes_to_an_end_is_given_up(
    answer: bytes, fetched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "LOOK_S", 0.3)
    with answering(answer, then=itertools.repeat(b"x")) as address:
        assert refused("update", address) == f"shutthebox: {address}: too slow, less than 10 kB a second"
    assert not fetched.exists()
    assert not fetched.with_name("asked").exists()


def test_a_slow_line_that_brings_enough_is_waited_for(fetched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "LOOK_S", 0.05)
    monkeypatch.setattr(update, "SLOWEST", 0)
    with answering(http(b"", "Content-Length: 54"), then=[*[b"x"] * 50, b"end."]) as address:
        assert "is earlier than" in refused("update", address)
    assert fetched.with_name("seen").read_bytes() == 50 * b"x" + b"end."


def http(body: bytes, *headers: str) -> bytes:
    return "\r\n".join(("HTTP/1.1 200 OK", *headers, "", "")).encode() + body


@pytest.fixture
def fetched(card: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the update is put; both systems of the card have 2 MiB."""
    (card / "system.conf").write_text(
        "".join(f"[slot.system.{n}]\ndevice={card}/slot{n}\ntype=raw\n" for n in range(2))
    )
    for number in range(2):
        (card / f"slot{number}").touch()
        os.truncate(card / f"slot{number}", 2 << 20)
    monkeypatch.setattr(update, "RAUC_CONFIG", card / "system.conf")
    monkeypatch.setattr(update, "FETCHED", card / "fetched.raucb")
    return card / "fetched.raucb"


CUT = {
    "of its length": (http(b"half", "Content-Length: 8"), "incomplete: 4 of 8 bytes received"),
    "in a chunk": (http(b"8\r\nhalf", "Transfer-Encoding: chunked"), "incomplete"),
    "nothing": (b"", "Remote end closed connection without response"),
    "too large, as it says": (
        http(b"x", f"Content-Length: {500 << 20}"), "larger than 3 MiB, the most that fits here"
    ),
    "too large without a word": (http(bytes(4 << 20)), "larger than 3 MiB, the most that fits here"),
}  # fmt: skip
"""Per answer of a server the complaint about it."""


@pytest.mark.parametrize("name", CUT)
def test_an_answer_that_is_no_update_ends_in_one_line_and_leaves_no_file(name: str, fetched: Path) -> None:
    answer, words = CUT[name]
    with answering(answer) as address:
        said = refused("update", address)
        assert said.startswith(f"shutthebox: {address}: ")
        assert words in said
    assert not fetched.exists()
    assert not fetched.with_name("asked").exists(), "RAUC is not asked about a part"


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:port/x", "http://[::1/x", "http://\x1b[31m/x", "nowhere://x", "http://"],
)
def test_an_address_that_is_none(address: str, fetched: Path) -> None:
    assert refused("update", address).startswith("shutthebox: ")
    assert not fetched.exists()


def test_a_full_disk_is_not_blamed_on_the_address(fetched: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with answering(http(bytes(1 << 20))) as address:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, before[1]))
        try:
            assert refused("update", address) == f"shutthebox: {fetched}: File too large"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not fetched.exists()


@pytest.mark.slow
def test_a_dropped_login_leaves_no_file(fetched: Path) -> None:
    """Nobody would remove it, and it takes the memory's room."""
    program = (
        # As a login starts it, also where the tests run under nohup.
        f"import signal; signal.signal({signal.SIGHUP:d}, signal.SIG_DFL);"
        "import os, sys; from pathlib import Path; from shutthebox.cli import main;"
        "from shutthebox.owner import update;"
        f"update.FETCHED = Path({str(fetched)!r}); update.CARD = Path({str(fetched.parent)!r});"
        "os.geteuid = lambda: 0;"
        "sys.exit(main.main(sys.argv[1:]))"
    )
    with answering(http(b"half", "Content-Length: 1000"), then=itertools.repeat(b"")) as address:
        process = subprocess.Popen([sys.executable, "-c", program, "update", address])
        try:
            until(lambda: fetched.exists())
            process.send_signal(signal.SIGHUP)
            assert process.wait(20) == 128 + signal.SIGHUP
        finally:
            process.kill()
            process.wait()
    assert not fetched.exists()


def test_what_a_pulled_plug_has_left_is_removed(fetched: Path) -> None:
    fetched.touch()
    (fetched.parent / "old.raucb").touch()
    refused("update", fetched.parent / "old.raucb")
    assert not fetched.exists()
    script = Path(__file__).resolve().parents[3] / "packaging/image/root/usr/lib/shutthebox/card"
    assert "rm -rf /data/card/update.raucb" in script.read_text(), "and at every start of the card"


def test_only_root_may_write_the_card(card: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    said = "shutthebox: update: only root can write the card; run sudo shutthebox update ..."
    assert refused("update", card / "new.raucb", code=1) == said
    assert not (card / "asked").exists()


def test_an_update_leaves_room_for_the_memory(fetched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card's fourth partition may have little more than an update; then a match must still be kept."""
    free_mb = 66
    room = os.statvfs_result((4096, 4096, 1 << 20, free_mb << 8, free_mb << 8, 99, 99, 99, 0, 255))
    monkeypatch.setattr(os, "fstatvfs", lambda descriptor: room)
    with answering(http(bytes((2 << 20) + 1))) as address:
        said = refused("update", address)
    assert said.endswith("larger than 2 MiB, the most that fits here")
