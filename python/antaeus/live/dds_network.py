"""What sources and sinks of DDS share: a participant in a domain, on the network that the address names."""

import re
import typing

from antaeus.live.addresses import Address, library, plain

_LARGEST_DOMAIN = 232  # beyond it the ports of DDS end
_TOPIC = re.compile(r"[A-Za-z_][A-Za-z0-9_/.]{0,254}")
_INTERFACE = re.compile(r"[A-Za-z0-9_.:-]{1,40}")


class Participant:
    """A participant of cyclonedds, and the topic that the address names. `interface` in the address restricts it to one network
    interface; else it is as cyclonedds's own configuration (CYCLONEDDS_URI) says."""

    def __init__(self, address: Address) -> None:
        domain, slash, self.topic = address.place.partition("/")
        if not slash or not domain.isascii() or not domain.isdigit() or int(domain[:4]) > _LARGEST_DOMAIN:
            remedy = f"write dds://DOMAIN/TOPIC, a domain from 0 to {_LARGEST_DOMAIN}, as dds://0/rt/lowstate"
            raise address.wrong("names no domain", remedy)
        if not _TOPIC.fullmatch(self.topic):
            raise address.wrong("names no topic of DDS", "write dds://DOMAIN/TOPIC in letters, digits, _, . and /")
        interface = address.options.get("interface")
        if interface is not None and not _INTERFACE.fullmatch(interface):
            raise address.wrong("interface is not the name of a network interface", "write it as `ip link` shows it, or its IP address")
        domains, problems = library("cyclonedds.domain", address.text), library("cyclonedds.core", address.text)
        self.domain_number = int(domain)
        self._domain: typing.Any = None
        try:
            if interface is not None:
                key = "address" if re.fullmatch(r"[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:]*", interface) else "name"
                self._domain = domains.Domain(self.domain_number, "<CycloneDDS><Domain><General><Interfaces><NetworkInterface "
                                              f'{key}="{interface}"/></Interfaces></General></Domain></CycloneDDS>')
            self.participant: typing.Any = domains.DomainParticipant(self.domain_number)
        except problems.DDSException as error:
            raise address.wrong(f"no participant in domain {domain} ({_first_line(error)})",
                                "look at interface= and at CYCLONEDDS_URI; `ip link` lists the interfaces") from None
        builtin = library("cyclonedds.builtin", address.text)
        self._publications = builtin.BuiltinDataReader(self.participant, builtin.BuiltinTopicDcpsPublication)

    def published(self) -> dict[str, set[str]]:
        """Topics that others publish in the domain, as far as they were discovered: name → names of types, as unitree_hg::msg::…;
        what cannot be printed is a ? in them."""
        own = str(self.participant.guid)[:24]
        found: dict[str, set[str]] = {}
        for endpoint in self._publications.read(1000):
            if str(endpoint.participant_key)[:24] != own and endpoint.topic_name:
                found.setdefault(plain(endpoint.topic_name), set()).add(plain(endpoint.type_name))
        return found


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]
