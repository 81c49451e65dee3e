"""The closed list of what can go wrong, and how a surface hears of it.

A code that is not in `CODES` cannot be raised: `ApiError` refuses it when it is made. `docs/errors.md`
and the OpenAPI description are written from this list.
"""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType


class Problem(Struct, frozen=True):
    """One thing wrong with one member of a request. `field` is dotted: `enrollments.3.user_id`."""

    field: str
    message: str
    code: str


class Code(Struct, frozen=True):
    """How one reason is told: the HTTP status it travels with and the sentence a person reads."""

    type: str
    status: int
    message: str


def _codes(type: str, status: int, **messages: str) -> dict[str, Code]:
    return {code: Code(type, status, message) for code, message in messages.items()}


# What can be wrong with one member. These are the codes of a validation_error and of its detail items.
FIELD_CODES: dict[str, Code] = _codes(
    "validation_error",
    400,
    required="This member is required.",
    unknown_field="There is no such member.",
    unknown_parameter="There is no such query parameter.",
    duplicate_parameter="This query parameter may be given once.",
    invalid_type="The value has the wrong type.",
    invalid_value="The value is not one of those allowed.",
    invalid_text="The text holds a character that cannot be stored.",
    out_of_range="The number is outside the allowed range.",
    too_short="The value is too short.",
    too_long="The value is too long.",
    invalid_uuid="The value is not a UUID.",
    invalid_date="The value is not a calendar date (YYYY-MM-DD).",
    invalid_date_time="The value is not an RFC 3339 date-time with an offset.",
    not_in_future="The date-time must be in the future.",
    invalid_cursor="The cursor does not belong to this list.",
    invalid_email="The value is not an e-mail address.",
    role_not_allowed="This role cannot be given through the API.",
    invalid_cpf="The CPF's check digits do not match.",
    invalid_phone="The value is not a Brazilian phone number with its area code.",
    invalid_birth_date="The value is not a possible date of birth.",
    underage="The person is not yet 18.",
    invalid_cnh_number="The CNH number's check digits do not match.",
    invalid_cnh_category="There is no such CNH category.",
    cnh_expired="The CNH has expired.",
    invalid_url="The value is not a URL that can be called.",
    https_required="The URL must begin with https://.",
    port_not_allowed="The port must be 443 or 8443.",
    address_not_allowed="The address is not one of the public internet.",
    invalid_idempotency_key="An Idempotency-Key has 1 to 255 printable ASCII characters.",
)

CODES: dict[str, Code] = {
    **FIELD_CODES,
    **_codes("validation_error", 400, malformed_json="The body is not valid JSON."),
    **_codes("validation_error", 405, method_not_allowed="This address does not take that method."),
    **_codes("validation_error", 413, payload_too_large="The body is larger than this address accepts."),
    **_codes("validation_error", 415, unsupported_media_type="The body must be application/json."),
    **_codes(
        "authentication_error",
        401,
        credential_missing="Send a credential: Authorization: Bearer <API key or access token>.",
        credential_invalid="The credential is not known.",
        credential_expired="The credential has expired.",
        credential_revoked="The credential was revoked.",
    ),
    **_codes(
        "authorization_error",
        403,
        insufficient_scope="The credential lacks the scope of this operation.",
        ip_not_allowed="The credential may not be used from this address.",
    ),
    **_codes(
        "not_found",
        404,
        route_not_found="There is nothing at this address.",
        user_not_found="There is no such user.",
        course_not_found="There is no such course.",
        enrollment_not_found="There is no such enrollment.",
        webhook_not_found="There is no such webhook endpoint.",
        delivery_not_found="There is no such delivery.",
    ),
    **_codes(
        "conflict",
        409,
        email_exists="A user with this e-mail exists.",
        course_slug_exists="A course with this slug exists.",
        user_inactive="The user has left; the status is changed in the admin panel.",
        already_enrolled="The user is enrolled in this course.",
        delivery_in_progress="The delivery is being sent at this moment; try again shortly.",
        event_not_kept="The event is past its retention and cannot be sent again.",
        idempotency_key_reused="This Idempotency-Key was used for another request.",
        idempotency_in_progress="The first request with this Idempotency-Key is still running.",
    ),
    **_codes(
        "business_rule",
        422,
        user_not_active="The user is not active.",
        course_without_modules="A course needs a required module before it is published.",
        course_not_published="The course is not published.",
        regulatory_profile_missing="The course is regulated and the user's profile is not complete.",
    ),
    **_codes("rate_limited", 429, rate_limit_exceeded="Too many requests; wait for the reset."),
    **_codes("internal_error", 500, internal_error="Something failed on our side; try again."),
    **_codes("internal_error", 503, unavailable="The service is not ready; try again shortly."),
}

# The types whose codes a class below may carry.
TYPES = tuple(dict.fromkeys(code.type for code in CODES.values()))


class ErrorBody(Struct, frozen=True, omit_defaults=True):
    """`code` is the stable reason, from a closed list; `field` names the member that is wrong; `detail` is a
    list of all problems of a validation_error, else the context of the code."""

    type: Annotated[str, Meta(extra_json_schema={"enum": list(TYPES)})]
    code: str
    message: str
    field: str | UnsetType = UNSET
    detail: list[Problem] | dict[str, Any] | UnsetType = UNSET
    request_id: str | UnsetType = UNSET


class ErrorEnvelope(Struct, frozen=True):
    """What every failed call of /v1 answers."""

    error: ErrorBody


class Failure(Exception):
    """What the caller is told instead of an answer. A surface writes it in its own form."""

    status: int
    headers: dict[str, str]


class ApiError(Failure):
    """A failure of the closed list. Raise one of the classes below."""

    type: ClassVar[str]

    def __init__(self, code: str, *, headers: dict[str, str] | None = None, **detail: Any) -> None:
        spec = CODES[code]
        if spec.type != self.type:
            raise TypeError(f"{code} is a {spec.type}, not a {self.type}")
        super().__init__(code)
        self.code = code
        self.status = spec.status
        self.message = spec.message
        self.field: str | None = None
        self.detail: Any = detail or None
        self.headers = headers or {}

    def body(self, request_id: str) -> ErrorEnvelope:
        return ErrorEnvelope(
            ErrorBody(
                type=self.type,
                code=self.code,
                message=self.message,
                field=self.field or UNSET,
                detail=self.detail or UNSET,
                request_id=request_id,
            )
        )


class Invalid(ApiError):
    """The request itself is wrong. Every problem found in it is in `detail`; the first one leads."""

    type = "validation_error"

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = list(problems)
        super().__init__(found[0].code)
        self.field = found[0].field
        self.message = found[0].message
        self.detail = found


class BadRequest(ApiError):
    """The request could not be read at all: its method, size, media type or syntax."""

    type = "validation_error"


class MethodNotAllowed(BadRequest):
    """`allowed` are the methods that the address takes."""

    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__("method_not_allowed", headers={"allow": ", ".join(allowed)})


class Unauthenticated(ApiError):
    type = "authentication_error"

    def __init__(self, code: str) -> None:
        challenge = "Bearer" if code == "credential_missing" else 'Bearer error="invalid_token"'
        super().__init__(code, headers={"www-authenticate": challenge})


class Forbidden(ApiError):
    type = "authorization_error"

    def __init__(self, code: str, **detail: Any) -> None:
        super().__init__(code, **detail)
        if scope := detail.get("required_scope"):
            self.headers = {"www-authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'}


class NotFound(ApiError):
    type = "not_found"


class Conflict(ApiError):
    type = "conflict"


class BusinessRule(ApiError):
    type = "business_rule"


class RateLimited(ApiError):
    type = "rate_limited"


class InternalError(ApiError):
    type = "internal_error"


def problem(field: str, code: str) -> Problem:
    return Problem(field, CODES[code].message, code)


def invalid(field: str, code: str) -> Invalid:
    return Invalid([problem(field, code)])


def error_of(code: str, **detail: Any) -> ApiError:
    """The error of a code of the closed list, of its own class."""
    return _CLASSES[CODES[code].type](code, **detail)


_CLASSES: dict[str, type[ApiError]] = {
    kind.type: kind
    for kind in (
        BadRequest,
        Unauthenticated,
        Forbidden,
        NotFound,
        Conflict,
        BusinessRule,
        RateLimited,
        InternalError,
    )
}
