"""The scoreboard's page: from the file that the daemon writes to HTML, without a script."""

import json
import time
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, TypeAlias

from shutthebox.adapters.store.scores_file import VERSION
from shutthebox.game.messages import Translate
from shutthebox.translations import translations

REFRESH_S = 15
"""How often a browser asks again."""

_Scores: TypeAlias = Mapping[str, Any]


def page(text: str, language: str) -> str:
    """The whole page.

    Args:
        text: the file's. Whatever is not as our daemon writes it, an empty text included, gives
            the page of a box that is at rest.
        language: of that page; all others are in the language that the box speaks.
    """
    try:
        scores = json.loads(text)
        if scores["version"] != VERSION:
            raise ValueError("another version's")
        words = translations()[scores["language"]]
        parts = [_running(scores, words), _matches(scores, words), _fame(scores, words), _dice(scores, words)]
        return _frame(scores["language"], words, parts)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, OSError, RecursionError):
        _ = words = translations()[language]
        return _frame(language, words, [_section(_("The box is at rest"), ())])


def _frame(language: str, words: Translate, parts: Iterable[str]) -> str:
    _ = words
    title = escape(_("Shut the Box"))
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="refresh" content="{REFRESH_S}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<link rel="stylesheet" href="/style.css">\n</head>\n<body>\n'
        f"<h1>{title}</h1>\n<main>\n{''.join(parts)}</main>\n</body>\n</html>\n"
    )


def _running(scores: _Scores, words: Translate) -> str:
    _ = words
    running = scores["running"]
    if running is None:
        return _section(_("Nobody is playing"), ())
    rows = [
        _row(
            (
                _("Player {number}").format(number=player),
                _score(score),
                # Whoever has had no turn has no points yet, not the nought of a shut box.
                _score(None if score is None else total),
            ),
            now=player == running["player"] and not running["winners"],
            won=player in running["winners"],
        )
        for player, (score, total) in enumerate(
            zip(running["scores"], running["totals"], strict=True), start=1
        )
    ]
    game = scores.get("game")
    heading = _("Now playing: {game}").format(game=game) if game else _("Now playing")
    return _section(heading, rows, ("", _("last turn"), _("so far")))


def _matches(scores: _Scores, words: Translate) -> str:
    _ = words
    rows = []
    for match in scores.get("matches", ()):
        players = ", ".join(map(_result, match["players"]))
        rows.append(_row((_date(match["began_s"]), match["profile"], players)))
    return _section(_("Last matches"), rows)


def _result(player: _Scores) -> str:
    """Who, how many, and whether that won; never broken over two lines."""
    who = player["initials"] or player["number"]
    return f"{who}:\u00a0{_score(player['score'])}" + ("\u00a0★" if player["won"] else "")


def _score(score: int | None) -> str:
    """A dash for a turn that was not played."""
    return "–" if score is None else f"{score:d}"


def _fame(scores: _Scores, words: Translate) -> str:
    _ = words
    rows = [
        _row((famous["initials"], _score(famous["score"]), famous["profile"], _date(famous["began_s"])))
        for famous in scores.get("fame", ())
    ]
    return _section(_("Hall of fame"), rows)


def _dice(scores: _Scores, words: Translate) -> str:
    _ = words
    rows = []
    for entry in scores.get("dice", ()):
        if entry["dice"] == 1 and not entry["die"]:
            continue  # the total of one die is the die
        what = _("Die {number}").format(number=entry["die"]) if entry["die"] else _("Total")
        p_value = entry["p_value"]
        verdict = _("too few to tell") if p_value is None else f"p = {p_value:.2f}"
        rows.append(_row((f"{entry['dice']:d}d{entry['sides']:d} {what}", f"{entry['throws']:d}", verdict)))
    note = _("p: how often honest dice look at least as uneven. Players' own dice are not counted.")
    return _section(_("The box's dice"), rows, ("", _("throws"), ""), note if rows else "")


def _section(heading: str, rows: Iterable[str], columns: Iterable[str] = (), note: str = "") -> str:
    body = "".join(rows)
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    table = f"<table>\n{f'<tr>{head}</tr>' if head else ''}{body}</table>\n" if body else ""
    below = f"<p>{escape(note)}</p>\n" if note else ""
    return f"<section>\n<h2>{escape(heading)}</h2>\n{table}{below}</section>\n"


def _row(cells: Iterable[object], *, now: bool = False, won: bool = False) -> str:
    kind = ' class="won"' if won else ' class="now"' if now else ""
    return f"<tr{kind}>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>\n"


def _date(began_s: float) -> str:
    # With hyphens at which no line breaks.
    return time.strftime("%Y\u2011%m\u2011%d", time.localtime(began_s))
