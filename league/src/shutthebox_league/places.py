"""Places in tables."""

from collections.abc import Sequence


def places_of(keys: Sequence[object]) -> list[int]:
    """The places of rows, the best first, by what they are sorted by: equals share one, as in 1, 2, 2, 4."""
    places = list[int]()
    for at, key in enumerate(keys):
        places.append(places[-1] if at and key == keys[at - 1] else at + 1)
    return places
