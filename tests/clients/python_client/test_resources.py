"""Calls of the Python client on a running server: users, courses, enrollments, lists and errors."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from clients.python_client.company import Company
from trilha_client import (
    ApiError,
    AuthenticationError,
    BusinessRuleError,
    ConflictError,
    NotFoundError,
    Page,
    Pages,
    PermissionDeniedError,
    Trilha,
    ValidationError,
    __version__,
)
from trilha_client._async_resources import AsyncResources
from trilha_client._calls import Call
from trilha_client._resources import Resources

NOBODY = "0f8fad5b-d9cb-469f-a165-70867728950e"


def find_course(client: Trilha, slug: str) -> str:
    (course,) = client.courses.list(slug=slug)
    return course["id"]


def test_a_user_is_created_changed_and_suspended(client: Trilha) -> None:
    user = client.users.create(
        email="ana@example.com", name="Ana Lima", department="RH", cpf="529.982.247-25"
    )
    assert (user["name"], user["cpf"], user["department"]) == ("Ana Lima", "***.***.***-25", "RH")
    assert user["temporary_password"]
    # A member that is left out does not change; None clears it.
    changed = client.users.update(user["id"], department=None)
    assert (changed["name"], changed["department"]) == ("Ana Lima", None)
    client.users.suspend(user["id"])
    assert list(client.users.get(user["id"], fields="status").items()) == [
        ("id", user["id"]),
        ("status", "SUSPENDED"),
    ]
    client.users.reactivate(user["id"])
    assert [each["id"] for each in client.users.search(cpf="529.982.247-25")] == [user["id"]]


def test_users_are_sent_in_bulk(client: Trilha) -> None:
    result = client.users.put_bulk(
        users=[{"email": "bia@example.com", "name": "Bia"}, {"email": "none", "name": "Caio"}], invite=False
    )
    assert (result["created"], result["failed"]) == (1, 1)
    assert [(error["index"], error["code"]) for error in result["errors"]] == [(1, "invalid_email")]


def test_people_are_enrolled(client: Trilha) -> None:
    course = find_course(client, "boas-vindas")
    people = [client.users.create(email=f"aluno{number}@example.com", name="Aluno") for number in range(3)]
    first = client.enrollments.create(user_id=people[0]["id"], course_id=course)
    assert (first["status"], client.enrollments.get(first["id"])["user_id"]) == (
        "NOT_STARTED",
        people[0]["id"],
    )
    places = [{"user_id": person["id"], "course_id": course} for person in people]
    result = client.enrollments.create_bulk(enrollments=places)
    assert (result["created"], result["skipped"]) == (2, 1)
    expires_at = datetime.now(UTC) + timedelta(days=30)
    assert client.enrollments.update(first["id"], expires_at=expires_at.isoformat())["expires_at"]
    client.enrollments.cancel(first["id"])
    assert list(client.users.list_enrollments(people[0]["id"])) == []
    assert [each["title"] for each in client.courses.list_modules(course)] == ["Classes de fogo"]


def test_a_list_reads_page_after_page(client: Trilha) -> None:
    made = [
        client.users.create(email=f"lista{n}@example.com", name="Lista", department="Lista")["id"]
        for n in range(7)
    ]
    users = client.users.list(department="Lista", limit=3)
    assert [user["id"] for user in users] == made[::-1]
    assert [len(page.data) for page in users.pages()] == [3, 3, 1]
    first = next(users.pages())
    assert (first.has_more, first.limit) == (True, 3)
    rest = client.users.list(department="Lista", limit=100, cursor=first.next_cursor)
    assert [user["id"] for user in rest] == made[3::-1]


def test_filters_take_moments(client: Trilha) -> None:
    user = client.users.create(email="agora@example.com", name="Agora")
    assert user["id"] in [each["id"] for each in client.users.list(updated_since=user["updated_at"])]
    assert list(client.users.list(created_since=datetime.now(UTC) + timedelta(hours=1))) == []


def test_a_webhook_endpoint_is_created_and_removed(client: Trilha) -> None:
    endpoint = client.webhooks.create(url="https://hooks.example.com/", events=["user.created"])
    assert endpoint["secret"].startswith("whsec_")
    assert client.webhooks.rotate_secret(endpoint["id"])["secret"] != endpoint["secret"]
    client.webhooks.delete(endpoint["id"])
    assert endpoint["id"] not in [each["id"] for each in client.webhooks.list()]


def refuse_email(client: Trilha) -> None:
    client.users.create(email="none", name="Ana", cpf="529.982.247-26")


def repeat_email(client: Trilha) -> None:
    client.users.create(email="twice@example.com", name="Ana")
    client.users.create(email="twice@example.com", name="Ana")


def enroll_in_a_draft(client: Trilha) -> None:
    user = client.users.create(email="draft@example.com", name="Ana")
    client.enrollments.create(user_id=user["id"], course_id=find_course(client, "rascunho"))


@pytest.mark.parametrize(
    ("call", "kind", "status", "code"),
    [
        (refuse_email, ValidationError, 400, "invalid_email"),
        (
            lambda client: client.analytics.get_completion_report(),
            PermissionDeniedError,
            403,
            "insufficient_scope",
        ),
        (lambda client: client.users.get(NOBODY), NotFoundError, 404, "user_not_found"),
        (repeat_email, ConflictError, 409, "email_exists"),
        (enroll_in_a_draft, BusinessRuleError, 422, "course_not_published"),
        (lambda client: client.request("DELETE", "/courses"), ApiError, 405, "method_not_allowed"),
    ],
)
def test_a_refusal_has_its_class(
    client: Trilha, call: Any, kind: type[ApiError], status: int, code: str
) -> None:
    with pytest.raises(kind) as refusal:
        call(client)
    error = refusal.value
    assert (error.status, error.code) == (status, code)
    assert error.request_id
    assert error.request_id.startswith("req_")
    assert code in str(error)


def test_a_validation_error_lists_all_problems(client: Trilha) -> None:
    with pytest.raises(ValidationError) as refusal:
        refuse_email(client)
    problems = [(problem["field"], problem["code"]) for problem in refusal.value.detail]
    assert problems == [("email", "invalid_email"), ("cpf", "invalid_cpf")]
    assert (refusal.value.field, refusal.value.type) == ("email", "validation_error")


def test_a_wrong_key_is_refused(company: Company) -> None:
    with Trilha(company.url, api_key="trl_live_wrong") as client, pytest.raises(AuthenticationError):
        client.users.get(NOBODY)


def test_an_http_client_of_your_own_stays_open(company: Company) -> None:
    with httpx2.Client(headers={"x-request-source": "hr"}, timeout=10) as http:
        for _ in range(2):
            with Trilha(company.url, api_key=company.key, http=http) as client:
                assert client.request("GET", "/users", query={"limit": 1})["limit"] == 1
        assert not http.is_closed


def test_a_certificate_that_does_not_exist_is_not_verified(client: Trilha) -> None:
    verification = client.certificates.verify("ABCD-EFGH-JKMN-PQRS")
    assert (verification["verified"], verification.get("reason")) == (False, "not_found")
    with pytest.raises(NotFoundError):
        client.certificates.get("a/b?c#d")


def test_any_route_can_be_called_by_its_path(client: Trilha) -> None:
    assert client.request("GET", "/users", query={"limit": 1})["limit"] == 1


@pytest.mark.parametrize("place", ["", ".", ".."])
def test_an_id_that_leads_elsewhere_is_not_sent(client: Trilha, place: str) -> None:
    with pytest.raises(ValueError, match="cannot be the id"):
        client.users.get(place)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"api_key": "x"}, "address"),
        ({"url": "learn.example.com", "api_key": "x"}, "is not an address"),
        ({"url": "https://learn.example.com"}, "credential"),
        ({"url": "https://learn.example.com", "client_id": "x"}, "client_secret"),
        (
            {"url": "https://learn.example.com", "client_id": "x", "client_secret": "y", "api_key": "z"},
            "either",
        ),
    ],
)
def test_a_client_without_an_address_or_credential_says_so(
    monkeypatch: pytest.MonkeyPatch, arguments: dict[str, str], problem: str
) -> None:
    monkeypatch.delenv("TRILHA_URL", raising=False)
    monkeypatch.delenv("TRILHA_API_KEY", raising=False)
    with pytest.raises(ValueError, match=problem):
        Trilha(**arguments)


def test_address_and_key_come_from_the_environment(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILHA_URL", f"{company.url}/v1/")
    monkeypatch.setenv("TRILHA_API_KEY", company.key)
    with Trilha() as client:
        assert client.request("GET", "/users")["data"] is not None


def test_an_event_has_the_type_of_its_data(client: Trilha) -> None:
    user = client.users.create(email="event@example.com", name="Ana")
    events = [event for event in client.events.list(type="user.created") if event["type"] == "user.created"]
    assert events[0]["data"]["user_id"] == user["id"]


def test_an_empty_page_may_have_a_next_one() -> None:
    pages: list[Page[int]] = [Page([], "next", True, 2, {}), Page([7], None, False, 2, {})]
    queries = []

    def send(call: Call[Any]) -> Any:
        queries.append(call.query)
        return pages[len(queries) - 1]

    assert list(Pages(send, Call[Page[int]]("GET", "/users", query={"limit": 2}))) == [7]
    assert queries == [{"limit": 2}, {"limit": 2, "cursor": "next"}]


def test_every_route_of_the_description_has_a_method(company: Company) -> None:
    """Both clients have one for each; the server's description has the same version."""
    description = httpx2.get(f"{company.url}/openapi.json").json()
    assert description["info"]["version"] == __version__
    routes = {
        f"{method.upper()} {re.sub(r'{.*?}', 'x', path)}"
        for path, methods in description["paths"].items()
        for method in methods
    }
    assert set(list_routes(Resources)) == set(list_routes(AsyncResources)) == routes


def list_routes(resources: Any) -> list[str]:
    """Returns the route that each method calls."""
    calls: list[Call[Any]] = []
    sender: Any = lambda call: calls.append(call)  # noqa: E731
    for resource in vars(resources(sender)).values():
        for name in (name for name in vars(type(resource)) if not name.startswith("_")):
            method = getattr(resource, name)
            places = method.__code__.co_argcount - 1
            result = method(*["x"] * places)
            if hasattr(result, "pages"):
                calls.append(result._call)
            elif hasattr(result, "send"):
                with pytest.raises(TypeError, match="await"):
                    result.send(None)
    return [f"{call.method} {call.path}" for call in calls]
