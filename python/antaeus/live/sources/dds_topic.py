"""dds://DOMAIN/TOPIC: Unitree's LowState from the robot's own network."""

import threading
import time
import typing

from antaeus.live.addresses import Address, library
from antaeus.live.dds_network import Participant
from antaeus.live.sources import Push

_DISCOVERY = 2.0  # [s] that a publisher is waited for, to see which of the types it has
_LOOK_UP_NS = 200_000_000  # [ns] after which `stop` is looked at, at the latest
_DEPTH = 256  # messages that cyclonedds keeps for us while we are busy
_TAKEN = 64  # messages at a time
_LARGEST_GO = 20  # motors of unitree_go's message
_SHOWN = 12  # topics in a message
_TYPES = {"hg": "unitree_hg::msg::dds_::LowState_", "go": "unitree_go::msg::dds_::LowState_"}


def open_source(address: Address, robot: typing.Any, speed: float) -> "DdsSource":
    """Joins the domain, and decides on the type: what the address says, else what a publisher has, else by the number of motors."""
    address.require_options(("type", "quaternion", "interface"))
    wanted = address.choice("type", ("hg", "go", "auto")) or "auto"
    quaternion = address.choice("quaternion", ("wxyz", "xyzw"))
    network = Participant(address)
    motors = len(robot.model.motor_names())
    if wanted == "auto":
        wanted = _announced(address, network) or ("go" if motors <= _LARGEST_GO else "hg")
    return DdsSource(address, network, wanted, quaternion)


def _announced(address: Address, network: Participant) -> str | None:
    """Which of the types a publisher of the topic has; None where nobody has come within _DISCOVERY."""
    begun = time.monotonic()
    while time.monotonic() < begun + _DISCOVERY:
        types = network.published().get(network.topic, set())
        known = [kind for kind, name in _TYPES.items() if name in types]
        if len(known) == 1:
            return known[0]
        if known:
            raise address.wrong(f"{network.topic} is published as {' and as '.join(sorted(types))}", "add ?type=hg or ?type=go")
        if types:
            raise address.wrong(f"{network.topic} carries {', '.join(sorted(types))}", f"name a topic of {' or '.join(_TYPES.values())}")
        time.sleep(0.05)
    return None


class DdsSource:
    """A reader of the topic, best effort, so that it hears reliable and unreliable writers and holds up neither. Messages stay
    the bytes that they are on the wire: cyclonedds's Python would decode one in half a millisecond."""

    def __init__(self, address: Address, network: Participant, kind: str, quaternion: str | None) -> None:
        self.format = f"low_state_{kind}"
        self.quaternion = quaternion
        self._network = network
        types = library("antaeus.live.dds_types", address.text)
        core, topics, readers = (library(f"cyclonedds.{name}", address.text) for name in ("core", "topic", "sub"))
        data_type = types.HgLowState if kind == "hg" else types.GoLowState
        policy = core.Policy
        qos = core.Qos(policy.Reliability.BestEffort, policy.History.KeepLast(_DEPTH))
        self._reader = readers.DataReader(network.participant, topics.Topic(network.participant, network.topic, data_type), qos=qos)
        self._mask = core.SampleState.Any | core.ViewState.Any | core.InstanceState.Any
        condition = core.ReadCondition(self._reader, core.SampleState.NotRead | core.ViewState.Any | core.InstanceState.Any)
        self._waiting = core.WaitSet(network.participant)
        self._waiting.attach(condition)
        self._take = library("cyclonedds._clayer", address.text).ddspy_take

    def what(self) -> str:
        """What is heard there, for people."""
        topic, domain = self._network.topic, self._network.domain_number
        found = self._network.published()
        if topic in found:
            types = ", ".join(sorted(found[topic]))
            return f"{topic} is published in domain {domain} as {types}, and no message comes: look at ?type="
        if not found:
            return f"no publisher in domain {domain}: look at the domain, the cable and ?interface="
        shown = sorted(found)[:_SHOWN]
        return f"no publisher of {topic} in domain {domain}; there are {', '.join(shown)}" + (", …" if len(found) > len(shown) else "")

    def run(self, push: Push, stop: threading.Event) -> None:
        """Takes until `stop`."""
        take, reader, mask, wait, now = self._take, self._reader._ref, self._mask, self._waiting.wait, time.monotonic
        while not stop.is_set():
            if wait(_LOOK_UP_NS) == 0:
                continue
            while True:
                samples = take(reader, mask, _TAKEN)
                if isinstance(samples, int):
                    raise OSError(f"dds: reading {self._network.topic} failed (code {samples}); start again")
                received = now()
                for data, about in samples:
                    if about.valid_data:  # else it says that a publisher went away
                        push(data, received, 0)
                if len(samples) < _TAKEN:
                    break
