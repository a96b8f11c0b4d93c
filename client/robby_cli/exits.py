"""The one exception that ends the command with a sentence. The codes are `robby_client.exit_codes`."""


class CommandError(Exception):
    """The command cannot go on. text: one plain sentence with the remedy, translated. code: the exit code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
