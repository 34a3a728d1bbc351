"""The exact lines of the live lever monitor: simulated contacts in virtual time."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from gpiozero import InputDevice
from gpiozero.exc import PinInvalidPin
from mock import Mock
from tests.support.command import command, refused
from tests.support.hands import Act, Hands

from shutthebox.cli.doctor.interactive import levers
from shutthebox.game.switches.debounce import WORN


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[box]\nlevers = 3\nsettle_ms = 60\n[store]\nfolder = "{tmp_path / "state"}"\n')
    return file


Watch = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def watch(config: Path, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """The command, with hands at the box: its exit code, and its lines."""

    def run(hands: Hands, *options: str) -> tuple[int, list[str]]:
        hands.hold(monkeypatch, levers)
        said = command("doctor", "--levers", "--config", config, *options)
        return said.code, said.out.splitlines()

    return run


def there_and_back(start_ms: int, *switches: int) -> list[Act]:
    """Each switch is moved there and back, one after the other, 100 ms for each way."""
    return [
        Act(start_ms + 200 * number + (0 if down else 100), switch, down)
        for number, switch in enumerate(switches)
        for down in (True, False)
    ]


@pytest.mark.parametrize(
    ("acts", "verdict", "code"),
    [
        ([], "FAIL  lever 3         never moved", 1),
        ([Act(810, 3, True)], "FAIL  lever 3         moved one way only", 1),
        (there_and_back(810, 3), "ok    lever 3         2 moves, 0 chatter", 0),
    ],
)
def test_one_bad_switch_is_a_fault(watch: Watch, acts: Sequence[Act], verdict: str, code: int) -> None:
    hands = Hands([*there_and_back(10, 1, 2, 0), *acts])
    found, lines = watch(hands, "--seconds", "3")
    assert found == code
    assert [line[:4] for line in lines[-4:-1]] == ["ok  "] * 3
    assert lines[-1] == verdict


@pytest.mark.parametrize(
    ("chatter", "verdict"),
    [(2 * WORN, "ok    lever 1         "), (2 * WORN + 1, "FAIL  lever 1         worn; ")],
)
def test_a_contact_is_worn_from_so_much_chatter_in_a_move(watch: Watch, chatter: int, verdict: str) -> None:
    there = [Act(10 + edge, 1, edge % 2 == 0) for edge in range(2 * WORN + 1)]
    back = [Act(200 + edge, 1, edge % 2 == 1) for edge in range(chatter - 2 * WORN + 1)]
    hands = Hands([*there, *back, Act(300, 1, False)])
    _, lines = watch(hands, "--seconds", "1")
    assert lines[-3] == f"{verdict}2 moves, {chatter} chatter"


def test_a_contact_that_never_settles_is_called_restless_also_when_it_rests_again(watch: Watch) -> None:
    chatters = [Act(10 + 50 * edge, 2, edge % 2 == 0) for edge in range(44)]
    code, lines = watch(Hands(chatters), "--seconds", "3")
    assert code == 1
    assert lines[-2] == "FAIL  lever 2         chatters; 0 moves, 43 chatter"


def test_a_line_that_something_else_has_is_said_and_the_others_are_watched(watch: Watch) -> None:
    hands = Hands(there_and_back(10, 1, 3, 0))
    other = InputDevice(hands.box.switch_lines[2], pin_factory=hands.box.factory)
    code, lines = watch(hands, "--seconds", "1")
    assert code == 1
    assert lines[-4].startswith("FAIL  lever 2         line taken: line 17: ")
    assert [line[:4] for line in lines[-3:]] == ["ok  "] * 3
    other.close()


def test_a_cut_wire_makes_no_edge_and_is_seen_within_a_quarter_of_a_second(watch: Watch) -> None:
    hands = Hands([Act(10, 2, True), Act(300, 2, False)])
    hands.box.lose_edges(1.0)
    _, lines = watch(hands, "--seconds", "1")
    assert [line for line in lines if "lever 2" in line] == [
        "   0.000 s  lever 2        up        0 moves      0 chatter",
        "   0.310 s  lever 2        down      1 moves      0 chatter",
        "   0.560 s  lever 2        up        2 moves      0 chatter",
        "ok    lever 2         2 moves, 0 chatter",
    ]


def test_a_lever_out_of_play_is_no_fault_and_one_that_is_not_there_is_not_named(
    watch: Watch, config: Path
) -> None:
    config.write_text(config.read_text().replace("levers = 3", "levers = 3\nout_of_play = [2]"))
    code, lines = watch(Hands(there_and_back(10, 1, 3, 0)), "--seconds", "1")
    assert code == 0
    assert lines[-4:] == [
        "ok    dice button     2 moves, 0 chatter",
        "ok    lever 1         2 moves, 0 chatter",
        "skip  lever 2         out of play; 0 moves, 0 chatter",
        "ok    lever 3         2 moves, 0 chatter",
    ]


@pytest.mark.parametrize(
    ("holder", "remedy"),
    [("shutthebox", "; a running box holds them: sudo systemctl stop shutthebox"), ("onewire@0", "")],
)
def test_whoever_has_all_lines_is_named_and_only_a_box_is_to_be_stopped(
    holder: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands([])
    busy = PinInvalidPin(f"GPIO12 is already in use by {holder!r}")
    monkeypatch.setattr(hands.box.factory, "pin", Mock(side_effect=busy))
    hands.hold(monkeypatch, levers)
    said = refused("doctor", "--levers", code=1)
    assert said == f"shutthebox: gpio: line 12: GPIO12 is already in use by {holder!r}{remedy}"


def test_ctrl_c_ends_with_the_summary(watch: Watch) -> None:
    code, lines = watch(Hands([Act(100, None)]))
    assert code == 1
    assert len([line for line in lines if "never moved" in line]) == 4
