"""The robots of a fleet: loaded once a process, and told apart by what their files say."""

import functools
import hashlib
import os
import pathlib
import typing

from antaeus import _antaeus
from antaeus.formats.recording import FormatError


class OtherRobot(FormatError):
    """A robot whose files are not those that the logs were planned with."""


def _place(profile: str, beside: str) -> str:
    """A file beside `beside`, or the name of a robot that comes with Antaeus."""
    file = os.path.join(beside, profile)
    return file if os.path.exists(file) else profile


@functools.lru_cache(maxsize=8)
def _loaded(place: str) -> tuple[typing.Any, str]:
    robot = _antaeus.load_robot(place)
    sum_ = hashlib.sha256()
    for file in (robot.profile.file, robot.profile.model):
        if file != pathlib.Path() and file.is_file():
            sum_.update(hashlib.sha256(file.read_bytes()).digest())
    return robot, sum_.hexdigest()


def load(profile: str, beside: str = ".") -> tuple[typing.Any, str]:
    """A robot and the SHA-256 of its profile and description. ModelError as load_robot."""
    return _loaded(_place(profile, beside))


def load_as_planned(profile: str, model: str, beside: str = ".") -> typing.Any:
    """The robot that a plan names. OtherRobot where its files have changed since."""
    robot, found = load(profile, beside)
    if found != model:
        raise OtherRobot(profile, "is another robot than when the logs were planned", "plan into another folder")
    return robot
