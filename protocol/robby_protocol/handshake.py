"""The choice of a version, and what a refusal says would be accepted. Knows no connection and no bytes.

The one part that must understand peers of every age: it reads `versions` out of a hello whatever else that holds.
"""

from collections.abc import Sequence
from typing import Any

from robby_protocol import errors
from robby_protocol.messages.base import MAX_INTEGER

Version = tuple[int, int]

PROTOCOL_VERSIONS: tuple[Version, ...] = ((1, 0),)
"""For each major that this code speaks, the highest minor. A new optional field, message or code raises the minor; a
removal or a change of type the major."""


class NoCommonVersionError(Exception):
    """The two sides share no major. code: CLIENT_TOO_OLD or SERVER_TOO_OLD, whoever has to be updated."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def choose_version(offered: Sequence[Version], ours: Sequence[Version] = PROTOCOL_VERSIONS) -> Version:
    """The highest major in both lists with the smaller of the two minors; the order of the lists means nothing.

    Raises NoCommonVersionError: the side whose highest major is lower is too old.
    """
    theirs_best, ours_best = _best(offered), _best(ours)
    common = theirs_best.keys() & ours_best.keys()
    if not common:
        raise NoCommonVersionError(
            errors.CLIENT_TOO_OLD if max(theirs_best) < max(ours_best) else errors.SERVER_TOO_OLD
        )
    major = max(common)
    return major, min(theirs_best[major], ours_best[major])


def may_answer(chosen: Version, offered: Sequence[Version]) -> bool:
    """Whether a server may choose this version for a client that offered those."""
    best = _best(offered)
    return chosen[0] in best and 0 <= chosen[1] <= best[chosen[0]]


def read_versions(hello: dict[str, Any]) -> list[Version]:
    """The versions in an unpacked hello of any age: every list in `versions` that begins with two natural numbers.

    Anything else there, and more numbers behind the two, belong to a time that this code does not know. Empty: none.
    """
    found = hello.get("versions")
    if type(found) is not list:
        return []
    return [(entry[0], entry[1]) for entry in found if type(entry) is list and _is_version(entry)]


def accepted(code: str, versions: Sequence[Version] = PROTOCOL_VERSIONS) -> dict[str, Any]:
    """What a refusal for this code tells a program besides: the versions that we speak, where that was the reason."""
    if code in (errors.CLIENT_TOO_OLD, errors.SERVER_TOO_OLD):
        return {"versions": [list(version) for version in versions]}
    return {}


def _best(versions: Sequence[Version]) -> dict[int, int]:
    best: dict[int, int] = {}
    for major, minor in versions:
        best[major] = max(minor, best.get(major, 0))
    return best


def _is_version(entry: list[Any]) -> bool:
    return len(entry) >= 2 and all(type(number) is int and 0 <= number <= MAX_INTEGER for number in entry[:2])
