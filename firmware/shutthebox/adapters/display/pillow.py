"""Converts between `Bitmap` and Pillow's images, for luma and for files."""

from PIL import Image

from shutthebox.adapters.display.bitmap import Bitmap


def image_of(picture: Bitmap) -> Image.Image:
    """The picture as a Pillow image of mode "1"."""
    return Image.frombytes("1", picture.size, picture.tobytes())


def bitmap_of(image: Image.Image) -> Bitmap:
    """The image as a `Bitmap`. Pillow converts modes other than "1" to black and white."""
    return Bitmap.frombytes(image.width, image.convert("1").tobytes())
