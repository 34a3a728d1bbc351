"""Teams, head starts and the clock: the menu's and setup's offers, and their effects."""

from tests.support.machine import TUMBLE_NS, Table, facts, settings_for

from shutthebox.game.facts import Remembered
from shutthebox.game.menu_items import (
    HEAD_START,
    HEAD_START_SEAT,
    LIMIT,
    PLAYERS,
    TEAMS,
    Item,
    entries,
    setup_questions,
)
from shutthebox.game.messages import localize
from shutthebox.game.mode import Mode
from shutthebox.game.modes.ready import COMPUTER_NS
from shutthebox.game.play import new_match
from shutthebox.game.settings import Settings
from shutthebox.rules.profile import First, MatchFormat, Profile, ShutWins


def choose(settings: Settings, item: Item, option: str) -> Settings:
    options = [localize(text, str) for text in item.options(settings)]
    settings, facts = item.choose(settings, options.index(option))
    assert [fact.key for fact in facts] == [item.key]
    assert localize(item.options(settings)[item.current_index(settings)], str) == option
    return settings


def test_a_head_start_is_given_to_a_seat_then_made_bigger() -> None:
    settings = settings_for("trac-100")
    assert HEAD_START not in entries(settings)
    settings = choose(settings, HEAD_START_SEAT, "2")
    assert settings.game.handicap == (0, 5)
    assert setup_questions(settings) == (PLAYERS, LIMIT, HEAD_START_SEAT, HEAD_START)
    settings = choose(settings, HEAD_START, "without 1, 2")
    settings = choose(settings, HEAD_START_SEAT, "1")
    assert settings.usual_game is not None
    assert settings.usual_game.handicap == ((1, 2),)
    settings = choose(settings, HEAD_START_SEAT, "nobody")
    assert settings.usual_game is not None
    assert settings.usual_game.handicap == ()
    assert HEAD_START not in entries(settings)


def test_a_game_for_two_is_offered_to_two_and_does_not_ask_how_many_play() -> None:
    offered = [[game.name for game in settings_for("pub", players=n).games] for n in (1, 2, 3)]
    assert ["long-game" in names for names in offered] == [False, True, False]
    usual = settings_for("long-game", players=3)
    assert "long-game" in [game.name for game in usual.games], "whoever names it gets it"
    assert setup_questions(usual) == ()
    assert new_match(usual.profile, usual).players == 2
    teams = settings_for("long-game", players=4, teams=2)
    assert setup_questions(teams) == (PLAYERS, TEAMS)
    assert teams.usual_game is not None
    assert new_match(teams.usual_game, teams).players == 4


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
    assert not [fact for fact in facts(table.effects) if isinstance(fact, Remembered)]
    assert table.machine.settings.bests == {}
