"""The closed list of error codes, and the exceptions that carry them.

A code that is not registered cannot be raised: `ApiError` refuses it when it is made. The general codes are
registered here, those of a feature in its `errors.py`, which is imported with the feature. `docs/errors.md`
and the OpenAPI description are written from the list, once every feature is imported.
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
    """One thing wrong with one member of a request. `field` is dotted: `enrollments.3.user_id`.

    `allowed` are the values that it takes where they are few, `minimum` and `maximum` the bounds of a number.
    """

    field: str
    message: str
    code: str
    allowed: list[str] | UnsetType = UNSET
    minimum: float | UnsetType = UNSET
    maximum: float | UnsetType = UNSET


class Code(Struct, frozen=True):
    """What is answered for one code: its type, its HTTP status and a sentence for people."""

    type: ErrorType
    status: int
    message: str


class FieldCode(Code, frozen=True):
    """A code about one member, in the detail of a validation_error."""


# Every registered code: the general ones, then each feature's. The order of imports does not change it.
CODES: dict[str, Code] = {}
FIELD_CODES: dict[str, Code] = {}
_owners: dict[str, str] = {}
_GENERAL = "core"


def codes(type: ErrorType, status: int, /, **messages: str) -> dict[str, Code]:
    return {code: Code(type, status, message) for code, message in messages.items()}


def field_codes(**messages: str) -> dict[str, Code]:
    return {code: FieldCode("validation_error", 400, message) for code, message in messages.items()}


def register(owner: str, *groups: dict[str, Code]) -> None:
    """Adds a feature's codes to the list. Raises ValueError for one that is there already."""
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
        invalid_url="The value is not a URL that can be called.",
        https_required="The URL must begin with https://.",
        port_not_allowed="The port must be 443 or 8443.",
        address_not_allowed=(
            "The address is not one of the public internet; the operator lets others through with "
            "TRILHA_NET_ALLOW."
        ),
        more_problems="There are more problems than are told here.",
        invalid_idempotency_key="An Idempotency-Key has 1 to 255 printable ASCII characters.",
    ),
    codes("validation_error", 400, malformed_json="The body is not valid JSON."),
    codes("validation_error", 405, method_not_allowed="This address does not take that method."),
    codes("validation_error", 408, request_timeout="The body did not arrive in time."),
    codes("validation_error", 413, payload_too_large="The body is larger than this address accepts."),
    codes("validation_error", 415, unsupported_media_type="The body must be application/json."),
    codes(
        "validation_error",
        501,
        transfer_coding_unknown="The only transfer coding is chunked.",
    ),
    codes(
        "authentication_error",
        401,
        credential_missing="Send a credential: Authorization: Bearer <API key or access token>.",
        credential_invalid="The credential is not known.",
        credential_expired="The credential has expired.",
        credential_revoked="The credential was revoked.",
    ),
    codes(
        "authorization_error",
        403,
        insufficient_scope="The credential lacks the scope of this operation.",
        ip_not_allowed="The credential may not be used from this address.",
    ),
    codes("not_found", 404, route_not_found="There is nothing at this address."),
    codes(
        "conflict",
        409,
        idempotency_key_reused="This Idempotency-Key was used for another request.",
        idempotency_in_progress="The first request with this Idempotency-Key is still running.",
    ),
    codes("rate_limited", 429, rate_limit_exceeded="Too many requests; wait for the reset."),
    codes("internal_error", 500, internal_error="Something failed on our side; try again."),
    codes("internal_error", 503, unavailable="The service is not ready; try again shortly."),
)


_DETAIL = """\
Of a `validation_error` the list of all problems: each an object with `field`, `code` and `message`, and with
what is allowed, in `allowed`, `minimum` and `maximum`. Else an object: the context of the code.
"""


class ErrorBody(Struct, frozen=True, omit_defaults=True):
    """`code` is the stable reason, from a closed list; `field` names the member that is wrong."""

    type: Annotated[str, Meta(extra_json_schema={"enum": list(TYPES)})]
    code: str
    message: str
    field: str | UnsetType = UNSET
    detail: Annotated[list[Problem] | dict[str, Any], Meta(description=_DETAIL)] | UnsetType = UNSET
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
    """Members of the request are wrong. `detail` has every problem; code and message are the first one's."""

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


class TransferCodingUnknown(BadRequest):
    """Where the body ends is not known (RFC 9112 section 6.1), so the connection ends."""

    def __init__(self) -> None:
        super().__init__("transfer_coding_unknown", headers={"connection": "close"})


class RequestTimeout(BadRequest):
    """The body came too slowly. The rest of it is not waited for, so the connection ends."""

    def __init__(self) -> None:
        super().__init__("request_timeout", headers={"connection": "close"})


class Unauthenticated(ApiError):
    """`challenges` are what WWW-Authenticate says: where nothing was sent, and where it is no good."""

    type = "authentication_error"
    challenges: ClassVar[tuple[str, str]] = ("Bearer", 'Bearer error="invalid_token"')

    def __init__(self, code: str) -> None:
        # RFC 6750 section 3.1: no error is told where no token was sent.
        challenge = self.challenges[code.endswith(("_invalid", "_expired", "_revoked"))]
        super().__init__(code, headers={"www-authenticate": challenge})


class Forbidden(ApiError):
    type = "authorization_error"

    def __init__(self, code: str, **detail: Any) -> None:
        super().__init__(code, **detail)
        if scope := detail.get("required_scope"):
            self.headers = {"www-authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'}


class HttpsRequired(ApiError):
    """The request came without TLS. Of its own, as a field has a code of this name: that is about a URL."""

    type = "authorization_error"
    code = "https_required"
    spec = Code("authorization_error", 403, "This server answers HTTPS alone.")

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
    """The exception of a code's type, where the code is known only at run time. Raises KeyError.

    What is wrong with a member is raised by `invalid`, which names the member.
    """
    if code == HttpsRequired.code:
        return HttpsRequired()
    return _CLASSES[CODES[code].type](code, **detail)


def problem(field: str, code: str, **bounds: Any) -> Problem:
    """`bounds` are the members of Problem that tell what is allowed."""
    return Problem(field, CODES[code].message, code, **bounds)


def invalid(field: str, code: str, **bounds: Any) -> Invalid:
    return Invalid([problem(field, code, **bounds)])
