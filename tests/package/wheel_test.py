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

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/wheel"
VERSION = re.search(r"project\(antaeus VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
WHEELS = sorted(FOLDER.glob(f"antaeus-{VERSION}-*.whl"))
OTHERS = ("pinocchio", "coal", "tinyxml2", "octomap", "assimp", "boost", "parquet", "arrow", "mujoco", "libz")


@pytest.fixture(scope="module", params=["cp311-cp311", "cp312-abi3"])
def wheel(request):
    found = [wheel for wheel in WHEELS if f"-{request.param}-" in wheel.name]
    if not found:
        pytest.skip(f"build/wheel holds no wheel {request.param} of version {VERSION}; make wheel makes it where that Python is")
    return found[0]


def members(wheel):
    return zipfile.ZipFile(wheel).namelist()


def test_it_is_small_and_holds_what_it_says(wheel):
    assert wheel.stat().st_size <= 12e6
    names = members(wheel)
    for wanted in ("antaeus/bin/antaeus", "antaeus/share/antaeus/robots/panda/profile.toml", "antaeus/py.typed",
                   "antaeus/lib/cmake/antaeus/antaeusConfig.cmake", "antaeus/include/antaeus/robot/robot_profile.hpp",
                   "antaeus/__init__.pyi", "antaeus/lib/libantaeus_parquet.so"):
        assert wanted in names
    licences = {pathlib.PurePath(name).stem for name in names if "/licences/" in name}
    assert licences >= {"antaeus", "CLI11", "tomlplusplus", "nanobind", "robin_map", "three", "uplot"}


def test_it_holds_no_library_that_a_dependency_ships(wheel):
    libraries = [pathlib.PurePath(name).name for name in members(wheel) if ".so" in name]
    assert libraries
    assert not [name for name in libraries if any(other in name for other in OTHERS) and not name.startswith("libantaeus")]


def test_its_platform_is_what_its_symbols_allow(wheel):
    if not importlib.util.find_spec("auditwheel"):
        pytest.skip("auditwheel is not installed; tools/setup.sh wheel installs it")
    told = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, check=True).stdout
    consistent = re.findall(r'"(manylinux_\d+_\d+)_x86_64"', re.sub(r"\s+", " ", told))
    assert consistent and consistent[0] in wheel.name


def test_its_dependencies_are_those_of_pyproject(wheel):
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    archive = zipfile.ZipFile(wheel)
    told, = (archive.read(name).decode() for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    required = {re.sub(r"[ ()]", "", line) for line in re.findall(r"^Requires-Dist: (.*)$", told, re.MULTILINE) if "extra" not in line}
    assert required == set(wanted["dependencies"]) or {r.replace("<3,>=1.26", ">=1.26,<3") for r in required} == set(wanted["dependencies"])
    assert set(re.findall(r"^Provides-Extra: (.*)$", told, re.MULTILINE)) == set(wanted["optional-dependencies"])


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


def test_a_package_without_its_libraries_says_what_brings_them(tmp_path):
    """As after pip install --no-deps."""
    found = [wheel for wheel in WHEELS if f"-cp{sys.version_info[0]}{sys.version_info[1]}-" in wheel.name]
    if not found:
        pytest.skip("build/wheel holds no wheel for this Python; make wheel makes it")
    zipfile.ZipFile(found[0]).extractall(tmp_path)
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


def test_the_stable_abi_serves_a_newer_python(tmp_path):
    """The file for 3.12 is imported by each later Python that is here: no other build, the same numbers."""
    found = [wheel for wheel in WHEELS if "-cp312-abi3-" in wheel.name]
    if not found:
        pytest.skip("build/wheel holds no wheel cp312-abi3; make wheel makes it where Python 3.12 or later is")
    pythons = list(newer_pythons())
    if not pythons:
        pytest.skip("no Python of 3.12 or later is here")
    extension, = (name for name in members(found[0]) if "_antaeus." in name)
    assert extension == "antaeus/_antaeus.abi3.so"
    zipfile.ZipFile(found[0]).extractall(tmp_path)
    # The wheels beside it, by links: an installation without a network.
    site_packages = pathlib.Path(os.environ.get("ANTAEUS_SITE_PACKAGES") or pathlib.Path(pytest.__file__).parents[1])
    (tmp_path / "cmeel.prefix").symlink_to(site_packages / "cmeel.prefix")
    program = "import antaeus; print(antaeus.__version__, antaeus.load_robot('panda').model.motor_count())"
    for python in pythons:
        told = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False,
                              env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]})
        assert told.stdout.split() == [VERSION, "7"], (python, told.stderr)
