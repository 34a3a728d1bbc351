"""The lines of the scenario format: what each means, and where exactly the bounds are."""

from fractions import Fraction
from pathlib import Path

import pytest

from shutthebox.game.mode import Mode
from shutthebox.simulator.scenario.expectations import Expect
from shutthebox.simulator.scenario.script import MAX_WORK, ScenarioError, parse, read
from shutthebox.simulator.scenario.verbs import (
    Bounce,
    Flip,
    Glitch,
    Hold,
    Lift,
    LoseEdges,
    PlugOled,
    PowerCut,
    Press,
    QueueDice,
    SetButton,
    Verb,
    Wait,
)

MS = 1_000_000
S = 1_000 * MS
HOUR = 3600 * S
LEVERS = tuple(range(1, 55))

VERBS: dict[str, Verb] = {
    "dice 3 5": QueueDice(((3, 5),)),
    "dice 3 5 | 6 |1 1 1": QueueDice(((3, 5), (6,), (1, 1, 1))),
    "dice 1 180": QueueDice(((1, 180),)),
    "press": Press(),
    "hold": Hold(S),
    "hold 10.5": Hold(10_500 * MS),
    "button down": SetButton(True),
    "button up": SetButton(False),
    "flip 1": Flip((1,)),
    f"flip {' '.join(map(str, LEVERS))}": Flip(LEVERS),
    "lift 9 2": Lift((9, 2)),
    "bounce 1 down 12ms": Bounce(1, True, 12 * MS),
    "bounce 54 up 0": Bounce(54, False, 0),
    "glitch 1 200us": Glitch(1, 200_000),
    "glitch 54 1ns": Glitch(54, 1),
    "lose-edges 0": LoseEdges(0.0),
    "lose-edges 0.123456789": LoseEdges(0.123456789),
    "lose-edges 1": LoseEdges(1.0),
    "lose-edges 1.0": LoseEdges(1.0),
    "oled off": PlugOled(False),
    "oled on": PlugOled(True),
    "power-cut": PowerCut(),
    "wait 0": Wait(0),
    "wait 2": Wait(2 * S),
    "wait 2s": Wait(2 * S),
    "wait 0.000000001": Wait(1),
    "wait 0.000000001s": Wait(1),
    "wait 1.5ms": Wait(1_500_000),
    "wait 1.4us": Wait(1_400),
    "wait 1.4ns": Wait(1),
    "+0 wait 360000": Wait(100 * HOUR),
    "wait 999999999us": Wait(999_999_999_000),
    "expect mode flipping": Expect("mode", Mode.FLIPPING),
    "expect player 1": Expect("player", 1),
    "expect player 9": Expect("player", 9),
    "expect open": Expect("open", ()),
    "expect open -": Expect("open", ()),
    "expect open 54 1 12": Expect("open", (1, 12, 54)),
    "expect verdict ok": Expect("verdict", "ok"),
    "expect verdict missing 0": Expect("verdict", "missing 0"),
    "expect verdict over 1000000000": Expect("verdict", "over 1000000000"),
    "expect score 1 0": Expect("score", (1, 0)),
    "expect score 9 100000000000000000": Expect("score", (9, 10**17)),
    "expect total 2 45": Expect("total", (2, 45)),
    "expect owes 1 2": Expect("owes", (1, Fraction(2))),
    "expect owes 9 -0.5": Expect("owes", (9, Fraction(-1, 2))),
    "expect owes 2 1/3": Expect("owes", (2, Fraction(1, 3))),
    "expect winner 3 1": Expect("winner", (1, 3)),
    "expect throw": Expect("throw", None),
    "expect throw -": Expect("throw", None),
    "expect throw 5 3": Expect("throw", (5, 3)),
    'expect text "a"': Expect("text", "a"),
    'expect text "# 4 to  go"': Expect("text", "# 4 to go"),
    "expect panel x": Expect("panel", "x"),
    f"expect panel {'aZ0-_' * 12 + 'four'}": Expect("panel", "aZ0-_" * 12 + "four"),
}


BEYOND = {
    "dice 181": "dice: '181' is no face; allowed is 1 to 180",
    "dice 1 0": "dice: '0' is no face; allowed is 1 to 180",
    "dice | 3": "dice: an empty throw; allowed is: dice 3 5 | 6",
    "button": "button: allowed is: button down|up",
    "button left": "button: 'left'; allowed are down and up",
    "flip 55": "flip: '55' is no lever; allowed is 1 to 54",
    "flip 1 2 3 2 1": "flip: lever 1 is named twice; once is allowed",
    "lift": "lift: at least 1 lever",
    "bounce 0 down 1": "bounce: '0' is no lever; allowed is 1 to 54",
    "bounce 55 down 1": "bounce: '55' is no lever; allowed is 1 to 54",
    "glitch 0 1": "glitch: '0' is no lever; allowed is 1 to 54",
    "glitch 55 1": "glitch: '55' is no lever; allowed is 1 to 54",
    "lose-edges": "lose-edges: allowed is: lose-edges 0.02",
    "lose-edges 1.000000001": "lose-edges: '1.000000001' is no fraction; allowed is 0 to 1",
    "lose-edges 0.0123456789": "lose-edges: '0.0123456789' is no fraction; allowed is 0 to 1",
    "lose-edges .5": "lose-edges: '.5' is no fraction; allowed is 0 to 1",
    "oled": "oled: allowed is: oled off|on",
    "wait 360000.000000001": "wait: '360000.000000001' is too long; allowed are up to 100 hours",
    "wait 1234567890ns": "wait: '1234567890ns' is no duration; allowed are seconds like 1.5, or 12ms, 200us",
    "wait 1.": "wait: '1.' is no duration; allowed are seconds like 1.5, or 12ms, 200us",
    "wait 1.0123456789": "wait: '1.0123456789' is no duration; allowed are seconds like 1.5, or 12ms, 200us",
    "seed": "seed: allowed is: seed N",
    "seed 9223372036854775808": "seed: '9223372036854775808' is no seed; allowed is 0 to 9223372036854775807",
    "seed -1": "seed: '-1' is no seed; allowed is 0 to 9223372036854775807",
    "expect player 0": "expect: '0' is no player; allowed is 1 to 9",
    "expect player": "expect: allowed is: expect player N",
    "expect open 55": "expect: '55' is no tile; allowed is 1 to 54",
    "expect open 0": "expect: '0' is no tile; allowed is 1 to 54",
    "expect verdict": "expect: '' is no verdict; allowed are ",
    "expect verdict over -1": "expect: '-1' is no number; allowed is 0 to 1000000000",
    "expect verdict over 1000000001": "expect: '1000000001' is no number; allowed is 0 to 1000000000",
    "expect score 0 1": "expect: '0' is no player; allowed is 1 to 9",
    "expect score 10 1": "expect: '10' is no player; allowed is 1 to 9",
    "expect score 1 -1": "expect: '-1' is no score; allowed is 0 to 100000000000000000",
    "expect total 1 100000000000000001": "expect: '100000000000000001' is no score; allowed is 0 to ",
    "expect owes 0 1": "expect: '0' is no player; allowed is 1 to 9",
    "expect owes 10 1": "expect: '10' is no player; allowed is 1 to 9",
    "expect owes 1": "expect: allowed is: expect owes PLAYER STAKES",
    "expect owes 1 1234567": "expect: '1234567' is no number of stakes; allowed are 2, -4, 0.5, 1/3",
    "expect winner 0": "expect: '0' is no player; allowed is 1 to 54",
    "expect throw 0": "expect: '0' is no face; allowed is 1 to 180",
    'expect text ""': 'expect: allowed is: expect text "WORDS"',
    'expect text "a': 'expect: allowed is: expect text "WORDS"',
    'expect text a"': 'expect: allowed is: expect text "WORDS"',
    "expect panel": "expect: allowed is: expect panel NAME",
    f"expect panel {'x' * 65}": f"expect: '{'x' * 36}...; allowed are letters, digits, - and _",
    "config game.players": "config: allowed is: config KEY VALUE",
    "+": "+: '' is no duration; allowed are seconds like 1.5, or 12ms, 200us",
    "+5": "+5: allowed are config, seed, dice, ",
    "@360001 press": "press: '360001' is too long; allowed are up to 100 hours",
    "x" * 60: f"{'x' * 40}: allowed are config, seed, dice, press, ",
}


@pytest.mark.parametrize("line", BEYOND, ids=lambda line: line[:40])
def test_a_line_beyond_the_bounds_says_which_are_allowed(line: str) -> None:
    with pytest.raises(ScenarioError) as wrong:
        parse(f"press\n{line}", "script")
    assert str(wrong.value).startswith(f"script:2: {BEYOND[line]}")
    assert wrong.value.exit_code == 2


@pytest.mark.parametrize(
    ("line", "work"),
    [
        ("press", 1),
        ("hold 5", 1),
        ("button up", 1),
        ("flip 1 2 3 4 5", 5),
        ("lift 1 2", 2),
        ("bounce 1 up 5ms", 1),
        ("power-cut", 50),
        ("expect mode ready", 1),
        ("expect panel x", 50),
        ("wait 1ns", 1),
        ("dice 3 5", 1),
        ("seed 3", 1),
        ("config game.players 2", 1),
    ],
)
def test_a_script_may_do_so_much_and_no_more(line: str, work: int) -> None:
    assert MAX_WORK == 50_000
    most = "\n".join([line, *["power-cut"] * 999, *["dice 6"] * (50 - work)])
    parse(most, "script")
    with pytest.raises(ScenarioError, match="too much to do; allowed are 50000 steps in all"):
        parse(f"{most}\ndice 6", "script")


@pytest.mark.parametrize(
    "lines",
    [
        "wait 359999.5",
        "@360000 flip 1",
        "@359999.9 press",
        "@359995 hold 5",
        "@359999 bounce 1 up 1",
        "@359999 glitch 1 1",
        "wait 359990\n+9 flip 1\n+0.5 flip 1",
        "wait 359999\n@0 flip 1",  # too late for the box, but not for the reader
    ],
)
def test_a_script_may_take_100_hours_and_no_more(lines: str) -> None:
    parse(lines, "script")
    with pytest.raises(ScenarioError, match="too late; allowed are up to 100 hours in all"):
        parse(f"{lines}\n+0.500000001 flip 1\n+0.5 flip 1", "script")


def test_a_file_may_be_so_long_and_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "long.scn"
    path.write_text(
        "press\n" + "#".rjust(1023, " ") + "\n" + ("#" * 1023 + "\n") * 1022 + "#" * 1018, "utf-8"
    )
    assert path.stat().st_size == 1024 * 1024
    assert [line.verb for line in read(path).lines] == [Press()]
    assert read(path).where == str(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("#")
    with pytest.raises(ScenarioError) as wrong:
        read(path)
    assert str(path) in str(wrong.value)
