"""Builds the site: ``make docs``.

The site has the repository's pages, at their paths there, and the files that they link to. Pictures of
screens and sheets to print are made for the site alone and put beside them. mkdocs makes HTML of it and
fails for a broken link. The first page has the box in a tab, if `make web` has made it.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from doctools import PROJECT, gallery, notebook, play

BUILD = PROJECT / "build" / "docs"
BOX = PROJECT / "build" / "web"
_START = ("README.md", "docs/own.md", "docs/build.md", "CONTRIBUTING.md", "docs/reference.md", "docs/play.md")
_SHOWN = {".md", ".png", ".svg", ".gif"}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
_MADE = {"docs/gallery.md"}
"""Pages that are made for the site alone."""


def build(folder: Path = BUILD) -> None:
    """Builds it anew in this folder; ends with mkdocs' error if there is one."""
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    for path, content in gather():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_bytes(content)
    shutil.copy(PROJECT / "docs" / "site.css", source / "docs" / "site.css")
    print("taking pictures of every screen in every language", flush=True)
    (source / "docs" / "gallery.md").write_text(gallery.write(source), encoding="utf-8")
    print("writing the sheets of every game in every language", flush=True)
    play.write_sheets(source)
    print("drawing the plots of the classroom", flush=True)
    notebook.add_plots(source)
    with_box = (BOX / "index.html").is_file()
    if with_box:
        shutil.copytree(BOX, source / "box")
    (source / "docs" / "play.md").write_text(play.first_page(with_box=with_box), encoding="utf-8")
    config = (PROJECT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    for hook in ("columns.py", "first_page.py"):
        shutil.copy(PROJECT / "docs" / "tools" / hook, folder / hook)
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--quiet",
        "--clean",
        "-f",
        str(folder / "mkdocs.yml"),
    ]
    code = subprocess.run(command, check=False).returncode
    if code:
        sys.exit(code)
    print(folder / "site" / "index.html")
    if not with_box:
        print("make docs: built without the box in a tab; run make web first to include it", file=sys.stderr)


def gather() -> Iterator[tuple[str, bytes]]:
    """Every page that can be reached from the first ones, and the pictures on them, by their path."""
    left, seen = list(_START), set(_START)
    while left:
        path = left.pop()
        content = (PROJECT / path).read_bytes()
        if path.endswith(".md"):
            text = content.decode("utf-8")
            for found in _LINK.finditer(text):
                target = _target(path, found[3])
                if target is not None and target not in seen | _MADE:
                    seen.add(target)
                    left.append(target)
            content = _LINK.sub(lambda found, path=path: _relinked(path, found), text).encode()  # type: ignore[misc]
        yield path, content


def _relinked(path: str, found: re.Match[str]) -> str:
    """A link as it is; only its text, if it leads to a file that is no page."""
    if "://" in found[3] or _target(path, found[3]) is not None:
        return found[0]
    return found[2]


def _target(path: str, link: str) -> str | None:
    """The file that a link leads to, from the project's root; None if the site does not have it."""
    if "://" in link:
        return None
    target = (PROJECT / path).parent.joinpath(link).resolve()
    if not target.is_relative_to(PROJECT) or target.suffix not in _SHOWN:
        return None
    name = target.relative_to(PROJECT).as_posix()
    return name if target.is_file() or name in _MADE else None


if __name__ == "__main__":
    build()
