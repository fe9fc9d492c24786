"""docs/guide/in_your_project.md: its code is that of the examples, and the examples do what it says."""

import os
import pathlib
import re
import subprocess
import sysconfig

import needs
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/in_your_project.md").read_text()
STUBS = ROOT / "tests/package/ros2_stubs"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_shows_the_example():
    shown, = (block for block in blocks("cmake") if "FetchContent" not in block)  # that one: consumer_test
    assert shown in (ROOT / "examples/consumer_find_package/CMakeLists.txt").read_text()


@pytest.mark.parametrize("file", ["examples/realtime_thread.cpp", "examples/ros2_node", "examples/damping_mode.cpp", "examples/judge_a_log.py",
                                  "examples/consumer_find_package", "examples/consumer_add_subdirectory"])
def test_the_page_links_the_examples(file):
    assert f"](../../{file})" in PAGE and (ROOT / file).exists()


def test_the_lines_of_python_run(capsys):
    needs.package("antaeus")
    first, many = blocks("python")
    space = {}
    exec(first, space)  # noqa: S102
    assert capsys.readouterr().out.startswith("degraded ['settling'")
    exec(many, space)  # noqa: S102
    assert space["results"].sign == space["antaeus"].Sign.on_robot and not space["results"]["status"].any()


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """What the node publishes and says over the stand-ins: one line a thing that happened (ros2_stubs/spin.cpp)."""
    libraries = pathlib.Path(os.environ["ANTAEUS_CLI"]).parents[1] / "lib"
    if b"__asan_init" in pathlib.Path(os.environ["ANTAEUS_CLI"]).read_bytes():
        needs.skip("the library is built with sanitizers", "make test")
    site_packages = pathlib.Path(os.environ.get("ANTAEUS_SITE_PACKAGES") or sysconfig.get_path("purelib"))
    program = tmp_path_factory.mktemp("node") / "node"
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra", f"-I{ROOT / 'include'}", f"-I{STUBS}",
                    "-isystem", site_packages / "cmeel.prefix/include/eigen3", "-o", program,
                    ROOT / "examples/ros2_node/guarded_wrench_node.cpp", STUBS / "spin.cpp",
                    f"-L{libraries}", "-lantaeus", f"-Wl,-rpath,{libraries}"], check=True)
    told = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(line.split(": ", 1) for line in told.splitlines())


def force(line):
    """(published, force in the tool's axes [N], what was said last)"""
    published, x, y, z, said = re.match(r"(\d+) published, in tool0 (\S+) (\S+) (\S+); \d+ said(?:: )?(.*)", line).groups()
    return int(published), [float(x), float(y), float(z)], said


def test_the_node_publishes_the_force_in_the_tools_axes(node):
    published, (x, y, z), said = force(node["pushed"])
    assert published == 1000 and said == ""
    assert abs(x) < 1.0 and abs(y) < 1.0 and -21.0 < z < -18.0  # 20 N upwards; the flange looks down


@pytest.mark.parametrize("message", ["gripper", "without torques"])
def test_a_message_of_others_is_told_and_left_out(node, message):
    assert node[message] == "0 published; 1 said: not position and effort of every joint of ur5e"


def test_a_clock_that_goes_back_begins_anew(node):
    published, (_, _, z), said = force(node["clock back"])
    assert published == 500 and -21.0 < z < -18.0
    assert said.startswith("the clock went back by 92.0")


def test_an_old_message_is_refused(node):
    published, (_, _, z), said = force(node["late"])
    assert published == 1 and z > -20.0 and said.startswith("refused: ") and "stale" in said


def test_what_the_ros_package_needs_is_what_it_finds():
    """package.xml and CMakeLists.txt of the node name the same packages."""
    folder = ROOT / "examples/ros2_node"
    found = set(re.findall(r"find_package\((\w+)", (folder / "CMakeLists.txt").read_text()))
    assert found == set(re.findall(r"<(?:buildtool_)?depend>(\w+)<", (folder / "package.xml").read_text()))
