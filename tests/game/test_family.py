"""A box for families: easy games first, and kinder words where a turn ends."""

import pytest
from tests.support.machine import TUMBLE_NS, Table, settings_for

from shutthebox.adapters.odds_worker import OddsNow
from shutthebox.config.profiles import builtin, builtins
from shutthebox.game.menu_items import FAMILY, GAME
from shutthebox.game.mode import Mode
from shutthebox.game.settings import is_easy


def test_games_that_take_nothing_apart_are_easy_and_so_is_playing_alone() -> None:
    assert {profile.name for profile in builtins() if is_easy(profile)} == {
        "ladder", "lucky-seven", "thai", "young",
    }  # fmt: skip


def test_easy_games_come_first_and_the_others_keep_their_order() -> None:
    usual, family = settings_for(), settings_for(family=True)
    easy = [game for game in usual.games if is_easy(game)]
    assert list(family.games) == [*easy, *(game for game in usual.games if game not in easy)]
    assert usual.games[0] == builtin("traditional")


def test_the_game_that_is_chosen_is_the_one_under_the_cursor() -> None:
    family = settings_for(family=True)
    for index, game in enumerate(family.games):
        chosen, _ = GAME.choose(family, index)
        assert chosen.profile.name == game.name
        assert GAME.chosen(chosen) == index


def test_the_menu_switches_it() -> None:
    on, kept = FAMILY.choose(settings_for(), 0)
    assert (on.family, kept[0].key, kept[0].value) == (True, "game.family", True)
    off, kept = FAMILY.choose(on, 1)
    assert (off.family, kept[0].value) == (False, False)
    assert [FAMILY.chosen(settings) for settings in (on, off)] == [0, 1]


def blocked(profile: str, *answers: tuple[tuple[int, int], int | None], family: bool) -> Table:
    """A turn that ends blocked: throws and the lever for each."""
    table = Table(settings_for(profile, family=family), odds=OddsNow())
    table.press()
    last = None
    for throw, lever in answers:
        table.throw(*throw)
        if table.mode is Mode.RAISE:  # the lever of a tile in front is that of the one behind it, too
            assert last is not None
            table.lift(last)
            table.press()
            table.wait(TUMBLE_NS)
        if lever is not None:
            table.flip(lever)
        last = lever
    assert table.mode is Mode.TURN_OVER
    return table


def test_a_turn_ends_in_kinder_words_without_luck_and_blame() -> None:
    answers = (((4, 4), 8), ((4, 4), 4), ((6, 6), 6), ((6, 6), None))
    plain = blocked("thai", *answers, family=False)
    assert plain.screen.prompt == "Blocked by 12"
    assert plain.screen.also == ("Press: go on", "Hold: coach")
    kind = blocked("thai", *answers, family=True)
    assert kind.screen.prompt == "3 shut, bravo!"
    assert kind.screen.also == ("Press: go on",)
    assert kind.screen.big == plain.screen.big


def test_tiles_that_began_shut_earn_no_praise() -> None:
    assert blocked("against-all-odds", ((1, 1), None), family=True).screen.prompt == "Next time!"


def test_the_rules_still_say_why_a_turn_was_lost() -> None:
    lost = blocked("three-to-go", ((1, 1), None), family=True)
    assert lost.screen.prompt == "Lost: no 3 this\u00a0time"


@pytest.mark.slow
def test_of_two_rows_every_tile_counts() -> None:
    answers = (((4, 5), 9), ((4, 5), 9), ((1, 1), 2), ((1, 1), 2), ((1, 1), None))
    assert blocked("double-shutter", *answers, family=True).screen.prompt == "4 shut, bravo!"
