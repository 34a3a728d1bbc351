"""`shutthebox doctor --display`: sends a test picture to every panel, for eyes to judge.

Controllers take almost the same commands, and none reports its type. One difference: over I2C the memory of
some can be read back.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from shutthebox.adapters.display.opening import open_configured, reset_on_i2c
from shutthebox.adapters.display.panel import DisplayError
from shutthebox.cli.doctor import hardware
from shutthebox.cli.doctor.interactive.outputs import PICTURE, picture
from shutthebox.cli.doctor.result import CheckResult, failed, passed, report
from shutthebox.config.controllers import Controller
from shutthebox.config.schema import Backend, Config, DisplayConfig, Interface

_COMMAND, _DATA = 0x00, 0x40  # control bytes
_NOTHING = 0xE3
_COLUMN = 60
_PATTERNS = (b"\xa5\x00\x3c\xff", b"\x5a\xff\xc3\x00")


@dataclass(frozen=True, slots=True)
class _Panel:
    """A panel that may be there.

    Attributes:
        display: its wiring.
        controllers: the possible ones, the likeliest first.
        evidence: what speaks for them.
    """

    display: DisplayConfig
    controllers: tuple[Controller, ...]
    evidence: str


def show(config: Config, *, as_json: bool) -> int:
    """Sends the pictures, says what they should look like, and what to write into the config.

    Returns:
        The exit code: 1 if no panel could be sent a picture.
    """
    find = _find_on_spi if config.display.interface is Interface.SPI else _find_on_i2c
    found = find(config)
    if isinstance(found, str):
        return report([failed("display", found)], as_json=as_json)
    code = report([_send_picture(panel, config.gpio.backend) for panel in found], as_json=as_json)
    if not as_json:
        for panel in found:
            print("\n".join(_questions(panel, config.display)))
    return code


def _send_picture(panel: _Panel, backend: Backend) -> CheckResult:
    controller = panel.controllers[0]
    try:
        with closing(open_configured(panel.display, controller, backend)) as opened:
            opened.push(picture(controller, panel.display))
    except DisplayError as error:
        return failed("display", str(error))
    return passed(
        "display", f"{panel.display.where}: {panel.evidence}; a picture was sent as to {controller}"
    )


def _questions(panel: _Panel, configured: DisplayConfig) -> Iterator[str]:
    controller, *others = panel.controllers
    yield f"Right: {PICTURE}."
    wrong = "Dark, broken or two columns off"
    if panel.display.interface is Interface.SPI:
        yield "Dark: check its leads (D/C and reset first), and that its jumpers aren't set to I2C."
        wrong = "Broken or two columns off"
    yield f"{wrong}: try " + ", ".join(f"{c} ({c.chip.panels})" for c in others)
    if (configured.controller, configured.address) == (controller, panel.display.address):
        yield "The config already says so."
    else:
        address = f"address = 0x{panel.display.address:02X}\n"
        yield f'Write into the config:\n\n[display]\ncontroller = "{controller}"\n{address}'


def _find_on_spi(config: Config) -> list[_Panel] | str:
    """The panel that the config has; in words, why SPI can't be used."""
    fault = hardware.no_spi()
    return fault or [_Panel(config.display, _possible(config, lambda c: True), "SPI can't be read back")]


def _possible(config: Config, condition: Callable[[Controller], bool]) -> tuple[Controller, ...]:
    """The controllers for which this is true, the configured one first, and those with readable memory last.

    A controller compatible with an older one can't be told from it, and needn't be.
    """
    configured = config.display.controller
    kinds = [c for c in Controller if (c is configured or not c.chip.like) and condition(c)]
    return tuple(sorted(kinds, key=lambda c: (c is not configured, c.chip.readable)))


def _find_on_i2c(config: Config) -> list[_Panel] | str:
    """The panels that answer on the bus; in words, why there's none.

    Resets the panel first, if the config has a line for that. Writes a few dots to a panel's memory.
    """
    try:
        from smbus2 import SMBus
    except ImportError:
        return "smbus2 is not installed: apt install python3-smbus2"
    number = config.display.bus
    node = hardware.DEV / f"i2c-{number}"
    if not node.exists():
        return f"no {node}: dtparam=i2c_arm=on in config.txt, or i2c-dev"
    try:
        with reset_on_i2c(config.display, config.gpio.backend) as unreset, SMBus(number) as bus:
            there = [address for address in hardware.PANEL_ADDRESSES if _answers(bus, address)]
            is_readable = [_gives_back(bus, address) for address in there]
    except OSError as error:
        return f"{node} can't be used: {error}"
    if not there:
        where = " or ".join(f"0x{address:02X}" for address in hardware.PANEL_ADDRESSES)
        return f"none answers at {where} on {node}: {unreset or hardware.CHECK_LEADS}"
    return [_on_i2c(config, address, readable) for address, readable in zip(there, is_readable, strict=True)]


def _on_i2c(config: Config, address: int, is_readable: bool) -> _Panel:
    display = config.display._replace(address=address)
    if is_readable:
        kinds = _possible(config, lambda c: c.chip.readable)
        return _Panel(display, kinds, f"its memory can be read back, as that of {' and '.join(kinds)}")
    return _Panel(display, _possible(config, lambda c: True), "its memory can't be read back")


def _answers(bus: Any, address: int) -> bool:  # noqa: ANN401  (smbus2 has no types)
    try:
        _send(bus, address, _COMMAND, _NOTHING)
    except OSError:
        return False
    return True


def _send(bus: Any, address: int, *data: int) -> None:  # noqa: ANN401
    from smbus2 import i2c_msg

    bus.i2c_rdwr(i2c_msg.write(address, data))


def _gives_back(bus: Any, address: int) -> bool:  # noqa: ANN401
    """Whether memory reads back as written, with two patterns: a floating bus always reads the same."""
    try:
        return all(_read_back(bus, address, pattern) == pattern for pattern in _PATTERNS)
    except OSError:
        return False


def _read_back(bus: Any, address: int, pattern: bytes) -> bytes:  # noqa: ANN401
    from smbus2 import i2c_msg

    place = (0xB0, _COLUMN & 0x0F, 0x10 | _COLUMN >> 4)  # page 0, low and high half of the column
    for part in place:
        _send(bus, address, _COMMAND, part)
    _send(bus, address, _DATA, *pattern)
    for part in place:
        _send(bus, address, _COMMAND, part)
    # The first byte after the column was set is a dummy.
    answer = i2c_msg.read(address, len(pattern) + 1)
    bus.i2c_rdwr(i2c_msg.write(address, [_DATA]), answer)
    return bytes(answer)[1:]
