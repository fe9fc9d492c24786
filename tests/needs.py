"""Data, packages and programs that tests need beyond the build. Each skip names the one command that provides it, after "run:" (tools/count_tests.py reads it).

CLONE is a clone of the incident's repository (docs/concepts/incident.md); FOLDER holds the data that CONTRIBUTING.md lists."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("ANTAEUS_SHARED", ROOT.parent / "shared")).resolve()
PIP = f"{os.path.relpath(sys.executable, ROOT) if sys.executable.startswith(f'{ROOT}/') else sys.executable} -m pip install"
# Modules whose wheel has another name.
WHEELS = {"foxglove": "foxglove-sdk", "mcap_protobuf": "mcap-protobuf-support", "pinocchio": "pin", "rerun": "rerun-sdk", "zenoh": "eclipse-zenoh"}


def skip(missing, command):
    pytest.skip(f"{missing}; run: {command}")


def skip_unless(condition, missing, command):
    """Returns a mark for tests."""
    return pytest.mark.skipif(not condition, reason=f"{missing}; run: {command}")


PROC = skip_unless(os.path.exists("/proc/self/exe"), "/proc is not mounted", "mount -t proc proc /proc")
FULL_DEVICE = skip_unless(os.path.exists("/dev/full"), "/dev/full does not exist", "mknod -m 666 /dev/full c 1 7")


def package(name):
    """Returns the imported module. At the top of a module it skips all of its tests."""
    module = name.partition(".")[0]
    command = "make all" if module == "antaeus" else f"{PIP} {WHEELS.get(module, module.replace('_', '-'))}"
    return pytest.importorskip(name, reason=f"the package {module} is not installed; run: {command}")


def reference_data(relative):
    """Returns the path of data in ANTAEUS_SHARED, by default ../shared."""
    if not (path := SHARED / relative).exists():
        commands = {"episodes": "tools/incident_logs.sh CLONE", "robots": f"cp -r CLONE/h12_ros2_controller/assets/h1_2/meshes {SHARED}/robots/h1_2"}
        skip(f"reference data '{relative}' are missing in {SHARED}", commands.get(relative.partition("/")[0], "ANTAEUS_SHARED=FOLDER make test"))
    return path


def example_robots():
    """Returns the folder `robots` of the package example-robot-data, or a path that does not exist."""
    packages = pathlib.Path(pytest.__file__).parents[1]
    return pathlib.Path(os.environ.get("ANTAEUS_EXAMPLE_ROBOTS", packages / "cmeel.prefix/share/example-robot-data/robots"))


def example_robot(relative=""):
    """Returns the path of a file of example-robot-data."""
    if not (path := example_robots() / relative).exists():
        skip("the package example-robot-data is not installed", f"{PIP} --no-deps example-robot-data")
    return path
