"""The rules of a game as a page to hang beside the box: HTML that prints on one sheet of A5."""

from html import escape
from pathlib import Path

from shutthebox.errors import ShutTheBoxError
from shutthebox.files import open_to_write, reason, shown_path
from shutthebox.game.messages import Translate
from shutthebox.rules.profile import Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.words import explain
from shutthebox.web.how_to_play import choosing_and_signing

_STYLE = """
@page { size: A5; margin: 8mm 12mm; }
body { font: 8.7pt/1.25 "DejaVu Serif", Georgia, serif; color: #1b1712; max-width: 124mm; margin: 0 auto; }
h1 { font-size: 21pt; line-height: 1.1; margin: 0 0 3mm; }
h2 { font-size: 11.5pt; margin: 4mm 0 1mm; color: #7a4a1c; }
ul { margin: 0; padding-left: 4.2mm; }
li { margin: 0 0 .7mm; }
dl { display: table; margin: 0; }
dl div { display: table-row; }
dt, dd { display: table-cell; padding: 0 0 .7mm; vertical-align: top; }
dt { font-weight: bold; padding-right: 3mm; white-space: nowrap; }
.row { margin: 0; line-height: 1.9; }
.row + .row { margin-top: .8mm; }
.tile { display: inline-block; min-width: 1.25em; padding: 0 .22em; text-align: center; font-weight: bold;
        border: .3mm solid #7a4a1c; border-radius: .8mm; background: #f4e7d3; }
.shut { background: none; color: #9d9284; border-style: dashed; }
footer { margin-top: 4mm; font-size: 7.5pt; color: #6d6357; }
@media screen { body { padding: 2em; font-size: 12pt; } }
"""


class SheetError(ShutTheBoxError, OSError):
    """A sheet cannot be written; the text names its file."""


def write_sheet(path: Path, profile: Profile, language: str, translate: Translate) -> None:
    """Writes the sheet.

    Raises:
        SheetError: if that cannot be done.
    """
    try:
        with open_to_write(path) as file:
            file.write(sheet(profile, language, translate).encode())
    except OSError as error:
        raise SheetError(f"--sheet: {shown_path(path)}: {reason(error)}") from None


def sheet(profile: Profile, language: str, translate: Translate) -> str:
    """The page in this language, complete, without a script and without anything to load."""
    _ = translate
    title, rules_heading, box_heading = profile.title(language, translate), _("Rules"), _("On this box")
    rules = "\n".join(f"<li>{escape(sentence)}</li>" for sentence in explain(profile, translate))
    hands = "\n".join(
        f"<div><dt>{escape(term)}</dt><dd>{escape(meaning)}</dd></div>"
        for term, meaning in _on_the_box(translate)
    )
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{_rows(profile)}
<h2>{escape(rules_heading)}</h2>
<ul>
{rules}
</ul>
<h2>{escape(box_heading)}</h2>
<dl>
{hands}
</dl>
<footer>{escape(profile.name)}</footer>
</body>
</html>
"""


def _rows(profile: Profile) -> str:
    """The rows of tiles as a turn begins, one below the other."""
    tiles = []
    for tile in profile.tiles:
        kind = "tile" if profile.starting & to_tiles([tile]) else "tile shut"
        tiles.append(f'<span class="{kind}">{tile}</span>')
    return "\n".join([f'<p class="row">{" ".join(tiles)}</p>'] * profile.rows)


def _on_the_box(translate: Translate) -> tuple[tuple[str, str], ...]:
    _ = translate
    return (
        (_("Press"), _("Throws the dice, confirms, goes on.")),
        (_("Hold 0.8 s"), _("Throws one die where the rules leave the choice; opens the menu; goes back.")),
        (_("Levers"), _("Flip tiles down that answer the throw. Lift one to take it back.")),
        *choosing_and_signing(translate),
        (_("Something wrong?"), _("The display says which lever. Put it right, and the game goes on.")),
    )
