"""The base class of all events, and the types of their members."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

VERSION = "2026-11"

_NAME = "evt_2f1d3c5b7a904e6f8d1c3b5a79e0f2d4"
EventName = Annotated[str, Meta(pattern="^evt_[0-9a-f]{32}$", examples=[_NAME])]
TypeName = Annotated[str, Meta(examples=["enrollment.completed"])]
Role = Annotated[str, Meta(examples=["learner"])]
Percent = Annotated[float, Meta(ge=0, le=100, examples=[92.5])]


class Event(Struct, frozen=True, kw_only=True):
    """The members of an event's `data`. `type` is its name in the envelope.

    The docstring of a subclass says when the event is sent; `emitted` is false for events that no feature
    sends yet. Emitting an event adds an audit record with its members, unless `audited` is false: for
    events caused by time or learning, and for those that are recorded under another name.
    """

    type: ClassVar[str]
    emitted: ClassVar[bool] = True
    audited: ClassVar[bool] = True
    target: ClassVar[str]  # the member that identifies the target of the audit record
    # Personal members, and the values that replace them when the person is erased.
    personal: ClassVar[Mapping[str, Any]] = {}
    # The member with the target's name. It must not be a person's name: people are erased, and audit records
    # are not changed.
    target_name: ClassVar[str | None] = None

    @classmethod
    def description(cls) -> str:
        """Says when the event is sent, and whether it is sent yet."""
        text = " ".join((cls.__doc__ or "").split())
        return text if cls.emitted else f"{text} Not emitted yet."
