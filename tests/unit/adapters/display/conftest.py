"""Golden pictures of the display.

To renew them after a wanted change: `pytest tests/unit/adapters/display --update-golden`, then look at every
picture that git reports as changed. A picture that no test asks for any more is to be deleted.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.pillow import bitmap_of, image_of

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, Bitmap], None]:
    """Compares a picture with the golden one of that name, pixel by pixel."""

    def compare(name: str, picture: Bitmap) -> None:
        path = GOLDEN / f"{name}.png"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            image_of(picture).save(path, optimize=True)
            return
        if not path.exists():
            pytest.fail(f"no golden picture {path.name}: make it with --update-golden and look at it")
        with Image.open(path) as file:
            expected = bitmap_of(file)
        actual = tmp_path / path.name
        image_of(picture).save(actual)
        assert picture.size == expected.size
        box = picture.exchange(expected).ink()
        assert box is None, f"{name} differs from the golden picture within {box}: see {actual}"

    return compare
