"""The box's statistics as a self-contained page, for the owner to take home."""

import time
from collections.abc import Iterable
from html import escape

from shutthebox.adapters.store.queries import PlayedMatch, Statistics, statistics_lines
from shutthebox.game.messages import localize
from shutthebox.translations import translations

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:16px/1.4 sans-serif;max-width:40em;margin:1em auto;padding:0 1em}"
    "td{padding:0 1em 0 0}td+td{font-variant-numeric:tabular-nums}"
)


def statistics_page(statistics: Statistics, matches: Iterable[PlayedMatch], language: str) -> str:
    """The lines of the statistics screen and the latest matches, in the words of a language."""
    words = _ = translations()[language]
    lines = "".join(_row(localize(line, words).split("\t")) for line in statistics_lines(statistics))
    played = "".join(
        _row((
            time.strftime("%Y-%m-%d %H:%M", time.localtime(match.began_s)),
            match.profile,
            ", ".join(
                f"{player.initials or player.number}: {'–' if player.score is None else player.score}"
                + (" ★" if player.won else "")
                for player in match.players
            ),
        ))
        for match in matches
    )  # fmt: skip
    title, heading, last = map(escape, (_("Shut the Box"), _("Statistics"), _("Last matches")))
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{title}: {heading}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<h2>{heading}</h2>\n<table>\n{lines}</table>\n"
        f"<h2>{last}</h2>\n<table>\n{played}</table>\n</body>\n</html>\n"
    )


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>\n"
