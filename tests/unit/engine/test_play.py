"""Turns and matches through the API are those of the rules, in every built-in game."""

from fractions import Fraction
from random import Random

import pytest
from tests.support.fast import fast_among

from shutthebox import (
    Game,
    Match,
    Player,
    ProfileError,
    RandomPlayer,
    Record,
    RecordError,
    SimplePlayer,
    Turn,
    play_match,
    play_turns,
)

GAMES = Game.names()
FAST = (
    "traditional",
    "open-one",
    "domino-bag",
    "double-shutter",
    "head-to-head",
    "long-game",
    "high-rollers",
)
TRADITIONAL = Game.from_name("traditional")


def match_of(name: str) -> Match:
    game = Game.from_name(name)
    return Match.start(game, players=1 if name == "ladder" else 2)


@pytest.mark.parametrize("name", fast_among(GAMES, FAST))
def test_a_match_at_random_ends_and_its_record_is_read_back(name: str) -> None:
    start, random = match_of(name), Random(3)
    end = play_match(start, [RandomPlayer(random)] * start.players, random)
    assert end.is_over
    assert end.result is not None
    assert (end.legal_dice, end.legal_moves) == ((), ())
    record = Record.from_text(end.record().to_text())
    assert record.to_text() == end.record().to_text()
    assert record.replay()[0] == start
    assert record.replay()[-1] == end


@pytest.mark.parametrize("name", fast_among(GAMES, FAST))
def test_what_is_legal_can_be_done_and_nothing_else(name: str) -> None:
    match, random = match_of(name), Random(4)
    for _ in range(60):
        if match.is_over:
            break
        if match.awaits_throw:
            assert match.why_not_move(1) is not None
            match = match.throw(*match.roll(random, random.choice(match.legal_dice)))
            continue
        assert match.why_not_throw(1, 1) is not None
        moves = match.legal_moves
        assert moves
        assert {match.why_not_move(*move) for move in moves} == {None}
        tiles = [tile for move in moves for tile in move]
        for illegal in {(tile, 200) for tile in tiles} | {(tile, tile) for tile in tiles} | {(0,)}:
            assert match.why_not_move(*illegal) is not None
            with pytest.raises(ValueError, match=r"\w"):
                match.move(*illegal)
        match = match.move(*random.choice(moves))


def loop(start: Turn, player: Player, count: int, random: Random) -> list[tuple[object, ...]]:
    ends: list[tuple[object, ...]] = []
    for _ in range(count):
        turn = start
        while not turn.is_over:
            if turn.awaits_throw:
                turn = turn.throw(*turn.roll(random, player.choose_dice(turn)))
            else:
                turn = turn.move(*player.choose_move(turn))
        ends.append((turn.score, turn.outcome, turn.open, turn.throws))
    return ends


WHOLE_TURNS = [name for name in GAMES if name != "high-rollers"]


@pytest.mark.parametrize("name", fast_among(WHOLE_TURNS, set(FAST) - {"high-rollers"}))
def test_many_turns_end_as_one_by_one(name: str) -> None:
    """Players are only asked once for each position, which must change nothing."""
    start = Turn.start(Game.from_name(name))
    for player in (SimplePlayer(), SimplePlayer("fewest tiles"), SimplePlayer("lowest first")):
        found = play_turns(start, player, 12, Random(5))
        assert list(map(tuple, found)) == loop(start, player, 12, Random(5))
    one, other = Random(6), Random(6)
    at_random = play_turns(start, RandomPlayer(one), 5, one)
    assert list(map(tuple, at_random)) == loop(start, RandomPlayer(other), 5, other)


def test_a_player_who_changes_is_asked_each_time() -> None:
    asked: list[Turn] = []

    class Fickle(SimplePlayer):
        is_consistent = False

        def choose_move(self, turn: Turn) -> tuple[int, ...]:
            asked.append(turn)
            return super().choose_move(turn)

    play_turns(Turn.start(TRADITIONAL), Fickle(), 50, Random(1))
    assert len(asked) > 150


def test_turns_start_anywhere_before_a_throw() -> None:
    ends = play_turns(Turn.at(TRADITIONAL, [9]), SimplePlayer(), 100, Random(1))
    assert {end.outcome for end in ends} == {"shut", "blocked"}
    with pytest.raises(ValueError, match="throw on the table"):
        play_turns(Turn.start(TRADITIONAL).throw(1, 2), SimplePlayer(), 1, Random(1))


def test_the_next_player_is_up_as_soon_as_a_turn_is_over() -> None:
    match = Match.start(TRADITIONAL).throw(6, 5).move(2, 9).throw(1, 1)
    assert (match.player, match.awaits_throw, match.scores, match.totals) == (1, True, (34, None), (34, 0))
    assert match.last_turn is not None
    assert (match.last_turn.outcome, match.last_turn.score) == ("blocked", 34)
    assert match.turn == match.rows[1] == Turn.start(TRADITIONAL)


def test_the_result_has_winners_reason_and_stakes() -> None:
    match = Match.start(Game.from_name("jouhet"), rounds=1)
    for faces, tiles in [
        ((6, 3), (9,)),
        ((5, 3), (8,)),
        ((4, 3), (7,)),
        ((6, 5), (5, 6)),
        ((6, 4), (1, 2, 3, 4)),
    ]:
        match = match.throw(*faces).move(*tiles)
    assert match.result is not None
    assert match.result[:3] == ((0,), "shut", True)
    assert match.result.owes == (Fraction(0), Fraction(0))


def test_a_clock_runs_out_only_where_there_is_one() -> None:
    timed = Game.from_text('like = "traditional"\nturn_seconds = 60')
    match = Match.start(timed).throw(3, 5).run_out_of_time()
    assert match.last_turn is not None
    assert (match.player, match.last_turn.outcome) == (1, "time")
    with pytest.raises(ValueError, match="no clock"):
        Match.start(TRADITIONAL).throw(3, 5).run_out_of_time()


def test_one_throw_for_everyone_is_rolled_once() -> None:
    match, random = match_of("head-to-head"), Random(1)
    while match.state.round.common is None:
        match = match.throw(*match.roll(random)) if match.awaits_throw else match.move(*match.legal_moves[0])
    match = match.move(*match.legal_moves[0])
    assert match.state.round.common is not None
    assert match.roll(random) == match.state.round.common.faces


def test_what_cannot_be_played_is_one_line() -> None:
    with pytest.raises(ProfileError, match="traditional has no box of 11; use 9, 10, 12"):
        Game.from_name("traditional", tiles=11)
    with pytest.raises(ProfileError, match="'nonsense' is not known"):
        Game.from_name("nonsense")
    with pytest.raises(ProfileError, match=r"house\.toml: tiels: unknown key; did you mean"):
        Game.from_text("tiels = 9")
    with pytest.raises(ValueError, match="language: 'xx' is not known"):
        TRADITIONAL.rules("xx")
    with pytest.raises(ValueError, match="tile 10 is not in play"):
        Turn.at(TRADITIONAL, [10])
    with pytest.raises(ValueError, match="no tile is open"):
        Turn.at(TRADITIONAL, [])
    with pytest.raises(ValueError, match="two rows"):
        Turn.at(Game.from_name("double-row"), [1])
    with pytest.raises(ValueError, match="dice: 1 is not allowed here; use 2"):
        Turn.start(TRADITIONAL).roll(Random(1), 1)
    with pytest.raises(RecordError, match="record:1: not a record"):
        Record.from_text("nonsense")


@pytest.mark.parametrize("name", GAMES)
def test_a_game_as_text_is_the_same_game(name: str) -> None:
    game = Game.from_name(name)
    again = Game.from_text(game.to_text().replace(f'name = "{name}"', 'name = "own"', 1))
    assert {**game.keys, "name": "own", "group": None} == {**again.keys, "group": None}


def test_values_are_values() -> None:
    turn, match = Turn.start(TRADITIONAL), Match.start(TRADITIONAL)
    assert {turn, Turn.at(TRADITIONAL, range(1, 10)), match, Match.start(TRADITIONAL)} == {turn, match}
    for value, name in ((turn, "state"), (match, "last_turn"), (TRADITIONAL, "profile")):
        with pytest.raises(AttributeError):
            setattr(value, name, None)
