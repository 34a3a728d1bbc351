"""A league in which a player has left traces wherever one can."""

import json
from dataclasses import replace
from datetime import UTC, date
from pathlib import Path

from tests.support.league import FakeBox, LeagueBox, Place, found_league, played_record, reviewed

from shutthebox_league.categories import usual_category
from shutthebox_league.enrolment import revoke
from shutthebox_league.events import make_event
from shutthebox_league.health import keep_health
from shutthebox_league.players import protect


def play(league: LeagueBox, seed: int, *signed: str) -> None:
    """A match that both players sign; nothing is taken for granted of a box with an older card."""
    ended_s = 1_790_000_000 + seed * 1000
    league.take(league.box.play(played_record(seed), ended_s), league.box.sequence)
    for seat, initials in enumerate(signed, 1):
        league.take(league.box.sign(seat, initials, ended_s), league.box.sequence)


class Town:
    """A league in which a player has left traces wherever one can."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self.place: Place = found_league(folder, url)
        first = LeagueBox(self.place, "lion", "The Lion")
        play(first, 1, "BYE", "ANN")
        image = replace(first.box)
        play(first, 2, "ANN", "BYE")
        first.box = image
        play(first, 3, "BYE", "BOB")  # a chain of an older card
        early = FakeBox("2" * 32)
        early.play(played_record(4))
        first.take(early.sign(1, "BYE"))  # held aside
        revoke(self.place.engine, self.place.authority, "lion.1")
        play(LeagueBox(self.place, "lion", "The Lion"), 5, "BYE", "ANN")
        first.take(FakeBox("4" * 32).play(played_record(6)))
        play(LeagueBox(self.place, "bell", "The Bell"), 7, "BYE", "CAT")
        reviewed(self.place.engine)
        with self.place.engine.begin() as db:
            state = {"last_winner": "BYE", "playing": "player 1", "version": "1"}
            keep_health(db, "lion.2", json.dumps(state).encode(), 1)
            protect(db, ["BYE"], 1)
            night = date(2026, 9, 20)
            cup = ("Cup", "ladder", usual_category("traditional"), ["BYE", "ANN"], night, night)
            make_event(db, *cup, boxes=["lion"], zone=UTC)
        reviewed(self.place.engine)

    def bytes(self) -> bytes:
        """All bytes of all files of the database."""
        return b"\n".join(path.read_bytes() for path in sorted(self.folder.glob("league.sqlite3*")))
