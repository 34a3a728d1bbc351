"""Golden pictures of the display.

To renew them after a wanted change: `pytest tests/adapters/display --update-golden`, then look at every
picture that git reports as changed. A picture that no test asks for any more is to be deleted.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, Image.Image], None]:
    """Compares a picture with the golden one of that name, pixel by pixel."""

    def compare(name: str, picture: Image.Image) -> None:
        path = GOLDEN / f"{name}.png"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            picture.save(path, optimize=True)
            return
        if not path.exists():
            pytest.fail(f"no golden picture {path.name}: make it with --update-golden and look at it")
        with Image.open(path) as expected:
            expected.load()
        actual = tmp_path / path.name
        picture.save(actual)
        assert (picture.mode, picture.size) == (expected.mode, expected.size)
        box = ImageChops.logical_xor(picture, expected).getbbox()
        assert box is None, f"{name} differs from the golden picture within {box}: see {actual}"

    return compare
