"""Whether the server is well, in the words of a health check: nothing to say means that it is. Costs nothing to ask.

That the loop turns needs no look: one that stands still answers nobody.
"""

from typing import Protocol

from robby_server.store import Store


class Checked(Protocol):
    """What is needed of the server."""

    store: Store

    @property
    def draining(self) -> bool: ...


def complaints(server: Checked) -> list[str]:
    """Why no new players should be sent here, in words for the operator; none: all is well."""
    found = []
    trouble = server.store.trouble
    if trouble is not None:
        found.append(f"store: {trouble}")
    if server.draining:
        found.append("draining")
    return found
