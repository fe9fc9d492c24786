"""Calls every public function and method of the package with numbers that are none: NaN, infinity, denormals, wrong sizes, on a
robot of as many joints as asked for. A process of its own (hostile_numbers_test.py): a crash ends it, a call that hangs is ended.

    hostile_numbers.py PUBLIC_NAMES JOINTS SEED CALLS [ONLY]

Arguments are made by the types that the signatures state; what a call returns is an argument of later ones. Prints a line for
each finding: an error that is none of the package's, a call of more than MOST_SECONDS; and at last how many calls were made.
"""

import ast
import contextlib
import faulthandler
import itertools
import os
import random
import shutil
import sys
import tempfile
import time
import warnings

import antaeus
import numpy as np

MOST_SECONDS = 2.0  # of CPU, times what a busy or instrumented machine takes
PATIENCE = float(os.environ.get("ANTAEUS_PATIENCE", "1"))
HANGS = 60.0  # after which a call is ended, and the process with it

# Not called, and why.
PASSED_OVER = {
    "run_experiment": "an experiment takes seconds by design",
    "run_space_scenario": "the same",
    "cmake_prefix": "of the installation, no numbers",
    "robots_folder": "the same",
}

NUMBERS = [np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1.7e308, -1e300, 1e-300, 0.0, -0.0, 1.0, -1.0, 0.5, 3.0]
WORDS = ["", "nobody", "tip", "tool", "automatic", "none", "all", "\x00", "zero"]


def urdf(joints):
    """A chain of that many joints, every fourth of which slides."""
    text = ['<robot name="chain"><link name="base"><inertial><mass value="2"/>'
            '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>']
    parent = "base"
    for i in range(joints):
        kind = "prismatic" if i % 4 == 3 else "revolute"
        axis = ["1 0 0", "0 1 0", "0 0 1"][i % 3]
        text.append(f'<joint name="j{i}" type="{kind}"><parent link="{parent}"/><child link="l{i}"/><origin xyz="0 0 0.1"/>'
                    f'<axis xyz="{axis}"/><limit lower="-1" upper="1" effort="20" velocity="2"/></joint><link name="l{i}"><inertial>'
                    '<mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>')
        parent = f"l{i}"
    text.append(f'<joint name="end" type="fixed"><parent link="{parent}"/><child link="tip"/><origin xyz="0 0 0.1"/></joint>'
                '<link name="tip"/></robot>')
    return "\n".join(text)


def parts(kind):
    """The alternatives of `A | B[C | D]`."""
    found, depth = [""], 0
    for piece in kind.split(" "):
        if piece == "|" and depth == 0:
            found.append("")
        else:
            found[-1] = f"{found[-1]} {piece}".strip()
            depth += piece.count("[") - piece.count("]")
    return found


class Signature:
    """One line of public_names.txt: `Class.method(self, x: float) -> T`."""

    def __init__(self, line):
        self.static = line.startswith("static ")
        line = line.removeprefix("static ")
        self.name = line.split("(")[0]
        definition = ast.parse("def f" + line[len(self.name):] + ": ...").body[0]
        arguments = definition.args
        self.required, self.optional = [], []
        plain = arguments.posonlyargs + arguments.args
        without = len(plain) - len(arguments.defaults)
        for i, argument in enumerate(plain):
            if argument.arg in ("self", "cls"):
                continue
            kind = ast.unparse(argument.annotation) if argument.annotation else "object"
            (self.required if i < without else self.optional).append((argument.arg, kind, bool(arguments.posonlyargs)))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            kind = ast.unparse(argument.annotation) if argument.annotation else "object"
            (self.required if default is None else self.optional).append((argument.arg, kind, False))


class Maker:
    """Values of a type; some of them good, so that calls get past their first check."""

    def __init__(self, chance, robot, joints, folder):
        self.chance, self.joints, self.folder = chance, joints, folder
        self.pool = {}
        if robot is not None:
            for one in (robot, robot.model, robot.profile, robot.model.description()):
                self.keep(one)
        self.keep(antaeus.Pose())
        self.keep(antaeus.Wrench())

    def keep(self, value):
        if isinstance(value, (list, tuple)):
            for one in itertools.islice(value, 3):
                self.keep(one)
        elif type(value).__module__.startswith("antaeus"):
            kept = self.pool.setdefault(type(value).__name__, [])
            most = 1 if type(value).__name__ == "MujocoCamera" else 12  # each holds some 200 MB of OpenGL
            if len(kept) < most:
                kept.append(value)
            else:
                kept[self.chance.randrange(most)] = value

    def number(self):
        return self.chance.choice(NUMBERS)

    def array(self):
        n, chance = self.joints, self.chance
        shape = chance.choice([(n,), (n,), (n,), (n,), (n + 7,), (n + 1,), (max(n - 1, 0),), (0,), (3,), (3, 3), (6,), (7,), (4,), (5, n),
                               (5, n + 7), (1, n), (n, n), (6, 6), (0, n), (5, 3), (5, 7)])
        values = np.zeros(shape)
        way = chance.randrange(4)
        if way == 0:
            values[...] = self.number()
        elif way == 1 and values.size:
            values.flat[chance.randrange(values.size)] = self.number()
        elif way == 2:
            values = np.random.default_rng(chance.randrange(1 << 30)).normal(size=shape)
        if shape == (4,) and chance.random() < 0.5:
            values = np.array([0.0, 0, 0, 1])
        return values.tolist() if chance.random() < 0.05 else values

    def of(self, kind):
        chance = self.chance
        alternatives = parts(kind)
        if len(alternatives) > 1:
            return self.of(chance.choice(alternatives))
        if kind == "None":
            return None
        if kind == "float":
            return self.number()
        if kind == "int":
            return chance.choice([-1, 0, 1, 2, 3, self.joints])
        if kind == "bool":
            return chance.random() < 0.5
        if kind == "str":
            return chance.choice(WORDS)
        if "ArrayLike" in kind or "NDArray" in kind:
            return self.array()
        if kind == "os.PathLike":
            return os.path.join(self.folder, chance.choice(["absent", "written", "absent.urdf"]))
        if kind.startswith(("Sequence[", "list[")):
            inner = kind[kind.index("[") + 1:-1]
            return [self.of(inner) for _ in range(chance.choice([0, 1, 1, 2]))]
        if kind.startswith("tuple["):
            return (self.number(), self.number())
        if kind.startswith(("dict", "Mapping")):
            return chance.choice([{}, {}, {"q": self.array(), "dt": self.number()}, {"posterior.force_prior": self.number()}])
        if kind.startswith("Callable"):
            return lambda _: self.number()
        if kind == "Pose":
            return chance.choice(self.pool["Pose"])
        known = self.pool.get(kind.strip("'\"").split(".")[-1])
        if known:
            return chance.choice(known)
        names = getattr(antaeus, kind, None)
        with contextlib.suppress(TypeError):
            return chance.choice([str(one) for one in names])  # an enumeration
        if kind == "object":
            return chance.choice([self.number(), self.array(), None])
        raise LookupError(kind)


class Hostile:
    def __init__(self, names, joints, seed, only=None):
        self.chance = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="antaeus-hostile-")
        os.chdir(self.folder)  # what is written under any name goes there
        file = os.path.join(self.folder, "chain.urdf")
        with open(file, "w", encoding="utf-8") as text:
            text.write(urdf(joints))
        try:
            robot = antaeus.load_robot(file)
        except antaeus.Error as error:
            print("no robot:", error)
            robot = None
        self.maker = Maker(self.chance, robot, joints, self.folder)
        self.calls, self.answers, self.findings = 0, 0, set()
        lines = [line for line in names.read().splitlines() if "(" in line and ") ->" in line]
        self.signatures = [s for s in map(Signature, lines) if s.name not in PASSED_OVER and "__" not in s.name.replace("__init__", "")
                           and (only is None or s.name.startswith(only))]

    def target(self, signature):
        """What is called; None where nothing of its class was made yet."""
        *owner, name = signature.name.split(".")
        if not owner:
            return getattr(antaeus, name, None)
        if name == "__init__":
            return getattr(antaeus, owner[0], None)
        if signature.static:
            return getattr(getattr(antaeus, owner[0], None), name, None)
        made = self.maker.pool.get(owner[0])
        return getattr(self.chance.choice(made), name, None) if made else None

    def call(self, signature):
        called = self.target(signature)
        if called is None:
            return
        try:
            positional, named = [], {}
            for name, kind, by_place in signature.required:
                if by_place:
                    positional.append(self.maker.of(kind))
                else:
                    named[name] = self.maker.of(kind)
            for name, kind, by_place in signature.optional:
                if not by_place and self.chance.random() < 0.25:
                    named[name] = self.maker.of(kind)
        except LookupError:
            return  # nothing of that type was made yet
        self.calls += 1
        print(signature.name, {k: ascii(v)[:200] for k, v in named.items()}, file=self.last, flush=True)
        begun, wrong = time.process_time(), None
        faulthandler.dump_traceback_later(HANGS * PATIENCE, exit=True)
        try:
            answer = called(*positional, **named)
            self.answers += 1
            self.maker.keep(answer)
        except antaeus.Error as error:
            if not str(error) or "\n" in str(error) or "please report" in str(error):
                wrong = f"said {str(error)!r}"
        except (KeyboardInterrupt, SystemExit):
            raise
        except (TypeError, IndexError):
            pass  # Python's own words for an argument of another type, and a place that a sequence has not
        except BaseException as error:  # noqa: BLE001  (whatever is none of the package's is a finding)
            wrong = f"{type(error).__name__}: {error}"
        faulthandler.cancel_dump_traceback_later()
        took = time.process_time() - begun
        if wrong is None and took > MOST_SECONDS * PATIENCE:
            wrong = f"took {took:.1f} s"
        if wrong and (signature.name, wrong[:30]) not in self.findings:
            self.findings.add((signature.name, wrong[:30]))
            print(f"FINDING {signature.name}: {wrong[:300]} with {({k: ascii(v)[:150] for k, v in named.items()})}", flush=True)

    def run(self, calls):
        warnings.simplefilter("ignore")
        with open(os.path.join(self.folder, "last"), "w", encoding="utf-8") as self.last:
            print("log", self.last.name, flush=True)
            while self.calls < calls:
                before = self.calls
                for signature in self.signatures:
                    self.call(signature)
                if self.calls == before:
                    break
        shutil.rmtree(self.folder, ignore_errors=True)
        print(f"{self.calls} calls of {len(self.signatures)} functions, {self.answers} answered, {len(self.findings)} findings", flush=True)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as public:
        hostile = Hostile(public, int(sys.argv[2]), int(sys.argv[3]), sys.argv[5] if len(sys.argv) > 5 else None)
    hostile.run(int(sys.argv[4]))
    os._exit(1 if hostile.findings else 0)
