"""Which extras are installed here: Debian doesn't have what the environments of agents need."""

from importlib.util import find_spec

import shutthebox

HAS_LEARNING = all(find_spec(name) for name in ("gymnasium", "pettingzoo"))
NO_LEARNING = "NOT TESTED: no gymnasium and pettingzoo here: pip install 'shutthebox[learn]'"


def is_importable(module: str) -> bool:
    """Whether a module of the project finds what it imports."""
    needs_learning = {f"shutthebox.{shutthebox._HOMES[name]}" for name in shutthebox._WITH_EXTRA}
    return HAS_LEARNING or module not in needs_learning
