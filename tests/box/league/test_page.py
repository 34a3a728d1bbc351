"""The page: readable without script, by anybody, and nothing on it becomes markup."""

import http.client
import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sqlalchemy import delete, func, insert, select, update
from tests.support.chromium import serious_findings, start_chromium
from tests.support.generate import random_record
from tests.support.http_client import is_served
from tests.support.league import CONDITIONS, LeagueBox, found_league, played_record, reviewed
from tests.support.mosquitto import free_port
from tests.support.waiting import HANG_S, until

from shutthebox.config.profiles import builtin
from shutthebox.outbox_entry import MatchPlayed
from shutthebox.rules.equal_dice import Tournament
from shutthebox.rules.record import write
from shutthebox_league import reviewer
from shutthebox_league.categories import usual_category
from shutthebox_league.checking import RefusedError, check_match, night_of
from shutthebox_league.enrolment import new_owner_token
from shutthebox_league.events import make_event
from shutthebox_league.formats import Format
from shutthebox_league.health import keep_health
from shutthebox_league.main import zone_of
from shutthebox_league.page.app import HEADERS
from shutthebox_league.page.owner import FORGETS_A_DAY, FORM_HEADERS, MAX_PROTECTED
from shutthebox_league.players import free
from shutthebox_league.schema import HEALTH, MATCH, TOURNAMENT
from shutthebox_league.standings import Period, first_of
from shutthebox_league.tournaments import add_tournament
from shutthebox_league.voiding import void_match

pytestmark = pytest.mark.slow

PUB = "The <b>Anchor</b> & Sons"
SLUG = "the-b-anchor-b-sons"
GAME = usual_category("traditional")
PLAYERS = ("ANN", "BOB", "CAT")


SERVE = """
from shutthebox_league.main import main
from shutthebox_league.page import owner
owner._CHANGE_EVERY_S = 0  # the tests do not wait for a pub's turn
main()
"""


class Site(LeagueBox):
    """A league with matches, and its page served by the command in a process of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(found_league(folder), "anchor", PUB)
        self.now_s = int(time.time())
        for seed in range(6):
            self.match(seed, PLAYERS[seed % 3], PLAYERS[(seed + 1) % 3])
        reviewed(self.engine)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        words = ("--folder", str(folder), "serve", "--port", str(port))
        self.process = subprocess.Popen((sys.executable, "-c", SERVE, *words))
        until(lambda: self.process.poll() is not None or is_served(port))

    def match(self, seed: int, *signed: str) -> None:
        """A match that has just ended."""
        self.play(played_record(seed), *signed, ended_s=self.now_s)

    def get(self, path: str, status: int = 200) -> str:
        return self.request(urllib.request.Request(self.url + path), status)

    def request(self, request: urllib.request.Request, status: int) -> str:
        try:
            answer = urllib.request.urlopen(request, timeout=HANG_S)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            assert answer.status == status, request.full_url
            has_form = request.selector.startswith(("/owner", "/event/"))
            own = FORM_HEADERS if has_form and status not in (404, 405, 413) else {}
            if request.selector != "/owner":
                assert answer.headers["set-cookie"] is None
            for header, value in {**HEADERS, **own}.items():
                assert answer.headers[header] == value or status in (400, 403), header
            return str(answer.read().decode())


class Landlord:
    """Somebody who has opened the owner's page with the key of a pub; `first` is what it said."""

    def __init__(self, site: Site, pub: str = PUB) -> None:
        self.site, self.key, self.cookie = site, new_owner_token(site.place.engine, pub), ""
        self.first = self.post(do="sign-in", key=self.key)

    def post(self, status: int = 200, origin: str | None = None, **form: str | list[str]) -> str:
        data = urllib.parse.urlencode(form, doseq=True).encode()
        request = urllib.request.Request(self.site.url + "/owner", data)
        request.add_header("Origin", self.site.url if origin is None else origin)
        request.add_header("Cookie", self.cookie)
        if form.get("do") != "sign-in":
            return self.site.request(request, status)
        with urllib.request.urlopen(request, timeout=HANG_S) as answer:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            for part in ("HttpOnly", "Path=/owner", "SameSite=strict"):
                assert part in answer.headers["set-cookie"]
            return str(answer.read().decode())

    def look(self, status: int = 200) -> str:
        """The page as the browser has it open."""
        request = urllib.request.Request(self.site.url + "/owner")
        request.add_header("Cookie", self.cookie)
        return self.site.request(request, status)


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
    assert {f"/pub/{SLUG}", "/player/ANN", "/match/6", "/match/6/record", "/data"} <= seen


def test_the_table_has_what_was_played(site: Site) -> None:
    for period in ("night", "season", "ever"):
        for measure in ("wins", "score", "skill", "rating"):
            text = site.get(f"/?period={period}&by={measure}")
            assert all(f'/player/{initials}"' in text for initials in PLAYERS)
    assert ", 9 tiles, 1 round</h1>" in site.get("/")
    row = re.compile(r'<tr><td class="n">(\d+)</td>.*?</th><td class="n">(\d+)</td><td class="n">(\d+)</td>')
    rows = [tuple(map(int, found)) for found in row.findall(site.get("/?period=ever&by=wins"))]
    assert len(rows) == len(PLAYERS)
    for place, matches, wins in rows:
        assert place == 1 + sum((-other[2], other[1]) < (-wins, matches) for other in rows)


def test_a_match_page_names_the_better_answer(site: Site) -> None:
    text = site.get("/match/1")
    assert "Throw by throw" in text
    assert "best: shut" in text
    assert "played on version" in text
    assert site.get("/match/1/record").startswith("shut-the-box record")


def test_throws_of_an_open_tournament_are_shown_to_nobody(site: Site) -> None:
    """Who hasn't played in it yet gets the same ones."""
    cup = Tournament("Cup", "b" * 64)
    with site.engine.begin() as db:
        add_tournament(db, cup, site.now_s + 86400, site.now_s)
    site.play(played_record(96, equal_dice=cup), ended_s=site.now_s)
    reviewed(site.engine)
    with site.engine.connect().execution_options(reads=True) as db:
        match = db.execute(select(MATCH.c.id).where(MATCH.c.commitment == cup.commitment)).scalar_one()
    text = site.get(f"/match/{match}")
    assert "Throw by throw" not in text
    assert f"/match/{match}/record" not in text
    assert "when its tournament has closed" in site.get(f"/match/{match}/record", 404)
    with site.engine.begin() as db:
        own = TOURNAMENT.c.commitment == cup.commitment
        db.execute(update(TOURNAMENT).where(own).values(closes_s=site.now_s - 1))
    assert "Throw by throw" in site.get(f"/match/{match}")
    assert cup.commitment in site.get(f"/match/{match}/record")


def test_the_page_of_a_tug_counts_in_chance_to_win(site: Site) -> None:
    record = replace(random_record(builtin("long-game"), 2, seed=2), conditions=CONDITIONS)
    site.play(record, ended_s=site.now_s)
    reviewed(site.engine)
    with site.engine.connect().execution_options(reads=True) as db:
        (match,) = db.execute(select(MATCH.c.id).where(MATCH.c.game == "long-game")).scalars()
    text = site.get(f"/match/{match}")
    assert "best: open" in text
    assert re.search(r"luck [+−]\d+\.\d+\u00a0%, given away \d+\.\d+\u00a0%", text)
    assert not re.search(r"<h3>[^<]*: \d", text), "open tiles are no score here"


def test_the_name_of_house_rules_is_on_no_page(site: Site) -> None:
    """Forty characters that a box makes up: anybody's words, in front of everybody."""
    record = played_record(99)
    house = replace(record, profile=replace(record.profile, name="call-0900-123456"))
    site.play(house, ended_s=site.now_s)
    reviewed(site.engine)
    with site.engine.connect().execution_options(reads=True) as db:
        (match,) = db.execute(select(MATCH.c.id).where(MATCH.c.game == "call-0900-123456")).scalars()
    for path in ("/", "/?period=ever", f"/pub/{SLUG}", f"/pub/{SLUG}/tv", f"/match/{match}"):
        assert "0900" not in site.get(path), path
    assert "House rules" in site.get(f"/match/{match}")
    assert "0900" not in Landlord(site).first


def test_a_box_says_only_who_plays_on_the_board_of_its_pub(site: Site) -> None:
    """Two hundred characters of anybody's words stood there, in front of everybody."""
    for playing, score, shown in (
        ("player 1", "12 : 7", "player 1 · 12 : 7"),
        ("match over", "45 : 0 : 3", "match over · 45 : 0 : 3"),
        ("player 20", "–", "player 20 · –"),
        ("call 0900 123456", "1 : 2", ""),
        ("player 1", "call 0900 123456", "player 1 ·"),
        ("player 1", "1 : 2\n", "player 1 ·"),
    ):
        with site.place.engine.begin() as db:
            keep_health(
                db, site.enrolment.name, json.dumps({"playing": playing, "score": score}).encode(), site.now_s
            )
        text = site.get(f"/pub/{SLUG}/tv")
        assert "0900" not in text
        assert shown in text
        assert ("The box is free" in text) == (not shown)
    with site.place.engine.begin() as db:
        db.execute(delete(HEALTH))


def test_a_record_has_nobodys_own_words(site: Site) -> None:
    """Only a title, a source or a comment were needed to have the league publish a text for good."""
    record, house = write(played_record(97)), played_record(98)
    house = replace(house, profile=replace(house.profile, source="call 0900 123456"))
    for text in (f"{record}# 0900\n", record.replace("\n", "\n\n", 1), record.replace("\n1 ", "\n 1 ", 1)):
        content = MatchPlayed(1, 1_790_000_000, 1_790_000_600, text)
        with pytest.raises(RefusedError, match="as a box writes it"):
            check_match(content)
    site.play(house, ended_s=site.now_s)
    with site.engine.begin() as db:
        number = db.execute(select(func.max(MATCH.c.id))).scalar_one()
        db.execute(update(MATCH).where(MATCH.c.id == number).values(unreviewed="it took too long"))
    assert "0900" not in site.get(f"/match/{number}")
    assert f"/match/{number}/record" not in site.get(f"/match/{number}")
    assert "0900" not in site.get(f"/match/{number}/record", 404)


def test_a_form_for_another_page_is_read_before_it_is_refused(site: Site) -> None:
    """Or the web server in front, which still sends it, says 502."""
    host, port = site.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=HANG_S) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
        for _ in range(3):
            site.get("/data")
        line.setblocking(False)
        with pytest.raises(BlockingIOError):
            line.recv(1000)
        line.settimeout(HANG_S)
        line.sendall(b"x=1")
        assert b" 405 " in line.recv(1000)


def test_the_public_page_has_no_form(site: Site) -> None:
    for path in ("/", "/match/1", "/player/ANN", f"/pub/{SLUG}", "/data", "/events"):
        assert "<form" not in site.get(path)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            site.request(urllib.request.Request(site.url + path, b"x=1", method=method), 405)


@pytest.mark.parametrize("path", ["/", f"/pub/{SLUG}/tv", "/owner", "/data", "/style.css", "/elsewhere"])
def test_head_gets_the_headers_of_get(site: Site, path: str) -> None:
    """As `curl -I` asks."""
    host = site.url.removeprefix("http://")
    answers = []
    for method in ("HEAD", "GET"):
        line = http.client.HTTPConnection(host, timeout=HANG_S)
        line.request(method, path)
        answer = line.getresponse()
        headers = {name: value for name, value in answer.getheaders() if name.lower() != "date"}
        answers.append((answer.status, headers))
        line.close()
    assert answers[0] == answers[1]


def test_a_landlord_protects_and_deletes_so_many_initials_and_no_more(site: Site) -> None:
    """All 17,576 made the page a list of as many, and each that is deleted keeps the boxes waiting."""
    site.place.enrol("greedy", "The Greedy")
    landlord = Landlord(site, "The Greedy")

    def some(number: int) -> str:
        return " ".join(f"{chr(65 + number)}{a}{b}" for a in "ABCDE" for b in "ABCDEFGHIJ")

    for number in range(MAX_PROTECTED // 50):
        assert "Protected in this pub" in landlord.post(do="protect", initials=some(number))
    assert f"at most {MAX_PROTECTED} protected" in landlord.post(do="protect", initials="ZZZ")
    assert "Protected in this pub" in landlord.post(do="protect", initials=some(0)), "nobody is added"
    for number in range(FORGETS_A_DAY // 50):
        assert "Removed" in landlord.post(do="forget", initials=some(number), sure="yes")
    assert f"only {FORGETS_A_DAY} initials a day are allowed" in landlord.post(
        do="forget", initials="ZZZ", sure="yes"
    )


def test_a_landlord_protects_and_confirms_initials_of_the_own_pub(site: Site) -> None:
    landlord = Landlord(site)
    assert "Protected in this pub: PAT, QUI." in landlord.post(do="protect", initials="pat, QUI")
    site.match(50, "PAT", "ANN")
    first = site.box.matches
    site.match(51, "QUI", "PAT")
    second = site.box.matches
    assert "waits for the landlord" in site.get(f"/match/{first}")
    assert 'href="/player/PAT"' not in site.get("/?period=ever").partition("<h2>")[0]
    page = landlord.look()
    for seat in (f"{first}-1", f"{second}-1", f"{second}-2"):
        assert f'value="{seat}"' in page
    assert "Counted: 2." in landlord.post(do="confirm", seat=[f"{first}-1", f"{second}-2"])
    assert "Initials removed: 1." in landlord.post(do="deny", seat=f"{second}-1")
    assert "waits for the landlord" not in site.get(f"/match/{first}")
    assert 'href="/player/QUI"' not in site.get(f"/match/{second}")
    reviewed(site.place.engine)
    assert 'href="/player/PAT"' in site.get("/?period=ever")
    assert "No longer protected in this pub: 1." in landlord.post(do="free", initials=["PAT"])
    site.match(52, "PAT", "ANN")
    assert "waits for the landlord" not in site.get(f"/match/{site.box.matches}")


def test_a_landlord_reaches_no_other_pub(site: Site) -> None:
    stranger = site.place.enrol("bell", "The Bell")
    theirs = Landlord(site, "The Bell")
    theirs.post(do="protect", initials="UVW")
    site.match(55, "UVW", "ANN")
    assert "waits for the landlord" not in site.get(f"/match/{site.box.matches}"), "protected elsewhere only"
    ours = Landlord(site)
    ours.post(do="protect", initials="UVW")
    site.match(56, "UVW", "ANN")
    number = site.box.matches
    assert "Counted: 0." in theirs.post(do="confirm", seat=f"{number}-1")
    assert "Removed: UVW from 0 matches of this pub." in theirs.post(do="forget", initials="UVW", sure="yes")
    assert f"{number}-1" not in theirs.look()
    assert f"{number}-1" in ours.look()
    assert stranger.name == "bell.1"


def test_forgotten_initials_are_nowhere_in_the_pub(site: Site) -> None:
    site.match(60, "BYE", "ANN")
    landlord = Landlord(site)
    landlord.post(do="protect", initials="BYE")
    assert "tick that you are sure" in landlord.post(do="forget", initials="BYE")
    assert "Removed: BYE from 1 matches of this pub." in landlord.post(do="forget", initials="BYE", sure="1")
    assert "No match yet" in site.get("/player/BYE")
    assert 'value="BYE"' not in landlord.look()


def test_what_are_no_initials_is_said(site: Site) -> None:
    landlord = Landlord(site)
    for form in ("", "ABCD", "\0\0\0", "'; drop table seat", "A" * 9000):
        for do in ("protect", "forget", "free"):
            assert "Nothing was changed: " in landlord.post(do=do, initials=form, sure="yes")
        assert "Nothing was changed: no match is ticked" in landlord.post(do="confirm", seat=form)


def test_the_owner_sees_the_boxes_and_nobody_else(site: Site) -> None:
    state = {
        "version": "9.9.9",
        "levers": "worn: <4>",
        "faults": 2,
        "last_fault": "gpio: away",
        "display": False,
        "delivery": "held by the league: x",
    }
    with site.place.engine.begin() as db:
        db.execute(insert(HEALTH).values(box_id=1, state=json.dumps(state), seen_s=site.now_s))
    assert "9.9.9" not in site.get("/owner")
    landlord = Landlord(site)
    text = landlord.first
    for wanted in ("9.9.9", "worn: &lt;4&gt;", "no answer", "held by the league: x"):
        assert wanted in text
    _Well(text)
    assert "9.9.9" in landlord.look()
    odd = {"version": {"a": 1}, "display": [], "faults": "x", "temperature": float("nan"), "waiting": 10**400}
    for state_text in (json.dumps(odd), "[" * 8000, "[1]", "nonsense"):
        with site.place.engine.begin() as db:
            db.execute(update(HEALTH).values(state=state_text))
        assert "9.9.9" not in landlord.look()
        site.get(f"/pub/{SLUG}/tv")
    new_owner_token(site.place.engine, PUB)
    assert "The pub's key" in landlord.look(403)
    assert "The pub's key" in landlord.post(403, do="protect", initials="ANN")


def test_only_the_owners_page_itself_changes_anything(site: Site) -> None:
    landlord = Landlord(site)
    for origin in ("", "null", "http://evil.example", site.url + ".evil", "https" + site.url[4:]):
        landlord.post(403, origin, do="protect", initials="EVI")
    landlord.post(413, do="protect", initials="1" * 20_000)
    landlord.post(400, do="nonsense")
    landlord.post(400, **{f"x{number}": "1" for number in range(400)})
    assert "EVI" not in landlord.look()
    landlord.post(do="sign-out")
    landlord.cookie = ""
    assert "The pub's key" in landlord.post(do="protect", initials="EVI")


ODD = (
    "9" * 18, "9" * 4400, "0", "%00", "1%00", "-1", "%F0%28", "%ED%A0%80", "١", "a" * 70, "' or 1", "<i>",
    "ann", "owner",
)  # fmt: skip


@pytest.mark.parametrize(
    "path", ["/match/{}", "/match/{}/record", "/event/{}", "/tournament/{}", "/pub/{}", "/player/{}", "/{}/"]
)
def test_what_is_not_there_is_said(site: Site, path: str) -> None:
    for odd in ODD:
        _Well(site.get(urllib.parse.quote(path.format(odd), safe="/%"), 404))


@pytest.mark.parametrize("path", ["/match/99999", "/no/such/page"])
def test_a_page_that_is_not_there_leads_on(site: Site, path: str) -> None:
    """Whoever followed an old link reads English, not a server's words, and a way on."""
    page = site.get(path, 404)
    assert "There is no such" in page
    assert "Not Found" not in page
    assert '<a href="/">the league\'s first page</a>' in page


def test_odd_questions_are_passed_over(site: Site) -> None:
    for odd in ("%00", "%FF", "9" * 5000, "%ED%A0%80", "[]"):
        for name in ("table", "period", "by", "x" * 100):
            assert site.get(f"/?{name}={odd}") == site.get("/")


def test_an_event_names_the_next_pairing(site: Site) -> None:
    tonight = night_of(site.now_s, zone_of("UTC"))
    with site.place.engine.begin() as db:
        four = ["UMA", "VIC", "WIM", "XIA"]
        cup = ("Cup", "knockout", GAME, four, tonight, tonight)
        event_id, _ = make_event(db, *cup, boxes=["anchor"], zone=UTC)
    reviewed(site.engine)
    assert "UMA against XIA" in site.get(f"/event/{event_id}")
    site.match(70, "UMA", "XIA")
    reviewed(site.engine)
    text = site.get(f"/event/{event_id}")
    assert "UMA against XIA" not in text
    assert "VIC against WIM" in text
    assert "<h2>Matches</h2>" in text
    assert "UMA" in text.partition("<h2>Matches</h2>")[2]
    assert re.findall(r'<tr><td class="n">(\d)</td>', text) == ["1", "1", "1", "4"]
    _Well(text)


def test_an_entrant_confirms_a_match_at_a_box_that_the_event_does_not_name(site: Site) -> None:
    tonight = night_of(site.now_s, zone_of("UTC"))
    with site.place.engine.begin() as db:
        cup = ("Open", "round-robin", GAME, ["OLA", "PIA"], tonight, tonight)
        event_id, codes = make_event(db, *cup, boxes=[], zone=UTC)
    site.match(71, "OLA", "PIA")
    reviewed(site.engine)
    text = site.get(f"/event/{event_id}")
    assert "waits for OLA and PIA" in text
    _Well(text)
    match = re.findall(r"match (\d+)</a>: OLA", text)[0]

    def confirm(initials: str, code: str, origin: str = site.url, status: int = 200) -> str:
        form = {"initials": initials, "code": code, "match": match}
        data = urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(f"{site.url}/event/{event_id}", data, {"Origin": origin})
        return site.request(request, status)

    assert "Nothing was changed: wrong code for these initials." in confirm("OLA", codes["PIA"])
    confirm("OLA", codes["OLA"], "https://elsewhere.example", 403)
    with (
        site.place.engine.begin()
    ):  # as while matches are committed: whoever guesses waits for no lock, and takes none
        assert "Nothing was changed" in confirm("OLA", "a guess")
    assert "Thank you." in confirm("ola", codes["OLA"])
    assert "waits for PIA" in site.get(f"/event/{event_id}")
    confirm("PIA", codes["PIA"])
    reviewed(site.engine)
    assert "has won." in site.get(f"/event/{event_id}")


def test_a_landlord_makes_a_match_void_and_takes_it_back(site: Site) -> None:
    site.match(72, "QUI", "REX")
    reviewed(site.engine)
    landlord = Landlord(site)
    match = re.findall(r'name="match" value="(\d+)"', landlord.look())[0]
    assert "Void: 1." in landlord.post(do="void", match=match)
    assert "by the landlord of The &lt;b&gt;Anchor" in site.get(f"/match/{match}")
    assert "(void)" in site.get("/player/QUI")
    assert "Nothing was changed" in landlord.post(do="void", number="x 999999")
    voiding = re.findall(r'name="voiding" value="(\d+)"', landlord.look())[0]
    assert "They count again: 1." in landlord.post(do="undo", voiding=voiding)
    assert "Void" not in site.get(f"/match/{match}")
    assert "Nothing was changed" in landlord.post(do="undo", voiding=voiding)
    _Well(landlord.look())


def test_a_match_says_why_it_is_over(site: Site) -> None:
    site.send(site.box.play(played_record(1, game="tournament-100"), site.now_s))
    front = site.get("/")
    assert "(100 points reached)" in front
    latest = front.partition('href="/match/')[2].partition('"')[0]
    assert "<p>100 points reached.</p>" in site.get(f"/match/{latest}")


def test_a_tournaments_seed_is_shown_when_it_has_closed(site: Site) -> None:
    for name, closes_s, shown in (("Old", site.now_s - 10, True), ("New", site.now_s + 10**6, False)):
        cup = Tournament(name, ("a" if shown else "b") * 64)
        with site.place.engine.begin() as db:
            add_tournament(db, cup, closes_s, site.now_s)
        text = site.get(f"/tournament/{cup.commitment}")
        assert (cup.seed in text) is shown
        _Well(text)


def test_a_season_is_a_quarter() -> None:
    for night, first in (((12, 31), 10), ((1, 1), 1), ((9, 30), 7)):
        assert first_of(Period.SEASON, date(2026, *night)) == date(2026, first, 1)


def test_a_match_that_does_not_count_is_shown_with_the_reason(site: Site) -> None:
    record = played_record(80)
    assert record.conditions is not None
    real = replace(record, conditions=record.conditions._replace(real_dice=True))
    site.send(site.box.play(real, site.now_s))
    assert "real dice: not ranked" in site.get("/")


def test_a_match_that_counts_for_nothing_is_no_victory_on_any_list(site: Site) -> None:
    """On the pub's board, a void one was as good as any, and protected initials were as good as confirmed."""
    lists = ("/", f"/pub/{SLUG}", f"/pub/{SLUG}/tv", "/player/PIN")
    site.protect(["PIN"])
    site.match(82, "PIN")
    for path in lists:
        assert re.search(r"PIN [^,]*\(to be confirmed\)", site.get(path)), path
    with site.engine.begin() as db:
        number = db.execute(select(func.max(MATCH.c.id))).scalar_one()
        void_match(db, number, site.now_s, night_of(site.now_s, UTC))
        free(db, ["PIN"], None)
    for path in lists:
        assert re.search(r"PIN .*\(void\)", site.get(path)), path


def test_a_match_names_the_seat_that_could_not_be_counted(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise ArithmeticError

    site.match(81, "ANN")
    with monkeypatch.context() as broken:
        broken.setattr(reviewer, "count_seat", fail)
        reviewed(site.engine)
    assert "(not counted: ArithmeticError)" in site.get(f"/match/{site.box.matches}")


def pages_of_all_kinds(site: Site) -> list[str]:
    """Addresses: one page of each kind, and of each format of event."""
    night = night_of(site.now_s, zone_of("UTC"))
    cup = Tournament("Axe", "c" * 64)
    with site.place.engine.begin() as db:
        four = ["KIM", "LEO", "MAX", "NOA"]
        events = [
            make_event(db, f"The {style}", style, GAME, four, night, night, boxes=["anchor"], zone=UTC)[0]
            for style in Format
        ]
        add_tournament(db, cup, site.now_s - 10, site.now_s)
    reviewed(site.engine)  # or the events have no tables yet
    own = ["/", f"/pub/{SLUG}", f"/pub/{SLUG}/tv", "/match/1", "/player/ANN", "/data", "/x", "/events"]
    return [*own, *(f"/event/{event}" for event in events), f"/tournament/{cup.commitment}", "/owner"]


@pytest.mark.timeout(300)
def test_nothing_keeps_people_out_on_a_phone_or_a_television(site: Site, tmp_path: Path) -> None:
    paths = pages_of_all_kinds(site)
    landlord = Landlord(site)
    landlord.post(do="protect", initials="RST")
    site.match(90, "RST", "ANN")
    browser = start_chromium(tmp_path)
    try:
        for width, height in ((360, 800), (1920, 1080)):
            browser.set_window_size(width, height)
            for path in (*paths, "/owner"):
                browser.get(site.url + path)
                for field in browser.find_elements("name", "key"):
                    field.send_keys(landlord.key)
                    browser.find_element("tag name", "button").click()
                    until(lambda: browser.find_elements("name", "seat"))
                assert serious_findings(browser) == [], path
                wider = "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
                assert browser.execute_script(wider) == 0, (path, width)
    finally:
        browser.quit()
