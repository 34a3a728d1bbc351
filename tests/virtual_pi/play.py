"""The match that people play on the virtual Pi."""

from __future__ import annotations

from tests.support.display_match import DisplayMatch

from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.modes.match_over import MatchOver
from shutthebox.game.modes.turn_over import TurnOver
from shutthebox.game.settings import Settings

from .table import LEVERS, Table

CONFIG = f'[game]\nprofile = "pub"\nsetup = "usual"\nplayers = 2\n[box]\nlevers = {LEVERS}\n'
SETTINGS = settings_for(parse_config(CONFIG, "test"), LEVERS, "test")


class Play(DisplayMatch):
    """One match at the table."""

    def __init__(self, table: Table, settings: Settings = SETTINGS) -> None:
        """Wakes the box and begins."""
        # Pictures with a pointer and those without one: a box that was started within the match tells none.
        super().__init__(table, settings, is_new=True)

    def see(self) -> None:
        """Waits until the display shows the present position."""
        shown = self.shown()
        # A box that has just been started may end a turn before it knows the odds.
        without = [shown]
        if isinstance(shown.mode, TurnOver):
            play = shown.mode.play._replace(review=None)
            without = [shown._replace(mode=TurnOver(play))]
        if isinstance(shown.mode, MatchOver):
            # Nor has it seen the beginning of the match, which the coach would need.
            without = [shown._replace(mode=MatchOver(shown.mode.play._replace(beginning=None)))]
        self.hands.see([shown, *without])
