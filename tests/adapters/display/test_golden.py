"""Every kind of screen against a picture that somebody has looked at and found good."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from shutthebox.adapters.display.layout import draw
from shutthebox.game.mode import Mode
from shutthebox.game.screen import Screen, TileState

MS = 1_000_000
STATES = {
    "o": TileState.OPEN,
    "s": TileState.SHUT,
    "v": TileState.VIABLE,
    "f": TileState.FLIPPED,
    "w": TileState.WRONG,
}


def tiles(states: str, count: int | None = None) -> tuple[tuple[int, TileState], ...]:
    """Tiles 1, 2, 3... in the states that the letters name, again and again."""
    return tuple((i + 1, STATES[states[i % len(states)]]) for i in range(count or len(states)))


PLAYERS = ("Anna", "Béatrice de la Tour", "Zoé", "Dan", "Eve", "Flo", "Gus", "Hal", "Ivy")
SCORES = tuple(f"{name}\t{7 * i}" for i, name in enumerate(PLAYERS))
ALL_STATES = tiles("vvfsowvvo")
LONG = Screen(
    Mode.SERVICE,
    title="A very long title for one line",
    aside="and a long aside too",
    rows=("Lever 1 chatter 12", "A very long row of a list that cannot fit"),
    cursor=1,
    prompt="A prompt which is certainly too long for the line",
)
TUMBLING = Screen(Mode.ROLLING, title="Player 2", aside="R 1/5", tumbling=True, tiles=tiles("ooosooooo"))
FLIPPING = Screen(
    Mode.FLIPPING, title="Player 2", aside="R 1/5", dice=(3, 5), total=8, tiles=ALL_STATES, prompt="3 to go"
)

GALLERY: dict[str, tuple[Screen, int]] = {
    "attract": (Screen(Mode.ATTRACT, big="SHUT THE BOX", prompt="Press to play"), 0),
    "attract-drifted": (Screen(Mode.ATTRACT, big="SHUT THE BOX", prompt="Press to play"), 10_000 * MS),
    "attract-scores": (
        Screen(Mode.ATTRACT, title="Ferme la boîte", aside="M", rows=SCORES, prompt="Appuyez"),
        3_000 * MS,
    ),
    "setup": (
        Screen(Mode.SETUP, title="Joueurs", big="2", tiles=tiles("v", 9), prompt="Levier, puis bouton"),
        0,
    ),
    "menu": (
        Screen(
            Mode.MENU,
            title="Menu",
            rows=("1 Profile", "2 Language", "3 Sound: on", "4 Statistics", "5 Service"),
            cursor=3,
            prompt="Press to choose",
        ),
        0,
    ),
    "menu-short": (Screen(Mode.MENU, title="Son", rows=("1 Oui", "2 Non"), cursor=0), 0),
    "raise": (
        Screen(
            Mode.RAISE,
            title="Player 2",
            big="Raise!",
            tiles=tiles("oowowooow"),
            prompt="Lift 3 5 9",
            alert=True,
        ),
        0,
    ),
    "ready": (
        Screen(
            Mode.READY,
            title="Joueur 2",
            aside="M 1/5",
            big="À vous",
            tiles=tiles("ooosooooo"),
            prompt="Lancez",
        ),
        0,
    ),
    "rolling-0": (TUMBLING, 0),
    "rolling-3": (TUMBLING, 300 * MS),
    "flipping-on": (FLIPPING, 0),
    "flipping-off": (FLIPPING, 200 * MS),
    "one-die": (
        Screen(
            Mode.FLIPPING, title="Player 1", dice=(4,), total=4, tiles=tiles("ovssssssv", 12), prompt="Flip 4"
        ),
        0,
    ),
    "ten-tiles-alert": (
        Screen(
            Mode.FLIPPING,
            title="J1",
            dice=(6, 6),
            total=12,
            tiles=tiles("w", 10),
            prompt="Relevez 4",
            alert=True,
        ),
        0,
    ),
    "twelve-tiles": (
        Screen(
            Mode.FLIPPING,
            title="J1",
            dice=(6, 5, 4),
            total=15,
            tiles=tiles("ovfsw", 12),
            prompt="Étage à éviter",
        ),
        200 * MS,
    ),
    "high-faces": (
        Screen(Mode.FLIPPING, dice=(12, 20), total=32, tiles=tiles("o", 12), prompt="Œuf € naïf"),
        0,
    ),
    "nine-dice": (
        Screen(Mode.FLIPPING, title="Nine", dice=(1, 2, 3, 4, 5, 6, 7, 8, 20), total=56, tiles=tiles("o", 9)),
        0,
    ),
    "tiles-24": (
        Screen(
            Mode.FLIPPING, title="24", dice=(6, 6, 6, 6), total=24, tiles=tiles("ovfsw", 24), prompt="3 to go"
        ),
        0,
    ),
    "tiles-36": (Screen(Mode.FLIPPING, title="36", dice=(6, 5), total=11, tiles=tiles("ovfsw", 36)), 0),
    "tiles-54": (
        Screen(Mode.FLIPPING, title="54", dice=(6, 5), total=11, tiles=tiles("ovfsw", 54)),
        200 * MS,
    ),
    "blocked": (
        Screen(
            Mode.TURN_OVER,
            title="P1",
            dice=(6, 5),
            big="15",
            tiles=tiles("sosososso"),
            prompt="Blocked: 15 points",
        ),
        0,
    ),
    "shut": (Screen(Mode.TURN_OVER, title="Player 1", big="SHUT!", prompt="Press: next player"), 0),
    "shut-accented": (
        Screen(Mode.TURN_OVER, title="Joueur 1", big="FERMÉE !", tiles=tiles("s", 9), prompt="Appuyez"),
        0,
    ),
    "table-first": (Screen(Mode.MATCH_OVER, title="Winner", aside="Anna", rows=SCORES, prompt="Press"), 0),
    "table-last": (
        Screen(Mode.MATCH_OVER, title="Winner", aside="Anna", rows=SCORES, prompt="Press"),
        6_000 * MS,
    ),
    "winner": (
        Screen(
            Mode.MATCH_OVER,
            title="Match over",
            big="Anna",
            rows=("Anna gets\t2.50", "Bob owes\t1.50"),
            prompt="!",
        ),
        0,
    ),
    "initials": (Screen(Mode.INITIALS, title="Hall of fame", big="AN_", prompt="Lever 1 back, 2 on"), 0),
    "long-start": (LONG, 0),
    "long-middle": (LONG, 2_500 * MS),
}


@pytest.mark.parametrize("name", GALLERY)
def test_screen_looks_as_it_did(name: str, golden: Callable[[str, Image.Image], None]) -> None:
    screen, elapsed_ns = GALLERY[name]
    golden(name, draw(screen, elapsed_ns))


def test_every_golden_picture_is_compared() -> None:
    assert {path.stem for path in (Path(__file__).parent / "golden").glob("*.png")} == set(GALLERY)
