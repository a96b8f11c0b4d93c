"""What is remembered between runs: whole files or none, private keys, damaged and unwritable folders."""

import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from robby_client import files
from robby_client.address import Address
from robby_client.dial import TlsPlan
from robby_client.files import NotWritable, put_aside, write_private
from robby_client.store import MUTES_LIMIT, RECENT_LIMIT, KnownServer, Store, StoreError
from robby_protocol import identity
from robby_protocol.messages import Greeting, Welcome

HERE = Address("example.org")
SERVER = b"s" * 32
as_root = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")


def greeting(server_id: bytes = SERVER, name: str = "Friday") -> Greeting:
    return Greeting(
        version=(1, 0),
        server_id=server_id,
        server_name=name,
        software="fake",
        challenge=b"c" * 32,
        methods=["guest", "key"],
        games=[],
    )


def welcome(name: str = "Ana", resume: bytes = b"") -> Welcome:
    return Welcome(identity="me", name=name, resume=resume, ping_ms=5_000, silence_ms=25_000)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_empty_store_knows_nothing_and_writes_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "new")
    assert store.last_name is None
    assert store.recent() == []
    assert store.take_warnings() == []
    assert not (tmp_path / "new").exists()


def test_a_login_is_remembered(tmp_path: Path) -> None:
    Store(tmp_path).remember(HERE, greeting(), welcome())
    store = Store(tmp_path)
    assert store.last_name == "Ana"
    assert store.recent() == [KnownServer(HERE, SERVER, "Friday")]
    assert store.plan(HERE, "Ana").known_server_id == SERVER
    assert store.plan(Address("elsewhere.org"), "Ana").known_server_id is None


def test_a_server_not_seen_for_long_is_still_known_by_its_id_and_tls(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome(), tls=TlsPlan())
    for number in range(RECENT_LIMIT + 5):
        store.remember(Address(f"host{number}.org"), greeting(b"t" * 32), welcome())
    assert HERE not in [known.address for known in store.recent()]
    assert store.known_server_id(HERE) == SERVER
    assert store.tls(HERE) == TlsPlan()


def test_tls_is_remembered_and_not_forgotten_by_a_visit_without_it(tmp_path: Path) -> None:
    plan = TlsPlan(ca=tmp_path / "ca.pem", name="game.example")
    Store(tmp_path).remember(HERE, greeting(), welcome(), tls=plan)
    store = Store(tmp_path)
    assert store.tls(HERE) == plan
    [known] = store.recent()
    assert (known.tls, known.ca, known.tls_name) == (True, str(tmp_path / "ca.pem"), "game.example")
    store.remember(HERE, greeting(), welcome())
    assert Store(tmp_path).tls(HERE) == plan
    assert store.tls(Address("elsewhere.org")) is None


def test_a_new_server_is_trusted_by_its_id_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome(), tls=TlsPlan())
    store.keep_mutes(HERE, ["Ben"])
    store.trust(HERE, b"n" * 32)
    again = Store(tmp_path)
    assert again.known_server_id(HERE) == b"n" * 32
    assert again.tls(HERE) == TlsPlan()
    assert again.mutes(HERE) == ["Ben"]
    again.trust_next(HERE)
    assert Store(tmp_path).known_server_id(HERE) is None
    assert Store(tmp_path).tls(HERE) == TlsPlan()


def test_mutes_stay_with_their_server(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome())
    store.remember(Address("elsewhere.org"), greeting(), welcome())
    store.keep_mutes(HERE, [f"n{number}" for number in range(MUTES_LIMIT + 1)])
    store.remember(HERE, greeting(), welcome())
    assert len(Store(tmp_path).mutes(HERE)) == MUTES_LIMIT
    assert Store(tmp_path).mutes(Address("elsewhere.org")) == []


def test_a_file_of_the_version_before_is_read_and_written_anew(tmp_path: Path) -> None:
    server = '{"address": "example.org", "server_id": "' + SERVER.hex() + '", "name": "Friday", "guest": true}'
    (tmp_path / "state.json").write_text('{"version": 1, "last_name": "Ana", "servers": [' + server + "]}")
    store = Store(tmp_path)
    assert store.recent() == [KnownServer(HERE, SERVER, "Friday", guest=True)]
    assert store.tls(HERE) is None
    store.remember(HERE, greeting(), welcome())
    assert '"version": 2' in (tmp_path / "state.json").read_text()


def test_a_servers_name_is_made_harmless(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.remember(HERE, greeting(name="\x1b[2J\u202eevil" + "x" * 5_000), welcome())
    name = Store(tmp_path).recent()[0].name
    assert name.isprintable()
    assert name.startswith("\\x1b[2J\\u202eevil")
    assert len(name) < 300


def test_the_newest_server_comes_first_once_and_old_ones_go(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(RECENT_LIMIT + 5):
        store.remember(Address(f"host{number}.org"), greeting(), welcome())
    store.remember(Address("host9.org", 7_000), greeting(), welcome())
    store.remember(Address("host9.org"), greeting(b"t" * 32), welcome())
    found = Store(tmp_path).recent()
    assert len(found) == RECENT_LIMIT
    assert [str(one.address) for one in found[:3]] == ["host9.org", "host9.org:7000", f"host{RECENT_LIMIT + 4}.org"]
    assert found[0].server_id == b"t" * 32


def test_a_server_can_be_forgotten_and_its_key_stays(tmp_path: Path) -> None:
    store = Store(tmp_path)
    seed = store.key(SERVER)
    store.remember(HERE, greeting(), welcome())
    store.forget(HERE)
    again = Store(tmp_path)
    assert again.recent() == []
    assert again.key(SERVER) == seed


def test_each_server_has_a_key_of_its_own_that_only_the_owner_may_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    plan = store.plan(HERE, "Ana")
    assert plan.key is None
    assert plan.key_for is not None
    seed = plan.key_for(SERVER)
    other = plan.key_for(b"t" * 32)
    assert seed is not None
    assert len(seed) == identity.KEY_SIZE
    assert seed != other
    assert Store(tmp_path).key(SERVER) == seed
    path = tmp_path / "keys" / f"{SERVER.hex()}.key"
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700


def test_a_guest_comes_back_by_the_token_of_that_server_and_name(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome("Ana", b"token"), name="ana ")
    again = Store(tmp_path)
    plan = again.plan(HERE, "ana ", guest=True)
    assert plan.key_for is None
    assert plan.resume_for is not None
    assert plan.resume_for(SERVER) == b"token"
    assert plan.resume_for(b"t" * 32) == b""
    other = again.plan(HERE, "Ben", guest=True).resume_for
    assert other is not None
    assert other(SERVER) == b""
    assert mode(tmp_path / "guests.json") == 0o600


def test_old_guests_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robby_client.store.GUEST_LIMIT", 4)
    store = Store(tmp_path)
    for number in range(7):
        store.remember(HERE, greeting(), welcome(f"G{number}", b"token"))
    first = Store(tmp_path).plan(HERE, "G0", guest=True).resume_for
    last = Store(tmp_path).plan(HERE, "G6", guest=True).resume_for
    assert first is not None
    assert last is not None
    assert (first(SERVER), last(SERVER)) == (b"", b"token")


def test_two_clients_at_once_do_not_lose_each_others_servers(tmp_path: Path) -> None:
    one, two = Store(tmp_path), Store(tmp_path)
    one.remember(HERE, greeting(), welcome())
    two.remember(Address("elsewhere.org"), greeting(), welcome())
    assert len(Store(tmp_path).recent()) == 2
    assert one.key(SERVER) == two.key(SERVER), "the same identity"


def test_a_key_made_by_another_client_in_the_same_moment_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = b"t" * 32
    real = files.write_private

    def late(path: Path, data: bytes, *, replace: bool = True) -> bool:
        real(path, theirs.hex().encode(), replace=False)
        return real(path, data, replace=replace)

    monkeypatch.setattr("robby_client.store.write_private", late)
    assert Store(tmp_path).key(SERVER) == theirs


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"servers": 7}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_is_set_aside_with_a_message(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(content)
    store = Store(tmp_path)
    assert store.recent() == []
    assert len(store.take_warnings()) == 1
    assert store.take_warnings() == []
    assert not path.exists()
    assert (tmp_path / "state.json.damaged-1").read_bytes() == content
    store.remember(HERE, greeting(), welcome())
    assert len(Store(tmp_path).recent()) == 1
    path.write_bytes(b"again")
    Store(tmp_path)
    assert (tmp_path / "state.json.damaged-2").read_bytes() == b"again"


def test_a_damaged_key_is_set_aside_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "keys" / f"{SERVER.hex()}.key"
    path.parent.mkdir()
    path.write_text("half a ke")
    store = Store(tmp_path)
    seed = store.key(SERVER)
    assert len(seed) == 32
    assert len(store.take_warnings()) == 1
    assert path.with_name(path.name + ".damaged-1").read_text() == "half a ke"
    assert Store(tmp_path).key(SERVER) == seed


def test_an_entry_written_by_hand_that_is_wrong_is_left_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome())
    text = (tmp_path / "state.json").read_text()
    (tmp_path / "state.json").write_text(text.replace(SERVER.hex(), "no hex"))
    assert Store(tmp_path).recent() == []


def test_a_file_of_a_newer_version_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    written = '{"version": 99, "last_name": "Ana", "servers": [], "colour": "green"}'
    (tmp_path / "state.json").write_text(written)
    store = Store(tmp_path)
    assert store.last_name == "Ana"
    assert len(store.take_warnings()) == 1
    store.remember(HERE, greeting(), welcome())
    assert (tmp_path / "state.json").read_text() == written


class Refusing:
    """File operations that the system refuses."""

    def __init__(self, error: OSError) -> None:
        self.error = error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(28, "No space left on device")])
def test_a_folder_that_cannot_be_written_warns_once_and_still_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    Store(tmp_path).remember(HERE, greeting(), welcome())
    before = (tmp_path / "state.json").read_bytes()
    monkeypatch.setattr(tempfile, "mkstemp", Refusing(error))
    store = Store(tmp_path)
    seed = store.key(SERVER)
    assert store.key(SERVER) == seed, "the same for the whole run"
    store.remember(Address("elsewhere.org"), greeting(), welcome("Ben", b"token"))
    store.forget(HERE)
    warnings = store.take_warnings()
    assert len(warnings) == 1
    assert str(error.strerror) in warnings[0]
    assert (tmp_path / "state.json").read_bytes() == before


def test_a_file_that_cannot_be_read_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "state.json").mkdir(parents=True)
    keys = tmp_path / "keys" / f"{SERVER.hex()}.key"
    keys.mkdir(parents=True)
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome())
    assert len(store.key(SERVER)) == 32
    assert (tmp_path / "state.json").is_dir()
    assert keys.is_dir()
    assert len(store.take_warnings()) == 3


def test_a_damaged_file_in_a_folder_that_cannot_be_written_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.json"
    path.write_text("{")
    monkeypatch.setattr(Path, "rename", Refusing(PermissionError(13, "Permission denied")))
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome())
    assert path.read_text() == "{"
    assert len(store.take_warnings()) == 1


@as_root
def test_a_read_only_folder_of_the_real_system(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    store = Store(tmp_path)
    store.remember(HERE, greeting(), welcome())
    assert len(store.take_warnings()) == 1
    tmp_path.chmod(0o700)


def test_a_write_that_breaks_off_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.json"
    write_private(path, b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", Refusing(OSError(28, "No space left on device")))
        with pytest.raises(NotWritable):
            write_private(path, b"new and much longer")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["state.json"]
    assert write_private(path, b"new")
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o600


def test_without_hard_links_a_new_file_is_still_made_and_an_old_one_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", Refusing(OSError(1, "Operation not permitted")))
    path = tmp_path / "a.key"
    assert write_private(path, b"one", replace=False)
    assert not write_private(path, b"two", replace=False)
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["a.key"]


def test_putting_aside_takes_the_first_free_name(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        path = tmp_path / "x"
        path.write_text(str(number))
        assert put_aside(path).name == f"x.damaged-{number}"
    with pytest.raises(NotWritable):
        put_aside(tmp_path / "missing")


def test_the_folder_is_the_variables_or_the_platforms_with_a_profile_below(tmp_path: Path) -> None:
    environ = {"ROBBY_HOME": str(tmp_path)}
    assert Store.open(environ=environ).path == tmp_path
    assert Store.open(environ=environ, profile="guest-2").path == tmp_path / "profiles" / "guest-2"
    assert Store.open(environ={}).path.name == "robby"
    assert Store.open(environ={"ROBBY_HOME": "~/games"}).path == Path.home() / "games"


@pytest.mark.parametrize("profile", ["", "..", "a/b", "a b", "x" * 33, "é"])
def test_a_profile_that_is_no_plain_name_is_refused(profile: str) -> None:
    with pytest.raises(StoreError):
        Store.open(profile=profile, environ={})


def test_profiles_are_different_people(tmp_path: Path) -> None:
    environ = {"ROBBY_HOME": str(tmp_path)}
    one, two = Store.open(environ=environ), Store.open(environ=environ, profile="two")
    assert one.key(SERVER) != two.key(SERVER)
