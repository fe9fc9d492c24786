"""Synthetic logs of three robots with faults planted in some: what the tests and the benchmark of fleets read.

    make_logs(folder, count=40, seconds=60.0)      # → {path under folder: what was planted}

The H1-2's are twins (make_twin); a Panda and a quadruped swing their joints and rest by turns, with torques of their own rigid-body
dynamics, dry friction and noise. The same arguments give the same bytes.
"""

import pathlib

import antaeus
import numpy as np

QUADRUPED = pathlib.Path(__file__).resolve().parents[1] / "support/quadruped.urdf"
COULOMB = 0.8  # N·m of each Panda joint
NOISE = 0.1  # N·m
FAULTS = {"h1_2": ("none", "pushes", "incident"), "panda": ("none", "push", "friction", "offset", "torque_sign"), "quadruped": ("none", "friction")}
_OFFSET, _PUSH, _GROWN = 8.0, 25.0, 1.5  # N·m at joint 4, N downward at the hand, times the friction of joint 3


def _swing(robot, names, pose, seconds, rate, chance):
    """Positions, speeds and accelerations of joints that swing and rest by turns."""
    time = np.arange(round(seconds * rate) + 1) / rate
    motors = len(names)
    speed, begin = chance.uniform(0.8, 1.6, motors), chance.uniform(0, 2 * np.pi, motors)
    turn = np.clip(2.0 * np.sin(2 * np.pi * time / 20), 0, 1)  # ten seconds of motion, ten of rest
    phase = begin + np.cumsum(turn[:, None] * speed, axis=0) / rate
    rate_of = turn[:, None] * speed
    slope = np.gradient(rate_of, 1 / rate, axis=0)
    size = 0.25
    return time, pose + size * np.sin(phase), size * np.cos(phase) * rate_of, size * (np.cos(phase) * slope - np.sin(phase) * rate_of**2)


def _arm_or_legs(robot, fault, seconds, rate, chance):
    names = robot.model.motor_names()
    pose = robot.pose(robot.profile.poses[0].name)
    time, q, v, a = _swing(robot, names, pose, seconds, rate, chance)
    replay = antaeus.BatchReplay(robot, threads=1)
    tau = replay(q, np.zeros_like(q), v=v, a=a, want=("torque",))["torque"]
    coulomb = np.full(len(names), COULOMB)
    if fault == "friction":
        coulomb[2] *= _GROWN
    tau += coulomb * np.tanh(v / 0.01) + chance.normal(0, NOISE, tau.shape)
    if fault == "offset":
        tau[:, 3] += _OFFSET
    if fault == "push":
        frame = robot.profile.endpoints[0].frame
        pushed = (time % 20 > 12) & (time % 20 < 18)  # while it rests
        for at in np.flatnonzero(pushed):
            jacobian = robot.point_jacobian(robot.model.position_from_motors(q[at], (0, 0, 0, 1)), frame, np.zeros(3), local=True)
            tau[at] -= robot.model.select_motor_rows(jacobian[2]) * -_PUSH
    log = antaeus.Episode.from_arrays(q=q, tau=tau, v=v, time=time, robot=robot, name="log")
    return antaeus.mutate(log, robot, fault) if fault in antaeus.plantable_faults() else log


def make_robots(folder):
    """Robot → what --robot takes; the quadruped's profile is written into the folder."""
    profile = pathlib.Path(folder) / "quadruped/profile.toml"
    if not profile.exists():
        antaeus.describe(QUADRUPED).write(profile)
    return {"h1_2": "h1_2", "panda": "panda", "quadruped": str(profile)}


def make_log(place, robot_name, robot, fault, number, seconds, rate):
    """Writes one log as a folder of .npy."""
    chance = np.random.default_rng([number, list(FAULTS).index(robot_name)])
    if robot_name == "h1_2":
        kind = {"none": "good", "pushes": "pushes", "incident": "incident"}[fault]
        log = antaeus.make_twin(robot, kind, rate=rate, duration=min(seconds, 1.5) if kind == "incident" else seconds,
                                torque_noise=0.2, seed=number + 1).episode
    else:
        log = _arm_or_legs(robot, fault, seconds, rate, chance)
    place.parent.mkdir(parents=True, exist_ok=True)
    antaeus.write_episode(log, place)


def places(count):
    """(path, robot, fault, number) of each log: units by turns, a day each, software that changes in the middle."""
    names = list(FAULTS)
    for number in range(count):
        name = names[number % 3]
        of_robot = number // 3
        fault = FAULTS[name][of_robot % len(FAULTS[name])]
        day = 1 + of_robot % 28
        software = "1.4" if number < count // 2 else "1.5"
        yield f"robot={name}/software={software}/date=2026-03-{day:02d}/unit={name}-{of_robot % 2}/log{number:04d}", name, fault, number


def make_logs(folder, count=40, seconds=60.0, rates=None):
    """Writes `count` logs under `folder`; returns path → what was planted."""
    rates = rates or {"h1_2": 50.0, "panda": 100.0, "quadruped": 50.0}
    folder = pathlib.Path(folder)
    robots = {name: antaeus.load_robot(of) for name, of in make_robots(folder.parent / "robots").items()}
    planted = {}
    for path, name, fault, number in places(count):
        make_log(folder / path, name, robots[name], fault, number, seconds, rates[name])
        planted[path] = fault
    return planted
