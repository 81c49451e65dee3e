"""The error codes of learning."""

from trilha.core.errors import codes, field_codes, register

register(
    "learning",
    field_codes(
        recording_too_large="The recording is larger than 20 MiB.",
        unknown_recording="The file is not a WebM, Ogg, MP4, MP3 or WAV recording.",
    ),
    codes(
        "not_found",
        404,
        launch_not_found="There is no such launch.",
        review_flag_not_found="The review flag does not exist or was dismissed.",
        answer_not_found="There is no such answer.",
    ),
    codes(
        "conflict",
        409,
        enrollment_expired="The enrollment has expired.",
        module_without_content="The module has no content to open.",
        launch_superseded="The module was opened again elsewhere.",
        module_not_waivable="Only a module of the type CMI5 can be waived.",
        already_waived="The module is already waived for this enrollment.",
    ),
    codes("business_rule", 422, module_locked="Complete the earlier modules first."),
)
