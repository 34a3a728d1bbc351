"""Teams, head starts and the clock: the menu's and setup's offers, and their effects."""

import pytest
from tests.support.machine import TUMBLE_NS, Table, facts, settings_for

from shutthebox.game.facts import Began, Chosen
from shutthebox.game.menu_items import (
    CLOCK,
    FIRST,
    HEAD_START,
    HEAD_START_SEAT,
    LIMIT,
    PLAYERS,
    TEAMS,
    Item,
    entries,
    questions,
)
from shutthebox.game.messages import told
from shutthebox.game.mode import Mode
from shutthebox.game.modes.ready import COMPUTER_NS
from shutthebox.game.settings import Settings
from shutthebox.rules.match import begin
from shutthebox.rules.profile import First, MatchFormat, Profile, ShutWins
from shutthebox.rules.tiles import to_tiles


def choose(settings: Settings, item: Item, option: str) -> Settings:
    options = [told(text, str) for text in item.options(settings)]
    settings, facts = item.choose(settings, options.index(option))
    assert [fact.key for fact in facts] == [item.key]
    assert told(item.options(settings)[item.chosen(settings)], str) == option
    return settings


def test_teams_are_chosen_and_asked_for_from_then_on() -> None:
    settings = settings_for("golf")
    assert questions(settings) == (PLAYERS,)
    settings = choose(settings, TEAMS, "2")
    assert questions(settings) == (PLAYERS, TEAMS)
    assert settings.game is not None
    assert settings.game.teams == 2
    settings = choose(settings, TEAMS, "none")
    assert questions(settings) == (PLAYERS,)
    assert settings.game is not None
    assert settings.game.teams is None


def test_a_head_start_is_given_to_a_seat_then_made_bigger() -> None:
    settings = settings_for("trac-100")
    assert HEAD_START not in entries(settings)
    settings = choose(settings, HEAD_START_SEAT, "2")
    assert settings.handicap == (0, 5)
    assert questions(settings) == (PLAYERS, LIMIT, HEAD_START_SEAT, HEAD_START)
    settings = choose(settings, HEAD_START, "without 1, 2")
    settings = choose(settings, HEAD_START_SEAT, "1")
    assert settings.game is not None
    assert settings.game.handicap == ((1, 2),)
    settings = choose(settings, HEAD_START_SEAT, "nobody")
    assert settings.game is not None
    assert settings.game.handicap == ()
    assert HEAD_START not in entries(settings)


def test_a_head_start_of_the_config_stays_among_the_options() -> None:
    settings = settings_for("golf", handicap=(0, 0, 7))
    assert HEAD_START.options(settings)[HEAD_START.chosen(settings)]
    assert choose(settings, HEAD_START, "7 points").handicap == (0, 0, 7)


def test_the_clock_is_chosen_for_any_game() -> None:
    settings = choose(settings_for("high-rollers", turn_seconds=25), CLOCK, "60")
    assert settings.game is not None
    assert settings.game.turn_seconds == 60
    settings = choose(settings, CLOCK, "off")
    assert settings.game is not None
    assert settings.game.turn_seconds is None


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("ladder", {TEAMS, HEAD_START_SEAT}),
        ("bank", {TEAMS}),
        ("high-rollers", {HEAD_START_SEAT}),
        ("pub", set()),
    ],
)
def test_what_means_nothing_in_a_game_is_not_offered(name: str, missing: set[Item]) -> None:
    offered = entries(settings_for(name))
    assert {item for item in (TEAMS, HEAD_START_SEAT, CLOCK) if item not in offered} == missing


def test_alone_nothing_is_asked() -> None:
    assert questions(settings_for("ladder", teams=2, handicap=(5,))) == ()


def test_the_best_total_is_the_one_to_beat() -> None:
    settings = settings_for("ladder", bests={"ladder.9": 12, "ladder.8": 3})
    assert settings.game is not None
    assert settings.game.limit == 12
    shorter = settings_for("ladder", bests={"ladder.9": 12, "ladder.8": 3}, out=1 << 8)
    assert shorter.game is not None
    assert shorter.game.limit == 3


def test_the_loser_begins_the_next_match_of_the_evening_and_no_power_cut_changes_that() -> None:
    game = Profile("box", tiles=(1, 2), dice=1, shut_wins=ShutWins.NO, first=First.LOSER)
    table = Table(settings_for(game, players=3))
    table.press()
    table.throw(6)
    table.press()
    table.throw(1)
    table.flip(1)
    table.throw(6)
    table.press()
    table.lift(1)
    table.throw(5)
    assert table.match.scores == (3, 2, 3)
    table.press()
    assert (table.mode, table.match.loser) == (Mode.MATCH_OVER, 2), "of equals the next in order"
    table.press()
    assert table.match.player == 2
    table = table.again()
    assert table.match.player == 2
    table.throw(6)
    table.press()
    assert table.match.player == 0


def test_a_computer_is_not_the_best_of_a_ladder() -> None:
    game = Profile("up", tiles=(1, 2), dice=1, match=MatchFormat.LADDER, shut_wins=ShutWins.NO)
    table = Table(settings_for(game, computers=(1,)))
    table.press()
    table.dice.throws.append((6,))
    table.wait(COMPUTER_NS)
    table.wait(TUMBLE_NS)
    table.press()
    assert table.mode is Mode.MATCH_OVER
    assert "Computer: 3" in table.text
    assert not [fact for fact in facts(table.effects) if isinstance(fact, Chosen)]
    assert table.machine.settings.bests == {}


def test_who_has_lost_begins_the_next_match_where_the_menu_says_so() -> None:
    game = Profile("small", tiles=(1, 2, 3, 4), dice=2, sides=3, shut_wins=ShutWins.NO)
    settings = choose(settings_for(game, players=2), FIRST, "the loser")
    assert settings.game is not None
    good = begin(settings.game, 2).throw((1, 2)).move(to_tiles([3])).throw((3, 3)).move(to_tiles([2, 4]))
    second = good.throw((3, 3)).advance()
    over = second.throw((1, 1)).move(to_tiles([2])).throw((1, 1)).advance()
    assert over.result is not None
    assert over.result.winners == (0,)
    table = Table(settings, match=over)
    (began,) = [fact for fact in facts(table.press()) if isinstance(fact, Began)]
    assert began.match.player == 1
