"""The closed list of error codes, and their exceptions.

A code that is not registered cannot be raised: `ApiError` refuses it. General codes are registered here,
those of a feature in its `errors.py`. `docs/errors.md` and the OpenAPI description are generated from the
list.
"""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

ErrorType = Literal[
    "validation_error",
    "authentication_error",
    "authorization_error",
    "not_found",
    "conflict",
    "business_rule",
    "rate_limited",
    "internal_error",
]
TYPES: tuple[str, ...] = get_args(ErrorType)


class Problem(Struct, frozen=True):
    """One problem with one field of a request. `field` is a path such as `enrollments.3.user_id`.

    `allowed` lists the allowed values if they are few. `minimum` and `maximum` are the limits of a number.
    """

    field: str
    message: str
    code: str
    allowed: list[str] | UnsetType = UNSET
    minimum: float | UnsetType = UNSET
    maximum: float | UnsetType = UNSET


class Code(Struct, frozen=True):
    """An error code: its type, HTTP status and message."""

    type: ErrorType
    status: int
    message: str


class FieldCode(Code, frozen=True):
    """A code about one field, in the detail of a validation_error."""


# Every registered code: the general ones, then each feature's, whatever the order of imports.
CODES: dict[str, Code] = {}
FIELD_CODES: dict[str, Code] = {}
_owners: dict[str, str] = {}
_GENERAL = "core"


def codes(type: ErrorType, status: int, /, **messages: str) -> dict[str, Code]:
    return {code: Code(type, status, message) for code, message in messages.items()}


def field_codes(**messages: str) -> dict[str, Code]:
    return {code: FieldCode("validation_error", 400, message) for code, message in messages.items()}


def register(owner: str, *groups: dict[str, Code]) -> None:
    """Registers a feature's codes. Raises ValueError for a code that is already registered."""
    for code, spec in (each for group in groups for each in group.items()):
        if code in CODES:
            raise ValueError(f"{owner} registers {code}, which {_owners[code]} has registered")
        _owners[code] = owner
        CODES[code] = spec
    ordered = sorted(CODES.items(), key=lambda each: (_owners[each[0]] != _GENERAL, _owners[each[0]]))
    for registered, kind in ((CODES, Code), (FIELD_CODES, FieldCode)):
        registered.clear()
        registered.update((code, spec) for code, spec in ordered if isinstance(spec, kind))


register(
    _GENERAL,
    field_codes(
        required="This field is required.",
        unknown_field="This field does not exist. Check its spelling.",
        unknown_parameter="This query parameter does not exist. Check its spelling.",
        duplicate_parameter="This query parameter can be set only once.",
        invalid_type="The value has the wrong type.",
        invalid_value="The value is not one of the allowed values.",
        invalid_text="The text contains a character that cannot be stored. Remove control characters.",
        out_of_range="The number is outside the allowed range.",
        too_short="The value is too short.",
        too_long="The value is too long.",
        invalid_uuid="The value must be a UUID.",
        invalid_date="The value must be a date in the format YYYY-MM-DD.",
        invalid_date_time="The value must be an RFC 3339 date-time, such as 2026-11-20T09:30:00Z.",
        not_in_future="The date-time must be in the future.",
        invalid_cursor="The cursor does not belong to this list. Start again without a cursor.",
        invalid_email="The value must be an e-mail address.",
        invalid_url="The value must be the URL of a server that can be called.",
        https_required="The URL must begin with https://.",
        port_not_allowed="The port must be 443 or 8443.",
        address_not_allowed=(
            "The address is not on the public internet. The operator can allow others with TRILHA_NET_ALLOW."
        ),
        more_problems="There are more problems than listed here. Correct these first.",
        invalid_idempotency_key="An Idempotency-Key must have 1 to 255 printable ASCII characters.",
    ),
    codes("validation_error", 400, malformed_json="The request body is not valid JSON."),
    codes(
        "validation_error",
        405,
        method_not_allowed="This URL does not support the method. See the Allow header.",
    ),
    codes("validation_error", 408, request_timeout="The request body did not arrive in time. Send it again."),
    codes("validation_error", 413, payload_too_large="The request body is too large for this URL."),
    codes("validation_error", 415, unsupported_media_type="The Content-Type must be application/json."),
    codes(
        "validation_error",
        501,
        transfer_coding_unknown="The only supported transfer coding is chunked.",
    ),
    codes(
        "authentication_error",
        401,
        credential_missing="No credential was sent. Send Authorization: Bearer <API key or access token>.",
        credential_invalid="The credential is not valid.",
        credential_expired="The credential has expired. Use a new one.",
        credential_revoked="The credential was revoked. Use a new one.",
    ),
    codes(
        "authorization_error",
        403,
        insufficient_scope="The credential lacks the scope that this operation requires.",
        ip_not_allowed="The credential cannot be used from this IP address.",
    ),
    codes("not_found", 404, route_not_found="This URL does not exist. Check the path."),
    codes(
        "conflict",
        409,
        idempotency_key_reused="This Idempotency-Key was already used for another request. Use a new key.",
        idempotency_in_progress="A request with this Idempotency-Key is still running. Try again shortly.",
    ),
    codes(
        "rate_limited",
        429,
        rate_limit_exceeded="Too many requests. Wait until the rate limit resets.",
        call_quota_exceeded="The API calls of the company's plan are used up for this month.",
    ),
    codes("internal_error", 500, internal_error="Something went wrong on our side. Try again."),
    codes("internal_error", 503, unavailable="The service is temporarily unavailable. Try again shortly."),
)


_DETAIL = """\
Of a `validation_error` the list of all problems: each an object with `field`, `code` and `message`, and with
what is allowed, in `allowed`, `minimum` and `maximum`. Else an object: the context of the code.
"""


class ErrorBody(Struct, frozen=True, omit_defaults=True):
    """An error. `code` is stable and from a closed list. `message` explains it for people. `field` is the
    invalid field, if the error is about one.
    """

    type: Annotated[str, Meta(extra_json_schema={"enum": list(TYPES)})]
    code: str
    message: str
    field: str | UnsetType = UNSET
    detail: Annotated[list[Problem] | dict[str, Any], Meta(description=_DETAIL)] | UnsetType = UNSET
    request_id: str | UnsetType = UNSET


class ErrorEnvelope(Struct, frozen=True):
    """The response to every failed request."""

    error: ErrorBody


class Failure(Exception):
    """An error response. Each surface writes it in its own format."""

    status: int
    headers: dict[str, str]


class ApiError(Failure):
    """An error of the closed list. Raise one of the classes below."""

    type: ClassVar[str]

    def __init__(
        self, code: str, *, headers: dict[str, str] | None = None, spec: Code | None = None, **detail: Any
    ) -> None:
        spec = spec or CODES[code]
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
    """Fields of the request are invalid. `detail` lists all problems; code and message are those of the
    first.
    """

    type = "validation_error"

    def __init__(self, problems: Iterable[Problem]) -> None:
        listed = list(problems)
        super().__init__(listed[0].code)
        self.field = listed[0].field
        self.message = listed[0].message
        self.detail = listed


class BadRequest(ApiError):
    """The request could not be read: its method, size, media type or syntax is wrong."""

    type = "validation_error"


class MethodNotAllowed(BadRequest):
    """`allowed` are the methods that the URL supports."""

    def __init__(self, allowed: Iterable[str]) -> None:
        super().__init__("method_not_allowed", headers={"allow": ", ".join(allowed)})


class TransferCodingUnknown(BadRequest):
    """The end of the body is unknown (RFC 9112 section 6.1), so the connection is closed."""

    def __init__(self) -> None:
        super().__init__("transfer_coding_unknown", headers={"connection": "close"})


class RequestTimeout(BadRequest):
    """The body arrived too slowly. The connection is closed without waiting for the rest."""

    def __init__(self) -> None:
        super().__init__("request_timeout", headers={"connection": "close"})


class Unauthenticated(ApiError):
    """`challenges` are the values of WWW-Authenticate: without a credential, and with an invalid one."""

    type = "authentication_error"
    challenges: ClassVar[tuple[str, str]] = ("Bearer", 'Bearer error="invalid_token"')

    def __init__(self, code: str) -> None:
        # RFC 6750 section 3.1: without a token, no error is reported.
        challenge = self.challenges[code.endswith(("_invalid", "_expired", "_revoked"))]
        super().__init__(code, headers={"www-authenticate": challenge})


class Forbidden(ApiError):
    type = "authorization_error"

    def __init__(self, code: str, **detail: Any) -> None:
        super().__init__(code, **detail)
        if scope := detail.get("required_scope"):
            self.headers = {"www-authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'}


class HttpsRequired(ApiError):
    """The request came without TLS. Not a registered code, because the code of this name is about a URL in
    a field.
    """

    type = "authorization_error"
    code = "https_required"
    spec = Code("authorization_error", 403, "This server accepts only HTTPS requests.")

    def __init__(self) -> None:
        super().__init__(self.code, spec=self.spec)


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


_CLASSES: dict[str, type[ApiError]] = {
    each.type: each
    for each in (
        *(BadRequest, Unauthenticated, Forbidden, NotFound),
        *(Conflict, BusinessRule, RateLimited, InternalError),
    )
}


def error_of(code: str, **detail: Any) -> ApiError:
    """Returns the exception for a code that is known only at run time. Raises KeyError.

    For invalid fields, use `invalid`, which takes the field's name.
    """
    if code == HttpsRequired.code:
        return HttpsRequired()
    return _CLASSES[CODES[code].type](code, **detail)


def problem(field: str, code: str, **bounds: Any) -> Problem:
    """Builds a problem. `bounds` are the members of Problem that describe allowed values."""
    return Problem(field, CODES[code].message, code, **bounds)


def invalid(field: str, code: str, **bounds: Any) -> Invalid:
    return Invalid([problem(field, code, **bounds)])
