"""The faces of a throw as text."""

from shutthebox.errors import quoted
from shutthebox.rules.moves import Throw
from shutthebox.validation import count

MAX_FACES = 9
"""The most dice of any game, and so the most faces of a throw."""

MAX_FACE = 180
"""The highest number in a throw: the bare total of nine twenty-sided dice."""


def faces_to_text(faces: Throw) -> str:
    """Faces as text: ``3+5``. `faces_from_text` reads it back."""
    return "+".join(map(str, faces))


def faces_from_text(text: str) -> Throw:
    """The faces that `faces_to_text` wrote.

    Raises:
        ValueError: for anything else: not 1 to 9 faces, a face outside 1..180 that is no blank (0), stray
            signs, zeros in front.
    """
    words = text.split("+")
    if len(words) > MAX_FACES:
        raise ValueError(f"{len(words)} dice are too many; use up to {MAX_FACES}")
    return tuple(map(_face, words))


def _face(word: str) -> int:
    face = 0 if word == "0" else count(word, MAX_FACE)
    if face is None:
        raise ValueError(f"{quoted(word)} is not a face: use numbers from 1 to {MAX_FACE}")
    return face
