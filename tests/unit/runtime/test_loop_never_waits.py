"""The loop asks the odds and never waits for them, after a restart too."""

import pytest
from tests.support.box import S, config_with
from tests.support.machine import SilentOdds

from shutthebox.config.schema import Config
from shutthebox.game.mode import Mode
from shutthebox.game.modes.flipping import COMPUTER_THINKS_NS, Flipping
from shutthebox.odds.questions import AskAnswer
from shutthebox.odds.strengths import Strength
from shutthebox.rules.tiles import to_numbers
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import localize_screen


class WaitingBox(VirtualBox):
    """A box of which no question is answered, restarts included."""

    def _start(self) -> None:
        self.questions = SilentOdds()
        self._odds = self.questions
        super()._start()


def config_for(game: str, levers: int) -> Config:
    return config_with(
        game__profile=game,
        box__levers=levers,
        game__players=2,
        game__computers=[1, 2],
        game__strength=Strength.MASTER.value,
        game__hints=True,
    )


def presses(box: VirtualBox) -> None:
    box.press(S // 10)
    box.run_until(box.now_ns + S // 10)


def flips_what_it_says(box: VirtualBox) -> None:
    """A hand sets the answer that the computer has given."""
    open_before = set(box.show.scene.open)
    mode = box.runner.machine.state.mode
    assert isinstance(mode, Flipping)
    assert mode.computers_answer is not None
    for tile in to_numbers(mode.computers_answer):
        box.set_lever(tile, tile in open_before)
    box.run_until(box.now_ns + S)


@pytest.mark.parametrize(("game", "levers"), [("open-one", 12), ("high-rollers", 9)])
def test_a_computer_whose_odds_take_for_ever_plays_by_a_simple_rule(game: str, levers: int) -> None:
    box = WaitingBox(config_for(game, levers))
    try:
        box.press(S // 10)
        for _ in range(2):
            while box.show.mode is not Mode.FLIPPING:
                box.run_until(box.now_ns + S // 5)
            assert "Thinking" in localize_screen(box.show).text
            assert not box.show.screen.alert
            presses(box)
            assert box.show.screen.alert, "a press is heard, and says why nothing happens"
            box.run_until(box.now_ns + COMPUTER_THINKS_NS)
            assert "Thinking" not in localize_screen(box.show).text
            flips_what_it_says(box)
        assert any(isinstance(question, AskAnswer) for question in box.questions.asked)
    finally:
        box.close()
