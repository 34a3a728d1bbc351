"""The panel's QR code, read off its pixels by the library that many telephones' apps are made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageFilter, ImageOps
from tests.support.fast import fast_among
from tests.support.machine import Table, settings_for

from shutthebox.adapters.display.layout import PROMPT_NS, draw
from shutthebox.adapters.display.pillow import image_of
from shutthebox.game.screen import LocalizedScreen
from shutthebox.translations import finished_codes, languages
from shutthebox.web.scoreboard.page import RULES

if TYPE_CHECKING:
    import zxingcpp
else:
    zxingcpp = pytest.importorskip("zxingcpp", reason="NOT TESTED: QR codes: pip install zxing-cpp")

SIZES = ((128, 64), (128, 128), (96, 64))
"""Of panels: those that the box knows (one of 64 by 128 lies on its side), and others."""

HOSTS = ("192.168.178.105", "shutthebox.local", "the-red-lion-at-the-bridge.local")


def seen(screen: LocalizedScreen, size: tuple[int, int], t_ns: int = 0) -> list[str]:
    """What a camera reads off the lit pixels of a panel in its dark frame: a little turned and blurred."""
    panel = image_of(draw(screen, t_ns, size)).convert("L")
    framed = ImageOps.expand(panel.resize((panel.width * 5, panel.height * 5)), 40, 0)
    photo = framed.rotate(4, Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(2))
    return [code.text for code in zxingcpp.read_barcodes(photo, try_invert=False)]


def pages(host: str, language: str) -> tuple[LocalizedScreen, LocalizedScreen]:
    """The two pages behind the menu's line."""
    address = f"http://{host}:8090/"
    names = tuple(languages().items())
    table = Table(settings_for(scoreboard=lambda: address, language=language, languages=names))
    table.hold()
    lines = table.screen.rows
    while table.screen.cursor != len(lines) - 2:
        table.choose(table.machine.settings.levers)
    table.press()
    scores = table.screen
    table.press()
    rules = table.screen
    table.press()
    assert table.screen == scores
    table.choose(2)
    assert table.screen == rules
    table.hold()
    assert table.screen.rows == lines
    return scores, rules


@pytest.mark.parametrize("host", fast_among(HOSTS, HOSTS[1:2]))
def test_telephones_read_both_pages_on_every_panel(host: str) -> None:
    scores, rules = pages(host, "en")
    for size in SIZES:
        for t_ns in (0, PROMPT_NS):
            assert seen(scores, size, t_ns) == [f"http://{host}:8090/"]
            if len(host) < 30:
                assert seen(rules, size, t_ns) == [f"http://{host}:8090/{RULES}"]


def test_words_leave_the_code_alone_and_are_not_cut() -> None:
    """The longest of the words has its own lines beside the code."""
    for language in finished_codes():
        for page in pages(HOSTS[0], language):
            alone = page._replace(title="", prompt="", also=())
            for t_ns in (0, PROMPT_NS):
                whole, code = draw(page, t_ns), draw(alone, t_ns)
                assert whole.crop((0, 0, 64, 64)) == code.crop((0, 0, 64, 64))
                assert whole.crop((64, 0, 128, 64)).ink() is not None


@pytest.mark.parametrize("size", [(128, 64), (96, 64), (96, 48)])
def test_an_address_that_is_too_long_is_said_in_letters(size: tuple[int, int]) -> None:
    _, rules = pages("a" * 63 + ".local", "en")
    assert seen(rules, size) == []
    address = rules.code.partition("#")[0]
    assert draw(rules, 0, size) == draw(rules._replace(code="", paragraph=address), 0, size)


def test_without_a_scoreboard_there_is_no_such_line() -> None:
    table = Table(settings_for())
    table.hold()
    assert "Scoreboard" not in table.text
