"""A card's updates, as RAUC tells of them and as a stick brings them."""

import json
from contextlib import AbstractContextManager
from pathlib import Path

from tests.support.stick import Box, FolderVolume, helped, put_program

from shutthebox.adapters.store.schema import VERSION
from shutthebox.game.stick import Stick, StickJob
from shutthebox.owner.update import known_keys


def info(version: str = "99", **meta: str) -> str:
    described = {"update": {"compatible": "shutthebox-pi-arm64", "version": version}}
    return json.dumps({**described, "meta": {"shutthebox": meta}} if meta else described)


RAUC = """\
echo $1 >>%s
case $1 in
info)
    grep -q good "$3" || { echo "signature verification failed" >&2; exit 1; }
    echo '%s'
    ;;
install)
    [ ! -e %s ] || { echo "LastError: the slot is worn out"; exit 1; }
    cp "$2" %s
    echo "  0%% Installing"; echo " 50%% Copying"; echo "100%% Installing done."
    ;;
esac
"""


class Card:
    """A card's system as far as the helper looks, with a RAUC that finds every file good that says so."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.kept, self.stick = folder, folder / "data", folder / "stick"
        self.worn_out, self.written = folder / "worn-out", folder / "written"
        self.asked = folder / "asked"
        (self.kept / "card").mkdir(parents=True)
        self.stick.mkdir()
        self.describe("9.9.9", store=str(VERSION), config=" ".join(known_keys()))

    def describe(self, version: str, **meta: str) -> None:
        script = RAUC % (self.asked, info(version, **meta), self.worn_out, self.written)
        put_program(self.folder / "rauc", script)

    def helped(self, *, is_card: bool = False) -> AbstractContextManager[Box]:
        volume, state = FolderVolume(self.stick), self.folder / "state"
        return helped(volume, state, self.folder, kept=self.kept, is_card=is_card)

    def done(self, job: StickJob) -> Stick:
        with self.helped() as box:
            if job is StickJob.UPDATE:
                box.done(StickJob.INSPECT)
            return box.done(job)

    def seen(self, *, is_card: bool = False) -> Stick:
        with self.helped(is_card=is_card) as box:
            return box.seen()
