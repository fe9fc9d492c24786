"""Beside a running robot, in the streams that it already publishes: `antaeus watch` (docs/live.md)."""
