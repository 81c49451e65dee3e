"""The limits of a package. Sizes are in bytes."""

from msgspec import Struct

MIB = 1024 * 1024


class Limits(Struct, frozen=True, kw_only=True):
    """`ratio` is unpacked to packed size, checked once more than `ratio_from` bytes are unpacked."""

    total: int = 2048 * MIB
    file: int = 500 * MIB
    entries: int = 20_000
    ratio: int = 200
    ratio_from: int = 10 * MIB
    depth: int = 30
    path: int = 240
    manifest: int = 8 * MIB
    # The archive's list of entries, which is read as a whole.
    directory: int = 16 * MIB
    elements: int = 200_000
    element_depth: int = 100
    # Parts and folders of parts; a course accepts as many modules.
    items: int = 1500


LIMITS = Limits()
