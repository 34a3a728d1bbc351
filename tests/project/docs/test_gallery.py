"""Pictures of screens: every shot can be taken in every language, and shows what it says."""

from pathlib import Path

import pytest
from PIL import Image

from doctools import gallery
from shutthebox.translations import finished_codes

SHOTS = list(gallery.shots())


@pytest.mark.slow
@pytest.mark.parametrize("language", finished_codes())
def test_every_picture_in_every_language(language: str, tmp_path: Path) -> None:
    """A scenario's expectations hold in all of them, or taking the picture fails."""
    looks = {}
    for shot in SHOTS:
        picture = gallery.take(shot, language)
        picture.save(tmp_path)
        with Image.open(tmp_path / picture.file_name) as saved:
            assert saved.size == (128 * 4 + 32, 64 * 4 + 32)
            frames = getattr(saved, "n_frames", 1)
            assert frames == len(picture.frames)
        if shot.before is not None:
            assert frames > 5, shot.name
            seconds = sum(length_ms for _, length_ms in picture.frames) / 1000
            assert 1.5 < seconds < 10, shot.name
        else:
            looks[shot.name] = picture.frames[0][0].tobytes()
            assert any(looks[shot.name]), f"{shot.name} is dark"
    assert len(set(looks.values())) == len(looks), "two pictures are the same"
