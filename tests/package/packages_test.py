"""package.xml and conda/recipe.yaml against CMake: one place of the version, no dependency forgotten."""

import pathlib
import re
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"^project\(antaeus VERSION (\S+)", CMAKE, re.MULTILINE)[1]
ROS = ROOT / "package.xml"
RECIPE = (ROOT / "conda/recipe.yaml").read_text()

# What CMake looks for: its package at conda-forge; what package.xml says of it, a key of rosdep or a word of its comment.
# None: not needed there.
THIRD_PARTIES = {
    "ArrowWheel": ("libarrow", "Arrow"),
    "CLI11": ("cli11", "cli11"),
    "Eigen3": ("eigen", "Eigen"),
    "MujocoWheel": ("libmujoco", "MuJoCo"),
    "NlohmannJsonWheel": (None, "nlohmann-json"),  # the tests'
    "ZLIB": ("zlib", "zlib"),
    "assimp": ("assimp", "assimp"),
    "coal": ("coal", "Coal"),
    "nanobind": ("nanobind", None),  # the Python package's, which a workspace takes as a wheel
    "pinocchio": ("libpinocchio", "Pinocchio"),
    "tinyxml2": ("tinyxml2", "tinyxml2"),
    "tomlplusplus": ("tomlplusplus", "libtomlplusplus-dev"),
}
# Libraries that the packages below bring, or others find themselves.
OF_OTHERS = {"Python", "antaeus", "Arrow", "Parquet", "mujoco"}


def looked_for():
    """Package -> least version, of all find_package of the build."""
    found = {}
    for file in sorted((ROOT / "cmake").glob("*.cmake")):
        code = re.sub(r"#.*", "", file.read_text())
        for name, version in re.findall(r"find_package\((\w+)(?: ([0-9.]+))?", code):
            found[name] = version or found.get(name, "")
    return {name: version for name, version in found.items() if name not in OF_OTHERS}


def recipe_needs():
    """Package -> least version, of the recipe's lists `host`. A few lines do for a file that is ours."""
    needs, reading = {}, False
    for line in RECIPE.splitlines():
        item = re.match(r"\s+- ([a-z0-9_-]+)(?: >=([0-9.]+))?", line)
        if re.match(r"\s+\w+:", line):
            reading = line.strip() == "host:"
        elif reading and item:
            needs[item[1]] = item[2] or needs.get(item[1], "")
    return needs


def test_every_third_party_is_in_both_packages():
    assert set(looked_for()) == set(THIRD_PARTIES), "cmake/ looks for something else than this table has"
    needs = recipe_needs()
    told = ROS.read_text()
    for name, (conda, ros) in THIRD_PARTIES.items():
        assert conda is None or conda in needs, f"conda/recipe.yaml does not name {conda}"
        assert ros is None or ros in told, f"package.xml does not name {ros}"


def test_least_versions_are_those_of_cmake():
    needs = recipe_needs()
    told = ROS.read_text()
    for name, version in looked_for().items():
        conda, ros = THIRD_PARTIES[name]
        if conda and version:
            assert needs[conda] == version, f"conda/recipe.yaml: {conda} >={needs[conda]}, CMake asks for {version}"
        if ros in ("Pinocchio", "Coal", "MuJoCo"):
            assert f"{ros} {version}" in told, f"package.xml does not say {ros} {version}"


def test_one_version():
    package = xml.etree.ElementTree.parse(ROS).getroot()
    assert package.findtext("version") == VERSION
    assert re.search(r"^  version: (\S+)", RECIPE, re.MULTILINE)[1] == VERSION
    minor = VERSION.rsplit(".", 1)[0]
    for file in ["docs/guide/in_your_project.md", *sorted(p.relative_to(ROOT) for p in (ROOT / "examples").glob("*/CMakeLists.txt"))]:
        for asked in re.findall(r"find_package\(antaeus ([0-9.]+)", (ROOT / file).read_text()):
            assert asked == minor, f"{file} asks for {asked}"


def test_the_manifest_of_ros_is_of_format_3():
    package = xml.etree.ElementTree.parse(ROS).getroot()
    assert package.tag == "package" and package.get("format") == "3"
    assert package.findtext("name") == "antaeus"
    assert package.findtext("license") == "BSD-3-Clause"
    assert package.find("maintainer").get("email")
    assert package.findtext("export/build_type") == "cmake"


@pytest.mark.parametrize("name", ["libantaeus", "antaeus-cli", "antaeus"])
def test_the_recipe_has_three_packages(name):
    assert re.search(rf"^  - package:\n      name: {name}\n    inherit: antaeus-build\n", RECIPE, re.MULTILINE)
