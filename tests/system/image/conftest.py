from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.system.image import machine
from tests.system.image.bundles import sign
from tests.system.image.machine import CONFIG, CardPi, hardware_disk, make_card

#: Mistakes in these two are said on the display, and nothing else on the card is used.
MISTAKES = {"network.toml": 'wifi = "Pub"\n', "ssh-key.txt": "the landlord's\n"}


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    if (lacking := machine.missing()) is not None:
        pytest.skip(f"the image is NOT tried: {lacking}")
    with tempfile.TemporaryDirectory(prefix="card-", dir=machine.BUILD) as name:
        yield Path(name)


@pytest.fixture(scope="session")
def pi(folder: Path) -> Iterator[CardPi]:
    """A machine with a fresh card, switched on for the first time."""
    make_card(folder / "card.img", {"shutthebox.toml": CONFIG, **MISTAKES})
    hardware_disk(folder / "hardware.img", sign(machine.BUILD / "system.img", "99.0", folder / "good.raucb"))
    with CardPi(folder / "card.img", folder / "hardware.img") as machine_on:
        yield machine_on
