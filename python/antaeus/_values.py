"""What every class of the package has beside what C++ gives it: a line that says what it holds, and whether it can be
copied and pickled."""

from __future__ import annotations

import re

from antaeus import _antaeus

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes as long as all of this
    import typing

_WIDTH = 120  # characters of a line, about

# Lines -----------------------------------------------------------------------------------------------------------------


def _number(value: float, unit: str = "") -> str:
    return f"{value:.6g}" + (f" {unit}" if unit and unit != "1" else "")


def _numbers(values: typing.Iterable[float], unit: str = "") -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]" + (f" {unit}" if unit else "")


def _text(value: object, size: int = 40) -> str:
    line = " ".join(str(value).split())
    return line if len(line) <= size else line[:size - 1] + "…"


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number != 1 else f"1 {name.removesuffix('s')}"


def _plan(cls: type) -> list[tuple[str, bool, str, str]]:
    """What a line may say of a class: name, whether it is called, kind, unit; numbers and names before arrays."""
    found = []
    for base in reversed(cls.__mro__):
        for name, member in vars(base).items():
            function = member.fget if isinstance(member, property) else member
            signatures = getattr(function, "__nb_signature__", None)
            without_arguments = signatures and re.match(r"def \w*\((self)?(: [^,]*)?\) -> ", signatures[0][0])
            if name.startswith("_") or not without_arguments:
                continue
            answer = signatures[0][0].rpartition(" -> ")[2].removesuffix(" | None")
            unit = re.search(r" \[([^\]]+)\]\.$", signatures[0][1] or "")
            kind = "scalar" if answer in ("bool", "int", "float", "str", "os.PathLike", "pathlib.Path") else None
            if answer.startswith("antaeus.") and answer[8:] in _ENUMERATIONS:
                kind = "scalar"
            elif answer.startswith("numpy.ndarray"):
                kind = "array"
            elif answer.startswith(("list[", "dict[", "collections.abc.Sequence[")):
                kind = "list"
            called = not isinstance(member, property)
            if kind == "scalar" or (kind and not called) or answer == "list[str]":
                found.append((name, called, kind, unit[1] if unit and answer == "float" else ""))
    return sorted(found, key=lambda row: ("scalar", "array", "list").index(row[2]))


_plans: dict[type, list[tuple[str, bool, str, str]]] = {}
_ENUMERATIONS = {name for name, value in vars(_antaeus).items() if hasattr(value, "__members__")}


def _part(value: typing.Any, name: str, kind: str, unit: str) -> str | None:
    """None: nothing worth a word."""
    if kind == "array":
        return f"{name} [{' × '.join(map(str, value.shape))}]" if value.size else None
    if kind == "list" and len(value):
        texts = isinstance(value, list) and isinstance(value[0], str)
        return f"{name}: {_text(', '.join(value), 60) if texts else len(value)}"
    if kind == "list":
        return None
    if value is None or value == "" or value != value:
        return None
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if isinstance(value, float):
        return f"{name}={_number(value, unit)}"
    return f"{name}={_text(value)}"


def line_of(self: typing.Any) -> str:
    """The first numbers and names of an object, its arrays by their shape, its lists by their length; of a class that
    shows nothing of the kind, the first sentence of its docstring."""
    cls = type(self)
    if cls not in _plans:
        _plans[cls] = _plan(cls)
    text = ""
    for name, called, kind, unit in _plans[cls]:
        try:
            value = getattr(self, name)
            part = _part(value() if called else value, name, kind, unit)
        except Exception:  # noqa: BLE001: an object that is used up has still a line
            continue
        if part and len(text) + len(part) > _WIDTH:
            text += ", …"
            break
        if part:
            text += (", " if text else "") + part
    return f"{cls.__name__}({text or _text((cls.__doc__ or '').split('. ')[0].rstrip('.'), 80)})"


def _line_of_wrench(self: typing.Any) -> str:
    return f"Wrench(force={_numbers(self.force, 'N')}, torque={_numbers(self.torque, 'N·m')})"


def _line_of_estimate(self: typing.Any) -> str:
    doubt = f", sd of the worst direction {_number(self.uncertainty.worst_sd(), 'N')}" if self.uncertainty else ""
    return (f"WrenchEstimate({self.verdict}, {self.sign}: F = {_numbers(self.wrench.force, 'N')}, "
            f"M = {_numbers(self.wrench.torque, 'N·m')}{doubt})")


def _line_of_consumed(self: typing.Any) -> str:
    return (f"ConsumerWrench({self.state}: F = {_numbers(self.wrench.force, 'N')}, "
            f"M = {_numbers(self.wrench.torque, 'N·m')})")


def _line_of_estimates(self: typing.Any) -> str:
    found = ", ".join(f"{each.verdict} {_numbers(each.wrench.force, 'N')}" for each in self)
    return f"{type(self).__name__}({self.status()}: {found})"


def _line_of_model(self: typing.Any) -> str:
    return (f"RobotModel({self.description().name}: {_count(self.motor_count(), 'motors')}, {self.base()}, nq={self.nq()}, "
            f"nv={self.nv()}, {_number(self.total_mass(), 'kg')})")


def _line_of_profile(self: typing.Any) -> str:
    ends = ", ".join(endpoint.frame for endpoint in self.endpoints)
    return f"RobotProfile({self.name}: {_count(len(self.motor_labels), 'motors')}, endpoints {_text(ends, 80) or 'none'})"


def _line_of_robot(self: typing.Any) -> str:
    model, ends = self.model, ", ".join(endpoint.frame for endpoint in self.profile.endpoints)
    loads = model.options().payloads
    return (f"Robot({self.profile.name or model.description().name}: {_count(model.motor_count(), 'motors')}, base {model.base()}, "
            f"endpoints {_text(ends, 80) or 'none'}" + (f", {_count(len(loads), 'payloads')}" if loads else "") + ")")


def _line_of_episode(self: typing.Any) -> str:
    steps, held = self.steps(), [name for name in ("q", "tau", "target", "v", "imu_quaternion") if getattr(self, name).size]
    last = f", {_number(float(self.time[-1] - self.time[0]), 's')}" if self.has_time() and steps else ", no time"
    return f"Episode({_text(self.name) or 'no name'}: {_count(steps, 'steps')}{last}, {' '.join(held) or 'no channels'})"


def _line_of_twin(self: typing.Any) -> str:
    return f"SyntheticEpisode({self.episode!r}, true wrenches of {_count(len(self.wrenches), 'endpoints')})"


def _line_of_observation(self: typing.Any) -> str:
    held = [name for name in ("q", "v", "a", "tau") if getattr(self, name).size]
    held += [name for name in ("imu_quaternion_xyzw", "imu_angular_velocity", "imu_specific_force") if getattr(self, name) is not None]
    when = "no time" if self.time != self.time else f"time={_number(self.time, 's')}"
    return f"Observation({when}, {_count(self.q.size, 'motors')}, {' '.join(held) or 'no channels'})"


def _line_of_settings(self: typing.Any) -> str:
    pairs = ", ".join(f"{one.group}.{one.name}={one.value}" for one in self.all())
    return f"Settings({_text(pairs, _WIDTH)})"


def _line_of_payload(self: typing.Any) -> str:
    name = f"{self.name}, " if self.name else ""
    return f"Payload({name}{_number(self.inertial.mass, 'kg')} at {self.frame})"


def _line_of_guarded(self: typing.Any) -> str:
    states = ", ".join(f"{name} {one.state}" for name, one in zip(self.reader().endpoint_names(), self.results()))
    return f"GuardedEstimator({_text(states, 80)}; {_count(self.refusals(), 'refusals')})"


_LINES = {
    "Wrench": _line_of_wrench, "WrenchEstimate": _line_of_estimate, "ConsumerWrench": _line_of_consumed,
    "WrenchEstimates": _line_of_estimates, "PosteriorEstimates": _line_of_estimates, "RobotModel": _line_of_model,
    "RobotProfile": _line_of_profile, "Robot": _line_of_robot, "Episode": _line_of_episode,
    "SyntheticEpisode": _line_of_twin, "Observation": _line_of_observation, "Settings": _line_of_settings,
    "Payload": _line_of_payload, "GuardedEstimator": _line_of_guarded,
}

# Copies and pickles ----------------------------------------------------------------------------------------------------

_LIVE = ("it holds the memory of a running loop", "make another one from the robot and the options of this one")
_VIEW = ("it belongs to the reader that made it, and grows stale with its next call", "copy the arrays and numbers that you need")
_SHARED = ("it belongs to one model and shares its memory", "make another one where you need it")
_MUJOCO = ("MuJoCo holds its state", "make another one from the scene there")
_PART = ("it shows a part of what C++ keeps whole", "copy the arrays and numbers that you need, or save the result")
_DRAWN = ("it is a drawing in the making", "draw it again there, or hand its svg() over")
_REASONS = {
    _VIEW: ("Instant", "InstantReader", "PositionTerms", "WrenchEstimates", "Residual", "FreeFlyingMotion"),
    _SHARED: ("KinematicChain", "ReachModel", "Task", "Objective", "TaskProblem", "SelfCollisionModel", "ToolDynamics"),
    _MUJOCO: ("MujocoScene", "MujocoRobot", "MujocoPlant", "MujocoCamera", "SceneDescription"),
    _PART: ("Tare", "ContactFrame", "SettledFrames", "ContactResult", "ExperimentResult", "Page"),
    _DRAWN: ("Figure",),
}


def restore(cls: type, version: str, data: bytes) -> object:
    """What a pickle calls. Error for one of another version of Antaeus, or for damaged bytes."""
    return _antaeus._restore(cls, version, data)


def _reason(cls: type) -> tuple[str, str]:
    for reason, names in _REASONS.items():
        if any(base.__name__ in names for base in cls.__mro__):
            return reason
    return _LIVE


def _refuse(cls: type) -> None:
    reason, remedy = _reason(cls)
    message = f"antaeus.{cls.__name__} cannot be copied or pickled: {reason}; {remedy}"

    def refuse(self: object, *_: object) -> typing.NoReturn:
        raise TypeError(message)

    cls.__copy__ = cls.__deepcopy__ = cls.__reduce__ = refuse  # type: ignore[attr-defined, method-assign, assignment]


# Functions -------------------------------------------------------------------------------------------------------------


def _signature(function: typing.Any) -> typing.Any:
    from antaeus import _signatures  # what it imports takes longer than the package itself

    return _signatures.signature_of(function)


def _signature_of_bound(method: typing.Any) -> typing.Any:
    whole = _signature(method.__func__)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def _by_name(function: typing.Any) -> typing.Any:
    """For pickle: the name under which another process finds it."""
    return function.__qualname__ if function.__module__ == "antaeus" else object.__reduce__(function)


def _reduce_bound(method: typing.Any) -> tuple[object, ...]:
    return getattr, (method.__self__, method.__func__.__name__)


def _is_bound(cls: object) -> bool:
    return isinstance(cls, type) and type(cls).__name__ == "nb_type"


def complete() -> None:
    """Gives every class of the extension its line, and those that are no values the sentence that says why; gives
    nanobind's types of functions a signature and a pickle."""
    for name, cls in vars(_antaeus).items():
        if not _is_bound(cls):
            continue
        if name in _LINES or "__repr__" not in vars(cls):
            cls.__repr__ = _LINES.get(name, line_of)
        if not {"__reduce__", "__getstate__"} & set(vars(cls)):
            _refuse(cls)
    of_function = {"__signature__": property(_signature), "__reduce__": _by_name}
    for kind in (type(_antaeus._restore), type(_antaeus.Wrench.is_finite)):
        _antaeus._extend_type(kind, of_function)
    _antaeus._extend_type(type(_antaeus.Wrench().is_finite),
                          {"__signature__": property(_signature_of_bound), "__reduce__": _reduce_bound})
