"""`shutthebox verify`, and a box that plays a tournament of equal dice: it says so, and can be checked."""

from functools import partial
from pathlib import Path
from random import Random

from tests.support.clumsy_player import CAREFUL, Player
from tests.support.command import command, printed

from shutthebox.adapters.outbox import Outbox
from shutthebox.adapters.store.database import STORE_FILE, open_to_read
from shutthebox.config.schema import Config, parse_config
from shutthebox.game.effects import Effect, Show
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.outbox_entry import MatchPlayed, entry_from_bytes
from shutthebox.rules.equal_dice import Tournament
from shutthebox.simulator.virtual_box import VirtualBox
from shutthebox.translations import localize_screen

FRIDAY = Tournament("Friday", "5" * 64)


def of_friday(folder: Path) -> Config:
    """The configuration of a box with the tournament's file."""
    file = folder / "friday.txt"
    file.write_text(FRIDAY.to_text())
    return parse_config(f'[game]\nsetup = "usual"\n[tournament]\nfile = "{file}"\n', "config.toml")


def records_of(folder: Path, config: Config, seed: int, *, abandons: bool = False) -> list[str]:
    """The entries that a box leaves in its outbox, and its screens meanwhile."""
    state, outbox = folder / f"state{seed}", folder / f"outbox{seed}"
    outbox.mkdir()
    player, shows = Player(Random(seed), CAREFUL), list[Show]()

    def look(what: Effect | SwitchChanged, t_ns: int) -> None:
        if isinstance(what, Show):
            shows.append(what)

    leave = Outbox(outbox, state, partial(open_to_read, state / STORE_FILE), lambda: 1e9)
    box = VirtualBox(config, state, seed=seed, observers=[player.observe, look, leave], advised=False)
    player.sit_down(box)
    if abandons:
        for lasts_ms in (100, 100, 11_000, 100):
            box.press(lasts_ms * 1_000_000)
            box.run_until(box.now_ns + 1_500_000_000)
        assert player.seen.mode is Mode.ATTRACT
    else:
        player.play_match()
    box.close()
    label = "equal dice"
    if config.tournament.file:
        # Wherever dice are, or come next.
        for show in shows:
            if show.mode in (Mode.ATTRACT, Mode.READY, Mode.ROLLING, Mode.FLIPPING):
                assert localize_screen(show).aside == label or localize_screen(show).big == "End the match?"
    else:
        assert not any(label in localize_screen(show).text for show in shows)
    entries = [entry_from_bytes(path.read_bytes()) for path in sorted(outbox.glob("*.json"))]
    return [entry.content.record for entry in entries if isinstance(entry.content, MatchPlayed)]


def test_a_box_plays_the_tournaments_dice_and_says_so(tmp_path: Path) -> None:
    (text,) = records_of(tmp_path, of_friday(tmp_path), 1)
    (tmp_path / "match.txt").write_text(text)
    commitment, said = printed("verify", tmp_path / "friday.txt", tmp_path / "match.txt").splitlines()
    assert commitment == f"commitment {FRIDAY.commitment}"
    assert said.endswith("every throw follows from the seed")


def test_an_ordinary_match_does_not_pass(tmp_path: Path) -> None:
    of_friday(tmp_path)
    friday, match, good = (tmp_path / name for name in ("friday.txt", "match.txt", "good.txt"))
    (text,) = records_of(tmp_path, parse_config('[game]\nsetup = "usual"\n', "config"), 1)
    assert "dice box\n" in text
    match.write_text(text)
    said = command("verify", friday, match)
    assert (said.code, "names none" in said.out) == (1, True)
    match.write_text(text.replace("dice box", f"dice equal {FRIDAY.commitment}"))
    good.write_text(f"shut-the-box record 1\nprofile pub\nplayers 2\ndice equal {FRIDAY.commitment}\n")
    said = command("verify", friday, match, good, match)
    assert said.code == 1, "however many are good"
    _, first, second, third = said.out.splitlines()
    assert second.endswith(": every throw follows from the seed")
    assert "by the seed it is" in first
    assert first == third


def test_a_match_that_is_given_up_is_left_too(tmp_path: Path) -> None:
    """Or somebody would look at the throws, give up and begin anew."""
    (text,) = records_of(tmp_path, of_friday(tmp_path), 1, abandons=True)
    assert text.endswith("given-up\n")
