"""Beside a running robot: its stream in, guarded wrenches out, on a page, to others, and into records.

`watch(source, robot)` is the verb `antaeus watch`; docs/guide/live.md. A source of your own is a class with one method (`sources`),
a sink too (`sinks`).
"""

from antaeus.live.events import Event, EventFinder
from antaeus.live.watching import Watch, Watched, watch

__all__ = ["Event", "EventFinder", "Watch", "Watched", "watch"]
