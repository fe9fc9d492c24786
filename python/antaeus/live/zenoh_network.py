"""What sources and sinks of Zenoh share: a session, and names of topics as rmw_zenoh writes them into keys.

A key of rmw_zenoh is <ROS domain>/<topic>/<DDS type>/<type hash>, as 0/joint_states/sensor_msgs::msg::dds_::JointState_/RIHS01_….
"""

import json
import os
import re
import typing

from antaeus.live.addresses import Address, library

_ROUTER = "tcp/localhost:7447"  # of rmw_zenoh, by its own default
_ENDPOINT = re.compile(r"(tcp|udp|tls|quic|ws|unixsock-stream)/[A-Za-z0-9_.:\[\]%/-]{1,200}")
_TOPIC = re.compile(r"/?[A-Za-z_~][A-Za-z0-9_/~]{0,254}")
MARK = "::msg::dds_::"  # in a key of rmw_zenoh, and in no name of a topic
OPTIONS = ("connect", "listen", "domain")


def open_session(address: Address) -> typing.Any:
    """A peer: it connects to ?connect= (by default rmw_zenoh's router on this machine) and listens at ?listen= (by default at a
    free port of the loopback interface). Raises FormatError where it cannot."""
    zenoh = library("zenoh", address.text)
    zenoh.init_log_from_env_or("off")  # what is wrong is said by us, in one line
    config = zenoh.Config()
    config.insert_json5("mode", '"peer"')
    own = "connect" in address.options or "listen" in address.options
    for name, standard in (("connect", "" if own else _ROUTER), ("listen", "tcp/localhost:0")):
        endpoint = address.options.get(name, standard)
        if endpoint and not _ENDPOINT.fullmatch(endpoint):
            raise address.wrong(f"{name}={endpoint} is no endpoint of Zenoh", f"write {name}=tcp/127.0.0.1:7447")
        config.insert_json5(f"{name}/endpoints", json.dumps([endpoint] if endpoint else []))
    config.insert_json5("scouting/multicast/enabled", json.dumps(not own))
    config.insert_json5("connect/timeout_ms", "-1")  # who is not there may come later
    config.insert_json5("connect/exit_on_failure", "false")
    try:
        return zenoh.open(config)
    except zenoh.ZError as error:
        raise address.wrong(f"no session of Zenoh ({' '.join(str(error).split())[:120]})",
                            "look at connect= and listen=: an address of this machine, and a free port") from None


def domain_of(address: Address) -> str:
    """The ROS domain: ?domain=, else ROS_DOMAIN_ID, else 0."""
    domain = address.options.get("domain") or os.environ.get("ROS_DOMAIN_ID") or "0"
    if not domain.isascii() or not domain.isdigit() or len(domain) > 5:
        raise address.wrong(f"the ROS domain '{domain[:20]}' is not a number", "write domain=0, or set ROS_DOMAIN_ID")
    return domain


def key_of(address: Address, name: str, ros_type: str, domain: str) -> str:
    """The key expression of a topic of a type, any type hash; a name that is one already stays as it is."""
    if MARK in name or "*" in name:
        return name
    if not _TOPIC.fullmatch(name):
        raise address.wrong(f"'{name[:80]}' is no topic of ROS and no key of rmw_zenoh", "write zenoh://joint_states, or the whole key")
    package, _, kind = ros_type.partition("/")
    return f"{domain}/{name.strip('/')}/{package}{MARK}{kind}_/*"


def topic_of(key: str) -> str:
    """The topic in a key of rmw_zenoh, or the key."""
    return "/".join(key.split("/")[1:-2]) if MARK in key and key.count("/") >= 3 else key
