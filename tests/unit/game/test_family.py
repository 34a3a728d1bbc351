"""A box for families: easy games first, and kinder words where a turn ends."""

from tests.support.machine import Table, settings_for

from shutthebox.adapters.odds_worker import InlineOdds
from shutthebox.game.mode import Mode
from shutthebox.rules.profile import Group


def test_childrens_games_come_first_and_the_others_keep_their_order() -> None:
    usual, family = settings_for(), settings_for(family=True)
    easy = [game for game in usual.games if game.group is Group.CHILDREN]
    assert [game.name for game in easy] == ["ladder", "lucky-seven", "thai", "young"]
    assert list(family.games) == [*easy, *(game for game in usual.games if game not in easy)]


def blocked(profile: str, *answers: tuple[tuple[int, int], int | None], family: bool) -> Table:
    """A turn that ends blocked: throws and the lever for each."""
    table = Table(settings_for(profile, family=family), odds=InlineOdds())
    table.press()
    for throw, lever in answers:
        table.throw(*throw)
        if lever is not None:
            table.flip(lever)
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
