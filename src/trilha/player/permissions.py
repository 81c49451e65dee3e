"""What browsers let content use: sensors always; a microphone or a camera where its author says so.

The page around the frame and the pages inside say the same, as the Permissions Policy demands of both.
"""

from collections.abc import Sequence
from typing import Any

# Panoramas and simulations turn with the device.
_ALWAYS = (
    *("accelerometer", "autoplay", "clipboard-write", "fullscreen"),
    *("gyroscope", "magnetometer", "unload"),
)
_DEVICES = ("camera", "microphone")
_NEVER = ("geolocation", "payment", "usb", "browsing-topics")


def devices_of(module_type: str, content: Any) -> Sequence[str]:
    """The devices that a module may ask its learners for. Questions with spoken answers need a microphone."""
    if module_type == "QUIZ":
        return ["microphone"]
    return [name for name in _DEVICES if content and content.get(name) is True]


def frame_permissions(devices: Sequence[str]) -> str:
    """The `allow` of a frame."""
    return "; ".join((*_ALWAYS, *devices))


def outer_policy(devices: Sequence[str], contents: Sequence[str]) -> str:
    """The policy of the page around the frame; `contents` are the origins that may be inside."""
    origins = " ".join(f'"{content}"' for content in contents)
    allowed = [f"{name}=(self {origins})" for name in (*_ALWAYS, *devices)]
    return ", ".join([*allowed, *_refused((*_DEVICES, *_NEVER), devices)])


def inner_policy(devices: Sequence[str] = ()) -> str:
    """Of all that the content's origin answers. What is not named, content may do where the frame lets it.

    Browsers give up the event that much content saves itself in; here it still has it.
    """
    return ", ".join(["unload=(self)", *_refused(_DEVICES, devices)])


def _refused(names: Sequence[str], devices: Sequence[str]) -> list[str]:
    return [f"{name}=()" for name in names if name not in devices]
