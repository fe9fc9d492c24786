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
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


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
    yield f'  <joint name="{body.joint}" type="{"revolute" if body.motor else "fixed"}">'
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
        ROBOTS / "planar_3r" / "planar_3r.urdf": urdf("planar_3r", planar_3r(), PLANAR_COLOURS),
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
