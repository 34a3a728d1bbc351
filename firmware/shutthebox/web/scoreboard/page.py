"""The scoreboard's pages: from the file that the daemon writes to HTML."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache
from html import escape
from typing import Any, TypeAlias

import segno

from shutthebox.adapters.store.scores_file import VERSION
from shutthebox.config.puzzles import puzzle_of
from shutthebox.game.messages import Translate
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.translations import translations
from shutthebox.web.how_to_play import how_to_play

REFRESH_S = 15
"""How often a browser without scripts asks again; the page's script asks more often."""

RULES_PATH = "/rules"

_Scores: TypeAlias = Mapping[str, Any]
_ONE_ROW = 12  # tiles, in large figures
_MADE_OF_RUBBISH = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    OSError,
    RecursionError,
)


def page(text: str, language: str, rules_url: str | None = None) -> str:
    """The whole page.

    Args:
        text: the file's. Any text that our daemon would not write, an empty one included, gives the page of
        a box at rest.
        language: of that page; all others are in the language that the box speaks.
        rules_url: the address of the rules for visitors' own telephones, as a QR code; None for no code.
    """

    def whole(scores: _Scores, words: Translate) -> str:
        parts = (_running(scores, words), *_past(scores, words))
        return _frame(scores["language"], words, "".join(parts), rules_url)

    def at_rest(words: Translate) -> str:
        _ = words
        return _frame(language, words, _section("running", _("The box is at rest"), ""), rules_url)

    return _made(text, language, whole, at_rest)


def rules_page(text: str, language: str) -> str:
    """The rules of the game on the table, or of the usual one, and how it is played on the box.

    Args:
        text: as for `page`.
        language: of a page without a game.
    """

    def whole(scores: _Scores, words: Translate) -> str:
        _ = words
        rules = scores["rules"]
        items = "".join(f"<li>{escape(sentence)}</li>\n" for sentence in map(str, rules["rules"]))
        heading = _("The rules: {game}").format(game=rules["game"])
        part = _section("rules", heading, f"<ul>\n{items}</ul>\n")
        return _frame(scores["language"], words, part + _how_to_play(words), kind="reading")

    return _made(
        text, language, whole, lambda words: _frame(language, words, _how_to_play(words), kind="reading")
    )


def _made(
    text: str,
    language: str,
    whole: Callable[[_Scores, Translate], str],
    otherwise: Callable[[Translate], str],
) -> str:
    try:
        scores = json.loads(text)
        if scores["version"] != VERSION:
            raise ValueError("another version's")
        return whole(scores, translations()[scores["language"]])
    except _MADE_OF_RUBBISH:
        return otherwise(translations()[language])


def _frame(
    language: str, words: Translate, parts: str, rules_url: str | None = None, kind: str = "board"
) -> str:
    _ = words
    title = escape(_("Shut the Box"))
    refreshed = kind == "board"
    refresh = f'<noscript><meta http-equiv="refresh" content="{REFRESH_S}"></noscript>\n' if refreshed else ""
    script = '<script src="/board.js" defer></script>\n' if refreshed else ""
    other, label = (RULES_PATH, _("The rules")) if refreshed else ("/", _("The scores"))
    code = _qr_code(rules_url) if rules_url else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n{refresh}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<link rel="stylesheet" href="/style.css">\n{script}</head>\n'
        f'<body class="{kind}">\n<header>\n<h1>{title}</h1>\n'
        f'<a href="{other}">{code}<span>{escape(label)}</span></a>\n</header>\n'
        f"<main>\n{parts}</main>\n</body>\n</html>\n"
    )


@lru_cache(maxsize=4)
def _qr_code(url: str) -> str:
    code = segno.make_qr(url, error="m")
    return code.svg_inline(
        border=2, dark="#1b0f07", light="#fff", omitsize=True, svgclass="code", lineclass=None
    )


def _running(scores: _Scores, words: Translate) -> str:
    _ = words
    running = scores["running"]
    if running is None:
        return _section("running", _("Nobody is playing"), _puzzle(scores, words))
    owes = running["owes"] or [None] * len(running["scores"])
    rows = [
        _row(
            (
                seat,
                _score(score),
                # A player who has had no turn has no points yet, not the 0 of a shut box.
                _score(None if score is None else total),
                *([] if stakes is None else [_owes(stakes, words)]),
            ),
            now=player == running["player"] and not running["winners"],
            won=player in running["winners"],
        )
        for player, (seat, score, total, stakes) in enumerate(
            zip(running["seats"], running["scores"], running["totals"], owes, strict=True), start=1
        )
    ]
    columns = ("", _("last turn"), _("so far"), *((_("stakes"),) if running["owes"] else ()))
    stakes = running["stakes"]
    body = (
        f'<div class="play">\n{_tiles(running["tiles"])}{_throw(running["throw"])}'
        f'<p class="says">{escape(str(running["says"]))}</p>\n</div>\n'
        + _table(rows, columns)
        + (f'<p class="stakes">{escape(stakes)}</p>\n' if stakes else "")
    )
    return _section("running", _("Now playing: {game}").format(game=running["game"]), body)


def _puzzle(scores: _Scores, words: Translate) -> str:
    """The puzzle of today, with the best answer once the box has got one; for a box that nobody plays on."""
    _, streak = words, scores.get("streak")
    today = _today().toordinal()
    puzzle = puzzle_of(today)
    states = ((tile, "open" if puzzle.open & to_tiles([tile]) else "shut") for tile in puzzle.profile.tiles)
    says = _("Which answer is best? Tell the box: menu, Puzzle.")
    if streak is not None and streak["day"] == today:
        best = ", ".join(map(str, to_numbers(puzzle.best)))
        solved = _("Solved, {count} in a row. The best answer: {tiles}.")
        missed = _("Missed today. The best answer: {tiles}.")
        says = (solved if streak["count"] else missed).format(count=f"{streak['count']:d}", tiles=best)
    game = puzzle.profile.title(scores["language"], words)
    heading = _("Puzzle of the day: {game}, level {level}").format(game=game, level=puzzle.level)
    return (
        f'<div class="play">\n{_tiles(states)}{_throw(puzzle.throw)}</div>\n'
        f'<div class="puzzle">\n<h3>{escape(heading)}</h3>\n<p class="says">{escape(says)}</p>\n</div>\n'
    )


def _owes(stakes: str, words: Translate) -> str:
    _ = words
    if stakes.startswith("-"):
        return _("gets {stakes}").format(stakes=stakes[1:])
    return "–" if stakes == "0" else _("owes {stakes}").format(stakes=stakes)


def _tiles(tiles: Iterable[tuple[int, str]]) -> str:
    """The row of tiles: those that are shut are struck through, for eyes and for screen readers."""
    items, many = "", ""
    for count, (number, state) in enumerate(tiles, start=1):
        many = " many" if count > _ONE_ROW else ""
        shut = state in ("shut", "flipped")
        inner = f"<del>{number:d}</del>" if shut else f"{number:d}"
        items += f'<li class="{"shut" if shut else "open"}">{inner}</li>\n'
    return f'<ol class="tiles{many}">\n{items}</ol>\n'


def _throw(throw: Iterable[int] | None) -> str:
    dice = "".join(f'<span class="die">{face:d}</span> ' for face in throw or ())
    return f'<p class="throw">{dice}</p>\n'


def _past(scores: _Scores, words: Translate) -> Iterable[str]:
    _ = words
    if "day" not in scores:
        return
    today = _today().isoformat()
    # A puzzle that was written before midnight is of another day.
    best = {
        _("Today"): scores["today"] if scores["day"] == today else (),
        _("This month"): scores["month"] if scores["day"][:7] == today[:7] else (),
        _("All time"): scores["ever"],
    }
    for heading, honours in best.items():
        yield _section("fame", heading, _honours(honours, words, today=today))
    if scores["captains"]:
        yield _section("captains", _("Captains"), _honours(scores["captains"], words, today=today))
    rows = []
    for match in scores["matches"]:
        players = ", ".join(map(_result, match["players"]))
        rows.append(_row((_when(match["began_s"], today), match["game"], players)))
    yield _section("matches", _("Last matches"), _table(rows))


def _honours(honours: Iterable[_Scores], words: Translate, *, today: str) -> str:
    """Signed results, game by game; those of today with their time, the others with their date."""
    _ = words
    games: dict[str, list[str]] = {}
    for honour in honours:
        row = _row((honour["initials"], _score(honour["score"]), _when(honour["began_s"], today)))
        games.setdefault(str(honour["game"]), []).append(row)
    if not games:
        nobody = _("Nobody has signed yet")
        return f"<p>{escape(nobody)}</p>\n"
    return "".join(f"<h3>{escape(game)}</h3>\n{_table(rows)}" for game, rows in games.items())


def _result(player: _Scores) -> str:
    """The player, the score, and whether it won; never broken over two lines."""
    who = player["initials"] or player["number"]
    return f"{who}:\u00a0{_score(player['score'])}" + ("\u00a0★" if player["won"] else "")


def _score(score: int | None) -> str:
    """A dash for a turn that was not played."""
    return "–" if score is None else f"{score:d}"


def _section(kind: str, heading: str, body: str) -> str:
    return f'<section class="{kind}">\n<h2>{escape(heading)}</h2>\n{body}</section>\n'


def _table(rows: Iterable[str], columns: Iterable[str] = ()) -> str:
    body = "".join(rows)
    head = "".join(f'<th scope="col">{escape(column)}</th>' if column else "<td></td>" for column in columns)
    return f"<table>\n{f'<tr>{head}</tr>' if head else ''}{body}</table>\n" if body else ""


def _how_to_play(words: Translate) -> str:
    _ = words
    rows = "".join(
        f"<dt>{escape(term)}</dt>\n<dd>{escape(meaning)}</dd>\n" for term, meaning in how_to_play(words)
    )
    return _section("rules", _("How to play"), f"<dl>\n{rows}</dl>\n")


def _row(cells: Iterable[object], *, now: bool = False, won: bool = False) -> str:
    kind = ' class="won"' if won else ' class="now"' if now else ""
    return f"<tr{kind}>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>\n"


def _today() -> date:
    return date.today()


def _when(began_s: float, today: str) -> str:
    """The time of a match of today, else its date, with hyphens at which no line breaks."""
    began = time.localtime(began_s)
    is_today = time.strftime("%Y-%m-%d", began) == today
    return time.strftime("%H:%M" if is_today else "%Y\u2011%m\u2011%d", began)
