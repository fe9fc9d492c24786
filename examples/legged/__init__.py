"""Legged robots of our own for the examples: a trunk on legs of two equal bars, and the joints that put a foot somewhere."""
import pathlib
import tempfile

import numpy as np

import antaeus


def link(name, mass, size, z):
    """A box of even density whose middle is z above its joint."""
    ixx, iyy, izz = mass / 12 * (np.sum(np.square(size)) - np.square(size))
    return (f'<link name="{name}"><inertial><mass value="{mass}"/><origin xyz="0 0 {z}"/><inertia ixx="{ixx}" '
            f'iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>')


def joint(name, parent, child, origin, axis):
    return (f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin '
            f'xyz="{origin}"/><axis xyz="{axis}"/><limit lower="-3" upper="3" effort="200" velocity="20"/></joint>')


def robot(trunk, bar, hips, thigh, shank, foot):
    """trunk, thigh, shank, foot: masses [kg]; bar [m]; hips: name → (x, y) [m]. The frame <name>_foot is at the sole."""
    parts = [link("trunk", trunk, (0.2, 0.3, 0.5), 0.25)]
    for n, (x, y) in hips.items():
        parts += [link(f"{n}_hip", 0.1, (0.1, 0.1, 0.1), 0), link(f"{n}_thigh", thigh, (0.1, 0.1, bar), -bar / 2),
                  link(f"{n}_shank", shank, (0.1, 0.1, bar), -bar / 2), link(f"{n}_ankle", 0.1, (0.1, 0.1, 0.1), 0),
                  link(f"{n}_foot", foot, (0.22, 0.1, 0.02), 0.01),
                  joint(f"{n}_hip_roll", "trunk", f"{n}_hip", f"{x} {y} 0", "1 0 0"),
                  joint(f"{n}_hip_pitch", f"{n}_hip", f"{n}_thigh", "0 0 0", "0 1 0"),
                  joint(f"{n}_knee", f"{n}_thigh", f"{n}_shank", f"0 0 {-bar}", "0 1 0"),
                  joint(f"{n}_ankle_pitch", f"{n}_shank", f"{n}_ankle", f"0 0 {-bar}", "0 1 0"),
                  joint(f"{n}_ankle_roll", f"{n}_ankle", f"{n}_foot", "0 0 0", "1 0 0")]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "legged.urdf"
        file.write_text('<robot name="legged">' + "".join(parts) + "</robot>", encoding="utf-8")
        return antaeus.load_robot(str(file), base="floating")


def positions(trunk, hips, feet, bar):
    """q [N × nq] of an upright trunk [N × 3] with level feet, name → [N × 3], in the world."""
    columns = [trunk, np.tile([0, 0, 0, 1.0], (len(trunk), 1))]
    for name, (x, y) in hips.items():  # alphabetical, as the model's joints
        dx, dy, dz = (feet[name] - trunk - [x, y, 0]).T
        length = np.sqrt(dx**2 + dy**2 + dz**2)
        roll, pitch, knee = np.arctan2(dy, -dz), -np.arcsin(dx / length), 2 * np.arccos(length / (2 * bar))
        columns.append(np.column_stack([roll, pitch - knee / 2, knee, -pitch - knee / 2, -roll]))
    return np.hstack(columns)


def bump(s):
    """From 0 to 1 and back over s from 0 to 1, without a kick."""
    inside = np.clip(s, 0, 1)
    return 64 * (inside * (1 - inside)) ** 3


def ramp(s):
    """From 0 to 1 over s from 0 to 1, without a kick."""
    inside = np.clip(s, 0, 1)
    return inside**3 * (10 - 15 * inside + 6 * inside**2)
