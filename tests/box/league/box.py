"""A simulated box in a process of its own: it plays matches in virtual time and leaves them in its outbox.

`python -m tests.box.league.box FOLDER SEED [PAUSE_S]` plays until it is killed, and goes on after it.
"""

import sys
import time
from functools import partial
from pathlib import Path
from random import Random

from tests.support.box import config_with
from tests.support.clumsy_player import CAREFUL, Player

from shutthebox.adapters.outbox import Outbox
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.facts import Signed
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.virtual_box import VirtualBox

REGULARS = ("ANN", "BOB", "CAT", "DAN", "EVE", "FAY")


class PlayedBox:
    """A box with a store, an outbox and players, two as a rule."""

    def __init__(self, folder: Path, seed: int, players: int = 2) -> None:
        self.state, self.outbox_folder = folder / "state", folder / "outbox"
        for path in (self.state, self.outbox_folder):
            path.mkdir(parents=True, exist_ok=True)
        self.random = Random(seed)
        kept = partial(open_to_read, self.state / STORE_FILE)
        self._player = Player(self.random, CAREFUL)
        self._outbox = Outbox(self.outbox_folder, self.state, kept, time.time)
        self._scores: ScoresWriter | None = None
        self._folder, self._kept = folder, kept
        config = config_with(game__profile="traditional", game__players=players)
        self._box = VirtualBox(config, self.state, seed=seed, observers=[self._observe], advised=False)
        self._player.sit_down(self._box)

    def _observe(self, what: Effect | SwitchChanged, t_ns: int) -> None:
        self._player.observe(what, t_ns)
        self._outbox(what, t_ns)
        # The store is there by now: the box has opened it before anything happens.
        self._scores = self._scores or ScoresWriter(self._folder, self._kept)
        self._scores(what, t_ns)

    def play(self) -> None:
        """Plays a match, and the first two players sign."""
        self.play_match()
        for player, initials in enumerate(self.random.sample(REGULARS, 2)):
            self.sign(player, initials)

    def play_match(self) -> None:
        """Plays a match that nobody signs."""
        self._player.play_match()

    def sign(self, player: int, initials: str) -> None:
        """Signs the match that was played last, as a player counted from 0."""
        store = self._box.store
        assert store is not None
        signed = Signed(player, initials)
        store.keep(signed)
        self._observe(Keep(signed), self._box.now_ns)

    def close(self) -> None:
        self._box.close()


def main() -> None:
    """Plays until it is killed."""
    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    pause_s = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    # Another process of this box gets other throws.
    box = PlayedBox(folder, seed + time.time_ns() % 1_000_000 * 1000)
    while True:
        box.play()
        time.sleep(pause_s)


if __name__ == "__main__":
    main()
