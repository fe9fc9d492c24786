"""What happened in a log: reconstruction, events, causes, remedies and verdict, and the page that shows them.

The room is called `audit` in C++. Here that name belongs to the function, `antaeus.audit(…)`.
"""

from antaeus import _rooms

__all__ = _rooms.fill(globals())
