"""Our own pictures are drawn as Pillow draws them, pixel for pixel, wherever they are cut off."""

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.pillow import bitmap_of, image_of


@st.composite
def bitmaps(draw: st.DrawFn, most: int = 40) -> Bitmap:
    width, height = draw(st.integers(1, most)), draw(st.integers(1, most))
    return Bitmap(width, tuple(draw(st.integers(0, (1 << width) - 1)) for _ in range(height)))


PLACES = st.integers(-45, 45)


@given(bitmaps(), bitmaps(20), PLACES, PLACES, st.booleans())
def test_a_picture_lands_on_another_as_with_pillow(
    ground: Bitmap, picture: Bitmap, x: int, y: int, lit: bool
) -> None:
    pasted, stamped = image_of(ground), image_of(ground)
    pasted.paste(image_of(picture), (x, y))
    stamped.paste(255 * lit, (x, y), image_of(picture))
    assert ground.paste(picture, x, y) == bitmap_of(pasted)
    assert ground.stamp(picture, x, y, lit=lit) == bitmap_of(stamped)


@given(bitmaps(), st.data(), st.booleans())
def test_boxes_and_lines_are_pillows(ground: Bitmap, data: st.DataObject, lit: bool) -> None:
    columns, lines = (st.integers(0, length - 1) for length in ground.size)
    start, end = data.draw(st.tuples(columns, lines)), data.draw(st.tuples(columns, lines))
    line, block, frame = image_of(ground), image_of(ground), image_of(ground)
    ImageDraw.Draw(line).line((start, end), fill=255 * lit)
    assert ground.line(start, end, lit=lit) == bitmap_of(line)
    (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    box = (left, top, right + 1, bottom + 1)
    ImageDraw.Draw(block).rectangle((left, top, right, bottom), fill=255 * lit)
    assert ground.fill(box, lit=lit) == bitmap_of(block)
    if right - left > 1 and bottom - top > 1:  # Pillow leaves the ends of a flatter one out
        ImageDraw.Draw(frame).rectangle((left, top, right, bottom), outline=255)
        assert ground.outline(box) == bitmap_of(frame)


@given(bitmaps())
def test_the_whole_picture_is_turned_and_told_as_by_pillow(picture: Bitmap) -> None:
    image = image_of(picture)
    assert picture.tobytes() == image.tobytes()
    assert bitmap_of(image) == picture
    assert picture.ink() == image.getbbox()
    assert picture.mirror() == bitmap_of(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    assert picture.flip() == bitmap_of(image.transpose(Image.Transpose.FLIP_TOP_BOTTOM))
    larger = image.resize((picture.width * 3, picture.height * 3), Image.Resampling.NEAREST)
    assert picture.enlarge(3) == bitmap_of(larger)
    assert picture.invert().invert() == picture.exchange(Bitmap.of(*picture.size))
