"""Signatures that `inspect` reads, made of what nanobind knows of a function when somebody asks for them."""

import ast
import inspect
import re
import typing

from antaeus import _antaeus


def _names() -> dict[str, typing.Any]:
    """What annotations and defaults may name."""
    import collections.abc
    import os
    import pathlib

    import antaeus

    return {**vars(_antaeus), "antaeus": antaeus, "collections": collections, "os": os, "pathlib": pathlib,
            "typing": typing, "nan": float("nan"), "inf": float("inf")}


class _Source:
    """A default that stands in the signature as text alone."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _parsed(text: str, defaults: tuple[object, ...] | None) -> inspect.Signature:
    text = re.sub(r"numpy\.ndarray\[dtype=(\w+)[^\]]*\]", r"numpy.typing.NDArray[numpy.\1]", text)
    text = re.sub(r"\\(\d+)", r"__default_\1", re.sub(r"^def *\(", "def getter(", text)).removesuffix(":")
    names = _names()
    names.update({f"__default_{place}": value for place, value in enumerate(defaults or ())})
    function = ast.parse(f"{text}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)

    def value(node: ast.expr, otherwise: typing.Callable[[str], object]) -> typing.Any:
        try:
            return eval(compile(ast.Expression(node), "signature", "eval"), names)  # noqa: S307: our own text
        except Exception:  # noqa: BLE001: arrays stay as text: what they stand for in NumPy takes ten lines
            return otherwise(ast.unparse(node))

    def parameter(node: ast.arg, kind: typing.Any, default: ast.expr | None) -> inspect.Parameter:
        return inspect.Parameter(
            node.arg, kind, default=inspect.Parameter.empty if default is None else value(default, _Source),
            annotation=inspect.Parameter.empty if node.annotation is None else value(node.annotation, str))

    given = function.args
    plain = [*given.posonlyargs, *given.args]
    of_plain: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults))
    of_plain += given.defaults
    kinds = ([inspect.Parameter.POSITIONAL_ONLY] * len(given.posonlyargs)
             + [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(given.args))
    rows = [parameter(node, kind, default) for node, kind, default in zip(plain, kinds, of_plain)]
    if given.vararg:
        rows.append(parameter(given.vararg, inspect.Parameter.VAR_POSITIONAL, None))
    rows += [parameter(node, inspect.Parameter.KEYWORD_ONLY, default)
             for node, default in zip(given.kwonlyargs, given.kw_defaults)]
    if given.kwarg:
        rows.append(parameter(given.kwarg, inspect.Parameter.VAR_KEYWORD, None))
    answer = inspect.Signature.empty if function.returns is None else value(function.returns, str)
    return inspect.Signature(rows, return_annotation=answer)


def _together(first: inspect.Signature, second: inspect.Signature) -> inspect.Signature:
    """Of a function that takes either: what they call alike may be of both types; else anything."""
    if list(first.parameters) != list(second.parameters):
        answers = {first.return_annotation, second.return_annotation}
        return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                                  inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)],
                                 return_annotation=typing.Any if len(answers) > 1 else first.return_annotation)
    both = [mine if mine.annotation == other.annotation
            else mine.replace(annotation=typing.Union[mine.annotation, other.annotation])  # noqa: UP007
            for mine, other in zip(first.parameters.values(), second.parameters.values())]
    return first.replace(parameters=both)


def signature_of(function: typing.Any) -> inspect.Signature:
    """Of a function or method of the extension. AttributeError for one of another package."""
    if function.__module__ != "antaeus":
        raise AttributeError("__signature__")
    first, *others = [_parsed(text, defaults) for text, _, defaults in function.__nb_signature__]
    for other in others:
        first = _together(first, other)
    return first
