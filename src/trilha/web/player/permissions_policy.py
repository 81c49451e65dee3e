"""What browsers let content use: always sensors; a microphone or camera if its author allows it.

The outer page and the pages inside the frame both declare it, as the Permissions Policy requires.
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
    """Returns the devices that a module may use. A quiz may have voice answers, which need a microphone."""
    if module_type == "QUIZ":
        return ["microphone"]
    return [name for name in _DEVICES if content and content.get(name) is True]


def frame_permissions(devices: Sequence[str]) -> str:
    """Returns the `allow` attribute of a frame."""
    return "; ".join((*_ALWAYS, *devices))


def outer_policy(devices: Sequence[str], contents: Sequence[str]) -> str:
    """Returns the policy of the outer page; `contents` are the origins that it may frame."""
    origins = " ".join(f'"{content}"' for content in contents)
    allowed = [f"{name}=(self {origins})" for name in (*_ALWAYS, *devices)]
    return ", ".join([*allowed, *_list_denied((*_DEVICES, *_NEVER), devices)])


def inner_policy(devices: Sequence[str] = ()) -> str:
    """Returns the policy for every answer of the content origin. The frame decides on anything not named.

    It allows the `unload` event, which browsers are removing, because much content saves its state in it.
    """
    return ", ".join(["unload=(self)", *_list_denied(_DEVICES, devices)])


def _list_denied(names: Sequence[str], devices: Sequence[str]) -> list[str]:
    return [f"{name}=()" for name in names if name not in devices]
