"""A store with an evening's matches in it, played once for every test that reads it."""

from pathlib import Path
from random import Random

import pytest
from tests.support.box import config_with
from tests.support.clumsy_player import CAREFUL, Player

from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.game.effects import Effect, Keep
from shutthebox.game.facts import Signed
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.simulator.virtual_box import VirtualBox


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a box at which three matches for two have been played, and a fourth begun."""
    folder = tmp_path_factory.mktemp("evening")
    config = config_with(game__profile="traditional", game__players=2)
    player = Player(Random(3), CAREFUL)
    writer: ScoresWriter | None = None

    def observe(what: Effect | SwitchChanged, t_ns: int) -> None:
        nonlocal writer
        player.observe(what, t_ns)
        # The store is there by now: the box has opened it before anything happens.
        writer = writer or ScoresWriter(folder, lambda: open_to_read(folder / STORE_FILE))
        writer(what, t_ns)

    box = VirtualBox(config, folder, seed=3, observers=[observe], advised=False)
    player.sit_down(box)
    for initials in ("ANN", "<B>", "C&D"):
        player.play_match()
        store = box.store
        assert store is not None
        match = box.runner.machine.state.match
        assert match is not None
        assert match.result is not None
        signed = Signed(match.result.winners[0], initials)
        store.keep(signed)
        observe(Keep(signed), box.now_ns)
    box.press(100_000_000)
    box.run_until(box.now_ns + 2_000_000_000)
    box.close()
    return folder
