"""`shutthebox verify`: of a box that plays a tournament of equal dice, and says so; of two linked boxes."""

from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from tests.support.clumsy_player import CAREFUL, Player
from tests.support.command import Said, command, printed, refused
from tests.support.kept import keep_match
from tests.support.linked import linked_record

from shutthebox.adapters.outbox import Outbox
from shutthebox.adapters.store.database import STORE_FILE, Store, open_to_read
from shutthebox.config.schema import Config, parse_config
from shutthebox.game.effects import Effect, Show
from shutthebox.game.mode import Mode
from shutthebox.game.switches.debounce import SwitchChanged
from shutthebox.outbox_entry import MatchPlayed, entry_from_bytes
from shutthebox.rules.actions import Thrown
from shutthebox.rules.conditions import Conditions, LinkProof
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.record import write
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


# -- linked boxes ------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verify(*texts: str) -> Said:
    paths = [Path(f"{number}.txt") for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return command("verify", *paths)


def verdicts(said: Said) -> list[str]:
    """What is said of the throws of each file."""
    return [line for line in said.out.splitlines() if ".txt: " in line]


# Two dice, one die if the player likes, the same throw for both, a bag of dominoes.
@pytest.mark.parametrize("game", ["traditional", "pub", "head-to-head", "domino-bag"])
def test_the_record_of_linked_boxes_proves_every_throw(game: str) -> None:
    text = write(linked_record(1, game, rounds=2))
    said = verify(text)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0] == "0.txt: every throw follows from the links"


def test_records_of_linked_boxes_are_checked_one_by_one() -> None:
    good, unlinked = linked_record(1), replace(linked_record(2), conditions=Conditions())
    said = verify(write(good), write(unlinked), f"# our best\n\n{write(good)}")
    assert (said.code, verdicts(said)) == (
        1,
        [
            "0.txt: every throw follows from the links",
            "1.txt: not a match on two linked boxes; for equal dice, give the tournament's file first",
            "2.txt: every throw follows from the links",
        ],
    )
    assert verify(f"# our best\n\n{write(good)}").code == 0


def test_a_forged_record_of_linked_boxes_is_found() -> None:
    good, other = linked_record(1, "pub", most=1), linked_record(2, "pub", most=1)
    (die, last), proof = good.actions[0].faces, good.conditions and good.conditions.linked
    assert proof
    due = f"by the links it is {die}+{last}"
    no_chain = "the links of seat {} don't lead to its commitment"
    forged = {
        write(replace(good, actions=actions)): complaint
        for actions, complaint in (
            ((Thrown((die, last % 6 + 1)),), due),
            ((Thrown((die,)),), due),  # the total of a throw that nobody knows
            ((), no_chain.format(1)),
        )
    }
    for changed, complaint in (
        (proof._replace(links=proof.links[::-1]), no_chain.format(1)),
        (proof._replace(commitments=(proof.commitments[0], "0" * 64)), no_chain.format(2)),
        (other.conditions and other.conditions.linked, "by the links it is"),
    ):
        forged[write(replace(good, conditions=Conditions(linked=changed)))] = complaint
    end = proof.commitments[0]
    one = Conditions(linked=LinkProof((end, end), (end, end)))
    forged[write(replace(good, actions=(), conditions=one))] = "both seats have the same commitment"
    said = verify(*forged)
    assert said.code == 1
    for line, complaint in zip(verdicts(said), forged.values(), strict=True):
        assert complaint in line


def test_a_match_on_two_linked_boxes_is_kept_and_shown_like_any_other(tmp_path: Path) -> None:
    played = linked_record()
    with closing(Store(tmp_path, lambda: 1e9)) as store:
        keep_match(store, played.beginning, *played.actions, conditions=played.conditions)
    assert "1 finished of 1 begun" in printed("stats", "--state", tmp_path)
    Path("match.txt").write_text(printed("export", "--record", "--state", tmp_path))
    assert printed("verify", "match.txt").startswith("match.txt: every throw follows from the links\n")
    assert "not proved: two linked boxes" in printed("replay", "match.txt")
    assert "Player 2: accuracy" in printed("review", "match.txt")


@pytest.mark.parametrize(
    ("text", "first"), [("", ""), ("a,b\n1,2\n", "a,b"), ("shut-the-box record 2\n", "shut-the-box record 2")]
)
def test_what_is_neither_a_tournament_nor_a_record_is_one_line(text: str, first: str) -> None:
    Path("0.txt").write_text(text)
    allowed = "'shut-the-box tournament 1' and 'shut-the-box record 1'"
    assert refused("verify", "0.txt") == f"shutthebox: 0.txt: begins with {first!r}; use {allowed}"
