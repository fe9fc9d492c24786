"""Reads with NumPy, pyarrow and Python what the library wrote (tests/io/io_parity_test.cpp)."""

import csv
import json
import os
import pathlib
import subprocess

import needs
import numpy as np
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files, written by the test program that lies beside the CLI."""
    cli = os.environ.get("ANTAEUS_CLI")
    if not cli:
        needs.skip("ANTAEUS_CLI is not set", "make test")
    program = pathlib.Path(cli).parent / "io_tests"
    written = tmp_path_factory.mktemp("io")
    environment = {**os.environ, "ANTAEUS_IO_PARITY": str(written)}
    subprocess.run([program, "--gtest_filter=IoParity.*"], env=environment, check=True, capture_output=True)
    return written


def test_parquet(folder):
    table = pq.read_table(folder / "table.parquet")
    table.validate(full=True)
    assert table.column_names == ["step", "Fz", "verdict"]
    assert table["step"].to_pylist() == [0, 2**53 + 1]
    assert table["Fz"].to_pylist() == [0.1, None]
    assert table["verdict"].to_pylist() == ['a "quoted", cell', "é\nline"]
    assert table.schema.field("Fz").metadata == {b"unit": b"N", b"meaning": b"force along z"}
    assert str(table.schema.field("verdict").type).startswith("dictionary<values=string")


def test_csv(folder):
    with open(folder / "table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    assert rows == [
        ["step", "Fz", "verdict"],
        ["0", "0.1", 'a "quoted", cell'],
        ["9007199254740993", "", "é\nline"],
    ]


def test_npy(folder):
    array = np.load(folder / "array.npy", allow_pickle=False)
    expected = np.array([[0.1, -0.0, np.nan], [1e308, 5e-324, 6]])
    assert array.dtype == np.float64 and array.shape == (2, 3)
    assert array.tobytes() == expected.tobytes()
    assert np.load(folder / "scalar.npy", allow_pickle=False) == 7


def test_npz(folder):
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:
        assert sorted(arrays.files) == ["q", "ü"]
        assert arrays["q"].tolist() == [[1.0], [2.0]]
        assert arrays["ü"].shape == (0,)
        assert arrays.zip.testzip() is None


def test_json(folder):
    value = json.loads((folder / "value.json").read_text(encoding="utf-8"))
    assert list(value) == ["x", "nan", "text"]
    assert value == {"x": 0.1, "nan": None, "text": 'é"\\\n\x01\ufffd'}
