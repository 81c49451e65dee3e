"""The names that `make check` refuses."""

import pytest
from docs.names import is_refused, list_refused_names

SOURCE = """
LISTED = 1
ROWS = 2

class Shown: ...

def told(): ...

def signed_part(): ...

def load_course(found): ...

class Course:
    @property
    def signed_name(self): ...

    def most(self): ...
"""


def test_names_that_say_nothing_are_refused() -> None:
    refused = {name for _, name in list_refused_names(SOURCE)}
    assert refused == {"Shown", "told", "found", "signed_part", "most", "LISTED"}


@pytest.mark.parametrize("module", ["found", "shown_once", "unsolicited"])
def test_a_module_is_named_by_what_it_holds(module: str) -> None:
    assert is_refused(module)
    assert not is_refused("signed_parts")
