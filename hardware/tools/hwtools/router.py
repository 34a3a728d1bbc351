"""A two-layer maze router on a grid: nets share the board by bargaining (rip up, pay more, route again).

Knows only pads, discs and numbers; [hwtools.board][] feeds it from KiCad and draws what it finds.
Lengths in mm.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass, field

__all__ = ["CLEARANCE", "GRID", "Pad", "Route", "Router"]

GRID = 0.2
CLEARANCE = 0.2
VIA_RADIUS = 0.3
_MARGIN = 0.012  # for the way KiCad measures round corners
_VIA_COST = 14.0
_DIAGONAL = math.sqrt(2.0)


@dataclass(frozen=True, slots=True)
class Pad:
    """A pad: a rectangle (or a disc) on one layer or on both (layer -1)."""

    net: str
    x: float
    y: float
    half_w: float
    half_h: float
    layer: int
    round: bool = False
    through: bool = False

    def distance(self, x: float, y: float) -> float:
        """Distance from a point to the pad's edge, 0 inside."""
        dx, dy = abs(x - self.x), abs(y - self.y)
        if self.round:
            return max(0.0, math.hypot(dx, dy) - self.half_w)
        return math.hypot(max(0.0, dx - self.half_w), max(0.0, dy - self.half_h))


@dataclass(slots=True)
class Route:
    """What has to be joined, and how it was."""

    name: str
    net: str
    pads: list[Pad]
    width: float
    to_plane: bool = False
    paths: list[list[tuple[int, int, int]]] = field(default_factory=list)
    vias: list[tuple[int, int]] = field(default_factory=list)
    marks: dict[str, set[int]] = field(default_factory=dict)


class Router:
    """The board as a grid; layer 0 is the front, 1 the back."""

    def __init__(
        self,
        width: float,
        height: float,
        pads: list[Pad],
        discs: list[tuple[float, float, float]],
        widths: tuple[float, ...],
    ) -> None:
        self.nx = int(width / GRID) + 1
        self.ny = int(height / GRID) + 1
        self.size = self.nx * self.ny
        self.widths = widths
        self.kinds = [f"{w}" for w in widths] + ["via"]
        self.radius = {f"{w}": w / 2 for w in widths} | {"via": VIA_RADIUS}
        self.names: dict[str, int] = {}
        # who may use a cell: 0 everybody, n only that net, -1 nobody
        self.owner = {k: [0] * (2 * self.size) for k in self.kinds}
        self.count = {k: [0] * (2 * self.size) for k in self.kinds}
        self.history = [0.0] * (2 * self.size)
        self.routes: list[Route] = []
        edge = 0.5
        for kind in self.kinds:
            radius = self.radius[kind]
            owner = self.owner[kind]
            for iy in range(self.ny):
                for ix in range(self.nx):
                    x, y = ix * GRID, iy * GRID
                    if min(x, y, width - x, height - y) < edge + radius:
                        owner[iy * self.nx + ix] = owner[self.size + iy * self.nx + ix] = -1
            for cx, cy, r in discs:
                for cell in self._near(cx, cy, r + radius):
                    owner[cell] = owner[self.size + cell] = -1
        for pad in pads:
            self._block(pad)

    def _near(self, x: float, y: float, radius: float) -> list[int]:
        cells = []
        for iy in range(
            max(0, math.ceil((y - radius) / GRID)), min(self.ny - 1, int((y + radius) / GRID)) + 1
        ):
            for ix in range(
                max(0, math.ceil((x - radius) / GRID)), min(self.nx - 1, int((x + radius) / GRID)) + 1
            ):
                if math.hypot(ix * GRID - x, iy * GRID - y) < radius:
                    cells.append(iy * self.nx + ix)
        return cells

    def _block(self, pad: Pad) -> None:
        ident = self.names.setdefault(pad.net, len(self.names) + 1) if pad.net else -1
        for kind in self.kinds:
            reach = self.radius[kind] + CLEARANCE + _MARGIN
            owner = self.owner[kind]
            x0, x1 = (pad.x - pad.half_w - reach) / GRID, (pad.x + pad.half_w + reach) / GRID
            y0, y1 = (pad.y - pad.half_h - reach) / GRID, (pad.y + pad.half_h + reach) / GRID
            for iy in range(max(0, math.ceil(y0)), min(self.ny - 1, int(y1)) + 1):
                for ix in range(max(0, math.ceil(x0)), min(self.nx - 1, int(x1)) + 1):
                    d = pad.distance(ix * GRID, iy * GRID)
                    if d >= reach:
                        continue
                    # no via in a pad, not even in its own net's
                    who = -1 if kind == "via" and d < VIA_RADIUS + 0.1 else ident
                    layers = (0, 1) if pad.layer < 0 or kind == "via" else (pad.layer,)
                    for layer in layers:
                        cell = layer * self.size + iy * self.nx + ix
                        if owner[cell] not in (0, who) or who == -1:
                            owner[cell] = -1
                        else:
                            owner[cell] = who

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """The grid point nearest to a place."""
        return round(x / GRID), round(y / GRID)

    def add(self, route: Route) -> None:
        """Take on something to be joined."""
        self.names.setdefault(route.net, len(self.names) + 1)
        self.routes.append(route)

    # --- marks: where a routed net keeps others away

    def _mark(self, route: Route) -> None:
        marks: dict[str, set[int]] = {k: set() for k in self.kinds}
        for kind in self.kinds:
            own = self.radius[kind]
            reach = (route.width / 2 + CLEARANCE + own + _MARGIN) / GRID
            disc = self._disc(reach)
            for path in route.paths:
                for layer, ix, iy in path:
                    for dx, dy in disc:
                        x, y = ix + dx, iy + dy
                        if 0 <= x < self.nx and 0 <= y < self.ny:
                            cell = y * self.nx + x
                            if kind == "via":
                                marks[kind].add(cell)
                            else:
                                marks[kind].add(layer * self.size + cell)
            reach = (VIA_RADIUS + CLEARANCE + own + _MARGIN) / GRID
            disc = self._disc(reach)
            for ix, iy in route.vias:
                for dx, dy in disc:
                    x, y = ix + dx, iy + dy
                    if 0 <= x < self.nx and 0 <= y < self.ny:
                        cell = y * self.nx + x
                        marks[kind].add(cell)
                        if kind != "via":
                            marks[kind].add(self.size + cell)
        route.marks = marks
        for kind, cells in marks.items():
            count = self.count[kind]
            for cell in cells:
                count[cell] += 1

    def _unmark(self, route: Route) -> None:
        for kind, cells in route.marks.items():
            count = self.count[kind]
            for cell in cells:
                count[cell] -= 1
        route.marks = {}

    @staticmethod
    def _disc(reach: float) -> list[tuple[int, int]]:
        n = int(reach)
        return [(dx, dy) for dx in range(-n, n + 1) for dy in range(-n, n + 1) if math.hypot(dx, dy) < reach]

    def conflicts(self, route: Route) -> int:
        """Number of cells of a routed net that other nets keep it away from."""
        siblings = [r for r in self.routes if r.net == route.net and r is not route]
        kind = f"{route.width}"
        bad = 0

        def foreign(what: str, cell: int) -> int:
            n = self.count[what][cell]
            if not n:
                return 0
            n -= cell in route.marks.get(what, ())
            if n:
                n -= sum(cell in s.marks.get(what, ()) for s in siblings)
            return n

        for path in route.paths:
            for layer, ix, iy in path:
                cell = layer * self.size + iy * self.nx + ix
                if foreign(kind, cell) > 0:
                    bad += 1
                    self.history[cell] += 0.6
        for ix, iy in route.vias:
            cell = iy * self.nx + ix
            if foreign("via", cell) > 0:
                bad += 1
                self.history[cell] += 0.6
                self.history[self.size + cell] += 0.6
        return bad

    # --- search

    def _search(
        self,
        route: Route,
        sources: list[tuple[int, int, int]],
        goals: set[int] | None,
        aim: tuple[int, int] | None,
        penalty: float,
    ) -> list[tuple[int, int, int]] | None:
        ident = self.names[route.net]
        kind = f"{route.width}"
        owner, via_owner = self.owner[kind], self.owner["via"]
        count, via_count = self.count[kind], self.count["via"]
        history = self.history
        nx, size = self.nx, self.size
        best: dict[int, float] = {}
        came: dict[int, int] = {}
        heap: list[tuple[float, float, int]] = []
        ax, ay = aim if aim else (0, 0)

        def guess(cell: int) -> float:
            if aim is None:
                return 0.0
            rest = cell % size
            dx, dy = abs(rest % nx - ax), abs(rest // nx - ay)
            return max(dx, dy) + 0.414 * min(dx, dy)

        for layer, ix, iy in sources:
            cell = layer * size + iy * nx + ix
            best[cell] = 0.0
            heapq.heappush(heap, (guess(cell), 0.0, cell))
        steps = [
            (1, 1.0),
            (-1, 1.0),
            (nx, 1.0),
            (-nx, 1.0),
            (nx + 1, _DIAGONAL),
            (nx - 1, _DIAGONAL),
            (-nx + 1, _DIAGONAL),
            (-nx - 1, _DIAGONAL),
        ]
        while heap:
            _, cost, cell = heapq.heappop(heap)
            if cost > best[cell]:
                continue
            flat = cell % size
            layer = cell // size
            if goals is not None:
                done = cell in goals
            else:  # any place for a via down to the ground plane
                done = (
                    via_owner[flat] in (0, ident)
                    and via_owner[size + flat] in (0, ident)
                    and (not via_count[flat] or penalty < 3 or cost > 60)
                )
            if done:
                path = [cell]
                while path[-1] in came:
                    path.append(came[path[-1]])
                return [(c // size, c % size % nx, c % size // nx) for c in reversed(path)]
            for step, length in steps:
                nxt = cell + step
                who = owner[nxt]
                if who and who != ident:
                    continue
                total = cost + length * (1.0 + history[nxt]) + penalty * count[nxt]
                if total < best.get(nxt, 1e18):
                    best[nxt] = total
                    came[nxt] = cell
                    heapq.heappush(heap, (total + guess(nxt), total, nxt))
            if goals is None:
                continue
            a, b = via_owner[flat], via_owner[size + flat]
            if a in (0, ident) and b in (0, ident):
                nxt = (1 - layer) * size + flat
                if owner[nxt] in (0, ident):
                    total = (
                        cost + _VIA_COST + penalty * (count[nxt] + 2 * via_count[flat]) + 4 * history[flat]
                    )
                    if total < best.get(nxt, 1e18):
                        best[nxt] = total
                        came[nxt] = cell
                        heapq.heappush(heap, (total + guess(nxt), total, nxt))
        return None

    def _pad_cells(self, pad: Pad) -> list[tuple[int, int, int]]:
        ix, iy = self.cell_of(pad.x, pad.y)
        return [(layer, ix, iy) for layer in ((0, 1) if pad.layer < 0 else (pad.layer,))]

    def _join(self, route: Route, penalty: float) -> bool:
        route.paths, route.vias = [], []
        if route.to_plane:
            path = self._search(route, self._pad_cells(route.pads[0]), None, None, penalty)
            if path is None:
                return False
            route.paths.append(path)
            route.vias.append((path[-1][1], path[-1][2]))
            return True
        tree = self._pad_cells(route.pads[0])
        left = list(route.pads[1:])
        while left:
            px, _py = [(c[1], c[2]) for c in tree], None
            left.sort(key=lambda p: min(math.hypot(p.x / GRID - x, p.y / GRID - y) for x, y in px))
            pad = left.pop(0)
            goals = {layer * self.size + iy * self.nx + ix for layer, ix, iy in self._pad_cells(pad)}
            path = self._search(route, tree, goals, self.cell_of(pad.x, pad.y), penalty)
            if path is None:
                return False
            route.paths.append(path)
            for a, b in itertools.pairwise(path):
                if a[0] != b[0]:
                    route.vias.append((a[1], a[2]))
            tree += path + self._pad_cells(pad)
        return True

    def run(self, rounds: int = 40, say: bool = True) -> list[Route]:
        """Route everything; return the routes that failed or still collide."""
        penalty = 0.6
        todo = list(self.routes)
        for number in range(rounds):
            missing = []
            for route in todo:
                self._unmark(route)
                if not self._join(route, penalty):
                    missing.append(route)
                self._mark(route)
            todo = [r for r in self.routes if self.conflicts(r)]
            if say:
                print(
                    f"round {number + 1}: {len(todo)} collide {[r.name for r in todo][:8]}, "
                    f"{len(missing)} blocked {[r.name for r in missing]}"
                )
            if not todo:
                return missing
            penalty *= 1.35
        return todo
