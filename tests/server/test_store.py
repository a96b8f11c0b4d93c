"""The store on disk: the same as the one in memory, whatever is done and whenever the process ends."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robby_rules.journal import Entry, Expire, JournalError, Start
from robby_server.store import Ban, Kept, KeptIdentity, MemoryStore, SqliteStore, Store
from robby_server.store.opening import STORE_FILE, connect

IDS = st.sampled_from(["a", "b", "c", "d"])
IDENTITIES = st.builds(
    KeptIdentity,
    IDS,
    st.text(max_size=5).filter(lambda text: text.isprintable()),
    key=st.none() | st.binary(min_size=32, max_size=32),
    token_digest=st.binary(max_size=3),
    origin=st.sampled_from(["", "192.0.2.1", "2001:db8::/64"]),
    seen=st.integers(0, 2**40),
    bound=st.booleans(),
)
CALLS = st.one_of(
    st.tuples(st.just("append"), IDS, st.builds(Expire, at=st.integers(0, 2**40))),
    st.tuples(st.just("end"), IDS),
    st.tuples(st.just("save_table"), IDS, st.binary(max_size=5)),
    st.tuples(st.just("drop_table"), IDS),
    st.tuples(st.just("save_identity"), IDENTITIES),
    st.tuples(st.just("forget_identity"), IDS),
    st.tuples(st.just("save_ban"), st.builds(Ban, st.sampled_from(["name", "key"]), IDS, IDS, st.integers(0, 9))),
    st.tuples(st.just("lift_ban"), st.sampled_from(["name", "key"]), IDS),
    st.tuples(st.just("tick"), st.integers(0, 2**50)),
    st.tuples(st.sampled_from(["reopen", "kill"])),
)
Picture = tuple[Kept, list[tuple[str, Any]], dict[str, tuple[Entry, ...] | None], tuple[str, ...]]


async def picture(store: Store) -> Picture:
    """All that can be read from a store, order included."""
    kept = await store.load()
    journals: dict[str, tuple[Entry, ...] | None] = {}
    for match in "abcd":
        try:
            journals[match] = tuple(await store.read(match))
        except KeyError:
            journals[match] = None
    return kept, list(kept.tables.items()), journals, tuple(await store.matches())


def moved(folder: Path, number: int) -> Path:
    """The files as a killed process leaves them, elsewhere: the old ones are still open."""
    copy = folder.parent / f"life {number}"
    shutil.copytree(folder, copy)
    return copy


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(calls=st.lists(CALLS, max_size=30))
def test_the_store_on_disk_is_like_the_one_in_memory(
    calls: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("store") / "life 0"
    opened: list[SqliteStore] = []

    def begin(where: Path) -> SqliteStore:
        opened.append(SqliteStore(where, inline=True, keep=2))
        return opened[-1]

    async def both() -> None:
        memory = MemoryStore(keep=2)
        disk, where = begin(folder), folder
        for number, (name, *args) in enumerate(calls, 1):
            if name == "reopen":
                await disk.close()
                disk = begin(where)
            elif name == "kill":
                where = moved(where, number)
                disk = begin(where)
            else:
                await getattr(memory, name)(*args)
                await getattr(disk, name)(*args)
        assert await picture(disk) == await picture(memory)

    try:
        trio.run(both)
    finally:
        for store in opened:
            store.abandon()
        shutil.rmtree(folder.parent)


async def test_what_many_ask_at_once_is_kept_in_each_ones_order(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    commits: list[float] = []
    store.on_commit = commits.append

    async def ask(match: str) -> None:
        for number in range(20):
            await store.append(match, Expire(at=number))

    async with trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(ask, f"m{number}")
    assert len(commits) < 200, "writes that came together were not committed together"
    await store.close()
    again = SqliteStore(tmp_path)
    for number in range(20):
        assert await again.read(f"m{number}") == tuple(Expire(at=at) for at in range(20))
    await again.close()


async def test_a_cancelled_callers_write_is_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    async with trio.open_nursery() as nursery:
        for number in range(30):
            nursery.start_soon(store.append, f"m{number}", Expire(at=1))
        await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    await store.append("after", Expire(at=1))
    found = await store.matches()
    assert "after" in found
    for match in found:
        assert await store.read(match) == (Expire(at=1),)
    await store.close()
    with pytest.raises(trio.ClosedResourceError):
        await store.append("after", Expire(at=2))


async def test_a_damaged_entry_is_the_journals_error(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, inline=True)
    await store.append("m", Start("m", "robby-solo", 1, {}, 3, bytes(32)))
    await store.close()
    raw = connect(tmp_path / STORE_FILE)
    raw.execute("UPDATE entries SET bytes = x'9301'")
    raw.close()
    store = SqliteStore(tmp_path, inline=True)
    with pytest.raises(JournalError):
        await store.read("m")
    await store.close()


WRITER = """
import sys, trio
from pathlib import Path
from robby_rules.journal import Expire
from robby_server.store import SqliteStore

async def write(store, name):
    number = len(await store.read(name)) if name in await store.matches() else 0
    while True:
        await store.append(name, Expire(at=number))
        await store.save_table(name, str(number).encode() * 500)
        number += 1
        print(name, number, flush=True)

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    async with trio.open_nursery() as nursery:
        for name in "abc":
            nursery.start_soon(write, store, name)

trio.run(main)
"""


def test_killed_while_saving_it_has_the_old_or_the_new_and_never_half(tmp_path: Path) -> None:
    told = dict.fromkeys("abc", 0)
    for kill in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as one:
            assert one.stdout is not None
            for _, line in zip(range(30 + 37 * kill), one.stdout, strict=False):
                name, number = line.split()
                told[name] = int(number)
            one.kill()
            for line in one.stdout:
                if line.endswith("\n"):
                    name, number = line.split()
                    told[name] = int(number)
        assert all(told.values())

        async def look() -> None:
            store = SqliteStore(tmp_path, inline=True)
            tables = (await store.load()).tables
            for name, count in told.items():
                entries = await store.read(name)
                assert entries == tuple(Expire(at=at) for at in range(len(entries)))
                assert len(entries) >= count, "something that was told is lost"
                assert len(entries) <= count + 1
                saved = len(tables[name]) // 500
                digits = tables[name][:saved]
                assert tables[name] == digits * 500
                assert int(digits) in (len(entries) - 1, len(entries) - 2)
            await store.close()

        trio.run(look)
