"""The box in words."""

from pathlib import Path

from tests.simulator.page.pages import shown

from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.switches.debounce import DICE_BUTTON, SwitchChanged
from shutthebox.simulator.page.transcript import LOG_LINES, BoxInWords

SCRIPTS = Path(__file__).parents[2] / "scenarios"
FLIPPING = Screen(Mode.FLIPPING, "Player 1", "Round 1", dice=(3, 5), total=8, prompt="Shut 8")


def test_the_log_has_each_thing_once_and_the_latest_lines() -> None:
    transcript = BoxInWords(start_ns=1_000_000_000)
    transcript(SwitchChanged(3, True, 0), 1_500_000_000)
    transcript(shown(FLIPPING), 2_000_000_000)
    transcript(SwitchChanged(DICE_BUTTON, False, 0), 2_200_000_000)
    count, lines = transcript.log_since(0)
    assert (count, lines) == (
        3,
        [
            "    0.500  lever 3 down",
            "    1.000  flipping, levers ok: Player 1 / Round 1 / Shut 8",
            "    1.200  button up",
        ],
    )
    assert transcript.log_since(2) == (3, lines[2:])
    for number in range(LOG_LINES + 5):
        transcript.note(f"note {number}")
    count, lines = transcript.log_since(3)
    assert (count, len(lines)) == (3 + LOG_LINES + 5, LOG_LINES)
    assert transcript.log_since(count) == (count, [])
