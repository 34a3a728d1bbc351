"""Actions: their texts, their effects on a match, and the reasons against one."""

import re
from contextlib import nullcontext

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from tests.support import generate

from shutthebox.config import profiles
from shutthebox.config.profiles import builtin
from shutthebox.rules.actions import (
    ACTIONS,
    Action,
    Advanced,
    BareAction,
    Moved,
    OutOfTime,
    Reopened,
    Thrown,
    action_from_text,
    apply,
)
from shutthebox.rules.conditions import RULES_VERSION
from shutthebox.rules.match import Match, begin
from shutthebox.rules.profile import Profile
from shutthebox.rules.record import parse, write
from shutthebox.rules.tiles import to_tiles

DATA: dict[type[Action], st.SearchStrategy[Action]] = {
    Thrown: st.builds(Thrown, st.lists(st.integers(1, 21), min_size=1, max_size=9).map(tuple)),
    Moved: st.builds(Moved, st.sets(st.integers(1, 14), max_size=4).map(to_tiles)),
    Reopened: st.builds(Reopened, st.integers(1, 14)),
}
actions: st.SearchStrategy[Action] = st.one_of(
    *(st.just(kind()) if issubclass(kind, BareAction) else DATA[kind] for kind in ACTIONS)
)


def test_every_kind_of_action_is_drawn_played_and_recorded() -> None:
    for record in generate.records_of_every_action(1):
        assert parse(write(record), "x", builtin) == record


ACTIONS_OF_RULES = {4: ("throw", "shut", "open", "time", "next")}
"""The words of the actions in each version of the rules since this is checked."""


def test_a_new_action_is_a_new_version_of_the_rules() -> None:
    """A box without it would take the match of one that has it, and could not follow it."""
    assert ACTIONS_OF_RULES.get(RULES_VERSION) == tuple(kind.WORD for kind in ACTIONS), (
        "raise RULES_VERSION in rules/conditions.py, and add its actions here"
    )


@pytest.mark.parametrize("kind", ACTIONS)
@pytest.mark.parametrize("answer", ["PEER_MAY_SEND", "IS_RANKED"])
def test_each_action_says_itself_where_it_is_allowed(kind: type[Action], answer: str) -> None:
    """A default would let the next action in from another box, and into the league, without a thought."""
    assert isinstance(vars(kind).get(answer), bool), f"{kind.__name__} has to say {answer}"


@given(actions)
def test_text_reads_back(action: Action) -> None:
    assert action_from_text(action.to_text()) == action


TEXTS = [
    *(
        "",
        "throw",
        "throw 3+",
        "throw 3 5",
        "throw 03",
        "throw 181",
        "throw ³",
        "throw " + "9" * 5000,
    ),
    *("shut", "shut 0", "shut 7,1", "shut 1,1", "shut 1,,2", "shut +1", "shut 02", "shut 1,-"),
    *("open", "open 55", "open 1,2", "time 1", "next 1", "roll 3+5", "throw 3+5\n"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_fail__text(text: str) -> None:
    with pytest.raises(ValueError):
        action_from_text(text)


def to(name: str, *texts: str) -> Match:
    match = begin(profiles.builtin(name), 2)
    for text in texts:
        match = apply(match, action_from_text(text))
    return match


def agree(match: Match, action: Action) -> None:
    """The match refuses this action exactly if there is a reason, and says it."""
    reason = action.why_not(match)
    assert reason is None or reason.isprintable()
    with nullcontext() if reason is None else pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        apply(match, action)


MOST_SHUT = ("throw 6+6", "shut 3,9", "throw 6+6", "shut 4,8", "throw 6+6", "shut 5,7")


@pytest.mark.parametrize(
    ("name", "before", "tried", "reason"),
    [
        ("pub", [], "next", "a throw is due"),
        ("pub", [], "shut 8", "a throw is due"),
        ("pub", ["throw 3+5"], "throw 3+5", "the throw on the table needs its answer first"),
        ("pub", ["throw 3+5"], "next", "the throw on the table needs its answer first"),
        ("unlucky-seven", ["throw 3+4"], "shut 7", "the turn is over; its end comes next"),
        ("unlucky-seven", ["throw 3+4"], "throw 1+1", "the turn is over; its end comes next"),
        ("pub", [], "throw 1", "one die: not yet, with 1,2,3,4,5,6,7,8,9 open"),
        ("pub", [], "throw 13", "one die: not yet"),
        ("thai", [], "throw 3", "one die: not here"),
        ("pub", [], "throw 3+7", "a die shows 1 to 6"),
        ("pub", [], "throw 1+2+3", "3 dice are never thrown in this game"),
        ("2012", [], "throw 21", "a die shows 1 to 20"),
        ("domino-bag", ["throw 1+6", "shut 7"], "throw 6+1", "the domino 1-6 has already been drawn"),
        ("domino-bag", [], "throw 3", "a domino has two ends of 1 to 6"),
        (
            "head-to-head",
            ["throw 4+4", "shut 8", "throw 4+4", "shut 8", "throw 6+3", "shut 9"],
            "throw 3+6",
            "the throw for everyone is 6+3",
        ),
        ("pub", ["throw 4+4"], "shut 2,5", "2,5 adds up to 7, not 8"),
        ("add-or-subtract", ["throw 4+1"], "shut 4", "4 adds up to 4, not 5 or 3"),
        ("pub", ["throw 4+4"], "shut 12", "12 is not on the box"),
        ("pub", ["throw 4+4", "shut 8", "throw 5+4"], "shut 1,8", "8 is not open"),
        ("pub", ["throw 4+4", "shut 1,7", "throw 4+4"], "shut 1,7", "1,7 are not open"),
        ("pub", ["throw 4+4"], "shut -", "8 can be shut"),
        ("two-to-go", ["throw 4+4"], "shut 8", "the first move must shut 2"),
        ("max-two", ["throw 4+4"], "shut 1,2,5", "1,2,5 are more than 2 in one move"),
        (
            "trac",
            ["throw 3+4"],
            "shut 3",
            '3 does not answer 3+4: with move = "faces", use 7, or 3,4',
        ),
        ("pub", ["throw 4+4"], "open 8", "shut tiles never open again in this game"),
        ("open-one", ["throw 4+4"], "open 8", "no tile may be opened while 8 can be shut"),
        ("open-one", [*MOST_SHUT, "throw 5+5"], "shut -", "a tile must be opened: 3,4,5,7,8,9"),
        ("open-one", [*MOST_SHUT, "throw 5+5"], "open 1", "1 is open already"),
        ("open-one", [*MOST_SHUT, "throw 5+5"], "open 12", "12 is not in play"),
        ("jouhet", [*MOST_SHUT, "throw 1+2", "shut 1,2"], "throw 1+2", "one die now"),
    ],
)
def test_reasons(name: str, before: list[str], tried: str, reason: str) -> None:
    match, action = to(name, *before), action_from_text(tried)
    assert (action.why_not(match) or "").startswith(reason)
    agree(match, action)


@settings(deadline=None)
@given(generate.profiles(), st.integers(1, 3), st.integers(0, 2**32 - 1), st.integers(0, 60), actions)
def test_there_is_a_reason_exactly_when_the_match_refuses(
    profile: Profile, players: int, seed: int, steps: int, tried: Action
) -> None:
    match = begin(profile, generate.seats(profile, players))
    for before, action, match in generate.play(profile, players, seed, steps):
        assert action.why_not(before) is None
        # Once more, and all that needs no number.
        for again in (action, OutOfTime(), Advanced(), Moved(0)):
            agree(match, again)
    agree(match, tried)
