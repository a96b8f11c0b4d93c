"""A server's address as people write it. Knows nothing of the network."""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address

from robby_protocol.i18n import _

DEFAULT_PORT = 7622
_LONGEST_HOST = 253  # of a name in the DNS
_HOST = re.compile(r"[^\W_](?:[\w.-]*[\w.])?", re.ASCII)


class AddressError(ValueError):
    """The text is no address; str() is a plain sentence that says what would be."""


@dataclass(frozen=True)
class Address:
    """Where a server listens. host: a name or an IP address without brackets."""

    host: str
    port: int = DEFAULT_PORT

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read `host`, `host:port`, `::1` or `[::1]:7622`. Raises AddressError."""
        text = text.strip()
        if not text:
            raise AddressError(_("Write the server's name or address, like example.org or 192.168.1.5:7622."))
        if "://" in text:
            raise AddressError(
                _("Leave out what stands before ://. Write the name or address alone, like example.org:7622.")
            )
        if text.startswith("["):
            host, bracket, rest = text[1:].partition("]")
            if not bracket or (rest and not rest.startswith(":")):
                raise AddressError(_("An IPv6 address with a port is written like [::1]:7622."))
            return cls(_ipv6(host), _port(rest[1:]) if rest else DEFAULT_PORT)
        if text.count(":") > 1:
            return cls(_ipv6(text))
        host, colon, port = text.partition(":")
        return cls(_name(host), _port(port) if colon else DEFAULT_PORT)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.port != DEFAULT_PORT:
            return f"{host}:{self.port}"
        return self.host


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= 65_535:
        return int(text)
    raise AddressError(_("A port is a number from 1 to 65535, like the usual {port}.").format(port=DEFAULT_PORT))


def _ipv6(text: str) -> str:
    address, _percent, zone = text.partition("%")
    try:
        IPv6Address(address)
    except AddressValueError:
        raise AddressError(_("This is not an IPv6 address. One looks like ::1 or 2001:db8::7.")) from None
    if _percent and not re.fullmatch(r"[\w.-]{1,32}", zone, re.ASCII):
        raise AddressError(_("This is not an IPv6 address. One looks like ::1 or 2001:db8::7."))
    return text


def _name(text: str) -> str:
    host = text
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            host = ""
    labels = host.rstrip(".").split(".")
    if len(host) > _LONGEST_HOST or not _HOST.fullmatch(host) or any(not 1 <= len(label) <= 63 for label in labels):
        raise AddressError(_("This is not a host's name. It has letters, digits, dots and hyphens, like example.org."))
    return host
