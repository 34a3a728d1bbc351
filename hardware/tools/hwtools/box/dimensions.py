"""Every figure of the box, once. Change one, run ``make -C hardware box``, and read what the check says.

x to the right, y away from the player, z up, from the outer lower left front corner; all in mm and degrees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["COUNTS", "DISPLAYS", "Dimensions", "Display"]

#: Numbers of levers that a box may have.
COUNTS = (9, 10, 12)


@dataclass(frozen=True, slots=True)
class Display:
    """A display module as it is sold. Measure yours: makers differ."""

    name: str
    board: tuple[float, float, float]  # width, height, thickness of the circuit board
    glass: tuple[float, float, float]
    glass_up: float  # middle of the glass over the middle of the board, towards the player's far side
    picture: tuple[float, float]
    picture_up: float  # middle of the picture, as above
    controller: str  # display.controller in the box's config


#: What the bezels are made for. The 2.42" panel has the same pixels as the 1.3", at twice the size.
DISPLAYS = {
    "2.42": Display(
        '2.42" SSD1309, I2C, 4 pins', (72.0, 43.0, 1.6), (60.5, 37.0, 2.0), 0.0, (55.02, 27.5), 1.5, "ssd1309"
    ),
    "1.3": Display(
        '1.3" SH1106, I2C, 4 pins (AZ-Delivery)', (35.4, 33.5, 1.2), (34.5, 23.0, 1.5), 0.0,
        (29.42, 14.7), 2.0,
        "sh1106",
    ),
    "0.96": Display(
        '0.96" SSD1306, I2C, 4 pins', (27.3, 27.8, 1.2), (26.7, 19.3, 1.5), 0.0,
        (21.74, 10.86), 2.0, "ssd1306",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The figures; the defaults are the box that the guide describes."""

    levers: int = 9
    display: str = "2.42"

    # shell
    width: float = 216.0
    depth: float = 204.0
    height: float = 70.0
    wall: float = 3.0
    deck: float = 4.0  # thickness of the top
    corner: float = 6.0
    gap: float = 0.3  # between printed parts that only meet
    base: float = 4.0  # thickness

    # lever bank: one plate on the deck, ribs under it, steel rods through the ribs
    bank_left: float = 13.0
    bank_width: float = 190.0  # shared by the levers: one body fits all three sizes
    plate: float = 4.0
    axle_y: float = 176.0
    rib: float = 2.4
    rib_low: float = -44.0  # lower end of the ribs, from the axle
    rib_front: float = -19.5
    rib_back: float = 18.0
    side_gap: float = 0.8  # lever to rib
    rod: float = 3.0  # axle, stops and detents: all cut from one metre of steel rod
    rod_hole: float = 3.2

    # lever
    drum: float = 13.0  # radius: fills the slot in every position
    drum_gap: float = 1.0  # drum to plate
    handle: float = 42.0  # axle to the top of the tile
    thick: float = 7.0
    bore: float = 3.3
    up: float = -17.0  # the stops; between them nothing but detents and the switch is touched
    down: float = 46.5
    tail_at: float = -49.4  # direction of the tail when the tile stands straight, from straight down
    tail_half: float = 2.0
    tail_over: float = 2.0  # the tail reaches so far past the middle of the rods that stop it
    stop_radius: float = 16.0  # of the two rods that stop the tail
    nose: float = 2.2  # radius
    nose_lift: float = 1.6  # how far a rod presses the nose in
    nose_rest: float = 2.1  # the nose comes to rest this far past the middle of its rod
    arm: float = 2.0  # thickness of the detent's arm in a lever of 11.8 mm
    finger: float = 0.8  # thickness of the spring that presses the switch
    finger_width: float = 5.0
    finger_clear: float = (
        0.8  # air over the spring as it is printed: four layers, or it would stick to the tail
    )
    finger_root: float = 6.5  # from the axle
    finger_tip: float = 24.0

    # microswitch Omron SS-01GL; heights over the line of its mounting holes
    switch: tuple[float, float, float] = (6.4, 10.2, 19.8)
    switch_top: float = 7.3  # case
    switch_operates: float = 8.8  # +-0.8
    switch_free: float = 13.6  # at most
    switch_pitch: float = 9.5
    switch_rod: float = 2.0
    switch_hole: float = 2.2  # in the ribs
    switch_tabs: float = 6.4
    switch_reach: float = 4.6  # the spring's free tip would stand so far beyond the operating position
    switch_end: float = 2.0  # from the tip's contact to the upper end of the case

    # screws
    deck_screw: float = 12.0  # M3 countersunk, pin-in-Torx: lever bank and bezel
    insert: float = 5.7  # heat-set insert M3
    insert_hole: float = 4.0
    boss: float = 4.0  # depth of the bosses under the deck
    pi_recess: float = 3.0  # the lower screws' heads sink so far into the base
    pi_screw_low: float = 16.0  # M2.5, from below through base and post into the spacer
    pi_screw_high: float = 6.0
    spacer: float = 11.0  # M2.5 female-female
    clamp_screw: float = 9.5  # 2.2 mm, self-tapping
    clamp_hole: float = 6.6  # its depth
    clamp_bar: float = 3.5

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
    bezel: tuple[float, float] = (102.0, 57.0)
    bezel_opening: tuple[float, float] = (88.0, 45.6)
    window_glass: float = 2.0  # acrylic

    # the rest
    button_at: tuple[float, float] = (183.0, 52.0)
    button: float = 30.2
    buzzer_at: tuple[float, float] = (183.0, 105.0)
    buzzer: float = 12.0
    buzzer_height: float = 8.5
    lock_at: tuple[float, float] = (165.0, 28.0)  # x, z in the front wall
    lock: float = 19.0
    gate: float = 0.7  # play of the lock's cam in the base's gate
    pi_at: tuple[float, float] = (16.0, 18.0)
    pi_post: float = 8.0
    dam: float = 3.5  # height round the electronics

    # how it is made
    tray_in_body: bool = False  # the tray as a part of the body: a ceiling in printing position
    wooden: bool = False  # shell and base of plywood: see hwtools.box.wooden
    blind_end: bool = False  # no holes in the end ribs: nothing can be pushed through them

    @property
    def pitch(self) -> float:
        """From lever to lever."""
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
        """The axle lies in the plane of the deck's top, under the bank's plate."""
        return self.height

    @property
    def slot(self) -> float:
        """From the axle to the edge of the plate in front of the drum."""
        return self.drum + self.drum_gap

    @property
    def arm_thick(self) -> float:
        """Thickness of the detent's arm: the same stiffness in a lever of any width."""
        return float(self.arm * (11.83 / self.lever_width) ** (1 / 3))

    def bay_left(self, number: int) -> float:
        """Return x of the right face of the rib on the left of a lever, counted from 1."""
        return self.bank_left + (number - 1) * self.pitch + self.rib / 2

    # --- what follows from the stops; (y, z) from the axle -------------------------------------------------

    def _from_tail(self, angle: float, s: float, w: float) -> tuple[float, float]:
        """Point *s* along the tail and *w* behind its middle, with the lever at *angle*."""
        b = math.radians(self.tail_at + angle)
        return s * math.sin(b) + w * math.cos(b), -s * math.cos(b) + w * math.sin(b)

    @property
    def _stop_aside(self) -> tuple[float, float]:
        w = self.tail_half + self.rod / 2
        return math.sqrt(max(self.stop_radius**2 - w**2, 0.0)), w

    @property
    def rod_down(self) -> tuple[float, float]:
        """The rod that stops the tail of a falling tile; a nose rests behind it when the tile is up."""
        s, w = self._stop_aside
        return self._from_tail(self.down, s, w)

    @property
    def rod_up(self) -> tuple[float, float]:
        """The rod that stops the tail when the tile goes up."""
        s, w = self._stop_aside
        return self._from_tail(self.up, s, -w)

    @property
    def _rest_angle(self) -> float:
        return math.degrees(self.nose_rest / (self.stop_radius - self.rod / 2))

    @property
    def nose_at(self) -> float:
        """Direction of the nose when the tile stands straight, from straight down."""
        y, z = self.rod_down
        return math.degrees(math.atan2(y, -z)) - self.up - self._rest_angle

    @property
    def rod_detent(self) -> tuple[float, float]:
        """The rod that the nose passes last when the tile comes down."""
        b = math.radians(self.nose_at + self.down - self._rest_angle)
        return self.stop_radius * math.sin(b), -self.stop_radius * math.cos(b)

    @property
    def finger_back(self) -> float:
        """How far the back of the spring's tip stands behind the tail's middle."""
        return -0.4

    @property
    def switch_press(self) -> float:
        """Where the spring's tip would stand with the tile down, over the switch's holes."""
        return self.switch_operates - self.switch_reach

    @property
    def contact(self) -> tuple[float, float]:
        """Where the spring's tip would stand with the tile down, if the switch were not there."""
        return self._from_tail(self.down, self.finger_tip, self.finger_back)

    @property
    def switch_y(self) -> float:
        """Line of the switch's mounting holes, from the axle."""
        return self.contact[0] + self.switch_press

    @property
    def switch_z(self) -> float:
        """Middle of the switch's case, from the axle."""
        return self.contact[1] + self.switch_end - self.switch[2] / 2
