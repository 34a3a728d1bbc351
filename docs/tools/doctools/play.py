"""The page for players, and the sheets of A5 to hang beside the box."""

from collections.abc import Callable
from pathlib import Path

from doctools import PROJECT
from shutthebox.cli.sheet import sheet
from shutthebox.config.profiles import builtins
from shutthebox.translations import finished_codes, languages, translations


def page() -> str:
    """The page as it is in docs/."""
    return _text() + _table(lambda code, name, title: title)


def first_page(*, with_box: bool) -> str:
    """The same for the site, whose first page it is: with the sheets, and the box to be played on it."""
    text = _text(_BOX if with_box else "")
    return text + _table(lambda code, name, title: f"[{title}](../sheets/{code}/{name}.pdf)")


def write_sheets(folder: Path) -> None:
    """Writes every game's sheet in every language, as PDF and as HTML."""
    from weasyprint import HTML  # heavy, and only for this

    for code in finished_codes():
        translate = translations()[code]
        beside = folder / "sheets" / code
        beside.mkdir(parents=True, exist_ok=True)
        for profile in builtins():
            text = sheet(profile, code, translate)
            (beside / f"{profile.name}.html").write_text(text, encoding="utf-8")
            HTML(string=text).write_pdf(beside / f"{profile.name}.pdf")


def _table(cell: Callable[[str, str, str], str]) -> str:
    lines = [f"| {' | '.join(languages().values())} |", "|---" * len(languages()) + "|"]
    for profile in builtins():
        titles = [
            cell(code, profile.name, profile.title(code, translations()[code])) for code in finished_codes()
        ]
        lines.append(f"| {' | '.join(titles)} |")
    return "\n".join(lines) + "\n"


def _text(box: str = "") -> str:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    hands = readme.partition(f"## {_HANDS}\n")[2].partition("\n## ")[0]
    # Pictures are named from here.
    return _BEFORE + box + hands.replace("](docs/", "](").strip() + _AFTER


_HANDS = "How to play with one button"
"""The part of README.md that the page has too."""

_BEFORE = """# Play

Shut as many tiles as you can. Press the button to throw the dice; then flip down levers that answer the throw. When
nothing fits, your turn is over, and the tiles that are still open count against you. In most games the lowest score wins.

"""

_BOX = """<iframe class="box" src="box/index.html" title="Shut the Box" allow="fullscreen"></iframe>

<script>
if (location.protocol === "file:") {
  document.querySelector("iframe.box").outerHTML =
    "<p>The box can be played here if a web server shows this page: <code>python3 -m http.server</code> in this folder is one.</p>";
}
</script>

[The box alone](../box/index.html) fits a telephone, and can be installed there. It needs no network after its first start.

"""
"""The frame is named from the top of the site, where this page is; mkdocs does so itself with links."""

_AFTER = """

Players who cannot see the screen can hear it: [the voice](own.md#for-people-who-do-not-see-the-screen) says all of it.

## The puzzle of the day

*Puzzle* in the menu shows a row and a throw, the same on every box that day. First set the levers as the row stands; then flip
the answer that you think is best, and press. The first answer counts. The screen then says what each answer costs, and
how many days in a row the box's players have solved theirs. On the scoreboard the puzzle stands too.

## In a tab

The whole box runs in a browser: `shutthebox-VERSION-web.zip` of a release, unpacked into any folder of any server of static
files. `make web` makes the same folder, `build/web/`. Nothing leaves the visitor's browser. The first start loads less than 7 MB;
later ones need no network. `sbom.cdx.json` in it lists its parts and their licences. The address may say what is played:

```
https://example.org/box/?game=pub&players=2&levers=12&language=fr&seed=3
```

| name | allowed | |
|---|---|---|
| `game` | the id of a game | `shutthebox profiles` lists them |
| `players`, `levers`, `language` | as in the [configuration](reference.md#configuration) | |
| `seed` | a whole number | the dice: the same number gives everybody the same throws |

What an address asks for in vain is left out, and a line at the top says so: a game that the box doesn't have is played as
Traditional.

Each address has its own memory, which the browser keeps: close the tab, and the match goes on when you come back. A browser that
crashes or is killed loses nothing that you have seen. Where the browser keeps nothing, because its storage is full or forbidden,
the box plays without memory and says so. A memory that can't be read stays as it is, and the box plays without it until you open
the page again.

One tab at a time plays a box. Another says *The box is open in another tab*; press *Play here* to go on there, and the first
tab stops. When a tab is closed, one that waits goes on by itself. Other games, and links to a match, never wait.

When a match is over, the list of its turns has a link to it: whoever opens the link sees the match again, throw by throw. All of
it is in the part of the address after `#replay=`, which no server gets. A [scenario](reference.md#scenarios) or a record that is
dropped on the page is played too, and gets such a link. A match against the clock, and one that another player than the first
began, cannot be replayed and has none.

## To hang beside the box

Every game has a page of A5 in every language, with its rules and with what to do on the box. On the site of these pages, which
is `shutthebox-VERSION-docs.tar.xz` in a release, each title below leads to its page, to be printed.

With a terminal also for your own rules: this writes a file to open in a browser and print.

```sh
shutthebox profiles friday.toml --sheet friday.html --language fr
```

"""
