"""`:name` parameters in SQL."""

import re

from hypothesis import given
from hypothesis import strategies as st

from trilha.core.database.connection import compile_sql

names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
# Texts between two parameters that contain no parameter.
between = st.text(st.sampled_from(" ,()=<>'\"$%*+-/|&\n\té"), max_size=10)


@given(st.lists(st.tuples(between, names)), between)
def test_every_name_has_one_number(pieces: list[tuple[str, str]], end: str) -> None:
    sql = "".join(f"{text} :{name} " for text, name in pieces) + end
    compiled, order = compile_sql(sql)
    assert list(order) == list(dict.fromkeys(name for _, name in pieces))
    expected = "".join(f"{text} ${order.index(name) + 1} " for text, name in pieces) + end
    assert compiled == expected


@given(st.text())
def test_what_was_compiled_has_nothing_left_to_bind(sql: str) -> None:
    compiled, order = compile_sql(sql)
    assert compile_sql(compiled) == (compiled, ())
    assert len(set(order)) == len(order)
    assert all(f"${number + 1}" in compiled for number in range(len(order)))


def test_casts_and_times_are_left_alone() -> None:
    sql = "SELECT :ids::uuid[], x::text, '12:30', a[1:2], :tenant, :ids"
    compiled, order = compile_sql(sql)
    assert order == ("ids", "tenant")
    assert compiled == "SELECT $1::uuid[], x::text, '12:30', a[1:2], $2, $1"
    assert not re.search(r"(?<!:):[a-z]", compiled.replace("::", ""))
