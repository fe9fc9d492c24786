"""The base of the package's enumerations."""

import enum


class Enumeration(enum.StrEnum):
    """Names in a fixed order. A member equals its text (`verdict == "ok"`) and prints as it; members and their texts
    are ordered as they are listed, and an unknown text has no place in that order."""

    def _places(self, other: str) -> tuple[int, int]:
        members = list(type(self))
        return members.index(self), members.index(type(self)(other))

    def __lt__(self, other: str) -> bool:
        mine, theirs = self._places(other)
        return mine < theirs

    def __le__(self, other: str) -> bool:
        mine, theirs = self._places(other)
        return mine <= theirs

    def __gt__(self, other: str) -> bool:
        mine, theirs = self._places(other)
        return mine > theirs

    def __ge__(self, other: str) -> bool:
        mine, theirs = self._places(other)
        return mine >= theirs
