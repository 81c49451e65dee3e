"""The error codes of the learning record store. Many say what is wrong in `detail.problem`."""

from trilha.core.errors import ApiError, BadRequest, codes, register

register(
    "xapi",
    codes(
        "validation_error",
        400,
        xapi_version_unsupported="Send X-Experience-API-Version: 1.0.3 or 2.0.0.",
        invalid_xapi_parameter="A parameter is missing, unknown or malformed.",
        invalid_statement="The statement does not follow the Experience API.",
        invalid_xapi_content="The body, or a part of it, is malformed.",
    ),
    codes(
        "validation_error",
        412,
        document_changed="The document has changed, or exists already. Read it again.",
    ),
    codes(
        "not_found",
        404,
        statement_not_found="There is no such statement.",
        document_not_found="There is no such document.",
    ),
    codes(
        "authorization_error",
        403,
        outside_of_launch="A launch may only use its own learner and registration, and only until it ends.",
        cmi5_statement_refused="The content may not send this statement now.",
    ),
    codes(
        "conflict",
        409,
        statement_exists="Another statement with this ID is already stored.",
        document_exists="The document exists. Send If-Match with its ETag, or If-None-Match.",
    ),
)


def refuse(code: str, problem: str) -> ApiError:
    """Builds the error of one of the codes with the status 400. `problem` says what is wrong."""
    return BadRequest(code, problem=problem)
