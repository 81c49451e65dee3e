"""The error codes of classes."""

from trilha.core.errors import codes, field_codes, register

register(
    "classes",
    field_codes(
        ends_before_start="The session must end at least a minute after it starts.",
        session_too_long="A session lasts at most 7 days.",
        duplicate_user="The user is listed twice.",
        scan_not_readable="Upload a PDF, JPEG or PNG of up to 10 MB.",
        personal_code_wrong="The code is wrong or has expired.",
    ),
    codes(
        "not_found",
        404,
        class_not_found="There is no such class.",
        class_session_not_found="There is no such session.",
        registration_not_found="There is no such registration.",
        attendance_scan_not_found="There is no such scan.",
    ),
    codes(
        "conflict",
        409,
        already_registered="The user is registered in this class or on its waiting list.",
        class_full="The class is full and has no waiting list.",
        capacity_below_registered="More people are registered than the class would have places.",
        already_checked_in="Attendance of this person in this session is already recorded.",
        attendance_recorded="Attendance is recorded, so the session cannot move to the future.",
    ),
    codes(
        "business_rule",
        422,
        module_not_class="The module is not a CLASS.",
        class_cancelled="The class is cancelled.",
        session_cancelled="The session is cancelled.",
        session_not_started="The session has not started.",
        outside_session="Check-in is open only during the session.",
        not_registered="The user has no place in the class.",
        too_many_sessions="The class has too many sessions.",
        too_many_scans="The session has too many scans.",
        check_in_code_invalid="The code is not valid or has expired. Scan the current one.",
    ),
)
