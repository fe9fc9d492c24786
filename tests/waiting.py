"""Waits for events: tests and the processes that they start."""

import time


def until(happens, seconds=120.0):
    """Waits until happens() is true and returns it. seconds: more than any load of the machine takes."""
    end = time.monotonic() + seconds
    while not (value := happens()):
        assert time.monotonic() < end, f"not within {seconds:g} s"
        time.sleep(0.0005)
    return value
