"""Every public name says what it is; arrays their shape, numbers their unit, and functions their errors."""

import enum
import inspect
import re

import antaeus

CLASSES = [value for name in antaeus.__all__ if inspect.isclass(value := getattr(antaeus, name))]
BOUND = [cls for cls in CLASSES if not issubclass(cls, (enum.Enum, BaseException, str))]


def functions():
    """Name and function: every public function, method, static method and constructor of the extension."""
    for name in antaeus.__all__:
        value = getattr(antaeus, name)
        if not inspect.isclass(value):
            yield name, value
    for cls in BOUND:
        for name, member in vars(cls).items():
            if hasattr(member, "__nb_signature__") and (not name.startswith("_") or name in ("__init__", "__call__", "__getitem__")):
                yield f"{cls.__name__}.{name}", member


def attributes():
    """Name and getter of every public attribute."""
    for cls in BOUND:
        for name, member in vars(cls).items():
            if isinstance(member, property) and not name.startswith("_"):
                yield f"{cls.__name__}.{name}", member.fget


def told(function):
    """Signature and docstring as they are written: of the extension, or of the package's Python."""
    if hasattr(function, "__nb_signature__"):
        return function.__nb_signature__[0][0], function.__nb_signature__[0][1] or ""
    return f"def {function.__name__}{inspect.signature(function)}", inspect.getdoc(function) or ""


# The rule, as a machine reads it. Every public name has a docstring: of an attribute or a function its own text, beyond
# the signature that nanobind puts before it. And it says, of what it is or returns:
# - an array: its shape in brackets with a number, a count or ×: [3], [N × 6], [nq]; or N × 7 in words;
# - a number that is not whole: its unit, or that it has none: "1" in a list of fields, a share, a ratio, a probability,
#   "no unit", or "in `unit`" where another attribute names it; or its class says the unit of all its numbers;
# - a function that takes names, files or options as text, and can so be handed what does not exist: the error, by name.
_SHAPE = re.compile(r"\[[^\]]*(\d|×|\b[NnRFE]\b|\bn[qv]\b|motors|joints|steps|endpoints|rows|columns|size|components|failures|frames)[^\]]*\]|\w × \w")
_UNIT = re.compile(
    r"(?<![\w·])(m|mm|rad|mrad|N|N·m|s|ms|kg|Hz|W|J|1|%|bytes|sd|sds|rad/s|rad/s²|m/s|m/s²|1/s|1/m|1/kg|N/m|N·m/rad|N·s/m|N·s|N/s|kg·m²|kg·m|"
    r"samples|steps)(?![\w·])|[Pp]robability|[Ss]hare|[Rr]atio|no unit|\b[Uu]nit\b|m or rad|[Nn]ats|P\(X|× ")
_ERROR = re.compile(r"\b(\w*Error)\b|as (for|in) |As `?antaeus\.|likewise|the same", re.IGNORECASE)


def test_every_name_has_a_docstring_with_shape_unit_and_error():
    named = arrays = numbers = raising = 0
    short = []
    for cls in CLASSES:
        named += 1
        if not inspect.getdoc(cls):
            short.append(f"{cls.__name__}: no docstring")
    rows = [(name, function, True) for name, function in functions()] + [(name, getter, False) for name, getter in attributes()]
    for name, function, called in rows:
        signature, doc = told(function)
        given, _, answer = signature.rpartition(" -> ")
        named += 1
        if name.endswith(".__init__") and not re.search(r"\(self(, /)?\)", signature):
            doc = (getattr(antaeus, name.split(".")[0]).__doc__ or "") + " " + doc  # said once: of the class, or here
        if not doc and not re.search(r"__init__\(self\)", signature):
            short.append(f"{name}: no docstring")
        if re.search(r"numpy\.ndarray\[|NDArray\[", answer) and not answer.startswith("dict"):
            arrays += 1
            if not _SHAPE.search(doc):
                short.append(f"{name}: shape of the array? {doc[:80]!r}")
        if re.fullmatch(r"float( \| None)?|list\[float\]", answer):
            numbers += 1
            of_class = getattr(antaeus, name.split(".")[0]).__doc__ or ""
            if not _UNIT.search(doc) and not ("." in name and re.search(r"\bunit\b", of_class)):
                short.append(f"{name}: unit of the number? {doc[:80]!r}")
        if called and re.search(r"PathLike|\*, \w+: (str|float|bool|int) = |: str\b(?! \| None = None)", given) and "chi_squared" not in name:
            raising += 1
            if not _ERROR.search(doc):
                short.append(f"{name}: which error? {doc[:80]!r}")
    print(f"{named} names, {arrays} arrays, {numbers} numbers, {raising} functions that can refuse what they are handed")
    assert not short, f"{len(short)} of {named} names:\n" + "\n".join(short)


def test_functions_of_modules_in_python_are_documented():
    import antaeus.environments
    import antaeus.stateful

    for module in (antaeus.environments, antaeus.stateful):
        assert inspect.getdoc(module)
        for name in module.__all__:
            cls = getattr(module, name)
            assert inspect.getdoc(cls)
            for member, function in vars(cls).items():
                if inspect.isfunction(function) and (not member.startswith("_") or member == "__init__"):
                    assert inspect.getdoc(function) or inspect.getdoc(cls), f"{name}.{member}"
