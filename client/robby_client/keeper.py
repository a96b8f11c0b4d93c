"""Receipts and records on this machine's disk: one file for each match, never one in the place of another.

A receipt is written when all nonces are open (from then on the own nonce is worth keeping), and again with what the
match's end brings. A disk that refuses is no reason not to play; it is said once.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import structs

from robby_client.files import NotWritable, write_private
from robby_client.receipt import MAX_RECEIPT_BYTES, RECEIPT_VERSION, Receipt, ReceiptError, from_bytes, to_bytes
from robby_client.world import World

RECEIPTS_KEPT = 1_000
"""The newest; some kilobytes each, so a few megabytes in all."""
_MOST_NAMESAKES = 100
"""Files tried for one name before giving up: somebody is filling the folder."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Keeper:
    """Keeps what was seen of matches. folder: below it are `receipts` and `records`. warn: told why nothing is kept."""

    def __init__(self, folder: Path, warn: Callable[[str], None] = lambda text: None) -> None:
        self._receipts = folder / "receipts"
        self._records = folder / "records"
        self._warn = warn
        self._files: dict[tuple[str, str], Path] = {}
        """Where each match of this run has its receipt, by server and match."""
        self._written: tuple[Path, bytes] | None = None
        """What was written last; the same is not written again."""

    def keep(self, world: World, match: str, secret: bytes = b"") -> Path | None:
        """Write what is known of this match. secret: the server's, if it is known by now. None: nothing was written."""
        receipt = receipt_of(world, match, secret)
        if receipt is None:
            return None
        path, before = self._place(receipt)
        if path is None:
            return None
        if before is not None:
            receipt = _joined(before, receipt)
        data = to_bytes(receipt)
        if self._written == (path, data):
            return path
        if len(data) > MAX_RECEIPT_BYTES:
            return None  # a server that fills it up gets none: nobody could read it
        try:
            write_private(path, data)
        except NotWritable as error:
            self._warn(error.reason)
            return None
        self._written = (path, data)
        if before is None:
            self._prune()
        return path

    def _place(self, receipt: Receipt) -> tuple[Path | None, Receipt | None]:
        """The match's file, and what it holds of this very match already; a file of another match is left alone."""
        key = (receipt.server_id, receipt.match)
        known = self._files.get(key)
        for path in _names(self._receipts, f"{receipt.server_id[:8]}-{_file_name(receipt.match)}", ".json"):
            if known is not None and path != known:
                continue
            before = _read(path)
            if before is None and os.path.lexists(path):  # never raises, as Path.exists may
                continue
            if before is None or known == path or _same(before, receipt):
                self._files[key] = path
                return path, before
        return None, None

    def _prune(self) -> None:
        with contextlib.suppress(OSError):
            files = sorted(self._receipts.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
            for file in files[:-RECEIPTS_KEPT]:
                file.unlink(missing_ok=True)

    def save_record(self, match: str, record: bytes, folder: Path | None = None) -> Path:
        """Write a record file and return where it is. Raises NotWritable. One that is there already stays."""
        for path in _names(self._records if folder is None else folder, _file_name(match), ".robby"):
            if write_private(path, record, replace=False):
                return path
            with contextlib.suppress(OSError):
                if path.stat().st_size == len(record) and path.read_bytes() == record:
                    return path
        raise NotWritable("there are too many files of this name")


def receipt_of(world: World, match: str, secret: bytes = b"") -> Receipt | None:
    """What the world knows of this match; None if that is nothing."""
    table, greeting = world.table, world.greeting
    deal = world.deal if world.deal is not None and world.deal.match == match else None
    game = world.game if world.game is not None and world.game.match == match else None
    if table is None or greeting is None or (deal is None and game is None):
        return None
    seat = None if deal is None else deal.seat
    if seat is None and game is not None and game.own is not None:
        seat = game.own.seat
    finished = table.phase == "finished" and table.match == match
    return Receipt(
        robby_receipt=RECEIPT_VERSION,
        server_id=greeting.server_id.hex(),
        server_name=greeting.server_name,
        table=table.table,
        match=match,
        game=table.game,
        options=table.options,
        names=([] if deal is None else deal.names) or ([] if game is None else game.names),
        commitment="" if deal is None else deal.server.hex(),
        commitments=[] if deal is None else [commitment.hex() for commitment in deal.seats],
        nonces=[] if deal is None else [nonce.hex() for nonce in deal.nonces],
        seat=seat,
        nonce="" if deal is None else deal.nonce.hex(),
        events=0 if game is None else game.digest.count,
        events_digest="" if game is None else game.digest.digest().hex(),
        finished=finished,
        results=table.result if finished else [],
        secret=(secret or (b"" if deal is None else deal.secret)).hex(),
    )


def _joined(before: Receipt, now: Receipt) -> Receipt:
    """The newer receipt with what only the older one still has: this client may have been started anew in between."""
    kept: dict[str, Any] = {}
    if not now.commitment or (before.nonce and not now.nonce and before.commitment == now.commitment):
        kept["seat"] = before.seat
        kept["nonce"] = before.nonce
        for name in ("commitment", "commitments", "nonces"):
            if not getattr(now, name):
                kept[name] = getattr(before, name)
    for name in ("secret", "names"):
        if not getattr(now, name):
            kept[name] = getattr(before, name)
    if now.events < before.events:
        kept |= {"events": before.events, "events_digest": before.events_digest}
    if before.finished and not now.finished:
        kept |= {"finished": True, "results": before.results}
    return structs.replace(now, **kept)


def _same(before: Receipt, now: Receipt) -> bool:
    """Whether a file of an earlier run is of the same match, which goes on, and not of one with the same name."""
    if before.finished or (before.server_id, before.match) != (now.server_id, now.match):
        return False
    return not now.commitment or before.commitment in ("", now.commitment)


def _read(path: Path) -> Receipt | None:
    try:
        with path.open("rb") as file:
            return from_bytes(file.read(MAX_RECEIPT_BYTES + 1))
    except (OSError, ReceiptError):
        return None


def _file_name(match: str) -> str:
    """A match's id as a file's name; one that would not be harmless is hashed."""
    return match if _NAME.fullmatch(match) else sha256(match.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _names(folder: Path, name: str, ending: str) -> Iterator[Path]:
    yield folder / f"{name}{ending}"
    for number in range(2, _MOST_NAMESAKES):
        yield folder / f"{name}-{number}{ending}"
