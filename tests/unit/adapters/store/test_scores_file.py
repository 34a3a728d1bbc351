"""The file between the daemon and the scoreboard."""

import json
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support.kept import CAPTAIN, LEFT_4, LEFT_6, PLAIN, SHUT, Matches, alter
from tests.support.machine import settings_for
from tests.support.shows import SHOW, changed

from shutthebox import __version__
from shutthebox.adapters.store.database import STORE_FILE as STORE
from shutthebox.adapters.store.database import open_to_read
from shutthebox.adapters.store.scores_file import FILE_NAME, ScoresWriter
from shutthebox.config.profiles import builtin
from shutthebox.game.effects import Form, Keep
from shutthebox.game.facts import Faulted, Finished
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen, TileState
from shutthebox.rules.actions import Action, Advanced, Moved, Thrown
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Stakes
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.words import explain


def read(folder: Path) -> dict[str, object]:
    document = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def local(year: int, month: int, day: int, hour: int = 12) -> int:
    return int(time.mktime((year, month, day, hour, 0, 0, 0, 0, -1)))


def honour(initials: str, score: int, game: str, began_s: int) -> dict[str, object]:
    return {"initials": initials, "score": score, "game": game, "began_s": began_s}


def seat(number: int, score: int | None, initials: str | None) -> dict[str, object]:
    return {"number": number, "score": score, "won": initials is not None, "initials": initials}


def test_a_match_dated_in_the_future_leads_no_board_of_today(tmp_path: Path) -> None:
    """The clock was wrong: a board of later days would be led by it for ever."""
    now = local(2026, 12, 30)
    with closing(Matches(tmp_path)) as matches:
        matches.play(PLAIN, *LEFT_6, sign="NOW", at_s=now)
        matches.play(PLAIN, *LEFT_4, sign="DAY", at_s=local(2026, 12, 31, 6))
        matches.play(PLAIN, *SHUT, sign="FUT", at_s=local(2027, 1, 1, 6))
    ScoresWriter(tmp_path, lambda: open_to_read(tmp_path / STORE), lambda: now)(SHOW, 0)
    found: dict[str, Any] = read(tmp_path)
    boards = {name: [honour["initials"] for honour in found[name]] for name in ("today", "month", "ever")}
    assert boards == {"today": ["NOW"], "month": ["DAY", "NOW"], "ever": ["FUT", "DAY", "NOW"]}


def test_the_whole_file_after_known_matches(tmp_path: Path) -> None:
    """Today begins at six in the morning and the month on its first day, where the box stands."""
    now, six, first = local(2026, 11, 21), local(2026, 11, 21, 6), local(2026, 11, 1, 6)
    score_15: list[Action] = [Thrown((4, 5)), Moved(to_tiles([9])), Thrown((6, 6)), Moved(to_tiles([4, 8]))]
    score_15 += [Thrown((4, 5)), Moved(to_tiles([2, 7])), Thrown((1, 1))]
    score_43: list[Action] = [Thrown((1, 1)), Moved(to_tiles([2])), Thrown((1, 1))]
    with closing(Matches(tmp_path)) as matches:
        matches.play(PLAIN, *LEFT_6, sign="NIL", at_s=0)
        matches.play(PLAIN, *SHUT, sign="OLD", at_s=first - 1)
        matches.play(PLAIN, *LEFT_4, sign="MON", at_s=first)
        matches.play(CAPTAIN, *SHUT, seats=2, sign="CAP", at_s=six - 1)
        matches.play(PLAIN, *LEFT_6, sign="DAY", at_s=six)
        matches.play(builtin("pub"), *score_15, Advanced(), *score_43, seats=2, sign="ONE", at_s=now - 60)
        matches.play(PLAIN, *LEFT_4, Advanced(), *LEFT_6, rounds=2, sign="TWO", at_s=now - 50)
        for matches.now_s in range(now, now + 7):
            matches.store.keep(Faulted("display", f"fault at {matches.now_s}"))
        matches.store.keep_health({0: 5, 3: 2}, {3: 7})
    writer = ScoresWriter(
        tmp_path, lambda: open_to_read(tmp_path / STORE), lambda: now, display_works=lambda: False
    )
    writer(SHOW, 0)

    old, mon = honour("OLD", 0, "plain", first - 1), honour("MON", 4, "plain", first)
    day, one = honour("DAY", 6, "plain", six), honour("ONE", 15, "English pub", now - 60)
    two, cap = honour("TWO", 10, "plain, 2 rounds", now - 50), honour("CAP", 0, "captain", six - 1)
    found = read(tmp_path)
    assert isinstance(found["running"], dict)
    del found["running"]
    assert found == {
        "version": 2,
        "program": __version__,
        "display": False,
        "language": "en",
        "puzzles": None,
        "rules": {"game": "English pub", "rules": list(explain(builtin("pub"), str))},
        "day": "2026-11-21",
        "matches": [
            {"began_s": now - 50, "game": "plain", "players": [seat(1, 10, "TWO")]},
            {"began_s": now - 60, "game": "English pub", "players": [seat(1, 15, "ONE"), seat(2, 43, None)]},
            {"began_s": six, "game": "plain", "players": [seat(1, 6, "DAY")]},
            {"began_s": six - 1, "game": "captain", "players": [seat(1, 0, "CAP"), seat(2, None, None)]},
            {"began_s": first, "game": "plain", "players": [seat(1, 4, "MON")]},
            {"began_s": first - 1, "game": "plain", "players": [seat(1, 0, "OLD")]},
        ],
        "today": [two, one, day],
        "month": [mon, day, two, one],
        "ever": [old, mon, two, one],
        "captains": [cap],
        "streak": {"day": 0, "count": 0},
        "health": {
            "finished": 7,
            "finished_today": 3,
            "switches": {"0": {"presses": 5, "chatter": 0}, "3": {"presses": 2, "chatter": 7}},
            "faults": [
                {"at_s": at_s, "kind": "display", "text": f"fault at {at_s}"}
                for at_s in range(now + 6, now + 1, -1)
            ],
        },
    }


def test_the_match_on_the_table(tmp_path: Path) -> None:
    writer = ScoresWriter(tmp_path, None)
    writer(SHOW, 0)
    assert read(tmp_path)["running"] == {
        "game": "English pub",
        "player": 2,
        "seats": ["ANN", "Player 2"],
        "tiles": [[1, "open"], [2, "open"], *([tile, "shut"] for tile in range(3, 10))],
        "throw": [3, 5],
        "says": "",
        "scores": [15, None],
        "totals": [15, 0],
        "winners": [],
        "stakes": None,
        "owes": [],
    }
    assert read(tmp_path)["puzzles"] is None
    twelve = Form(
        settings_for(builtin("ten").for_levers(12) or "ten", levers=12), (), is_open=True, walks=False
    )
    writer(changed(SHOW, player=None, form=twelve), 1)
    assert read(tmp_path)["running"] is None
    assert read(tmp_path)["puzzles"] == ["digits"]


def running(folder: Path) -> dict[str, Any]:
    found = read(folder)["running"]
    assert isinstance(found, dict)
    return found


def test_the_match_as_it_goes(tmp_path: Path) -> None:
    """Tiles as the levers show them, the throw only once it has stopped, and what the display says."""
    writer = ScoresWriter(tmp_path, None)
    writer(changed(SHOW, screen=Screen(Mode.ROLLING, tumbling=True, big="x")), 0)
    assert running(tmp_path)["throw"] is None
    tiles = ((1, TileState.FLIPPED), (2, TileState.VIABLE))
    screen = Screen(Mode.FLIPPING, dice=(3, 5), total=8, tiles=tiles, prompt="7  to go")
    writer(changed(SHOW, screen=screen), 1)
    now = running(tmp_path)
    assert (now["throw"], now["says"]) == ([3, 5], "7 to go")
    assert now["tiles"][:3] == [[1, "flipped"], [2, "viable"], [3, "shut"]]
    writer(changed(SHOW, screen=Screen(Mode.MATCH_OVER, "Player 1 wins!", prompt="Press"), winners=(1,)), 2)
    assert running(tmp_path)["says"] == "Player 1 wins!"


def test_stakes_are_told_where_the_box_tells_them(tmp_path: Path) -> None:
    writer = ScoresWriter(tmp_path, None)
    owing = changed(SHOW, owes=(Fraction(1, 2), Fraction(-1, 2)), staked=True)
    writer(owing, 0)
    assert running(tmp_path)["owes"] == ["1/2", "-1/2"]
    assert "a second stake" in running(tmp_path)["stakes"]
    writer(changed(owing, game=builtin("golf")), 1)
    assert running(tmp_path)["stakes"] is None


@pytest.mark.parametrize(
    ("stakes", "told"),
    [
        (Stakes.POOL, "into a pool"),
        (Stakes.LOSER_PAYS, "After each round"),
        (Stakes.LOSER_PAYS_MATCH, "buys the drinks once"),
        (Stakes.BANK, "it takes 3 and pays by the score"),
    ],
)
def test_every_kind_of_stakes_is_told(stakes: Stakes, told: str, tmp_path: Path) -> None:
    game = replace(builtin("pub"), stakes=stakes, stake=3)
    ScoresWriter(tmp_path, None)(changed(SHOW, game=game, staked=True), 0)
    assert told in running(tmp_path)["stakes"]


def test_the_past_is_looked_up_again_for_another_language_or_day(tmp_path: Path, evening: Path) -> None:
    now_s = [0.0]
    looked: list[float] = []

    def open_store() -> sqlite3.Connection:
        looked.append(now_s[0])
        return open_to_read(evening / STORE)

    writer = ScoresWriter(tmp_path, open_store, lambda: now_s[0])
    writer(SHOW, 0)
    writer(changed(SHOW, totals=(15, 1)), 1)
    assert looked == [0.0]
    writer(changed(SHOW, language="fr"), 2)
    assert running(tmp_path)["game"] == "Pub anglais"
    assert len(looked) == 2
    now_s[0] = 40 * 86400.0
    writer(SHOW, 3)
    assert len(looked) == 3
    assert (read(tmp_path)["today"], read(tmp_path)["month"]) == ([], [])
    assert read(tmp_path)["ever"]
    writer(Keep(Finished(begin(builtin("pub"), 2))), 4)
    writer(SHOW, 4)
    assert len(looked) == 4


def test_a_panel_that_breaks_is_known_though_nobody_plays(tmp_path: Path) -> None:
    """For a day that begins see `web/scoreboard/test_page`."""
    works = [True]
    writer = ScoresWriter(tmp_path, None, display_works=lambda: works[0])
    writer.look_at_the_day()
    assert not list(tmp_path.iterdir()), "nothing has been shown yet"
    writer(SHOW, 0)
    written = (tmp_path / FILE_NAME).stat().st_ino
    writer.look_at_the_day()
    assert (tmp_path / FILE_NAME).stat().st_ino == written, "nothing is new"
    works[0] = False
    writer.look_at_the_day()
    assert read(tmp_path)["display"] is False


def test_a_folder_that_is_gone_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = ScoresWriter(tmp_path / "gone", None)
    for total in range(3):
        writer(changed(SHOW, totals=(total, 0)), total)
    path = tmp_path / "gone" / FILE_NAME
    assert caplog.messages == [f"{path}: No such file or directory; the scoreboard is not up to date"]
    (tmp_path / "gone").mkdir()
    writer(SHOW, 9)
    assert read(tmp_path / "gone")["running"]


@pytest.mark.parametrize("what", ["missing", "nonsense"])
def test_a_store_that_cannot_be_read_stops_nothing(what: str, tmp_path: Path, evening: Path) -> None:
    if what == "nonsense":
        shutil.copy(evening / STORE, tmp_path)
        alter(tmp_path, "update match set profile = 'no name'")
    ScoresWriter(tmp_path, lambda: open_to_read(tmp_path / STORE))(SHOW, 0)
    scores = read(tmp_path)
    assert scores["running"]
    assert "matches" not in scores
