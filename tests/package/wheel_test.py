"""The wheels in build/wheel (`make wheel`): what is inside, what is not, and that other Pythons import them.

tools/try_wheel.sh uses one as a new user would; .ci/run calls both."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import zipfile

import needs
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/wheel"
VERSION = re.search(r"project\(antaeus VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
WHEELS = sorted(FOLDER.glob(f"antaeus-{VERSION}-*.whl"))
OTHERS = ("pinocchio", "coal", "tinyxml2", "octomap", "assimp", "boost", "parquet", "arrow", "mujoco", "libz")


def members(wheel):
    return zipfile.ZipFile(wheel).namelist()


def test_wheels_are_complete_and_import(tmp_path):
    """Checks each wheel that was built, then skips if one is missing or a check could not run."""
    wheels = {tag: wheel for tag in ("cp311-cp311", "cp312-abi3") for wheel in WHEELS if f"-{tag}-" in wheel.name}
    for wheel in wheels.values():
        check_files(wheel)
        check_libraries(wheel)
        check_dependencies(wheel)
    if "cp311-cp311" in wheels and sys.version_info[:2] == (3, 11):
        check_message_without_libraries(wheels["cp311-cp311"], tmp_path / "bare")
    pythons = list(newer_pythons())
    if "cp312-abi3" in wheels:
        check_stable_abi(wheels["cp312-abi3"], pythons, tmp_path / "abi3")
    can_audit = importlib.util.find_spec("auditwheel")
    for wheel in wheels.values() if can_audit else ():
        check_platform(wheel)
    if len(wheels) < 2:
        needs.skip(f"build/wheel has {len(wheels)} of 2 wheels of version {VERSION}", "make wheel")
    if not can_audit:
        needs.skip("auditwheel is not installed", "tools/setup.sh wheel")
    if not pythons:
        needs.skip("Python 3.12 or later is not installed", "pyenv install 3.12")


def check_files(wheel):
    assert wheel.stat().st_size <= 12e6, wheel
    names = members(wheel)
    for wanted in ("antaeus/bin/antaeus", "antaeus/share/antaeus/robots/panda/profile.toml", "antaeus/py.typed",
                   "antaeus/lib/cmake/antaeus/antaeusConfig.cmake", "antaeus/include/antaeus/robot/robot_profile.hpp",
                   "antaeus/__init__.pyi", "antaeus/lib/libantaeus_parquet.so"):
        assert wanted in names, wheel
    licences = {pathlib.PurePath(name).stem for name in names if "/licences/" in name}
    assert licences >= {"antaeus", "CLI11", "tomlplusplus", "nanobind", "robin_map", "three", "uplot"}, wheel


def check_libraries(wheel):
    """No library that a dependency ships."""
    libraries = [pathlib.PurePath(name).name for name in members(wheel) if ".so" in name]
    assert libraries, wheel
    assert not [name for name in libraries if any(other in name for other in OTHERS) and not name.startswith("libantaeus")], wheel


def check_platform(wheel):
    """The platform that the symbols allow."""
    shown = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, check=True).stdout
    consistent = re.findall(r'"(manylinux_\d+_\d+)_x86_64"', re.sub(r"\s+", " ", shown))
    assert consistent and consistent[0] in wheel.name


def check_dependencies(wheel):
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    archive = zipfile.ZipFile(wheel)
    metadata, = (archive.read(name).decode() for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    required = {re.sub(r"[ ()]", "", line) for line in re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE) if "extra" not in line}
    assert required == set(wanted["dependencies"]) or {r.replace("<3,>=1.26", ">=1.26,<3") for r in required} == set(wanted["dependencies"]), wheel
    assert set(re.findall(r"^Provides-Extra: (.*)$", metadata, re.MULTILINE)) == set(wanted["optional-dependencies"]), wheel


def test_what_is_warned_of_is_what_is_required(installation):
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {f"{name.replace('_', '-')}=={begin}*" for name, begin in installation.TRIED.items()} == {w for w in wanted if "numpy" not in w}


@pytest.fixture
def installation(tmp_path):
    """The module as if the package lay in tmp_path/antaeus."""
    spec = importlib.util.spec_from_file_location("_installation", ROOT / "python/antaeus/_installation.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module._PACKAGE = tmp_path / "antaeus"
    return module


def test_an_untried_dependency_is_said_once(installation, tmp_path, recwarn):
    for tried in ("libpinocchio-4.1.0", "libcoal-3.0.9", "cmeel_tinyxml2-11.0.0"):
        (tmp_path / f"{tried}.dist-info").mkdir()
    installation.warn_of_untried()
    assert not recwarn
    (tmp_path / "libpinocchio-4.1.0.dist-info").rename(tmp_path / "libpinocchio-4.10.0.dist-info")
    installation.warn_of_untried()
    told, = recwarn
    assert str(told.message) == ("antaeus was not tried with libpinocchio 4.10.0; install what it was tried with: "
                                 "pip install 'libpinocchio==4.1.*'")


def check_message_without_libraries(wheel, tmp_path):
    """As after pip install --no-deps."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    told = subprocess.run([sys.executable, "-S", "-c", "import antaeus"], capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]})
    last = told.stderr.strip().splitlines()[-1]
    assert told.returncode == 1
    assert last.startswith("ImportError: antaeus: its libraries do not load (lib") and "pip install" in last


def newer_pythons():
    for pattern in ("3.12", "3.13", "3.14"):
        for place in (*pathlib.Path.home().glob(f".pyenv/versions/{pattern}*/bin/python3"), pathlib.Path(f"/usr/bin/python{pattern}")):
            if place.exists():
                yield place


def check_stable_abi(wheel, pythons, tmp_path):
    """Imports the file for 3.12 in each later Python that is installed: no other build, the same values."""
    extension, = (name for name in members(wheel) if "_antaeus." in name)
    assert extension == "antaeus/_antaeus.abi3.so"
    zipfile.ZipFile(wheel).extractall(tmp_path)
    # The wheels beside it, by links: an installation without a network.
    site_packages = pathlib.Path(os.environ.get("ANTAEUS_SITE_PACKAGES") or pathlib.Path(pytest.__file__).parents[1])
    (tmp_path / "cmeel.prefix").symlink_to(site_packages / "cmeel.prefix")
    program = "import antaeus; print(antaeus.__version__, antaeus.load_robot('panda').model.motor_count())"
    for python in pythons:
        told = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False,
                              env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]})
        assert told.stdout.split() == [VERSION, "7"], (python, told.stderr)
