"""A game's rules as a page to hang beside the box: HTML that prints on one A5 sheet."""

from html import escape

from shutthebox.game.messages import Translate
from shutthebox.rules.profile import Draw, Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.rules.words import explain, summary
from shutthebox.web.how_to_play import choosing_and_signing

_STYLE = """
@page { size: A5; margin: 7mm 12mm; }
body { font: 8.6pt/1.22 "DejaVu Serif", Georgia, serif; color: #1b1712; max-width: 124mm; margin: 0 auto; }
h1 { font-size: 19pt; line-height: 1.1; margin: 0 0 1mm; }
.aim { margin: 0 0 2.5mm; font-size: 10.5pt; font-style: italic; }
h2 { font-size: 11pt; margin: 2.8mm 0 .8mm; color: #7a4a1c; }
ul { margin: 0; padding-left: 4.2mm; }
li { margin: 0 0 .7mm; }
dl { display: table; margin: 0; }
dl div { display: table-row; }
dt, dd { display: table-cell; padding: 0 0 .7mm; vertical-align: top; }
dt { font-weight: bold; padding-right: 3mm; white-space: nowrap; }
.box { display: flex; align-items: center; gap: 3mm; padding: 1.5mm 2.5mm; border: 1.2mm solid #6b3f17;
       border-radius: 1.5mm; background: #14613f;
       print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.rows { flex: 1; }
.row { margin: 0; line-height: 1.9; }
.row + .row { margin-top: .8mm; }
.tile { display: inline-block; min-width: 1.25em; padding: 0 .22em; text-align: center; font-weight: bold;
        border-radius: .8mm; background: #ecc98f; }
.shut { color: #d9c7a2; background: none; outline: .2mm dashed #d9c7a2; }
.dice { color: #fff7e6; font: 20pt/1 "DejaVu Sans", sans-serif; }
.die { padding: 0 .2em; border-radius: .15em; font-weight: bold; color: #24150c; background: #fff7e6; }
footer { margin-top: 2.5mm; font-size: 7.5pt; color: #6d6357; }
@media screen { body { padding: 2em; font-size: 12pt; } }
"""

_DICE, _FIRST_DOMINO = "⚀⚁⚂⚃⚄⚅", 0x1F031
_SHOWN = (5, 2, 4)


def sheet(profile: Profile, language: str, translate: Translate) -> str:
    """The complete page in this language, without scripts or external resources."""
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
<p class="aim">{escape(summary(profile, translate))}</p>
<div class="box"><div class="rows">
{_rows(profile)}
</div><div class="dice">{_dice(profile)}</div></div>
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
    rows = [profile.back_numbers, dict(zip(profile.tiles, profile.tiles, strict=True))][-profile.rows :]
    lines = []
    for numbers in rows:
        tiles = []
        for column, number in numbers.items():
            kind = "tile" if profile.starting & to_tiles([column]) else "tile shut"
            tiles.append(f'<span class="{kind}">{number}</span>')
        lines.append(f'<p class="row">{" ".join(tiles)}</p>')
    return "\n".join(lines)


def _dice(profile: Profile) -> str:
    """A throw as a picture: pips if the font has them; many dice as a number and a die."""
    if profile.draw is Draw.DOMINOES:
        return chr(_FIRST_DOMINO + 7 * 5 + 2)
    if profile.sides > len(_DICE):
        return f'<span class="die">{profile.sides}</span>'
    if profile.dice > len(_SHOWN):
        return f"{profile.dice} × {_DICE[profile.sides - 2]}"
    return "".join(_DICE[min(face, profile.sides) - 1] for face in _SHOWN[: profile.dice])


def _on_the_box(translate: Translate) -> tuple[tuple[str, str], ...]:
    _ = translate
    return (
        (_("Press"), _("Throws the dice, confirms, goes on.")),
        (_("Hold 0.8 s"), _("Throws one die where the rules allow it; opens the menu; goes back.")),
        (_("Levers"), _("Flip down tiles that add up to the throw. Lift one to take it back.")),
        *choosing_and_signing(translate),
        (_("Something wrong?"), _("The display names the lever. Put it right, and the game goes on.")),
    )
