#!/usr/bin/env python3
"""Writes Antaeus' own robot descriptions from the tables in this file.

    python3 tools/make_robots.py            write robots/*/*.urdf
    python3 tools/make_robots.py --check    exit 1 when a committed file differs from what would be written

The tables hold facts: masses, centres of mass, inertias, joint origins, axes and limits. The shapes are our own: boxes,
cylinders and spheres that fill the space between the joints, so that a viewer shows a robot and no mesh is needed.
Units are SI: metre, kilogram, radian, newton metre. Axes of a link: x forward, y left, z up.
"""

import argparse
import math
import pathlib
import sys
from dataclasses import dataclass, replace

ROBOTS = pathlib.Path(__file__).resolve().parent.parent / "robots"
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-y": (0, -1, 0)}
QUARTER = math.pi / 2


# ------------------------------------------------------------------------------------ reflection
# The plane of symmetry is x-z. A reflection in it flips the y part of a point, but the x and z parts of a rotation.


def flip_point(point):
    return (point[0], -point[1], point[2])


def flip_rotation(rpy):
    return (-rpy[0], rpy[1], -rpy[2])


# ------------------------------------------------------------------------------------ shapes


@dataclass(frozen=True)
class Box:
    centre: tuple
    size: tuple
    colour: str
    solid: bool = True  # solid shapes collide; the others are decoration

    def flipped(self):
        return replace(self, centre=flip_point(self.centre))

    def pieces(self):
        yield self.centre, (0, 0, 0), f'<box size="{numbers(self.size)}"/>'


@dataclass(frozen=True)
class Ball:
    centre: tuple
    radius: float
    colour: str
    solid: bool = True

    def flipped(self):
        return replace(self, centre=flip_point(self.centre))

    def pieces(self):
        yield self.centre, (0, 0, 0), f'<sphere radius="{number(self.radius)}"/>'


@dataclass(frozen=True)
class Rod:
    """A cylinder from one point to another; `rounded` puts a ball on each end, since URDF has no capsule."""

    start: tuple
    end: tuple
    radius: float
    colour: str
    rounded: bool = True
    solid: bool = True

    def flipped(self):
        return replace(self, start=flip_point(self.start), end=flip_point(self.end))

    def pieces(self):
        x, y, z = (b - a for a, b in zip(self.start, self.end))
        middle = tuple(round((a + b) / 2, 6) for a, b in zip(self.start, self.end))
        # Ry(pitch) then Rz(yaw) turn a cylinder's own axis, z, into the direction from start to end.
        rpy = (0, round(math.atan2(math.hypot(x, y), z), 6), round(math.atan2(y, x), 6))
        length = round(math.sqrt(x * x + y * y + z * z), 6)
        yield middle, rpy, f'<cylinder radius="{number(self.radius)}" length="{number(length)}"/>'
        for point in (self.start, self.end) if self.rounded else ():
            yield point, (0, 0, 0), f'<sphere radius="{number(self.radius)}"/>'


# ------------------------------------------------------------------------------------ bodies


@dataclass(frozen=True)
class Mass:
    """Mass, centre of mass in the link frame, and the inertia about that centre in axes parallel to the link's."""

    value: float
    centre: tuple
    xx: float
    yy: float
    zz: float
    xy: float = 0.0
    xz: float = 0.0
    yz: float = 0.0

    def flipped(self):
        return replace(self, centre=flip_point(self.centre), xy=-self.xy, yz=-self.yz)


@dataclass(frozen=True)
class Motor:
    axis: str
    lower: float
    upper: float
    effort: float
    velocity: float
    kind: str = "revolute"  # or prismatic: metres and newtons

    def flipped(self):
        return self if self.axis == "y" else replace(self, lower=-self.upper, upper=-self.lower)


@dataclass(frozen=True)
class Body:
    """A link together with the joint that carries it."""

    link: str
    joint: str = ""  # "" for the root
    parent: str = ""
    origin: tuple = (0, 0, 0)
    rpy: tuple = (0, 0, 0)
    motor: Motor | None = None  # none: the joint is fixed
    mass: Mass | None = None  # none: the link is only a frame
    shapes: tuple = ()


def part(name, parent, origin, *, rpy=(0, 0, 0), motor=None, mass=None, shapes=()):
    """Part "left_knee" is link left_knee_link on joint left_knee_joint."""
    return Body(f"{name}_link", f"{name}_joint", parent, origin, rpy, motor, mass, tuple(shapes))


def opposite(name):
    return name.replace("left_", "right_")


def right_of(left, mass_is_flipped=True):
    """The right-hand twin of a left-hand body. Not flipped: both sides were published with one set of figures."""
    return Body(
        opposite(left.link),
        opposite(left.joint),
        opposite(left.parent),
        flip_point(left.origin),
        flip_rotation(left.rpy),
        left.motor.flipped(),
        left.mass.flipped() if mass_is_flipped else left.mass,
        tuple(shape.flipped() for shape in left.shapes),
    )


# ------------------------------------------------------------------------------------ Unitree H1-2, without hands

H1_2_COLOURS = {
    "shell": (0.80, 0.82, 0.85, 1),
    "joint": (0.16, 0.17, 0.20, 1),
    "accent": (0.10, 0.45, 0.55, 1),
    "visor": (0.03, 0.03, 0.05, 1),
}


def h1_2_left_leg():
    hip = dict(effort=200, velocity=23)
    yield part(
        "left_hip_yaw", "pelvis", (0, 0.0875, -0.1632),
        motor=Motor("z", -0.43, 0.43, **hip),
        mass=Mass(2.829, (0, -0.026197, 0.006647), 0.004553605, 0.00568873, 0.003548907, 5e-9, 8.17e-7, -3.45157e-4),
        shapes=[
            Rod((0, 0, -0.045), (0, 0, 0.06), 0.055, "joint", rounded=False, solid=False),
            Rod((0, 0, 0), (0, 0.03, 0), 0.045, "joint", rounded=False, solid=False),
        ],
    )  # fmt: skip
    yield part(
        "left_hip_pitch", "left_hip_yaw_link", (0, 0.0755, 0),
        motor=Motor("y", -3.14, 2.5, **hip),
        mass=Mass(
            2.920, (-0.00781, -0.004724, -0.000063),
            0.0055947, 0.003862581, 0.004450563, 1.43308e-4, -1.1847e-5, -9.607e-6,
        ),
        shapes=[
            Rod((0, -0.045, 0), (0, 0.05, 0), 0.062, "shell", rounded=False),
            Rod((0, 0.05, 0), (0, 0.056, 0), 0.042, "accent", rounded=False, solid=False),
        ],
    )  # fmt: skip
    yield part(
        "left_hip_roll", "left_hip_pitch_link", (0, 0, 0),
        motor=Motor("x", -0.43, 3.14, **hip),
        mass=Mass(
            4.962, (0.004171, -0.008576, -0.194509),
            0.046305869, 0.047955402, 0.008914518, -3.22626e-4, -0.001199703, 2.88147e-4,
        ),
        shapes=[
            Rod((0, 0, -0.09), (0, 0, -0.32), 0.06, "shell"),
            Box((0.045, 0, -0.2), (0.04, 0.07, 0.2), "accent", solid=False),
            Rod((-0.055, 0, -0.02), (0.055, 0, -0.02), 0.04, "joint", rounded=False, solid=False),
        ],
    )  # fmt: skip
    yield part(
        "left_knee", "left_hip_roll_link", (0, 0, -0.4),
        motor=Motor("y", -0.12, 2.19, effort=300, velocity=14),
        mass=Mass(
            3.839, (0.000179, 0.000121, -0.168936),
            0.039002363, 0.039042376, 0.005029829, -7.2364e-5, -7.94506e-4, -1.8663e-5,
        ),
        shapes=[
            Rod((0, -0.05, 0), (0, 0.05, 0), 0.05, "joint", rounded=False),
            Rod((0, 0, -0.08), (0, 0, -0.34), 0.042, "shell"),
            Box((0.032, 0, -0.17), (0.03, 0.05, 0.16), "accent", solid=False),
        ],
    )  # fmt: skip
    yield part(
        "left_ankle_pitch", "left_knee_link", (0, 0, -0.4),
        motor=Motor("y", -0.897334, 0.523598, effort=60, velocity=9),
        mass=Mass(0.102, (-0.000294, 0, -0.010794), 2.3944e-5, 2.1837e-5, 1.3414e-5, xz=1.21e-7),
        shapes=[Rod((0, -0.035, 0), (0, 0.035, 0), 0.02, "joint", rounded=False, solid=False)],
    )  # fmt: skip
    yield part(
        "left_ankle_roll", "left_ankle_pitch_link", (0, 0, -0.02),
        motor=Motor("x", -0.261799, 0.261799, effort=40, velocity=9),
        mass=Mass(0.747, (0.029589, 0, -0.015973), 6.4883e-4, 0.003435339, 0.003583259, xz=1.5838e-4),
        shapes=[
            Box((0.044, 0, -0.0325), (0.26, 0.086, 0.025), "joint"),
            Box((0.0, 0, -0.008), (0.11, 0.06, 0.03), "shell", solid=False),
            Box((0.11, 0, -0.014), (0.09, 0.076, 0.014), "shell", solid=False),
        ],
    )  # fmt: skip


def h1_2_left_arm():
    shoulder = dict(effort=40, velocity=9)
    elbow = dict(effort=18, velocity=20)
    wrist = dict(effort=19, velocity=31.4)
    yield part(
        "left_shoulder_pitch", "torso_link", (0, 0.14806, 0.42333), rpy=(0.2618, 0, 0),
        motor=Motor("y", -3.14, 1.57, **shoulder),
        mass=Mass(
            1.327, (0.003053, 0.06042, -0.0059),
            5.8661e-4, 3.989e-4, 5.2936e-4, -2.0157e-5, 2.985e-6, 2.238e-5,
        ),
        shapes=[Rod((0, 0.005, 0), (0, 0.075, 0), 0.046, "joint", rounded=False)],
    )  # fmt: skip
    yield part(
        "left_shoulder_roll", "left_shoulder_pitch_link", (0.0342, 0.061999, -0.0060011), rpy=(-0.2618, 0, 0),
        motor=Motor("x", -0.38, 3.4, **shoulder),
        mass=Mass(
            1.393, (-0.030932, -1e-6, -0.10609),
            0.0018408, 0.001934638, 6.17733e-4, 3.98e-7, -4.8324e-4, 1.61e-7,
        ),
        shapes=[
            Rod((-0.0342, 0, 0), (-0.0342, 0, -0.1), 0.046, "shell"),
            Rod((-0.085, 0, 0), (0.016, 0, 0), 0.034, "accent", rounded=False, solid=False),
        ],
    )  # fmt: skip
    yield part(
        "left_shoulder_yaw", "left_shoulder_roll_link", (-0.0342, 0, -0.1456),
        motor=Motor("z", -2.66, 3.01, **elbow),
        mass=Mass(
            1.505, (0.004583, 0.001128, -0.001128),
            0.004199, 0.0043139, 6.5755e-4, -1.7786e-5, 1.8372e-4, 9.278e-5,
        ),
        shapes=[
            Rod((0, 0, -0.03), (0, 0, -0.13), 0.039, "shell"),
            Rod((0, 0, 0.004), (0, 0, -0.012), 0.043, "joint", rounded=False, solid=False),
        ],
    )  # fmt: skip
    yield part(
        "left_elbow", "left_shoulder_yaw_link", (0.006, 0.0329, -0.182),
        motor=Motor("y", -0.95, 3.18, **elbow),
        mass=Mass(
            0.691, (0.077092, -0.028751, -0.009714),
            3.18491e-4, 8.61224e-4, 8.97899e-4, 2.24554e-4, 6.62076e-5, -2.3329e-5,
        ),
        shapes=[
            Rod((0, -0.0729, 0), (0, 0.0071, 0), 0.044, "joint", rounded=False),
            Rod((0.04, -0.0329, -0.005), (0.11, -0.0329, -0.011), 0.036, "shell"),
        ],
    )  # fmt: skip
    yield part(
        "left_wrist_roll", "left_elbow_link", (0.121, -0.0329, -0.011),
        motor=Motor("x", -3.01, 2.75, **wrist),
        mass=Mass(
            0.683, (0.035281, -0.00232, 0.000337),
            3.13275e-4, 3.10412e-4, 3.45998e-4, 1.6521e-5, -2.501e-6, 5.435e-6,
        ),
        shapes=[
            Rod((0.032, 0, 0), (0.07, 0, 0), 0.032, "shell"),
            Rod((0.026, 0, 0), (0.036, 0, 0), 0.036, "accent", rounded=False, solid=False),
        ],
    )  # fmt: skip
    yield part(
        "left_wrist_pitch", "left_wrist_roll_link", (0.087, 0, 0),
        motor=Motor("y", -0.4625, 0.4625, **wrist),
        mass=Mass(
            0.484, (0.020395, 0.000036, -0.002973),
            7.1364e-5, 6.9915e-5, 7.0702e-5, 3.08e-7, 1.485e-6, -8.8e-8,
        ),
        shapes=[Rod((0, -0.036, 0), (0, 0.036, 0), 0.026, "joint", rounded=False)],
    )  # fmt: skip
    yield part(
        "left_wrist_yaw", "left_wrist_pitch_link", (0.020, 0, 0),
        motor=Motor("z", -1.27, 1.27, **wrist),
        mass=Mass(
            0.124, (0.027967, 0.000096, 0.000739),
            1.373e-4, 1.69998e-4, 8.4808e-5, -1.71e-7, 2.942e-6, -2.5e-8,
        ),
        shapes=[
            Rod((0, 0, -0.036), (0, 0, 0.036), 0.022, "joint", rounded=False, solid=False),
            Box((0.035, 0, 0), (0.03, 0.04, 0.06), "shell"),
            Ball((0.05, 0, 0), 0.027, "shell"),
        ],
    )  # fmt: skip


def h1_2_middle():
    pelvis = Body(
        "pelvis",
        mass=Mass(
            5.983, (-0.0004, 3.7e-5, -0.046864),
            0.049168411, 0.009025844, 0.053155891, -1.9869e-5, -4.846e-5, 3.431e-6,
        ),
        shapes=(
            Rod((0, -0.0875, -0.045), (0, 0.0875, -0.045), 0.055, "shell"),
            Box((0, 0, -0.06), (0.1, 0.1, 0.08), "accent", solid=False),
        ),
    )
    torso = part(
        "torso", "pelvis", (0, 0, 0),
        motor=Motor("z", -2.35, 2.35, effort=200, velocity=23),
        mass=Mass(17.789, (0.000489, 0.002797, 0.20484), 0.4873, 0.40963, 0.12785, -5.3763e-4, 0.0020276, -7.4582e-4),
        shapes=[
            Rod((0, 0, 0.012), (0, 0, 0.11), 0.065, "joint", rounded=False),
            Box((0, 0, 0.16), (0.13, 0.18, 0.12), "shell"),
            Box((0.005, 0, 0.335), (0.16, 0.24, 0.23), "shell"),
            Box((-0.09, 0, 0.32), (0.04, 0.18, 0.2), "joint"),
            Box((0.087, 0, 0.25), (0.008, 0.16, 0.03), "accent", solid=False),
            Rod((0, -0.14, 0.42333), (0, 0.14, 0.42333), 0.05, "joint", rounded=False),
            Rod((0.01, 0, 0.46), (0.01, 0, 0.55), 0.045, "joint", rounded=False),
            Rod((0.015, 0, 0.61), (0.015, 0, 0.67), 0.08, "shell"),
            Box((0.078, 0, 0.635), (0.05, 0.115, 0.09), "visor", solid=False),
            Rod((-0.005, -0.086, 0.63), (-0.005, 0.086, 0.63), 0.035, "accent", rounded=False, solid=False),
        ],
    )  # fmt: skip
    disc = Rod((0.085, 0, 0.37), (0.091, 0, 0.37), 0.03, "accent", rounded=False, solid=False)
    badge = part("logo", "torso_link", (0, 0, 0), shapes=[disc])
    return pelvis, torso, badge


def h1_2():
    pelvis, torso, badge = h1_2_middle()
    left_leg, left_arm = list(h1_2_left_leg()), list(h1_2_left_arm())
    both_sides_alike = {"left_wrist_roll_link", "left_wrist_pitch_link"}  # published with equal, not mirrored, masses
    right_leg = [right_of(body) for body in left_leg]
    right_arm = [right_of(body, body.link not in both_sides_alike) for body in left_arm]
    frames = [
        part("imu", "torso_link", (-0.04452, -0.01891, 0.27756)),
        part("lidar", "torso_link", (0.04874, 0, 0.679808), rpy=(0, -2.90143535, 0)),
        part("head_camera", "torso_link", (0.11109, 0.0175, 0.68789), rpy=(-2.45672546, 0, -1.5708)),
        part("left_hand_camera", "left_wrist_yaw_link", (0, 0.04, 0), rpy=(0, 1.5708, 0)),
        part("right_hand_camera", "right_wrist_yaw_link", (0, -0.04, 0), rpy=(-3.1415, -1.5708, 0)),
    ]
    return [pelvis, *left_leg, *right_leg, torso, *left_arm, *right_arm, badge, *frames]


# ------------------------------------------------------------------------------------ Franka Panda, with its hand
# A link's z axis is its joint's axis. At zero the links 1, 3 and 5 stand upright; in 2 "up" is −y, in 4 it is y; the
# axis of 7 looks down.

PANDA_COLOURS = {
    "shell": (0.92, 0.93, 0.94, 1),
    "joint": (0.20, 0.22, 0.25, 1),
    "accent": (0.10, 0.45, 0.55, 1),
}


def panda_arm():
    """Links 1 to 7: origin and turn against the link before, motor, mass, shapes."""
    strong, weak = dict(effort=87, velocity=2.175), dict(effort=12, velocity=2.61)
    yield (
        (0, 0, 0.333), 0, Motor("z", -2.8973, 2.8973, **strong),
        Mass(
            4.970684, (0.003875, 0.002081, -0.04762),
            0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169,
        ),
        (
            Rod((0, 0, -0.185), (0, 0, -0.05), 0.06, "shell", rounded=False),
            Rod((0, -0.075, 0), (0, 0.075, 0), 0.062, "shell", rounded=False),
            Rod((0, -0.081, 0), (0, 0.081, 0), 0.045, "joint", rounded=False, solid=False),
        ),
    )  # fmt: skip
    yield (
        (0, 0, 0), -QUARTER, Motor("z", -1.7628, 1.7628, **strong),
        Mass(
            0.646926, (-0.003141, -0.02872, 0.003495),
            0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704,
        ),
        (
            Rod((0, -0.05, 0), (0, -0.17, 0), 0.058, "shell"),
            Rod((0, -0.178, 0), (0, -0.192, 0), 0.061, "joint", rounded=False, solid=False),
        ),
    )  # fmt: skip
    yield (
        (0, -0.316, 0), QUARTER, Motor("z", -2.8973, 2.8973, **strong),
        Mass(
            3.228604, (0.027518, 0.039252, -0.066502),
            0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805,
        ),
        (
            Rod((0, 0, -0.122), (0, 0, -0.06), 0.058, "shell", rounded=False),
            Rod((0, 0, -0.06), (0.0825, 0, 0), 0.052, "shell"),
            Rod((0.0825, -0.07, 0), (0.0825, 0.07, 0), 0.055, "shell", rounded=False),
            Rod((0.0825, -0.076, 0), (0.0825, 0.076, 0), 0.04, "joint", rounded=False, solid=False),
        ),
    )  # fmt: skip
    yield (
        (0.0825, 0, 0), QUARTER, Motor("z", -3.0718, -0.0698, **strong),
        Mass(
            3.587895, (-0.05317, 0.104419, 0.027454),
            0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641,
        ),
        (
            Rod((0, 0, 0), (-0.0825, 0.085, 0), 0.05, "shell"),
            Rod((-0.0825, 0.085, 0), (-0.0825, 0.125, 0), 0.056, "shell", rounded=False),
            Rod((-0.0825, 0.119, 0), (-0.0825, 0.129, 0), 0.059, "joint", rounded=False, solid=False),
        ),
    )  # fmt: skip
    yield (
        (-0.0825, 0.384, 0), -QUARTER, Motor("z", -2.8973, 2.8973, **weak),
        Mass(
            1.225946, (-0.011953, 0.041065, -0.038437),
            0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229,
        ),
        (
            Rod((0, 0, -0.252), (0, 0, -0.21), 0.056, "shell"),
            Rod((0, 0.03, -0.2), (0, 0.062, -0.07), 0.036, "shell"),
            Rod((0, 0.075, 0), (0, 0.055, -0.05), 0.04, "shell"),
            Rod((0, 0.078, 0), (0, -0.05, 0), 0.047, "joint", rounded=False),
        ),
    )  # fmt: skip
    yield (
        (0, 0, 0), QUARTER, Motor("z", -0.0175, 3.7525, **weak),
        Mass(
            1.666555, (0.060149, -0.014117, -0.010517),
            0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341,
        ),
        (
            Rod((0.01, 0, 0), (0.075, 0, 0), 0.045, "shell"),
            Rod((0.088, 0.05, 0), (0.088, -0.05, 0), 0.047, "shell", rounded=False),
            Rod((0.088, 0.056, 0), (0.088, 0.05, 0), 0.035, "accent", rounded=False, solid=False),
        ),
    )  # fmt: skip
    yield (
        (0.088, 0, 0), QUARTER, Motor("z", -2.8973, 2.8973, **weak),
        Mass(
            0.735522, (0.010517, -0.004252, 0.061597),
            0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741,
        ),
        (
            Rod((0, 0, 0.052), (0, 0, 0.098), 0.044, "shell", rounded=False),
            Rod((0, 0, 0.098), (0, 0, 0.107), 0.032, "joint", rounded=False),
            Box((0.045, 0.045, 0.075), (0.05, 0.05, 0.03), "joint", solid=False),
        ),
    )  # fmt: skip


def panda():
    yield Body(
        "panda_link0",
        mass=Mass(
            0.629769, (-0.041018, -0.00014, 0.049974),
            0.00315, 0.00388, 0.004285, 8.2904e-7, 0.00015, 8.2299e-6,
        ),
        shapes=(
            Box((-0.03, 0, 0.02), (0.2, 0.18, 0.04), "joint"),
            Box((-0.1, 0, 0.065), (0.08, 0.12, 0.05), "joint"),
            Rod((0, 0, 0.04), (0, 0, 0.138), 0.068, "shell", rounded=False),
            Rod((0, 0, 0.138), (0, 0, 0.148), 0.06, "joint", rounded=False, solid=False),
        ),
    )  # fmt: skip
    parent = "panda_link0"
    for index, (origin, roll, motor, mass, shapes) in enumerate(panda_arm(), start=1):
        link = f"panda_link{index}"
        yield Body(link, f"panda_joint{index}", parent, origin, (roll, 0, 0), motor, mass, shapes)
        parent = link
    yield Body("panda_link8", "panda_joint8", "panda_link7", (0, 0, 0.107))
    yield Body(
        "panda_hand", "panda_hand_joint", "panda_link8", rpy=(0, 0, -math.pi / 4),
        mass=Mass(0.73, (-0.01, 0, 0.03), 0.001, 0.0025, 0.0017),
        shapes=(
            Box((0, 0, 0.03), (0.05, 0.19, 0.055), "shell"),
            Box((0, 0, 0.0605), (0.03, 0.18, 0.006), "joint", solid=False),
        ),
    )  # fmt: skip
    yield Body("panda_hand_tcp", "panda_hand_tcp_joint", "panda_hand", (0, 0, 0.1034))
    for side, index, axis, out in (("left", 1, "y", 1), ("right", 2, "-y", -1)):
        yield Body(
            f"panda_{side}finger", f"panda_finger_joint{index}", "panda_hand", (0, 0, 0.0584),
            motor=Motor(axis, 0, 0.04, effort=100, velocity=0.2, kind="prismatic"),
            mass=Mass(0.015, (0, 0, 0), 2.375e-6, 2.375e-6, 7.5e-7),
            shapes=(
                Box((0, out * 0.016, 0.014), (0.02, 0.018, 0.026), "joint"),
                Box((0, out * 0.0085, 0.04), (0.018, 0.015, 0.028), "joint"),
            ),
        )  # fmt: skip


# ------------------------------------------------------------------------------------ Universal Robots UR5e
# `base` is the controller's base, that of the published Denavit-Hartenberg table, and tool0 its last frame. The links
# stand where the manufacturer's own description has them: on the joints' axes, a table's frame turned back about its x.

UR5E_COLOURS = {
    "shell": (0.75, 0.77, 0.79, 1),
    "joint": (0.28, 0.30, 0.33, 1),
    "cap": (0.30, 0.55, 0.75, 1),
}
UR5E_D1, UR5E_A2, UR5E_A3, UR5E_D4, UR5E_D5, UR5E_D6 = 0.1625, -0.425, -0.3922, 0.1333, 0.0997, 0.0996


def ur5e_joint(name, parent, link, origin, roll, limit, effort, mass, *shapes):
    motor = Motor("z", -limit, limit, effort=effort, velocity=math.pi)
    return Body(link, f"{name}_joint", parent, origin, (roll, 0, 0), motor, mass, shapes)


def ur5e():
    beside = 0.138  # the upper arm's own plane; the forearm's is at 0.007
    housing, cap = dict(rounded=False), dict(rounded=False, solid=False)
    yield Body(
        "base",
        shapes=(
            Rod((0, 0, 0), (0, 0, 0.02), 0.075, "joint", **housing),
            Rod((0, 0, 0.02), (0, 0, 0.095), 0.062, "shell", **housing),
        ),
    )  # fmt: skip
    yield ur5e_joint(
        "shoulder_pan", "base", "shoulder_link", (0, 0, UR5E_D1), 0, math.tau, 150,
        Mass(
            3.761, (0, -0.00193, -0.02561),
            0.0070021, 0.00657286, 0.00648091, 1.053e-5, 7.3e-7, -4.9994e-4,
        ),
        Rod((0, 0, -0.065), (0, 0, 0), 0.06, "shell", **housing),
        Rod((0, 0.06, 0), (0, -0.07, 0), 0.06, "shell", **housing),
        Rod((0, 0.06, 0), (0, 0.068, 0), 0.054, "cap", **cap),
    )  # fmt: skip
    yield ur5e_joint(
        "shoulder_lift", "shoulder_link", "upper_arm_link", (0, 0, 0), QUARTER, math.tau, 150,
        Mass(
            8.058, (-0.2125, 0, 0.11336),
            0.01505885, 0.33388086, 0.33247207, -5.4e-5, 5.63e-6, -1.81e-6,
        ),
        Rod((0, 0, 0.075), (0, 0, 0.195), 0.06, "shell", **housing),
        Rod((0, 0, 0.195), (0, 0, 0.203), 0.054, "cap", **cap),
        Rod((-0.05, 0, beside), (UR5E_A2 + 0.05, 0, beside), 0.046, "shell", **housing),
        Rod((UR5E_A2, 0, 0.066), (UR5E_A2, 0, 0.192), 0.056, "shell", **housing),
        Rod((UR5E_A2, 0, 0.192), (UR5E_A2, 0, 0.2), 0.05, "cap", **cap),
    )  # fmt: skip
    yield ur5e_joint(
        "elbow", "upper_arm_link", "forearm_link", (UR5E_A2, 0, 0), 0, math.pi, 150,
        Mass(
            2.846, (-0.2422, 0, 0.0265),
            0.00399632, 0.07879254, 0.0784851, -1.365e-5, 0.00137272, -6.6e-6,
        ),
        Rod((0, 0, -0.05), (0, 0, 0.062), 0.054, "shell", **housing),
        Rod((0, 0, -0.058), (0, 0, -0.05), 0.048, "cap", **cap),
        Rod((-0.04, 0, 0.007), (UR5E_A3 + 0.03, 0, 0.007), 0.039, "shell", **housing),
        Rod((UR5E_A3, 0, -0.04), (UR5E_A3, 0, 0.06), 0.042, "shell", **housing),
        Rod((UR5E_A3, 0, -0.047), (UR5E_A3, 0, -0.04), 0.037, "cap", **cap),
    )  # fmt: skip
    yield ur5e_joint(
        "wrist_1", "forearm_link", "wrist_1_link", (UR5E_A3, 0, UR5E_D4), 0, math.tau, 28,
        Mass(
            1.37, (0, -0.01634, -0.0018),
            0.00165491, 0.00126279, 0.00135962, 4.38e-6, -2.82e-6, -1.0157e-4,
        ),
        Rod((0, 0, -0.07), (0, 0, 0), 0.04, "shell", **housing),
        Rod((0, 0.045, 0), (0, -0.055, 0), 0.041, "shell", **housing),
        Rod((0, 0.045, 0), (0, 0.052, 0), 0.036, "cap", **cap),
    )  # fmt: skip
    yield ur5e_joint(
        "wrist_2", "wrist_1_link", "wrist_2_link", (0, -UR5E_D5, 0), QUARTER, math.tau, 28,
        Mass(
            1.3, (0, 0.01634, -0.0018),
            0.00135617, 0.00096614, 0.00127827, 4.44e-6, 2.74e-6, 5.048e-5,
        ),
        Rod((0, 0, -0.043), (0, 0, 0), 0.04, "shell", **housing),
        Rod((0, -0.045, 0), (0, 0.055, 0), 0.041, "shell", **housing),
        Rod((0, -0.052, 0), (0, -0.045, 0), 0.036, "cap", **cap),
    )  # fmt: skip
    yield ur5e_joint(
        "wrist_3", "wrist_2_link", "wrist_3_link", (0, UR5E_D6, 0), -QUARTER, math.tau, 28,
        Mass(0.365, (0, 0, -0.001159), 1.8694e-4, 1.8908e-4, 2.5756e-4, 6e-8, -1.7e-7, -9.2e-7),
        Rod((0, 0, -0.043), (0, 0, 0), 0.038, "joint", **housing),
    )  # fmt: skip
    yield Body("tool0", "tool0_joint", "wrist_3_link")


# ------------------------------------------------------------------------------------ Robotiq 2F-85 on the UR5e
# All its parts in one, fingers open, about the flange: what the MuJoCo Menagerie's 2f85.xml holds, fingers and linkage
# 0.903 kg and the coupling 0.150 kg.

GRIPPER_COLOURS = {**UR5E_COLOURS, "finger": (0.16, 0.17, 0.20, 1)}


def ur5e_2f85():
    housing = dict(rounded=False)
    yield from ur5e()
    yield Body(
        "robotiq_2f85", "robotiq_2f85_joint", "tool0",
        mass=Mass(1.0526, (-7.14e-5, 1.22e-5, 0.046674), 9.119e-4, 1.25848e-3, 5.8e-4, 1.58e-9, -2.523e-6, 5.1e-7),
        shapes=(
            Rod((0, 0, 0), (0, 0, 0.02), 0.0375, "joint", **housing),
            Box((0, 0, 0.058), (0.075, 0.06, 0.076), "finger"),
            Box((0.052, 0, 0.125), (0.02, 0.025, 0.06), "finger"),
            Box((-0.052, 0, 0.125), (0.02, 0.025, 0.06), "finger"),
        ),
    )  # fmt: skip
    yield Body("pinch", "pinch_joint", "robotiq_2f85", (0, 0, 0.1558))


# ------------------------------------------------------------------------------------ spacecraft: a free base with one arm
# The base is ours: a box of 150 kg whose mass is spread evenly but for a centre of mass off its middle.

SPACECRAFT_COLOURS = {
    "bus": (0.82, 0.78, 0.62, 1),
    "panel": (0.10, 0.16, 0.38, 1),
    "shell": (0.75, 0.77, 0.79, 1),
    "joint": (0.28, 0.30, 0.33, 1),
    "accent": (0.10, 0.45, 0.55, 1),
}
SPACECRAFT_SIZE, SPACECRAFT_MASS, SPACECRAFT_MOUNT = (1.0, 0.9, 1.1), 150, (0.1, 0.05, 0.5)


def spacecraft():
    x, y, z = (side * side for side in SPACECRAFT_SIZE)
    moments = (round(SPACECRAFT_MASS * sum(pair) / 12, 9) for pair in ((y, z), (x, z), (x, y)))
    # The box ends where the arm stands, so that nothing hides the arm's foot.
    height = SPACECRAFT_MOUNT[2] + SPACECRAFT_SIZE[2] / 2
    yield Body(
        "spacecraft",
        mass=Mass(SPACECRAFT_MASS, (0.02, -0.03, 0.05), *moments),
        shapes=(
            Box((0, 0, round(SPACECRAFT_MOUNT[2] - height / 2, 6)), (*SPACECRAFT_SIZE[:2], height), "bus"),
            Box((0, 1.15, 0), (0.7, 1.2, 0.02), "panel", solid=False),
            Box((0, -1.15, 0), (0.7, 1.2, 0.02), "panel", solid=False),
            Rod((0, 0.45, 0), (0, 0.55, 0), 0.03, "joint", rounded=False, solid=False),
            Rod((0, -0.45, 0), (0, -0.55, 0), 0.03, "joint", rounded=False, solid=False),
        ),
    )  # fmt: skip


def ur3_joint(name, parent, link, origin, pitch, axis, limits, mass, *shapes):
    limit, effort, velocity = limits
    motor = Motor(axis, -limit, limit, effort=effort, velocity=velocity)
    return Body(link, f"{name}_joint", parent, origin, (0, pitch, 0), motor, mass, shapes)


def spacecraft_ur3():
    shoulder, elbow, wrist = (math.tau, 330, 2.16), (math.pi, 150, 3.15), (math.tau, 54, 3.2)
    housing = dict(rounded=False)
    yield from spacecraft()
    yield Body(
        "base_link", "mount_joint", "spacecraft", SPACECRAFT_MOUNT,
        mass=Mass(2, (0, 0, 0), 0.0030531654454, 0.0030531654454, 0.005625),
        shapes=(Rod((0, 0, 0), (0, 0, 0.09), 0.06, "shell", **housing),),
    )  # fmt: skip
    yield ur3_joint(
        "shoulder_pan", "base_link", "shoulder_link", (0, 0, 0.1519), 0, "z", shoulder,
        Mass(2, (0, 0, 0), 0.0080931634294, 0.0080931634294, 0.005625),
        Rod((0, 0, -0.055), (0, 0, 0), 0.05, "shell", **housing),
        Rod((0, -0.05, 0), (0, 0.06, 0), 0.05, "shell", **housing),
    )  # fmt: skip
    yield ur3_joint(
        "shoulder_lift", "shoulder_link", "upper_arm_link", (0, 0.1198, 0), QUARTER, "y", shoulder,
        Mass(3.42, (0, 0, 0.121825), 0.0217284832211, 0.0217284832211, 0.00961875),
        Rod((0, -0.055, 0), (0, 0.05, 0), 0.05, "joint", **housing),
        Rod((0, 0, 0.04), (0, 0, 0.2), 0.038, "shell", **housing),
        Rod((0, -0.045, 0.24365), (0, 0.04, 0.24365), 0.042, "joint", **housing),
    )  # fmt: skip
    yield ur3_joint(
        "elbow", "upper_arm_link", "forearm_link", (0, -0.0925, 0.24365), 0, "y", elbow,
        Mass(1.26, (0, 0, 0.106625), 0.00654680644378, 0.00654680644378, 0.00354375),
        Rod((0, -0.04, 0), (0, 0.045, 0), 0.038, "shell", **housing),
        Rod((0, 0, 0.03), (0, 0, 0.18), 0.03, "shell", **housing),
    )  # fmt: skip
    yield ur3_joint(
        "wrist_1", "forearm_link", "wrist_1_link", (0, 0, 0.21325), QUARTER, "y", wrist,
        Mass(0.8, (0, 0, 0), 0.002084999166, 0.002084999166, 0.00225),
        Rod((0, -0.035, 0), (0, 0.085, 0), 0.034, "joint", **housing),
    )  # fmt: skip
    yield ur3_joint(
        "wrist_2", "wrist_1_link", "wrist_2_link", (0, 0.08505, 0), 0, "z", wrist,
        Mass(0.8, (0, 0, 0), 0.002084999166, 0.002084999166, 0.00225),
        Rod((0, 0, -0.035), (0, 0, 0.085), 0.034, "shell", **housing),
    )  # fmt: skip
    yield ur3_joint(
        "wrist_3", "wrist_2_link", "wrist_3_link", (0, 0, 0.08535), 0, "y", wrist,
        Mass(0.35, (0, 0, 0), 0.000912187135125, 0.000912187135125, 0.000984375),
        Rod((0, 0.035, 0), (0, 0.0819, 0), 0.032, "joint", **housing),
    )  # fmt: skip
    yield Body("ee_link", "ee_fixed_joint", "wrist_3_link", (0, 0.0819, 0), (0, 0, QUARTER))
    yield Body("tool0", "wrist_3_link-tool0_fixed_joint", "wrist_3_link", (0, 0.0819, 0), (-QUARTER, 0, 0))


def spacecraft_panda():
    """The Panda on the same base, its fingers closed and held."""
    yield from spacecraft()
    for body in panda():
        if body.link == "panda_link0":
            body = replace(body, joint="mount_joint", parent="spacecraft", origin=SPACECRAFT_MOUNT)
        elif body.motor and body.motor.kind == "prismatic":
            body = replace(body, motor=None)
        yield body


# ------------------------------------------------------------------------------------ planar arm

PLANAR_COLOURS = {
    "base": (0.16, 0.17, 0.20, 1),
    "first": (0.10, 0.45, 0.55, 1),
    "second": (0.85, 0.55, 0.20, 1),
    "third": (0.55, 0.25, 0.45, 1),
}


def planar_3r():
    """Three solid round bars that turn about z in the x-y plane."""
    radius = 0.02
    lengths, masses, colours = (0.5, 0.4, 0.3), (1.0, 0.8, 0.5), ("first", "second", "third")
    yield Body("base_link", shapes=(Rod((0, 0, -0.06), (0, 0, 0), 0.04, "base", rounded=False),))
    parent, reach = "base_link", 0
    for index, (length, mass, colour) in enumerate(zip(lengths, masses, colours), start=1):
        along, across = mass * radius**2 / 2, mass * (3 * radius**2 + length**2) / 12
        yield Body(
            f"link_{index}", f"joint_{index}", parent, (reach, 0, 0),
            motor=Motor("z", -3.14159, 3.14159, effort=50, velocity=10),
            mass=Mass(mass, (length / 2, 0, 0), round(along, 12), round(across, 12), round(across, 12)),
            shapes=(Rod((0, 0, 0), (length, 0, 0), radius, colour, rounded=False), Ball((0, 0, 0), 0.032, "base")),
        )  # fmt: skip
        parent, reach = f"link_{index}", length
    yield Body("tool", "tool_joint", parent, (reach, 0, 0))


# ------------------------------------------------------------------------------------ writing


def number(value):
    """The shortest text that reads back as the same double; no trailing .0, no negative zero."""
    return str(int(value)) if value == int(value) else repr(float(value))


def numbers(values):
    return " ".join(number(value) for value in values)


def placement(origin, rpy):
    turn = f' rpy="{numbers(rpy)}"' if any(rpy) else ""
    return f'<origin xyz="{numbers(origin)}"{turn}/>'


def link_lines(body):
    if not body.mass and not body.shapes:
        yield f'  <link name="{body.link}"/>'
        return
    yield f'  <link name="{body.link}">'
    if body.mass:
        mass = body.mass
        moments = " ".join(f'i{key}="{number(getattr(mass, key))}"' for key in ("xx", "yy", "zz", "xy", "xz", "yz"))
        yield f'    <inertial> <mass value="{number(mass.value)}"/> {placement(mass.centre, (0, 0, 0))}'
        yield f"      <inertia {moments}/> </inertial>"
    for shape in body.shapes:
        for origin, rpy, geometry in shape.pieces():
            place = f"{placement(origin, rpy)} <geometry>{geometry}</geometry>"
            yield f'    <visual> {place} <material name="{shape.colour}"/> </visual>'
            if shape.solid:
                yield f"    <collision> {place} </collision>"
    yield "  </link>"


def joint_lines(body):
    yield f'  <joint name="{body.joint}" type="{body.motor.kind if body.motor else "fixed"}">'
    yield f'    <parent link="{body.parent}"/> <child link="{body.link}"/> {placement(body.origin, body.rpy)}'
    if body.motor:
        motor = body.motor
        keys = ("lower", "upper", "effort", "velocity")
        limits = " ".join(f'{key}="{number(getattr(motor, key))}"' for key in keys)
        yield f'    <axis xyz="{numbers(AXES[motor.axis])}"/> <limit {limits}/>'
    yield "  </joint>"


def urdf(name, bodies, colours):
    lines = [
        '<?xml version="1.0"?>',
        "<!-- Written by tools/make_robots.py: change its tables, not this file. Provenance: robots/README.md -->",
        f'<robot name="{name}">',
    ]
    lines += [f'  <material name="{key}"> <color rgba="{numbers(rgba)}"/> </material>' for key, rgba in colours.items()]
    for body in bodies:
        lines += ["", *(joint_lines(body) if body.joint else ()), *link_lines(body)]
    return "\n".join([*lines, "</robot>", ""])


def files():
    return {
        ROBOTS / "h1_2" / "h1_2.urdf": urdf("h1_2", h1_2(), H1_2_COLOURS),
        ROBOTS / "panda" / "panda.urdf": urdf("panda", panda(), PANDA_COLOURS),
        ROBOTS / "planar_3r" / "planar_3r.urdf": urdf("planar_3r", planar_3r(), PLANAR_COLOURS),
        ROBOTS / "spacecraft_panda" / "spacecraft_panda.urdf": urdf(
            "spacecraft_panda", spacecraft_panda(), SPACECRAFT_COLOURS
        ),
        ROBOTS / "spacecraft_ur3" / "spacecraft_ur3.urdf": urdf("spacecraft_ur3", spacecraft_ur3(), SPACECRAFT_COLOURS),
        ROBOTS / "ur5e" / "ur5e.urdf": urdf("ur5e", ur5e(), UR5E_COLOURS),
        ROBOTS / "ur5e_2f85" / "ur5e_2f85.urdf": urdf("ur5e_2f85", ur5e_2f85(), GRIPPER_COLOURS),
    }


def main():
    parser = argparse.ArgumentParser(description="Write Antaeus' own robot descriptions.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is missing or differs")
    check = parser.parse_args().check
    stale = []
    for path, text in files().items():
        data = text.encode()
        if path.is_file() and path.read_bytes() == data:
            continue
        stale.append(path.relative_to(ROBOTS.parent).as_posix())
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for name in stale:
        print(f"{name}: differs; run python3 tools/make_robots.py" if check else f"{name}: written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
