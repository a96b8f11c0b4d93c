"""Keys and proofs: the exact bytes, and that a proof for one purpose, server, connection or name fits no other."""

from itertools import product

import pytest

from robby_protocol import identity
from robby_protocol.connection import Connection, Role
from robby_protocol.messages import GameOffer, Greeting, Hello, Login
from tests.protocol.talk import LOGIN, tell

SERVER_SEED = bytes(range(32))
CLIENT_SEED = bytes(range(32, 64))
CHALLENGE = bytes(range(64, 96))
NONCE = bytes(range(96, 128))


def greeted(
    *,
    seed: bytes = SERVER_SEED,
    challenge: bytes = CHALLENGE,
    nonce: bytes = NONCE,
    client_name: str = "c",
    methods: tuple[str, ...] = ("guest", "key"),
) -> tuple[Connection, Connection, Greeting]:
    """A client and a server after the greeting, which carries the server's proof."""
    client, server = Connection(Role.CLIENT), Connection(Role.SERVER)
    tell(client, server, Hello(versions=[(1, 0)], client=client_name, nonce=nonce))
    server_id = identity.public_key(seed)
    assert server.version is not None
    sent = Greeting(
        version=server.version,
        server_id=server_id,
        server_name="s",
        software="t",
        challenge=challenge,
        proof=identity.sign(seed, server.server_proof_payload(server_id, challenge)),
        methods=list(methods),
        games=[GameOffer(name="robby-solo", version=1)],
    )
    received = tell(server, client, sent)
    assert received == sent
    return client, server, sent


def test_both_sides_prove_themselves() -> None:
    client, server, greeting = greeted()
    payload = client.server_proof_payload(greeting.server_id, greeting.challenge)
    assert payload == server.server_proof_payload(greeting.server_id, greeting.challenge)
    assert identity.verify(greeting.server_id, payload, greeting.proof)
    key = identity.public_key(CLIENT_SEED)
    proof = identity.sign(CLIENT_SEED, client.login_proof_payload("Ana", key))
    login = tell(client, server, Login(method="key", name="Ana", key=key, proof=proof))
    assert isinstance(login, Login)
    assert identity.verify(login.key, server.login_proof_payload(login.name, login.key), login.proof)


def test_a_payload_is_its_fields_with_their_lengths() -> None:
    client, _server, greeting = greeted()
    payload = client.server_proof_payload(greeting.server_id, greeting.challenge)
    assert payload[:24] == b"\x00\x00\x00\x14robby server proof 1"
    assert payload[24:28] == b"\x00\x00\x00\x20"
    rest = payload[60:]
    assert rest == (
        b"\x00\x00\x00\x20" + NONCE + b"\x00\x00\x00\x20" + greeting.server_id + b"\x00\x00\x00\x20" + CHALLENGE
    ) + b"\x00\x00\x00\x08" + (1).to_bytes(8, "big") + b"\x00\x00\x00\x08" + bytes(8)


def test_fields_cannot_be_shifted_into_each_other() -> None:
    lists = list(product((b"", b"a", b"ab", b"\x00\x00\x00\x01"), repeat=3))
    assert len({identity.fields(*parts) for parts in lists}) == len(lists)
    assert identity.fields(b"a", b"") != identity.fields(b"a")


VARIANTS = {
    "another server": {"seed": bytes(32)},
    "another challenge": {"challenge": bytes(32)},
    "another nonce in hello": {"nonce": bytes(32)},
    "no nonce in hello": {"nonce": b""},
    "something else in hello": {"client_name": "d"},
    "something else in greeting": {"methods": ("key",)},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_login_proof_holds_for_one_connection_alone(variant: str) -> None:
    key = identity.public_key(CLIENT_SEED)
    client, _server, _greeting = greeted()
    _other_client, other_server, _other_greeting = greeted(**VARIANTS[variant])  # type: ignore[arg-type]
    proof = identity.sign(CLIENT_SEED, client.login_proof_payload("Ana", key))
    assert identity.verify(key, client.login_proof_payload("Ana", key), proof)
    assert not identity.verify(key, other_server.login_proof_payload("Ana", key), proof)
    password = identity.password_proof(bytes(32), client.password_proof_payload("Ana"))
    assert password != identity.password_proof(bytes(32), other_server.password_proof_payload("Ana"))


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "something else in greeting"])
def test_a_server_proof_holds_for_one_connection_alone(variant: str) -> None:
    client, _server, greeting = greeted()
    _other_client, _other_server, other = greeted(**VARIANTS[variant])  # type: ignore[arg-type]
    payload = client.server_proof_payload(greeting.server_id, greeting.challenge)
    assert identity.verify(greeting.server_id, payload, greeting.proof)
    assert not identity.verify(greeting.server_id, payload, other.proof)


def test_a_proof_holds_for_one_name_key_and_purpose() -> None:
    client, _server, greeting = greeted()
    key, other_key = identity.public_key(CLIENT_SEED), identity.public_key(bytes(32))
    payloads = [
        client.login_proof_payload("Ana", key),
        client.login_proof_payload("Anà", key),
        client.login_proof_payload("", key),
        client.login_proof_payload("Ana", other_key),
        client.password_proof_payload("Ana"),
        client.server_proof_payload(greeting.server_id, greeting.challenge),
    ]
    assert len(set(payloads)) == len(payloads)
    proof = identity.sign(CLIENT_SEED, payloads[0])
    assert [identity.verify(key, payload, proof) for payload in payloads] == [True] + [False] * 5
    assert not identity.verify(other_key, payloads[0], proof)


def test_what_is_no_signature_is_not_verified_and_never_raises() -> None:
    key = identity.public_key(CLIENT_SEED)
    good = identity.sign(CLIENT_SEED, b"x")
    for bad in (b"", good[:-1], good + b"\x00", bytes(64), good[::-1]):
        assert not identity.verify(key, b"x", bad)
    for bad_key in (b"", bytes(31), bytes(33), b"\xff" * 32):
        assert not identity.verify(bad_key, b"x", good)


def test_ed25519_is_the_standard_one() -> None:
    """RFC 8032, section 7.1, test 2."""
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    assert identity.public_key(seed).hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert identity.sign(seed, b"\x72").hex() == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )


def test_new_keys_differ_and_have_32_bytes() -> None:
    keys = {identity.new_key() for _ in range(20)}
    assert len(keys) == 20
    assert {len(key) for key in keys} == {identity.KEY_SIZE}
    assert all(identity.is_public_key(identity.public_key(key)) for key in keys)
    assert len(identity.sign(keys.pop(), b"")) == identity.PROOF_SIZE


@pytest.mark.parametrize(
    "key",
    [
        b"",
        bytes(31),
        bytes(33),
        bytes(32),
        b"\x01" + bytes(31),
        b"\x01" + bytes(30) + b"\x80",
        bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
        bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"),
        bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
        bytes.fromhex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),  # y = p, that is 0
        bytes.fromhex("f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),  # y = p + 3
    ],
)
def test_keys_that_anybody_can_sign_for_or_that_have_two_forms_are_none(key: bytes) -> None:
    assert not identity.is_public_key(key)


def test_a_wrong_seed_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="32"):
        identity.public_key(b"short")
    with pytest.raises(ValueError, match="32"):
        identity.sign(b"short", b"")


def test_the_password_itself_is_never_sent_and_its_forms_are_one() -> None:
    server_id = identity.public_key(SERVER_SEED)
    composed = identity.password_key("Geheimnis f\u00fcr alle", server_id)
    assert composed == identity.password_key("Geheimnis fu\u0308r alle", server_id)
    assert composed != identity.password_key("geheimnis für alle", server_id)
    assert composed != identity.password_key("Geheimnis für alle", CHALLENGE)
    client, server, _greeting = greeted()
    proof = identity.password_proof(composed, client.password_proof_payload("Ana"))
    assert len(proof) == 32
    login = tell(client, server, Login(method="guest", name="Ana", password_proof=proof))
    assert isinstance(login, Login)
    expected = identity.password_proof(composed, server.password_proof_payload(login.name))
    assert identity.same_secret(expected, login.password_proof)
    assert not identity.same_secret(expected, LOGIN.password_proof)
