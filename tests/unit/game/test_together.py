"""One throw for everyone at the box: whose answer is asked for, and what the others did with the throw."""

from collections.abc import Iterable

import pytest
from tests.support.machine import Table, settings_for
from tests.support.positions import with_rows

from shutthebox.game.mode import Mode
from shutthebox.rules.match import begin
from shutthebox.rules.profile import Profile, Turns
from shutthebox.rules.tiles import to_tiles

GAME = Profile("common", turns=Turns.TOGETHER, tiles=(1, 2, 3, 4, 6), strikes=2)


def begun(players: int = 2, first: Iterable[int] = GAME.tiles, strikes: int = 1) -> Table:
    """A match before its first throw; the first player has these tiles and strikes left."""
    match = begin(GAME, players)
    row = match.turn._replace(open=to_tiles(first), misses_left=strikes)
    return Table(
        settings_for(GAME, players=players),
        match=with_rows(match, row, *match.round.rows[1:]),
        down=set(GAME.tiles) - set(first),
    )


STANDS = "No press: it stands once the levers fit"


def test_the_next_player_reads_that_the_throw_is_the_same_and_what_was_shut_for_it() -> None:
    table = begun()
    table.throw(1, 2)
    assert (table.screen.title, table.screen.aside) == ("Player 1", "strikes left 2")
    table.flip(1, 2)
    table.press()
    assert (table.mode, table.screen.aside) == (Mode.RAISING, "same throw")
    assert (table.screen.title, table.screen.big) == ("Answer: Player 2", "1+2")
    table.lift(1, 2)
    assert (table.mode, table.screen.title, table.screen.prompt) == (
        Mode.FLIPPING,
        "Answer: Player 2",
        "Make 3",
    )
    assert (table.screen.aside, table.screen.also) == ("same throw", (STANDS, "Player 1: 1+2"))
    table.flip(3)
    assert (table.screen.title, table.screen.aside) == ("common", "strikes left 2")


@pytest.mark.parametrize(("strikes", "said"), [(1, "Player 1: no move"), (0, "Player 1: blocked")])
def test_those_without_a_move_are_named(strikes: int, said: str) -> None:
    table = begun(first=[1], strikes=strikes)
    table.throw(2, 2)
    table.press()
    table.stand(())
    assert (table.screen.title, table.screen.also) == ("Answer: Player 2", (STANDS, said))


def test_who_has_shut_the_box_is_named_and_everyone_answers_first() -> None:
    table = begun(first=[3])
    table.throw(1, 2)
    table.flip(3)
    table.press()
    table.stand(())
    assert (table.screen.title, table.screen.also) == ("Answer: Player 2", (STANDS, "Player 1: shut!"))
    assert table.match.result is None
    table.flip(1, 2)
    assert table.match.result is not None
    assert table.match.result.winners == (0,)


def test_of_many_the_last_three_are_named() -> None:
    """The prompt comes round soon, however many play."""
    table = begun(players=6)
    table.throw(1, 2)
    table.flip(3)
    table.press()
    table.lift(3)
    for _ in range(4):
        table.flip(3)
        table.lift(3)
    assert table.screen.title == "Answer: Player 6"
    assert table.screen.also == (STANDS, "Player 3: 3", "Player 4: 3", "Player 5: 3")
