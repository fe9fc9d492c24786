"""What DDS and Zenoh share of publishing for ROS 2: names of topics, and JSON as std_msgs/String."""

import re
import struct

WRENCH, TEXT = "geometry_msgs/WrenchStamped", "std_msgs/String"
_NO_NAME = re.compile(r"[^A-Za-z0-9_]")


def topic_and_type(base: str, topic: str) -> tuple[str, str]:
    """Name and type of the ROS topic of a message: wrenches at `base` or base/<frame>, all else as text at base/<topic>."""
    kind, _, frame = topic.partition("/")
    name = frame if kind == "wrench" else topic
    return (f"{base}/{_NO_NAME.sub('_', name)}" if name else base), (WRENCH if kind == "wrench" else TEXT)


def text_message(payload: bytes) -> bytes:
    """std_msgs/String in little-endian CDR, with its encapsulation, to a multiple of four bytes."""
    message = b"\x00\x01\x00\x00" + struct.pack("<I", len(payload) + 1) + payload + b"\x00"
    return message + bytes(-len(message) % 4)
