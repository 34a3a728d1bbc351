"""Two rows of tiles: a player can tell from what's drawn and said which lever moves which tile."""

import pytest
from tests.support.machine import Table, settings_for
from tests.support.positions import with_rows

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.layout import draw
from shutthebox.game.board import lever_offset
from shutthebox.game.effects import Show
from shutthebox.game.mode import Mode
from shutthebox.game.screen import TileState
from shutthebox.rules.profile import Back, MoveKind, Profile
from shutthebox.rules.tiles import to_tiles
from shutthebox.speech.sentences import open_tiles, screen_parts
from shutthebox.translations import ENGLISH, localize_screen, translations

REVERSED = Profile("reversed", tiles=(1, 2, 3, 4, 5), rows=2, back=Back.REVERSED)
THROUGH = Profile("through", tiles=(1, 2, 3, 4, 5), rows=2, back=Back.REVERSED, through=True)
SINGLE = Profile("single", tiles=(1, 3, 6), rows=2, back=Back.REVERSED, move=MoveKind.SINGLE)
ENGLISH_TEXT = translations()[ENGLISH]


def position(
    game: str | Profile,
    gone: tuple[int, ...],
    levers: int = 9,
    *,
    front_gone: tuple[int, ...] = (),
    **settings: object,
) -> Table:
    """A turn with both tiles of the columns in `gone` shut, and only the front ones of `front_gone`."""
    table = Table(settings_for(game, levers=levers, players=1, **settings))
    table.press()
    turn = table.match.turn
    open_tiles, behind = turn.open & ~to_tiles(gone), turn.behind & ~to_tiles((*gone, *front_gone))
    turn = turn._replace(open=open_tiles, behind=behind, throws=1, moves=1)
    match, offset = with_rows(table.match, turn), lever_offset(table.match.game, levers)
    down = (*gone, *(column + offset for column in gone), *front_gone) if offset else gone
    return Table(table.machine.settings, match=match, down=down)


def row(table: Table) -> list[str]:
    """The row as it's drawn, from left to right; brackets for tiles at the back."""
    tiles = {tile.lever: tile for tile in table.screen.lever_tiles}
    return [
        "-" if state is TileState.SHUT else f"({tile.number})" if tile.at_back else str(tile.number)
        for tile, state in ((tiles[lever], state) for lever, state in table.screen.tiles)
    ]


def show_of(table: Table) -> Show:
    return next(effect for effect in reversed(table.effects) if isinstance(effect, Show))


def test_each_lever_has_one_place_with_the_tile_that_it_moves_now() -> None:
    assert row(position(REVERSED, ())) == ["1", "2", "3", "4", "5"]
    assert row(position(REVERSED, (3,), front_gone=(1, 4))) == ["(5)", "2", "-", "(2)", "5"]


def test_with_a_lever_for_each_tile_both_rows_are_there() -> None:
    table = position(REVERSED, (), 10, front_gone=())
    assert row(table) == ["(5)", "(4)", "(3)", "(2)", "(1)", "1", "2", "3", "4", "5"]
    assert [tile.lever for tile in table.screen.lever_tiles if tile.in_play] == [1, 2, 3, 4, 5]


def test_a_lever_to_lift_has_its_own_number_and_its_tile_is_named() -> None:
    table = position(REVERSED, ())
    table.throw(3, 1)
    table.flip(4)
    table.press()
    assert (table.mode, table.screen.alert, row(table)[3]) == (Mode.RAISING, "Lift 4", "4")
    assert "2 at the back: lever 4" in table.screen.prompts
    table.lift(4)
    assert row(table)[3] == "(2)"


def test_tiles_that_do_not_add_up_keep_their_numbers() -> None:
    table = position(REVERSED, (), front_gone=(4, 5))
    table.throw(1, 1)
    table.flip(4, 5)
    assert str(table.play.verdict) == "over 1"
    assert row(table)[3:] == ["(2)", "(1)"]


def test_half_an_answer_says_which_tile_a_press_goes_on_to() -> None:
    table = position(THROUGH, ())
    table.throw(3, 3)
    table.flip(1)
    assert {"5 to go", "Press: behind", "5 at the back: lever 1"} <= {*table.screen.prompts}
    table.press()
    assert (table.screen.alert, row(table)[0]) == ("Lift 1", "1")
    table.lift(1)
    assert row(table)[0] == "(5)"


@pytest.mark.parametrize(
    ("game", "levers", "back", "front"),
    [
        (REVERSED, 9, "2 at the back: lever 4", "1 to 3, 5"),
        (REVERSED, 10, "2 at the back: lever 9", "1 to 3, 5"),
        ("double-row", 9, "4 at the back", "1 to 3, 5 to 9"),
    ],
)
def test_the_voice_and_key_o_name_tiles_and_the_levers_that_move_them(
    game: str | Profile, levers: int, back: str, front: str
) -> None:
    table = position(game, (), levers, front_gone=(4,))
    table.throw(3, 1)
    fits = "1, 2, 3" if game is REVERSED else "1, 3"
    assert screen_parts(show_of(table), ENGLISH_TEXT)["fits"] == f"These fit: {fits}. {back}."
    assert open_tiles(show_of(table), ENGLISH_TEXT).startswith(f"Open: {front}. {back}. Behind them: ")


def test_where_only_tiles_at_the_back_fit_the_first_is_named_at_once() -> None:
    table = position(REVERSED, (), front_gone=(1, 2, 3, 4, 5))
    table.throw(1, 1)
    said = screen_parts(show_of(table), ENGLISH_TEXT)["fits"]
    assert said == "These fit: 2 at the back: lever 4."


def test_key_o_also_names_what_stands_behind_open_tiles() -> None:
    table = position(REVERSED, (2,), front_gone=(4,))
    said = open_tiles(show_of(table), ENGLISH_TEXT)
    assert said == "Open: 1, 3, 5. 2 at the back: lever 4. Behind them: 1, 3, 5."


def test_a_prompt_names_tiles_at_the_back_and_their_levers() -> None:
    table = position(SINGLE, (), front_gone=(6,))
    table.throw(1, 1)
    assert table.screen.prompt == "Shut (1) or 1"
    assert "1 at the back: lever 6" in table.screen.prompts


@pytest.mark.parametrize(("game", "asked"), [(REVERSED, "Flip lever 4"), ("double-row", "Flip 2")])
def test_the_computer_asks_for_levers_where_tiles_have_other_numbers(game: str | Profile, asked: str) -> None:
    gone = tuple(n for n in range(1, 10) if n not in (2, 4))
    table = position(game, gone if game == "double-row" else (1, 2, 3, 5), front_gone=(4,), computers=(1,))
    table.dice.throws.append((1, 1))
    table.wait(2_000_000_000)
    table.wait(2_000_000_000)
    assert asked in table.screen.prompts


def picture(points: tuple[int, ...], levers: int) -> Bitmap:
    game = Profile("points", tiles=tuple(range(1, 10)), rows=2, back=Back.REVERSED, row_points=points)
    return draw(localize_screen(show_of(position(game, (9,), levers, front_gone=(1,)))), 0)


@pytest.mark.parametrize("levers", [9, 18])
def test_what_counts_double_is_marked_in_front_and_at_the_back(levers: int) -> None:
    assert len({picture(points, levers) for points in ((1, 1), (2, 1), (1, 2), (2, 2))}) == 4


@pytest.mark.parametrize("levers", [9, 18])
def test_what_is_left_at_the_end_of_a_turn_is_drawn_like_in_it(levers: int) -> None:
    table = position("double-row", (1, 2, 9), levers, front_gone=(3,))
    before = row(table)
    table.throw(1, 1)
    assert (table.mode, row(table)) == (Mode.TURN_OVER, before)
