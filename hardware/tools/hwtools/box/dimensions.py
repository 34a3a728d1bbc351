"""Every figure of the box, once. Change one, run ``make -C hardware box``, and read what the check says.

x to the right, y away from the player, z up, from the outer lower left front corner; all in mm and degrees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Numbers of levers that a box may have.
COUNTS = (9, 10, 12)


@dataclass(frozen=True, slots=True)
class Display:
    """A display module as sold. Measure yours: makers differ."""

    key: str  # of its bezel's file
    name: str
    source: str  # of the figures
    pins: int  # 4: I2C; 7: sold set to SPI
    board: tuple[float, float, float]  # width, height, thickness of the circuit board
    glass: tuple[float, float, float]
    glass_up: float  # middle of the glass over the middle of the board, towards the player's far side
    picture: tuple[float, float]
    picture_up: float  # middle of the picture, as above
    controller: str  # display.controller in the box's config


_PANEL = ((60.5, 37.0, 2.0), 0.0, (55.02, 27.5), 1.5, "ssd1309")

#: The displays we have bezels for. The 2.42" panels have the same pixels as the 1.3", at twice the size.
DISPLAYS = {
    module.key: module
    for module in (
        Display("2.42", '2.42" SSD1309, 72 x 43 mm', "sellers' drawings", 4, (72.0, 43.0, 1.6), *_PANEL),
        Display("2.42-75x44", '2.42" SSD1309, 75 x 44 mm', "makers' reports", 7, (75.0, 44.0, 1.6), *_PANEL),
        Display(
            "2.42-waveshare", 'Waveshare 2.42inch OLED Module', "Waveshare's wiki", 7,
            (61.5, 39.5, 1.6), *_PANEL,
        ),
        Display(
            "1.3", '1.3" SH1106 (AZ-Delivery)', "the seller's drawing", 4, (35.4, 33.5, 1.2),
            (34.5, 23.0, 1.5), 0.0, (29.42, 14.7), 2.0, "sh1106",
        ),
        Display(
            "0.96", '0.96" SSD1306', "sellers' drawings", 4, (27.3, 27.8, 1.2),
            (26.7, 19.3, 1.5), 0.0, (21.74, 10.86), 2.0, "ssd1306",
        ),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Switch:
    """A microswitch of the 20 mm class, from its maker's drawing.

    Heights are above the line of its mounting holes, lengths from the COM end of its case.
    """

    name: str
    number: str  # the maker's
    force: float  # N at the lever's end, at most
    overtravel: float  # at least
    wire: float  # of the finger that presses it, in mm
    set_by_hand: bool  # too stiff to absorb all errors: each finger is bent until its switch clicks
    operates: float = 8.8
    spread: float = 0.8  # of operates, up and down
    free: float = 13.6  # at most
    case: tuple[float, float, float] = (6.4, 10.2, 19.8)  # width, depth, length
    top: float = 7.3  # case
    pitch: float = 9.5  # of the mounting holes
    hole: float = 2.4
    com_hole: float = 5.15  # the mounting hole next to COM
    lever: float = 14.5  # its free end when it operates, from that hole
    lever_width: float = 3.6
    lever_thick: float = 0.3
    hinge: tuple[float, float] = (1.85, 7.4)  # from the COM end; height of the lever's outer face there
    tabs: float = 6.4

    @property
    def lever_end(self) -> float:
        """Length to the lever's free end when it operates."""
        return self.com_hole + self.lever

    @property
    def lowest(self) -> float:
        """Height of the lever's end when pressed as far as the data sheet guarantees."""
        return self.operates - self.overtravel

    def share(self, at: float) -> float:
        """Return the lever's rise over its hinge at *at*, as a share of that at its end."""
        return (at - self.hinge[0]) / (self.lever_end - self.hinge[0])

    def end_at(self, height: float) -> float:
        """Return the length to the lever's end when it's at *height*."""
        length = math.hypot(self.lever_end - self.hinge[0], self.operates - self.hinge[1])
        return self.hinge[0] + math.sqrt(max(length**2 - (height - self.hinge[1]) ** 2, 0.0))


#: Switches for the lever bank. Another type of the same size is one more line; the check says if it works.
SWITCHES = {
    "D2SW-01L1H": Switch("Omron D2SW-01L1H, sealed", "D2SW-01L1H", 0.59, 1.0, 0.8, set_by_hand=True),
    "SS-01GL-F": Switch("Omron SS-01GL-F", "SS-01GL-F", 0.16, 1.2, 0.7, set_by_hand=False),
    "SS-01GL": Switch("Omron SS-01GL", "SS-01GL", 0.49, 1.2, 0.8, set_by_hand=True),
}


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The figures; the defaults make the guide's box."""

    levers: int = 9
    display: Display = DISPLAYS["2.42"]

    # shell
    width: float = 216.0
    depth: float = 204.0
    height: float = 70.0
    wall: float = 3.0
    deck: float = 4.0  # thickness of the top
    corner: float = 6.0
    gap: float = 0.3  # between printed parts that only meet
    base: float = 4.0  # thickness

    # lever bank: one plate on the deck, ribs under it, stainless rods through the ribs
    bank_left: float = 13.0
    bank_width: float = 190.0  # shared by the levers: one body fits all three sizes
    plate: float = 4.0
    axle_y: float = 176.0
    rib: float = 2.4
    rib_low: float = -51.8  # lower end of the ribs, from the axle
    rib_front: float = -19.5
    rib_back: float = 18.0
    side_gap: float = 0.8  # lever to rib
    rod: float = 3.0  # axle and stops: cut from one metre of stainless rod
    rod_hole: float = 3.2

    # lever
    drum: float = 13.0  # radius: fills the slot in every position
    drum_gap: float = 1.0  # drum to plate
    handle: float = 42.0  # axle to the top of the tile
    thick: float = 7.0
    bore: float = 3.3
    up: float = -17.0  # the stops; between them, the tile only touches the detent and the switch
    down: float = 46.5
    tail_at: float = -49.4  # direction of the tail when the tile stands straight, from straight down
    tail_half: float = 2.4
    tail_over: float = 2.0  # how far the tail reaches past the middle of the rods that stop it
    stop_radius: float = 16.0  # of the two rods that stop the tail

    # finger: a straight spring wire, both ends bent to the right, pushed into a slot on the lever's left
    finger_tip: float = 24.0  # from the axle along the tail
    finger_side: float = -0.6  # its tip behind the tail's middle
    finger_pass: float = 3.1  # where it passes the axle, behind the tail's middle
    finger_root: float = -6.5  # it is free from here on
    finger_end: float = -10.8  # and held up to here
    finger_at: float = 1.4  # middle of the wire from the lever's left side
    finger_foot: float = 6.4  # its bent ends reach up to here: the foot in the lever,
    finger_bar: float = 7.9  # and the tip
    finger_play: float = 0.05  # slot over wire: it is pushed in tight
    finger_bend: float = 4.5  # room that the slot leaves for its tip

    # detent: a staple of spring wire in the ribs, its back lies on the drum, which has two notches
    detent_wire: float = 1.2
    detent_at: float = 65.0  # direction of its back, from straight down to the rear
    detent_free: float = 34.0  # length that bends
    detent_held: float = 8.0
    detent_preload: float = 1.6  # how far inside a notch it would stand
    detent_groove: float = 0.7  # depth in the rib
    notch: float = 0.9  # depth
    notch_hollow: float = 1.6  # radius of the way of the wire's middle through a notch, and over its edge
    notch_edge: float = 1.8
    notch_rest: float = 1.12  # from the notch's middle to the wire at a stop: it pulls towards the stop

    # microswitch
    switch: str = "D2SW-01L1H"  # sealed, because beer creeps along tail and finger, and drips
    switch_rod: float = 2.0
    switch_hole: float = 2.2  # in the ribs
    switch_reach: float = 3.5  # how far beyond the operating position the finger's free tip would stand
    switch_end: float = 5.3  # from the tip's place to the upper end of the case
    switch_at: float = (
        3.3  # from the rib on its left: what drips through the gap beside a tile falls beside it
    )

    # screws
    deck_screw: float = 12.0  # M3 countersunk, pin-in-Torx: lever bank and bezel
    insert: float = 5.7  # heat-set insert M3
    insert_hole: float = 4.0
    boss: float = 4.0  # depth of the bosses under the deck
    pi_recess: float = 3.0  # how far the lower screws' heads sink into the base
    pi_screw_low: float = 16.0  # M2.5, from below through base and post into the spacer
    pi_screw_high: float = 6.0
    spacer: float = 11.0  # M2.5 female-female
    clamp_screw: float = 9.5  # 2.2 mm, self-tapping
    clamp_hole: float = 6.6  # its depth
    clamp_bar: float = 3.5
    clamp_foam: float = 0.6  # foam of 1 mm between clamp and module, pressed

    # tray
    tray: tuple[float, float, float, float] = (12.0, 10.0, 150.0, 92.0)  # outside
    tray_wall: float = 2.0
    tray_height: float = 18.0
    gasket: float = 1.5  # foam of 2 mm, pressed
    deck_lip: float = 5.0  # the deck covers the tray's rim
    felt: float = 2.0
    drain_at: tuple[float, float] = (136.0, 24.0)

    # display
    bezel_at: tuple[float, float] = (82.0, 120.6)
    bezel: tuple[float, float] = (108.0, 57.0)
    bezel_opening: tuple[float, float] = (90.4, 48.2)
    window_glass: float = 2.0  # acrylic

    # the rest
    button_at: tuple[float, float] = (183.0, 52.0)
    button: float = 30.2
    buzzer_at: tuple[float, float] = (183.0, 105.0)
    buzzer: float = 12.0
    buzzer_height: float = 8.5
    lock_at: tuple[float, float] = (165.0, 28.0)  # x, z in the front wall
    lock: float = 19.2  # M19 lock with two flats
    lock_flats: float = 16.3
    cam: tuple[float, float] = (10.0, 3.0)  # width and thickness, at most
    gate: float = 0.7  # play of the lock's cam in the base's gate
    pi_at: tuple[float, float] = (16.0, 18.0)
    pi_post: float = 8.0
    spi: bool = False  # the display is on J11 instead of J9
    dam: float = 3.5  # height round the electronics

    # how it is made
    wooden: bool = False  # shell and base of plywood: see hwtools.box.wooden
    wood: float = 6.0  # thickness of the plywood as measured: 6.0 to 6.8

    @property
    def pitch(self) -> float:
        """Distance from lever to lever."""
        return self.bank_width / self.levers

    @property
    def bay(self) -> float:
        """Free width between two ribs."""
        return self.pitch - self.rib

    @property
    def lever_width(self) -> float:
        """Width of a tile."""
        return self.bay - 2 * self.side_gap

    @property
    def axle_z(self) -> float:
        """Height of the axle: level with the deck's top, under the bank's plate."""
        return self.height

    @property
    def slot(self) -> float:
        """Distance from the axle to the plate's edge in front of the drum."""
        return self.drum + self.drum_gap

    @property
    def micro(self) -> Switch:
        """The microswitch's own figures."""
        return SWITCHES[self.switch]

    def bay_left(self, number: int) -> float:
        """Return x of the left edge of a lever's bay; levers count from 1."""
        return self.bank_left + (number - 1) * self.pitch + self.rib / 2

    # --- what follows from the stops; (y, z) from the axle -------------------------------------------------

    def from_tail(self, s: float, w: float, angle: float = 0.0) -> tuple[float, float]:
        """Return (y, z) from the axle of a point, *s* along the tail and *w* behind its middle."""
        b = math.radians(self.tail_at + angle)
        return s * math.sin(b) + w * math.cos(b), -s * math.cos(b) + w * math.sin(b)

    @property
    def _stop_aside(self) -> tuple[float, float]:
        w = self.tail_half + self.rod / 2
        return math.sqrt(max(self.stop_radius**2 - w**2, 0.0)), w

    @property
    def rod_down(self) -> tuple[float, float]:
        """The rod that stops the tail when the tile falls; a nose rests behind it when the tile is up."""
        s, w = self._stop_aside
        return self.from_tail(s, w, self.down)

    @property
    def rod_up(self) -> tuple[float, float]:
        """The rod that stops the tail when the tile goes up."""
        s, w = self._stop_aside
        return self.from_tail(s, -w, self.up)

    # --- the finger and its switch -------------------------------------------------------------------------

    def finger_line(self, s: float) -> float:
        """Return how far the unbent wire's middle lies behind the tail's."""
        return self.finger_pass + (self.finger_side - self.finger_pass) * s / self.finger_tip

    @property
    def finger_length(self) -> float:
        """Length of the part of the wire that bends."""
        return self.finger_tip - self.finger_root

    def tip(self, angle: float) -> tuple[float, float]:
        """Return where the middle of the finger's unbent tip is, with the lever at *angle*."""
        return self.from_tail(self.finger_tip, self.finger_side, angle)

    @property
    def switch_low(self) -> float:
        """The switch's lower (COM) end, from the axle."""
        return self.tip(self.down)[1] + self.switch_end - self.micro.case[2]

    @property
    def switch_z(self) -> float:
        """Middle of the switch's case, from the axle."""
        return self.switch_low + self.micro.case[2] / 2

    @property
    def switch_holes(self) -> tuple[float, float]:
        """Heights of the switch's two mounting holes, from the axle."""
        low = self.switch_low + self.micro.com_hole
        return low, low + self.micro.pitch

    @property
    def touched_at(self) -> float:
        """How far from the COM end the tip lies on the switch's lever, with the tile down."""
        return self.tip(self.down)[1] - self.switch_low

    def lever_height(self, end: float, at: float) -> float:
        """Return the height of the switch's lever at *at* when its end is at *end*."""
        hinge = self.micro.hinge[1]
        return hinge + (end - hinge) * self.micro.share(at)

    @property
    def switch_press(self) -> float:
        """Height of the back of the finger's unbent tip above the switch's holes, with the tile down."""
        return self.lever_height(self.micro.operates, self.touched_at) - self.switch_reach

    @property
    def switch_y(self) -> float:
        """Line of the switch's mounting holes, from the axle."""
        return self.tip(self.down)[0] + self.micro.wire / 2 + self.switch_press

    def pressed(self, angle: float) -> tuple[float, float]:
        """Return the height of the switch's lever end, and how far the finger bends, at *angle*."""
        y, z = self.tip(angle)
        micro, at = self.micro, z - self.switch_low
        height = self.switch_y - y - micro.wire / 2
        share = micro.share(min(at, micro.end_at(micro.free)))
        end = micro.hinge[1] + (height - micro.hinge[1]) / share
        if end >= micro.free or at < micro.hinge[0] + 2:
            return micro.free, 0.0
        end = max(end, micro.lowest)
        return end, max(self.lever_height(end, at) - height, 0.0)

    # --- the detent ----------------------------------------------------------------------------------------

    @property
    def detent_z(self) -> float:
        """Height of the staple's back."""
        return -(self.drum + self.detent_wire / 2) * math.cos(math.radians(self.detent_at))

    def detent_y(self, rise: float) -> float:
        """Return where the staple's back lies with its middle *rise* above the bottom of a notch."""
        far = self.drum + self.detent_wire / 2 - self.notch + rise
        return math.sqrt(far**2 - self.detent_z**2)

    @property
    def detent_relaxed(self) -> float:
        """Where the staple's back would lie without a lever."""
        return self.detent_y(0.0) - self.detent_preload

    @property
    def notches(self) -> tuple[float, float]:
        """Directions of the notches for the tile up and down, when the tile stands straight."""
        aside = math.degrees(self.notch_rest / (self.drum + self.detent_wire / 2))
        return self.detent_at - self.up + aside, self.detent_at - self.down - aside
