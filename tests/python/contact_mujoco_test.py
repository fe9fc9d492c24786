"""antaeus contact against the truth of MuJoCo, whose dynamics and contacts nobody here wrote.

The humanoid of tests/support/biped.urdf, read by MuJoCo itself, stands, squats and steps in place on a floor under a
joint controller. `antaeus contact` is given joints, base and clock; MuJoCo knows the force under each foot.
`pytest -s` prints the errors.
"""

import collections
import csv
import functools
import os
import pathlib
import subprocess

import mujoco
import numpy as np
import pinocchio as pin
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIPED = ROOT / "tests/support/biped.urdf"
MODEL = pin.buildModelFromUrdf(str(BIPED), pin.JointModelFreeFlyer())
FEET = ("left", "right")
SIDE = {"left": 0.1, "right": -0.1}  # [m] of the feet from the middle
HALF_LENGTH, HALF_WIDTH = 0.11, 0.05  # [m] of the soles, as the URDF's boxes
STEP, EVERY = 0.0005, 4  # [s]; a sample of the log every 4 steps: 500 Hz
SETTLED = 0.5  # [s] after which the log begins: the robot has sunk into the floor
STIFFNESS, DAMPING = 8000.0, 150.0  # [N·m/rad], [N·m·s/rad]
ARMATURE = 0.15  # [kg·m²] of each motor: it moves no rows of the base, and so no contact force
HEIGHT = 0.80  # [m] of the pelvis above the soles, standing
EXACT = 1e-7  # of the weight, rms: MuJoCo's M a + h = S τ + Jᵀ f holds to its solver's stop, 1e-8 while a foot strikes
WITHIN = 0.01  # of the mean total: the target for the total ground reaction, rms
COVERED = 0.95  # share of frames in which the truth is within 1.96 sd: the target
Z95 = 1.959964
# [N] half the median interval may be 1.96 times this: a wide interval covers everything. Standing, the sole's middle half
# leaves 22 N; in steps, load moves from foot to foot and the contacts' times are found.
WIDE = {"standing": 30.0, "squatting": 30.0, "stepping": 130.0}


def smooth(s):
    """0 to 1 with no velocity or acceleration at the ends."""
    s = np.clip(s, 0, 1)
    return s**3 * (10 - 15 * s + 6 * s * s)


def standing(t):
    """Pelvis [m] and heights of the feet [m]: a sway of 1 cm."""
    return (0.01 * np.sin(2.0 * t) * smooth(t), 0.01 * np.sin(1.3 * t) * smooth(t), HEIGHT), {"left": 0.0, "right": 0.0}


def squatting(t):
    return (0.0, 0.0, HEIGHT - 0.06 * (1 - np.cos(2 * np.pi * 0.5 * t)) * smooth(t)), {"left": 0.0, "right": 0.0}


def stepping(t):
    """Over the left foot, the right one up and down, over the right foot, the left one up and down."""
    swing = lambda begin: 0.04 * smooth((t - begin) / 0.4) * (1 - smooth((t - begin - 0.4) / 0.4))
    aside = 0.09 * (smooth((t - 0.5) / 2) - 2 * smooth((t - 3.6) / 3) + smooth((t - 7.8) / 2))
    return (0.0, aside, HEIGHT), {"right": swing(2.7), "left": swing(6.9)}


SCENARIOS = {"standing": (standing, 4.0), "squatting": (squatting, 4.5), "stepping": (stepping, 10.0)}


def leg_angles(pelvis, height, side, start):
    """Joints of a leg that puts its sole flat at a height, by Newton's method from the angles of the step before."""
    columns = [MODEL.joints[MODEL.getJointId(f"{side}_{joint}")] for joint in
               ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll")]
    at_q, at_v = [j.idx_q for j in columns], [j.idx_v for j in columns]
    q = pin.neutral(MODEL)
    q[:3] = pelvis
    q[at_q] = start
    data, frame = MODEL.createData(), MODEL.getFrameId(f"{side}_sole")
    wanted = pin.SE3(np.eye(3), np.array([0.03, SIDE[side], height]))
    for _ in range(30):
        pin.framesForwardKinematics(MODEL, data, q)
        error = pin.log6(data.oMf[frame].actInv(wanted)).vector
        if np.linalg.norm(error) < 1e-12:
            break
        q[at_q] += np.linalg.solve(pin.computeFrameJacobian(MODEL, data, q, frame, pin.LOCAL)[:, at_v], error)
    return q[at_q]


def wanted_joints(motion, times):
    """Angles of all joints at the times, in Pinocchio's order."""
    q = np.zeros((len(times), MODEL.nq - 7))
    last = {side: np.array([0, 0, -0.3, 0.6, -0.3, 0]) for side in FEET}
    for i, t in enumerate(times):
        pelvis, heights = motion(t)
        for side in FEET:
            last[side] = leg_angles(pelvis, heights[side], side, last[side])
            q[i, 6 * FEET.index(side):][:6] = last[side]
    return q


def build():
    """MuJoCo's reading of the URDF on a floor."""
    spec = mujoco.MjSpec.from_file(str(BIPED))
    spec.compiler.fusestatic = False
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.tolerance = 1e-12
    spec.option.iterations = 200
    spec.body("pelvis").add_freejoint(name="root")
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    for geom in spec.geoms:
        geom.friction = [0.9, 0.05, 0.001]
        geom.condim = 4
        geom.solref = [0.01, 1.0]
    for name in MODEL.names[2:]:
        spec.joint(name).armature = ARMATURE
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_motor()
    return spec.compile()


Log = collections.namedtuple("Log", "time q v a force active")


@functools.cache
def simulate(name):
    """Base and joints in Pinocchio's order and axes; the force [n, foot, 3] of the floor on each foot; who touches."""
    motion, duration = SCENARIOS[name]
    model = build()
    data = mujoco.MjData(model)
    joints = [model.joint(joint) for joint in MODEL.names[2:]]
    at_q, at_v = np.array([j.qposadr[0] for j in joints]), np.array([j.dofadr[0] for j in joints])
    coarse = np.arange(0, duration + 0.03, 0.01)
    table = wanted_joints(motion, coarse)
    steps = round(duration / STEP)
    times = np.arange(steps) * STEP
    wanted = np.column_stack([np.interp(times, coarse, column) for column in table.T])
    window = np.hanning(81) / np.hanning(81).sum()  # 40 ms: straight pieces of 10 ms would jerk
    wanted = np.column_stack([np.convolve(np.pad(c, 40, mode="edge"), window, "valid") for c in wanted.T])
    speed = np.gradient(wanted, STEP, axis=0)
    pelvis, _ = motion(0.0)
    data.qpos[:7] = [*pelvis, 1, 0, 0, 0]
    data.qpos[at_q] = wanted[0]
    feet = [model.body(f"{side}_foot").id for side in FEET]
    rows, contact_force = [], np.zeros(6)
    for step in range(steps):
        mujoco.mj_step1(model, data)
        q, v = data.qpos.copy(), data.qvel.copy()
        # Feed-forward: the limbs' own weight; the legs carry the body by their stiffness.
        data.ctrl[:] = data.qfrc_bias[at_v] + STIFFNESS * (wanted[step] - q[at_q]) + DAMPING * (speed[step] - v[at_v])
        mujoco.mj_step2(model, data)
        if step % EVERY or times[step] < SETTLED:
            continue
        truth = np.zeros((2, 3))
        for i in range(data.ncon):
            contact = data.contact[i]
            bodies = [model.geom_bodyid[g] for g in contact.geom]
            mujoco.mj_contactForce(model, data, i, contact_force)
            truth[feet.index(bodies[1])] += contact.frame.reshape(3, 3).T @ contact_force[:3]
        rows.append((times[step], q, v, data.qacc.copy(), truth))
    time, q, v, a, force = (np.array(channel) for channel in zip(*rows, strict=True))
    mine = np.empty((len(time), MODEL.nq))
    mine[:, :3], mine[:, 3:7], mine[:, 7:] = q[:, :3], q[:, [4, 5, 6, 3]], q[:, at_q]
    velocity, acceleration = np.empty((len(time), MODEL.nv)), np.empty((len(time), MODEL.nv))
    velocity[:, 6:], acceleration[:, 6:] = v[:, at_v], a[:, at_v]
    for i in range(len(time)):
        R = pin.Quaternion(mine[i, 3:7]).toRotationMatrix()
        velocity[i, :3], velocity[i, 3:6] = R.T @ v[i, :3], v[i, 3:6]
        acceleration[i, :3] = R.T @ a[i, :3] - np.cross(v[i, 3:6], velocity[i, :3])
        acceleration[i, 3:6] = a[i, 3:6]
    return Log(time, mine, velocity, acceleration, force, (force[:, :, 2] > 0) * 1.0)


def contact(folder, members, *more):
    """Forces [n, foot, 3] and their sd as `antaeus contact` finds them."""
    file, out = folder / "motion.npz", folder / "out"
    np.savez(file, **members)
    done = subprocess.run([os.environ["ANTAEUS_CLI"], "contact", file, "--robot", BIPED, "--contact", "left_sole", "--contact",
                           "right_sole", "--over-time", f"--set=contact.half_length={HALF_LENGTH}",
                           f"--set=contact.half_width={HALF_WIDTH}", *more, "--out", out], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    with open(out / "wrenches.csv", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    read = lambda columns: np.array([[float(row[c]) for c in columns] for row in rows]).reshape(-1, 2, 3)
    return read(("Fx", "Fy", "Fz")), read(("sd_Fx", "sd_Fy", "sd_Fz"))


def rms(values):
    return np.sqrt(np.mean(np.square(values)))


GIVEN = {  # what the tool is told: members of the log, options
    "states": (("q", "v", "a", "time", "active"), ()),
    "positions": (("q", "time"), ("--set=contact.detect=true",)),
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("name", SCENARIOS)
def test_ground_reaction(tmp_path, name, given):
    log = simulate(name)
    members, options = GIVEN[given]
    force, sd = contact(tmp_path, {member: getattr(log, member) for member in members}, *options)
    weight = 9.81 * pin.computeTotalMass(MODEL)
    total = rms(np.linalg.norm((force - log.force).sum(axis=1), axis=1)) / weight
    error = force[..., 2] - log.force[..., 2]
    inside = np.abs(error) <= Z95 * sd[..., 2]
    print(f"\n{name}, {given}: total {100 * total:.1e} % of the weight rms, each foot {rms(error):.1f} N rms, median sd "
          f"{np.median(sd[..., 2]):.0f} N, within 95 %: {100 * inside[:, 0].mean():.1f} % left, {100 * inside[:, 1].mean():.1f} % right")
    assert total <= (EXACT if given == "states" else WITHIN)
    assert (inside.mean(axis=0) >= COVERED).all()
    assert np.median(sd[..., 2]) <= WIDE[name]


def test_the_simulated_robot_does_what_it_shall():
    """Else the comparison would be of something easier: it stays upright, and each foot is lifted and carries alone."""
    weight = 9.81 * pin.computeTotalMass(MODEL)
    for name in SCENARIOS:
        log = simulate(name)
        tilt = 2 * np.linalg.norm(log.q[:, 3:6], axis=1)
        assert tilt.max() < 0.1 and np.abs(log.force.sum(axis=1)[:, 2].mean() / weight - 1) < 0.01, name
    assert np.ptp(simulate("squatting").q[:, 2]) > 0.1
    touching = simulate("stepping").active
    for foot in (0, 1):
        assert np.mean((touching[:, foot] == 1) & (touching[:, 1 - foot] == 0)) > 0.05
