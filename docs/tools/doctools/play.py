"""What the site adds to the page for players: the box in a tab, and the sheets of A5 to hang beside the box."""

from pathlib import Path

from doctools import PROJECT
from shutthebox.cli.sheet import sheet
from shutthebox.config.profiles import builtins
from shutthebox.translations import finished_codes, languages, translations


def first_page(*, with_box: bool) -> str:
    """The page as the site's first: with links to the sheets, and the box to be played on it."""
    text = (PROJECT / "docs" / "play.md").read_text(encoding="utf-8")
    for mark, added in (("<!-- the box -->", _BOX if with_box else ""), ("<!-- the sheets -->", _sheets())):
        if text.count(mark) != 1:
            raise ValueError(f"docs/play.md: {mark} has to be there once")
        text = text.replace(mark, added)
    return text


def write_sheets(folder: Path) -> None:
    """Writes every game's sheet in every language, as PDF and as HTML.

    Raises:
        ValueError: if one does not fit its page.
    """
    from weasyprint import HTML  # heavy, and only for this
    from weasyprint.text.fonts import FontConfiguration

    fonts = FontConfiguration()  # looking for them takes a fifth of a sheet's time
    for code in finished_codes():
        translate = translations()[code]
        beside = folder / "sheets" / code
        beside.mkdir(parents=True, exist_ok=True)
        for profile in builtins():
            text = sheet(profile, code, translate)
            (beside / f"{profile.name}.html").write_text(text, encoding="utf-8")
            document = HTML(string=text).render(font_config=fonts)
            if len(document.pages) > 1:
                raise ValueError(f"{code}/{profile.name}.pdf: {len(document.pages)} pages; use one")
            document.write_pdf(beside / f"{profile.name}.pdf")


def _sheets() -> str:
    """A table of links to the sheets, by game and language."""
    lines = [f"| {' | '.join(languages().values())} |", "|---" * len(languages()) + "|"]
    for profile in builtins():
        cells = [
            f"[{profile.title(code, translations()[code])}](../sheets/{code}/{profile.name}.pdf)"
            for code in finished_codes()
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


_BOX = """<iframe class="box" src="box/index.html" title="Shut the Box" allow="fullscreen"></iframe>

<script>
if (location.protocol === "file:") {
  document.querySelector("iframe.box").outerHTML =
    "<p>The box can be played here if a web server shows this page: <code>python3 -m http.server</code> in this folder is one.</p>";
}
</script>

[The box alone](../box/index.html) fits a phone, where you can install it. After its first start it needs no network.
"""
"""The frame is named from the top of the site, where this page is; mkdocs does so itself with links."""
