"""audit --meshes: the robot of report.html is drawn from its STL files, which are read here by NumPy."""

import base64
import json
import re
import struct

import numpy as np
import pytest
from command_line import ROOT, SHARED, run

URDF = SHARED / "robots" / "h1_2" / "h1_2_handless.urdf"
LIMIT = 20_000  # triangles of a mesh, as the page says
CELL = 0.02  # of a mesh's longest edge: a coarser mesh may be off by about a cell of its grid
PLANAR = ROOT / "robots" / "planar_3r"
TETRAHEDRON = np.array([[[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
                        [[0, 0, 0], [0, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]], "<f4")


def stl(corners):
    records = np.zeros(len(corners), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records["corners"] = corners
    return bytes(80) + struct.pack("<I", len(corners)) + records.tobytes()


def corners_of(path):
    records = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    return np.frombuffer(path.read_bytes()[84:], records)["corners"]


def drawn(page):
    """Triangles by link, as the page holds them."""
    payload = json.loads(re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.S).group(1))
    found = {}
    for link in payload["robot"]["links"]:
        for shape in link["shapes"]:
            if shape["kind"] == "mesh":
                numbers = np.frombuffer(base64.b64decode(shape["triangles"]["data"]), "<f4")
                assert shape["triangles"]["shape"] == [1, len(numbers)]
                found.setdefault(link["name"], []).append(numbers.reshape(-1, 3, 3))
    return found


def farthest(some, others):
    """The largest distance from a sample of corners of one mesh to the nearest corner of another [m]."""
    sample = np.unique(some.reshape(-1, 3), axis=0)[::300].astype(float)
    others = np.unique(others.reshape(-1, 3), axis=0).astype(float)
    return max(np.sqrt(((others - corner) ** 2).sum(axis=1).min()) for corner in sample)


def note_of(page):
    found = re.search(r'<p class="quiet" id="mesh-note">(.*?)</p>', page)
    return found.group(1) if found else ""


@pytest.fixture
def meshed(tmp_path):
    """The planar arm, the first visual shape of which is replaced by a mesh: a function of file name, bytes and scale."""
    def make(name, content, scale="1 1 1"):
        folder = tmp_path / "robot"
        folder.mkdir(exist_ok=True)
        if content is not None:
            (folder / name).write_bytes(content)
        profile = (PLANAR / "profile.toml").read_text()
        model = re.search(r'^model\s*=\s*"(.*?)"', profile, re.M).group(1)
        text, count = re.subn(r"(<visual>.*?<geometry>).*?(</geometry>)",
                              rf'\1<mesh filename="{name}" scale="{scale}"/>\2', (PLANAR / model).read_text(), count=1, flags=re.S)
        assert count == 1
        (folder / model).write_text(text)
        (folder / "profile.toml").write_text(profile)
        return folder / "profile.toml"
    return make


def audited(episode, robot, out, *more):
    done = run("audit", episode, "--robot", robot, "--out", out, *more, seconds=60)
    assert done.returncode in (0, 1), done.stderr
    return (out / "report.html").read_text()


def test_mesh_is_drawn_scaled(small, meshed, tmp_path):
    robot = meshed("link.stl", stl(TETRAHEDRON), "0.1 0.2 0.3")
    page = audited(small, robot, tmp_path / "out", "--meshes")
    (triangles,), = drawn(page).values()
    np.testing.assert_allclose(triangles, TETRAHEDRON * np.array([0.1, 0.2, 0.3]), rtol=1e-6)
    assert note_of(page) == ""
    plain = audited(small, robot, tmp_path / "plain")
    assert drawn(plain) == {}
    assert note_of(plain) == ""


def test_mirrored_mesh_keeps_its_outside(small, meshed, tmp_path):
    page = audited(small, meshed("link.stl", stl(TETRAHEDRON), "1 -1 1"), tmp_path / "out", "--meshes")
    (triangles,), = drawn(page).values()
    def volume(corners):
        return np.linalg.det(corners.astype(float)).sum() / 6
    assert volume(triangles) == pytest.approx(volume(TETRAHEDRON), rel=1e-6)


def test_other_formats_are_named(small, meshed, tmp_path):
    page = audited(small, meshed("link_b.dae", b"<COLLADA/>"), tmp_path / "out", "--meshes")
    assert drawn(page) == {}
    assert "link_b.dae" in note_of(page)


@pytest.mark.parametrize("content", [None, b"", stl(TETRAHEDRON)[:-1], stl(TETRAHEDRON * np.float32(np.nan))],
                         ids=["missing", "empty", "truncated", "nan"])
def test_bad_mesh_is_one_line(small, meshed, tmp_path, content):
    done = run("audit", small, "--robot", meshed("link.stl", content), "--out", tmp_path / "out", "--meshes")
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 2
    assert len(lines) == 1 and "link.stl" in lines[0], lines
    assert done.stdout == b"" and not (tmp_path / "out").exists()


def test_meshes_cannot_be_ignored_and_drawn(small, meshed):
    done = run("audit", small, "--robot", meshed("link.stl", None), "--meshes", "--ignore-meshes")
    assert done.returncode == 2 and b"--meshes" in done.stderr


def test_h1_2_from_its_own_meshes(twins, tmp_path):
    if not URDF.exists():
        pytest.skip(f"reference data absent: {URDF}")
    profile = (ROOT / "robots" / "h1_2" / "profile.toml").read_text()
    profile, count = re.subn(r'^model\s*=\s*".*?"', f'model = "{URDF.resolve()}"', profile, flags=re.M)
    assert count == 1
    (tmp_path / "profile.toml").write_text(profile)
    page = audited(twins / "twin_incident", tmp_path / "profile.toml", tmp_path / "out", "--meshes")
    links = drawn(page)
    coarser = set()
    for match in re.finditer(r'<link name="(\w+)">.*?</link>', URDF.read_text(), re.S):
        visual = re.search(r'<visual>.*?<mesh filename="meshes/(.*?)"', match.group(0), re.S)
        if not visual:
            continue
        original = corners_of(URDF.parent / "meshes" / visual.group(1))
        triangles = links[match.group(1)][0]
        if len(original) <= LIMIT:
            np.testing.assert_array_equal(triangles, original)
            continue
        coarser.add(visual.group(1))
        assert LIMIT / 2 < len(triangles) <= LIMIT
        size = np.ptp(original.reshape(-1, 3), axis=0).max()
        assert max(farthest(original, triangles), farthest(triangles, original)) < CELL * size
    assert coarser and all(name in note_of(page) for name in coarser)
    assert len(page) < 32 << 20
