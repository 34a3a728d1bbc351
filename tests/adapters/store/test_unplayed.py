"""Players who had no turn have no score: on the scoreboard, in the statistics, wherever results are shown."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.adapters.store.test_fame import LEFT_6, SHUT, house
from tests.support.kept import keep_match

from shutthebox.adapters.store import queries
from shutthebox.adapters.store.database import FILE_NAME as STORE
from shutthebox.adapters.store.database import Store, open_to_read
from shutthebox.adapters.store.queries import Player
from shutthebox.adapters.store.scores_file import ScoresWriter
from shutthebox.cli.main import main
from shutthebox.game.effects import Show
from shutthebox.game.facts import Signed
from shutthebox.game.messages import told
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile
from shutthebox.web.scoreboard.folder import FOLDER_NAME


def keep(store: Store, profile: Profile, players: int, *actions: Action, signs: int | None = None) -> None:
    """Plays a match to its end and keeps it; `signs` is the player who signs."""
    keep_match(store, begin(profile, players), *actions)
    if signs is not None:
        store.keep(Signed(signs, "ANN"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path, lambda: 0.0)) as store:
        yield store


def results(folder: Path) -> list[tuple[int | None, ...]]:
    """Scores per match, the latest first."""
    with closing(open_to_read(folder / STORE)) as db:
        return [tuple(player.score for player in match.players) for match in queries.latest(db, 10)]


def test_the_first_shuts_the_box_and_nobody_else_plays(store: Store, tmp_path: Path) -> None:
    keep(store, house("house"), 3, *SHUT)
    assert results(tmp_path) == [(0, None, None)]
    with closing(open_to_read(tmp_path / STORE)) as db:
        (match,) = queries.latest(db, 1)
    assert match.players[0] == Player(1, 0, True, None)
    assert match.players[1] == Player(2, None, False, None)


def test_who_owes_a_stake_may_have_had_no_turn(store: Store, tmp_path: Path) -> None:
    profile = house("house", 'stakes = "pool"')
    keep(store, profile, 3, *SHUT)
    keep(store, profile, 3, *LEFT_6, Advanced(), *SHUT)
    keep(store, profile, 2, *LEFT_6, Advanced(), *SHUT)
    assert results(tmp_path) == [(6, 0), (6, 0, None), (0, None, None)]


def test_a_winner_who_never_played(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first reaches the limit at once, so the others win."""
    keep(store, house("house", 'match = "target-loses"\nlimit = 5\ntie = "share"'), 3, *LEFT_6, signs=1)
    assert results(tmp_path) == [(6, None, None)]
    with closing(open_to_read(tmp_path / STORE)) as db:
        found = queries.read(db)
    assert found.fame[0].score is None
    assert "ANN - house" in [told(line, str) for line in queries.statistics_lines(found)]
    assert main(["stats", "--state", str(tmp_path)]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines() if "ANN" in line]
    assert shown[0][:3] == ["ANN", "–", "house"]
    assert main(["stats", "--json", "--state", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["fame"][0]["score"] is None


def test_alternate_turns(store: Store, tmp_path: Path) -> None:
    """The last throws, and shuts the box, before the first has finished."""
    profile = house(
        "house", 'turns = "alternate"\nblocked = "passes"\nshut_wins = "match"\nwin = "first-to-shut"'
    )
    first = (Thrown((6, 6)), Moved(0))
    keep(store, profile, 2, *first, *SHUT[:2], *first, *SHUT[2:])
    assert results(tmp_path) == [(None, 0)]


# -- the scoreboard ----------------------------------------------------------------------------


def test_the_page(store: Store, tmp_path: Path) -> None:
    keep(store, house("house"), 3, *SHUT)
    keep(store, house("house", 'match = "target-loses"\nlimit = 5\ntie = "share"'), 3, *LEFT_6, signs=1)
    show = Show(
        Screen(Mode.MATCH_OVER),
        t_ns=0,
        mode=Mode.MATCH_OVER,
        player=1,
        open=(),
        throw=None,
        verdict="ok",
        scores=(0, None, None),
        totals=(0, 0, 0),
        owes=(),
        winners=(1,),
        seats=("Player 1", "Player 2", "Player 3"),
        game=house("house"),
    )
    ScoresWriter(tmp_path, lambda: open_to_read(tmp_path / STORE))(show, 0)
    shown = (tmp_path / FOLDER_NAME / "index.html").read_text("utf-8")
    assert "<td>Player 1</td><td>0</td><td>0</td>" in shown
    assert "<td>Player 2</td><td>–</td><td>–</td>" in shown
    assert "1:\u00a00\u00a0★, 2:\u00a0–, 3:\u00a0–" in shown
    assert "1:\u00a06, ANN:\u00a0–\u00a0★, 3:\u00a0–\u00a0★" in shown
    # A score that was not played for is no record.
    assert "<td>ANN</td>" not in shown
