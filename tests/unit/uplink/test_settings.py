"""A wrong file is one line: file, key, what is allowed."""

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
from shutthebox_uplink.uplink import tls_context


def test_an_enrolment_is_what_the_league_prints(tmp_path: Path) -> None:
    found = enrolled(tmp_path)
    assert (found.name, found.host) == ("lion.1", "127.0.0.1")
    assert tls_context(found).check_hostname


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text.replace("port = ", "port = -"), "league.port"),
        (lambda text: text.replace("host = ", "hast = "), "league.hast: unknown key"),
        (lambda text: text.replace('host = "127.0.0.1"\n', ""), "missing"),
        (lambda text: text.replace("PRIVATE KEY", "PUBLIC KEY"), "use Ed25519 keys"),
        (lambda text: text[:300], "toml"),
        (lambda text: text.replace('host = "127.0.0.1"', 'host = "a..b"'), "a name or an address"),
        (lambda text: text.replace('name = "lion.1"', 'name = "lion/#"'), "league.name: not allowed"),
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


def test_without_anything_to_do_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home-assistant", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith("shutthebox-uplink: nothing to do; ")
