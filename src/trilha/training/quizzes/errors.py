"""The error codes of quizzes."""

from trilha.core.errors import codes, field_codes, register

register(
    "quizzes",
    field_codes(
        invalid_number="The value is not a number.",
        one_right_choice="Exactly one choice is the right one.",
        no_right_choice="At least one choice is a right one.",
        duplicate_choice="Two choices have the same text.",
        unknown_pool="The quiz has no question of this pool.",
    ),
    codes(
        "not_found",
        404,
        quiz_not_found="There is no such quiz.",
        question_not_found="There is no such question.",
    ),
    codes("business_rule", 422, too_many_questions="A quiz has at most 500 questions."),
)
