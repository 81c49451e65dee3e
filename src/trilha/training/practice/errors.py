"""The error codes of practice."""

from trilha.core.errors import codes, field_codes, register

register(
    "practice",
    field_codes(
        unknown_item="The checklist has no such item.",
        duplicate_rating="The item is rated twice.",
    ),
    codes("not_found", 404, practice_assessment_not_found="There is no such assessment."),
    codes(
        "conflict",
        409,
        assessment_open="An assessment of this module is open already.",
        assessment_signed="The assessment is signed and cannot change.",
        practice_completed="The practice is assessed as satisfactory already.",
    ),
    codes(
        "business_rule",
        422,
        module_not_practice="The module is not a PRACTICE.",
        enrollment_not_open="The enrollment is completed, expired or canceled.",
        assessor_is_learner="Nobody may assess themselves.",
        assessor_may_not_teach="The assessor is not an active administrator or instructor of the course.",
        assessor_not_qualified="The assessor has no valid qualification on that day.",
        assessment_incomplete="Not all items are rated.",
        assessment_not_assessed="The assessor has not signed yet.",
        assessment_annulled="The assessment is annulled.",
    ),
    codes("authorization_error", 403, not_your_signature="Only the person themselves can sign."),
)
