"""dds://DOMAIN/TOPIC: geometry_msgs/WrenchStamped at TOPIC, the guard's state as std_msgs/String beside it."""

import typing

from antaeus.live.addresses import Address, library
from antaeus.live.dds_network import Participant
from antaeus.live.sinks import ros_messages

_DEPTH = 16  # messages that are kept for a listener that is late; newer ones take the place of older ones
_MOST_TOPICS = 64


def open_sink(address: Address) -> "DdsSink":
    """Joins the domain."""
    address.require_options(("interface",))
    return DdsSink(address, Participant(address))


class DdsSink:
    """Writers by topic. They are reliable, as ROS 2's listeners ask for, and never wait for one: a late one gets the last _DEPTH
    messages. `dropped` counts what cyclonedds did not take."""

    encoding = "wrench_stamped"

    def __init__(self, address: Address, network: Participant) -> None:
        self.dropped = 0
        self._network = network
        types = library("antaeus.live.dds_types", address.text)
        self._types = {ros_messages.WRENCH: types.WrenchStamped, ros_messages.TEXT: types.String}
        self._topics, self._writers = library("cyclonedds.topic", address.text), library("cyclonedds.pub", address.text)
        core = library("cyclonedds.core", address.text)
        policy = core.Policy
        self._qos = core.Qos(policy.Reliability.Reliable(max_blocking_time=0), policy.History.KeepLast(_DEPTH))
        self._write = library("cyclonedds._clayer", address.text).ddspy_write
        self._open: dict[str, tuple[typing.Any, bool]] = {}

    def _writer(self, topic: str) -> tuple[typing.Any, bool]:
        """The writer of a topic, and whether it takes text. Raises OSError for more topics than a robot has endpoints."""
        if topic not in self._open:
            if len(self._open) >= _MOST_TOPICS:
                raise OSError(f"dds: more than {_MOST_TOPICS} topics; name fewer endpoints")
            name, kind = ros_messages.topic_and_type(self._network.topic, topic)
            participant = self._network.participant
            writer = self._writers.DataWriter(participant, self._topics.Topic(participant, name, self._types[kind]), qos=self._qos)
            self._open[topic] = writer, kind == ros_messages.TEXT
        return self._open[topic]

    def send(self, topic: str, payload: bytes) -> None:
        """Writes the bytes as they are."""
        writer, is_text = self._writer(topic)
        data = ros_messages.text_message(payload) if is_text else bytes(payload)
        if self._write(writer._ref, data + bytes(-len(data) % 4)) < 0:
            self.dropped += 1
