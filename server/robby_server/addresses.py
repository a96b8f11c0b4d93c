"""Which of the Internet's addresses count as one: a household's, and all that one subscriber may have.

Knows nothing of connections.
"""

from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network

HOUSEHOLD_BITS = 64
"""Of an IPv6 address: the network that one connection is given."""
SITE_BITS = 48
"""Of an IPv6 address: what a subscriber who asks for more than one network is given."""

SITE_TIMES = 8
"""As many times as much as one address may all of one site together: a house of many families has enough of it, and
thousands of networks are no way around a limit."""


def household(address: str) -> str:
    """What limits per address count as one: an IPv4 address; of IPv6 the /64 that one connection is given."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Network((found, HOUSEHOLD_BITS), strict=False))
    return str(found)


@lru_cache(4096)
def site_of(address: str) -> str:
    """All that one subscriber may have: of IPv6 the /48 around an address or network, else the address itself."""
    if ":" not in address:
        return address
    try:
        return str(ip_network(address, strict=False).supernet(new_prefix=SITE_BITS))
    except ValueError:
        return address
