"""The ways to play a flow: the suite plays each flow in one of them, in turn, and the long form in all."""

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
    """Passes the options of each way to the test as `name`."""
    return pytest.mark.parametrize(
        name,
        [
            pytest.param(options, id=way, marks=[] if way == in_suite else [pytest.mark.long])
            for way, options in ways.items()
        ],
    )
