"""Making a connection over TCP, and saying plainly why there is none."""

from robby_client.address import Address
from robby_client.client import Dial


class DialError(Exception):
    """No connection came about. code: from `codes`. text: for people, with a remedy."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


def tcp(address: Address) -> Dial:
    """A `dial` for Client that connects to this address over TCP, trying all its addresses of both families."""
    raise NotImplementedError
