"""Hostile and broken input: one line that names the file and the place, exit code 2, nothing half-written, quickly, in bounded
memory (command_line.run bounds both for every call)."""

import csv
import os
import shutil

import needs
import numpy as np
import pytest
from command_line import ROOT, run

PLANAR = ROOT / "robots" / "planar_3r"


def lines_of(done):
    return done.stderr.decode("utf-8", "surrogateescape").splitlines()


def listing(folder):
    """Every file below the folder with its bytes."""
    return {str(f.relative_to(folder)): f.read_bytes() if f.is_file() else None for f in folder.rglob("*")}


def refused(*arguments, names=(), **how):
    done = run(*arguments, **how)
    lines = lines_of(done)
    assert done.returncode == 2, (done.returncode, lines)
    assert len(lines) == 1, lines
    assert done.stdout == b""
    for name in names:
        assert os.fspath(name) in lines[0], lines[0]
    return lines[0]


def audit_refused(episode, tmp_path, *names, robot="planar_3r", more=(), **how):
    """The audit is refused; a folder that is not there stays away, and one that is there stays as it was."""
    line = refused("audit", episode, "--robot", robot, "--out", tmp_path / "absent" / "deep", *more, names=names, **how)
    assert not (tmp_path / "absent").exists()
    present = tmp_path / "present"
    present.mkdir()
    (present / "report.html").write_text("of yesterday")
    before = listing(present)
    refused("audit", episode, "--robot", robot, "--out", present, *more, names=names, **how)
    assert listing(present) == before
    return line


def raw_npy(path, descr, shape, data=b"", order=False):
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)


# --- episodes -----------------------------------------------------------------------------------------------------------

def test_missing_folder(small, tmp_path):
    assert "no such episode; did you mean 'small'?" in audit_refused(tmp_path / "smal", tmp_path, tmp_path / "smal")


@pytest.mark.parametrize("name", ["tau", "qpos"])
def test_missing_file(small, tmp_path, name):
    (small / f"{name}.npy").unlink()
    assert "missing" in audit_refused(small, tmp_path, small / f"{name}.npy")


def test_no_episode(small, tmp_path):
    (tmp_path / "log.txt").write_text("not an episode")
    assert "not an episode" in audit_refused(tmp_path / "log.txt", tmp_path, tmp_path / "log.txt")


def test_empty_folder_and_empty_file(small, tmp_path):
    (tmp_path / "nothing").mkdir()
    assert "missing" in audit_refused(tmp_path / "nothing", tmp_path, tmp_path / "nothing" / "tau.npy")
    shutil.rmtree(tmp_path / "present")
    (small / "tau.npy").write_bytes(b"")
    audit_refused(small, tmp_path, small / "tau.npy")


def test_a_shape_that_is_none(small, tmp_path):
    """The others are LoadEpisode's and Numpy's in C++; here: one line, quickly, and nothing half-written."""
    for shape in ("(1000000000000, 3)", "(20, 3, 1)"):
        raw_npy(small / "tau.npy", "'<f8'", shape, b"\0" * 480)
        audit_refused(small, tmp_path, small / "tau.npy")
        shutil.rmtree(tmp_path / "present")


def test_time_going_back(small, tmp_path):
    time = np.arange(20) * 0.02
    time[13] = 0.1
    np.save(small / "time.npy", time)
    line = audit_refused(small, tmp_path, small / "time.npy")
    assert "row 13: time goes back from 0.24 s to 0.1 s" in line


def test_nan_in_the_middle_is_a_gap_and_the_audit_is_whole(small, tmp_path):
    """The steps keep their place with verdict invalid_input; a single one changes no exit code."""
    tau = np.load(small / "tau.npy")
    tau[7, 1] = np.nan
    np.save(small / "tau.npy", tau)
    done = run("audit", small, "--robot", "planar_3r", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert len(lines_of(done)) == 1
    assert "small" in lines_of(done)[0] and "step 7" in lines_of(done)[0] and "invalid_input" in lines_of(done)[0]
    assert sorted(os.listdir(tmp_path / "out")) == ["report.html", "steps.csv", "steps.parquet", "summary.json"]
    with open(tmp_path / "out" / "steps.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(r["step"]) for r in rows if r["estimator"] == "deployed"] == list(range(20))
    for row in rows:
        hurt = row["step"] == "7"
        assert (row["verdict"] == "invalid_input") == hurt
        for name in ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "kappa"):
            assert (row[name] == "") == hurt, (row["step"], name)
        # Behind the posterior's guard the consumer always reads a number, and what it is stands beside it.
        if row["estimator"] == "posterior":
            assert row["guarded_Fx"] != ""
            assert not hurt or (row["guard_state"], row["guard_action"]) == ("refused", "hold")
        else:
            assert (row["guarded_Fx"] == "") == hurt


def test_nan_everywhere(small, tmp_path):
    np.save(small / "tau.npy", np.full((20, 3), np.nan))
    done = run("audit", small, "--robot", "planar_3r", "--out", tmp_path / "out")
    assert done.returncode == 1 and len(lines_of(done)) == 1
    assert b"No step of this log can be used" in done.stdout


def test_nan_in_a_baseline_is_noted(small, tmp_path):
    good = tmp_path / "good"
    shutil.copytree(small, good)
    tau = np.load(good / "tau.npy")
    tau[3, 0] = np.inf
    np.save(good / "tau.npy", tau)
    done = run("audit", small, "--robot", "planar_3r", "--baseline", good, "--json")
    assert done.returncode == 0
    assert len(lines_of(done)) == 1 and "good" in lines_of(done)[0] and "step 3" in lines_of(done)[0]


# --- .npy headers -------------------------------------------------------------------------------------------------------

def test_truncated(small, tmp_path):
    whole = (small / "tau.npy").read_bytes()
    for length in (5, 9, 40, 127, 128, len(whole) - 1):
        (small / "tau.npy").write_bytes(whole[:length])
        audit_refused(small, tmp_path, small / "tau.npy")
        shutil.rmtree(tmp_path / "present")


def test_an_object_array_that_numpy_wrote_is_not_unpickled(small, tmp_path):
    np.save(small / "tau.npy", np.array([[{"a": 1}] * 3] * 20, dtype=object), allow_pickle=True)
    assert "|O" in audit_refused(small, tmp_path, small / "tau.npy")


def test_fortran_order_is_read_right(small):
    plain = run("audit", small, "--robot", "planar_3r", "--json")
    for name in ("tau", "qpos", "target_dof", "dq"):
        np.save(small / f"{name}.npy", np.asfortranarray(np.load(small / f"{name}.npy")))
    assert b"'fortran_order': True" in (small / "tau.npy").read_bytes()[:128]
    turned = run("audit", small, "--robot", "planar_3r", "--json")
    assert turned.returncode == plain.returncode == 0

    def without_hashes(out):
        return [line for line in out.decode().splitlines() if "sha256" not in line]

    assert without_hashes(turned.stdout) == without_hashes(plain.stdout)


# --- .npz and .csv ------------------------------------------------------------------------------------------------------

def test_npz(small, tmp_path):
    whole = tmp_path / "log.npz"
    np.savez_compressed(whole, **{f.stem: np.load(f) for f in small.glob("*.npy")})
    # To the last bit and on the same endpoint: only the names of the sources differ.
    assert run("estimate", whole, "--robot", "planar_3r", "--json").stdout == run("estimate", small, "--robot", "planar_3r", "--json").stdout
    data = whole.read_bytes()
    for length in (0, 10, len(data) // 2, len(data) - 1):
        whole.write_bytes(data[:length])
        refused("audit", whole, "--robot", "planar_3r", names=[whole])
    spoiled = bytearray(data)
    spoiled[200] ^= 0xFF
    whole.write_bytes(spoiled)
    refused("audit", whole, "--robot", "planar_3r", names=[whole])


HEAD = ",".join(f"{channel}_{m}" for channel in ("tau", "qpos", "target_dof") for m in range(3))


@pytest.mark.parametrize("content, place", [
    (HEAD + "\n1,2,3,4,5,6,7,8\n", ":2"), (HEAD + "\n1,2,x,4,5,6,7,8,9\n", "'x' is text"), (HEAD + '\n"1,2,3\n', ":2"),
    (HEAD.replace("tau_1", "tau_0") + "\n", "twice"), (HEAD.replace("tau_1", "tau_9") + "\n1,2,3,4,5,6,7,8,9\n", ":1"),
    ("", "empty"), (HEAD + "\n", "no steps"), ("1,2,3\n4,5,6\n", "numbers where the header"),
])
def test_csv(tmp_path, content, place):
    log = tmp_path / "log.csv"
    log.write_text(content)
    assert place in audit_refused(log, tmp_path, log)


# --- robots -------------------------------------------------------------------------------------------------------------

def test_unknown_frame_and_robot(small, tmp_path):
    assert "did you mean 'tool'?" in audit_refused(small, tmp_path, "too", more=("--endpoint", "too"))
    shutil.rmtree(tmp_path / "present")
    assert "did you mean 'planar_3r'?" in audit_refused(small, tmp_path, "planar_3", robot="planar_3")
    shutil.rmtree(tmp_path / "present")
    missing = tmp_path / "no" / "robot.urdf"
    audit_refused(small, tmp_path, missing, robot=missing)


@pytest.fixture
def urdf(tmp_path):
    """A copy of the planar arm's description, and the number of the line that holds a text."""
    folder = tmp_path / "robot"
    shutil.copytree(PLANAR, folder)
    file = folder / "planar_3r.urdf"

    def line_of(text):
        lines = file.read_text().splitlines()
        return next(i for i, line in enumerate(lines, 1) if text in line)

    return file, line_of


def test_urdf_with_a_missing_inertia(small, tmp_path, urdf):
    import re

    file, line_of = urdf
    text = file.read_text()
    links = re.findall(r'<link name="([^"]+)">.*?</link>', text, re.S)
    joints = re.findall(r'<joint name="([^"]+)" type="(?:revolute|continuous)">.*?<child link="([^"]+)"/>', text, re.S)
    joint, moving = joints[-1]
    assert moving in links
    start = text.index(f'<link name="{moving}">')
    cut = re.sub(r"<inertial>.*?</inertial>", lambda m: "\n" * m.group(0).count("\n"), text[start:], count=1, flags=re.S)
    file.write_text(text[:start] + cut)
    line = audit_refused(small, tmp_path, f"{file}:{line_of(f'<joint name={chr(34)}{joint}{chr(34)}')}", robot=file.parent / "profile.toml")
    assert f"joint '{joint}' has no inertia of its own to move" in line and f"link '{moving}'" in line


def test_urdf_with_a_missing_mesh(small, tmp_path, urdf):
    file, _ = urdf
    text = file.read_text().replace("</link>", '<visual><geometry><mesh filename="hull.stl"/></geometry></visual>\n</link>', 1)
    file.write_text(text)
    for more in ((), ("--ignore-meshes",)):
        done = run("audit", small, "--robot", file.parent / "profile.toml", "--json", *more)
        assert done.returncode == 0 and done.stderr == b""
    done = run("audit", small, "--robot", file.parent / "profile.toml", "--meshes", "--out", tmp_path / "out")
    assert done.returncode == 2 and b"hull.stl" in done.stderr and not (tmp_path / "out").exists()


def test_urdf_that_is_none(small, tmp_path):
    for name, content in [("empty", b""), ("text", b"no xml"), ("open", b"<robot name='a'><link name='b'>"), ("bytes", bytes(range(256)) * 10),
                          ("deep", b"<a>" * 100000), ("loop", b"<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>")]:
        file = tmp_path / f"{name}.urdf"
        file.write_bytes(content)
        refused("audit", small, "--robot", file, names=[file])


def test_profile_that_is_none(small, tmp_path, urdf):
    profile = urdf[0].parent / "profile.toml"
    good = profile.read_text()
    for old, new in [('motors = ["joint_1"', 'motors = ["joint_9"'), ("schema = 1", "schema = ["), ('frame = "tool"', 'frame = "tol"'),
                     ('model = "planar_3r.urdf"', 'model = "absent.urdf"'), ("schema = 1", "schema = 1\nmotosr = 3")]:
        assert old in good
        profile.write_text(good.replace(old, new, 1))
        assert "profile.toml" in refused("audit", small, "--robot", profile) or "absent.urdf" in new


# --- output -------------------------------------------------------------------------------------------------------------

def test_output_below_a_regular_file(small, tmp_path):
    """Permissions do not bind root, who runs tests in containers: a file where a folder must be binds everybody."""
    (tmp_path / "file").write_text("kept")
    line = refused("audit", small, "--robot", "planar_3r", "--out", tmp_path / "file" / "out", names=[tmp_path / "file"])
    assert "cannot be made" in line
    assert (tmp_path / "file").read_text() == "kept"


def test_output_is_a_regular_file(small, tmp_path):
    (tmp_path / "out").write_text("kept")
    refused("audit", small, "--robot", "planar_3r", "--out", tmp_path / "out", names=[tmp_path / "out"])
    assert (tmp_path / "out").read_text() == "kept"


@needs.PROC
def test_output_folder_that_nobody_may_write(small):
    """/proc takes no new folders, from root neither: the nearest to a read-only disk without mounting one."""
    refused("audit", small, "--robot", "planar_3r", "--out", "/proc/antaeus", names=["/proc/antaeus"])


def test_output_folder_without_permission(small, tmp_path):
    """Root passes every permission by its capabilities: the program is started without them (command_line.run)."""
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    line = refused("audit", small, "--robot", "planar_3r", "--out", folder, names=[folder], capabilities=False)
    assert "choose a folder that you may write to" in line
    folder.chmod(0o755)
    assert listing(folder) == {}


def test_episode_without_permission(small, tmp_path):
    (small / "tau.npy").chmod(0)
    line = refused("audit", small, "--robot", "planar_3r", "--out", tmp_path / "out", names=[small / "tau.npy"], capabilities=False)
    assert "cannot be read" in line
    assert not (tmp_path / "out").exists()


def test_a_folder_where_a_file_must_go(small, tmp_path):
    out = tmp_path / "out"
    (out / "steps.csv").mkdir(parents=True)
    refused("audit", small, "--robot", "planar_3r", "--out", out, names=[out / "steps.csv"])
    assert list(listing(out)) == ["steps.csv"], "the report, which comes before it, is not there either"


@pytest.mark.parametrize("limit", [0, 1000, 8000])
def test_disk_full(small, tmp_path, limit):
    """Simulated by a limit on the size of each file: writing fails as on a full disk, after some bytes have gone through."""
    audit_refused(small, tmp_path, file_limit=limit)
    line = refused("estimate", small, "--robot", "planar_3r", "--out", tmp_path / "wrenches.csv", file_limit=limit, names=[tmp_path / "wrenches.csv"]) \
        if limit < 8000 else ""
    assert limit == 8000 or "free disk space" in line
    assert not (tmp_path / "wrenches.csv").exists()
    assert not [f for f in tmp_path.rglob(".antaeus*")], "no temporary file is left"


def test_output_replaces_a_former_audit_whole(small, tmp_path):
    out = tmp_path / "out"
    assert run("audit", small, "--robot", "planar_3r", "--out", out).returncode == 0
    first = listing(out)
    np.save(small / "tau.npy", np.load(small / "tau.npy") * 2)
    refused("audit", small, "--robot", "planar_3r", "--out", out, file_limit=4000)
    assert listing(out) == first
    assert run("audit", small, "--robot", "planar_3r", "--out", out).returncode == 0
    assert sorted(listing(out)) == sorted(first)
    assert all(listing(out)[name] != first[name] for name in first)


def test_a_log_beyond_the_memory_names_options_that_the_verb_has(tmp_path):
    """A file of holes: it has the length of two gigabytes and the blocks of none."""
    (tmp_path / "log").mkdir()
    rows = (2 << 30) // 24
    for name in ("tau", "qpos"):
        with open(tmp_path / "log" / f"{name}.npy", "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (rows, 3)})
            file.truncate(file.tell() + 24 * rows)
    for verb, *more in (("show",), ("estimate", "--smooth", "0.2")):  # what wants the log as a whole
        line = refused(verb, tmp_path / "log", "--robot", "planar_3r", *more, names=())
        assert "not enough memory; cut the log" in line
        assert "--from" not in line
