"""Why a store cannot be used: stable codes, and a sentence with the file's name and the remedy."""

STORE_IN_USE = "store_in_use"
"""Another server has it open."""
STORE_UNWRITABLE = "store_unwritable"
"""The folder or file cannot be written (or read)."""
STORE_NEWER = "store_newer"
"""A newer version of this program wrote it."""
STORE_FOREIGN = "store_foreign"
"""Another program's file, or no database at all."""
STORE_DAMAGED = "store_damaged"
"""Ours, but cut off or with wrong bytes."""

CODES = (STORE_IN_USE, STORE_UNWRITABLE, STORE_NEWER, STORE_FOREIGN, STORE_DAMAGED)


class StoreError(Exception):
    """The store cannot be opened; nothing in its folder was changed. code: one of CODES. sentence: for the operator."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
