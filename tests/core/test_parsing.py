"""From bytes and query strings to Structs: both parsers agree, and no other exception escapes."""

from datetime import date
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from trilha.core.errors import FIELD_CODES, ApiError, BadRequest, Invalid
from trilha.core.types import to_json
from trilha.core.web.parsing import convert, parse_body, parse_query, parse_uuid
from trilha.people.users.schema import NewUser, UserPatch, UserQuery
from trilha.training.enrollments.schema import BulkEnrollments, EnrollmentQuery

TODAY = date(2026, 11, 21)
json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
near = st.fixed_dictionaries(
    {},
    optional={
        "email": st.sampled_from(["ana@example.com", "ana@", "ANA@exämple.com"]) | json,
        "name": st.sampled_from(["Ana", "", "a\x00b", "x" * 121]) | json,
        "password": json,
        "business_unit_id": st.uuids().map(str) | json,
        "cpf": st.sampled_from(["529.982.247-25", "52998224725", "1"]) | json,
        "birth_date": st.dates().map(str) | json,
        "cnh": st.fixed_dictionaries(
            {"numero": st.just("98765432109"), "ear": st.booleans() | json},
            optional={"categoria": st.sampled_from(["A", "Z"]), "validade": st.dates().map(str)},
        )
        | json,
        "shoe_size": json,
    },
)


def outcome(parse: Any, *arguments: Any) -> Any:
    try:
        return parse(*arguments)
    except Invalid as error:
        problems = error.detail
    except BadRequest as error:
        return error.code
    assert all(each.code in FIELD_CODES for each in problems)
    return {(each.field, each.code) for each in problems}


@given(json | near)
def test_the_fast_way_and_the_thorough_way_agree(raw: Any) -> None:
    for kind in (NewUser, UserPatch, BulkEnrollments):
        body = to_json(raw)
        assert outcome(parse_body, kind, body, TODAY) == outcome(
            convert, kind, msgspec.json.decode(body), TODAY
        )


@given(st.binary(max_size=200))
@example(b'{"email": "\\ud800"}')
@example(b"[" * 5000)
def test_no_bytes_raise_anything_else(body: bytes) -> None:
    for kind in (NewUser, BulkEnrollments):
        outcome(parse_body, kind, body, TODAY)


@given(near)
def test_whatever_is_taken_reads_back_as_it_is(raw: Any) -> None:
    value = outcome(parse_body, UserPatch, to_json(raw), TODAY)
    if isinstance(value, UserPatch):
        assert parse_body(UserPatch, to_json(value), TODAY) == value


@given(st.text(max_size=100) | st.lists(st.tuples(st.text(), st.text())).map(urlencode))
def test_no_query_raises_anything_else(query: str) -> None:
    for kind in (UserQuery, EnrollmentQuery):
        outcome(parse_query, kind, query, TODAY)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "limit": st.integers(1, 100),
            "user_id": st.uuids(),
            "course_id": st.uuids(),
            "status": st.sampled_from(["NOT_STARTED", "IN_PROGRESS", "COMPLETED", "EXPIRED"]),
            "cursor": st.text(min_size=1).filter(lambda text: "\x00" not in text),
        },
    )
)
def test_a_well_formed_query_is_read_as_sent(members: dict[str, Any]) -> None:
    assert parse_query(EnrollmentQuery, urlencode(members), TODAY) == EnrollmentQuery(**members)


@given(st.sampled_from(["status", "user_id", "limit"]), st.text())
def test_a_filter_is_taken_or_refused_never_dropped(name: str, text: str) -> None:
    try:
        query = parse_query(EnrollmentQuery, urlencode({name: text}), TODAY)
    except ApiError:
        return
    assert getattr(query, name) is not None


@given(st.uuids(), st.text())
def test_an_id_has_one_form(id: UUID, text: str) -> None:
    assert parse_uuid(str(id)) == parse_uuid(str(id).upper()) == id
    for other in (id.hex, f"{{{id}}}", f"urn:uuid:{id}", f"{id}\n", f" {id}", text):
        assert parse_uuid(other) is None
