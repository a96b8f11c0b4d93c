"""The choice of a version between peers of all ages, and hellos of a shape that is not known yet."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robby_protocol import codec, errors, handshake
from robby_protocol.connection import Connection, ConnectionClosed, Role, State
from robby_protocol.errors import RemoteProtocolError
from robby_protocol.handshake import NoCommonVersionError, Version, choose_version, may_answer, read_versions
from robby_protocol.messages import Greeting, Hello, Refused
from tests.protocol.talk import LOGIN, WELCOME, greeting, packed, tell

OLD = [(1, 0)]
NEWER = [(1, 1)]
NEXT = [(2, 0)]
BOTH = [(1, 3), (2, 0)]
GAP = [(1, 0), (3, 0)]

MATRIX: list[tuple[list[Version], list[Version], Version | str]] = [
    # client, server, outcome
    (OLD, OLD, (1, 0)),
    (OLD, NEWER, (1, 0)),
    (OLD, NEXT, errors.CLIENT_TOO_OLD),
    (OLD, BOTH, (1, 0)),
    (OLD, GAP, (1, 0)),
    (NEWER, OLD, (1, 0)),
    (NEWER, NEWER, (1, 1)),
    (NEWER, NEXT, errors.CLIENT_TOO_OLD),
    (NEWER, BOTH, (1, 1)),
    (NEWER, GAP, (1, 0)),
    (NEXT, OLD, errors.SERVER_TOO_OLD),
    (NEXT, NEWER, errors.SERVER_TOO_OLD),
    (NEXT, NEXT, (2, 0)),
    (NEXT, BOTH, (2, 0)),
    (NEXT, GAP, errors.CLIENT_TOO_OLD),
    (BOTH, OLD, (1, 0)),
    (BOTH, NEWER, (1, 1)),
    (BOTH, NEXT, (2, 0)),
    (BOTH, BOTH, (2, 0)),
    (BOTH, GAP, (1, 0)),
    (GAP, OLD, (1, 0)),
    (GAP, NEWER, (1, 0)),
    (GAP, NEXT, errors.SERVER_TOO_OLD),
    (GAP, BOTH, (1, 0)),
    (GAP, GAP, (3, 0)),
]


@pytest.mark.parametrize(("ours", "theirs", "outcome"), MATRIX)
def test_every_pair_of_ages(ours: list[Version], theirs: list[Version], outcome: Version | str) -> None:
    client, server = Connection(Role.CLIENT, ours), Connection(Role.SERVER, theirs)
    server.receive_data(client.send(Hello(versions=ours)))
    if isinstance(outcome, str):
        with pytest.raises(RemoteProtocolError) as caught:
            server.next_event()
        assert caught.value.code == outcome
        client.receive_data(server.close_with(caught.value.code))
        refused = client.next_event()
        assert isinstance(refused, Refused)
        assert (refused.code, refused.accepts) == (outcome, {"versions": [list(version) for version in theirs]})
        assert client.next_event() == ConnectionClosed()
        return
    assert isinstance(server.next_event(), Hello)
    assert isinstance(tell(server, client, greeting(server.version)), Greeting)
    assert client.version == server.version == outcome
    assert tell(client, server, LOGIN) == LOGIN
    assert tell(server, client, WELCOME) == WELCOME
    assert client.state is server.state is State.OPEN


def test_the_matrix_has_every_pair() -> None:
    lists = [OLD, NEWER, NEXT, BOTH, GAP]
    assert [(ours, theirs) for ours, theirs, _ in MATRIX] == [(ours, theirs) for ours in lists for theirs in lists]


_versions = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6)


@given(_versions, _versions)
def test_order_and_repetition_mean_nothing_and_both_sides_agree(ours: list[Version], theirs: list[Version]) -> None:
    def outcome(offered: list[Version], spoken: list[Version]) -> Version | str:
        try:
            return choose_version(offered, spoken)
        except NoCommonVersionError as error:
            return error.code

    found = outcome(ours, theirs)
    assert outcome(sorted(ours), sorted(theirs + theirs, reverse=True)) == found
    if isinstance(found, str):
        assert not {major for major, _ in ours} & {major for major, _ in theirs}
        swapped = {errors.CLIENT_TOO_OLD: errors.SERVER_TOO_OLD, errors.SERVER_TOO_OLD: errors.CLIENT_TOO_OLD}
        assert outcome(theirs, ours) == swapped[found]
    else:
        assert outcome(theirs, ours) == found
        assert may_answer(found, ours)
        assert may_answer(found, theirs)


def test_what_may_be_answered() -> None:
    assert may_answer((1, 0), [(1, 3), (2, 0)])
    assert may_answer((1, 3), [(1, 3), (2, 0)])
    assert not may_answer((1, 4), [(1, 3), (2, 0)])
    assert not may_answer((3, 0), [(1, 3), (2, 0)])


FUTURE: list[tuple[dict[str, Any], str]] = [
    ({"versions": [[7, 2]], "client": {"name": "robby", "version": [9, 1]}}, errors.SERVER_TOO_OLD),
    ({"versions": [[7, 2, "beta", None]], "nonce": 5}, errors.SERVER_TOO_OLD),
    ({"versions": [{"major": 8}, [7, 0], "7.1", None, [7]], "extensions": []}, errors.SERVER_TOO_OLD),
    ({"versions": [[number, 0] for number in range(7, 60)]}, errors.SERVER_TOO_OLD),
    ({"versions": [[0, 1]], "client": None}, errors.CLIENT_TOO_OLD),
]


@pytest.mark.parametrize(("fields", "code"), FUTURE)
def test_a_hello_of_another_shape_still_learns_what_would_be_accepted(fields: dict[str, Any], code: str) -> None:
    server = Connection(Role.SERVER)
    server.receive_data(packed(type="hello", **fields))
    with pytest.raises(RemoteProtocolError) as caught:
        server.next_event()
    assert caught.value.code == code
    last = codec.unpack(server.close_with(code)[4:])
    assert last["accepts"] == {"versions": [[1, 0]]}
    assert last["text"] == errors.text_for(code)


def test_a_hello_with_more_in_it_is_understood_where_a_version_is_common() -> None:
    server = Connection(Role.SERVER)
    server.receive_data(packed(type="hello", versions=[[1, 0], [9, 0]], colour="red", extensions={"x": [{"y": None}]}))
    hello = server.next_event()
    assert isinstance(hello, Hello)
    assert hello.extensions == {"x": [{"y": None}]}
    assert server.version == (1, 0)


UNREADABLE: list[object] = [
    None,
    1,
    "1.0",
    {},
    [1, 0],
    [[]],
    [[1]],
    [["1", "0"]],
    [[True, False]],
    [[-1, 0]],
    [[2**53, 0]],
]


@pytest.mark.parametrize("versions", UNREADABLE)
def test_versions_that_cannot_be_read(versions: object) -> None:
    assert read_versions({"versions": versions}) == []
    assert read_versions({}) == []


def test_only_a_refusal_for_the_version_says_which_are_accepted() -> None:
    assert handshake.accepted(errors.CLIENT_TOO_OLD, [(1, 3), (2, 0)]) == {"versions": [[1, 3], [2, 0]]}
    assert handshake.accepted(errors.PASSWORD_WRONG) == {}
