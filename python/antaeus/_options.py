"""Command lines of the verbs that are written in Python: one line an error, with the nearest option; settings; progress."""

import argparse
import sys
import time
import typing

from antaeus._terminal import unescaped
from antaeus.formats.recording import FormatError, nearest


class Parser(argparse.ArgumentParser):
    """Of a verb, `antaeus <verb>` being its program: one line an error, with the nearest option."""

    def error(self, message: str) -> typing.NoReturn:
        options = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        unknown = message.removeprefix("unrecognized arguments: ").split()
        if message.startswith("unrecognized") and unknown[0].startswith("-"):
            raise ValueError(f"unknown option '{unknown[0]}'; {nearest(unknown[0], options) or f'see {self.prog} --help'}")
        raise ValueError(f"{self.prog.removeprefix('antaeus ')}: {message}; see {self.prog} --help")


def settings_of(assignments: list[str]) -> dict[str, float | str | bool]:
    """Values by name, of what --set is given."""
    settings: dict[str, float | str | bool] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise FormatError("--set", f"'{assignment}' is no assignment", "write group.option=value")
        settings[name] = value
    return settings


class Bar:
    """Progress on stderr: on a terminal alone, and only of work that takes more than half a second."""

    _WIDTH = 40

    def __init__(self, what: str) -> None:
        self._what, self._begun, self._drawn = what, time.monotonic(), -1
        self._shown = sys.stderr.isatty()
        self._stream = unescaped(sys.stderr)

    def __call__(self, share: float) -> None:
        percent = int(100 * share)
        if not self._shown or percent == self._drawn or time.monotonic() - self._begun < 0.5:
            return
        self._drawn = percent
        full = int(self._WIDTH * share)
        bar = "█" * full + "░" * (self._WIDTH - full)
        text = "\r\033[K" if share >= 1.0 else f"\r{self._what} {bar} {percent:3d} %"
        print(text, end="", file=self._stream, flush=True)
