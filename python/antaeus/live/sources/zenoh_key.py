"""zenoh://KEY[?imu=KEY]: sensor_msgs/JointState and Imu of ROS 2, as rmw_zenoh publishes them."""

import threading
import time
import typing

from antaeus.live import zenoh_network
from antaeus.live.addresses import Address, library, plain
from antaeus.live.sources import Push

_JOINTS, _IMU = 0, 1  # parts of "ros2"
_SHOWN = 12  # topics in a message
_LISTENING = 0.5  # [s] that what() listens to what is there
_MOST_KEYS = 1000


def open_source(address: Address, robot: typing.Any, speed: float) -> "ZenohSource":
    """Opens the session, so that an endpoint in use is said at once."""
    address.require_options(("imu", *zenoh_network.OPTIONS))
    domain = zenoh_network.domain_of(address)
    joints = zenoh_network.key_of(address, address.place, "sensor_msgs/JointState", domain)
    imu = address.options.get("imu")
    imu_key = zenoh_network.key_of(address, imu, "sensor_msgs/Imu", domain) if imu else f"{domain}/**/sensor_msgs{zenoh_network.MARK}Imu_/*"
    return ZenohSource(address, zenoh_network.open_session(address), joints, imu_key)


class ZenohSource:
    """Subscriptions to the joints and the IMU. Of several keys that fit one of them, the first that is heard is taken from then
    on, and what() names it: two robots' messages are never mixed."""

    format = "ros2"

    def __init__(self, address: Address, session: typing.Any, joints: str, imu: str) -> None:
        self._session, self._keys, self._address = session, (joints, imu), address
        self._heard: dict[int, str] = {}
        self._others: set[str] = set()
        self._lock = threading.Lock()  # of two links, two threads receive

    def what(self) -> str:
        """What is heard there, for people."""
        if _JOINTS in self._heard:
            topics = {part: plain(zenoh_network.topic_of(key)) for part, key in self._heard.items()}
            imu = f"the IMU from {topics[_IMU]}" if _IMU in topics else "no IMU is heard"
            left = [plain(zenoh_network.topic_of(key)) for key in sorted(self._others)[:_SHOWN]]
            return f"joints from {topics[_JOINTS]}, {imu}" + (f"; not taken: {', '.join(left)}" if left else "")
        found = self._published()
        if not found:
            return "no publisher there: look at ?connect= (the router's endpoint), ?domain= and whether the router runs"
        return (f"no publisher of {zenoh_network.topic_of(self._keys[_JOINTS])} as sensor_msgs/JointState; there are "
                f"{', '.join(found[:_SHOWN])}" + (", …" if len(found) > _SHOWN else ""))

    def run(self, push: Push, stop: threading.Event) -> None:
        """Subscribes until `stop`."""
        # Called by the thread that receives, and not by one of each subscription: joints and IMU come in the order in which they
        # were sent. Two threads were up to 0.1 s apart on a busy machine.
        callback = library("zenoh.handlers", self._address.text).Callback
        subscriptions = [self._session.declare_subscriber(key, callback(self._taker(push, part), indirect=False))
                         for part, key in enumerate(self._keys)]
        try:
            stop.wait()
        finally:
            for subscription in subscriptions:
                subscription.undeclare()
            self._session.close()

    def _taker(self, push: Push, part: int) -> typing.Any:
        heard, others, lock, now = self._heard, self._others, self._lock, time.monotonic

        def take(sample: typing.Any) -> None:
            received = now()
            key = str(sample.key_expr)
            with lock:
                if heard.setdefault(part, key) == key:
                    push(sample.payload.to_bytes(), received, part)
                elif len(others) < _MOST_KEYS:
                    others.add(key)

        return take

    def _published(self) -> list[str]:
        """Topics that are announced (rmw_zenoh's liveliness tokens), and those that are heard in half a second."""
        found: set[str] = set()

        def see(sample: typing.Any) -> None:
            if len(found) < _MOST_KEYS:
                found.add(plain(zenoh_network.topic_of(str(sample.key_expr))))

        try:
            listening = self._session.declare_subscriber("**", see)
            for reply in self._session.liveliness().get("@ros2_lv/**", timeout=_LISTENING):
                parts = str(reply.ok.key_expr).split("/") if reply.ok is not None else []
                if len(parts) > 9 and parts[5] == "MP" and len(found) < _MOST_KEYS:  # a publisher: …/<topic>/<type>/<hash>/<qos>
                    found.add(plain(f"{parts[-4].replace('%', '/')} ({parts[-3]})"))
            time.sleep(_LISTENING)
            listening.undeclare()
        except library("zenoh", self._address.text).ZError:  # the session was closed meanwhile
            return []
        return sorted(found)
