"""A hook of mkdocs: whoever opens the site is on the page to play, not on the README of the repository."""

from pathlib import Path
from typing import Any

_MOVED = {"docs/play.md": "index.html", "README.md": "README.html"}


def on_files(files: Any, **_: object) -> Any:  # noqa: ANN401  (mkdocs' own)
    """Gives these pages another place; mkdocs has all links follow."""
    for file in files:
        if to := _MOVED.get(file.src_uri):
            file.name = Path(to).stem
            file.dest_uri = file.url = to
            file.abs_dest_path = str(Path(file.dest_dir, to))
    return files
