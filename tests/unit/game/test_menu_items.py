"""The menu as a table: what every item asks, offers and keeps, and which games offer it."""

from collections.abc import Sequence

import pytest
from tests.support.each import each
from tests.support.fast import fast_among
from tests.support.machine import settings_for

from shutthebox.config.profiles import builtin, builtins
from shutthebox.game import menu_items
from shutthebox.game.effects import Form
from shutthebox.game.facts import Chosen
from shutthebox.game.menu_items import (
    COMPUTER,
    GAME,
    HEAD_START,
    HEAD_START_SEAT,
    MENU_LINES,
    Item,
    entries,
    setup_questions,
    why_no_room,
    why_not_linked,
)
from shutthebox.game.messages import localize, message
from shutthebox.game.settings import DiceKind, Settings, ShownStakes
from shutthebox.simulator.page.form_document import form_document
from shutthebox.translations import translations

ITEMS = tuple(entry for entry in MENU_LINES if isinstance(entry, Item))


def lines(items: Sequence[Item], settings: Settings) -> list[str]:
    return [item.line(settings).localize(str) for item in items]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.label.text)
@pytest.mark.parametrize("usual", fast_among(["traditional", "cover-200"], ["cover-200"]))
def test_an_option_that_is_chosen_holds_and_no_other_item_changes(item: Item, usual: str) -> None:
    settings = settings_for(usual, computers=(1,), handicap=(0, 8))
    same_field = {HEAD_START_SEAT, HEAD_START} if item in (HEAD_START_SEAT, HEAD_START) else {item}
    others = [other for other in ITEMS if other not in same_field and item is not GAME]
    for index in range(len(item.options(settings))):
        after, _ = item.choose(settings, index)
        assert item.current_index(after) == index
        assert (
            item.line(after).localize(str)
            == f"{item.label.text}: {localize(item.options(after)[index], str)}"
        )
        assert item.picker(after).cursor == index
        assert lines(others, after) == lines(others, settings)


OFFERED = {
    "ladder": ("game.rounds", ()),
    "long-game": ("game.rounds game.teams game.handicap", ()),
    "bank": ("game.rounds game.handicap", ("game.players",)),
    "high-rollers": ("game.rounds game.teams", ("game.players",)),
    **dict.fromkeys(
        ("jouhet", "best-of-five", "double-shutter"),
        ("game.rounds game.teams game.handicap", ("game.players", "game.rounds")),
    ),
    **dict.fromkeys(
        ("cover-200", "tournament-45", "tournament-100", "trac-100", "box-for-four"),
        ("game.limit game.teams game.handicap", ("game.players", "game.limit")),
    ),
}
"""Per game what the menu offers of these four, and what setup asks; other games offer all but a limit."""


def test_what_means_something_in_a_game_is_offered_and_setup_asks_what_differs() -> None:
    def check(name: str) -> None:
        settings = settings_for(name, levers=builtin(name).tiles[-1])
        offered, asked = OFFERED.get(name, ("game.rounds game.teams game.handicap", ("game.players",)))
        keys = [entry.key for entry in entries(settings) if isinstance(entry, Item)]
        some = ("game.rounds", "game.limit", "game.teams", "game.handicap")
        assert " ".join(key for key in keys if key in some) == offered
        assert tuple(item.key for item in setup_questions(settings)) == asked

    each([profile.name for profile in builtins()], check)


def test_a_limit_and_seconds_of_the_owners_are_among_the_options() -> None:
    shown = {item.label.text: item for item in ITEMS}
    settings = settings_for("cover-200", limit=222, turn_seconds=77)
    assert shown["Limit"].line(settings).localize(str) == "Limit: 222"
    assert shown["Clock"].line(settings).localize(str) == "Clock: 77"
    assert [localize(text, str) for text in shown["Limit"].options(settings)][6:9] == ["200", "222", "300"]
    assert [localize(text, str) for text in shown["Clock"].options(settings)][6:9] == ["60", "77", "90"]


@pytest.mark.parametrize("language", fast_among(translations(), ["en", "de"]))
@pytest.mark.parametrize(
    ("label", "usual", "values", "shown"),
    [
        ("Game", "full-house", {"levers": 12, "out_of_play": tuple(range(1, 12))}, "Full house"),
        ("Rounds", "traditional", {"rounds": 20}, "20"),
        ("Limit", "cover-200", {"limit": 222}, "222"),
        ("Computer", "traditional", {"computers": (2, 3, 4)}, "seats 2, 3, 4"),
        ("Computer", "traditional", {"computers": (9,)}, "seat 9"),
        ("Clock", "traditional", {"turn_seconds": 77}, "77"),
        ("Head start", "traditional", {"handicap": (3, 0, (2, 4), 0)}, "1, 3"),
        ("How much", "traditional", {"handicap": (3, 0, (2, 4), 0)}, "1: 3 points, 3: without 2, 4"),
        ("How much", "traditional", {"handicap": (0, (4, 5))}, "without 4, 5"),
    ],
)
def test_what_the_owner_has_set_is_shown_and_kept_though_the_menu_does_not_offer_it(
    label: str, usual: str, values: dict[str, object], shown: str, language: str
) -> None:
    item = next(item for item in ITEMS if item.label.text == label)
    settings = settings_for(
        builtin(usual).for_levers(int(str(values.get("levers", 9)))) or usual, language=language, **values
    )
    at, translate = item.current_index(settings), translations()[language]
    line = item.line(settings).localize(translate)
    assert localize(item.options(settings)[at], translate) in line
    assert language != "en" or line == f"{label}: {shown}"
    assert item.picker(settings).cursor == at
    after, facts = item.choose(settings, at)
    assert after.value(item.key) == settings.value(item.key) == facts[0].value
    form = form_document(Form(settings, (), is_open=True, walks=True), translate)
    items = [shown for shown in form["items"] if shown["label"] == localize(item.label, translate)]  # type: ignore[attr-defined]
    assert not items or items[0]["chosen"] == at


@pytest.mark.parametrize(
    ("key", "offers", "now", "shown"),
    [
        ("box.sleep_min", (5, 10, 30), 7.0, ["5", "7", "10", "30"]),
        ("box.sleep_min", (5, 10, 30), 2.25, ["2,25", "5", "10", "30"]),
        ("box.sleep_min", (5, "long"), 7.0, ["5", "long", "7"]),
        ("box.service_code", ((1, 2), (8, 9)), (2, 7), ["1, 2", "8, 9", "2, 7"]),
        ("box.service_code", ((1, 2),), (), ["1, 2", "aucune"]),
        ("game.rounds", (1, 2), None, ["1", "2", "-"]),
        ("game.dice", {DiceKind.REAL: "real"}, DiceKind.AUTO, ["real", "auto"]),
        ("box.language", ("en", "de"), "fr", ["en", "de", "fr"]),
    ],
)
def test_an_item_that_nobody_has_thought_through_shows_every_value_of_its_key(
    key: str, offers: Sequence[object], now: object, shown: list[str]
) -> None:
    """A configuration that is legal never ends the box."""
    text = message("x")
    item = menu_items._one_of(key, text, text, text, offers)
    settings = settings_for(language="fr").with_value(key, now)
    assert [localize(option, translations()["fr"]) for option in item.options(settings)] == shown
    assert item.values(settings)[item.current_index(settings)] == now
    assert item.choose(settings, item.current_index(settings)) == (settings, (Chosen(key, now),))  # type: ignore[arg-type]


def test_lever_n_seats_the_computer_on_seat_n_and_no_seat_is_offered_that_nobody_has() -> None:
    """A guest who asks for seat 2 does not get another, nor a computer that never comes to its turn."""
    settings = settings_for("pub", players=2)
    assert [localize(text, str) for text in COMPUTER.options(settings)] == ["seat 1", "seat 2", "off"]
    assert COMPUTER.current_index(settings) == 2
    assert COMPUTER.choose(settings, 1)[0].game.computers == (2,)
    assert COMPUTER.current_index(settings_for("pub", players=2, computers=(4,))) == 3, (
        "kept from a larger table"
    )


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (settings_for("pub"), None),
        (settings_for("pub", computers=(2,)), "Computer is on"),
        (settings_for("pub", stakes=ShownStakes.EVENING), "Stakes are on"),
        (settings_for("pub", turn_seconds=30), "Clock is on"),
        (settings_for("bank"), "Not this game"),
    ],
)
def test_players_learn_why_their_box_can_not_invite_another_one(settings: Settings, why: str | None) -> None:
    said = why_no_room(settings)
    assert (said and localize(said, str)) == why
    assert why_not_linked(settings) is None, "it can be invited: then the other box's game is played"


def test_players_learn_why_two_boxes_can_not_play_with_real_dice() -> None:
    said = why_not_linked(settings_for("pub", dice=DiceKind.REAL))
    assert said
    assert localize(said, str) == "Real dice are on"
