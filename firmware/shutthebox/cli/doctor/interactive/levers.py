"""`shutthebox doctor --levers`: shows every switch live, with its chatter."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any

from shutthebox.adapters.gpio import Edge, Pins, open_factory
from shutthebox.cli.check_config import switch_name
from shutthebox.cli.doctor.interactive.held_pins import held_pins
from shutthebox.cli.doctor.result import CheckResult, failed, passed, report, skipped
from shutthebox.config.schema import Config
from shutthebox.config.settings_loader import DEFAULT_LEVERS, switch_lines
from shutthebox.game.contact_health import ContactHealth
from shutthebox.game.lever_health import LeverNote, lever_note
from shutthebox.game.switches.debounce import WORN, Debouncer

TICK_NS = 250_000_000
"""How often all levels are reread: a cut wire causes no edge."""


def watch(config: Config, seconds: float | None, *, as_json: bool) -> int:
    """Shows the switches for some time, or until Ctrl-C, and then a verdict on each.

    Args:
        config: the wiring.
        seconds: how long; None for no limit.
        as_json: print an object per line, for every change and, at the end, for every switch.

    Returns:
        The exit code: 1 if a switch never moved, chatters, or is worn.

    Raises:
        PinsError: the pins can't be opened, for example while the box is running.
    """
    lines = switch_lines(config.gpio, config.box.levers or DEFAULT_LEVERS)
    inbox: SimpleQueue[Edge] = SimpleQueue()
    with held_pins(open_factory(config.gpio.backend), config.gpio, lines, inbox.put) as pins:
        found = _turn(config, pins, inbox, seconds, _printer(as_json))
        taken = [
            failed(switch_name(number), f"{LeverNote.TAKEN.words}: {why}")
            for number, why in pins.taken.items()
        ]
    out = config.box.out_of_play
    results = taken + [_judge(switch, health, is_out=switch in out) for switch, health in found.items()]
    return report(results, as_json=as_json, as_lines=True)


def _judge(switch: int, health: ContactHealth, *, is_out: bool) -> CheckResult:
    name, counts = switch_name(switch), f"{health.moves} moves, {health.chatter} chatter"
    note = lever_note(is_out=is_out, is_restless=health.restless)
    if note is LeverNote.OUT:
        return skipped(name, f"{note.words}; {counts}")
    if note is not None:
        return failed(name, f"{note.words}; {counts}")
    if health.moves < 2:
        return failed(name, "moved one way only" if health.moves else "never moved")
    if health.chatter > WORN * health.moves:
        return failed(name, f"worn; {counts}")
    return passed(name, counts)


_Show = Callable[[float, Mapping[int, bool], Mapping[int, ContactHealth]], None]


def _turn(
    config: Config, pins: Pins, inbox: "SimpleQueue[Edge]", seconds: float | None, show: _Show
) -> dict[int, ContactHealth]:
    """Takes edges in and shows the settled switches; returns their health."""
    start = time.monotonic_ns()
    end = None if seconds is None else start + round(seconds * 1e9)
    down = pins.active()
    debouncer = Debouncer({switch: config.box.settle_ns(switch) for switch in down}, down, start)
    now = tick = start
    health, restless = debouncer.health(now), set[int]()
    show(0.0, down, health)
    try:
        while end is None or now < end:
            due = min(tick, debouncer.deadline_ns or tick, end or tick)
            try:
                edge = inbox.get(timeout=max(0, due - now) / 1e9)
                events = debouncer.edge(edge.switch, edge.active, min(edge.t_ns, time.monotonic_ns()))
            except Empty:
                events = []
            now = time.monotonic_ns()
            if inbox.empty():  # queued edges are older than anything that would settle now
                events += debouncer.settle(now)
                if now >= tick:
                    tick = now + TICK_NS
                    events += debouncer.reconcile(pins.active(), now)
            down |= {event.switch: event.active for event in events}
            health = debouncer.health(now)
            restless |= {switch for switch, found in health.items() if found.restless}
            show((now - start) / 1e9, down, health)
    except KeyboardInterrupt:
        pass
    # A contact that has chattered without a pause will do so again.
    return {switch: found._replace(restless=switch in restless) for switch, found in health.items()}


def _printer(as_json: bool) -> _Show:
    """Returns a function that prints what changed since its last call: redrawn, as lines, or as JSON."""
    before: dict[int, tuple[bool, ContactHealth]] = {}
    redraws = sys.stdout.isatty() and not as_json

    def show(t_s: float, down: Mapping[int, bool], health: Mapping[int, ContactHealth]) -> None:
        changed = [switch for switch in down if before.get(switch) != (down[switch], _steady(health[switch]))]
        if not changed:
            return
        if redraws and before:
            print(f"\x1b[{len(down)}A", end="")
        for switch in down if redraws else changed:
            if as_json:
                found = health[switch]
                values: dict[str, Any] = {"t": round(t_s, 3), "switch": switch, "name": switch_name(switch)}
                values |= {"down": down[switch], "moves": found.moves, "chatter": found.chatter}
                print(json.dumps(values | {"chatters": found.restless}))
            else:
                stand = "down" if down[switch] else "up"
                line = f"{switch_name(switch):14} {stand:4} {health[switch].moves:6} moves"
                line += (
                    f" {health[switch].chatter:6} chatter{'  chatters' if health[switch].restless else ''}"
                )
                print(f"{line}\x1b[K" if redraws else f"{t_s:8.3f} s  {line}")
        sys.stdout.flush()
        before.update({switch: (down[switch], _steady(health[switch])) for switch in down})

    return show


def _steady(health: ContactHealth) -> ContactHealth:
    """The health without the figures that change when other switches move."""
    return ContactHealth(health.moves, health.chatter, 0, health.restless)
