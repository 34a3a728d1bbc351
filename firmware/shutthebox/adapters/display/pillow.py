"""Between a `Bitmap` and Pillow's pictures: for luma, and for files that are read or written."""

from PIL import Image

from shutthebox.adapters.display.bitmap import Bitmap


def image_of(picture: Bitmap) -> Image.Image:
    """The same picture, mode "1"."""
    return Image.frombytes("1", picture.size, picture.tobytes())


def bitmap_of(image: Image.Image) -> Bitmap:
    """The same picture; other modes than "1" are brought to black and white as Pillow does it."""
    return Bitmap.frombytes(image.width, image.convert("1").tobytes())
