"""The words of assessments."""

from trilha.kit import N_, say

# The state of a badge and its word.
BADGES: dict[str, tuple[str, str]] = {
    "OPEN": ("info", N_("Being assessed")),
    "ASSESSED": ("warn", N_("Learner has to sign")),
    "SIGNED": ("ok", N_("Signed by both")),
    "ANNULLED": ("bad", N_("Annulled")),
}
RESULTS: dict[str, tuple[str, str]] = {
    "SATISFACTORY": ("ok", N_("Satisfactory")),
    "UNSATISFACTORY": ("bad", N_("Unsatisfactory")),
}
STATUSES = {status: word for status, (_, word) in BADGES.items()}
SENTENCES = {
    "too_long": N_("Write at most 1,000 characters."),
    "not_an_image": N_("Choose a photo as JPEG, PNG or WebP."),
    "image_too_large": N_("Choose a photo of up to 10 MB."),
    "signature_missing": N_("Sign in the field."),
    "signature_not_readable": N_("Clear the field and sign again."),
    "too_short": N_("Fill in this field."),
    "unknown_item": N_("The checklist has no such item. Reload the page."),
}
say(
    practice_assessment_not_found=N_("This assessment does not exist, or is not one of your courses."),
    assessment_open=N_("Somebody else is assessing this person in this module."),
    assessment_signed=N_("This assessment is signed and cannot change."),
    practice_completed=N_("This person has a satisfactory assessment already."),
    module_not_practice=N_("This module has no checklist."),
    enrollment_not_open=N_("The enrollment is completed, expired or canceled."),
    assessor_is_learner=N_("You cannot assess yourself."),
    assessor_may_not_teach=N_("Only administrators and instructors of the course assess."),
    assessor_not_qualified=N_(
        "You have no valid qualification for this module. Ask an administrator to add yours."
    ),
    assessment_incomplete=N_("Rate all items before you sign."),
    assessment_not_assessed=N_("The assessor has not signed yet."),
    assessment_annulled=N_("This assessment is annulled."),
    not_your_signature=N_("Only the person themselves can sign."),
)
