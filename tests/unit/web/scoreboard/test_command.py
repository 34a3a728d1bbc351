"""`shutthebox scoreboard`: the files that any web server can show."""

import re
import shlex
import subprocess
import time
from pathlib import Path

from tests.support.command import printed
from tests.support.http_client import ask
from tests.support.mosquitto import free_port
from tests.support.waiting import HANG_S

from shutthebox.web.scoreboard.folder import FOLDER_NAME, PORT


def test_a_scoreboard_that_is_off_leaves_nothing(tmp_path: Path) -> None:
    config = tmp_path / "box.toml"
    config.write_text("[scoreboard]\non = false\n")
    assert "off" in printed("scoreboard", "--config", config, "--state", tmp_path)
    assert not (tmp_path / FOLDER_NAME).exists()


def test_the_line_that_it_prints_shows_style_and_rules_to_this_machine(tmp_path: Path) -> None:
    (state := tmp_path / "a pub's box").mkdir()
    config = tmp_path / "box.toml"
    config.write_text("[scoreboard]\non = true\n")
    _, said, line = printed("scoreboard", "--config", config, "--state", state).splitlines()
    assert f"http://127.0.0.1:{PORT}/" in said
    assert "--bind 127.0.0.1" in line
    port = free_port()
    command = shlex.split(re.sub(rf" {PORT}$", f" {port}", line))
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            until_s = time.monotonic() + HANG_S
            while True:
                try:
                    rules, style = ask(port, "/rules/nl/pub.html")[1], ask(port, "/style.css")[1]
                    break
                except ConnectionRefusedError:
                    assert time.monotonic() < until_s
                    time.sleep(0.05)
        finally:
            server.kill()
    assert "Zo speel je" in rules.decode()
    assert b"data:image/svg" in style
    assert (state / FOLDER_NAME / "rules" / "fr" / "trac.html").is_file()
