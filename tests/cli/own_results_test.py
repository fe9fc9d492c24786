"""Commands that write replace results of an earlier run of their own. Files of the user are refused by name, and stay."""

import json
import os
import shutil

import numpy as np
import pytest
from command_line import refused, run, text

STEPS = "step,force\n1,2\n"


def tree(folder):
    """Bytes of all files, and where links point, by path."""
    return {str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file()}


def targets(folder):
    (folder / "targets.csv").write_text("x,y,z\n0.5,0.2,0\n")
    return folder / "targets.csv"


# Command → its words before the folder. Each writes summary.json.
COMMANDS = {
    "audit": lambda small, folder: ["audit", small, "--robot", "planar_3r"],
    "check": lambda small, folder: ["check", small, "--robot", "planar_3r"],
    "show": lambda small, folder: ["show", small],
    "robot": lambda small, folder: ["robot", "planar_3r"],
    "ik": lambda small, folder: ["ik", "--robot", "planar_3r", "--frame", "tool", "--targets", targets(folder), "--position-only"],
}


def done(words):
    ended = run(*words)
    assert ended.returncode in (0, 1), text(ended.stderr)
    return ended


@pytest.mark.parametrize("command", COMMANDS)
def test_files_of_the_user_are_refused_and_stay(small, tmp_path, command):
    words = [*COMMANDS[command](small, tmp_path), "--out"]
    done([*words, tmp_path / "own"])
    names = [path.name for path in (tmp_path / "own").iterdir()]
    for name in names:
        project = tmp_path / f"with_{name}"
        project.mkdir()
        (project / name).write_text("{\"schema\": \"mine/1\"}")
        (project / "notes.txt").write_text("mine")
        before = tree(project)
        line = refused(*words, project)
        assert f"with_{name}/{name}: exists and is not a result of this command; choose another name, or move it away" in line
        assert tree(project) == before
    (tmp_path / "own" / "notes.txt").write_text("mine")
    done([*words, tmp_path / "own"])
    assert (tmp_path / "own" / "notes.txt").read_text() == "mine"


def test_links_in_a_folder_of_results_are_refused_and_a_link_to_it_is_followed(small, tmp_path):
    words = [*COMMANDS["audit"](small, tmp_path), "--out"]
    done([*words, tmp_path / "own"])
    (tmp_path / "link").symlink_to("own")
    done([*words, tmp_path / "link"])
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "own" / "steps.csv").rename(tmp_path / "steps.csv")
    (tmp_path / "own" / "steps.csv").symlink_to("../steps.csv")
    before = tree(tmp_path)
    assert "steps.csv: is a link, which is neither followed nor replaced" in refused(*words, tmp_path / "own")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_of_the_users_is_not_replaced_by_estimates(small, tmp_path, ending):
    words = ["estimate", small, "--robot", "planar_3r", "--out"]
    file = tmp_path / f"mine.{ending}"
    file.write_text(STEPS)
    assert f"mine.{ending}: exists and is not a result" in refused(*words, file)
    assert file.read_text() == STEPS
    for _ in range(2):  # its own is
        assert run(*words, tmp_path / f"forces.{ending}").returncode == 0


def test_the_users_logs_are_not_replaced_by_a_faulty_one(small, tmp_path):
    words = ["inject", small, "--robot", "planar_3r", "--joints", "joint_1", "--fault"]
    shutil.copytree(small, tmp_path / "other")
    before = tree(small)
    assert "is the log itself; name another folder" in refused(*words, "torque_sign", "--out", small)
    assert "exists and is not a result of this command" in refused(*words, "torque_sign", "--out", tmp_path / "other")
    assert tree(small) == before == tree(tmp_path / "other")
    for fault in ("torque_sign", "position_sign"):  # its own is
        ended = run(*words, fault, "--out", tmp_path / "wrong")
        assert ended.returncode == 0, text(ended.stderr)
    assert np.load(tmp_path / "wrong" / "tau.npy").shape == (20, 3)


def test_the_users_folders_are_not_replaced_by_synthetic_episodes(twins, tmp_path):
    for name in os.listdir(twins):
        shutil.copytree(twins / name, tmp_path / "mine" / name)
    before = tree(tmp_path / "mine")
    line = refused("demo", "--out", tmp_path / "demo", "--episodes", tmp_path / "mine")
    assert ".npy: exists and is not a result of this command" in line
    assert tree(tmp_path / "mine") == before


def test_results_of_an_earlier_release_are_recognised(small, tmp_path):
    """They have no generator in their page; summary.json shows whose they are."""
    words = [*COMMANDS["audit"](small, tmp_path), "--out", tmp_path / "own"]
    done(words)
    page = tmp_path / "own" / "report.html"
    page.write_text(page.read_text().replace('<meta name="generator" content="Antaeus">', ""))
    done(words)
    assert 'content="Antaeus"' in page.read_text()
    assert json.loads((tmp_path / "own" / "summary.json").read_text())["schema"].startswith("antaeus.")
