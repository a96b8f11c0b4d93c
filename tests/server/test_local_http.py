"""The page server for collectors: one strict request a connection, and nobody can make it wait or grow."""

import socket
from typing import Any

import pytest
import trio
import trio.testing

from robby_server import local_http
from robby_server.listeners import address_of, open_listeners
from robby_server.local_http import HttpServer, Page, serve_http


def pages(path: str) -> Page | None:
    if path == "/broken":
        raise RuntimeError("a fault of ours")
    return Page(200, b"well\n") if path == "/healthz" else None


async def asked(*pieces: bytes, eof: bool = True) -> bytes:
    """Everything that a connection is answered which sends these pieces."""
    ours, theirs = trio.testing.memory_stream_pair()
    found = bytearray()

    async def read() -> None:
        async for data in theirs:
            found.extend(data)
        if eof:
            await theirs.aclose()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        for piece in pieces:
            await theirs.send_all(piece)
        await HttpServer(pages).talk(ours)
        await ours.aclose()
    return bytes(found)


async def test_a_page() -> None:
    answer = await asked(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"Content-Length: 5" in head
    assert b"Connection: close" in head
    assert body == b"well\n"


async def test_a_page_byte_by_byte_and_with_a_question() -> None:
    request = b"GET /healthz?probe=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert (await asked(*(bytes([byte]) for byte in request))).endswith(b"\r\n\r\nwell\n")


async def test_head_has_no_body() -> None:
    answer = await asked(b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n", b"404"),
        (b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", b"405"),
        (b"GET /healthz HTTP/1.1\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"400"),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"431"),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n", b"501"),
    ],
)
async def test_what_is_refused(request_: bytes, status: bytes) -> None:
    assert (await asked(request_)).startswith(b"HTTP/1.1 " + status)


async def test_a_second_request_on_the_connection_is_not_answered() -> None:
    answer = await asked(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
    assert answer.count(b"HTTP/1.1") == 1


async def test_a_connection_that_says_nothing_gets_nothing() -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    await theirs.send_eof()
    await HttpServer(pages).talk(ours)
    await ours.aclose()
    assert await theirs.receive_some() == b""


async def _get(port: int, path: str = "/healthz") -> bytes:
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        await stream.send_all(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return b"".join([bytes(data) async for data in stream])


async def test_over_tcp_a_fault_and_silent_clients_harm_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_http, "CLIENTS", 3)
    monkeypatch.setattr(local_http, "REQUEST_SECONDS", 1.0)
    listeners: list[socket.socket] = await open_listeners("127.0.0.1", 0)
    port = address_of(listeners[0])[1]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_http, listeners, pages)
        assert (await _get(port)).endswith(b"well\n")
        assert await _get(port, "/broken") == b""
        silent = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(3)]
        refused = b"unset"
        with trio.fail_after(20):
            for stream in silent:
                refused = await stream.receive_some(100)
                assert refused == b""  # their time is over
        assert (await _get(port)).endswith(b"well\n")
        for stream in silent:
            await stream.aclose()
        nursery.cancel_scope.cancel()
    assert listeners[0].fileno() == -1  # closed


async def test_a_client_that_reads_nothing_is_given_up(autojump_clock: Any) -> None:
    ours, theirs = trio.testing.lockstep_stream_pair()
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(theirs.send_all, request)
        with trio.move_on_after(local_http.REQUEST_SECONDS) as limit:
            await HttpServer(pages).talk(ours)
    assert limit.cancelled_caught
