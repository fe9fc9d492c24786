"""MJCFs that crash MuJoCo, or that it expands without end: one line that names file and element, and exit code 2."""

import os

import needs
import pytest
from command_line import refused, run

BODY = '<body name="b"><joint name="j" axis="0 0 1"/><geom size=".1"/></body>'


def model(text, before=""):
    return f"<mujoco>{before}<worldbody>{BODY}{text}</worldbody></mujoco>"


def nested(name, attributes, depth, inside):
    return f"<{name} {attributes}>" * depth + inside + f"</{name}>" * depth


SELF = '<asset><model name="m" file="{0}"/></asset>'
ATTACH = "".join(f'<attach model="m" body="b" prefix="{prefix}"/>' for prefix in "pq")
BOMBS = {
    "itself": (model(ATTACH, SELF.format("in.xml")), "<model>", "in.xml:1"),
    "each_other": (model(ATTACH, SELF.format("other.xml")), "<model>", "other.xml:1"),
    "included_itself": (model('<include file="in.xml"/>'), "<include>", "in.xml:1"),
    "includes_each_other": (model('<include file="includes.xml"/>'), "<include>", "includes.xml:1"),
    "doubled": (model(ATTACH, SELF.format("x0.xml")), "<attach", "x"),
    "replicate": (model('<replicate count="100000000"><geom size="1"/></replicate>'), "<replicate>", "in.xml:1"),
    "replicates": (model(nested("replicate", 'count="100"', 5, '<geom size="1"/>')), "<replicate>", "in.xml:1"),
    "replicate_of_many": (model('<replicate count="19000">' + '<geom size="1"/>' * 2 + "</replicate>"), "<geom>", "in.xml:1"),
    "nuser": (model("", '<size nuser_body="2000000000"/>'), 'nuser_body="2000000000"', "in.xml:1"),
    "nkey": (model("", '<size nkey="2000000000"/>'), "nkey", "in.xml:1"),
    "memory": (model("", '<size memory="900G"/>'), "memory", "in.xml:1"),
    "texture": (model("", '<asset><texture name="t" type="2d" builtin="flat" width="100000" height="100000"/></asset>'), "width", "in.xml:1"),
    "hfield": (model("", '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'), "nrow", "in.xml:1"),
    "mesh": (model("", '<asset><mesh name="m" builtin="supersphere" params="1000000 1 1"/></asset>'), "params", "in.xml:1"),
    "numeric": (model("", '<custom><numeric name="n" size="2e9"/></custom>'), "size", "in.xml:1"),
    "sensor": (model("", '<sensor><user dim="2000000000"/></sensor>'), "dim", "in.xml:1"),
    "flexcomp": (model('<flexcomp name="f" type="grid" count="10000 10000 10000" spacing="1 1 1" dim="3"/>'), "count", "in.xml:1"),
    "deep": (f"<mujoco><worldbody>{nested('body', '', 100000, '')}</worldbody></mujoco>", "Element nesting is too deep", "in.xml"),
    "fifo": (model("", '<asset><mesh name="m" file="pipe"/></asset>'), "<mesh> names", "not a regular file"),
    "device": (model("", '<asset><model name="m" file="/dev/zero"/></asset>'), "<model> names", "not a regular file"),
}


@pytest.fixture
def folder(tmp_path):
    needs.package("mujoco")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "other.xml").write_text(model(ATTACH, SELF.format("in.xml")))
    (tmp_path / "includes.xml").write_text('<mujoco><include file="in.xml"/></mujoco>')
    for i in range(24):
        (tmp_path / f"x{i}.xml").write_text(model(ATTACH, SELF.format(f"x{i + 1}.xml")))
    (tmp_path / "x24.xml").write_text(model(""))
    return tmp_path


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(folder, name):
    content, *words = BOMBS[name]
    (folder / "in.xml").write_text(content)
    message = refused("robot", folder / "in.xml", cwd=folder)
    assert all(word in message for word in words), message


def test_what_mujoco_has_no_memory_for_is_one_line(folder):
    """Numbers that the checks allow, and that make 3 GB: MuJoCo has a limit of memory of its own."""
    copies = '<replicate count="2000"><body><geom size="1"/></body></replicate>'
    (folder / "in.xml").write_text(model(copies, '<size nuser_body="100000" nuser_geom="100000"/>'))
    assert "in.xml: " in refused("robot", folder / "in.xml", cwd=folder, seconds=20.0)


def test_ordinary_models_load(folder):
    """Hundreds of meshes and copies, an include, and another file that is attached twice."""
    (folder / "t.obj").write_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    meshes = "".join(f'<mesh name="m{i}" file="t.obj" scale="{1 + i} 1 1"/>' for i in range(300))
    (folder / "assets.xml").write_text(f'<mujoco><asset>{meshes}<model name="m" file="x24.xml"/></asset></mujoco>')
    geoms = "".join(f'<geom type="mesh" mesh="m{i}"/>' for i in range(300))
    copies = '<replicate count="300" offset="1 0 0"><geom size=".1"/></replicate>'
    (folder / "in.xml").write_text(
        f'<mujoco><include file="assets.xml"/><worldbody><body><joint name="j"/>{geoms}{copies}{ATTACH}</body></worldbody></mujoco>')
    done = run("robot", folder / "in.xml", cwd=folder)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert b"pj" in done.stdout and b"qj" in done.stdout
