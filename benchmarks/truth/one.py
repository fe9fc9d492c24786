"""One run: a scenario, a robot, a seed. Its result is one file, whole or not there, under a name that holds a hash of
all that it depends on: a run that was killed goes on where it stopped."""

import functools
import hashlib
import json
import math
import os
import pathlib
import tempfile
import time

import antaeus
import judge
import numpy as np
import plant
import policy
import robots

HERE = pathlib.Path(__file__).parent
CODE = ("scenarios.py", "plant.py", "robots.py", "judge.py", "policy.py", "one.py")
TRACE_HZ, TRACE_S = 50.0, 14.0  # of what the page draws


@functools.cache
def version():
    """Of antaeus: its number, and the bytes of its libraries, which change while the number stays."""
    found = {pathlib.Path(antaeus._antaeus.__file__)} if hasattr(antaeus, "_antaeus") else set()
    maps = pathlib.Path("/proc/self/maps")
    if maps.is_file():
        found |= {pathlib.Path(line.split()[-1]) for line in maps.read_text().splitlines() if "antaeus" in line}
    digest = hashlib.sha256(antaeus.__version__.encode())
    for file in sorted(file for file in found if ".so" in file.name and file.is_file()):
        digest.update(file.read_bytes())
    return f"{antaeus.__version__}+{digest.hexdigest()[:12]}"


def key(scenario, subject, seed):
    settings = {name: value for name, value in scenario.items() if name not in ("title", "family", "robots", "seeds")}
    code = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in CODE)).hexdigest()
    words = [settings, subject.identity, subject.endpoints, [pose.tolist() for pose in subject.poses.values()], seed,
             version(), code]  # fmt: skip
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:16]


def cache_file(out, scenario, subject, seed):
    return pathlib.Path(out) / "cache" / f"{scenario['name']}-{subject.name}-{seed}-{key(scenario, subject, seed)}.npz"


def write_whole(file, write):
    """write(path) into a file beside it, then renamed."""
    file = pathlib.Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=file.suffix)
    os.close(handle)
    try:
        write(beside)
        os.chmod(beside, 0o644)
        os.replace(beside, file)
    except BaseException:
        pathlib.Path(beside).unlink(missing_ok=True)
        raise


def left_out(scenario, subject):
    """Why this robot has no such row, or nothing."""
    if scenario["motion"] == "shaken" and not subject.floats:
        return "it is bolted down: no gantry to shake"
    if any(push["on"] == "base" for push in scenario["push"]) and not subject.floats:
        return "it is bolted down: a push on its base moves nothing"
    return ""


def checked(scenario, subject):
    r"""Names that only a robot can tell. \throws Wrong"""
    for at, push in enumerate(scenario["push"]):
        robots.links(subject, push["on"], f"scenario '{scenario['name']}', push {at + 1}, on")
    for kind in ("offset", "saturation"):
        for at, fault in enumerate(scenario[kind]):
            robots.joints(subject, fault["joint"], f"scenario '{scenario['name']}', {kind} {at + 1}, joint")
    if scenario["pose"] not in ("rest", "singular", "random", "near_singular"):
        try:
            robots.pose(subject, scenario["pose"], None)
        except robots.Wrong as error:
            raise robots.Wrong(f"scenario '{scenario['name']}', {error}") from None


def undisturbed(scenario):
    """The same robot, pose and motion, with no fault and no push, for a moment."""
    return {**scenario, "push": [], "offset": [], "saturation": [], "duration_s": plant.TRIAL,
            "plant": {**scenario["plant"], "walk_limit_share": 0.0}}  # fmt: skip


def detectable(scenario, subject, seed):
    recorder = judge.Recorder(subject)
    plant.run(subject, undisturbed(scenario), seed, recorder)
    return judge.detectable_sizes(recorder.loop, len(subject.effort))


def trace(found, happened):
    """Of the endpoint with the largest error: what the page draws."""
    error = np.linalg.norm(found["force"] - happened.truth[:, :, :3], axis=2)
    k = int(np.nanargmax(np.nanmax(np.where(np.isfinite(error), error, 0.0), axis=0)))
    every = max(1, round(1 / TRACE_HZ / max(1e-6, float(np.median(np.diff(found["time"]))))))
    chosen = slice(0, int(np.searchsorted(found["time"], TRACE_S)), every)
    sd = np.sqrt(np.einsum("nii->ni", found["covariance"][chosen, k]))
    numbers = {"time": found["time"][chosen], "truth": happened.truth[chosen, k, :3], "read": found["read"][chosen, k],
               "force": found["force"][chosen, k], "sd": sd}  # fmt: skip
    return {name: value.astype(np.float32) for name, value in numbers.items()} | {
        "state": found["state"][chosen, k].astype(np.int8), "endpoint": np.array(k)}  # fmt: skip


def export(folder, scenario, subject, seed, happened, robot_file):
    """A log as `antaeus audit` reads it, with the truth beside it. truth.json is written last."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = {"time": "time", "qpos": "q", "dq": "v", "tau": "tau", "imu_quat_xyzw": "imu_quaternion_xyzw",
             "imu_gyro": "imu_angular_velocity", "imu_acc": "imu_specific_force"}  # fmt: skip
    for file, channel in names.items():
        if channel in happened.samples[0]:
            np.save(folder / f"{file}.npy", np.array([sample[channel] for sample in happened.samples]))
    np.save(folder / "simulated.npy", np.ones(1))
    np.save(folder / "truth_wrench.npy", happened.truth)
    said = {
        "what": "truth_wrench.npy [samples, endpoints, 6]: force [N] and moment [N·m] of what pushes an endpoint's link",
        "sign": "on_robot: what the world does to the robot", "axes": "world", "point": "the endpoint frame's origin",
        "endpoints": subject.endpoints, "robot": robot_file, "motors": subject.robot.model.motor_names(),
        "seed": seed, "scenario": {k: v for k, v in scenario.items() if k != "seeds"}, "antaeus": version(),
    }  # fmt: skip
    write_whole(folder / "truth.json", lambda path: pathlib.Path(path).write_text(
        json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"))


def run(scenario, subject, seed, export_to=None, robot_file=""):
    """{"sums", "seconds_of_cpu", …} and what the page draws."""
    began = time.process_time()
    about = {"scenario": scenario["name"], "robot": subject.name, "seed": seed, "antaeus": version()}
    found_before = detectable(scenario, subject, seed) if scenario["offset"] else None
    offset = plant.offsets(subject, scenario, found_before)
    if found_before is not None:
        faulty = np.flatnonzero(offset.constant)
        sizes = offset.constant[faulty]
        limits = found_before[faulty]
        about["listed"] = judge.listed(sizes, limits)
        easiest = int(np.argmax(abs(sizes) / limits))
        about["offset_Nm"], about["detectable_Nm"] = float(abs(sizes[easiest])), float(limits[easiest])
        about["power"] = judge.power(sizes[easiest], limits[easiest])
    loops = {}
    pose = robots.pose(subject, scenario["pose"], plant.generator(seed, subject.name, scenario["draws"], "pose"))
    for name in ("deployed", "guarded") if scenario["policy"] else ("guarded",):
        reads = policy.Deployed(subject) if name == "deployed" else judge.Recorder(subject)
        answer = policy.Surrogate(subject, scenario["policy"]["gain_rad_N"], pose) if scenario["policy"] else None
        happened = plant.run(subject, scenario, seed, reads, pose, offset, answer, keep=bool(export_to))
        if answer:
            loops[name] = {"diverged_s": None if math.isnan(happened.diverged) else happened.diverged,
                           "largest_N": answer.largest}  # fmt: skip
    found = reads.arrays()
    about["sums"] = judge.sums(found, happened, plant.SETTLED, 1 / scenario["rate_hz"])
    about["reasons"], about["residual"] = reads.reasons, reads.kind
    if loops:
        about["policy"] = loops
    if export_to:
        export(export_to, scenario, subject, seed, happened, robot_file)
    about["seconds_of_cpu"] = time.process_time() - began
    return about, trace(found, happened)


def read(file):
    """What a file holds, or None where it is not whole."""
    try:
        with np.load(file, allow_pickle=False) as held:
            return json.loads(str(held["about"])), {name: held[name] for name in held.files if name != "about"}
    except (OSError, ValueError, KeyError, EOFError, json.JSONDecodeError):
        return None
    except Exception as error:  # a zip file that is cut off
        if type(error).__name__ == "BadZipFile":
            return None
        raise


@functools.cache
def subject_of(name, path, given):
    return robots.load(name, path, json.loads(given))


def work(task):
    """In a process of its own. Returns the file, and what the run took [s of CPU]; 0: it was there."""
    subject = subject_of(task["robot"], task["path"], task["given"])
    file = pathlib.Path(task["file"])
    if not task["export_to"] and file.is_file() and read(file):
        return str(file), 0.0
    about, drawn = run(task["scenario"], subject, task["seed"], task["export_to"], task["robot_file"])

    def write(path):
        with open(path, "wb") as opened:
            np.savez_compressed(opened, about=np.array(json.dumps(about)), **drawn)

    write_whole(file, write)
    return str(file), about["seconds_of_cpu"]
