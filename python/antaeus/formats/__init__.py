"""Recordings in the formats that people have: read, mapped, written as an episode."""
