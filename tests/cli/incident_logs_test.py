"""tools/incident_logs.sh lays the public logs only from the clone that holds them."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HASHES = dict(reversed(line.split()) for line in (ROOT / "tools/incident_logs.sha256").read_text("utf-8").splitlines())
ROBOT = "robots/h1_2/h1_2_handless.urdf"
URDF = "assets/h1_2/h1_2_handless.urdf"


def lay(target, *clones, project=ROOT):
    return subprocess.run([project / "tools/incident_logs.sh", *clones], env=os.environ | {"ANTAEUS_SHARED": str(target)},
                          capture_output=True, text=True, timeout=60, check=False)


def cloned(folder, contents):
    """As the repository has them, with the controller as its submodule."""
    for name, content in contents.items():
        file = folder / "h12_ros2_controller" / URDF if name == ROBOT else folder / "data/real" / name.removeprefix("episodes/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def laid(target):
    return {str(file.relative_to(target)): hashlib.sha256(file.read_bytes()).hexdigest() for file in target.rglob("*") if file.is_file()}


@pytest.fixture
def made_up(tmp_path):
    """A project that wants other files, a clone that has them, and their hashes: needs no data of others."""
    contents = {name: name.encode() for name in HASHES}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    tools = tmp_path / "project/tools"
    tools.mkdir(parents=True)
    shutil.copy(ROOT / "tools/incident_logs.sh", tools)
    (tools / "incident_logs.sha256").write_text("".join(f"{wanted}  {name}\n" for name, wanted in hashes.items()), "utf-8")
    return tools.parent, cloned(tmp_path / "clone", contents), hashes


def refused(done, target):
    assert done.returncode == 2 and done.stdout == "", done
    (line,) = done.stderr.splitlines()
    assert not target.exists()
    return line


@pytest.mark.parametrize("submodule", ["submodules/h12_ros2_controller", "third_party/robots/controller"])
def test_finds_the_robot_in_any_submodule(made_up, tmp_path, submodule):
    project, clone, hashes = made_up
    (clone / submodule).parent.mkdir(parents=True)
    shutil.move(clone / "h12_ros2_controller", clone / submodule)
    done = lay(tmp_path / "laid", clone, project=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{len(hashes)} files")
    assert laid(tmp_path / "laid") == hashes


@pytest.mark.parametrize("where", ["within", "beside", "given"])
def test_every_file_is_laid(made_up, tmp_path, where):
    project, clone, hashes = made_up
    arguments = [clone]
    if where == "beside":
        shutil.move(clone / "h12_ros2_controller", clone.parent / "h12_ros2_controller")
    if where == "given":
        shutil.move(clone / "h12_ros2_controller", tmp_path / "controller")
        arguments.append(tmp_path / "controller")
    for _ in range(2):  # again over what is there
        done = lay(tmp_path / "laid", *arguments, project=project)
        assert done.returncode == 0, done.stderr
    assert laid(tmp_path / "laid") == hashes


@pytest.mark.parametrize("name", ["data/real/re3_real_encode_tr1/tau.npy", f"h12_ros2_controller/{URDF}"])
def test_another_file_is_named_with_both_hashes(made_up, tmp_path, name):
    project, clone, hashes = made_up
    file = clone / name
    wanted = hashlib.sha256(file.read_bytes()).hexdigest()
    file.write_bytes(file.read_bytes() + b"\n")
    line = refused(lay(tmp_path / "laid", clone, project=project), tmp_path / "laid")
    assert wanted in hashes.values()
    assert str(file) in line and wanted in line and hashlib.sha256(file.read_bytes()).hexdigest() in line


def test_what_is_no_clone_of_the_logs(tmp_path):
    """Needs no data of others."""
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "re1_real_encode/dq.npy is absent; SHA-256 " in refused(lay(tmp_path / "laid", empty), tmp_path / "laid")
    other = empty / "data/real/re1_real_encode/dq.npy"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"another")
    line = refused(lay(tmp_path / "laid", empty), tmp_path / "laid")
    assert hashlib.sha256(b"another").hexdigest() in line and HASHES["episodes/re1_real_encode/dq.npy"] in line
    assert "is no folder" in refused(lay(tmp_path / "laid", tmp_path / "nowhere"), tmp_path / "laid")
    assert "usage" in refused(lay(tmp_path / "laid"), tmp_path / "laid")


def test_the_page_names_the_script_and_its_hashes():
    page = (ROOT / "docs/concepts/incident.md").read_text("utf-8")
    assert "tools/incident_logs.sh " in page and "(../../tools/incident_logs.sha256)" in page
    assert HASHES and all(re.fullmatch(r"[0-9a-f]{64}", one) for one in HASHES.values())
