"""An owner of a box: what they do with levers, buttons and sticks, and what the glass has to show then."""

from __future__ import annotations

import subprocess
from copy import copy
from pathlib import Path

from tests.support.machine import Queue
from tests.system.virtual_pi.machine import VirtualPi
from tests.system.virtual_pi.play import CONFIG
from tests.system.virtual_pi.table import GPIO, LEVERS, Table, pictures, until

from shutthebox.config.schema import parse_config
from shutthebox.config.settings_loader import settings_for
from shutthebox.game.faults import Fault
from shutthebox.game.inputs import Held, Input, LeversMoved, Pressed, ServicePressed, StickReported
from shutthebox.game.machine import Machine
from shutthebox.game.settings import Settings
from shutthebox.game.stick import Stick, StickJob, StickOutcome

SERVICE_LINE = 20
HOLD_S = 1.5


class Owner:
    """The owner's hands and eyes; a machine beside the box says what its glass has to show."""

    def __init__(self, table: Table, settings: Settings) -> None:
        self.table, self.pi = table, table.pi
        self._settings = settings
        self.begin()

    def begin(self, fault: Fault | None = None) -> None:
        """A box that has just started, and perhaps found something wrong."""
        self.pi.set_line(SERVICE_LINE, 1)
        self._t_ns = 0
        self._machine = Machine(self._settings, Queue(), 0, 0, fault=fault)

    def see(self) -> None:
        try:
            self.table.see([self._machine.state])
        except AssertionError as error:
            raise AssertionError(f"{error}\n{journal(self.pi)}") from None

    def hears(self, *reports: Stick | list[Stick | None] | None, seconds: float | None = None) -> None:
        """The box has heard one of these of the helper, and shows what it did not show before.

        Args:
            reports: one of them came last; of a list, all but the last may be too quick to be seen.
            seconds: of patience.
        """
        # All of them: words that drift elsewhere are nothing new.
        before = pictures(self._machine.state, every=1)
        shown: dict[bytes, Machine] = {}
        self._t_ns += 1_000_000_000
        for report in reports:
            machine = copy(self._machine)
            for stick in report if isinstance(report, list) else [report]:
                machine.step(StickReported(stick), self._t_ns)
            shown |= dict.fromkeys(pictures(machine.state) - before, machine)
        assert until(lambda: self.table.look() in shown, seconds or self.table.patience_s), (
            f"{self.table.as_text()}\n{self.table.journal()}{journal(self.pi)}"
        )
        self._machine = shown[self.table.glass.picture().tobytes()]

    def opens_service(self) -> None:
        """The button inside the box."""
        self.pi.push(SERVICE_LINE)
        self._give(ServicePressed())
        self.see()

    def press(self, *, sees: bool = True) -> None:
        """The button of the dice."""
        self.pi.push(int(GPIO.roll))
        self._give(Pressed())
        if sees:
            self.see()

    def hold(self) -> None:
        """The button of the dice, for more than 0.8 s."""
        self.pi.push(int(GPIO.roll), HOLD_S)
        self._give(Held())
        self.see()

    def choose(self, lever: int) -> None:
        for down in (1 << (lever - 1), 0):
            self.table.stand(down)
            self._give(LeversMoved(down))
            until(lambda: False, 0.3)
        self.see()

    def puts_in(self, image: Path, stick: Stick) -> None:
        """Puts a stick in that offers this, and opens its list with the button inside the box."""
        self.pi.put_in_stick(image)
        self.hears(stick)
        self.opens_service()

    def pulls_out(self, *ends: Stick) -> None:
        """The box says so; a hold leads back to the game.

        Args:
            ends: one of them is what the helper says last, of a job that runs.
        """
        self.pi.pull_out_stick()
        self.hears(*([end, None] for end in ends) if ends else [None])
        self.hold()

    def asks(self, stick: Stick, job: StickJob) -> None:
        """Chooses a job, and says yes to the question before it, which an update is checked for."""
        self.choose(stick.offers.index(job) + 1)
        is_checked = job is StickJob.UPDATE and not stick.checked
        self.press(sees=job is not StickJob.SAVE and not is_checked)
        if is_checked:
            checked = stick._replace(checked=True)
            self.hears(checked, [stick._replace(doing=StickJob.INSPECT), checked])
        if job is not StickJob.SAVE:
            self.press(sees=False)

    def _give(self, given: Input) -> None:
        self._t_ns += 1_000_000_000
        self._machine.step(given, self._t_ns)


def formatted(folder: Path, *command: str, size: int = 64 << 20) -> Path:
    """A stick with an empty file system; FAT, where no command says otherwise."""
    image = folder / "stick.img"
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run([*(command or ("mkfs.vfat",)), str(image)], check=True, capture_output=True)
    return image


def put_on(image: Path, file: Path, name: str) -> None:
    """Copies a file or a folder to a stick that is out."""
    subprocess.run(["mcopy", "-s", "-o", "-i", str(image), str(file), f"::{name}"], check=True)


def listed(image: Path, folder: str = "") -> list[str]:
    """The names in a folder of a stick that is out."""
    done = subprocess.run(
        ["mdir", "-b", "-i", str(image), f"::{folder}"], capture_output=True, text=True, check=False
    )
    return [line.removeprefix("::/").rstrip("/").rpartition("/")[2] for line in done.stdout.splitlines()]


def saved_name(pi: VirtualPi) -> str:
    """How the box calls what it saves today."""
    return f"shutthebox-{pi.run('hostname').out.strip()}-{pi.run('date +%F').out.strip()}"


def journal(pi: VirtualPi) -> str:
    """The helper's."""
    return pi.run("journalctl --no-pager -u 'shutthebox-stick@*' | grep -v systemd", check=False).out


OWNERS = f"{CONFIG}[gpio]\nservice = {SERVICE_LINE}\n"
SETTINGS = settings_for(parse_config(OWNERS, "test"), LEVERS, "test")
LONG_S = 400
"""The doctor's part of a report takes its time in an emulated machine."""

EMPTY = Stick(offers=(StickJob.SAVE,))
CUT_OFF = Stick(outcome=StickOutcome.PULLED_OUT)
"""What the helper says of a job whose stick is pulled out."""
