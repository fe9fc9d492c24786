"""Reads scenarios.toml: each mistake is one line that names file, place and remedy (Wrong)."""

import copy
import difflib
import math
import os
import pathlib
import tomllib

STEP_S = 0.0005  # of MuJoCo
PLANT_HZ = 1 / STEP_S
CONTROL_HZ = 500.0  # of the position loops, at least
FILE = pathlib.Path(__file__).with_name("scenarios.toml")

MOTIONS = ("still", "swinging", "reaching", "shaken")
POSES = ("rest", "singular", "random", "near_singular")
SHAPES = ("trapezoid", "impact", "sine", "step")
DIRECTIONS = ("random", "x", "y", "z", "-x", "-y", "-z")


class Wrong(Exception):
    """Bad input: one line."""


def nearest(name, names):
    """What stands at a message's end."""
    names = [str(one) for one in names]
    close = difflib.get_close_matches(str(name), names, 1, 0.4)
    return f"did you mean '{close[0]}'?" if close else f"valid: {', '.join(names)}"


def number(least=-math.inf, most=math.inf):
    def check(value, place):
        try:
            finite = not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)
        except OverflowError:  # a whole number of hundreds of digits
            finite, value = False, "a number of too many digits"
        if not finite:
            raise Wrong(f"{place}: {value!r} is no finite number; give one without quotes")
        if not least <= value <= most:
            raise Wrong(f"{place}: {value:g} is outside {least:g} … {most:g}")
        return float(value)

    return check


def choice(*names):
    def check(value, place):
        if value not in names:
            raise Wrong(f"{place}: unknown {value!r}; {nearest(value, names)}")
        return value

    return check


def text(value, place):
    if not isinstance(value, str) or not value:
        raise Wrong(f"{place}: {value!r} is no text; write it in quotes")
    return value


def texts(value, place):
    if not isinstance(value, list) or not value:
        raise Wrong(f"{place}: {value!r} is no list of names; write [\"a\", \"b\"]")
    return [text(one, place) for one in value]


def truth_value(value, place):
    if not isinstance(value, bool):
        raise Wrong(f"{place}: {value!r} is neither true nor false")
    return value


def seed(value, place):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise Wrong(f"{place}: the seed {value!r} is no whole number from 0 to 2147483647")
    return value


def seeds(value, place):
    if not isinstance(value, list) or not value:
        raise Wrong(f"{place}: {value!r} is no list of seeds; write [1, 3]")
    return list(dict.fromkeys(seed(one, place) for one in value))


def vector(value, place):
    if not isinstance(value, list) or len(value) != 3:
        raise Wrong(f"{place}: {value!r} is no vector; write [x, y, z]")
    return [number()(one, place) for one in value]


def point(value, place):
    return vector(value, place) if isinstance(value, list) else choice("origin", "com")(value, place)


def direction(value, place):
    if not isinstance(value, list):
        return choice(*DIRECTIONS)(value, place)
    found = vector(value, place)
    if not any(found):
        raise Wrong(f"{place}: a direction of zeros; write [0, 0, 1]")
    return found


def pose_table(value, place):
    if isinstance(value, str):
        return text(value, place)
    if not isinstance(value, dict) or not value:
        raise Wrong(f"{place}: {value!r} is neither a pose of the profile nor a table of joints")
    return {name: number()(one, f"{place}, {name}") for name, one in value.items()}


ROBOT = {"model": text, "example": text, "endpoints": texts, "poses": None}
PUSH = {
    "on": (text, "endpoint:random"), "point": (point, "origin"), "direction": (direction, "random"),
    "force_N": (number(0.0, 2000.0), None), "shape": (choice(*SHAPES), "trapezoid"),
    "ramp_s": (number(STEP_S), 0.04), "start_s": (number(0.0), 2.0), "length_s": (number(STEP_S), 0.7),
    "every_s": (number(0.0), 1.4), "frequency_hz": (number(0.01, 200.0), 1.0),
}  # fmt: skip
OFFSET = {"joint": (text, None), "Nm": (number(), 0.0), "limit_share": (number(-1, 1), 0.0),
          "detectable": (number(), 0.0)}  # fmt: skip
SATURATION = {"joint": (text, None), "limit_share": (number(0.001, 1.0), None),
              "what": (choice("channel", "motor"), "channel")}  # fmt: skip
POLICY = {"gain_rad_N": (number(0.0), 0.006), "delay_s": (number(0.0), 0.02)}
SHARE, SIZE = number(0.0, 10.0), number(0.0)
PLANT = {
    "torque_noise_scale": SIZE, "velocity_noise_rad_s": SIZE, "position_noise_rad": SIZE, "gyro_noise_rad_s": SIZE,
    "accelerometer_noise_m_s2": SIZE, "mass_share": number(0.0, 0.5), "com_shift_m": number(0.0, 0.2),
    "inertia_armature_scale": SHARE, "coulomb_scale": SIZE, "coulomb_random": truth_value,
    "viscous_share_s_rad": SIZE, "stribeck_share": SIZE, "stribeck_speed_rad_s": number(1e-4),
    "friction_drift_share": number(-1.0, 10.0), "friction_drift_s": number(0.01), "torque_gain_sd": number(0.0, 1.0),
    "torque_delay_s": number(0.0, 0.2), "walk_limit_share": number(0.0, 1.0), "walk_s": number(0.01),
    "flexible_hz": number(0.0, 200.0), "flexible_damping": number(0.0, 2.0), "imu_tilt_deg": number(-180, 180),
    "accelerometer_bias_m_s2": number(), "gyro_bias_rad_s": number(), "payload_kg": number(0.0, 1000.0),
    "lost_share": number(0.0, 0.95), "jitter_s": number(0.0, 0.1), "loop_hz": number(0.1, 30.0),
    "loop_damping": number(0.0, 5.0),
}  # fmt: skip
DEFAULTS = {
    "pose": text, "motion": choice(*MOTIONS), "swing_rad": number(0.0, 3.0), "reach_rad": number(0.0, 3.0),
    "reach_speed_rad_s": number(0.01, 20.0), "duration_s": number(1.0, 1e5), "rate_hz": number(1.0), "seeds": seeds,
}  # fmt: skip
SCENARIO = {"name", "title", "family", "draws", "robots", "plant", "push", "offset", "saturation", "policy", *DEFAULTS}


def table(value, place):
    if not isinstance(value, dict):
        raise Wrong(f"{place}: a table was expected, not {value!r}")
    return value


def known(given, names, place):
    for name in table(given, place):
        if name not in names:
            raise Wrong(f"{place}: unknown key '{name}'; {nearest(name, sorted(names))}")


def filled(given, fields, place):
    """A table with its defaults; None as a default: it must be given."""
    known(given, fields, place)
    result = {}
    for name, (check, default) in fields.items():
        if name in given:
            result[name] = check(given[name], f"{place}, {name}")
        elif default is None:
            raise Wrong(f"{place}: '{name}' is missing; add it")
        else:
            result[name] = default
    return result


def several(given, name, fields, place):
    listed = given.get(name, [])
    if not isinstance(listed, list):
        raise Wrong(f"{place}, {name}: write it as [[scenario.{name}]]")
    return [filled(one, fields, f"{place}, {name} {at + 1}") for at, one in enumerate(listed)]


def divides(rate, place):
    """The rate, if the plant has a step at each of its samples."""
    if rate > PLANT_HZ:
        raise Wrong(f"{place}: {rate:g} Hz is above the plant's {PLANT_HZ:g} Hz; give {PLANT_HZ:g} or less")
    steps = PLANT_HZ / rate
    if abs(steps - round(steps)) > 1e-6:
        raise Wrong(f"{place}: {rate:g} Hz is no whole share of the plant's {PLANT_HZ:g} Hz; "
                    f"the nearest is {PLANT_HZ / round(steps):g}")
    return rate


def read(file):
    r"""{"robots": name → table, "scenarios": [whole tables]}. \throws Wrong"""
    file = pathlib.Path(file)
    try:
        with open(file, "rb") as opened:
            whole = tomllib.load(opened)
    except OSError as error:
        beside = [one.name for one in file.parent.glob("*.toml")] if file.parent.is_dir() else []
        hint = nearest(file.name, beside) if beside else "give a .toml file, as benchmarks/truth/scenarios.toml"
        raise Wrong(f"{file}: {os.strerror(error.errno) if error.errno else error}; {hint}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Wrong(f"{file}: line {line}, byte {error.start} of the file, is not UTF-8; save it as UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        end = f"at line {file.read_bytes().count(10) + 1}, where the file ends"
        said = " ".join(str(error).split()).replace("at end of document", end)
        raise Wrong(f"{file}: not readable as TOML: {said}; mend or complete it there") from None
    try:
        return checked(whole)
    except Wrong as error:
        raise Wrong(f"{file}: {error}") from None


def checked(whole):
    known(whole, {"robots", "defaults", "plant", "scenario"}, "top level")
    # What a file of others leaves out is as in ours.
    if {"robots", "defaults", "plant"} - set(whole):
        with open(FILE, "rb") as opened:
            ours = tomllib.load(opened)
        whole = {**{name: ours[name] for name in ("robots", "defaults", "plant")}, **whole}
    robots = {}
    for name, given in table(whole["robots"], "robots").items():
        place = f"robots.{name}"
        known(given, ROBOT, place)
        if ("model" in given) == ("example" in given):
            raise Wrong(f"{place}: give either 'model' or 'example'")
        poses = {one: pose_table(value, f"{place}, poses.{one}")
                 for one, value in table(given.get("poses", {}), f"{place}, poses").items()}
        known(poses, ("rest", "singular"), f"{place}, poses")
        robots[name] = {key: ROBOT[key](given[key], f"{place}, {key}") for key in given if key != "poses"}
        robots[name]["poses"] = poses
    with open(FILE, "rb") as opened:
        ours = tomllib.load(opened)
    known(whole["defaults"], DEFAULTS, "defaults")
    known(whole["plant"], PLANT, "plant")
    defaults = {**ours["defaults"], **whole["defaults"]}
    plant = {**ours["plant"], **whole["plant"]}
    listed = whole.get("scenario", [])
    if not isinstance(listed, list) or not listed:
        raise Wrong("no scenario; add one as [[scenario]]")
    scenarios = [scenario(one, f"scenario {at + 1}", defaults, plant, robots) for at, one in enumerate(listed)]
    names = [one["name"] for one in scenarios]
    for name in names:
        if names.count(name) > 1:
            raise Wrong(f"scenario '{name}': the name stands twice; rename one")
    return {"robots": robots, "scenarios": scenarios}


def scenario(given, place, defaults, plant, robots):
    known(given, SCENARIO, f"{place} '{given['name']}'" if isinstance(given, dict) and "name" in given else place)
    if "name" not in given:
        raise Wrong(f"{place}: 'name' is missing; add it")
    place = f"scenario '{text(given['name'], place)}'"
    if not given["name"].replace("_", "").replace("-", "").isalnum():
        raise Wrong(f"{place}: a name has letters, digits, _ and - alone; rename it")
    result = {"name": given["name"], "title": text(given.get("title", given["name"]), f"{place}, title"),
              "family": text(given.get("family", "own"), f"{place}, family"),
              "draws": text(given.get("draws", given["name"]), f"{place}, draws")}  # fmt: skip
    for name, check in DEFAULTS.items():
        result[name] = check(given.get(name, copy.deepcopy(defaults[name])), f"{place}, {name}")
    divides(result["rate_hz"], f"{place}, rate_hz")
    known(given.get("plant", {}), PLANT, f"{place}, plant")
    own = {**plant, **given.get("plant", {})}
    result["plant"] = {name: check(own[name], f"{place}, plant.{name}") for name, check in PLANT.items()}
    result["push"] = several(given, "push", PUSH, place)
    result["offset"] = several(given, "offset", OFFSET, place)
    result["saturation"] = several(given, "saturation", SATURATION, place)
    result["policy"] = filled(given["policy"], POLICY, f"{place}, policy") if "policy" in given else None
    for at, one in enumerate(result["offset"]):
        if sum(one[name] != 0 for name in ("Nm", "limit_share", "detectable")) != 1:
            raise Wrong(f"{place}, offset {at + 1}: give one of Nm, limit_share and detectable, and not zero")
    for at, one in enumerate(result["push"]):
        if one["start_s"] >= result["duration_s"]:
            raise Wrong(f"{place}, push {at + 1}, start_s: {one['start_s']:g} s is after the scenario's end at "
                        f"{result['duration_s']:g} s; give less, or a longer duration_s")
        if 0 < one["every_s"] < one["length_s"]:
            raise Wrong(f"{place}, push {at + 1}, every_s: {one['every_s']:g} s is shorter than length_s, "
                        f"{one['length_s']:g} s; give at least that, or 0 for one push")
        if one["shape"] == "trapezoid" and 2 * one["ramp_s"] > one["length_s"]:
            raise Wrong(f"{place}, push {at + 1}, ramp_s: two ramps of {one['ramp_s']:g} s do not fit into length_s, "
                        f"{one['length_s']:g} s; give at most {one['length_s'] / 2:g}")
    if "robots" in given:
        result["robots"] = texts(given["robots"], f"{place}, robots")
        for name in result["robots"]:
            if name not in robots and not is_file_name(name):
                raise Wrong(f"{place}, robots: unknown robot '{name}'; {nearest(name, robots)}")
    else:
        result["robots"] = None
    return result


def is_file_name(name):
    return name.endswith((".urdf", ".toml"))


def seeds_of(words, place="--seeds"):
    """Of "3,5"."""
    found = []
    for word in words.split(","):
        try:
            found.append(seed(int(word), place))
        except ValueError:
            raise Wrong(f"{place}: the seed '{word}' is no number; give whole numbers, as 3,5") from None
    return list(dict.fromkeys(found))
