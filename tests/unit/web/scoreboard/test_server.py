"""`shutthebox scoreboard`: the page for this machine alone, on the standard library's server."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.http_client import answering, ask

from shutthebox.cli.main import main
from shutthebox.web.http import PortError, listen
from shutthebox.web.scoreboard.folder import FOLDER_NAME
from shutthebox.web.scoreboard.server import ScoreboardServer


@pytest.fixture
def start(tmp_path: Path) -> Iterator[ScoreboardServer]:
    (tmp_path / "index.html").write_text("the scores")
    with answering(ScoreboardServer(listen(0), tmp_path)) as server:
        yield server


@pytest.fixture
def port(start: ScoreboardServer) -> int:
    return int(start.server_address[1])


def test_the_page_and_its_news(port: int, tmp_path: Path) -> None:
    response, body = ask(port)
    assert (response.status, body) == (200, b"the scores")
    assert response.headers["Content-Type"] == "text/html"
    assert response.headers["X-Frame-Options"] == "DENY"
    (tmp_path / "index.html").write_text("other scores")
    assert ask(port, If_Modified_Since=response.headers["Last-Modified"])[1] == b"other scores"
    assert ask(port, method="HEAD")[1] == b""


def test_a_box_at_rest(port: int, tmp_path: Path) -> None:
    (tmp_path / "index.html").unlink()
    response, body = ask(port)
    assert response.status == 404
    assert b"The box is at rest" in body


@pytest.mark.parametrize(
    "path",
    [
        "/.x.part",
        "/%2ex.part",
        "/index.html/x",
        "/%2e%2e/said.json",
        "//etc/passwd",
        "/rules/en/../../x.html",
        "/x",
    ],
)
def test_nothing_else_is_shown(port: int, path: str, tmp_path: Path) -> None:
    (tmp_path / ".x.part").write_text("half")
    assert ask(port, path)[0].status == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "box.local:{port}", ""])
def test_another_name_is_refused(port: int, host: str) -> None:
    """A page of another site can have its own name lead here."""
    assert ask(port, Host=host.format(port=port))[0].status == 403
    assert ask(port, Host=f"localhost:{port}")[0].status == 200


# -- the command -------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_serves_a_laptop(tmp_path: Path) -> None:
    """Style and rules are there too; only this machine reads them."""
    command = [sys.executable, "-m", "shutthebox", "scoreboard", "--port", "0", "--state", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline().rstrip("\n") for _ in range(2)]
            port = int(lines[0].rpartition(":")[2].rstrip("/"))
            assert "Zo speel je" in ask(port, "/rules/nl/pub.html")[1].decode()
        finally:
            process.kill()
    assert lines == [f"The scores are at http://127.0.0.1:{port}/", "Only this machine can read them."]


def test_another_server_gets_the_whole_folder(tmp_path: Path) -> None:
    config = tmp_path / "box.toml"
    config.write_text("[scoreboard]\non = false\n")
    command = ["scoreboard", "--write", "--config", str(config), "--state", str(tmp_path)]
    assert main(command) == 0
    assert not (tmp_path / FOLDER_NAME).exists(), "it is off"
    config.write_text("[scoreboard]\non = true\n")
    assert main(command) == 0
    assert (tmp_path / FOLDER_NAME / "rules" / "fr" / "trac.html").is_file()
    assert "data:image/svg" in (tmp_path / FOLDER_NAME / "style.css").read_text("utf-8")


@pytest.mark.parametrize(
    ("port", "complaint"),
    [
        (-1, "port -1: --port takes 0 (any free port) to 65535"),
        (65536, "port 65536: --port takes 0 (any free port) to 65535"),
        (65535, "--listen: 192.0.2.1 is not an address of this machine"),
    ],
)
def test_the_ports_that_there_are(port: int, complaint: str) -> None:
    with pytest.raises(PortError) as caught:
        listen(port, "192.0.2.1")
    assert str(caught.value) == complaint
