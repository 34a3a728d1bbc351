"""Every kind of screen against a picture that somebody has looked at and found good."""

from collections.abc import Callable
from pathlib import Path

import pytest

from shutthebox.adapters.display.bitmap import Bitmap
from shutthebox.adapters.display.layout import HELP_NS, PROMPT_NS, draw
from shutthebox.game.mode import Mode
from shutthebox.game.screen import LocalizedScreen, TileState

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
LONG = LocalizedScreen(
    Mode.SERVICE,
    title="A very long title for one line",
    aside="and a long aside too",
    rows=("Lever 1 chatter 12", "A very long row of a list that cannot fit"),
    cursor=1,
    prompt="A prompt which is certainly too long for the line",
    is_list=True,
)
FIREWORKS = LocalizedScreen(
    Mode.TURN_OVER, title="Player 1", big="SHUT!", tiles=tiles("s", 9), prompt="Press: go on", celebrates=True
)
GAMES = LocalizedScreen(
    Mode.MENU,
    title="Classic",
    aside="4 more",
    rows=("1 Digits", "2 English pub", "3 Golf", "4 Knipsen", "5 Missionary", "6 Traditional", "7 Rules"),
    cursor=1,
    paragraph="A shut box wins double stakes.",
    prompt="Press: choose",
    also=("Lever 8: < 9: >", "Hold: back"),
    is_list=True,
)
TUMBLING = LocalizedScreen(
    Mode.ROLLING, title="Player 2", aside="R 1/5", tumbling=True, tiles=tiles("ooosooooo")
)
FLIPPING = LocalizedScreen(
    Mode.FLIPPING, title="Player 2", aside="R 1/5", dice=(3, 5), total=8, tiles=ALL_STATES, prompt="3 to go"
)

GALLERY: dict[str, LocalizedScreen] = {
    "attract": LocalizedScreen(Mode.ATTRACT, big="SHUT THE BOX", prompt="Press to play"),
    "attract-scores": LocalizedScreen(
        Mode.ATTRACT, title="Les meilleurs", rows=SCORES, prompt="Bouton : jouer"
    ),
    "menu": LocalizedScreen(
        Mode.MENU,
        title="Menu",
        rows=("1 Game: Traditional", "2 Players: 2", "3 Rounds: 1", "4 Language: English", "5 Sound: on"),
        cursor=3,
        aside="2 more",
        prompt="Press: choose",
        is_list=True,
    ),
    "scoreboard-code": LocalizedScreen(
        Mode.MENU,
        title="Regeln",
        code="http://192.168.178.105:8090/#rules",
        prompt="Drücke: Punkte",
        also=("Lang: zurück",),
        lit=True,
    ),
    "raise": LocalizedScreen(
        Mode.RAISING,
        title="Player 2",
        big="Player 2",
        tiles=tiles("oowowooow"),
        alert="Lift 3, 5, 9",
    ),
    "rolling-3": TUMBLING,
    "flipping-at-first": FLIPPING,
    "flipping-on": FLIPPING,
    "one-die": LocalizedScreen(
        Mode.FLIPPING, title="Player 1", dice=(4,), total=4, tiles=tiles("ovssssssv", 12), prompt="Shut 4"
    ),
    "ten-tiles-alert": LocalizedScreen(
        Mode.FLIPPING,
        title="J1",
        dice=(6, 6),
        total=12,
        tiles=tiles("w", 10),
        alert="Relevez 4",
    ),
    "twelve-tiles": LocalizedScreen(
        Mode.FLIPPING,
        title="J1",
        dice=(6, 5, 4),
        total=15,
        tiles=tiles("ovfsw", 12),
        prompt="Fermez 15 ou 9+6",
    ),
    "high-faces": LocalizedScreen(
        Mode.FLIPPING, dice=(12, 20), total=32, tiles=tiles("o", 12), prompt="Fermez 11, 12+9"
    ),
    "nine-dice": LocalizedScreen(
        Mode.FLIPPING, title="Nine", dice=(1, 2, 3, 4, 5, 6, 7, 8, 20), total=56, tiles=tiles("o", 9)
    ),
    "tiles-24": LocalizedScreen(
        Mode.FLIPPING, title="24", dice=(6, 6, 6, 6), total=24, tiles=tiles("ovfsw", 24), prompt="3 to go"
    ),
    "tiles-54": LocalizedScreen(Mode.FLIPPING, title="54", dice=(6, 5), total=11, tiles=tiles("ovfsw", 54)),
    "blocked": LocalizedScreen(
        Mode.TURN_OVER,
        title="Player 1",
        aside="6+5",
        big="Score: 15",
        tiles=tiles("sosososso"),
        prompt="Blocked by 11",
    ),
    "shut-accented": LocalizedScreen(
        Mode.TURN_OVER, title="Joueur 1", big="FERMÉE !", tiles=tiles("s", 9), prompt="Bouton : suite"
    ),
    "fireworks-6": FIREWORKS,
    "two-scores": LocalizedScreen(
        Mode.MATCH_OVER,
        title="Player 2 wins!",
        rows=("1: 10", "2: 7"),
        cursor=1,
        paragraph="Points\t4: coach",
        prompt="Press: again · hold: end",
    ),
    "games": GAMES,
    "rules": LocalizedScreen(
        Mode.MENU,
        title="Rules 1/6",
        paragraph="The box has 9 tiles, 1 to 9. A throw is 2 dice with 6 sides each.",
        prompt="Press: read on",
        also=("Hold: back",),
    ),
    "service": LocalizedScreen(
        Mode.SERVICE,
        title="Service",
        rows=("3 down?\t31 ~5", "4 up\t8 ~0"),
        cursor=0,
        tiles=tiles("oowoooooo"),
        prompt="Press: take out",
        is_list=True,
    ),
    "two-prompts": LocalizedScreen(
        Mode.READY, title="Player 1", big="8 left", prompt="Press: 2 dice", also=("Hold: 1 die",)
    ),
    "long-start": LONG,
}

ELAPSED_NS = {
    "attract-scores": 3_000 * MS,
    "rolling-3": 300 * MS,
    "flipping-on": HELP_NS,
    "twelve-tiles": 200 * MS,
    "tiles-54": 200 * MS,
    "fireworks-6": 600 * MS,
    "service": PROMPT_NS,
    "two-prompts": PROMPT_NS,
}
"""Since the screen was shown, of those that move; the others are taken at once."""


@pytest.mark.parametrize("name", GALLERY)
def test_screen_looks_as_it_did(name: str, golden: Callable[[str, Bitmap], None]) -> None:
    golden(name, draw(GALLERY[name], ELAPSED_NS.get(name, 0)))


def test_every_golden_picture_is_compared() -> None:
    assert {path.stem for path in (Path(__file__).parent / "golden").glob("*.png")} == set(GALLERY)
