"""Whether anything new may begin on the server now. Knows no tables and no sessions."""

from robby_protocol import errors
from robby_server.rejected import Rejected
from robby_server.store import Store


class Gate:
    """Asked before a table is made or a match begins. draining: the server is about to stop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.draining = False

    @property
    def kept(self) -> bool:
        """Whether what happens now would survive a crash."""
        return self._store.trouble is None

    @property
    def notices(self) -> list[str]:
        """Codes of the notices that everybody who comes is to be told."""
        return [code for code, so in ((errors.DRAINING, self.draining), (errors.NOT_KEPT, not self.kept)) if so]

    def check(self) -> None:
        """Raise Rejected where nothing new may begin."""
        for code in self.notices:
            raise Rejected(code)
