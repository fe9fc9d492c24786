"""zenoh://TOPIC: geometry_msgs/WrenchStamped as rmw_zenoh publishes it, the guard's state as std_msgs/String beside it."""

import secrets
import struct
import time
import typing

from antaeus.live import zenoh_network
from antaeus.live.addresses import Address, library
from antaeus.live.sinks import ros_messages

# Hashes of the types' definitions (REP 2016), which stand in the keys of ROS 2 from Jazzy on.
_HASHES = {ros_messages.WRENCH: "RIHS01_8dc3deaf06b2ab281f9f9a742a8961c328ca7cec16e3fd6586d3a5c83fa78f77",
           ros_messages.TEXT: "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"}
_MOST_TOPICS = 64


def open_sink(address: Address) -> "ZenohSink":
    """Opens the session, so that an endpoint in use is said at once."""
    address.require_options(zenoh_network.OPTIONS)
    if zenoh_network.MARK in address.place or "*" in address.place:
        raise address.wrong("is a key expression", "name the topic to publish, as zenoh://wrench")
    domain = zenoh_network.domain_of(address)
    zenoh_network.key_of(address, address.place, ros_messages.WRENCH, domain)  # refuses what is no topic
    return ZenohSink(address, domain)


class ZenohSink:
    """Publishers by topic. They drop what the network does not take at once; Zenoh does not count it."""

    encoding = "wrench_stamped"

    def __init__(self, address: Address, domain: str) -> None:
        self.dropped = 0
        self._zenoh = library("zenoh", address.text)
        self._session = zenoh_network.open_session(address)
        self._base, self._domain = address.place.strip("/"), domain
        self._open: dict[str, tuple[typing.Any, bool]] = {}
        self._count, self._identity = 0, b"\x10" + secrets.token_bytes(16)

    def send(self, topic: str, payload: bytes) -> None:
        """Puts the bytes with the attachment that listeners of rmw_zenoh ask for: number, time, who."""
        publisher, is_text = self._publisher(topic)
        self._count += 1
        attachment = struct.pack("<qq", self._count, time.time_ns()) + self._identity
        try:
            publisher.put(ros_messages.text_message(payload) if is_text else bytes(payload), attachment=attachment)
        except self._zenoh.ZError:
            self.dropped += 1

    def close(self) -> None:
        """Closes the session."""
        self._session.close()

    def _publisher(self, topic: str) -> tuple[typing.Any, bool]:
        if topic not in self._open:
            if len(self._open) >= _MOST_TOPICS:
                raise OSError(f"zenoh: more than {_MOST_TOPICS} topics; name fewer endpoints")
            name, kind = ros_messages.topic_and_type(self._base, topic)
            package, _, last = kind.partition("/")
            key = f"{self._domain}/{name}/{package}{zenoh_network.MARK}{last}_/{_HASHES[kind]}"
            publisher = self._session.declare_publisher(key, congestion_control=self._zenoh.CongestionControl.DROP)
            self._open[topic] = publisher, kind == ros_messages.TEXT
        return self._open[topic]
