"""The machine's state diagram, drawn from what the methods of its modes say they return."""

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, get_args, get_type_hints

from doctools import PROJECT
from shutthebox.game import modes as modes_package
from shutthebox.game.mode import Mode
from shutthebox.game.modes.base import BoxMode, Cover, Receiver
from shutthebox.game.modes.linking import Linking
from shutthebox.game.modes.overlays import Abandon, Asleep
from shutthebox.game.state import Overlay
from shutthebox.game.targets import AfterAction

_NAMES = {
    "hold_long": "10 s hold",
    "deserted": "nobody there",
    "service": "service button",
    "setting": "a form",
}
INPUTS = {name: _NAMES.get(name, name) for name in vars(Receiver) if name in Receiver.__abstractmethods__}
ANSWERS = {"take_advice": "the computer's answer", "hear": "the other box", "take_report": "the other box"}
INPUT_NAMES: Mapping[str, str] = {**INPUTS, **ANSWERS}
"""Everything that players, time, the odds or another box can do, by the method of a mode that handles it."""

BENEATH = "the mode beneath"
"""Where an overlay leads that's lifted."""

NEXT_STAGE = "next stage"
"""Wherever the stage of the match leads after an action."""

_COVERS: Mapping[Overlay, type[Cover]] = {Overlay.ASLEEP: Asleep, Overlay.ABANDON: Abandon}
_AFTER_ACTION = frozenset(get_args(AfterAction))


class Way(NamedTuple):
    """Where an input can lead.

    Attributes:
        state: the name of the mode or overlay.
        event: the name of the input.
        places: the modes and targets that it can lead to.
        overlays: likewise, names of overlays.
    """

    state: str
    event: str
    places: frozenset[Any]
    overlays: tuple[str, ...] = ()


def transitions() -> Iterator[tuple[str, str, str]]:
    """Every transition from a mode or overlay: from where, by what, to where."""
    for way in _ways():
        for target in (*_names(_modes_at(way.places)), *way.overlays):
            if target != way.state:
                yield way.state, way.event, target


@cache
def modes() -> Mapping[Mode, tuple[type[BoxMode], ...]]:
    """The classes of each mode: all that can be reached from the entrances."""
    found, waiting = set[type[BoxMode]](), set(_modes_at(frozenset(_entrances())))
    while waiting:
        mode = waiting.pop()
        found.add(mode)
        waiting |= _modes_at(_places_of((mode,), *INPUT_NAMES)) - found
    return {name: tuple(mode for mode in found if mode.name is name) for name in Mode}


def diagram() -> str:
    """The diagram in Mermaid's language."""
    edges: dict[tuple[str, str], dict[str, None]] = {}
    for way in _ways():
        by_stage = way.places >= _AFTER_ACTION
        reached = _names(_modes_at(way.places - _AFTER_ACTION if by_stage else way.places))
        for target in (*reached, *([NEXT_STAGE] if by_stage else []), *way.overlays):
            if target != way.state:
                edges.setdefault((way.state, target), {})[way.event] = None
    lines = ["stateDiagram-v2", f"    [*] --> {_drawn(Mode.ATTRACT)}"]
    lines += [f"    {_drawn(a)} --> {_drawn(b)}: {', '.join(events)}" for (a, b), events in edges.items()]
    lines += [f"    {_drawn(NEXT_STAGE)} --> {_drawn(name)}" for name in _names(_modes_at(_AFTER_ACTION))]
    return "\n".join(lines) + "\n"


def architecture() -> str:
    """ARCHITECTURE.md with the diagram in its place."""
    page = (PROJECT / "firmware/shutthebox/ARCHITECTURE.md").read_text(encoding="utf-8")
    return re.sub(r"(?s)(?<=```mermaid\n)stateDiagram.*?(?=```)", lambda _: diagram(), page)


def _ways() -> Iterator[Way]:
    for overlay, cover in _COVERS.items():
        for event in (name for name in vars(cover) if name in INPUT_NAMES):
            places = _places(getattr(cover, event))
            leads = (frozenset[Any](), (BENEATH,)) if BoxMode in places else (places, ())
            yield Way(overlay.value, INPUT_NAMES[event], *leads)
    of_inputs = [(name, event) for name in Mode for event in INPUTS]
    for name, event in (*of_inputs, *((name, event) for event in ANSWERS for name in Mode)):
        classes = [mode for mode in modes()[name] if event != "setting" or mode.takes_settings]
        overlays = []
        if event == "hold_long" and any(mode.asks_to_leave for mode in classes):
            overlays.append(Overlay.ABANDON.value)
        if event == "deserted" and not all(mode.keeps_awake for mode in classes):
            overlays.append(Overlay.ASLEEP.value)
        yield Way(name.value, INPUT_NAMES[event], _places_of(classes, event), tuple(overlays))


def _places_of(classes: Iterable[type[BoxMode]], *events: str) -> frozenset[Any]:
    return frozenset().union(*(_places(getattr(mode, event)) for mode in classes for event in events))


@cache
def _places(method: Callable[..., Any]) -> frozenset[Any]:
    """The modes and targets in a return annotation, without the method's own mode."""
    (places,) = get_args(get_type_hints(method, localns=_late_modes())["return"])
    return frozenset(get_args(places) or (places,))


@cache
def _entrances() -> Mapping[type, Callable[..., Any]]:
    """The function that each target leads to: the one with a parameter of that type, in a mode's module."""
    names = (
        f"{modes_package.__name__}.{module.name}" for module in pkgutil.iter_modules(modes_package.__path__)
    )
    functions = (
        function
        for name in names
        for _, function in inspect.getmembers(import_module(name), inspect.isfunction)
        if function.__module__ == name and "target" in function.__annotations__
    )
    return {get_type_hints(function, localns=_late_modes())["target"]: function for function in functions}


def _late_modes() -> Mapping[str, type[BoxMode]]:
    return {mode.__name__: mode for mode in Linking.__subclasses__()}  # imported lazily


def _modes_at(places: frozenset[Any]) -> frozenset[type[BoxMode]]:
    """The modes among these places, and the modes that their targets lead to."""
    waiting, seen = set(places), set[Any]()
    while waiting:
        place = waiting.pop()
        seen.add(place)
        if place in _entrances():
            waiting |= _places(_entrances()[place]) - seen
    return frozenset(place for place in seen if isinstance(place, type) and issubclass(place, BoxMode))


def _names(reached: frozenset[type[BoxMode]]) -> list[str]:
    return sorted({mode.name.value for mode in reached})


def _drawn(name: str) -> str:
    return name.replace("-", "_").replace(" ", "_")
