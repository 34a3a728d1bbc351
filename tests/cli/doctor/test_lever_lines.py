"""The exact lines of the live lever monitor: simulated contacts in virtual time."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from gpiozero import InputDevice
from tests.support.hands import Act, Hands

from shutthebox.cli.doctor import levers
from shutthebox.cli.main import command_line, main
from shutthebox.game.switches.debounce import WORN


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[box]\nlevers = 3\nsettle_ms = 60\n[store]\nfolder = "{tmp_path / "state"}"\n')
    return file


class Monitor:
    """The command, with hands at the box."""

    def __init__(self, config: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._config, self._capsys, self._patch = config, capsys, patch

    def watch(self, hands: Hands, *options: str) -> tuple[int, list[str]]:
        """Its exit code, and its lines."""
        hands.hold(self._patch, levers)
        code = main(["doctor", "--levers", "--config", str(self._config), *options])
        return code, self._capsys.readouterr().out.splitlines()


@pytest.fixture
def monitor(config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Monitor:
    return Monitor(config, capsys, monkeypatch)


def there_and_back(start_ms: int, *switches: int) -> list[Act]:
    """Each switch is moved there and back, one after the other, 100 ms for each way."""
    return [
        Act(start_ms + 200 * number + (0 if down else 100), switch, down)
        for number, switch in enumerate(switches)
        for down in (True, False)
    ]


AT_FIRST = [
    "   0.000 s  dice button    up        0 moves      0 chatter",
    "   0.000 s  lever 1        up        0 moves      0 chatter",
    "   0.000 s  lever 2        up        0 moves      0 chatter",
    "   0.000 s  lever 3        up        0 moves      0 chatter",
]


def test_a_line_for_every_change_and_a_verdict_on_every_switch(monitor: Monitor) -> None:
    """A level counts when it has stood for the settle window: 60 ms, of the button 25."""
    assert monitor.watch(Hands(there_and_back(10, 1, 2, 3, 0)), "--seconds", "1") == (
        0,
        [
            *AT_FIRST,
            "   0.070 s  lever 1        down      1 moves      0 chatter",
            "   0.170 s  lever 1        up        2 moves      0 chatter",
            "   0.270 s  lever 2        down      1 moves      0 chatter",
            "   0.370 s  lever 2        up        2 moves      0 chatter",
            "   0.470 s  lever 3        down      1 moves      0 chatter",
            "   0.570 s  lever 3        up        2 moves      0 chatter",
            "   0.635 s  dice button    down      1 moves      0 chatter",
            "   0.735 s  dice button    up        2 moves      0 chatter",
            "dice button         2 moves      0 chatter  ok",
            "lever 1             2 moves      0 chatter  ok",
            "lever 2             2 moves      0 chatter  ok",
            "lever 3             2 moves      0 chatter  ok",
        ],
    )


def test_for_programs_every_line_is_an_object(monitor: Monitor) -> None:
    hands = Hands([Act(10, 0, True), Act(20, 0, False), Act(30, 0, True), Act(1000, None)], levers_down=[2])
    code, lines = monitor.watch(hands, "--json")
    assert code == 1
    assert [json.loads(line) for line in lines] == [
        *(
            {"t": 0.0, "switch": switch, "name": name, "down": down, "moves": 0, "chatter": 0,
             "chatters": False}
            for switch, name, down in (
                (0, "dice button", False), (1, "lever 1", False), (2, "lever 2", True), (3, "lever 3", False)
            )
        ),
        *(
            {"t": t_s, "switch": 0, "name": "dice button", "down": down, "moves": moves, "chatter": chatter,
             "chatters": False}
            for t_s, down, moves, chatter in ((0.02, False, 0, 1), (0.03, False, 0, 2), (0.055, True, 1, 2))
        ),
        {"switch": 0, "name": "dice button", "verdict": "moved one way only", "moves": 1, "chatter": 2},
        {"switch": 1, "name": "lever 1", "verdict": "never moved", "moves": 0, "chatter": 0},
        {"switch": 2, "name": "lever 2", "verdict": "never moved", "moves": 0, "chatter": 0},
        {"switch": 3, "name": "lever 3", "verdict": "never moved", "moves": 0, "chatter": 0},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("acts", "verdict", "code"),
    [
        ([], "never moved", 1),
        ([Act(810, 3, True)], "moved one way only", 1),
        (there_and_back(810, 3), "ok", 0),
        (there_and_back(810, 3, 3), "ok", 0),
    ],
)
def test_one_bad_switch_is_a_fault(monitor: Monitor, acts: Sequence[Act], verdict: str, code: int) -> None:
    hands = Hands([*there_and_back(10, 1, 2, 0), *acts])
    found, lines = monitor.watch(hands, "--seconds", "3")
    assert found == code
    assert [line.rpartition("  ")[2] for line in lines[-4:]] == ["ok", "ok", "ok", verdict]


@pytest.mark.parametrize(("chatter", "verdict"), [(2 * WORN, "ok"), (2 * WORN + 1, "worn")])
def test_a_contact_is_worn_from_so_much_chatter_in_a_move(
    monitor: Monitor, chatter: int, verdict: str
) -> None:
    there = [Act(10 + edge, 1, edge % 2 == 0) for edge in range(2 * WORN + 1)]
    back = [Act(200 + edge, 1, edge % 2 == 1) for edge in range(chatter - 2 * WORN + 1)]
    hands = Hands([*there, *back, Act(300, 1, False)])
    _, lines = monitor.watch(hands, "--seconds", "1")
    assert lines[-3] == f"lever 1             2 moves {chatter:6} chatter  {verdict}"


def test_a_contact_that_never_settles_is_called_restless_also_when_it_rests_again(monitor: Monitor) -> None:
    chatters = [Act(10 + 50 * edge, 2, edge % 2 == 0) for edge in range(44)]
    code, lines = monitor.watch(Hands(chatters), "--seconds", "3")
    assert code == 1
    (first, *_), said = (lines, [line for line in lines if line.endswith("chatters")])
    assert first == AT_FIRST[0]
    assert said == [
        "   2.010 s  lever 2        up        0 moves     40 chatter  chatters",
        "   2.060 s  lever 2        up        0 moves     41 chatter  chatters",
        "   2.110 s  lever 2        up        0 moves     42 chatter  chatters",
        "   2.160 s  lever 2        up        0 moves     43 chatter  chatters",
    ]
    assert "   2.220 s  lever 2        up        0 moves     43 chatter" in lines, "it rests"
    assert lines[-2] == "lever 2             0 moves     43 chatter  chatters without a rest"


def test_a_cut_wire_makes_no_edge_and_is_seen_within_a_quarter_of_a_second(monitor: Monitor) -> None:
    hands = Hands([Act(10, 2, True), Act(300, 2, False)])
    hands.box.lose_edges(1.0)
    _, lines = monitor.watch(hands, "--seconds", "1")
    assert [line for line in lines if "lever 2" in line] == [
        AT_FIRST[2],
        "   0.310 s  lever 2        down      1 moves      0 chatter",
        "   0.560 s  lever 2        up        2 moves      0 chatter",
        "lever 2             2 moves      0 chatter  ok",
    ]


@pytest.mark.parametrize("late_ms", [200, 500])
def test_edges_that_wait_are_taken_in_before_anything_settles(monitor: Monitor, late_ms: int) -> None:
    """On a busy Pi: down and up again within the window is no move, however late it is read."""
    hands = Hands([Act(10, 1, True, late_ms), Act(20, 1, False)])
    _, lines = monitor.watch(hands, "--seconds", "1")
    assert [line for line in lines if "lever 1" in line] == [
        AT_FIRST[1],
        f"{0.01 + late_ms / 1000:8.3f} s  lever 1        up        0 moves      1 chatter",
        "lever 1             0 moves      1 chatter  never moved",
    ]


def test_on_a_terminal_the_table_is_drawn_over_itself(
    monitor: Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    _, lines = monitor.watch(Hands([Act(10, 2, True)]), "--seconds", "0.5")

    def table(lever_2: str) -> list[str]:
        still = "up        0 moves      0 chatter"
        rows = (("dice button", still), ("lever 1", still), ("lever 2", lever_2), ("lever 3", still))
        return [f"{name:14} {row}\x1b[K" for name, row in rows]

    first, *rest = table("down      1 moves      0 chatter")
    assert lines[:8] == [*table("up        0 moves      0 chatter"), f"\x1b[4A{first}", *rest]
    assert lines[8:] == [
        "dice button         0 moves      0 chatter  never moved",
        "lever 1             0 moves      0 chatter  never moved",
        "lever 2             1 moves      0 chatter  moved one way only",
        "lever 3             0 moves      0 chatter  never moved",
    ]


def test_for_programs_nothing_is_drawn_over_on_a_terminal(
    monitor: Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    _, lines = monitor.watch(Hands([Act(10, 2, True)]), "--seconds", "0.5", "--json")
    assert [json.loads(line)["switch"] for line in lines] == [0, 1, 2, 3, 2, 0, 1, 2, 3]


@pytest.mark.parametrize("seconds", [0.3, 2.0])
def test_it_ends_when_it_was_asked_to(monitor: Monitor, seconds: float) -> None:
    hands = Hands([])
    monitor.watch(hands, "--seconds", str(seconds))
    assert hands.passed_s == seconds


@pytest.mark.parametrize(("seconds", "allowed"), [("0", False), ("86400", True), ("86400.5", False)])
def test_how_long_it_can_take(seconds: str, allowed: bool) -> None:
    parser, _ = command_line(["doctor"])
    words = ["doctor", "--levers", f"--seconds={seconds}"]
    if allowed:
        assert parser.parse_args(words).seconds == float(seconds)
    else:
        with pytest.raises(SystemExit):
            parser.parse_args(words)


def test_a_lever_out_of_play_is_no_fault_and_one_that_is_not_there_is_not_named(
    monitor: Monitor, config: Path
) -> None:
    config.write_text(config.read_text().replace("levers = 3", "levers = 3\nout_of_play = [2]"))
    code, lines = monitor.watch(Hands(there_and_back(10, 1, 3, 0)), "--seconds", "1")
    assert code == 0
    assert lines[-4:] == [
        "dice button         2 moves      0 chatter  ok",
        "lever 1             2 moves      0 chatter  ok",
        "lever 2             0 moves      0 chatter  out of play",
        "lever 3             2 moves      0 chatter  ok",
    ]


def test_the_pins_are_let_go_before_their_factory_is_closed(
    monitor: Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands([])
    factory, listening = hands.box.factory, []
    close = factory.close

    def closes() -> None:
        listening.append([pin for pin in factory.pins.values() if pin.when_changed is not None])
        close()

    monkeypatch.setattr(factory, "close", closes)
    monitor.watch(hands, "--seconds", "0.3")
    assert listening == [[]]
    assert not factory.pins


def test_a_line_that_somebody_has_is_said_with_the_remedy(
    monitor: Monitor, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands([])
    with InputDevice(17, pin_factory=hands.box.factory):
        hands.hold(monkeypatch, levers)
        assert main(["doctor", "--levers"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("shutthebox: gpio: line 17: pin GPIO17 is already in use by <")
    assert said.err.endswith(">; a running box has them: sudo systemctl stop shutthebox\n")
