"""Whoever writes house rules finds every key, and every value of a choice, on the page."""

import re
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

from shutthebox.rules.profile import Profile

PAGE = Path(__file__).parents[3] / "docs/house-rules.md"


def test_the_page_has_every_key_and_every_choice() -> None:
    listed = PAGE.read_text("utf-8").split("## All keys")[1]
    lines = dict(re.findall(r"^\* `([\w.]+)`(.*\n(?: {4}.*\n)*)", listed, re.MULTILINE))
    keys = {key.name: key.default for key in fields(Profile) if key.name != "titles"}
    assert keys.keys() - lines.keys() == set(), "no line in docs/house-rules.md"
    choices = {name: type(default) for name, default in keys.items() if isinstance(default, StrEnum)}
    lacking = {
        f'{name} = "{value}"'
        for name, kind in choices.items()
        for value in kind
        if f'`"{value}"`' not in lines[name]
    }
    assert lacking == set(), "no line in docs/house-rules.md"
