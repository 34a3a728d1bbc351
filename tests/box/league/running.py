"""A league with its boxes, every part a process of its own."""

import itertools
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.league import found_league, league_command, uplink_command


class Part:
    """A process, which can be killed and started again."""

    def __init__(self, command: tuple[str, ...], log: Path) -> None:
        self._command, self._log = command, log
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def kill(self) -> None:
        """Kills it; a process that has ended by itself is no fault of the test."""
        self.process.kill()
        self.process.wait()


class RunningLeague:
    """Door, reviewer, boxes that play, and their uplinks."""

    def __init__(self, folder: Path, url: str, boxes: Mapping[str, str], pause_s: float) -> None:
        self.place = found_league(folder, url)
        for box, pub in boxes.items():
            (folder / box / "outbox").mkdir(parents=True)
            self.place.enrol(box, pub)
        self.place.engine.dispose()
        commands: dict[str, list[tuple[str, ...]]] = {
            "door": [league_command(folder, "take", "--port", str(self.place.port))],
            "reviewer": [league_command(folder, "review")],
            "box": [
                (sys.executable, "-m", "tests.box.league.box", str(folder / box), str(number), str(pause_s))
                for number, box in enumerate(boxes)
            ],
            "uplink": [uplink_command(folder / f"{box}.toml", folder / box) for box in boxes],
        }
        self.parts = {
            kind: [Part(command, folder / f"{kind}.log") for command in of_kind]
            for kind, of_kind in commands.items()
        }

    def close(self) -> None:
        for part in itertools.chain(*self.parts.values()):
            part.kill()
