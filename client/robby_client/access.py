"""What opens a private table: an invite code, or the key made of its password. Pure.

The password itself is never kept and never sent: whoever joins proves to know the key, over the very connection.
"""

from dataclasses import dataclass, field

_READ_AS = str.maketrans({"I": "1", "L": "1", "O": "0", "-": None, " ": None})
MOST_REMEMBERED = 100
"""Tables whose access is kept for this run; one evening has a few."""


def table_id(text: str) -> str:
    """A table's id as the server spells it, from how somebody typed it: any case, hyphens, I or L for 1, O for 0."""
    return text.upper().translate(_READ_AS)


@dataclass(frozen=True)
class Access:
    """invite: a code, or none. key: of the table's password, 32 bytes, or none."""

    invite: str = ""
    key: bytes = field(default=b"", repr=False)


class Opened:
    """The access that worked, by table: coming back to one asks for nothing again. Kept for this run alone."""

    def __init__(self) -> None:
        self._by_table: dict[str, Access] = {}

    def get(self, table: str) -> Access:
        """What opened this table before; nothing for another."""
        return self._by_table.get(table, Access())

    def keep(self, table: str, access: Access) -> None:
        """It worked."""
        self._by_table.pop(table, None)
        if access != Access():
            self._by_table[table] = access
            while len(self._by_table) > MOST_REMEMBERED:
                del self._by_table[next(iter(self._by_table))]
