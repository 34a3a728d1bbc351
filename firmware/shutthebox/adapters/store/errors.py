"""The error that the store raises."""

from shutthebox.errors import ShutTheBoxError, one_line


class StoreError(ShutTheBoxError, OSError):
    """The store cannot be used; the text names the file and what is wrong, in one line.

    Args:
        text: may quote the file's content.
    """

    exit_code = 1

    def __init__(self, text: str) -> None:
        super().__init__(one_line(text))
