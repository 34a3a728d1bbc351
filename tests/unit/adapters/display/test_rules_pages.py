"""The rules on the display: six pages at most, which say what makes a game special, and cut nothing."""

from functools import partial

import pytest
from hypothesis import given, settings
from tests.support import generate
from tests.support.each import each

from shutthebox.adapters.display.fonts import Size, wrap_text
from shutthebox.adapters.display.layout import render
from shutthebox.config.profiles import builtins
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen
from shutthebox.game.wording import MAX_PAGES, PAGE_LENGTH, Sentences, rules_pages
from shutthebox.rules.profile import Profile
from shutthebox.rules.words import explain, shared_rules
from shutthebox.translations import translations


def differing(game: Profile) -> set[int]:
    return set(range(len(explain(game)))) - set(shared_rules(game))


def shares_its_page(page: Sentences) -> bool:
    """Whether two sentences stand there for which there is room."""
    english = [explain(page.game)[place] for place in page.places]
    return len(english) == 2 and sum(map(len, english)) <= PAGE_LENGTH


@pytest.mark.slow
@pytest.mark.parametrize("language", translations())
def test_the_rules_of_a_game_are_read_on_its_pages(language: str) -> None:
    """Two sentences stand still together; a long one turns, between its words."""
    each(builtins(), partial(is_read, language))


def is_read(language: str, game: Profile) -> None:
    pages = rules_pages(game)
    assert len(pages) <= MAX_PAGES
    for page in pages:
        screen = Screen(Mode.MENU, title="1/6", paragraph=page).localize(translations()[language])
        turns = render(screen, 0).next_ns is not None
        assert not (turns and shares_its_page(page)), screen.paragraph
        narrow = wrap_text(screen.paragraph, Size.SMALL, 128 - 4 - 4)
        assert " ".join(narrow) == screen.paragraph


@settings(deadline=None)
@given(generate.profiles())
def test_all_that_differs_from_the_traditional_game_is_on_the_pages(game: Profile) -> None:
    """In the order of the rules; only a game that is all differences may have more than the pages hold."""
    places = [place for page in rules_pages(game) for place in page.places]
    assert places == sorted(set(places))
    assert len(rules_pages(game)) <= MAX_PAGES
    if len(differing(game)) <= 2 * MAX_PAGES:
        assert differing(game) <= set(places)
