"""Whether this installation lets browsers save modules."""

from msgspec import Struct


class OfflineUse(Struct, frozen=True):
    """If it is not `enabled`, workers remove what browsers have saved, and nothing new is saved."""

    enabled: bool
