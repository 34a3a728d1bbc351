"""The page: readable without script, by anybody, and nothing on it becomes markup."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sqlalchemy import insert
from tests.support.chromium import serious_findings, start_chromium
from tests.support.league import FakeBox, Place, found_league, played_record
from tests.support.mosquitto import free_port
from tests.support.waiting import HANG_S, until

from shutthebox.rules.equal_dice import Tournament
from shutthebox_league.checking import night_of
from shutthebox_league.enrolment import new_owner_token
from shutthebox_league.events import make_event
from shutthebox_league.formats import Format
from shutthebox_league.ledger import Ledger
from shutthebox_league.main import zone_of
from shutthebox_league.page.app import HEADERS
from shutthebox_league.ratings import rate_new
from shutthebox_league.reviewing import review_some
from shutthebox_league.schema import HEALTH, TOURNAMENT
from shutthebox_league.standings import season_of
from shutthebox_uplink.signing import sign_entry

PUB = "The <b>Anchor</b> & Sons"
SLUG = "the-b-anchor-b-sons"
PLAYERS = ("ANN", "BOB", "CAT")


class Site:
    """A league with matches, and its page served by the command in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.place: Place = found_league(folder, with_broker=False)
        self.enrolment = self.place.enrol("anchor", PUB)
        self.box = FakeBox("1" * 32)
        self.ledger = Ledger(self.place.engine, zone_of("UTC"))
        self.now_s = int(time.time())
        for seed in range(12):
            self.play(seed, PLAYERS[seed % 3], PLAYERS[(seed + 1) % 3])
        while review_some(self.place.engine, self.now_s):
            pass
        rate_new(self.place.engine)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = (
            sys.executable,
            "-m",
            "shutthebox_league.main",
            "--folder",
            folder,
            "serve",
            "--port",
            str(port),
        )
        self.process = subprocess.Popen(command)
        until(self._answers)

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/data", timeout=HANG_S).close()
        except OSError:
            assert self.process.poll() is None
            return False
        return True

    def send(self, entry: bytes) -> None:
        enrolment = self.enrolment
        outcome = self.ledger.take(enrolment.name, sign_entry(entry, 1, enrolment.name, enrolment.key))
        assert outcome.kind == "committed", outcome.reason

    def play(self, seed: int, *signed: str) -> None:
        self.send(self.box.play(played_record(seed), self.now_s))
        for seat, initials in enumerate(signed, 1):
            self.send(self.box.sign(seat, initials, self.now_s))

    def get(self, path: str, status: int = 200) -> str:
        return self.request(path, None, status)

    def post(self, path: str, status: int = 200, **form: str) -> str:
        return self.request(path, urllib.parse.urlencode(form).encode(), status)

    def request(self, path: str, data: bytes | None, status: int) -> str:
        try:
            answer = urllib.request.urlopen(self.url + path, data, timeout=HANG_S)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            assert answer.status == status
            for header, value in HEADERS.items():
                assert answer.headers[header] == value
            return str(answer.read().decode())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"))
    yield site
    site.process.terminate()
    site.process.wait(HANG_S)
    site.place.engine.dispose()


class _Well(HTMLParser):
    """Checks that a page is well formed and keeps its links."""

    VOID = ("meta", "link", "input", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.headings: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "b", "img", "iframe")
        assert not any(name.startswith("on") or name == "style" for name, _ in attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "a":
            self.links.append(dict(attrs)["href"] or "")
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_page_is_well_formed_has_no_script_and_leads_somewhere(site: Site) -> None:
    seen, due = set[str](), ["/", f"/pub/{SLUG}/tv", "/events"]
    while due:
        path = due.pop()
        if path in seen:
            continue
        seen.add(path)
        text = site.get(path)
        if path.endswith("/record"):
            continue
        page = _Well(text)
        assert page.headings.count("h1") == 1
        if "?" not in path or path.startswith("/?"):
            base = path.partition("?")[0]
            due += [base + link if link.startswith("?") else link for link in page.links[:40]]
    assert {f"/pub/{SLUG}", "/player/ANN", "/match/12", "/match/12/record", "/data"} <= seen


def test_the_table_has_what_was_played(site: Site) -> None:
    for period in ("night", "season", "ever"):
        for measure in ("wins", "score", "skill", "rating"):
            text = site.get(f"/?period={period}&by={measure}")
            assert all(f'/player/{initials}"' in text for initials in PLAYERS)
    assert "No ranked match" in site.get("/?game=thai") or "traditional" in site.get("/?game=thai").lower()
    assert site.get("/?period=%00&by=x&game=../../etc") == site.get("/")


def test_a_name_is_no_markup(site: Site) -> None:
    text = site.get(f"/pub/{SLUG}")
    assert "The &lt;b&gt;Anchor&lt;/b&gt; &amp; Sons" in text


def test_a_match_page_names_the_better_answer(site: Site) -> None:
    text = site.get("/match/1")
    assert "Throw by throw" in text
    assert "best: shut" in text
    assert "played on version" in text
    assert site.get("/match/1/record").startswith("shut-the-box record")


@pytest.mark.parametrize(
    "path",
    [
        "/match/999",
        "/match/x",
        "/player/ann",
        "/player/<i>",
        "/pub/none",
        "/owner/guess",
        "/event/9",
        "/tournament/0",
        "/x",
    ],
)
def test_what_is_not_there_is_said(site: Site, path: str) -> None:
    _Well(site.get(urllib.parse.quote(path), 404))


def test_a_pin_protects_initials(site: Site) -> None:
    wrong = site.post("/player/PIN/pin", 400, pin="12")
    assert "4 to 8 digits" in wrong
    assert "has a PIN from now on" in site.post("/player/PIN/pin", pin="4711")
    assert "has a PIN already" in site.post("/player/PIN/pin", 400, pin="0000")
    site.play(50, "PIN", "ANN")
    number = site.box.matches
    assert "not confirmed" in site.get(f"/match/{number}")
    assert 'href="/player/PIN"' not in site.get("/?period=ever")
    assert "PIN is wrong" in site.post(f"/match/{number}/confirm", initials="PIN", pin="4712")
    assert "not confirmed" in site.get(f"/match/{number}")
    assert "counts for PIN" in site.post(f"/match/{number}/confirm", initials="PIN", pin="4711")
    assert "not confirmed" not in site.get(f"/match/{number}")
    assert '<th scope="row"><a href="/player/PIN"' in site.get("/?period=ever")
    assert "has not signed" in site.post("/match/1/confirm", initials="PIN", pin="4711")
    for _ in range(5):
        assert "PIN is wrong" in site.post("/player/PIN/forget", pin="9999")
    assert "is locked" in site.post("/player/PIN/forget", 400, pin="4711")


def test_forgotten_initials_are_nowhere(site: Site) -> None:
    site.play(60, "BYE", "ANN")
    site.post("/player/BYE/pin", pin="4711")
    assert "removed from 1 matches" in site.post("/player/BYE/forget", pin="4711")
    assert "No match yet" in site.get("/player/BYE")
    dump = (site.place.folder / "copy.sqlite3", b"BYE")
    from shutthebox_league.backup import back_up

    back_up(site.place.engine, dump[0])
    with site.place.engine.begin() as db:
        from sqlalchemy import text

        for table in ("seat", "player", "rating", "entrant"):
            assert db.execute(text(f"select count(*) from {table} where initials = 'BYE'")).scalar() == 0
        messages = db.execute(text("select message from entry")).scalars().all()
    import base64

    assert not any(b"BYE" in base64.urlsafe_b64decode(m.split(b".")[1] + b"==") for m in messages if m)


def test_too_large_a_form_is_refused(site: Site) -> None:
    site.post("/player/ANN/pin", 413, pin="1" * 2000)
    site.request("/player/ANN/pin", None, 405)


def test_the_owner_sees_the_boxes_and_nobody_else(site: Site) -> None:
    token = new_owner_token(site.place.engine, PUB)
    state = {
        "version": "9.9.9",
        "levers": "worn: <4>",
        "faults": 2,
        "last_fault": "gpio: away",
        "display": False,
    }
    with site.place.engine.begin() as db:
        db.execute(insert(HEALTH).values(box_id=1, state=json.dumps(state), seen_s=site.now_s, online=True))
    text = site.get(f"/owner/{token}")
    assert "9.9.9" in text
    assert "worn: &lt;4&gt;" in text
    assert "no answer" in text
    _Well(text)
    new_owner_token(site.place.engine, PUB)
    site.get(f"/owner/{token}", 404)


def test_an_event_names_the_next_pairing(site: Site) -> None:
    tonight = night_of(site.now_s, zone_of("UTC"))
    with site.place.engine.begin() as db:
        event_id = make_event(
            db, "Cup", "knockout", "traditional", ["UMA", "VIC", "WIM", "XIA"], tonight, tonight
        )
    assert "UMA against XIA" in site.get(f"/event/{event_id}")
    site.play(70, "UMA", "XIA")
    text = site.get(f"/event/{event_id}")
    assert "UMA against XIA" not in text
    assert "VIC against WIM" in text
    _Well(text)


def test_a_tournaments_seed_is_shown_when_it_has_closed(site: Site) -> None:
    for name, closes_s, shown in (("Old", site.now_s - 10, True), ("New", site.now_s + 10**6, False)):
        cup = Tournament(name, ("a" if shown else "b") * 64)
        with site.place.engine.begin() as db:
            row = {"commitment": cup.commitment, "name": name, "text": cup.to_text(), "made_s": 0}
            db.execute(insert(TOURNAMENT).values(**row, closes_s=closes_s))
        text = site.get(f"/tournament/{cup.commitment}")
        assert (cup.seed in text) is shown
        _Well(text)


def test_a_season_is_a_quarter() -> None:
    assert season_of(date(2026, 11, 21)) == (date(2026, 10, 1), date(2027, 1, 1))
    assert season_of(date(2026, 1, 1)) == (date(2026, 1, 1), date(2026, 4, 1))
    assert season_of(date(2026, 9, 30)) == (date(2026, 7, 1), date(2026, 10, 1))


def test_a_match_that_does_not_count_is_shown_with_the_reason(site: Site) -> None:
    record = played_record(80)
    assert record.conditions is not None
    real = replace(record, conditions=replace(record.conditions, real_dice=True))
    site.send(site.box.play(real, site.now_s))
    assert "real dice: not ranked" in site.get("/")


def pages_of_all_kinds(site: Site) -> list[str]:
    """Addresses: one page of each kind, and of each format of event."""
    night = night_of(site.now_s, zone_of("UTC"))
    cup = Tournament("Axe", "c" * 64)
    with site.place.engine.begin() as db:
        events = [
            make_event(db, f"The {style}", style, "traditional", ["KIM", "LEO", "MAX", "NOA"], night, night)
            for style in Format
        ]
        row = {"commitment": cup.commitment, "name": cup.name, "text": cup.to_text(), "made_s": 0}
        db.execute(insert(TOURNAMENT).values(**row, closes_s=site.now_s - 10))
    token = new_owner_token(site.place.engine, PUB)
    own = ["/", f"/pub/{SLUG}", f"/pub/{SLUG}/tv", "/match/1", "/player/ANN", "/data", "/x", "/events"]
    return [
        *own,
        *(f"/event/{event}" for event in events),
        f"/tournament/{cup.commitment}",
        f"/owner/{token}",
    ]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_nothing_keeps_people_out_on_a_phone_or_a_television(site: Site, tmp_path: Path) -> None:
    paths = pages_of_all_kinds(site)
    browser = start_chromium(tmp_path)
    try:
        for width, height in ((360, 800), (1920, 1080)):
            browser.set_window_size(width, height)
            for path in paths:
                browser.get(site.url + path)
                assert serious_findings(browser) == [], path
                overflow = (
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
                assert browser.execute_script(overflow) == 0, (path, width)
    finally:
        browser.quit()
