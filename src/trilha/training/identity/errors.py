"""The error codes of confirming identities."""

from trilha.core.errors import codes, field_codes, register

register(
    "identity",
    field_codes(
        photo_not_readable="Send a JPEG photo of at most 300 KB.",
        no_face="The photo shows no face.",
        several_faces="The photo shows more than one face.",
        invalid_descriptor="The description of the face must have 128 numbers.",
    ),
    codes("not_found", 404, identity_check_not_found="There is no such photo to review."),
    codes(
        "business_rule",
        422,
        identity_consent_required="The person has not agreed to photos.",
        identity_not_due="No photo is due now.",
        identity_text_changed="The text of the consent has changed. Read it again before you agree.",
        identity_photo_required="The person confirms who they are with a photo first.",
        too_many_photos="Too many photos were taken. An administrator confirms the identity.",
    ),
)
