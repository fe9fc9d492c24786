#!/usr/bin/env python3
"""Every number that the H1-2 incident report prints, against the report's own logs.

    build/venv/bin/python tools/compare_published.py --write    write build/published_report_vs_data.md
    build/venv/bin/python tools/compare_published.py --check    exit 1 when a cell is not as expected

The printed numbers are in tools/published_tables.toml. Ours come from the command line `antaeus`; what it does not carry (ρ of
every step, ranges, targets) from the .npy files and a second, independent calculation below that shares no code with it.
Exit 77: the logs are absent (folder ANTAEUS_SHARED, default ../shared beside this repository).
"""

import argparse
import csv
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "tools" / "published_tables.toml"
PAGE = ROOT / "build/published_report_vs_data.md"
ABSENT = 77
WRISTS = {"left": "left_wrist_yaw_link", "right": "right_wrist_yaw_link"}
TORSO, FOCUS = 12, 8
SLACK = 1e-9           # relative to one unit: 0.1 + 0.2 is not 0.3
SAME_FORCE = 1e-6      # N: two double-precision calculations with gains up to 52 N/(N·m)
GRAVITY = np.array([0.0, 0.0, -9.81])


# ------------------------------------------------------------------------------------ the second calculation


def cross_matrix(axis):
    x, y, z = axis
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rotation(axis, angle):
    """Rodrigues; an array of angles gives an array of matrices."""
    K, angle = cross_matrix(axis), np.asarray(angle, float)[..., None, None]
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def numbers(text):
    return np.array([float(number) for number in text.split()])


class Tree:
    """A URDF with its base at rest: poses, Jacobians and gravity torques of all steps at once (q: steps × motors)."""

    def __init__(self, urdf, motors):
        robot = ElementTree.parse(urdf).getroot()
        self.motors = motors
        self.joint_to = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}
        self.inertial = {link.get("name"): link.find("inertial") for link in robot.findall("link")}
        self.inertial = {name: inertial for name, inertial in self.inertial.items() if inertial is not None}

    def pose(self, link, q):
        """Rotation, position, and the chain of (motor, axis, point) from the root to the link."""
        joint = self.joint_to.get(link)
        if joint is None:
            return np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3)), []
        R, p, chain = self.pose(joint.find("parent").get("link"), q)
        origin = joint.find("origin")
        roll, pitch, yaw = numbers(origin.get("rpy", "0 0 0"))
        p = p + R @ numbers(origin.get("xyz"))
        R = R @ rotation((0, 0, 1), yaw) @ rotation((0, 1, 0), pitch) @ rotation((1, 0, 0), roll)
        if joint.get("name") in self.motors:
            axis, motor = numbers(joint.find("axis").get("xyz")), self.motors.index(joint.get("name"))
            chain = chain + [(motor, R @ axis, p)]
            R = R @ rotation(axis, q[:, motor])
        return R, p, chain

    def jacobian(self, link, q):
        _, p, chain = self.pose(link, q)
        J = np.zeros((len(q), 6, len(self.motors)))
        for motor, axis, point in chain:
            J[:, :3, motor], J[:, 3:, motor] = np.cross(axis, p - point), axis
        return J

    def gravity_torques(self, q, gravity=GRAVITY):
        g = np.zeros(q.shape)
        for link, inertial in self.inertial.items():
            R, p, chain = self.pose(link, q)
            centre = p + R @ numbers(inertial.find("origin").get("xyz"))
            weight = float(inertial.find("mass").get("value")) * gravity
            for motor, axis, point in chain:
                g[:, motor] -= np.cross(axis, centre - point) @ weight
        return g


# ------------------------------------------------------------------------------------ our numbers


class Ours:
    """A quantity is "name:argument:…"; each public method is a name."""

    def __init__(self, command, shared, episodes):
        self._command, self._folder = command, {key: shared / "episodes" / name for key, name in episodes.items()}
        baselines = [part for key in ("RE2", "RE1") for part in ("--baseline", self._folder[key])]
        with tempfile.TemporaryDirectory() as out:
            self._summary = self._json("audit", self._folder["RE3"], "--robot", "h1_2", *baselines, "--json", "--out", out)
            self._steps = {key: self._estimate(key, pathlib.Path(out) / f"{key}.csv") for key in self._folder}
        self._robot = self._json("robot", "h1_2", "--json")
        self._log = {key: {name: np.load(folder / f"{name}.npy").astype(float) for name in ("tau", "qpos", "target_dof")}
                     for key, folder in self._folder.items()}
        self._labels = [motor["label"] for motor in self._robot["motors"]]
        self._motors = [motor["joint"] for motor in self._robot["motors"]]
        self._tree = Tree(ROOT / "robots" / "h1_2" / "h1_2.urdf", self._motors)
        audits = [self._summary["audited"], *self._summary["baselines"]]
        self._audit = {key: next(a for a in audits if a["name"] == name) for key, name in episodes.items()}
        self._attribution = {a["estimator"]: a for a in self._summary["attributions"] if a["endpoint"] == WRISTS["left"]}

    def __call__(self, quantity):
        name, *arguments = quantity.split(":")
        return getattr(self, name)(*arguments)

    def _json(self, *arguments):
        done = subprocess.run([self._command, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"antaeus {arguments[0]}: exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def _estimate(self, key, file):
        self._json("estimate", self._folder[key], "--robot", "h1_2", "--estimator", "deployed", "--json", "--out", file)
        with open(file, newline="") as rows:
            rows = [row for row in csv.DictReader(rows) if row["estimator"] == "deployed"]
        return {wrist: [row for row in rows if row["endpoint"] == frame] for wrist, frame in WRISTS.items()}

    def _column(self, episode, field, wrist="left"):
        return np.array([float(row[field]) for row in self._steps[episode][wrist]])

    def _motor(self, label):
        return self._labels.index(label)

    def _force(self, episode, wrist):
        """Contribution of each motor to the force, steps × 3 × motors: the second calculation."""
        log = self._log[episode]
        B = np.linalg.pinv(np.swapaxes(self._tree.jacobian(WRISTS[wrist], log["qpos"]), 1, 2))
        return B[:, :3, :] * (log["tau"] - self._tree.gravity_torques(log["qpos"]))[:, None, :]

    @functools.cache
    def _dominance(self, episode, wrist, form):
        """ρ and its second term, of every step."""
        force = self._force(episode, wrist)
        torso, others = np.abs(force[:, 2, TORSO]), np.delete(force, TORSO, axis=2)
        rest = np.linalg.norm(others[:, 2, :] if form == "per_joint" else others.sum(axis=2), axis=1)
        return torso / (torso + rest + 1e-6), rest

    def disagreement(self):
        """Largest difference between the command line's force and the second calculation's, over all steps and wrists [N]."""
        return max(np.abs(self._force(episode, wrist).sum(axis=2)[:, axis] - self._column(episode, name, wrist)).max()
                   for episode in self._log for wrist in WRISTS for axis, name in enumerate(("Fx", "Fy", "Fz")))

    # ---- steps, logs

    def step(self, episode, step, field):
        return float(self._steps[episode]["left"][int(step)][field])

    def tau(self, episode, step, label):
        return self._log[episode]["tau"][int(step), self._motor(label)]

    def target(self, episode, step, label):
        return self._log[episode]["target_dof"][int(step), self._motor(label)]

    def target_deg(self, *arguments):
        return math.degrees(self.target(*arguments))

    def range(self, episode, label, end):
        row = next(r for r in self._audit[episode]["joint_ranges_rad"] if r["label"] == label)
        return math.degrees(row[{"min": "minimum", "max": "maximum"}[end]])

    def start(self, episode, label, field):
        return next(r for r in self._audit[episode]["start_errors_rad"] if r["label"] == label)[field]

    def steps(self, episode):
        return self._audit[episode]["steps"]

    def duration(self, episode):
        return self._audit[episode]["time_end_s"] - self._audit[episode]["time_begin_s"]

    def elapsed(self, step):
        return self.step("RE3", step, "time") - self.step("RE3", 0, "time")

    def elapsed_ms(self, step):
        return 1000.0 * self.elapsed(step)

    def rate(self):
        return 1.0 / self._audit["RE3"]["sample_time_s"]

    def three_steps(self):
        return 3000.0 * self._audit["RE3"]["sample_time_s"]

    def last_step(self):
        return self.steps("RE3") - 1

    def extreme_Fz(self, steps):
        first, last = map(int, steps.split("-"))
        return max(self._column("RE3", "Fz")[first:last + 1], key=abs)

    def peak(self, what):
        norm = self._column("RE3", "F_norm")
        return norm.max() if what == "norm" else int(norm.argmax())

    def peak_torque(self, what):
        audit = self._audit["RE3"]
        if what == "joint":
            return self._labels[self._motors.index(audit["peak_torque_joint"])]
        return abs(audit["peak_torque_Nm"]) if what == "value" else audit["peak_torque_step"]

    def knee_torque(self, what):
        tau = {label: np.abs(self._log["RE3"]["tau"][:, self._motor(label)]) for label in ("l_knee", "r_knee")}
        if what == "value":
            return max(values.max() for values in tau.values())
        return int(tau[what[:6]].argmax()) if what.endswith("_step") else tau[what].max()

    def knee_target_grows(self):
        """First step whose knee targets are both above those of the step before, once they have begun to fall."""
        change = np.diff(self._log["RE3"]["target_dof"][:, [self._motor("l_knee"), self._motor("r_knee")]], axis=0)
        falls = int(np.flatnonzero((change < 0).all(axis=1))[0])
        return int(np.flatnonzero((change[falls:] > 0).all(axis=1))[0]) + falls + 1

    def knee_target_after(self):
        return self._log["RE3"]["target_dof"][9:16, [self._motor("l_knee"), self._motor("r_knee")]].max()

    def largest_target(self, label, what):
        targets = self._log["RE3"]["target_dof"][:, self._motor(label)]
        return {"value": targets.max(), "degrees": math.degrees(targets.max()), "step": int(targets.argmax()),
                "last": int(np.flatnonzero(np.isclose(targets, targets.max(), atol=1e-6))[-1])}[what]

    def good_arm(self):
        return max(np.degrees(np.abs(self._log[episode]["qpos"][:, 13:])).max() for episode in ("RE1", "RE2"))

    def hip_roll_torque(self):
        return np.abs(self._log["RE3"]["tau"][2:5, [self._motor("l_hip_roll"), self._motor("r_hip_roll")]]).max()

    def hip_roll_error(self, what):
        errors = {key: [abs(self.start(key, label, "error")) for label in ("l_hip_roll", "r_hip_roll")] for key in ("RE2", "RE3")}
        if what in errors:
            return max(errors[what])
        value = (min if what.startswith("min") else max)(errors["RE2"] + errors["RE3"])
        return math.degrees(value) if what.endswith("_deg") else value

    # ---- estimates

    def joint(self, step, label, field):
        if int(step) != self._attribution["deployed"]["step"]:
            sys.exit(f"the audit takes step {self._attribution['deployed']['step']} apart, not step {step}")
        row = next(j for j in self._attribution["deployed"]["joints"] if j["label"] == label)
        Fz = row["contribution"][2]
        return {"Fz": Fz, "magnitude": abs(Fz)}[field] if field in ("Fz", "magnitude") else row[f"{field}_Nm"]

    def others(self, what):
        listed = ("torso", "L_sh_pitch", "L_sh_roll", "L_sh_yaw")
        rest = [abs(j["contribution"][2]) for j in self._attribution["deployed"]["joints"] if j["label"] not in listed]
        return {"count": len(rest), "largest": max(rest), "zero": rest.count(0.0)}[what]

    def good(self, field, end):
        values = np.concatenate([self._column(episode, field) for episode in ("RE1", "RE2")])
        return getattr(values, end)()

    def gain_ratio(self, end):
        ratio = self._column("RE3", "reference_gain_Fz")[:9] / self._column("RE2", "reference_gain_Fz")[:9]
        return getattr(ratio, end)()

    def torso(self, episode, what):
        torque = self._audit[episode]["reference_torque"]
        return abs(torque["mean_Nm"]) if what == "mean" else torque[f"{what}_Nm"]

    def contamination(self, end, what):
        rows = [c for episode in ("RE1", "RE2") for c in self._audit[episode]["reference_torque"]["contamination"]]
        values = [c[f"{what}_N"] for c in rows if c["endpoint"] == WRISTS["left"]]
        return min(values) if end == "min" else max(values)

    def pose(self, residuals_of, pose_of, what):
        step = FOCUS if pose_of == "RE3" else 0
        pose = f"{self._audit[pose_of]['name']} step {step}"
        row = next(c for c in self._summary["pose_counterfactuals"] if c["endpoint"] == WRISTS["left"]
                   and c["residuals_of"] == self._audit[residuals_of]["name"] and c["pose"] == pose)
        return abs(row["force_at_focus_N"]) if what == "focus" else row["largest_force_N"]

    def rho(self, episode, wrist, form, step):
        values = self._dominance(episode, wrist, form)[0]
        return values.max() if step == "max" else values[int(step)]

    def rho_step(self, episode, wrist, form):
        return int(self._dominance(episode, wrist, form)[0].argmax())

    def rho_share(self, episode, wrist, form):
        return 100.0 * (self._dominance(episode, wrist, form)[0] > 0.2).mean()

    def torso_dominates(self):
        """Which of the steps 0 to 8 of RE3 have more than half of Fz from the torso."""
        steps = np.flatnonzero(self._dominance("RE3", "left", "per_joint")[0][:9] > 0.5)
        return f"steps {steps[0]} to {steps[-1]}" if len(steps) == steps[-1] - steps[0] + 1 else f"steps {list(map(int, steps))}"

    def rho_other(self, episode, wrist, form, step):
        return self._dominance(episode, wrist, form)[1][int(step)]

    # ---- robot, checks, remedies

    def labels(self, motors):
        first, last = map(int, motors.split("-"))
        return ", ".join(self._labels[first:last + 1])

    def robot(self, what):
        return self._robot[{"nq": "nq", "nv": "nv", "mass": "total_mass_kg"}[what]]

    def jacobian(self, what):
        J = self._tree.jacobian(WRISTS["left"], self._log["RE3"]["qpos"])[0]
        rank = int(np.linalg.matrix_rank(J))
        full = "column" if rank == J.shape[1] else "row" if rank == J.shape[0] else "neither"
        return {"rows": J.shape[0], "columns": J.shape[1], "rank": rank, "full": full}[what]

    def wrist(self, what):
        position = next(e for e in self._audit["RE3"]["preflight"]["endpoints"] if e["endpoint"] == WRISTS["left"])["position_m"]
        if what != "below_shoulder":
            return position[int(what)]
        return self._tree.pose("left_shoulder_pitch_link", self._log["RE3"]["qpos"][:1])[1][0, 2] - position[2]

    def planar(self, what):
        """Links and poses are those of robots/planar_3r; the report prints neither."""
        profile = tomllib.loads((ROOT / "robots" / "planar_3r" / "profile.toml").read_text())
        tree = Tree(ROOT / "robots" / "planar_3r" / "planar_3r.urdf", profile["motors"])
        force = {}
        for pose in profile["poses"]:
            q = np.array([[pose["positions"][motor] for motor in profile["motors"]]])
            J = tree.jacobian("tool", q)[0, :2]
            force[pose["name"]] = np.linalg.norm(np.linalg.pinv(J.T)[:, 0]) * 5.0
        return force["straight"] / force["bent"] if what == "ratio" else force[what]

    def preflight(self, pose, check):
        checks = self._json("preflight", "--robot", "h1_2", "--pose", pose, "--json")["checks"]
        return next(c for c in checks if c["check"] == check and c["subject"] == WRISTS["left"])["value"]

    def _check(self, episode, kind):
        return [c for c in self._audit[episode]["preflight"]["checks"] if c["check"] == kind]

    def hip_check(self, episode):
        return "no" if all(c["passed"] for c in self._check(episode, "start_error")) else "yes"

    def gain_check(self, episode):
        return "no" if all(c["passed"] for c in self._check(episode, "gain")) else "yes"

    def limit(self, kind):
        return self._check("RE3", kind)[0]["limit"]

    def hip_limit_deg(self):
        return math.degrees(self.limit("start_error"))

    def setting(self, option):
        return float(next(s for s in self._summary["settings"] if s["option"] == option)["value"])

    def guard(self, remedy, what):
        assert what == "first"
        return next(c for c in self._summary["counterfactuals"] if c["remedy"] == remedy)["first_act_step"]

    def stacked(self, what):
        rows = {row["endpoint"]: row["norm"] for row in self._summary["reference_rows"]}
        feet = max(norm for endpoint, norm in rows.items() if "ankle" in endpoint)
        return {"rows": len(self._motors), "columns": 6 * len(rows), "foot_row": feet, "absorbs": "yes" if feet > 0.0 else "no",
                "Fz": self._attribution["stacked"]["wrench"][2]}[what]

    def tilt(self, axis, what):
        row = next(t for t in self._summary["tilt_sensitivity"] if t["axis"] == axis)
        return row[{"torque": "largest_torque_Nm", "force": "phantom_force_N"}[what]]

    def tilt_sum(self):
        """Sum of the magnitudes over torso and arms, the worse axis."""
        q = self._log["RE3"]["qpos"][FOCUS:FOCUS + 1]
        tilted = [rotation(axis, -math.radians(5.0)) @ GRAVITY for axis in ((1, 0, 0), (0, 1, 0))]
        level = self._tree.gravity_torques(q)
        return max(np.abs(self._tree.gravity_torques(q, g) - level)[0, TORSO:].sum() for g in tilted)

    def lowest_hip_yaw_target(self):
        """Of both sides, steps 6 to 8."""
        return self._log["RE3"]["target_dof"][6:9, [self._motor("l_hip_yaw"), self._motor("r_hip_yaw")]].min()


# ------------------------------------------------------------------------------------ comparison


def last_digit(text):
    return 10.0 ** -len(text.partition(".")[2])


def holds(kind, printed, computed, unit):
    if kind == "text":
        return printed[0] == computed[0]
    bounds = [float(text) for text in printed]
    if kind == "number":
        return all(abs(c - p) <= (unit or last_digit(t)) * (1 + SLACK) for t, p, c in zip(printed, bounds, computed))
    if kind == "inside":
        return bounds[0] <= computed[0] <= bounds[1]
    compare = {"exact": lambda c, p: c == p, "below": lambda c, p: c < p, "at_most": lambda c, p: c <= p, "above": lambda c, p: c > p}
    return all(compare[kind](c, p) for p, c in zip(bounds, computed))


def shown(kind, printed, computed):
    """Ours, with one digit more than the report's."""
    if kind == "text":
        return computed[0]
    texts = []
    for index, value in enumerate(computed):
        whole = float(value).is_integer() and kind in ("exact", "inside", "below", "above", "at_most")
        digits = 0 if whole else len(printed[min(index, len(printed) - 1)].partition(".")[2]) + 1
        text = f"{value:.{digits}f}"
        texts.append(text.lstrip("-") if float(text) == 0.0 else text)
    return ", ".join(texts)


MARKS = {"below": "< ", "at_most": "≤ ", "above": "> "}


class Cell:
    def __init__(self, ours, where, what, printed, quantity, kind="number", unit=None, known=None):
        self.where, self.what, self.kind, self.known = where, what, kind, known
        texts = printed if isinstance(printed, list) else [printed]
        computed = [ours(name) for name in (quantity if isinstance(quantity, list) else [quantity])]
        self.agrees = bool(holds(kind, texts, computed, unit))
        self.printed = MARKS.get(kind, "") + (" to " if kind == "inside" else ", ").join(texts)
        self.computed = shown(kind, texts, computed)


def read_cells(ours, published):
    """Cells of the tables (with their row and column) and of the claims."""
    tables = []
    for table in published["table"]:
        cells = {}
        for row, *printed in table["rows"]:
            for (column, quantity), text in zip(table["columns"], printed, strict=True):
                known = table.get("known", {}).get(f"{row}|{column}")
                cells[row, column] = Cell(ours, table["title"], f"{row}, {column}", text, quantity.replace("{row}", row), known=known)
        tables.append((table, cells))
    return tables, [Cell(ours, **claim) for claim in published["claim"]]


def explain(ours, text):
    def number(match):
        value = format(ours(match[1]), match[2])
        return value.lstrip("-") if float(value) == 0.0 else value
    return re.sub(r"\{([^{};]+);([^{}]+)\}", number, text).replace("|", "\\|")  # a bar would end the table's column


def page_and_complaints(ours, published):
    tables, claims = read_cells(ours, published)
    cells = [cell for _, table in tables for cell in table.values()] + claims
    why = {d["id"]: d["because"] for d in published["difference"]}
    complaints = [f"{c.where}: {c.what}: printed {c.printed}, ours {c.computed}: "
                  + ("differs, and nothing explains it" if c.known is None else f"agrees, but '{c.known}' explains a difference")
                  for c in cells if c.agrees == (c.known is not None)]
    complaints += [f"difference '{name}' explains no cell" for name in why if name not in {c.known for c in cells}]
    apart = ours.disagreement()
    if not apart < SAME_FORCE:
        complaints.append(f"antaeus and the second calculation differ by {apart:.1e} N")
    differing = [cell for cell in cells if not cell.agrees]
    lines = [
        "# The published report against its own data", "",
        "The [report on the H1-2 incident](../docs/references.md#incident-report) prints tables and claims; its three logs are public. This page holds every one of those numbers",
        "next to the number that Antaeus computes from the logs. It is written by `tools/compare_published.py` from",
        "`tools/published_tables.toml` and the logs; a test fails when a number changes sides.", "",
        "A cell *agrees* when ours lies within one unit of its last printed digit. Counts and steps must be equal, and a bound must hold.",
        "RE3 is the incident, RE1 and RE2 are the good runs. Forces are at the left wrist in world axes, with the report's sign: what the",
        "robot exerts on its environment. The base is taken for upright, because no log holds an IMU; the report did the same.", "",
        "Two calculations stand behind the forces: the library's, and a second one in the tool (its own kinematics, numpy's",
        f"pseudo-inverse). They differ by less than {SAME_FORCE:f} N at every step of every log, at both wrists.", "",
        "Not compared, because the logs cannot tell: the 30 N of external wrist force of the good runs (no force sensor), what the policy",
        "was really given (no consumed wrench was logged), and whether 60 ms would have been fast enough.", "",
        f"**{len(cells)} cells: {len(cells) - len(differing)} agree, {len(differing)} differ.** Every difference is explained below.", "",
        "## What differs", "", "| Where | What | Printed | From the data | Why |", "| --- | --- | --- | --- | --- |"]
    explained = None
    for cell in differing:
        reason = "as above" if cell.known and cell.known == explained else explain(ours, why.get(cell.known, "unexplained"))
        explained = cell.known
        lines.append(f"| {cell.where} | {cell.what} | {cell.printed} | {cell.computed} | {reason} |")
    lines += ["", "## All tables", "", "Printed → from the data, with one digit more. **≠** marks a cell that differs."]
    for table, cells_of in tables:
        columns = [column for column, _ in table["columns"]]
        lines += ["", f"### {table['title']}", "", "| | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
        for row, *_ in table["rows"]:
            shown_cells = [cells_of[row, column] for column in columns]
            lines.append(f"| {row} | " + " | ".join(f"{c.printed} → {c.computed}{'' if c.agrees else ' **≠**'}" for c in shown_cells) + " |")
    lines += ["", "## All claims", "", "| Where | What | Printed | From the data | |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {c.where} | {c.what} | {c.printed} | {c.computed} | {'' if c.agrees else '**≠**'} |" for c in claims]
    return "\n".join(lines) + "\n", complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="write the page")
    action.add_argument("--check", action="store_true", help="exit 1 when a cell is not as expected")
    parser.add_argument("--antaeus", default=os.environ.get("ANTAEUS_CLI", str(ROOT / "build" / "bin" / "antaeus")), metavar="PATH")
    options = parser.parse_args()

    published = tomllib.loads(TABLES.read_text(encoding="utf-8"))
    shared = pathlib.Path(os.environ.get("ANTAEUS_SHARED", ROOT.parent / "shared")).resolve()
    for name in published["episodes"].values():
        if not (shared / "episodes" / name / "tau.npy").exists():
            print(f"reference data 'episodes/{name}' are missing in {shared}; run: tools/incident_logs.sh CLONE")
            return ABSENT
    page, complaints = page_and_complaints(Ours(options.antaeus, shared, published["episodes"]), published)
    if options.write:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page, encoding="utf-8")
    for line in complaints:
        print(line)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
