"""Puts this folder on Python's path: tests import `needs`."""
