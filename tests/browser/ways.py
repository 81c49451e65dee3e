"""In which ways a flow is played: the suite plays each in one of them, by turns, and its long form in all."""

from collections.abc import Mapping
from typing import Any

import pytest

WAYS: Mapping[str, Mapping[str, Any]] = {
    "scripts": {},
    "phone-no-scripts": {"size": "phone", "scripts": False},
}


def played(
    in_suite: str, ways: Mapping[str, Mapping[str, Any]] = WAYS, name: str = "options"
) -> pytest.MarkDecorator:
    """Gives a test the options of each way by `name`."""
    return pytest.mark.parametrize(
        name,
        [
            pytest.param(options, id=way, marks=[] if way == in_suite else [pytest.mark.long])
            for way, options in ways.items()
        ],
    )
