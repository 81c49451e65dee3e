"""What every event of the catalogue is, and what its members are made of."""

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
    """The members of an event's `data`. `type` names it in the envelope.

    A subclass's docstring says when it is emitted; `emitted` is false until some feature does. Emitting one
    adds an audit record with its members, unless it is not `audited`: what time or learning brings about, and
    what is on record under another name.
    """

    type: ClassVar[str]
    emitted: ClassVar[bool] = True
    audited: ClassVar[bool] = True
    target: ClassVar[str]  # the member that tells what it happened to
    # What members are overwritten with when the person is erased: those that tell something of the person.
    personal: ClassVar[Mapping[str, Any]] = {}
    # The member with its name. Never a person's: audit records are not changed, and people are erased.
    target_name: ClassVar[str | None] = None

    @classmethod
    def description(cls) -> str:
        """When it is emitted, and whether it is yet."""
        text = " ".join((cls.__doc__ or "").split())
        return text if cls.emitted else f"{text} Not emitted yet."
