"""The error codes of requests for enrollment."""

from trilha.core.errors import codes, register

register(
    "enrollment requests",
    codes("not_found", 404, enrollment_request_not_found="There is no such request for enrollment."),
    codes(
        "conflict",
        409,
        enrollment_already_requested="A request for this course waits for an answer already.",
        enrollment_request_decided="The request was decided already.",
    ),
    codes(
        "rate_limited",
        429,
        too_many_enrollment_requests="The person has sent 50 requests within 24 hours. Try again tomorrow.",
    ),
    codes("business_rule", 422, self_enrollment_closed="People cannot enroll themselves in this course."),
)
