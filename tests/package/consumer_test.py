"""Projects of others on Antaeus: installed (find_package), and built together with it (add_subdirectory, FetchContent).

ANTAEUS_PREFIX is the folder of an installation: `cmake --install`, or antaeus.cmake_prefix() of a wheel."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

import needs
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = pathlib.Path(sys.prefix) / "bin"
ENVIRONMENT = {**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
SITE_PACKAGES = os.environ.get("ANTAEUS_SITE_PACKAGES") or sysconfig.get_path("purelib")


def run(*command, expected=0, **how):
    done = subprocess.run([*map(os.fspath, command)], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True,
                          **how)
    assert done.returncode == expected or expected is None, done.stdout
    return done.stdout


def configure(project, build, *definitions, expected=0):
    return run("cmake", "-G", "Ninja", "-S", project, "-B", build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *definitions, expected=expected)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if folder := os.environ.get("ANTAEUS_PREFIX"):
        return pathlib.Path(folder)
    if not (build := os.environ.get("ANTAEUS_BUILD")):
        needs.skip("neither ANTAEUS_PREFIX nor ANTAEUS_BUILD is set", "make test")
    # As in a wheel, other wheels beside it: a tree of which a wheel was made looks for them there.
    site_packages = tmp_path_factory.mktemp("site_packages")
    (site_packages / "cmeel.prefix").symlink_to(pathlib.Path(SITE_PACKAGES) / "cmeel.prefix")
    folder = site_packages / "antaeus"
    for component in ("runtime", "development"):
        run("cmake", "--install", build, "--prefix", folder, "--component", component)
    return folder


def found_by(prefix):
    """A wheel finds the Eigen that it was compiled with beside itself; with any other installation it is the user's."""
    beside = (prefix.parent / "cmeel.prefix").is_dir()
    return f"-DCMAKE_PREFIX_PATH={prefix}" if beside else f"-DCMAKE_PREFIX_PATH={prefix};{SITE_PACKAGES}/cmeel.prefix"


@pytest.fixture(scope="module")
def built(prefix, tmp_path_factory):
    build = tmp_path_factory.mktemp("find_package")
    configure(ROOT / "examples/consumer_find_package", build, found_by(prefix))
    run("cmake", "--build", build)
    return build


def test_an_installed_antaeus_is_found_linked_and_run(built):
    assert run(built / "reach") == "reached, 0.000 mm short\n"


def test_a_program_needs_no_third_party_but_eigen(built):
    """Neither Pinocchio nor what it asks for (Boost, OpenMP) is looked for: the libraries have it inside."""
    found = (built / "CMakeCache.txt").read_text()
    assert "Eigen3_DIR" in found
    assert not re.search(r"^(pinocchio|coal|Boost|urdfdom|OpenMP)\w*_DIR", found, re.MULTILINE)


def project_asking(folder, request):
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES CXX)\n{request}\n")
    return folder


@pytest.mark.parametrize(("request_", "said"), [
    ("find_package(antaeus 99 CONFIG REQUIRED)", "antaeusConfig.cmake, version: "),
    ("find_package(antaeus 0.1 CONFIG REQUIRED)", "antaeusConfig.cmake, version: "),  # before 1.0 a minor version may break
    ("find_package(antaeus CONFIG REQUIRED COMPONENTS flight)", "flight"),
])
def test_what_is_not_there_is_named(prefix, tmp_path, request_, said):
    told = configure(project_asking(tmp_path, request_), tmp_path / "build", found_by(prefix), expected=1)
    assert said in told


def test_without_eigen_it_is_said_what_brings_it(prefix, tmp_path):
    shutil.copytree(prefix / "lib/cmake", tmp_path / "alone/lib/cmake")
    told = configure(project_asking(tmp_path, "find_package(antaeus CONFIG REQUIRED)"), tmp_path / "build",
                     f"-DCMAKE_PREFIX_PATH={tmp_path}/alone", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", expected=1)
    assert "pip install 'antaeus[cpp]'" in " ".join(told.split())


def compiles(build, source):
    """Parses one file of the consumer as its build would compile it: include folders, C++20, definitions."""
    entry, = (e for e in json.loads((build / "compile_commands.json").read_text()) if e["file"].endswith(source))
    command = [word for word in shlex.split(entry["command"]) if word not in ("-c",)]
    at = command.index("-o")
    run(*command[:at], "-fsyntax-only", *command[at + 2:], cwd=entry["directory"])


TOGETHER = f"-DANTAEUS_SITE_PACKAGES={SITE_PACKAGES}"


def test_antaeus_is_built_inside_another_project(tmp_path):
    configure(ROOT / "examples/consumer_add_subdirectory", tmp_path, TOGETHER)
    compiles(tmp_path, "consumer_add_subdirectory/main.cpp")
    targets = run("cmake", "--build", tmp_path, "--target", "help")
    assert "antaeus_motion:" in targets
    assert "antaeus_tests" not in targets and "cpp_tests" not in targets
    if os.environ.get("ANTAEUS_SOAK"):
        run("cmake", "--build", tmp_path)
        # pinocchio.computeGeneralizedGravity of robots/ur5e/ur5e.urdf at zero
        assert run(tmp_path / "gravity") == "the shoulder holds -59.76 N·m\n"


def test_the_lines_of_the_page_fetch_it(tmp_path):
    page = (ROOT / "docs/guide/in_your_project.md").read_text()
    lines, = (text for text in re.findall(r"```cmake\n(.*?)```", page, re.DOTALL) if "FetchContent" in text)
    lines = re.sub(r"set\(ANTAEUS_SITE_PACKAGES .*\)", lambda _: f'set(ANTAEUS_SITE_PACKAGES "{SITE_PACKAGES}")', lines)
    shutil.copy(ROOT / "examples/consumer_add_subdirectory/main.cpp", tmp_path / "main.cpp")
    request = "add_executable(my_program main.cpp)\n" + lines
    build = tmp_path / "build"
    configure(project_asking(tmp_path, request), build, f"-DFETCHCONTENT_SOURCE_DIR_ANTAEUS={ROOT}")
    compiles(build, "/main.cpp")
