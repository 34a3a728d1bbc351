"""The scoreboard's file, and its page."""

import time
from typing import Any

from shutthebox.adapters.store.scores_file import VERSION
from shutthebox.night import night_of
from shutthebox.translations import translations
from shutthebox.web.scoreboard.page import page

NOW_S = int(time.time())
NOW = night_of(NOW_S)
TODAY = NOW.isoformat()
HONOUR = {"initials": "ANN", "score": 3, "game": "English pub", "began_s": 0}
SCORES: dict[str, Any] = {
    "version": VERSION,
    "language": "en",
    "running": {
        "game": "English pub",
        "player": 2,
        "seats": ["ANN", "Player 2"],
        "tiles": [[1, "open"], [2, "flipped"], [3, "shut"], [4, "viable"]],
        "throw": [3, 5],
        "says": "3 to go",
        "scores": [15, None],
        "totals": [15, 0],
        "winners": [],
        "stakes": "Everybody pays one stake.",
        "owes": ["1", "-1/2"],
    },
    "rules": {"game": "English pub", "rules": ["A throw is 2 dice.", "The lowest score wins."]},
    "day": TODAY,
    "matches": [
        {
            "began_s": 0,
            "game": "English pub",
            "players": [
                {"number": 1, "score": 3, "won": True, "initials": "ANN"},
                {"number": 2, "score": 9, "won": False, "initials": None},
            ],
        }
    ],
    "today": [HONOUR],
    "month": [HONOUR],
    "ever": [HONOUR, HONOUR | {"initials": "BOB", "game": "Trac"}],
    "captains": [HONOUR | {"initials": "CAT"}],
}

RULES = "rules/en/pub.html"


def made(**changes: Any) -> str:
    """The page with these scores, in the language that they name."""
    scores = SCORES | changes
    return page(scores, translations()[scores["language"]], RULES)
