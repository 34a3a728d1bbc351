"""The scoreboard as the pub sees it: the real lighttpd with our configuration, and all who speak to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.http_client import answer_to
from tests.support.lighttpd import LACKING, Lighttpd, lighttpd

from shutthebox.config.profiles import builtin
from shutthebox.web.scoreboard.folder import FOLDER_NAME, PLAY, InATab, ScoreboardFolder

pytestmark = pytest.mark.skipif(bool(LACKING), reason=str(LACKING))


@pytest.fixture(scope="module")
def folder(evening: Path) -> Path:
    """The finished files of a box."""
    folder = evening / FOLDER_NAME
    ScoreboardFolder(folder).write_lasting([builtin("trac")], "http://box.local:8090/")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lighttpd]:
    with lighttpd(folder, tmp_path_factory.mktemp("lighttpd"), "box.pub.lan|scores.lan") as server:
        yield server


@pytest.mark.parametrize(
    ("path", "kind", "has"),
    [
        ("/", "text/html", b"All time"),
        ("/index.html", "text/html", b"&lt;B&gt;"),
        ("/style.css", "text/css", b"body {"),
        ("/scores.json", "application/json", b'"running"'),
        ("/rules/fr/trac.html", "text/html", b"Comment jouer"),
    ],
)
def test_what_it_shows(server: Lighttpd, path: str, kind: str, has: bytes) -> None:
    response, body = server.ask(path)
    assert response.status == 200
    assert response.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert has in body


@pytest.mark.parametrize("path", ["/", "/nothing", "/style.css", "/rules/en/trac.html"])
def test_no_other_page_frames_or_reads_it(server: Lighttpd, path: str) -> None:
    headers = server.ask(path)[0].headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Server" not in headers


def test_news_are_asked_for_by_their_tag(server: Lighttpd, folder: Path) -> None:
    """A visitor who has the page gets no second one, and sees a new one at once."""
    tag = server.ask()[0].headers["ETag"]
    response, body = server.ask(If_None_Match=tag)
    assert (response.status, body) == (304, b"")
    page = (folder / "index.html").read_bytes()
    (folder / "new").write_bytes(page.replace(b"All time", b"All news"))
    (folder / "new").replace(folder / "index.html")
    response, body = server.ask(If_None_Match=tag)
    assert response.status == 200
    assert b"All news" in body
    (folder / "index.html").write_bytes(page)


def test_a_box_at_rest_says_so(tmp_path: Path) -> None:
    """Its folder is gone with it; when it plays again, so does the page."""
    (tmp_path / "conf").mkdir()
    folder = tmp_path / FOLDER_NAME
    with lighttpd(folder, tmp_path / "conf") as server:
        response, body = server.ask()
        assert response.status == 404
        assert "La boîte se repose" in body.decode()
        assert b"The box is at rest" not in server.ask("/nothing")[1]
        folder.mkdir()
        (folder / "index.html").write_text("it plays")
        assert server.ask()[1] == b"it plays"


@pytest.mark.parametrize(
    "path",
    [
        "/box.sqlite3",
        "/../said.json",
        "/../box.sqlite3",
        "//etc/passwd",
        "/rules/en/",
        "/.shutthebox-0.part",
        "/.hidden.html",
        "/%2ehidden.html",
        "/.git/hidden.html",
        "/rules/.hidden.html",
        "/index.html/",
        "/scores.json/nothing",
        "/rules/fr/trac.html/nothing.html",
        "/nothing",
    ],
)
def test_nothing_else_is_shown(server: Lighttpd, folder: Path, path: str) -> None:
    (folder / ".git").mkdir(exist_ok=True)
    for name in (".shutthebox-0.part", ".hidden.html", ".git/hidden.html", "rules/.hidden.html"):
        (folder / name).write_text("half")
    response, body = server.ask(path)
    assert response.status in (400, 403, 404)
    assert b"half" not in body
    assert b"trac" not in body


def test_a_link_is_not_followed(server: Lighttpd, folder: Path) -> None:
    (folder / "link.html").symlink_to("/etc/passwd")
    assert server.ask("/link.html")[0].status in (403, 404)
    (folder / "link.html").unlink()


@pytest.fixture
def tab(folder: Path, tmp_path: Path) -> Iterator[Path]:
    """The box in a tab, offered to guests."""
    (tmp_path / "pyodide").mkdir()
    for name in ("index.html", "worker.js", "pyodide/pyodide.mjs", "pyodide/python.wasm", "box.zip"):
        (tmp_path / name).write_text(name)
    ScoreboardFolder(folder, InATab(9, tmp_path)).write_lasting([builtin("trac")], "http://box.local:8090/")
    yield tmp_path
    (folder / PLAY).unlink()


@pytest.mark.usefixtures("tab")
@pytest.mark.parametrize(
    ("path", "kind", "shown"),
    [
        ("/play/?game=trac&players=2", "text/html; charset=utf-8", "index.html"),
        ("/play/worker.js", "text/javascript; charset=utf-8", "worker.js"),
        ("/play/pyodide/python.wasm", "application/wasm", "pyodide/python.wasm"),
    ],
)
def test_guests_find_the_box_in_a_tab_where_it_is_offered(
    server: Lighttpd, path: str, kind: str, shown: str
) -> None:
    response, body = server.ask(path)
    assert (response.status, response.headers["Content-Type"], body.decode()) == (200, kind, shown)


@pytest.mark.parametrize(
    "path",
    [
        "/play/pyodide/",
        "/play/../.shutthebox-0.part",
        "/play/%2e%2e/%2e%2e/etc/passwd",
        "/play/worker.js/x",
        "/play/.hidden.js",
    ],
)
def test_a_guest_gets_nothing_else_there(server: Lighttpd, tab: Path, path: str) -> None:
    (tab / ".hidden.js").touch()
    assert server.ask(path)[0].status in (400, 403, 404)
    assert server.ask("/play/", "POST")[0].status >= 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "DICE"])
def test_nothing_can_be_done(server: Lighttpd, folder: Path, method: str) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    response, body = server.ask("/", method)
    assert response.status >= 400
    assert b"All time" not in body
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "box.evil.example",
        "boxylan",
        "box.pub.lan.evil.example:{port}",
        "pub.lan",
    ],
)
def test_another_name_is_refused(server: Lighttpd, host: str) -> None:
    response, body = server.ask(Host=host.format(port=server.port))
    assert response.status == 403
    assert b"only by a name of the box" in body


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:{port}", "192.168.1.5:{port}", "[fe80::1]:{port}", "localhost:{port}", "box", "BOX:{port}",
        "box.local:{port}", "box.lan:{port}", "box.pub.lan:{port}", "scores.lan",
    ],
)  # fmt: skip
def test_a_box_knows_its_addresses_and_names(server: Lighttpd, host: str) -> None:
    assert server.ask(Host=host.format(port=server.port))[0].status == 200


@pytest.mark.parametrize(
    "said",
    [
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: box\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: box\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: box\r\nContent-Length: 99999999999\r\n\r\n",
        b"<b>" * 10 + b" / HTTP/1.1\r\nHost: box\r\n\r\n",
    ],
    ids=lambda said: said[:12].decode("latin-1"),
)
def test_nonsense_is_refused_without_an_echo(server: Lighttpd, said: bytes) -> None:
    answer = answer_to(server.port, said, ends=True)
    # What has been refused before all of it was read may be lost with the connection.
    assert answer == b"" or answer.split()[1].startswith((b"4", b"5"))
    assert b"<b>" not in answer
    assert server.ask()[0].status == 200
