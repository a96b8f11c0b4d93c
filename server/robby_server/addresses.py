"""What of the Internet's addresses one subscriber may have. Knows nothing of connections."""

from ipaddress import ip_network

SITE_BITS = 48
"""Of an IPv6 address: what a subscriber who asks for more than one network is given."""


def site_of(address: str) -> str:
    """All that one subscriber may have: of IPv6 the /48 around an address or network, else the address itself."""
    if ":" not in address:
        return address
    try:
        return str(ip_network(address, strict=False).supernet(new_prefix=SITE_BITS))
    except ValueError:
        return address
