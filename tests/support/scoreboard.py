"""The scoreboard's document, and its page."""

import time
from dataclasses import fields, replace
from typing import Any

from shutthebox.adapters.store.queries import Player
from shutthebox.adapters.store.scores import (
    BoxHealth,
    FinishedMatch,
    GameRules,
    Honour,
    Past,
    PuzzleStreak,
    RunningMatch,
    Scores,
)
from shutthebox.adapters.store.scores_file import VERSION
from shutthebox.night import night_of
from shutthebox.translations import translations
from shutthebox.web.scoreboard.page import page

NOW_S = int(time.time())
NOW = night_of(NOW_S)
TODAY = NOW.isoformat()
HONOUR = Honour("ANN", 3, "English pub", 0)
RUNNING = RunningMatch(
    game="English pub",
    player=2,
    seats=("ANN", "Player 2"),
    tiles=((1, "open"), (2, "flipped"), (3, "shut"), (4, "viable")),
    throw=(3, 5),
    says="3 to go",
    scores=(15, None),
    totals=(40, 0),
    winners=(),
    stakes="Everybody pays one stake.",
    owes=("1", "-1/2"),
)
MATCH = FinishedMatch(0, "English pub", (Player(1, 3, True, "ANN"), Player(2, 9, False, None)))
PAST = Past(
    day=TODAY,
    matches=(MATCH,),
    today=(HONOUR,),
    month=(HONOUR,),
    ever=(HONOUR, replace(HONOUR, initials="BOB", game="Trac")),
    captains=(replace(HONOUR, initials="CAT"),),
    streak=PuzzleStreak(0, 0),
    health=BoxHealth(0, 0, {}, ()),
)
SCORES = Scores(
    version=VERSION,
    program="1.0.0",
    display=None,
    language="en",
    running=RUNNING,
    puzzles=None,
    rules=GameRules("English pub", ("A throw is 2 dice.", "The lowest score wins.")),
    past=PAST,
)

RULES = "rules/en/pub.html"


def scores_with(**parts: Any) -> Scores:
    """`SCORES` with other parts, also of the past."""
    past = {field.name: parts.pop(field.name) for field in fields(Past) if field.name in parts}
    return replace(SCORES, past=replace(PAST, **past), **parts)


def made(**parts: Any) -> str:
    """The page with these scores, in the language that they name."""
    scores = scores_with(**parts)
    return page(scores, translations()[scores.language], RULES)
