"""A wrong file is one line: file, key, what is allowed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.league import enrolled

from shutthebox.outbox_entry import UPLINK_STATUS_FILE, DeliveryState, UplinkStatus, uplink_status
from shutthebox_uplink.main import main
from shutthebox_uplink.settings import (
    HomeAssistant,
    SettingsError,
    find_enrolment,
    read_enrolment,
    read_home_assistant,
)


def test_an_enrolment_is_what_the_league_prints(tmp_path: Path) -> None:
    found = enrolled(tmp_path)
    assert (found.name, found.ca) == ("lion.1", None)
    assert found.url.startswith("http://127.0.0.1:")


def changed(key: str, value: str) -> Callable[[str], str]:
    """An enrolment with another value, as TOML."""
    return lambda text: re.sub(f"(?m)^{key} = .*", lambda _: f"{key} = {value}", text)


@pytest.mark.parametrize(
    "url",
    [
        "https://league.example", "https://league.example:8443/at/home/", "https://8.8.8.8", "https://[2001:db8::7]",
        "http://localhost:8080", "http://127.0.0.1", "http://127.8.9.1:1", "http://10.0.0.7", "http://192.168.1.5:81",
        "http://172.31.0.1", "http://169.254.7.7", "http://[::1]", "http://[fd00::7]:80", "http://[fe80::1]",
    ],
)  # fmt: skip
def test_an_address_for_which_the_signatures_are_enough(tmp_path: Path, url: str) -> None:
    enrolled(tmp_path)
    path = tmp_path / "lion.toml"
    path.write_text(changed("url", f'"{url}"')(path.read_text()))
    assert read_enrolment(path).url == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        "http://league.example", "http://8.8.8.8", "http://172.32.0.1", "http://192.169.1.1", "http://100.64.0.1",
        "http://[2001:db8::7]", "http://[::ffff:8.8.8.8]", "http://0.0.0.0", "http://2130706433", "http://0x7f.1",
        "http://127.1", "http://127.0.0.1.league.example", "http://127.0.0.1@league.example", "http://localhost.evil",
        "http://league.example#@127.0.0.1", "http://127.0.0.1\\\\@league.example", "ftp://127.0.0.1", "x",
        "https://", "https://league.example:0", "https://league.example:65536", "https://a b", "https://x/../y?z",
        "https://me:secret@league.example", "https://league.example\\n", "https://[::1", "https://1.2.3.4.5",
    ],
)  # fmt: skip
def test_an_address_that_others_could_read_along_is_refused(tmp_path: Path, url: str) -> None:
    enrolled(tmp_path)
    path = tmp_path / "lion.toml"
    path.write_text(changed("url", f'"{url}"')(path.read_text()))
    with pytest.raises(
        SettingsError, match=r"league\.url: not allowed; use an address such as https://"
    ) as raised:
        read_enrolment(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (changed("url", "7"), "league.url"),
        (lambda text: text.replace("url = ", "ural = "), "league.ural: unknown key"),
        (lambda text: re.sub("(?m)^url = .*\n", "", text), "league.url: missing"),
        (lambda text: text.replace("PRIVATE KEY", "PUBLIC KEY"), "use Ed25519 keys"),
        (lambda text: text[:300], "toml"),
        (changed("name", '"lion/#"'), "league.name: not allowed"),
        (lambda text: text + 'ca = "/etc/passwd"\n', "league.ca: not allowed"),
        (lambda text: text + 'ca = ".."\n', "league.ca: not allowed"),
        (lambda text: text.replace("key = ", "key = [").replace('KEY-----\\n"', 'KEY-----\\n"]'), "key"),
    ],
)
def test_a_wrong_enrolment(tmp_path: Path, change, complaint: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    enrolled(tmp_path)
    path = tmp_path / "lion.toml"
    path.write_text(change(path.read_text()))
    with pytest.raises(SettingsError) as raised:
        read_enrolment(path)
    assert str(path) in str(raised.value)
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "PRIVATE" not in str(raised.value)


def test_a_comment_is_no_enrolment(tmp_path: Path) -> None:
    path = tmp_path / "enrolment"
    path.write_text("# none")
    assert find_enrolment(path) is None
    enrolled(tmp_path)
    assert find_enrolment(tmp_path / "lion.toml") is not None


def test_home_assistants_broker(tmp_path: Path) -> None:
    path = tmp_path / "home.toml"
    assert read_home_assistant(path) is None
    path.write_text("[home_assistant]\n")
    assert read_home_assistant(path) is None
    path.write_text('[home_assistant]\nhost = "ha.lan"\nusername = "box"\n')
    assert read_home_assistant(path) == HomeAssistant("ha.lan", username="box")
    path.write_text('[home_assistant]\nhost = "ha.lan"\nport = true\n')
    with pytest.raises(SettingsError, match=r"home_assistant\.port.*1 to 65535"):
        read_home_assistant(path)
    path.write_text('[home_assistant]\nhost = "ha.lan"\npassword = 271828\n')
    with pytest.raises(SettingsError, match="password: not allowed") as raised:
        read_home_assistant(path)
    assert "271828" not in str(raised.value)


def test_a_certificate_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "home.toml"
    path.write_text('[home_assistant]\nhost = "ha.lan"\nauthority = "/nowhere.pem"\n')
    assert main(["--home-assistant", str(path), "--outbox", str(tmp_path)]) == 2
    line = "home_assistant.authority: /nowhere.pem: No such file or directory"
    assert capsys.readouterr().err == f"shutthebox-uplink: {line}\n"
    assert uplink_status((tmp_path / UPLINK_STATUS_FILE).read_text()) == UplinkStatus(
        DeliveryState.OTHER, line
    ), "the box hears of it, too"


def test_an_authority_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    enrolled(tmp_path)
    path = tmp_path / "lion.toml"
    text = changed("url", '"https://league.example"')(path.read_text())
    for content, line in (
        (None, "league.ca: /etc/shutthebox/nowhere.pem: No such file or directory"),
        ("x", f"league.ca: {tmp_path}/nowhere.pem: "),
    ):
        path.write_text(f'{text}ca = "nowhere.pem"\n')
        if content is not None:
            (tmp_path / "nowhere.pem").write_text(content)
        assert main(["--enrolment", str(path), "--outbox", str(tmp_path), "--home-assistant", "none"]) == 2
        assert capsys.readouterr().err.startswith(f"shutthebox-uplink: {line}")
        assert uplink_status((tmp_path / UPLINK_STATUS_FILE).read_text()).line.startswith(line)


def test_without_anything_to_do_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home-assistant", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith("shutthebox-uplink: nothing to do; ")
