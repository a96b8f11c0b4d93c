"""Receipts on disk: one file for each match, joined over a restart, never over another match's; the newest kept."""

import os
from pathlib import Path

import pytest

from robby_client import keeper as keeper_module
from robby_client.files import NotWritable
from robby_client.keeper import Keeper, receipt_of
from robby_client.receipt import MAX_RECEIPT_BYTES, Receipt, from_bytes
from robby_client.world import World
from robby_protocol import fair
from robby_protocol.messages import DealCommitted, DealOpened, Greeting, ScoreLine, TableState, Welcome
from tests.client.fakes import SERVER_ID, table, table_state, update

SECRET = b"s" * 32


def world(match: str = "m1", *, committed: bool = True, server_id: bytes = SERVER_ID) -> World:
    """At the beginning of a match that Ana, in seat 0, has committed for."""
    made = World()
    made.connected(
        Greeting(
            version=(1, 0), server_id=server_id, server_name="T", software="", challenge=b"c" * 32, methods=[], games=[]
        ),
        Welcome(identity="me", name="Ana", resume=b"", table="t1", ping_ms=1, silence_ms=1),
    )
    commitment = fair.server_commitment(match, SECRET)
    waiting = table(phase="waiting", match=None)
    made.apply(TableState(table=waiting, you=0, next_match=match, commitment=commitment))
    own = made.deals.commit() if committed else b""
    made.apply(DealCommitted(table="t1", match=match, server=commitment, seats=[own, b"", b""], remaining_ms=1))
    made.apply(DealOpened(table="t1", match=match, nonces=[made.deals.to_open(match), b"", b""]))
    return made


def play(made: World, match: str = "m1", events: int = 2) -> None:
    made.apply(table_state(match=match))
    made.apply(update(1, match=match, events=[{"type": "x", "n": number} for number in range(events)]))


def finish(made: World, match: str = "m1") -> None:
    result = [ScoreLine(name="Ana", seat=0, score=5, winner=True)]
    made.apply(table_state(match=match, phase="finished", result=result))


def read(path: Path | None) -> Receipt:
    assert path is not None
    return from_bytes(path.read_bytes())


def files(folder: Path) -> list[Path]:
    return sorted((folder / "receipts").iterdir())


def test_nothing_is_kept_of_what_was_not_seen(tmp_path: Path) -> None:
    assert receipt_of(World(), "m1") is None
    assert Keeper(tmp_path).keep(world(), "m2") is None
    assert not (tmp_path / "receipts").exists()


def test_a_match_has_one_file_that_grows(tmp_path: Path) -> None:
    keeper, made = Keeper(tmp_path), world()
    first = read(keeper.keep(made, "m1"))
    assert (first.events, first.finished, first.secret) == (0, False, "")
    assert fair.seat_commitment(bytes.fromhex(first.nonce)).hex() == first.commitments[0]
    play(made)
    finish(made)
    last = read(keeper.keep(made, "m1", SECRET))
    assert (last.events, last.finished, last.secret) == (2, True, SECRET.hex())
    assert last.nonce == first.nonce
    assert len(files(tmp_path)) == 1


def test_a_client_that_was_started_anew_goes_on_with_its_receipt(tmp_path: Path) -> None:
    before = read(Keeper(tmp_path).keep(world(), "m1"))
    # The new process resumes: it has the story, but neither nonce nor, perhaps, the deal.
    made = world(committed=False)
    made.deals.leave()
    play(made)
    finish(made)
    after = read(Keeper(tmp_path).keep(made, "m1", SECRET))
    assert (after.nonce, after.commitment, after.nonces) == (before.nonce, before.commitment, before.nonces)
    assert (after.events, after.finished, after.secret) == (2, True, SECRET.hex())
    assert len(files(tmp_path)) == 1


def test_a_match_that_only_has_the_same_name_does_not_replace_a_receipt(tmp_path: Path) -> None:
    made = world()
    play(made)
    finish(made)
    first = Keeper(tmp_path).keep(made, "m1")
    kept = read(first)
    other = world()
    second = Keeper(tmp_path).keep(other, "m1")
    assert first != second
    assert read(first) == kept
    # Nor another commitment for a match that was begun, nor another server's.
    begun = Keeper(tmp_path / "begun")
    begun.keep(made, "m1")
    fake = world()
    assert fake.deal is not None
    fake.deal.server = b"x" * 32
    Keeper(tmp_path / "begun").keep(fake, "m1")
    Keeper(tmp_path / "begun").keep(world(server_id=b"z" * 32), "m1")
    assert len(files(tmp_path / "begun")) == 3


def test_a_file_that_is_no_receipt_is_left_alone(tmp_path: Path) -> None:
    path = Keeper(tmp_path).keep(world(), "m1")
    assert path is not None
    path.write_bytes(b"{half")
    other = Keeper(tmp_path).keep(world(), "m1")
    assert other != path
    assert path.read_bytes() == b"{half"


@pytest.mark.parametrize("match", ["../x", "a/b", "x\0y", "", ".", "ä" * 30])
def test_no_match_gets_a_file_elsewhere(match: str, tmp_path: Path) -> None:
    path = Keeper(tmp_path).keep(world(match), match)
    assert path is not None
    assert path.parent == tmp_path / "receipts"
    assert path.name.isascii()


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper_module, "RECEIPTS_KEPT", 3)
    keeper = Keeper(tmp_path)
    for number in range(5):
        path = keeper.keep(world(f"m{number}"), f"m{number}")
        assert path is not None
        os.utime(path, (number, number))
    assert [read(file).match for file in files(tmp_path)] == ["m2", "m3", "m4"]


def test_a_disk_that_refuses_is_said_and_the_game_goes_on(tmp_path: Path) -> None:
    (tmp_path / "receipts").write_bytes(b"a file where the folder should be")
    warned: list[str] = []
    keeper = Keeper(tmp_path, warned.append)
    assert keeper.keep(world(), "m1") is None
    assert len(warned) == 1
    (tmp_path / "records").write_bytes(b"")
    with pytest.raises(NotWritable):
        keeper.save_record("m1", b"record")


def test_a_receipt_longer_than_any_reader_takes_is_not_written(tmp_path: Path) -> None:
    made = world()
    state = table_state(match="m1", options={"title": "x" * MAX_RECEIPT_BYTES})
    made.apply(state)
    assert Keeper(tmp_path).keep(made, "m1") is None


def test_a_folder_that_may_not_be_looked_into_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "exists", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    warned: list[str] = []
    assert Keeper(tmp_path, warned.append).keep(world(), "m1") is None
    assert warned == ["Permission denied"]
