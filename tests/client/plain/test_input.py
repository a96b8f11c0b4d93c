"""Reading lines from real file descriptors: pipes and files, cut anywhere."""

import os
from pathlib import Path

import pytest
import trio
import trio.testing

from robby_plain.input import LONGEST_INPUT, LineReader, TooLong


async def read_all(fd: int) -> list[str]:
    return [line async for line in LineReader(fd)]


async def test_lines_from_a_pipe_cut_anywhere() -> None:
    reader, writer = os.pipe()
    try:
        async with trio.open_nursery() as nursery:

            async def write() -> None:
                for byte in "one\r\nzwölf\n\nlast".encode():
                    os.write(writer, bytes([byte]))
                    await trio.lowlevel.checkpoint()
                os.close(writer)

            nursery.start_soon(write)
            assert await read_all(reader) == ["one", "zwölf", "", "last"]
    finally:
        os.close(reader)


async def test_lines_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.txt"
    path.write_bytes(b"create\nstart\n")
    fd = os.open(path, os.O_RDONLY)
    try:
        assert await read_all(fd) == ["create", "start"]
    finally:
        os.close(fd)


@pytest.mark.parametrize("length", [LONGEST_INPUT + 1, 1_000_000])
async def test_a_line_too_long_is_dropped_whole_and_the_next_is_read(tmp_path: Path, length: int) -> None:
    path = tmp_path / "paste.txt"
    path.write_bytes(b"x" * length + b"\nnext\n")
    fd = os.open(path, os.O_RDONLY)
    try:
        lines = await read_all(fd)
    finally:
        os.close(fd)
    assert isinstance(lines[0], TooLong)
    assert lines[1:] == ["next"]


async def test_a_line_too_long_at_the_end_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "paste.txt"
    path.write_bytes(b"x" * 10_000)
    fd = os.open(path, os.O_RDONLY)
    try:
        assert await read_all(fd) == []
    finally:
        os.close(fd)


async def test_bytes_that_are_no_utf8_do_not_end_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"M\xfcller\nnext\n")
    fd = os.open(path, os.O_RDONLY)
    try:
        assert await read_all(fd) == ["M\ufffdller", "next"]
    finally:
        os.close(fd)


async def test_a_descriptor_that_was_made_non_blocking_is_waited_for() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    try:
        async with trio.open_nursery() as nursery:

            async def write() -> None:
                await trio.testing.wait_all_tasks_blocked()
                os.write(writer, b"late\n")
                os.close(writer)

            nursery.start_soon(write)
            assert await read_all(reader) == ["late"]
    finally:
        os.close(reader)


async def test_waiting_for_a_line_can_be_given_up() -> None:
    reader, writer = os.pipe()
    try:
        with trio.move_on_after(0.05) as scope:
            await read_all(reader)
        assert scope.cancelled_caught
    finally:
        os.close(writer)
        os.close(reader)


async def test_a_descriptor_that_has_gone_is_an_end() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    os.close(writer)
    assert await read_all(reader) == []
