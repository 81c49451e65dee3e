"""The description is consistent: examples match their schemas, and nothing is missing."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from openapi.described import DESCRIPTION, DOCUMENTS, OPERATIONS, V1, WHOLE, Document
from trilha.app import all_routes, descriptions
from trilha.core.credentials import Scope
from trilha.core.errors import CODES
from trilha.settings import Settings

each_of_all = pytest.mark.parametrize(
    ("document", "operation"),
    [
        pytest.param(document, operation, id=f"{address} {name}")
        for address, document in DOCUMENTS.items()
        for name, operation in document.operations.items()
    ],
)
each_operation = pytest.mark.parametrize(
    "operation", [operation for _, operation in OPERATIONS], ids=[name for name, _ in OPERATIONS]
)


def contents(document: Document, operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "requestBody" in operation:
        yield from operation["requestBody"]["content"].values()
    for response in map(document.resolved, operation["responses"].values()):
        yield from response.get("content", {}).values()


@each_of_all
def test_examples_are_of_their_schemas(document: Document, operation: dict[str, Any]) -> None:
    for content in contents(document, operation):
        examples = [each["value"] for each in content.get("examples", {}).values()]
        if "example" in content:
            examples.append(content["example"])
        assert examples
        for example in examples:
            assert document.problems(content["schema"], example) == []
    for parameter in operation["parameters"]:
        for example in [parameter.get("example"), *parameter["schema"].get("examples", [])]:
            assert example is None or document.problems(parameter["schema"], example) == []


@each_of_all
def test_every_header_has_an_example_of_its_schema(document: Document, operation: dict[str, Any]) -> None:
    for response in map(document.resolved, operation["responses"].values()):
        assert "X-Request-Id" in response["headers"]
        for header in map(document.resolved, response["headers"].values()):
            assert document.problems(header["schema"], header["example"]) == []


@each_operation
def test_tells_every_way_to_fail(operation: dict[str, Any]) -> None:
    statuses = set(operation["responses"])
    assert statuses >= {"400", "403", "429", "500", "503"}
    assert ("401" in statuses) is bool(operation["security"])
    if not operation["security"]:
        return
    if any(parameter["in"] == "path" for parameter in operation["parameters"]):
        assert "404" in statuses
    if "requestBody" in operation:
        assert statuses >= {"413", "415"}


# Operations that need no credential.
PUBLIC = {"verify_certificate"}


@each_operation
def test_names_its_credential_and_scope(operation: dict[str, Any]) -> None:
    if operation["operationId"] in PUBLIC:
        assert operation["security"] == []
        assert "x-required-scope" not in operation
        return
    assert operation["x-required-scope"] in list(Scope)
    assert f"`{operation['x-required-scope']}`" in operation["description"]
    for requirement in operation["security"]:
        assert requirement.keys() <= DESCRIPTION["components"]["securitySchemes"].keys()
    assert operation["security"][-1] == {"oauth": [operation["x-required-scope"]]}
    flows = DESCRIPTION["components"]["securitySchemes"]["oauth"]["flows"]
    assert operation["x-required-scope"] in flows["clientCredentials"]["scopes"]


def test_describes_every_route_and_no_other() -> None:
    assert {name for name, _ in OPERATIONS} == {f"{route.method} {route.path}" for route in all_routes()}


def test_links_lead_to_operations_that_take_what_they_give() -> None:
    known = {operation["operationId"]: operation for _, operation in OPERATIONS}
    links = [
        link
        for _, operation in OPERATIONS
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]
    assert links
    for link in links:
        target = known[link["operationId"]]
        assert link["parameters"].keys() <= {parameter["name"] for parameter in target["parameters"]}


def test_a_members_name_is_never_taken_for_a_keyword() -> None:
    course = DESCRIPTION["components"]["schemas"]["Course"]
    assert course["properties"]["title"]["type"] == "string"


# Answers to addresses and methods that the description does not have.
OF_NO_OPERATION = {"route_not_found", "tenant_not_found", "method_not_allowed", "transfer_coding_unknown"}
# Codes that only pages and commands return, because their subjects have no JSON operations yet.
OF_PAGES = {
    *("reminder_address_not_found", "unknown_reminder_placeholder", "enrollment_not_expired"),
    *("document_not_readable", "assessment_annulled", "assessment_incomplete", "assessment_not_assessed"),
    *("assessment_signed", "not_your_signature"),
    *("certificate_not_readable", "external_certificate_not_found", "external_certificate_waits"),
    *("evaluation_not_offered", "evaluation_final"),
    *("signature_missing", "signature_not_readable"),
    *("scan_not_readable", "personal_code_wrong", "attendance_scan_not_found", "too_many_scans"),
    *("learner_question_not_found", "learner_question_closed", "too_many_learner_questions"),
    *("too_many_messages", "course_shares_no_questions"),
    *("extension_request_not_found", "extension_already_requested"),
    *("certificate_expired", "holder_erased", "link_expired", "link_invalid", "certificate_not_rendered"),
    *("project_version_not_found", "project_incomplete", "project_not_rendered"),
    "user_suspended",
    *("address_unconfirmed", "email_change_invalid", "own_email_change"),
    *("business_unit_not_found", "business_unit_code_exists", "business_unit_below_itself"),
    *("business_unit_not_empty", "manager_not_gestor", "learning_group_not_found", "learning_group_exists"),
    *("file_not_a_table", "file_encrypted", "file_too_large", "unknown_header", "no_identifying_column"),
    "import_not_found",
    *("import_started", "audit_record_not_found", "logo_too_large"),
    *("logo_not_an_image", "teacher_not_instrutor", "user_has_password"),
    *("package_not_found", "package_not_ready"),
    *(
        "unknown_part",
        "unknown_media_type",
    ),
    *("media_file_not_found", "not_an_image", "image_too_large"),
    "translation_changed",
    *("lesson_changed", "lesson_draft_changed", "lesson_version_not_found", "question_incomplete"),
    *("word_unreadable", "launch_not_found"),
    *("launch_over", "session_over", "file_not_found", "service_worker_refused", "review_flag_not_found"),
    *("invalid_key", "choices_required", "custom_field_not_found", "custom_field_exists"),
    *(
        "too_many_custom_fields",
        "custom_field_in_use",
        "learning_path_slug_exists",
        "learning_path_without_courses",
    ),
    *("learning_path_is_draft", "learning_path_not_published", "too_many_courses"),
    *("quiz_not_found", "question_not_found", "too_many_questions", "invalid_number"),
    *("unknown_question_format", "question_file_too_large", "question_file_too_complex"),
    *("bank_question_not_found", "question_import_not_found", "question_bank_full"),
    *("template_not_found", "template_archived", "template_name_exists"),
    *("unknown_placeholder", "too_little_contrast", "picture_missing", "picture_too_large"),
    *("picture_not_an_image", "identity_not_found", "identity_too_large", "identity_not_pkcs12"),
    "identity_too_costly",
    *("passkey_refused", "passkey_exists", "passkey_not_found", "passkeys_unavailable"),
    *("too_many_passkeys", "no_passkey", "recent_sign_in_required"),
    *("photo_not_readable", "no_face", "several_faces", "invalid_descriptor"),
    *("identity_check_not_found", "identity_consent_required", "identity_not_due", "too_many_photos"),
    *("identity_photo_required", "identity_text_changed"),
    *("identity_wrong_password", "identity_without_key", "identity_weak_key", "identity_cannot_sign"),
    *("identity_expired", "identity_not_yet_valid"),
    "unknown_audio",
    *("service_key_invalid", "credentials_incomplete", "meeting_service_missing", "meeting_link_exists"),
    *("recording_too_large", "unknown_recording", "answer_not_found", "audio_too_large"),
}


# Codes of the learning record store, which follows descriptions of others.
OF_XAPI = {
    *("xapi_version_unsupported", "invalid_xapi_parameter", "invalid_statement", "invalid_xapi_content"),
    *("document_changed", "outside_of_launch", "statement_not_found", "document_not_found"),
    *("statement_exists", "document_exists"),
    *("pipe_not_found", "too_many_pipes"),
    *("cmi5_statement_refused", "launch_superseded", "module_not_waivable", "already_waived"),
}


# Codes about one item of a bulk answer.
OF_ITEMS = {"ambiguous_employee_number", "duplicate_item", "too_long_ago", "after_completion"}
OF_SESSIONS = {
    *("check_in_code_invalid", "already_checked_in"),
    *("invalid_login", "session_missing", "session_invalid", "session_not_found", "cross_site_request"),
    *("password_change_required", "wrong_password", "same_password", "reset_link_invalid"),
    *("password_below_minimum",),
    *("second_factor_required", "second_factor_setup_required", "second_factor_exists"),
    *("second_factor_not_begun", "second_factor_locked", "wrong_code", "not_permitted"),
    "signed_in_by_link",
}
# Codes of sign-in with a provider that only pages and commands return, except for an invalid ticket.
OF_SSO = {
    *("invalid_domain", "consumer_domain", "public_suffix", "domain_not_found", "domain_claimed"),
    *("domain_taken", "too_many_domains", "connection_not_found", "no_verified_domain", "last_connection"),
    *("no_enabled_connection", "no_break_glass", "person_not_linked", "not_an_administrator"),
    *("provider_not_usable", "client_secret_missing", "algorithm_unknown", "ticket_invalid"),
    *("no_provider", "metadata_not_usable", "metadata_missing"),
}


def codes_shown(address: str) -> set[str]:
    document = DOCUMENTS[address]
    return {
        code
        for operation in document.operations.values()
        for content in contents(document, operation)
        for code in content.get("examples", {})
    }


def test_every_code_is_shown_where_it_travels() -> None:
    expected = CODES.keys() - OF_NO_OPERATION - OF_PAGES - OF_SESSIONS - OF_SSO - OF_ITEMS - OF_XAPI
    assert codes_shown("/openapi.json") == expected
    assert "ticket_invalid" in codes_shown("/api/openapi.json")
    # No route of /api requires a role yet.
    assert codes_shown("/api/openapi.json") >= OF_SESSIONS - {"not_permitted"}


@pytest.mark.parametrize("address", DOCUMENTS)
def test_every_component_is_used(address: str) -> None:
    text = json.dumps(DOCUMENTS[address].content)
    for kind, components in DOCUMENTS[address].content["components"].items():
        for name in components:
            assert kind == "securitySchemes" or f'"#/components/{kind}/{name}"' in text, name


def test_says_what_is_set() -> None:
    settings = Settings(
        base_url="https://learn.example.com/", header_prefix="X-Acme-", webhook_agent="Acme/7"
    )
    described = descriptions(settings)
    v1, oauth = described["/openapi.json"], described["/oauth/openapi.json"]
    assert [v1["servers"], oauth["servers"]] == [
        [{"url": "https://learn.example.com/v1"}],
        [{"url": "https://learn.example.com"}],
    ]
    flow = v1["components"]["securitySchemes"]["oauth"]["flows"]["clientCredentials"]
    assert flow["tokenUrl"] == "https://learn.example.com/oauth/token"
    parameters = v1["components"]["parameters"]
    assert {name for name in parameters if name.startswith("X-")} == {
        f"X-Acme-{name}" for name in ("Signature", "Event-Id", "Event-Type", "Delivery-Id", "Request-Id")
    }
    assert parameters["User-Agent"]["example"] == "Acme/7"
    for webhook in v1["webhooks"].values():
        shown = {each["$ref"].rpartition("/")[2] for each in webhook["post"]["parameters"]}
        assert shown == parameters.keys()
    assert "X-Service-" not in json.dumps(v1)


def test_a_list_tells_its_filters_before_what_every_read_takes() -> None:
    names = [each["name"] for each in dict(OPERATIONS)["GET /users"]["parameters"]]
    assert (names[:3], names[-1]) == (["limit", "cursor", "updated_since"], "fields")


# Required by client generators, although OpenAPI does not require it.


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    members = (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else [])
    )
    for name, each in members:
        if name not in ("example", "examples"):
            yield from objects_in(each)


@pytest.mark.parametrize("address", DOCUMENTS)
def test_a_type_stands_beside_every_enum(address: str) -> None:
    found = [
        each
        for each in objects_in(DOCUMENTS[address].content)
        if isinstance(each.get("enum"), list) or isinstance(each.get("const"), str)
    ]
    assert found
    assert [each for each in found if "type" not in each] == []


@pytest.mark.parametrize("address", DOCUMENTS)
def test_a_union_is_of_one_schema_and_null(address: str) -> None:
    for each in objects_in(DOCUMENTS[address].content):
        assert not isinstance(each.get("anyOf"), list)
        if isinstance(each.get("oneOf"), list):
            first, second = each["oneOf"]
            assert "$ref" in first
            assert second == {"type": "null"}
        if isinstance(each.get("type"), list):
            assert len(each["type"]) == 2
            assert each["type"][1] == "null"


@pytest.mark.parametrize("address", DOCUMENTS)
def test_no_schema_has_the_name_of_a_constructor(address: str) -> None:
    names = DOCUMENTS[address].content["components"]["schemas"]
    assert [name for name in names if name.startswith("New")] == []
    assert len({re.sub("[^a-z]", "", name.lower()) for name in names}) == len(names)


def test_names_say_what_a_schema_is_for() -> None:
    for _, operation in OPERATIONS:
        if operation["operationId"] in ("create_user", "update_user", "list_users"):
            shown = [content["schema"]["$ref"].rpartition("/")[2] for content in contents(V1, operation)]
            expected = {"create": "UserCreate", "update": "UserUpdate", "list": "UserList"}
            assert shown[0] == expected[operation["operationId"].partition("_")[0]]


def test_what_fields_may_leave_out_is_not_required() -> None:
    user = DESCRIPTION["components"]["schemas"]["User"]
    assert user["required"] == ["id"]
    assert "With `fields`" in user["description"]
    assert set(WHOLE["User"]["required"]) == set(user["properties"])


def test_what_is_sent_is_no_call_of_a_client() -> None:
    tags = {tag for _, operation in OPERATIONS for tag in operation["tags"]}
    for webhook in DESCRIPTION["webhooks"].values():
        assert tags.isdisjoint(webhook["post"]["tags"])
        assert webhook["post"]["x-internal"] is True
