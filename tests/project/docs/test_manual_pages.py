"""The manual pages of league and uplink, which people write, have all commands and options.

`make generated` writes those of the box.
"""

import ast
import re
from pathlib import Path

import pytest
from tests.support.sources import nodes_of

import shutthebox_league.main
import shutthebox_link.main
import shutthebox_uplink.main
from doctools import PROJECT

MAINS = {
    "shutthebox-league": shutthebox_league.main,
    "shutthebox-link": shutthebox_link.main,
    "shutthebox-uplink": shutthebox_uplink.main,
}


@pytest.mark.parametrize("name", MAINS)
def test_every_command_and_option_is_in_its_manual_page(name: str) -> None:
    page = (PROJECT / f"docs/man/{name}.1").read_text(encoding="utf-8").replace("\\-", "-")
    words = set[str]()
    for node in nodes_of(Path(str(MAINS[name].__file__))):
        match node:
            case ast.Constant(value=str(text)) if re.fullmatch("--[a-z-]+", text):
                words.add(text)
            case ast.Call(func=ast.Attribute(attr="add_parser"), args=[ast.Constant(value=str(command)), *_]):
                words.add(command)
    assert len(words) > 2
    assert [word for word in sorted(words) if not re.search(rf"(?<![\w-]){word}(?![\w-])", page)] == []
