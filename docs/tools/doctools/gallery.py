"""Pictures of real screens, still and moving, in every language: from the scenarios in docs/gallery."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from doctools import PROJECT
from shutthebox.adapters.display.pillow import image_of
from shutthebox.config.schema import Config
from shutthebox.game.screen import LocalizedScreen
from shutthebox.simulator.hardware.virtual_display import VirtualDisplay
from shutthebox.simulator.scenario.player import ScenarioPlayer
from shutthebox.simulator.scenario.script import parse
from shutthebox.translations import languages

SCENARIOS = PROJECT / "docs" / "gallery"

_MARK = re.compile(r"# (picture|film) ([a-z-]+): (.+)|# (cut)")
_SCALE = 4
_GLASS, _LIGHT = (5, 8, 12), (190, 230, 255)
_FRAME_NS = 80_000_000
"""Of a moving picture; some browsers slow down what is faster."""

_LOOK_ON_NS = 1_000_000_000
"""A replay looks on for so long after its last line, which is in no picture."""


@dataclass(frozen=True)
class Shot:
    """One picture to take: at the end of a script, or all the way between two of its lines.

    Attributes:
        name: of the picture, without language and ending.
        caption: of the picture, in English.
        script: the scenario up to there.
        before: how it begins, for a moving picture; None for a still one.
    """

    name: str
    caption: str
    script: str
    before: str | None = None


@dataclass(frozen=True)
class Picture:
    """A picture in one language, as frames with how long each is shown, in ms."""

    name: str
    caption: str
    frames: Sequence[tuple[Image.Image, int]]

    @property
    def file_name(self) -> str:
        """The name of its file."""
        return f"{self.name}.gif" if len(self.frames) > 1 else f"{self.name}.png"

    def save(self, folder: Path) -> None:
        """Writes it into this folder."""
        images = [_enlarge(image) for image, _ in self.frames]
        if len(images) == 1:
            images[0].save(folder / self.file_name)
            return
        lengths = [length_ms for _, length_ms in self.frames]
        images[0].save(
            folder / self.file_name, save_all=True, append_images=images[1:], duration=lengths, loop=0
        )


def shots() -> Iterator[Shot]:
    """All pictures that the scenarios ask for, in order."""
    for path in sorted(SCENARIOS.glob("*.scn"), key=lambda path: (path.stem != "turn", path.stem)):
        text = path.read_text(encoding="utf-8")
        film: tuple[re.Match[str], str] | None = None
        for mark in _MARK.finditer(text):
            until = text[: mark.start()]
            if mark[1] == "picture":
                yield Shot(mark[2], mark[3], until)
            elif mark[1] == "film":
                film = mark, until
            elif film is not None:
                yield Shot(film[0][2], film[0][3], until, film[1])


def take(shot: Shot, language: str) -> Picture:
    """Plays the scenario in this language and takes the picture."""
    end_ns, shown, config = _played(shot.script, language)
    if shot.before is None:
        return Picture(shot.name, shot.caption, [(_look(config, shown, [end_ns])[0], 0)])
    times = range(_played(shot.before, language)[0], end_ns, _FRAME_NS)
    frames: list[tuple[Image.Image, int]] = []
    for image in _look(config, shown, times):
        if frames and image.tobytes() == frames[-1][0].tobytes():
            frames[-1] = (image, frames[-1][1] + _FRAME_NS // 1_000_000)
        else:
            frames.append((image, _FRAME_NS // 1_000_000))
    return Picture(shot.name, shot.caption, frames)


def write(folder: Path) -> str:
    """Takes all pictures in every language into this folder.

    Returns:
        The page that shows them, in Markdown; the pictures are named as beside it.
    """
    taken = list(shots())
    parts = [_INTRODUCTION]
    for code, name in languages().items():
        beside = folder / "screens" / code
        beside.mkdir(parents=True, exist_ok=True)
        parts.append(f'## {name}\n\n<div class="gallery">')
        for shot in taken:
            picture = take(shot, code)
            picture.save(beside)
            path = f"../screens/{code}/{picture.file_name}"
            parts.append(
                f'<figure><img src="{path}" alt="{shot.caption}"><figcaption>{shot.caption}</figcaption></figure>'
            )
        parts.append("</div>\n")
    return "\n".join(parts)


_INTRODUCTION = """# Screens

The panel has 128 x 64 pixels; here they are four times as large. Every picture is taken from the box itself,
which plays the scenarios in `docs/gallery/`; `make docs` takes them all again.
"""


class _RememberingDisplay(VirtualDisplay):
    """Keeps the screens that it is given, instead of drawing them."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.shown: list[tuple[int, LocalizedScreen | None]] = []
        self._last_ns = 0

    def show(self, screen: LocalizedScreen, t_ns: int) -> None:
        self._last_ns = t_ns
        self.shown.append((t_ns, screen))

    def sleep(self) -> None:
        self.shown.append((self._last_ns, None))


def _played(script: str, language: str) -> tuple[int, list[tuple[int, LocalizedScreen | None]], Config]:
    """Its end in ns; the screens with their times; the config."""
    scenario = parse(f"config box.language {language}\n{script}", "gallery")
    display = _RememberingDisplay(scenario.config)
    with tempfile.TemporaryDirectory() as state:
        replay = ScenarioPlayer(scenario, Path(state), display)
        replay.run()
    return replay.world.now_ns - _LOOK_ON_NS, display.shown, scenario.config


def _look(
    config: Config, shown: Sequence[tuple[int, LocalizedScreen | None]], times_ns: Sequence[int]
) -> list[Image.Image]:
    """The picture on the glass at these times, rising."""
    display, left = VirtualDisplay(config), list(shown)
    found = []
    for now_ns in times_ns:
        while left and left[0][0] <= now_ns:
            t_ns, screen = left.pop(0)
            display.sleep() if screen is None else display.show(screen, t_ns)
        found.append(image_of(display.look(now_ns)))
    return found


def _enlarge(image: Image.Image) -> Image.Image:
    """The pixels as large as a page needs them, with an edge of glass."""
    width, height = image.width * _SCALE, image.height * _SCALE
    large = image.convert("L").resize((width, height), Image.Resampling.NEAREST)
    glass = Image.new("P", (width + 32, height + 32), 0)
    glass.putpalette([*_GLASS, *_LIGHT])
    glass.paste(1, (16, 16), large.point(lambda level: 255 if level else 0).convert("1"))
    return glass
