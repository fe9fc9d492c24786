"""Slurm: one array job over parts of what is missing, waited for. The script stays in DIR/slurm, to be read or sent again."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence

from antaeus.fleet import plans, task
from antaeus.fleet.engines import Asked, Lost, Row
from antaeus.formats import ownership
from antaeus.formats.recording import FormatError

_MARK = "#SBATCH --job-name=antaeus-fleet"
_MOST_PARTS = 1000  # Slurm's MaxArraySize is 1001 unless an administrator said otherwise


def script(folder: pathlib.Path, parts: int) -> str:
    """What sbatch is given."""
    work = [sys.executable, "-m", "antaeus", "--verb", "fleet", "work", str(folder)]
    return "\n".join(["#!/bin/sh", _MARK, f"#SBATCH --array=0-{parts - 1}", "#SBATCH --cpus-per-task=1",
                      f"#SBATCH --output={folder / 'slurm' / '%a.txt'}", "# Which rows are missing is looked up when a part begins: sent again, it computes what is missing then.",
                      f"exec {shlex.join(work)} --part \"$SLURM_ARRAY_TASK_ID\" --of {parts}", ""])


def part_of(rows: Sequence[Row], part: int, of: int) -> list[Row]:
    """A part's rows: by their ids, so that it has the same ones whatever others have done meanwhile."""
    return [row for row in rows if int(row["id"], 16) % of == part]


def outcomes(rows: Sequence[Row], asked: Asked) -> Iterator[tuple[Row, "dict[str, str] | Lost"]]:
    """Rows once all parts have ended."""
    sbatch = shutil.which("sbatch")
    if sbatch is None:
        raise FormatError("--engine slurm", "there is no sbatch on PATH", "run this on a login node of the cluster, or take --engine local")
    folder = pathlib.Path(asked.folder).resolve()
    file = folder / "slurm" / "array.sh"
    file.parent.mkdir(exist_ok=True)
    if os.path.lexists(file) and not (ownership.is_file(file) and _MARK in file.read_text(encoding="utf-8", errors="replace")):
        raise FormatError(file, "exists, and fleet did not write it", "name another folder with --out, or move it away")
    text = script(folder, min(len(rows), asked.workers or _MOST_PARTS))
    plans.write_whole(file, lambda made: made.write_text(text, encoding="utf-8"))
    partition = [f"--partition={asked.address}"] if asked.address else []
    sent = subprocess.run([sbatch, "--wait", *partition, str(file)], capture_output=True, text=True, check=False)
    done = {row["id"] for row in rows} - {row["id"] for row in task.missing(folder)}
    if sent.returncode != 0 and not done:
        said = " ".join((sent.stderr or sent.stdout).split()) or "nothing"
        raise FormatError("--engine slurm", f"sbatch ended with code {sent.returncode} and reports {said}", f"see {file} and {file.parent}/*.txt")
    for row in rows:
        yield row, ({"id": row["id"], "status": "done", "cause": "", "reason": ""} if row["id"] in done
                    else Lost("its part of the array has ended without it", "killed"))
