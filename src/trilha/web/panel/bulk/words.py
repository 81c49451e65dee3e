"""Why rows are left as they are, and errors of the questions' forms. All are msgids."""

from trilha.kit import N_

REASONS: dict[str, str] = {
    "not_permitted": N_("You may no longer do this"),
    "gone": N_("No longer in the list, or out of your reach"),
    "changed_since": N_("Changed since by somebody else"),
    "yourself": N_("Yourself"),
    "administrator": N_("Administrators, who are suspended one by one"),
    "already_suspended": N_("Already suspended"),
    "not_suspended": N_("Not suspended"),
    "user_inactive": N_("Inactive"),
    "user_not_active": N_("Suspended or inactive"),
    "last_admin": N_("The only administrator"),
    "quota_exceeded": N_("No places left in your plan"),
    "already_member": N_("Already in the group"),
    "not_member": N_("Not in the group"),
    "enrollment_completed": N_("Already completed"),
    "nothing_open": N_("Nothing open that is late or due"),
    "not_to_remind": N_("Reminded within 24 hours, or not active"),
    "already_enrolled": N_("Already enrolled in this course"),
    "same_due_date": N_("Already has this due date"),
    "no_due_date": N_("Has no due date"),
    "not_in_future": N_("The new due date would be in the past"),
    "course_not_published": N_("The course is not published"),
    "regulatory_profile_missing": N_("The profile does not have the required documents"),
    "already_published": N_("Already published"),
    "already_archived": N_("Already archived"),
    "course_is_draft": N_("A draft"),
    "course_without_modules": N_("Without a required module"),
    "learning_path_without_courses": N_("Without courses"),
    "already_tagged": N_("Already has the tag"),
    "already_revoked": N_("Already revoked"),
    "already_disabled": N_("Already disabled"),
    "learner_question_closed": N_("Already closed"),
    "delivery_in_progress": N_("Being sent now"),
    "event_not_kept": N_("The event is no longer stored"),
    "user_has_password": N_("Has a password"),
    "enrollment_started": N_("Already started"),
}
OTHER_REASON = N_("Cannot be changed")
SENTENCES = {
    "required": N_("Fill in this field."),
    "invalid_uuid": N_("Choose one of the options."),
}


def describe_reason(code: str) -> str:
    return REASONS.get(code, OTHER_REASON)
