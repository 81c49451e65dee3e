"""The error codes of enrollments, including the reasons why a person cannot be enrolled."""

from trilha.core.errors import codes, field_codes, register

register(
    "enrollments",
    field_codes(
        in_future="The date-time must not be in the future.",
        too_long_ago="The date-time must not be before 1900.",
        after_completion="The date-time must not be after the completion.",
    ),
    codes(
        "not_found",
        404,
        enrollment_not_found="There is no such enrollment.",
        extension_request_not_found="No request for a new due date waits for an answer.",
    ),
    codes(
        "conflict",
        409,
        already_enrolled="The user is enrolled in this course.",
        enrollment_completed="The enrollment is completed.",
        extension_already_requested="A request for a new due date waits for an answer already.",
    ),
    codes(
        "business_rule",
        422,
        user_not_active="The user is not active.",
        enrollment_not_expired="The enrollment has not expired.",
        course_not_published="The course is not published.",
        regulatory_profile_missing="The course is regulated and the user's profile is not complete.",
    ),
)
