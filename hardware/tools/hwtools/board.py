"""Places, routes and pours the HAT's board with KiCad's own pcbnew (run it with KiCad's python).

The netlist comes from the schematic, so the two cannot differ. Coordinates are mm from the upper left corner.
"""

# pcbnew ships no types, so this module is not under mypy.
from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import pcbnew

from hwtools import hat, pinout, sexpr
from hwtools.router import GRID, Pad, Route, Router

WIDTH, HEIGHT = 65.0, 56.5
ORIGIN = (100.0, 60.0)
FOOTPRINTS = Path("/usr/share/kicad/footprints")
HOLES = ((3.5, 3.5), (61.5, 3.5), (3.5, 52.5), (61.5, 52.5))
SUPPLIES = {"+3V3": 0.4, "+5V": 0.4, "5V_FUSED": 0.4, "3V3_FUSED": 0.4}
SIGNAL = 0.2
MM = 1_000_000

# how far from the middle of a channel its two columns of parts stand, and the texts after each
D_ASIDE, R_ASIDE = -1.80, 0.56
D_TEXT, R_TEXT = 1.27, 1.05
# reference -> x, y, rotation anticlockwise
PLACES: dict[str, tuple[float, float, float]] = {
    "J1": (8.37, 4.77, 270),
    "J2": (9.45, 52.4, 0), "J3": (23.4, 52.4, 0), "J4": (37.35, 52.4, 0), "J8": (51.1, 52.4, 0),
    "J5": (61.2, 46.0, 90), "J6": (61.2, 32.5, 90), "J7": (61.2, 16.5, 90),
    "J9": (3.5, 12.5, 270),
    "J10": (19.0, 20.4, 90),
    "U2": (22.6, 34.2, 90), "RN1": (15.4, 26.3, 270), "RN2": (23.6, 26.3, 270), "RN3": (30.4, 26.3, 270),
    "R11": (36.2, 29.2, 0), "C5": (36.2, 32.2, 0),
    "U1": (44.6, 11.6, 0), "C4": (44.6, 16.2, 180), "R8": (39.2, 9.2, 0), "R9": (39.2, 11.2, 0),
    "R10": (39.2, 13.2, 0), "JP1": (42.8, 18.8, 0),
    "F1": (13.6, 9.0, 0), "C1": (20.4, 9.0, 0), "F2": (13.6, 12.6, 0), "C2": (20.4, 12.6, 0),
    "C3": (9.4, 23.6, 90), "D2": (6.4, 23.8, 90), "D3": (3.4, 23.8, 90),
    "SW1": (44.6, 22.6, 0), "SW2": (44.6, 27.4, 0),
    "Q2": (54.4, 24.2, 180), "R5": (54.4, 29.0, 0), "R6": (50.4, 27.2, 0), "R7": (50.4, 24.8, 0),
    "Q1": (45.2, 35.6, 180), "R2": (45.4, 39.6, 180), "D1": (38.6, 39.6, 0), "R1": (39.0, 36.6, 0),
    "R3": (45.2, 31.6, 0), "R4": (41.4, 34.0, 90),
    **{f"H{n + 1}": (x, y, 0) for n, (x, y) in enumerate(HOLES)},
}  # fmt: skip


def _channels() -> None:
    """Places of the 15 equal channels: diode and pull-up beside the connector, series R and C behind."""
    cells: dict[int, tuple[float, float, bool]] = {}
    for block in range(3):
        for k in range(3):
            cells[3 * block + k + 1] = (13.2 + 13.95 * block + 4.65 * (k - 1), 45.1, False)
    for k in range(3):
        cells[10 + k] = (53.3, 42.2 - 4.65 * (k - 1), True)
    cells[13] = (53.3, 32.8, True)
    cells[14] = (53.3, 17.6, True)
    cells[15] = (53.3, 12.4, True)
    for n, (x, y, lying) in cells.items():
        for ref, along, side in (
            ("D1", 1.8, D_ASIDE),
            ("R1", 1.8, R_ASIDE),
            ("R2", -1.8, D_ASIDE),
            ("C1", -1.8, R_ASIDE),
        ):
            ref = f"{ref}{n:02}"
            if lying:
                PLACES[ref] = (x + along, y + side, 180)
            else:
                PLACES[ref] = (x + side, y + along, 90 if side == D_ASIDE else 270)


_channels()


def at(x: float, y: float) -> pcbnew.VECTOR2I:
    return pcbnew.VECTOR2I(round((x + ORIGIN[0]) * MM), round((y + ORIGIN[1]) * MM))


def netlist(schematic: Path) -> sexpr.Node:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "n.net"
        command = ["kicad-cli", "sch", "export", "netlist", "--format", "kicadsexpr", "-o", target, schematic]
        subprocess.run(command,
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        return sexpr.loads(target.read_text(encoding="utf-8"))


def place(board: pcbnew.BOARD, nets: sexpr.Node) -> dict[str, pcbnew.FOOTPRINT]:
    """Load every part of the netlist, put it in its place and give its pads their nets."""
    pad_nets: dict[tuple[str, str], str] = {}
    made: dict[str, pcbnew.NETINFO_ITEM] = {}
    for net in sexpr.children(sexpr.child(nets, "nets"), "net"):
        name = sexpr.atom(net, "name")
        info = pcbnew.NETINFO_ITEM(board, name)
        board.Add(info)
        made[name] = info
        for node in sexpr.children(net, "node"):
            pad_nets[sexpr.atom(node, "ref"), sexpr.atom(node, "pin")] = name
    parts: dict[str, pcbnew.FOOTPRINT] = {}
    for comp in sexpr.children(sexpr.child(nets, "components"), "comp"):
        ref = sexpr.atom(comp, "ref")
        library, name = sexpr.atom(comp, "footprint").split(":")
        own = pinout.HARDWARE / "hat" / f"{library}.pretty"
        part = pcbnew.FootprintLoad(str(own if own.is_dir() else FOOTPRINTS / f"{library}.pretty"), name)
        part.SetFPID(pcbnew.LIB_ID(library, name))
        part.SetReference(ref)
        part.SetValue(sexpr.atom(comp, "value"))
        for item in sexpr.children(sexpr.child(comp, "fields"), "field"):
            key = sexpr.atom(item, "name")
            if key not in ("Footprint", "Datasheet", "Description") and len(item) > 2:
                part.SetField(key, str(item[2]))
                part.GetFieldByName(key).SetVisible(False)
        sheet = sexpr.child(comp, "sheetpath")
        part.SetPath(pcbnew.KIID_PATH(sexpr.atom(sheet, "tstamps") + sexpr.atom(comp, "tstamps")))
        part.SetSheetname(sexpr.atom(sheet, "names"))
        properties = {sexpr.atom(p, "name") for p in sexpr.children(comp, "property")}
        part.SetDNP("dnp" in properties)
        part.SetExcludedFromBOM("exclude_from_bom" in properties)
        x, y, turn = PLACES[ref]
        board.Add(part)
        if ref == "J1":
            part.Flip(at(0, 0), pcbnew.FLIP_DIRECTION_LEFT_RIGHT)
            part.SetOrientationDegrees(turn)
            part.SetPosition(at(x, y))
        else:
            part.SetOrientationDegrees(turn)
            part.SetPosition(at(x, y))
        for pad in part.Pads():
            net = pad_nets.get((ref, pad.GetNumber()))
            if net:
                pad.SetNet(made[net])
        parts[ref] = part
    return parts


def outline(board: pcbnew.BOARD) -> None:
    """The HAT's outline with its corners of 3 mm."""
    r, w, h = 3.0, WIDTH, HEIGHT
    lines = [((r, 0), (w - r, 0)), ((w, r), (w, h - r)), ((w - r, h), (r, h)), ((0, h - r), (0, r))]
    c = r - r / math.sqrt(2)
    arcs = [((0, r), (c, c), (r, 0)), ((w - r, 0), (w - c, c), (w, r)),
            ((w, h - r), (w - c, h - c), (w - r, h)),
            ((r, h), (c, h - c), (0, h - r))]  # fmt: skip
    for start, end in lines:
        shape = pcbnew.PCB_SHAPE(board, pcbnew.SHAPE_T_SEGMENT)
        shape.SetStart(at(*start))
        shape.SetEnd(at(*end))
        _edge(board, shape)
    for start, mid, end in arcs:
        shape = pcbnew.PCB_SHAPE(board, pcbnew.SHAPE_T_ARC)
        shape.SetArcGeometry(at(*start), at(*mid), at(*end))
        _edge(board, shape)


def _edge(board: pcbnew.BOARD, shape: pcbnew.PCB_SHAPE) -> None:
    shape.SetLayer(pcbnew.Edge_Cuts)
    shape.SetWidth(round(0.1 * MM))
    board.Add(shape)


def text(board: pcbnew.BOARD, content: str, x: float, y: float, size: float = 0.8, *, turn: float = 0.0,
         back: bool = False, left: bool = False, bold: bool = False) -> None:  # fmt: skip
    item = pcbnew.PCB_TEXT(board)
    item.SetText(content)
    item.SetLayer(pcbnew.B_SilkS if back else pcbnew.F_SilkS)
    item.SetTextSize(pcbnew.VECTOR2I(round(size * MM), round(size * MM)))
    item.SetTextThickness(round((0.18 if bold else 0.13) * max(size, 0.9) * MM))
    item.SetTextAngleDegrees(turn)
    item.SetMirrored(back)
    if left:
        item.SetHorizJustify(pcbnew.GR_TEXT_H_ALIGN_LEFT)
    item.SetPosition(at(x, y))
    board.Add(item)


def silkscreen(board: pcbnew.BOARD, parts: dict[str, pcbnew.FOOTPRINT], wiring: pinout.Pinout) -> None:
    """Legible references, the number of every channel and pin, and the wiring as a table on the back."""
    for ref, part in parts.items():
        label = part.Reference()
        label.SetTextSize(pcbnew.VECTOR2I(round(0.8 * MM), round(0.8 * MM)))
        label.SetTextThickness(round(0.12 * MM))
        part.Value().SetVisible(False)
        label.SetKeepUpright(True)
        x, y, _ = PLACES[ref]
        number = ref[1:]
        if ref[0] in "RCD" and len(ref) == 4:
            label.SetTextSize(pcbnew.VECTOR2I(round(0.75 * MM), round(0.75 * MM)))
            label.SetTextThickness(round(0.1 * MM))
            aside = D_TEXT if ref[0] == "D" else R_TEXT if ref[:2] != "R2" else 1.1
            if int(number) % 100 >= 10:
                label.SetTextAngleDegrees(0)
                label.SetPosition(at(x, y + aside))
            else:
                label.SetTextAngleDegrees(90)
                label.SetPosition(at(x + aside, y))
        elif ref[0] in "HJ" and ref != "JP1":
            label.SetVisible(False)
        elif ref in REFERENCES:
            dx, dy = REFERENCES[ref]
            label.SetTextAngleDegrees(0)
            label.SetPosition(at(x + dx, y + dy))
    short = {"GND": "G", "LAMP_A": "+", "LAMP_K": "-", "5V_FUSED": "+", "BUZZER_K": "-", "SW_ROLL": "SW",
             "SW_SERVICE": "SV", "SW_SHUTDOWN": "SD",
             "3V3_FUSED": "3V", "SDA": "DA", "SCL": "CL"}  # fmt: skip
    for connector in wiring.connectors:
        x, y, turn = PLACES[connector.ref]
        if connector.ref == "J10":
            text(board, "J10 TILE LAMPS 1-12", x + 7.6, y - 3.93, 0.75)
            continue
        pads = {p.GetNumber(): p.GetPosition() for p in parts[connector.ref].Pads()}
        for index, net in enumerate(connector.pins, start=1):
            pos = pads[str(index)]
            px, py = pos.x / MM - ORIGIN[0], pos.y / MM - ORIGIN[1]
            mark = short.get(net) or net.removeprefix("SW_TILE")
            if turn == 0:
                text(board, mark, px, py - (3.05 if connector.ref != "J8" else 3.0))
            elif turn == 90:
                text(board, mark, px - 3.35, py)
            else:
                text(board, mark, px + 2.9, py)
        middle = (len(connector.pins) - 1) * (2.0 if connector.ref == "J9" else 2.5) / 2
        title = f"{connector.ref} {connector.name}" if len(connector.pins) > 2 else connector.name
        if turn == 0:
            text(board, title, x + middle, y + 2.1)
        elif turn == 90:
            text(board, title, x + 2.1, y - middle, turn=90)
        else:
            text(board, title, x + 0.2, y - 3.1)
    text(board, "1", 7.0, 5.6, 1.0, bold=True)
    text(board, "SERVICE", 44.6, 24.9)
    text(board, "SHUTDOWN", 44.6, 29.6)
    text(board, "Shut the Box HAT  rev A", 32.5, 7.35, 1.0, bold=True)
    rows = [("plug", "pin 1 -> last")] + [
        (f"{c.ref} {c.name.lower()}", " ".join(_short(p) for p in c.pins)) for c in wiring.connectors
    ]
    for row, (a, b) in enumerate(rows):
        text(board, a, 59.3, 23.8 + 1.75 * row, 1.0, back=True, left=True, bold=row == 0)
        text(board, b, 42.0, 23.8 + 1.75 * row, 1.0, back=True, left=True, bold=row == 0)
    for row, line in enumerate(("Shut the Box HAT  rev A  2026", "CERN-OHL-P-2.0", "switches close to ground",
                                "5 V only from the Pi: never feed this board")):  # fmt: skip
        text(board, line, 59.3, 42.8 + 1.9 * row, 1.1 if row else 1.4, back=True, left=True, bold=not row)


def _short(net: str) -> str:
    if net.startswith("LAMP") and net[4:].isdigit():
        return net[4:]
    return net.removeprefix("SW_").replace("TILE", "").replace("_FUSED", "").replace("BUZZER_K", "-").replace(
        "LAMP_A", "lamp+").replace("LAMP_K", "lamp-").replace("SHUTDOWN", "shutdown").replace(
        "SERVICE", "service").replace("ROLL", "switch")  # fmt: skip


# places of the vias that only join the two ground planes
STITCHES: set[tuple[int, int]] = set()
# offsets of reference texts, where the library's own place would collide
REFERENCES: dict[str, tuple[float, float]] = {
    "R8": (-3.2, 0), "R9": (-3.2, 0), "R10": (-3.4, 0), "JP1": (2.9, 0), "C4": (-2.6, 0), "U1": (0, 3.3),
    "F1": (-3.2, 0), "C1": (2.7, 0), "F2": (-3.2, 0), "C2": (2.7, 0),
    "C3": (0, 2.6), "D2": (0, 2.6), "D3": (0, 2.6),
    "R11": (3.3, 0), "C5": (3.1, 0), "RN1": (3.2, 0), "RN2": (3.2, 0), "RN3": (3.2, 0), "U2": (0, 0),
    "Q2": (0, -2.2), "R5": (0, -1.5), "R6": (0, 1.25), "R7": (0, -1.25), "SW1": (-3.4, 0), "SW2": (-3.4, 0),
    "Q1": (2.6, 0), "R2": (0, 1.4), "D1": (0, 1.8), "R1": (0, -1.3), "R3": (2.6, 0), "R4": (1.3, 0),
}  # fmt: skip


def collect(parts: dict[str, pcbnew.FOOTPRINT]) -> list[tuple[str, Pad]]:
    pads = []
    for ref, part in parts.items():
        for pad in part.Pads():
            box = pad.GetBoundingBox()
            pos = pad.GetPosition()
            through = pad.GetAttribute() == pcbnew.PAD_ATTRIB_PTH
            layer = -1 if through else 0
            if pad.GetAttribute() == pcbnew.PAD_ATTRIB_NPTH:
                continue
            size = (box.GetWidth() / 2 / MM, box.GetHeight() / 2 / MM)
            pads.append((f"{ref}.{pad.GetNumber()}", Pad(
                pad.GetNetname(), pos.x / MM - ORIGIN[0], pos.y / MM - ORIGIN[1], size[0], size[1], layer,
                round=pad.GetShape() == pcbnew.PAD_SHAPE_CIRCLE, through=through)))  # fmt: skip
    return pads


def route(board: pcbnew.BOARD, parts: dict[str, pcbnew.FOOTPRINT]) -> bool:
    """Route all nets; ground goes to the poured planes through a via beside every pad."""
    pads = collect(parts)
    discs = [(x, y, 4.0) for x, y in HOLES]
    maze = Router(WIDTH, HEIGHT, [p for _, p in pads], discs, (SIGNAL, 0.4))
    nets: dict[str, list[tuple[str, Pad]]] = {}
    for name, pad in pads:
        if pad.net and not pad.net.startswith("unconnected-"):
            nets.setdefault(pad.net, []).append((name, pad))
    for name, pad in nets.pop("GND"):
        if not pad.through:
            maze.add(Route(f"GND {name}", "GND", [pad], SIGNAL, to_plane=True))

    def spread(net: str) -> float:
        xs, ys = [p.x for _, p in nets[net]], [p.y for _, p in nets[net]]
        return max(xs) - min(xs) + max(ys) - min(ys)

    for net in sorted(nets, key=spread):
        if len(nets[net]) > 1:
            maze.add(Route(net, net, [p for _, p in nets[net]], SUPPLIES.get(net, SIGNAL)))
    bad = maze.run()
    codes = {n.GetNetname(): n for n in board.GetNetInfo().NetsByName().values()}
    for item in maze.routes:
        for path in item.paths:
            start = path[0]
            for index in range(1, len(path)):
                here, following = path[index], path[index + 1] if index + 1 < len(path) else None
                if here[0] != path[index - 1][0]:
                    start = here
                    continue
                if following and following[0] == here[0]:
                    step = (here[1] - path[index - 1][1], here[2] - path[index - 1][2])
                    if (following[1] - here[1], following[2] - here[2]) == step:
                        continue
                _track(board, codes[item.net], start, here, item.width)
                start = here
        for x, y in dict.fromkeys(item.vias):
            _via(board, codes[item.net], x * GRID, y * GRID)
        for pad in item.pads:
            _stub(board, codes[item.net], pad, item.width)
    stitch(board, maze, codes["GND"])
    for item in bad:
        print("NOT ROUTED", item.name)
    return not bad


def _track(board: pcbnew.BOARD, net: pcbnew.NETINFO_ITEM, a: tuple[int, int, int], b: tuple[int, int, int],
           width: float) -> None:  # fmt: skip
    track = pcbnew.PCB_TRACK(board)
    track.SetStart(at(a[1] * GRID, a[2] * GRID))
    track.SetEnd(at(b[1] * GRID, b[2] * GRID))
    track.SetLayer(pcbnew.B_Cu if a[0] else pcbnew.F_Cu)
    track.SetWidth(round(width * MM))
    track.SetNet(net)
    board.Add(track)


def _stub(board: pcbnew.BOARD, net: pcbnew.NETINFO_ITEM, pad: Pad, width: float) -> None:
    """From the grid point to the pad's own centre."""
    ix, iy = round(pad.x / GRID), round(pad.y / GRID)
    if math.hypot(ix * GRID - pad.x, iy * GRID - pad.y) < 0.005:
        return
    for layer in (pcbnew.F_Cu, pcbnew.B_Cu) if pad.layer < 0 else (pcbnew.F_Cu,):
        track = pcbnew.PCB_TRACK(board)
        track.SetStart(at(pad.x, pad.y))
        track.SetEnd(at(ix * GRID, iy * GRID))
        track.SetLayer(layer)
        track.SetWidth(round(width * MM))
        track.SetNet(net)
        board.Add(track)


def _via(board: pcbnew.BOARD, net: pcbnew.NETINFO_ITEM, x: float, y: float) -> None:
    via = pcbnew.PCB_VIA(board)
    via.SetPosition(at(x, y))
    via.SetDrill(round(0.3 * MM))
    via.SetWidth(round(0.6 * MM))
    via.SetNet(net)
    board.Add(via)


def stitch(board: pcbnew.BOARD, maze: Router, ground: pcbnew.NETINFO_ITEM) -> None:
    """Join the two ground planes wherever there is room, about every 3 mm."""
    ident = maze.names["GND"]
    owner, count = maze.owner["via"], maze.count["via"]
    mine = set().union(*(r.marks.get("via", set()) for r in maze.routes if r.net == "GND"))
    done: list[tuple[float, float]] = []
    taken = [(v[0] * GRID, v[1] * GRID) for r in maze.routes if r.net == "GND" for v in r.vias]
    for iy in range(maze.ny):
        for ix in range(maze.nx):
            cell = iy * maze.nx + ix
            if owner[cell] not in (0, ident) or owner[maze.size + cell] not in (0, ident):
                continue
            if count[cell] or cell in mine:
                continue
            x, y = ix * GRID, iy * GRID
            if all(math.hypot(x - a, y - b) >= 3.0 for a, b in done) and all(
                math.hypot(x - a, y - b) >= 1.5 for a, b in taken
            ):
                done.append((x, y))
                _via(board, ground, x, y)
                STITCHES.add((at(x, y).x, at(x, y).y))


def pour(board: pcbnew.BOARD, ground: pcbnew.NETINFO_ITEM) -> None:
    """Ground on both sides, kept away from the screw heads."""
    for layer in (pcbnew.F_Cu, pcbnew.B_Cu):
        zone = pcbnew.ZONE(board)
        zone.SetLayer(layer)
        zone.SetNet(ground)
        zone.SetZoneName("GND front" if layer == pcbnew.F_Cu else "GND back")
        zone.SetLocalClearance(round(0.22 * MM))
        zone.SetMinThickness(round(0.2 * MM))
        zone.SetThermalReliefGap(round(0.25 * MM))
        zone.SetThermalReliefSpokeWidth(round(0.35 * MM))
        zone.SetPadConnection(pcbnew.ZONE_CONNECTION_THERMAL)
        zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
        outline_ = zone.Outline()
        outline_.NewOutline()
        for x, y in ((0.4, 0.4), (WIDTH - 0.4, 0.4), (WIDTH - 0.4, HEIGHT - 0.4), (0.4, HEIGHT - 0.4)):
            outline_.Append(at(x, y))
        board.Add(zone)
    for number, (x, y) in enumerate(HOLES, start=1):
        area = pcbnew.ZONE(board)
        area.SetIsRuleArea(True)
        area.SetZoneName(f"screw H{number}")
        area.SetDoNotAllowCopperPour(True)
        area.SetDoNotAllowTracks(True)
        area.SetDoNotAllowVias(True)
        area.SetDoNotAllowPads(False)
        area.SetDoNotAllowFootprints(False)
        layers = pcbnew.LSET()
        layers.AddLayer(pcbnew.F_Cu)
        layers.AddLayer(pcbnew.B_Cu)
        area.SetLayerSet(layers)
        ring = area.Outline()
        ring.NewOutline()
        for k in range(24):
            ring.Append(at(x + 3.1 * math.cos(k * math.pi / 12), y + 3.1 * math.sin(k * math.pi / 12)))
        board.Add(area)
    filler = pcbnew.ZONE_FILLER(board)
    filler.Fill(board.Zones())
    planes = [z for z in board.Zones() if not z.GetIsRuleArea()]
    # a stitch that meets only one plane joins nothing
    lost = [
        v for v in board.GetTracks()
        if isinstance(v, pcbnew.PCB_VIA) and v.GetNetname() == "GND"
        and (v.GetPosition().x, v.GetPosition().y) in STITCHES
        and not all(z.HitTestFilledArea(z.GetFirstLayer(), v.GetPosition()) for z in planes)
    ]  # fmt: skip
    for via in lost:
        board.Delete(via)
    filler.Fill(board.Zones())
    print(f"{len(STITCHES) - len(lost)} of {len(STITCHES)} stitching vias stay")


def build(folder: Path) -> bool:
    """Make the board file beside the schematic; False if something stayed unrouted."""
    target = folder / f"{hat.PROJECT}.kicad_pcb"
    nets = netlist(folder / f"{hat.PROJECT}.kicad_sch")
    project = (folder / f"{hat.PROJECT}.kicad_pro").read_text(encoding="utf-8")
    target.unlink(missing_ok=True)
    board = pcbnew.NewBoard(str(target))
    block = board.GetTitleBlock()
    block.SetTitle("Shut the Box HAT")
    block.SetRevision("A")
    block.SetDate(hat.DATE)
    block.SetCompany("The Shut the Box makers")
    block.SetComment(0, "CERN-OHL-P-2.0")
    parts = place(board, nets)
    outline(board)
    done = route(board, parts)
    silkscreen(board, parts, pinout.load())
    ground = next(n for n in board.GetNetInfo().NetsByName().values() if n.GetNetname() == "GND")
    pour(board, ground)
    board.GetDesignSettings().SetAuxOrigin(at(0, HEIGHT))
    pcbnew.SaveBoard(str(target), board)
    # pcbnew rewrites the project with its own defaults: ours is the source
    (folder / f"{hat.PROJECT}.kicad_pro").write_text(project, encoding="utf-8")
    return done


if __name__ == "__main__":
    sys.exit(0 if build(pinout.HARDWARE / "hat") else 1)
