// The box of an electronic Shut the Box: parametric for 9, 10 or 12 levers.
// SPDX-License-Identifier: CERN-OHL-P-2.0
//
// openscad -D 'part="lever"' -D levers=12 -D number=7 -o lever-7.stl box.scad
// part: body, base, bank, lever, plug, felt, top, assembly, exploded, section_flat, bank_view, and for the collision check: lever_at, bank_stiff,
//       leaves, switches, body_at, base_at, pi_stack, figures
// x to the right, y away from the player, z up; all in mm. Every printed part fits a bed of 250 x 210 mm.

part = "assembly";
levers = 9;          // 9, 10 or 12
number = 1;          // which lever "lever" and "lever_at" make
angle = -15;         // of "lever_at": up_angle to down_angle
felt = 2;            // thickness of the felt in the tray

/* [box] */
size = [244, 206, 70];
wall = 3;
deck = 4;            // thickness of the top
corner = 6;
gap = 0.3;           // between printed parts that only meet

/* [lever bank] */
bank_width = 216;    // shared by the levers, so one box fits all three
pivot = [14, 168, 62]; // left end of the axle's first bay, y and z of the axle
axle = 3;            // steel rod
rib = 2.4;
side_gap = 0.8;      // lever to rib
hub = 8;             // radius
handle = 42;         // from the axle to the top of the tile
thick = 8;
up_angle = -15;      // leans back
down_angle = 45;     // towards the player
tail = 14;           // axle to the middle of the tail's round end
tail_r = 3;
tail_at = 275;       // direction of the tail when the handle points straight up (degrees from +y)

/* [detent] */
leaf = 2.0;
leaf_length = 28;
bump = 1.6;          // radius of the leaf's nose
bite = 0.8;          // how deep the nose sits in a notch

/* [microswitch: Omron SS-01GL, gold contacts, hinge lever. Heights over the line of its mounting holes] */
sw = [6.4, 10.2, 19.8];
sw_holes = 9.5;
sw_hole = 2.4;
sw_top = 7.3;        // body above the holes
sw_op = 8.8;         // operating position (+-0.8)
sw_fp = 13.6;        // free position, at most
sw_over = 0.9;       // we press this far beyond the operating position
sw_tabs = 6.4;
sw_centre = -13;     // z of the body's middle, from the axle

/* [tray, window, button] */
tray = [[14, 14], [178, 112]];
tray_depth = 18;
window = [31, 16.5];
window_at = [96, 131];
oled_pcb = [35.4, 33.5];
oled_holes = [30.4, 28.5];
button = 30.2;       // arcade button, snaps or screws into 30 mm
button_at = [212, 62];
buzzer_at = [212, 112];

/* [Pi] */
pi_at = [30, 34];    // lower left corner of the Pi, connectors of power and HDMI to the front
pi_post = 6;

pitch = bank_width / levers;
lever_width = pitch - rib - 2 * side_gap;
pz = pivot[2];
py = pivot[1];

function tip(a) = [tail * cos(tail_at + a), tail * sin(tail_at + a)];
// y of the switch's mounting holes: the tail's round end stands sw_over beyond the operating position
sw_y = tip(down_angle)[0] + tail_r + sw_op - sw_over;
function lever_x(n) = pivot[0] + pitch * (n - 0.5);

module rounded(s, r) {
    linear_extrude(s[2]) offset(r, $fn = 48) offset(-r) square([s[0], s[1]]);
}

// --- lever: profile in (y, z), y to the right -----------------------------------------------------------------

module lever_profile() {
    difference() {
        union() {
            circle(hub, $fn = 96);
            hull() {
                translate([-thick / 2, 0]) square([thick, 1]);
                translate([-thick / 2 + 1.5, handle - 1.5]) circle(1.5, $fn = 24);
                translate([thick / 2 - 1.5, handle - 1.5]) circle(1.5, $fn = 24);
            }
            hull() {
                circle(5, $fn = 48);
                translate(tip(0)) circle(tail_r, $fn = 48);
            }
        }
        circle(axle / 2 + 0.15, $fn = 48);
        // the two notches of the detent: the leaf's nose stands at 180 degrees
        for (a = [up_angle, down_angle])
            rotate(-a) translate([-hub - bump + bite, 0]) circle(bump + 0.12, $fn = 32);
    }
}

// lying as it is printed: on its side, so that the layers run along the tail
module lever(n) {
    difference() {
        linear_extrude(lever_width, convexity = 6) lever_profile();
        // the number, cut into the face that looks at the player
        translate([-thick / 2 + 0.6, 0, 0]) lever_number(n, 2);
    }
}

module lever_number(n, depth) {
    translate([0, handle - 13, lever_width / 2]) rotate([0, -90, 0]) linear_extrude(depth)
        text(str(n), size = min(11, lever_width * (n > 9 ? 0.45 : 0.6)), font = "Liberation Sans:style=Bold",
             halign = "center", valign = "center");
}

// in its place in the box
module lever_at(n, a) {
    translate([lever_x(n) - lever_width / 2, py, pz])
        rotate([a, 0, 0])
            rotate([90, 0, 90]) lever(n);
}

// --- bank: ribs, axle, switches and detent leaves on one plate -------------------------------------------------

bank_low = -leaf_length - 3;            // underside of the plate, from the axle
bank_front = -20;
bank_back = sw_y + 13;

module rib_profile() {
    difference() {
        translate([bank_front, bank_low]) square([bank_back - bank_front, pz_deck() - bank_low]);
        circle(axle / 2 + 0.1, $fn = 32);
        for (s = [-1, 1]) translate([sw_y, sw_centre + s * sw_holes / 2]) circle(sw_hole / 2, $fn = 24);
    }
}

function pz_deck() = size[2] - deck - pz - 0.1;  // underside of the deck, from the axle

module leaves() {
    for (n = [1:levers])
        translate([lever_x(n) - min(lever_width, 12) / 2, py, pz]) rotate([90, 0, 90])
            linear_extrude(min(lever_width, 12)) {
                translate([-hub - bump + bite - leaf - 0.9, bank_low + 1]) square([leaf, leaf_length + 4]);
                // the nose
                hull() {
                    translate([-hub - bump + bite, 0]) circle(bump, $fn = 32);
                    translate([-hub - bump + bite - leaf - 0.5, -bump - 1]) square([leaf, 2 * bump + 2]);
                }
            }
}

module ear(x) {
    translate([x, py + bank_front, pz + bank_low]) difference() {
        cube([8, bank_back - bank_front, pz_deck() - bank_low]);
        for (y = [8, bank_back - bank_front - 8]) translate([4, y, -1]) cylinder(d = 3.4, h = 99, $fn = 24);
        translate([-1, 16, 5]) cube([10, bank_back - bank_front - 32, 99]);
        for (y = [8, bank_back - bank_front - 8]) translate([4, y, -0.01]) cylinder(d = 6.4, h = 20, $fn = 24);
    }
}

module bank_stiff() {
    for (n = [0:levers])
        translate([pivot[0] + pitch * n - rib / 2, py, pz]) rotate([90, 0, 90]) linear_extrude(rib) rib_profile();
    difference() {
        translate([pivot[0] - rib / 2, py + bank_front, pz + bank_low])
            cube([bank_width + rib, bank_back - bank_front, 3]);
        // what is spilt through the slots runs out behind the electronics
        for (n = [1:levers])
            translate([lever_x(n) - 3, py + 2, pz + bank_low - 1]) cube([6, 10, 5]);
    }
    ear(pivot[0] - rib / 2 - 8 + 0.01);
    ear(pivot[0] + bank_width + rib / 2 - 0.01);
}

module bank() {
    bank_stiff();
    leaves();
}

// the body of a switch with its tabs; its own lever is not solid here
module switch_at(n) {
    translate([lever_x(n) - pitch / 2 + rib / 2 + 0.05, py + sw_y, pz + sw_centre])
        union() {
            translate([0, -sw_top, -sw[2] / 2]) cube([sw[0], sw[1], sw[2]]);
            for (z = [-8, 0, 8]) translate([sw[0] / 2 - 1.6, sw[1] - sw_top - 0.1, z - 0.25]) cube([3.2, sw_tabs, 0.5]);
        }
}

module switches() { for (n = [1:levers]) switch_at(n); }

// --- body ------------------------------------------------------------------------------------------------------

insert_hole = 4.0;   // heat-set insert M3
boss_places = [[9, 9], [size[0] - 9, 9], [9, 136], [size[0] - 9, 136]];
tongues = [40, 180];   // the base's back edge hooks into the back wall; screws hold the front and the middle

module slot(n) {
    translate([lever_x(n) - lever_width / 2 - 0.6, py - 16.5, size[2] - deck - 1]) cube([lever_width + 1.2, 26, deck + 2]);
}

module body() {
    difference() {
        union() {
            difference() {
                rounded(size, corner);
                translate([wall, wall, -1]) rounded([size[0] - 2 * wall, size[1] - 2 * wall, size[2] - deck + 1], corner - wall);
            }
            // tray
            translate([tray[0][0] - 2, tray[0][1] - 2, size[2] - tray_depth - 3])
                cube([tray[1][0] - tray[0][0] + 4, tray[1][1] - tray[0][1] + 4, tray_depth + 3 - 0.1]);
            // drain of the tray: a pipe down to the base, so that beer never meets the Pi
            translate([tray[1][0] - 8, tray[1][1] - 8, 3 + gap]) cylinder(d = 13, h = size[2] - tray_depth - 4, $fn = 32);
            // bosses for the base's screws
            for (p = boss_places) translate([p[0], p[1], 3 + gap]) cylinder(d = 10, h = size[2] - 4, $fn = 32);
            // bosses of the display
            for (x = [-1, 1], y = [-1, 1])
                translate([window_at[0] + x * oled_holes[0] / 2, window_at[1] + y * oled_holes[1] / 2, size[2] - deck - 3])
                    cylinder(d = 5, h = 4, $fn = 24);
        }
        // tray and its drain
        translate([tray[0][0], tray[0][1], size[2] - tray_depth])
            rounded([tray[1][0] - tray[0][0], tray[1][1] - tray[0][1], tray_depth + 1], 4);
        translate([tray[1][0] - 8, tray[1][1] - 8, -1]) cylinder(d = 8, h = size[2], $fn = 32);
        for (n = [1:levers]) slot(n);
        // window, bevelled towards the player
        translate([window_at[0], window_at[1], size[2]]) hull() {
            translate([0, 0, -deck - 0.1]) linear_extrude(0.1) square(window, center = true);
            translate([0, 0, 0.1]) linear_extrude(0.1) square(window + [6, 6], center = true);
        }
        for (x = [-1, 1], y = [-1, 1])
            translate([window_at[0] + x * oled_holes[0] / 2, window_at[1] + y * oled_holes[1] / 2, size[2] - deck - 4])
                cylinder(d = 1.7, h = 6, $fn = 16);
        translate([button_at[0], button_at[1], size[2] - deck - 1]) cylinder(d = button, h = deck + 2, $fn = 96);
        for (a = [0:60:300]) translate([buzzer_at[0], buzzer_at[1], size[2] - deck - 1])
            rotate(a) translate([4, 0, 0]) cylinder(d = 2, h = deck + 2, $fn = 16);
        for (p = boss_places) translate([p[0], p[1], -1]) cylinder(d = insert_hole, h = 12, $fn = 32);
        // the bank's screws, blind from below
        for (x = [pivot[0] - rib / 2 - 4, pivot[0] + bank_width + rib / 2 + 4], y = [bank_front + 8, bank_back - 8])
            translate([x, py + y, size[2] - deck - 1]) cylinder(d = 2.6, h = deck - 0.2, $fn = 24);
        // axle goes in from the right and is hidden by a plug
        translate([size[0] - wall - 1, py, pz]) rotate([0, 90, 0]) cylinder(d = axle + 0.5, h = wall + 2, $fn = 24);
        for (x = tongues) translate([x - 0.4, size[1] - wall - 1, -0.01]) cube([20.8, 1 + 2.2, 3 + 0.4]);
        // cable exit at the back, with two holes for a tie
        translate([60, size[1] - wall - 1, -0.01]) cube([12, wall + 2, 12]);
        for (x = [56, 76]) translate([x, size[1] - wall - 1, 9]) rotate([-90, 0, 0]) cylinder(d = 3.4, h = wall + 2, $fn = 16);
    }
}

// closes the axle's hole, from outside: nobody pulls the rod, and the owner can lever it out with a knife
plug_head = 1.2;
module plug() {
    cylinder(d = 8, h = plug_head, $fn = 48);
    cylinder(d1 = axle + 0.45, d2 = axle + 0.25, h = plug_head + wall - gap, $fn = 48);
}

module plug_at() { translate([size[0] + plug_head + 0.05, py, pz]) rotate([0, -90, 0]) plug(); }

// --- base ------------------------------------------------------------------------------------------------------

module base() {
    difference() {
        union() {
            translate([wall + gap, wall + gap, 0])
                rounded([size[0] - 2 * (wall + gap), size[1] - 2 * (wall + gap), 3], corner - wall);
            for (x = tongues) translate([x, size[1] - wall - 5, 0]) cube([20, 5 + 1.8, 3]);
            // the Pi's posts: 58 x 49 mm; the HAT stands on 11 mm spacers above it
            for (x = [3.5, 61.5], y = [3.5, 52.5])
                translate([pi_at[0] + x, pi_at[1] + y, 0]) cylinder(d = 6.2, h = 3 + pi_post, $fn = 32);
            // a dam round the electronics
            difference() {
                translate([pi_at[0] - 10, pi_at[1] - 10, 0]) rounded([105, 76, 9], 4);
                translate([pi_at[0] - 8, pi_at[1] - 8, -1]) rounded([101, 72, 12], 3);
                translate([pi_at[0] + 40, pi_at[1] + 60, 5]) cube([20, 10, 9]);   // for the supply's cable
            }
        }
        for (x = [3.5, 61.5], y = [3.5, 52.5])
            translate([pi_at[0] + x, pi_at[1] + y, -1]) cylinder(d = 2.1, h = 20, $fn = 24);
        for (p = boss_places) {
            translate([p[0], p[1], -1]) cylinder(d = 3.4, h = 9, $fn = 24);
            translate([p[0], p[1], -0.01]) cylinder(d1 = 6.6, d2 = 3.4, h = 1.8, $fn = 32);
        }
        // the tray's drain, and drains under the lever bank
        translate([tray[1][0] - 8, tray[1][1] - 8, -1]) cylinder(d = 9, h = 9, $fn = 32);
        for (x = [30:30:220]) translate([x, py - 8, -1]) cube([14, 4, 9]);
        // air for the Pi
        for (x = [0:8:64]) translate([pi_at[0] + 10 + x, pi_at[1] + 12, -1]) cube([3, 32, 9]);
    }
}

// what the check needs to know
if (part == "figures") echo(figures = [["axle_y", py], ["axle_z", pz], ["pitch", pitch], ["lever_width", lever_width],
    ["up", up_angle], ["down", down_angle], ["switch_y", sw_y], ["switch_z", sw_centre + 2], ["operates", sw_op],
    ["free", sw_fp], ["body_top", sw_top], ["tray_depth", tray_depth]]);

// --- pictures --------------------------------------------------------------------------------------------------

module pi_stack() {
    translate([pi_at[0], pi_at[1], 3 + pi_post]) {
        color("green") cube([85, 56, 1.6]);
        color("silver") translate([66, 2, 1.6]) cube([21, 52, 14]);
        color("darkgreen") translate([0, 0, 12.6]) cube([65, 56.5, 1.6]);
        color("ivory") translate([7, 0.5, 14.2]) cube([50, 6, 7]);
        color("ivory") translate([58.5, 8, 14.2]) cube([6, 40, 7]);
    }
}


module levers_all(down) {
    for (n = [1:levers])
        let (a = len(search(n, down)) ? down_angle : up_angle) {
            color(n % 2 ? "burlywood" : "tan") lever_at(n, a);
            // paint in the numbers, for the pictures
            color([0.2, 0.1, 0.05]) translate([lever_x(n) - lever_width / 2, py, pz]) rotate([a, 0, 0])
                rotate([90, 0, 90]) translate([-thick / 2 + 0.6, 0, 0]) lever_number(n, 0.5);
        }
}

module felt_shape() {
    difference() {
        offset(-0.5) translate(tray[0]) square(tray[1] - tray[0]);
        translate([tray[1][0] - 8, tray[1][1] - 8]) circle(d = 8, $fn = 32);
    }
}

if (part == "body") translate([0, size[1], size[2]]) rotate([180, 0, 0]) body();
if (part == "body_at") body();
if (part == "base" || part == "base_at") base();
if (part == "bank") translate([0, 0, -pz - bank_low]) bank();
if (part == "bank_at") bank();
if (part == "bank_stiff") bank_stiff();
if (part == "leaves") leaves();
if (part == "switches") switches();
if (part == "lever") lever(number);
if (part == "lever_at") lever_at(number, angle);
if (part == "plug") plug();
if (part == "plug_at") plug_at();
if (part == "felt") felt_shape();
if (part == "top") projection() body();
if (part == "bank_view") {
    color("silver") bank();
    color("black") switches();
    levers_all([3, 5]);
}
if (part == "pi_stack") pi_stack();
if (part == "assembly" || part == "exploded") {
    up = part == "exploded" ? 1 : 0;
    color("saddlebrown") translate([0, 0, 250 * up]) body();
    color("burlywood") translate([25 * up, 0, 250 * up]) plug_at();
    color("darkgreen") translate([0, 0, size[2] - tray_depth + 0.05 + 300 * up]) linear_extrude(felt) felt_shape();
    color("dimgray") base();
    translate([0, 0, 50 * up]) {
        color("gray") bank();
        color("black") switches();
        levers_all([3, 5]);
        color("silver") translate([pivot[0] - 8, py, pz]) rotate([0, 90, 0]) cylinder(d = axle, h = bank_width + 18, $fn = 24);
    }
    pi_stack();
    color([0.05, 0.05, 0.1]) translate([window_at[0], window_at[1], size[2] - deck - 1 + 250 * up])
        cube([oled_pcb[0], oled_pcb[1] - 4, 1], center = true);
    color("red") translate([button_at[0], button_at[1], size[2] - 2 + 290 * up]) cylinder(d = 33, h = 8, $fn = 64);
}
// one bay as a flat drawing: the lever up and down, with its switch and leaf
if (part == "section_flat") {
    for (k = [0, 1]) translate([90 * k, 0]) {
        rotate(k ? down_angle : up_angle) lever_profile();
        translate([sw_y - sw_top, sw_centre - sw[2] / 2]) difference() {
            square([sw[1], sw[2]]);
            for (s = [-1, 1]) translate([sw_top, sw[2] / 2 + s * sw_holes / 2]) circle(sw_hole / 2, $fn = 24);
        }
        translate([sw_y - (k ? sw_op - sw_over : sw_fp) - 0.4, sw_centre + 2]) square([0.4, 5]);
        translate([-hub - bump + bite - leaf - 0.9, bank_low + 1]) square([leaf, leaf_length + 4]);
        translate([-hub - bump + bite, 0]) circle(bump, $fn = 32);
        translate([bank_front, bank_low]) square([bank_back - bank_front, 3]);
        translate([bank_front - 6, pz_deck()]) square([-16.5 - bank_front + 6, deck]);
        translate([9.5, pz_deck()]) square([bank_back - 9.5, deck]);
    }
}
