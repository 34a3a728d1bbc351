"""The scoreboard's pages, as HTML without absolute addresses, so any server can show them."""

import base64
import hashlib
import time
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from shutthebox.game.messages import Translate
from shutthebox.night import night_of
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_numbers, to_tiles
from shutthebox.rules.words import explain
from shutthebox.texts import fill_in, plural
from shutthebox.web.how_to_play import how_to_play

if TYPE_CHECKING:
    from shutthebox.adapters.store.queries import Player
    from shutthebox.adapters.store.scores import Honour, Scores

REFRESH_S = 15
"""How often a browser reloads that has no scripts, or can't read ours; the page's script asks more often."""

_RELOAD = f"setTimeout(function () {{ if (!window.isAsking) location.reload(); }}, {REFRESH_S * 1000});"
"""A script of its own, which every browser can read: one that can't read `board.js` ignores all of that."""

RULES = "#rules"
"""A fragment that takes the page to the rules of the game on the table."""

_MAX_LINES = 10  # players in one table
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src data:; script-src {script}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


def page(scores: "Scores", words: Translate, rules: str | None, play: str | None = None) -> str:
    """The page that shows the match and the best results.

    Args:
        scores: the document.
        words: of its language.
        rules: path of the rules beside the page; None if there are none.
        play: path of the box in a tab with this game; None if it isn't offered.
    """
    parts = "".join((_running(scores, words), *_past(scores, words)))
    kind = "playing" if scores.running is not None else "resting"
    scripts = (_RELOAD, _script())
    return _frame(scores.language, words, parts, rules, kind, top="", scripts=scripts, play=play)


def rules_page(game: Profile, language: str, words: Translate, play: str | None = None) -> str:
    """The rules of a game, and how it is played on the box; two folders below the page.

    Args:
        game: whose rules.
        language: of the page.
        words: of that language.
        play: path of the box in a tab with this game, from the page of the scores; None if not offered.
    """
    _ = words
    items = "".join(f"<li>{escape(sentence)}</li>\n" for sentence in explain(game, words))
    heading = _("The rules: {game}").format(game=game.title(language, words))
    parts = _section("rules", heading, f"<ul>\n{items}</ul>\n") + _how_to_play(words)
    return _frame(language, words, parts, None, "rules", top="../../", scripts=(), play=play)


def box_page(language: str, words: Translate, topics: Iterable[tuple[str, Iterable[str]]]) -> str:
    """The owner's page: what the box shows under *Owner*.

    Args:
        language: of the box.
        words: of that language.
        topics: the heading of each, and its lines, with a tab before a value.
    """
    _ = words
    parts = "".join(
        _section("rules", heading, _table(_row(line.split("\t")) for line in lines))
        for heading, lines in topics
    )
    return _frame(language, words, parts, None, "rules", top="./", scripts=(), play=None)


@cache
def _script() -> str:
    return (resources.files("shutthebox.web.scoreboard") / "board.js").read_text("utf-8")


@cache
def _policy(scripts: tuple[str, ...]) -> str:
    """A policy that allows only our own style and scripts, wherever the page is shown."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return _POLICY.format(script=" ".join(f"'sha256-{digest}'" for digest in digests) or "'none'")


def _frame(
    language: str,
    words: Translate,
    parts: str,
    rules: str | None,
    kind: str,
    *,
    top: str,
    scripts: tuple[str, ...],
    play: str | None,
) -> str:
    _ = words
    title, scores_label, rules_label = map(escape, (_("Shut the Box"), _("The scores"), _("The rules")))
    play_label = escape(_("Play here"))
    live = bool(scripts)
    refresh = f'<noscript><meta http-equiv="refresh" content="{REFRESH_S}"></noscript>\n' if live else ""
    link, run = "", "".join(f"<script>{script}</script>\n" for script in scripts)
    if not live:
        link = f'<a href="{top}"><span>{scores_label}</span></a>\n'
    elif rules is not None:
        # The QR code in the style leads phones there: see `folder.py`.
        link = f'<a href="{escape(rules)}"><i class="code"></i><span>{rules_label}</span></a>\n'
    if play is not None:
        link += f'<a href="{escape(top + play)}"><span>{play_label}</span></a>\n'
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">\n{refresh}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<link rel="stylesheet" href="{top}style.css">\n</head>\n'
        # The kind stands here, too: the style of a television can't ask what is in an element.
        f'<body class="{f"board {kind}" if live else "reading"}">\n'
        f"<header>\n<h1>{title}</h1>\n{link}</header>\n"
        f'<main class="{kind}">\n{parts}</main>\n{run}</body>\n</html>\n'
    )


def _running(scores: "Scores", words: Translate) -> str:
    _ = words
    running = scores.running
    if running is None:
        return _section("running", _("Nobody is playing"), _puzzle(scores, words))
    owes = running.owes or [None] * len(running.scores)
    rows = [
        _row(
            (
                seat,
                _score(score),
                # A player who hasn't had a turn has no points yet, rather than a shut box's 0.
                _score(None if score is None else total),
                *([] if stakes is None else [_owes(stakes, words)]),
            ),
            now=player == running.player and not running.winners,
            won=player in running.winners,
        )
        for player, (seat, score, total, stakes) in enumerate(
            zip(running.seats, running.scores, running.totals, owes, strict=True), start=1
        )
    ]
    columns = ("", _("last turn"), _("so far"), *((_("stakes"),) if running.owes else ()))
    stakes = running.stakes
    parts = _side_by_side(rows)
    kind = "running" + (" two" if len(parts) == 2 else "") + (" staked" if running.owes else "")
    body = (
        f'<div class="play">\n{_tiles(running.tiles)}{_throw(running.throw)}'
        f'<p class="says">{escape(running.says)}</p>\n</div>\n'
        + "".join(_table(part, columns) for part in parts)
        + (f'<p class="stakes">{escape(stakes)}</p>\n' if stakes else "")
    )
    return _section(kind, _("Now playing: {game}").format(game=running.game), body)


def _side_by_side(rows: Sequence[str]) -> Sequence[Sequence[str]]:
    """The rows of one table, or of two where there are more players than a television has lines for."""
    half = len(rows) if len(rows) <= _MAX_LINES else (len(rows) + 1) // 2
    return [part for part in (rows[:half], rows[half:]) if part]


def _puzzle(scores: "Scores", words: Translate) -> str:
    """Today's puzzle, with the best answer so far; shown while nobody plays."""
    from shutthebox.config.puzzles import puzzle_of  # while nobody plays

    _, streak = words, None if scores.past is None else scores.past.streak
    today = _today().toordinal()
    puzzle = puzzle_of(today, scores.puzzles or ())
    states = ((tile, "open" if puzzle.open & to_tiles([tile]) else "shut") for tile in puzzle.game.tiles)
    says = _("Which answer is best? Tell the box: menu, Puzzle.")
    if streak is not None and streak.day == today:
        best = ", ".join(map(str, to_numbers(puzzle.best)))
        says = _("Missed today. The best answer: {tiles}.").format(tiles=best)
        if count := streak.count:
            solved = plural(
                "Solved. The best answer: {tiles}.", "Solved, {count} in a row. The best answer: {tiles}."
            )
            says = fill_in(solved, _, {"count": count, "tiles": best})
    game = puzzle.game.title(scores.language, words)
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
    """The row of tiles. Shut ones are struck through, which screen readers announce, too."""
    items = []
    for number, state in tiles:
        shut = state in ("shut", "flipped")
        inner = f"<del>{number:d}</del>" if shut else f"{number:d}"
        items.append(f'<li class="{"shut" if shut else "open"}">{inner}</li>\n')
    return f'<ol class="tiles{_over(len(items), 9, 12, 28)}">\n{"".join(items)}</ol>\n'


def _over(count: int, *steps: int) -> str:
    """Classes for the style, which has less room for each of many."""
    return "".join(f" over-{step}" for step in steps if count > step)


def _throw(throw: Iterable[int] | None) -> str:
    faces = tuple(throw or ())
    dice = "".join(f'<span class="die face-{face:d}">{face:d}</span> ' for face in faces)
    return f'<p class="throw{_over(len(faces), 2, 3, 4)}">{dice}</p>\n'


def _past(scores: "Scores", words: Translate) -> Iterable[str]:
    _, past = words, scores.past
    if past is None:
        return
    today = _today().isoformat()
    # Scores written before six in the morning are yesterday's.
    best = {
        _("Today"): past.today if past.day == today else (),
        _("This month"): past.month if past.day[:7] == today[:7] else (),
        _("All time"): past.ever,
    }
    # An empty frame would take space from the others.
    for heading, honours in best.items():
        if honours:
            yield _section("fame", heading, _honours(honours, words, today=today))
    if past.captains:
        yield _section("captains", _("Captains"), _honours(past.captains, words, today=today))
    rows = []
    for match in past.matches:
        players = ", ".join(map(_result, match.players))
        rows.append(_row((_when(match.began_s, today), match.game, players)))
    if rows:
        yield _section("matches", _("Last matches"), _table(rows))
    elif not any(best.values()):
        said = _("No match yet. Press the button on the box; whoever wins can sign, and stands here.")
        yield _section("matches", _("Last matches"), f"<p>{escape(said)}</p>\n")


def _honours(honours: "Iterable[Honour]", words: Translate, *, today: str) -> str:
    """Signed results, game by game: today's with the time, others with the date."""
    _ = words
    games: dict[str, list[str]] = {}
    for honour in honours:
        row = _row((honour.initials, _score(honour.score), _when(honour.began_s, today)))
        games.setdefault(honour.game, []).append(row)
    return "".join(f"<h3>{escape(game)}</h3>\n{_table(rows)}" for game, rows in games.items())


def _result(player: "Player") -> str:
    """The player, the score, and whether it won, on one line."""
    who = player.initials or player.number
    return f"{who}:\u00a0{_score(player.score)}" + ("\u00a0★" if player.won else "")


def _score(score: int | None) -> str:
    """The score, or a dash for a turn that wasn't played."""
    return "–" if score is None else f"{score:d}"


def _section(kind: str, heading: str, body: str) -> str:
    return f'<section class="{kind}">\n<h2>{escape(heading)}</h2>\n{body}</section>\n'


def _table(rows: Iterable[str], columns: Iterable[str] = ()) -> str:
    lines = tuple(rows)
    body = "".join(lines)
    head = "".join(f'<th scope="col">{escape(column)}</th>' if column else "<td></td>" for column in columns)
    kind = f' class="{over.strip()}"' if (over := _over(len(lines), 3, 4, 6)) else ""
    return f"<table{kind}>\n{f'<tr>{head}</tr>' if head else ''}{body}</table>\n" if body else ""


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
    """The night, which is a guest's today until six in the morning."""
    return night_of(time.time())


def _when(began_s: float, today: str) -> str:
    """The time of a match of tonight, or else its date, with non-breaking hyphens."""
    is_tonight = night_of(began_s).isoformat() == today
    return time.strftime("%H:%M" if is_tonight else "%Y\u2011%m\u2011%d", time.localtime(began_s))
