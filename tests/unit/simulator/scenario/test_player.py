"""The player of scenarios: its lines of JSON, whom it tells, and when each line of a script is played."""

import json
import re
from fractions import Fraction

import pytest
from tests.support.box import MS
from tests.support.shows import plain_show

from doctools import reference
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Keep, PlaySound, Sound
from shutthebox.game.facts import Began, Chosen, Fact, Faulted, Finished, PlayersLeft, Signed
from shutthebox.game.judge import Verdict, VerdictKind
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.rules.actions import Advanced, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.position import Reason, Result
from shutthebox.simulator.scenario.effect_lines import as_json, fact_text

PUB = begin(builtin("pub"), 3)
DONE = PUB._replace(result=Result((0, 2), False, (Fraction(0),) * 3, Reason.ROUNDS))
NOBODY = PUB._replace(result=Result((), False, (Fraction(1),) * 3, Reason.LIMIT))
FACTS: dict[str, Fact] = {
    "begin pub 3 players 1 rounds": Began(PUB),
    "begin jouhet 2 players 5 rounds": Began(begin(builtin("jouhet"), 2)._replace(rounds=5)),
    "leave": PlayersLeft(),
    "finish 1 3": Finished(DONE),
    "finish ": Finished(NOBODY),
    "sign 3 ANN": Signed(2, "ANN"),
    "choose box.sound False": Chosen("box.sound", False),
    "choose game.players None": Chosen("game.players", None),
    "fault lever: 3 is stuck": Faulted("lever", "3 is stuck"),
    "throw 3+5": Thrown((3, 5)),
    "shut 1,7": Moved(0b1000001),
    "open 4": Reopened(4),
    "time": OutOfTime(),
    "next": Advanced(),
}


@pytest.mark.parametrize("text", FACTS)
def test_a_fact_is_one_line(text: str) -> None:
    assert fact_text(FACTS[text]) == text
    line = json.loads(as_json(Keep(FACTS[text]), 1_500 * MS))
    assert line == {"t": 1.5, "kind": "record", "fact": text}


def test_a_show_and_a_sound_have_all_their_values() -> None:
    screen = Screen(Mode.FLIPPING, "Player 2", "Round 1", prompt="Würfel")
    missing = Verdict(VerdictKind.MISSING, amount=5)
    show = plain_show(
        screen, player=2, open=(1, 5, 9), throw=(3, 5), verdict=missing, scores=(None, 12), totals=(0, 45),
        owes=(Fraction(1, 2), Fraction(-1, 2)), winners=(2,), asleep=True, seats=("Ann", "Bob"),
    )  # fmt: skip
    text = as_json(show, 12_345_678_900)
    assert json.loads(text) == {
        "t": 12.3456789,
        "kind": "show",
        "mode": "flipping",
        "player": 2,
        "open": [1, 5, 9],
        "throw": [3, 5],
        "verdict": "missing 5",
        "scores": [None, 12],
        "totals": [0, 45],
        "owes": [0.5, -0.5],
        "winners": [2],
        "names": ["Ann", "Bob"],
        "text": "Player 2\nRound 1\nWürfel",
        "asleep": True,
    }
    assert "Würfel" in text, "as it is, not as numbers"
    (told,) = re.findall(r"(?m)^\| `show` \| (.*) \|$", reference.page())
    assert json.loads(text).keys() == {"t", "kind", *re.findall(r"`(\w+)`", told)}, "in the reference"
    assert json.loads(as_json(PlaySound(Sound.ROLL), 0)) == {"t": 0.0, "kind": "sound", "name": "roll"}
