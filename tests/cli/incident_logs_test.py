"""tools/incident_logs.sh lays the public logs only from the clone that holds them."""

import hashlib
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("ANTAEUS_SHARED", ROOT.parent / "shared")).resolve()
HASHES = dict(reversed(line.split()) for line in (ROOT / "tools/incident_logs.sha256").read_text("utf-8").splitlines())
ROBOT = "robots/h1_2/h1_2_handless.urdf"
URDF = "assets/h1_2/h1_2_handless.urdf"


def lay(target, *clones):
    return subprocess.run([ROOT / "tools/incident_logs.sh", *clones], env=os.environ | {"ANTAEUS_SHARED": str(target)},
                          capture_output=True, text=True, timeout=60, check=False)


def copied(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())


@pytest.fixture
def clone(tmp_path):
    """As the repository has them, with the controller as its submodule."""
    for name in HASHES:
        if not (SHARED / name).exists():
            pytest.skip(f"reference data absent: {SHARED / name}: tools/incident_logs.sh CLONE lays it (docs/incident.md)")
    folder = tmp_path / "clone"
    for name in HASHES:
        copied(SHARED / name, folder / "h12_ros2_controller" / URDF if name == ROBOT
               else folder / "data/real" / name.removeprefix("episodes/"))
    return folder


def refused(done, target):
    assert done.returncode == 2 and done.stdout == "", done
    (line,) = done.stderr.splitlines()
    assert not target.exists()
    return line


@pytest.mark.parametrize("where", ["within", "beside", "given"])
def test_every_file_is_laid(clone, tmp_path, where):
    arguments = [clone]
    if where == "beside":
        shutil.move(clone / "h12_ros2_controller", clone.parent / "h12_ros2_controller")
    if where == "given":
        shutil.move(clone / "h12_ros2_controller", tmp_path / "controller")
        arguments.append(tmp_path / "controller")
    for _ in range(2):  # again over what is there
        done = lay(tmp_path / "laid", *arguments)
        assert done.returncode == 0, done.stderr
    laid = {str(file.relative_to(tmp_path / "laid")): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in (tmp_path / "laid").rglob("*") if file.is_file()}
    assert laid == HASHES


def test_another_log_is_named_with_both_hashes(clone, tmp_path):
    name = "episodes/re3_real_encode_tr1/tau.npy"
    file = clone / "data/real" / name.removeprefix("episodes/")
    file.write_bytes(file.read_bytes()[:-1] + b"\x01")
    line = refused(lay(tmp_path / "laid", clone), tmp_path / "laid")
    assert str(file) in line and HASHES[name] in line and hashlib.sha256(file.read_bytes()).hexdigest() in line


def test_another_robot_is_named(clone, tmp_path):
    file = clone / "h12_ros2_controller" / URDF
    file.write_text(file.read_text("utf-8") + "\n", "utf-8")
    line = refused(lay(tmp_path / "laid", clone), tmp_path / "laid")
    assert str(file) in line and HASHES[ROBOT] in line and hashlib.sha256(file.read_bytes()).hexdigest() in line


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


def test_the_page_names_every_file_and_hash():
    page = (ROOT / "docs/incident.md").read_text("utf-8")
    for name, wanted in HASHES.items():
        assert f"{wanted}  {name}" in page, name
