"""How large a page of statements may be."""

from collections.abc import Mapping, Sequence

from trilha.training.xapi.schema import StoredStatement

# The most bytes of all statements of a page, and of all their attachments. One statement is always returned.
PAGE_BYTES = 8 * 1024 * 1024
_ATTACHED_BYTES = 32 * 1024 * 1024
_NO_SIZES: Mapping[str, int] = {}


def cut_page(rows: Sequence[StoredStatement], sizes: Mapping[str, int] = _NO_SIZES) -> list[StoredStatement]:
    """Returns the first rows, at least one, that are not too large together. `sizes` are those of
    attachments in bytes, by their hashes.
    """
    content = attached = 0
    sums: set[str] = set()
    for number, row in enumerate(rows):
        new = set(row.attachments or ()) - sums
        sums |= new
        content += len(row.content.encode())
        attached += sum(sizes.get(sha2, 0) for sha2 in new)
        if number and (content > PAGE_BYTES or attached > _ATTACHED_BYTES):
            return list(rows[:number])
    return list(rows)
