"""Every kind of fact is drawn, recorded, replayed, recovered; what was written is readable for ever."""

import sqlite3
from contextlib import closing
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from hypothesis import settings
from tests.support.kept import sound
from tests.support.writer import facts_of_all_kinds

from shutthebox.adapters.store.chain import Head, read_mark
from shutthebox.adapters.store.database import STORE_FILE, Store
from shutthebox.adapters.store.errors import StoreError
from shutthebox.adapters.store.recovery import good_part
from shutthebox.adapters.store.stored_facts import (
    BoxKeys,
    BoxQuit,
    BoxSigned,
    FactsLost,
    FaultKept,
    LaterFact,
    MatchBegun,
    MatchDecided,
    MatchLeft,
    MatchLinked,
    MatchResumed,
    PlayedAgain,
    PlayerResult,
    RematchSecret,
    ResultSigned,
    StoredFact,
    SwitchesWorn,
    fact_from_text,
)
from shutthebox.game.facts import Began, BestTotal, Chosen, ClockShown, Fact, PageRules, Streak, WrongCodes
from shutthebox.link.match import Revealed, Rolled
from shutthebox.rules.actions import Advanced, Moved, OutOfTime, Reopened, Thrown
from shutthebox.rules.conditions import Conditions, LinkProof
from shutthebox.rules.match import begin
from shutthebox.simulator.scenario.effect_lines import fact_text

WRITTEN: dict[str, StoredFact] = {
    'begin [1,1700000000,"name = \\"pub\\"",2,1,"dice box\\nversion 1.0.0 rules 4",6]': MatchBegun(
        1, 1_700_000_000, 'name = "pub"', 2, 1, "dice box\nversion 1.0.0 rules 4", 6
    ),
    'resume [1,"dice real"]': MatchResumed(1, "dice real"),
    'lost [1,5,"dice box\\nlost 5"]': FactsLost(1, 5, "dice box\nlost 5"),
    'finish [1,[[0,34,"-1/2",1,0],[1,null,"1/2",0,1]]]': MatchDecided(
        1,
        (
            PlayerResult(0, 34, Fraction(-1, 2), won=True, captain=False),
            PlayerResult(1, None, Fraction(1, 2), won=False, captain=True),
        ),
    ),
    'sign [1,0,"ANN"]': ResultSigned(1, 0, "ANN"),
    "leave [1]": MatchLeft(1),
    'choose ["game.players",2]': Chosen("game.players", 2),
    'choose ["box.sound",false]': Chosen("box.sound", False),
    'choose ["game.rounds",null]': Chosen("game.rounds", None),
    'choose ["game.handicap",[0,[1,2]]]': Chosen("game.handicap", (0, (1, 2))),
    'choose ["best.ladder.9",17]': BestTotal("ladder.9", 17),
    'choose ["puzzle.streak",[739000,12]]': Streak(739_000, 12),
    'choose ["rules.page","name = \\"ours\\"\\n"]': PageRules('name = "ours"\n'),
    'choose ["service.wrong_codes",6]': WrongCodes(6),
    'choose ["service.wrong_codes",null]': WrongCodes(0),
    "wear [[0,3,0],[2,0,1]]": SwitchesWorn(((0, 3, 0), (2, 0, 1))),
    'fault [1700000000,"store","caf\\u00e9"]': FaultKept(1_700_000_000, "store", "café"),
    "throw 3+5": Thrown((3, 5)),
    "shut 1,7": Moved(0b1000001),
    "shut -": Moved(0),
    "open 4": Reopened(4),
    "time": OutOfTime(),
    "next": Advanced(),
    "clock 7": ClockShown(7),
    f'link [1,"{"5e" * 16}",0,"{"3c" * 32}",600,["The Anchor","The Crown"],["{"0a" * 32}","{"77" * 32}"]]': (
        MatchLinked(1, "5e" * 16, 0, "3c" * 32, 600, ("The Anchor", "The Crown"), ("0a" * 32, "77" * 32))
    ),
    "roll 2": Rolled(2),
    f"reveal {'5d' * 32}": Revealed("5d" * 32),
    f'keys [1,["{"5e" * 32}",""]]': BoxKeys(1, ("5e" * 32, "")),
    f'signature [1,1,"{"c4" * 64}"]': BoxSigned(1, 1, "c4" * 64),
    "quit [1,0,1]": BoxQuit(1, 0, has_thrown=True),
    f'again [2,"{"5e" * 16}"]': PlayedAgain(2, "5e" * 16),
    f'rematch [1,"{"3c" * 32}"]': RematchSecret(1, "3c" * 32),
}
"""What stores have of every kind. A line here is never changed: it is on somebody's card."""


@pytest.mark.parametrize("text", WRITTEN)
def test_what_was_written_is_read_and_would_be_written_so_again(text: str) -> None:
    assert fact_from_text(text) == WRITTEN[text]
    assert WRITTEN[text].to_text() == text


def test_every_kind_that_is_written_stands_here() -> None:
    assert {type(fact) for fact in WRITTEN.values()} == set(get_args(StoredFact)) - {LaterFact}


def test_the_checksums_of_written_facts_stay_right() -> None:
    head = Head()
    for text in WRITTEN:
        head = head.after(text)
    assert head == Head(32, 211_903_691_007_705)


@pytest.mark.parametrize(
    ("text", "is_play"),
    [("lid [1,true]", False), ("stop", True), ("shut 3,10+", True), ("", True), ("throw x", True)],
)
def test_what_only_a_later_version_understands_stays_where_it_is(text: str, is_play: bool) -> None:
    assert fact_from_text(text) == LaterFact(text)
    assert LaterFact(text).to_text() == text
    assert LaterFact(text).is_play is is_play


@pytest.mark.parametrize(
    "text",
    [
        "begin",
        "begin []",
        'begin [1,"x","",1,1,"",6]',
        "leave [null]",
        'finish [1,[[0,1,"1/0",1,0]]]',
        'finish [1,[[0,1,"1e99999999",1,0]]]',
        "wear [[1,2]]",
        "choose [[]]",
        "clock x",
    ],
)
def test_nonsense_behind_a_known_word_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        fact_from_text(text)


# -- every kind --------------------------------------------------------------------------------

EVENING = 20 * settings().max_examples + 800


def texts(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as db:
        return [text for (text,) in db.execute("select text from fact order by number")]


def test_every_kind_of_fact_is_drawn_recorded_replayed_and_recovered(tmp_path: Path) -> None:
    drawn = list(islice(facts_of_all_kinds(Random(23)), EVENING))
    assert {type(fact) for fact in drawn} == set(get_args(Fact)), "drawn"
    with closing(Store(tmp_path, lambda: 1_700_000_000.0)) as store:
        store.connection.execute("pragma synchronous = off")
        for fact in drawn:
            assert fact_text(fact), "shown"
            store.keep(fact)
        store.keep_health({1: 3}, {})
    kept = texts(tmp_path / STORE_FILE)
    read = [fact_from_text(text) for text in kept]
    assert {type(fact) for fact in read} == set(get_args(StoredFact)) - {LaterFact, FactsLost}, "recorded"
    assert [fact.to_text() for fact in read] == kept, "replayed"
    sound(tmp_path).close()
    recovered = good_part(tmp_path / STORE_FILE, read_mark(tmp_path / STORE_FILE))
    (tmp_path / "new").write_bytes(recovered.content)
    assert (recovered.lost, texts(tmp_path / "new")) == (0, kept), "recovered"


def test_a_match_on_two_boxes_never_goes_on_at_one_alone(tmp_path: Path) -> None:
    """Its plug was pulled while the box kept its beginning: its dice would be this box's own."""
    begun = next(fact for fact in facts_of_all_kinds(Random(1)) if isinstance(fact, Began))
    proof = LinkProof(("a" * 64, "b" * 64), ("a" * 64, "b" * 64))
    with closing(Store(tmp_path, lambda: 1_700_000_000.0)) as store:
        store.keep(Began(begin(begun.match.game, 2), Conditions(linked=proof)))
        with pytest.raises(StoreError, match="its link to the other box"):
            store.running_match()
