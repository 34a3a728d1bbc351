"""Drawing: rules that hold for any screen, and screens that must never look alike."""

from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shutthebox.adapters.display import shapes
from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.fonts import Size, fit_font
from shutthebox.adapters.display.layout import HELP_NS, PROMPT_NS, TILE_BLINK_NS, draw, render
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen, TileState

MS = 1_000_000
TEXT = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=40)
SCREENS = st.builds(
    LocalizedScreen,
    mode=st.sampled_from(Mode),
    title=TEXT,
    aside=TEXT,
    dice=st.lists(st.integers(1, 20), max_size=9).map(tuple),
    total=st.none() | st.integers(0, 180),
    tumbling=st.booleans(),
    big=TEXT | st.integers(-999, 9999).map(str),
    rows=st.lists(TEXT, max_size=12).map(tuple),
    cursor=st.none() | st.integers(0, 11),
    tiles=st.lists(st.sampled_from(TileState), max_size=54).map(lambda s: tuple(enumerate(s, 1))),
    paragraph=TEXT,
    prompt=TEXT,
    also=st.lists(TEXT, max_size=2).map(tuple),
    alert=TEXT,
    celebrates=st.booleans(),
    is_list=st.booleans(),
)


def lit(picture: Bitmap) -> int:
    return sum(row.bit_count() for row in picture.rows)


def common(one: Bitmap, other: Bitmap) -> Bitmap:
    return Bitmap(one.width, tuple(a & b for a, b in zip(one.rows, other.rows, strict=True)))


@settings(max_examples=settings().max_examples // 3)
@given(SCREENS, st.integers(-10, 10**12))
@example(LocalizedScreen(Mode.ATTRACT, prompt="a prompt that is too long for the line"), 2_000 * MS)
@example(
    LocalizedScreen(Mode.MATCH_OVER, rows=("a",) * 9, prompt="a prompt that is too long for the line"),
    1_500 * MS,
)
def test_any_screen_is_drawn_the_same_twice_and_stays_until_it_says(
    screen: LocalizedScreen, elapsed_ns: int
) -> None:
    frame = render(screen, elapsed_ns)
    assert frame.picture.size == (128, 64)
    assert frame.picture == draw(screen, elapsed_ns)
    until = elapsed_ns + 10**12 if frame.next_ns is None else frame.next_ns - 1
    assert until >= elapsed_ns
    for later in (until, (elapsed_ns + until) // 2):
        assert frame.picture == draw(screen, later), f"moved by {later} without notice"


@given(SCREENS, st.sampled_from([(96, 48), (128, 64), (200, 50)]))
@example(
    LocalizedScreen(
        Mode.ATTRACT, "T", dice=(6,), total=6, tiles=tuple((n, TileState.OPEN) for n in range(54))
    ),
    (96, 48),
)
def test_any_size_from_96_by_48_is_drawn(screen: LocalizedScreen, size: tuple[int, int]) -> None:
    assert draw(screen, 0, size).size == size


@pytest.mark.parametrize("size", [(96, 47), (95, 48)])
def test_a_smaller_size_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"{size[0]} x {size[1]} pixels is too small"):
        draw(LocalizedScreen(Mode.READY), 0, size)


def band(picture: Bitmap, top: int, bottom: int) -> Bitmap:
    return picture.crop((0, top, 128, bottom))


@given(
    SCREENS.filter(lambda s: s.mode is not Mode.ATTRACT and not s.reads).map(
        lambda s: s._replace(title=s.title.strip() or "T", prompt=s.prompt.strip() or "P", cursor=None)
    )
)
def test_title_and_prompt_keep_their_bands_whatever_stands_between(screen: LocalizedScreen) -> None:
    bare = screen._replace(big="", total=None, rows=(), paragraph="", celebrates=False)
    crowded = bool(screen.tiles or screen.dice or screen.tumbling)
    # A title that is too long for large letters, alone or with its aside, has small ones.
    title = 12 if crowded or screen.aside or fit_font(screen.title, Size.MEDIUM, 128) is None else 16
    assert band(draw(screen, 0), 0, title) == band(draw(bare, 0), 0, title)
    assert band(draw(screen, 0), 48, 64) == band(draw(bare, 0), 48, 64)


@pytest.mark.parametrize(
    ("title", "aside"), [("Sac de dominos", "à battre 26"), ("Traditionell", "ohne 4, 7-9, 12")]
)
def test_a_title_and_an_aside_too_long_for_one_line_take_turns(title: str, aside: str) -> None:
    screen = LocalizedScreen(Mode.READY, title=title, aside=aside, tiles=((1, TileState.OPEN),), prompt="p")
    for turn, alone in enumerate((screen._replace(aside=""), screen._replace(title="")) * 2):
        assert draw(screen, turn * PROMPT_NS) == draw(alone, 0)
    assert render(screen._replace(title="A" * 60, aside=""), 0).next_ns is None, "a title alone stands still"


@pytest.mark.parametrize("big", ["Joueur 2", "ÉLIMINÉ", "FERMÉE !", "AN_", "7 left", "45"])
def test_a_word_above_the_tiles_leaves_them_whole(big: str) -> None:
    row = tuple((n, TileState.OPEN) for n in range(1, 10))
    screen = LocalizedScreen(Mode.READY, title="P", tiles=row, prompt="p")
    alone, below_it = (draw(each, 0).crop((0, 34, 128, 47)) for each in (screen, screen._replace(big=big)))
    assert common(alone, below_it) == alone, "each pixel of a tile is lit"
    assert band(alone, 1, 13) == band(below_it, 1, 13), "a word stands on the tiles at most"


@pytest.mark.parametrize("count", [9, 12, 54])
@pytest.mark.parametrize("elapsed_ns", [HELP_NS, HELP_NS + TILE_BLINK_NS])
def test_every_tile_state_looks_different_in_either_half_of_the_blinking(count: int, elapsed_ns: int) -> None:
    def picture(state: TileState) -> Bitmap:
        row = [(n, TileState.OPEN) for n in range(1, count + 1)]
        row[3] = (4, state)
        return draw(LocalizedScreen(Mode.FLIPPING, tiles=tuple(row)), elapsed_ns)

    for one, other in combinations(TileState, 2):
        unlike = picture(one).exchange(picture(other))
        box = unlike.ink()
        assert box is not None, f"{one} looks like {other}"
        assert box[2] - box[0] <= 14, "only the one tile changes"
        assert lit(unlike) >= 4, f"{one} and {other} differ by {lit(unlike)} pixels only"


@pytest.mark.parametrize("side", [9, 13, 20, 39])
def test_all_faces_of_a_die_are_told_apart_at_any_size(side: int) -> None:
    faces = [shapes.die(face, side).tobytes() for face in range(1, 21)]
    assert len(set(faces)) == 20


def test_the_attract_picture_lights_no_pixel_all_the_time() -> None:
    screen = LocalizedScreen(Mode.ATTRACT, title="Box", big="SHUT", prompt="Press to play")
    always = draw(screen, 0)
    for minute in range(0, 200, 2):
        always = common(always, draw(screen, minute * 1000 * MS))
    assert lit(always) < 0.05 * lit(draw(screen, 0))


@pytest.mark.parametrize("winner", [None, 3])
def test_every_player_of_a_long_table_is_seen_in_turn(winner: int | None) -> None:
    rows = tuple(f"player {n}\towes {n}" for n in range(9))
    screen = LocalizedScreen(Mode.MATCH_OVER, title="Scores", rows=rows, cursor=winner, prompt="Press")
    pages = [draw(screen, second * 1000 * MS) for second in (0, 3, 6, 9, 12)]
    assert all(a != b for a, b in combinations(pages, 2))
    assert pages[0] == draw(screen, 15_000 * MS), "then it begins anew"


def test_the_cursor_is_always_in_sight() -> None:
    rows = tuple(f"item {n}" for n in range(9))
    pictures = [
        draw(LocalizedScreen(Mode.MENU, title="M", rows=rows, cursor=n, prompt="p", is_list=True), 0)
        for n in range(9)
    ]
    assert all(a != b for a, b in combinations(pictures, 2))
    for picture in pictures:
        # An inverted row: some line of the stage is lit nearly from edge to edge.
        assert any(lit(picture.crop((0, y, 120, y + 1))) > 110 for y in range(12, 50))


@pytest.mark.parametrize("us", ["us", "wir", "ici"])
def test_two_captions_are_whole_beside_the_largest_totals(us: str) -> None:
    """Players of two linked boxes read who's who there."""
    plain, other = (
        draw(LocalizedScreen(Mode.MATCH_OVER, title="T", rows=(f"{us}: 234", f"{them}: 999"), prompt="p"), 0)
        for them in ("them", "theX")
    )
    assert plain != other, "cut short, both say th..."
