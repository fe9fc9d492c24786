"""Every block of code of README and docs does what it says.

- Python: the blocks of a page are one session, from top to bottom, in a folder of their own. PREPARED has what the reader is said to
  have at hand. A line whose comment begins with the name of an error must raise it.
- C++: lines of a file of the tree, or compiled (syntax alone, all in one go) as a function that is given what stands in HAVING.
- Commands (sh, console): run where RUNS says so, and what a console prints is compared; of all others verb, options and settings, or file
  and target, must be there.
"""

import ast
import contextlib
import dataclasses
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import needs
import numpy as np
import pytest

import antaeus

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "robots/README.md")), *sorted((ROOT / "docs").glob("**/*.md"))]
LANGUAGES = {"python", "cpp", "sh", "console"}

# Page → heading → what is at hand before the first Python block below it.
ARM = """
import numpy as np
import antaeus
robot = antaeus.load_robot("h1_2")
q, tau, imu_quat = robot.pose("arm_waist_target"), np.zeros(27), [0, 0, 0, 1]
t, v, quaternion, gyro, accelerometer, acc = 0.0, np.zeros(27), imu_quat, np.zeros(3), np.array([0, 0, 9.81]), [0, 0, 9.81]
quat = imu_quat
"""
LEGGED = """
import sys
sys.path.insert(0, ROOT + "/examples")
from legged import robot as legged_robot
robot = legged_robot(trunk=30, bar=0.4, hips={"left": (0, 0.1), "right": (0, -0.1)}, thigh=4, shank=3, foot=1)
"""
LOGS = """
import shutil
antaeus_cli("demo", "--out", "demo", "--episodes", "logs")
"""
PREPARED = {
    "docs/concepts/contact.md": {"In a loop, and in pieces": LEGGED + """
import numpy as np
q, v, a = robot.model.neutral(), np.zeros(robot.model.nv()), np.zeros(robot.model.nv())
pieces = [dict(q=np.tile(q, (20, 1)), v=np.zeros((20, robot.model.nv())), a=np.zeros((20, robot.model.nv())), time=0.01 * (20 * k + np.arange(20)))
          for k in range(3)]
"""},
    "docs/reference/python.md": {
        "Wrenches": ARM,
        "Logs": ARM + LOGS + """
log = antaeus.make_twin(robot, "pushes", rate=100.0, duration=3.0).episode
np.savez("log.npz", qpos=log.q, tau=log.tau, dq=log.v, time=log.time)
q, tau, v, time = log.q, log.tau, log.v, log.time
quaternion = np.tile(imu_quat, (len(q), 1))
shutil.move('logs/twin_incident', 're3'); shutil.move('logs/twin_good', 're2'); shutil.move('logs/twin_pushes', 're1')
names = antaeus.load_robot("ur5e").model.motor_names()
columns = [f"/joint_states/{name}/{field}" for name in names for field in ("position", "effort")]
with open("moves.csv", "w") as file:
    print("__time", *columns, sep=",", file=file)
    for i in range(50):
        print(1.7e9 + 0.01 * i, *(0.01 * i + k for k in range(12)), sep=",", file=file)
""",
        "Contact forces": LEGGED + """
time = np.arange(20) * 0.01
q = np.tile(robot.model.neutral(), (20, 1))
""",
        "Inverse kinematics": "robot = antaeus.load_robot('panda'); target = [0.5, 0.2, 0.41, 1, 0, 0, 0]; targets = np.tile(target, (3, 1))",
        "Controllers": """
model = antaeus.load_robot("ur5e").model
q = q_rest = np.array([0.3, -1.4, 1.6, -1.7, -1.5, 0.2])
v, tau, coulomb = np.zeros(6), np.zeros(6), np.full(6, 0.5)
X_WT = antaeus.control.ToolDynamics(model, "tool0").at(q, v).X_WT
measured = antaeus.Wrench()
""",
        "Free flyers and simulation": """
q = antaeus.load_robot("spacecraft_ur3").model.position_from_motors([0.0, -1.0, 1.2, -0.4, 0.9, 0.1], [0, 0, 0, 1])
v, f = np.zeros(12), np.zeros(12)
""",
    },
    "docs/concepts/uncertainty_and_verdicts.md": {"Obtain a force": ARM},
}

# Commands that run: page → verbs. Of others what they name must be there.
ALONE = {"demo", "preflight", "advise", "robot"}  # need no file
RUNS = {"README.md": None, "docs/guide/quickstart.md": None, "docs/guide/your_robot.md": None}  # None: every verb


@dataclasses.dataclass
class Block:
    page: str
    heading: str
    language: str
    line: int  # of its first line of code
    text: str

    def __str__(self):
        return f"{self.page}:{self.line}"


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def blocks_of(page):
    heading, fence, found = "", None, []
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if fence is not None:
            if line == "```":
                if fence in LANGUAGES:
                    found.append(Block(name_of(page), heading, fence, first, "\n".join(lines) + "\n"))
                fence = None
            else:
                lines.append(line)
        elif line.startswith("```"):
            fence, first, lines = line[3:].strip(), number + 1, []
        elif line.startswith("#"):
            heading = "" if line.startswith("# ") else line.lstrip("# ")
    assert fence is None, f"{page}: a fence that does not end"
    return found


BLOCKS = {page: blocks_of(page) for page in PAGES}


def pages_with(*languages):
    return [pytest.param(page, id=name_of(page)) for page in PAGES if any(block.language in languages for block in BLOCKS[page])]


# --- commands -----------------------------------------------------------------------------------------------------------------


def cli(*words, cwd=None):
    return subprocess.run([os.environ["ANTAEUS_CLI"], *words], capture_output=True, text=True, timeout=60, check=False, cwd=cwd)


@functools.cache
def help_of(*verb):
    return cli(*verb, "--help").stdout


@functools.cache
def options_page():
    return (ROOT / "docs/reference/options.md").read_text("utf-8")


def commands_of(block):
    """(words, what it prints) of each command: a console's begin with $, what follows is printed."""
    found = []
    for line in block.text.replace("\\\n", " ").splitlines():
        if block.language == "console" and not line.startswith("$ "):
            found[-1][1].append(line)
        elif line.strip() and not line.startswith("#"):
            found.append((shlex.split(line.removeprefix("$ "), comments=True), []))
    return [each for each in found if each[0]]


def is_placeholder(word):
    return re.search(r"<.*>|@@|…", word) or (word.isupper() and len(word) > 1)


def assert_named(where, words):
    """Verb, options and settings of a command of ours."""
    verb = words[1]
    if is_placeholder(verb) or verb.startswith("["):
        return
    if verb in ("--version", "--help"):
        return
    assert re.search(rf"^  {re.escape(verb)} ", help_of(), re.M), f"{where}: no verb {verb}"
    # Verbs of fleet's own have options of their own.
    shown = help_of(verb, words[2]) if verb == "fleet" and words[2] in ("report", "sql", "clip", "check") else help_of(verb)
    for place, word in enumerate(words[2:], 2):
        if word.startswith("-") and not re.match(r"-[\d.]", word):
            option = word.split("=")[0]
            assert re.search(rf"(^|[ ,]){re.escape(option)}\b", shown, re.M), f"{where}: antaeus {verb} has no {option}"
            if option == "--set":
                setting = words[place + 1].split("=")[0]
                assert is_placeholder(setting) or f"`{setting}`" in options_page(), f"{where}: no option {setting}"


def assert_there(where, words):
    """Of another command: the program, file or target of ours that it names."""
    while re.fullmatch(r"\w+=\S*", words[0]):  # variables of the environment
        words = words[1:]
        if not words:
            return
    if words[0] == "make":
        for target in words[1:]:
            assert "=" in target or re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), f"{where}: make has no {target}"
    for word in words:
        if re.match(r"(tools|examples|benchmarks|tests|robots)/", word):
            assert (ROOT / word).exists(), f"{where}: there is no {word}"
        name = re.fullmatch(r"build/bin/(\w+)", word)
        if name and name[1] != "antaeus":
            room = name[1].removesuffix("_tests")
            made = (ROOT / "tests" / room).is_dir() or any((ROOT / folder).glob(f"*{name[1].removeprefix('example_')}.cpp")
                                                             for folder in ("benchmarks", "tools", "examples") for folder in [folder]) \
                or name[1] in (ROOT / "CMakeLists.txt").read_text("utf-8")
            assert made, f"{where}: nothing makes {word}"


def do_commands(block, folder):
    runs = RUNS.get(block.page, ALONE)
    for words, printed in commands_of(block):
        where = f"{block} {' '.join(words[:3])}"
        program = next((word for word in words if not re.fullmatch(r"\w+=\S*", word)), "")
        if program not in ("antaeus", "build/bin/antaeus"):
            assert_there(where, words)
            continue
        words = words[words.index(program):]
        assert_named(where, words)
        verb = words[1] if len(words) > 1 else ""
        if (runs is not None and verb not in runs) or any(map(is_placeholder, words)):
            continue
        done = cli(*words[1:], cwd=folder)
        assert done.returncode in (0, 1) and not done.stderr, f"{where}: {done.returncode} {done.stderr}"
        shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
        for line in printed:
            assert line == "…" or " ".join(line.split()) in shown, f"{where}: does not print {line!r}, but\n{done.stdout}"


# --- Python -------------------------------------------------------------------------------------------------------------------


def execute(text, name, line, space):
    """Statement by statement; one whose comment names an error must raise it."""
    tree = ast.parse("\n" * (line - 1) + text, name)
    rows = text.splitlines()
    for statement in tree.body:
        code = compile(ast.Module([statement], []), name, "exec")
        wanted = re.search(r"#\s*(\w*Error)\b", rows[statement.end_lineno - line])
        with pytest.raises((antaeus.Error, TypeError, ValueError)) if wanted else contextlib.nullcontext() as raised:
            exec(code, space)  # noqa: S102
        if wanted:
            assert raised.type.__name__ == wanted[1], f"{name}:{statement.lineno}"


def own_log(folder):
    """Writes `arm.urdf`, `free.npz` and `run.npz` of README and docs/guide/your_robot.md: a UR5e that swings, pushed with 15 N in `run` from second 5 to 7."""
    robot = antaeus.load_robot("ur5e")
    shutil.copy(robot.profile.model, folder / "arm.urdf")
    dynamics, joint, random = antaeus.Dynamics(robot.model), np.arange(6), np.random.default_rng(1)
    time = np.arange(0.0, 12.0, 0.01)
    rate = 0.9 + 0.13 * joint
    angle = np.outer(time, rate) + 1.3 * joint
    qpos, dq, ddq = robot.pose("ready") + 0.4 * np.sin(angle), 0.4 * rate * np.cos(angle), -0.4 * rate**2 * np.sin(angle)
    free = 0.3 * np.tanh(dq / 0.03) + 0.05 * random.standard_normal(dq.shape)
    free += [dynamics.inverse_dynamics(*state) for state in zip(qpos, dq, ddq)]
    pushed = free.copy()
    for i in np.flatnonzero((time >= 5.0) & (time < 7.0)):
        pushed[i] -= robot.point_jacobian(qpos[i], "tool0", np.zeros(3), local=True)[:3].T @ [0.0, 15.0, 0.0]
    for name, tau in dict(run=pushed, free=free).items():
        np.savez(folder / f"{name}.npz", time=time, qpos=qpos, dq=dq, tau=tau)


@pytest.mark.parametrize("page", pages_with("python", "sh", "console"))
def test_a_page_is_a_session(page, tmp_path, monkeypatch):
    name = name_of(page)
    if name in ("README.md", "docs/guide/your_robot.md"):
        own_log(tmp_path)
    (tmp_path / "robots").symlink_to(ROOT / "robots")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.setattr(sys, "path", list(sys.path))
    prepared = dict(PREPARED.get(name, {}))
    space = {"__name__": "snippets", "ROOT": str(ROOT), "antaeus_cli": cli, "antaeus": antaeus, "np": np}
    for block in BLOCKS[page]:
        if block.language in ("sh", "console"):
            do_commands(block, tmp_path)
        elif block.language == "python":
            if block.heading in prepared:
                exec(compile(prepared.pop(block.heading), f"prepared for {name}, {block.heading}", "exec"), space)  # noqa: S102
            execute(block.text, str(page), block.line, space)
    assert not prepared, f"{name} has no block of Python below {list(prepared)}"


# --- C++ ----------------------------------------------------------------------------------------------------------------------

# Page → heading → parameters of a function whose body is the block; what is no such body is a region of a file.
HAVING = {
    "docs/architecture.md": {"One sample, from torques to verdict": "InstantReader& reader, ResidualEstimator& residual, PosteriorEstimator& posterior, ReliabilityEstimator& trust, "
                                     "FeasibilityChecker& checker, const Observation& observation"},
    "docs/concepts/control.md": {
        "": "const RobotModel& model, const VectorXd& q, const VectorXd& v, const VectorXd& q_rest, const Pose& wanted, void (*send)(const VectorXd&)",
        "Hybrid force and position": "ToolDynamics& dynamics, const VectorXd& q, const VectorXd& v, const Wrench& sensed, bool was_cut, double dt",
        "Without a force sensor": "ToolDynamics& dynamics, const VectorXd& coulomb, const VectorXd& q, const VectorXd& v, const VectorXd& tau",
        "Scenes and plants": "const VectorXd& q_home, const VectorXd& tau",
        "Flights": "const RobotModel& model, const VectorXd& q, const VectorXd& v, const VectorXd& tau",
    },
    "docs/concepts/ik.md": {"Several tasks at once": "const RobotModel& model, const Pose& X_WF, const Pose& X_WH, const VectorXd& q, const VectorXd& v"},
    "docs/concepts/space.md": {"Coordinated control": "const RobotModel& model, const VectorXd& q, const VectorXd& v, const FlyingReference& reference, "
                                        "const FlyingGains& q_gains"},
}
HEADERS = """
antaeus/control/contact_task.hpp antaeus/control/hybrid_control.hpp antaeus/control/sensorless_control.hpp antaeus/control/cartesian_impedance.hpp
antaeus/estimation/posterior_estimator.hpp antaeus/replay/replay.hpp antaeus/sim/mujoco_flight.hpp antaeus/sim/mujoco_plant.hpp antaeus/sim/mujoco_robot.hpp
antaeus/space/flying_control.hpp antaeus/tasks/tasks.hpp antaeus/tasks/task_solver.hpp antaeus/trust/feasibility.hpp antaeus/trust/reliability.hpp
""".split()


@functools.cache
def sources():
    listed = [*ROOT.glob("examples/**/*.cpp"), *ROOT.glob("include/antaeus/**/*.hpp"), *ROOT.glob("tests/**/*.[ch]pp")]
    return {file: " ".join(re.sub(r"\s*//.*", "", file.read_text("utf-8")).split()) for file in listed}


def test_cpp_blocks_are_lines_of_a_file_or_compile(tmp_path):
    bodies = []
    for page in PAGES:
        for block in BLOCKS[page]:
            if block.language != "cpp":
                continue
            plain = " ".join(re.sub(r"\s*//.*", "", block.text).split())
            having = HAVING.get(block.page, {}).get(block.heading)
            if having is None:
                assert any(plain in text for text in sources().values()), f"{block}: no file of the tree has these lines, and HAVING does not say what it needs"
            else:
                bodies.append(f"void block_{len(bodies)}({having}) {{\n#line {block.line} \"{block.page}\"\n{block.text}}}\n")
    file = tmp_path / "blocks.cpp"
    file.write_text("".join(f'#include "{header}"\n' for header in HEADERS) + "using namespace antaeus;\nusing Eigen::VectorXd;\n" + "".join(bodies), "utf-8")
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        needs.skip("no C++ compiler is installed", "apt-get install g++")
    eigen = pathlib.Path(np.__file__).parents[1] / "cmeel.prefix/include/eigen3"
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-w", f"-I{ROOT}/include", f"-isystem{eigen}", file], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr

