"""What editors and type checkers read: signatures and stubs."""

import dataclasses
import enum
import inspect
import os
import pathlib
import re
import subprocess
import sys

import antaeus
import public_names
import needs
import pytest
from support import ROOT

PACKAGE = pathlib.Path(antaeus.__file__).parent
CLASSES = [value for name in antaeus.__all__ if inspect.isclass(value := getattr(antaeus, name))]
BOUND = [cls for cls in CLASSES if not issubclass(cls, (enum.Enum, BaseException, str)) and not dataclasses.is_dataclass(cls)]


def functions():
    """Name and function: every public function, method, static method and constructor of the extension."""
    for name in antaeus.__all__:
        value = getattr(antaeus, name)
        if not inspect.isclass(value) and hasattr(value, "__nb_signature__"):
            yield name, value
    for cls in BOUND:
        for name, member in vars(cls).items():
            if hasattr(member, "__nb_signature__") and (not name.startswith("_") or name in ("__init__", "__call__", "__getitem__")):
                yield f"{cls.__name__}.{name}", member


def constructor(cls):
    """The parameters of a class's constructor; inspect.signature(cls) fails for an extension in Python before 3.11.4."""
    return inspect.signature(cls.__init__).parameters


# Signatures ------------------------------------------------------------------------------------------------------------


def test_every_function_has_a_signature():
    count = 0
    for name, function in functions():
        signature = inspect.signature(function)
        count += 1
        assert signature.return_annotation is not inspect.Signature.empty, name
        texts = getattr(function, "__nb_signature__", [(str(signature),)])
        overloaded = len(texts) > 1
        for parameter in signature.parameters.values():
            if parameter.name == "self" or (overloaded and parameter.name in ("args", "kwargs")):
                continue
            assert re.search(rf"\b{parameter.name}\b", texts[0][0]), name
            assert parameter.name.startswith("_") or not re.fullmatch(r"arg\d*", parameter.name), f"{name}: {parameter.name}"
            assert parameter.annotation is not inspect.Parameter.empty or parameter.kind is parameter.VAR_KEYWORD, f"{name}: {parameter}"
    print(f"{count} functions, methods and constructors have a signature")
    assert count >= 440


def test_every_class_that_is_made_has_a_signature():
    """A class without a constructor has none: it is what functions return, and calling it is a TypeError."""
    made = 0
    for cls in BOUND:
        if type(vars(cls).get("__init__")).__name__ == "nb_method":
            made += 1
            assert next(iter(constructor(cls))) == "self", cls.__name__
        else:
            with pytest.raises(TypeError, match="no constructor"):
                cls()
    print(f"{made} of {len(BOUND)} classes are made by a call")
    assert made >= 60


def test_signatures_as_help_shows_them():
    assert str(inspect.signature(antaeus.load_robot)).startswith("(name_or_path: ")
    assert "meshes: str = 'ignored', base: str | None = None" in str(inspect.signature(antaeus.load_robot))
    chain = constructor(antaeus.GuardChain)
    assert chain["clamp_force"].default == 50 and chain["clamp_force"].kind.name == "KEYWORD_ONLY"
    assert list(inspect.signature(antaeus.Wrench().to_vector).parameters) == []
    assert list(inspect.signature(antaeus.Wrench.to_vector).parameters) == ["self"]
    assert list(inspect.signature(antaeus.Wrench.from_vector).parameters) == ["w"]
    assert list(constructor(antaeus.FreeFlight)) == ["self", "robot"]
    assert str(inspect.signature(antaeus.TaskProblem.add)) == "(self, *args, **kwargs) -> int"  # of a task, or of an objective
    inspect.signature(antaeus.load_robot).bind("h1_2", base="fixed")
    with pytest.raises(TypeError):
        inspect.signature(antaeus.load_robot).bind("h1_2", bases="fixed")


# Stubs -----------------------------------------------------------------------------------------------------------------


def test_public_names_are_those_that_were_agreed_on():
    """A name or a signature that changes shows in the diff of one file."""
    wanted = (ROOT / "tests/python/public_names.txt").read_text(encoding="utf-8").splitlines()
    found = public_names.written(PACKAGE).splitlines()
    gone, new = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    lines = [f"- {line}" for line in gone[:20]] + [f"+ {line}" for line in new[:20]]
    assert wanted == found, (
        f"{len(gone)} lines gone, {len(new)} new; if that is meant: PYTHONPATH={PACKAGE.parent} {sys.executable} "
        f"{ROOT}/tests/python/public_names.py > {ROOT}/tests/python/public_names.txt\n" + "\n".join(lines))


def test_examples_pass_a_type_checker(tmp_path):
    """mypy reads the stubs and the package's own text, and every example with them."""
    needs.package("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--check-untyped-defs", "--disable-error-code", "import-untyped", "--cache-dir", tmp_path,
         "--no-error-summary", *sorted((ROOT / "examples").glob("*.py"))],
        capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
    assert done.returncode == 0, done.stdout + done.stderr
