"""Ceilings that only fall: what a file of them held before."""

import pathlib
import subprocess
import tomllib


def previous_ceilings(root: pathlib.Path, name: str) -> dict:
    """Returns the ceilings before the last change of the file, committed or not; empty without a git history."""
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, encoding="utf-8").stdout

    try:
        for commit in git("log", "-2", "--format=%H", "--", name).split():
            if (shown := git("show", f"{commit}:{name}")) != (root / name).read_text("utf-8"):
                return tomllib.loads(shown)
    except FileNotFoundError:  # no git
        pass
    return {}
