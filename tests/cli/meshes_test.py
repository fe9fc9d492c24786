"""The robot of report.html is drawn from its meshes, which are read here by NumPy; --meshes wants all of them."""

import base64
import json
import re
import struct

import needs
import numpy as np
import pytest
from command_line import ROOT, run

LIMIT = 30_000  # triangles of a robot, as the page says
CELL = 0.28  # of a mesh's longest edge: a box of n cells an edge has 12 n² triangles; with 480, the smallest share here, n is
# 6.3, and a corner lies within a cell's diagonal of the cell's mean
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


def scene_of(page):
    payload = json.loads(re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.S).group(1))
    return payload["scenes"][0]


def drawn(page):
    """Triangles of meshes by link, as the page holds them."""
    found = {}
    for link in scene_of(page)["robots"][0]["links"]:
        for shape in link["shapes"]:
            if shape["kind"] == "mesh":
                corners = np.frombuffer(base64.b64decode(shape["vertices"]["data"]), "<f4").reshape(-1, 3)
                indices = np.frombuffer(base64.b64decode(shape["indices"]["data"]), "<i4")
                found.setdefault(link["name"], []).append(corners[indices].reshape(-1, 3, 3))
    return found


def in_order(triangles):
    """Triangles whose first corner and whose order say nothing."""
    return sorted(min(tuple(map(tuple, np.roll(t, -k, axis=0).astype(float).round(6).tolist())) for k in range(3)) for t in triangles)


def farthest(some, others):
    """The largest distance from a sample of corners of one mesh to the nearest corner of another [m]."""
    sample = np.unique(some.reshape(-1, 3), axis=0)[::300].astype(float)
    others = np.unique(others.reshape(-1, 3), axis=0).astype(float)
    return max(np.sqrt(((others - corner) ** 2).sum(axis=1).min()) for corner in sample)


def note_of(page):
    return scene_of(page)["note"]


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
    assert in_order(triangles) == in_order(TETRAHEDRON * np.array([0.1, 0.2, 0.3]))
    assert "link.stl" not in note_of(page)
    assert audited(small, robot, tmp_path / "plain").replace(" --meshes", "") == page.replace(" --meshes", "")
    bare = audited(small, robot, tmp_path / "none", "--ignore-meshes")
    assert drawn(bare) == {} and "not at hand" not in note_of(bare)


def test_other_formats_are_drawn_too(small, meshed, tmp_path):
    """An OBJ file of the same tetrahedron, through the plugin."""
    corners = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3\nf 1 3 4\nf 1 4 2\nf 3 2 4\n"
    (triangles,), = drawn(audited(small, meshed("link.obj", text.encode()), tmp_path / "out")).values()
    assert in_order(triangles) == in_order(TETRAHEDRON)


def test_a_mesh_that_cannot_be_read_is_named_and_stood_in_for(small, meshed, tmp_path):
    page = audited(small, meshed("link_b.dae", b"<COLLADA/>"), tmp_path / "out")
    assert drawn(page) == {} and "link_b.dae" in note_of(page)
    assert all(link["shapes"] for link in scene_of(page)["robots"][0]["links"] if link["name"].startswith("link"))


def test_mirrored_mesh_keeps_its_outside(small, meshed, tmp_path):
    page = audited(small, meshed("link.stl", stl(TETRAHEDRON), "1 -1 1"), tmp_path / "out", "--meshes")
    (triangles,), = drawn(page).values()
    def volume(corners):
        return np.linalg.det(corners.astype(float)).sum() / 6
    assert volume(triangles) == pytest.approx(volume(TETRAHEDRON), rel=1e-6)


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
    urdf = needs.reference_data("robots/h1_2/meshes").parent / "h1_2_handless.urdf"
    profile = (ROOT / "robots" / "h1_2" / "profile.toml").read_text()
    profile, count = re.subn(r'^model\s*=\s*".*?"', f'model = "{urdf.resolve()}"', profile, flags=re.M)
    assert count == 1
    (tmp_path / "profile.toml").write_text(profile)
    page = audited(twins / "twin_incident", tmp_path / "profile.toml", tmp_path / "out", "--meshes")
    links = drawn(page)
    count = sum(len(triangles) for meshes in links.values() for triangles in meshes)
    assert LIMIT / 2 < count <= LIMIT
    compared = 0
    for match in re.finditer(r'<link name="(\w+)">.*?</link>', urdf.read_text(), re.S):
        visual = re.search(r'<visual>.*?<mesh filename="meshes/(.*?)"', match.group(0), re.S)
        if not visual:
            continue
        original = corners_of(urdf.parent / "meshes" / visual.group(1))
        triangles = links[match.group(1)][0]
        size = np.ptp(original.reshape(-1, 3), axis=0).max()
        assert max(farthest(original, triangles), farthest(triangles, original)) < CELL * size
        compared += 1
    assert compared > 20 and "coarser" in note_of(page)
    assert len(page) < 4 << 20
