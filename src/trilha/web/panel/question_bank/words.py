"""The texts about the question bank."""

from collections.abc import Mapping
from typing import get_args

from trilha.kit import N_, State, say
from trilha.training.question_bank.parsing.schema import Format, Loss, Refusal
from trilha.training.question_bank.schema import Difficulty
from trilha.training.question_bank.statistics import Distinction

DIFFICULTIES: Mapping[Difficulty, str] = {
    "easy": N_("Easy question"),
    "medium": N_("Medium question"),
    "hard": N_("Hard question"),
}
DISTINCTIONS: Mapping[Distinction, tuple[State, str]] = {
    "good": ("ok", N_("Distinguishes well")),
    "fair": ("info", N_("Distinguishes a little")),
    "none": ("warn", N_("Does not distinguish")),
    "reversed": ("bad", N_("Misleads those who know")),
}
DISTINCTION_HINTS: Mapping[Distinction, str] = {
    "good": N_("People who answer this question well also do well in the rest of the quiz."),
    "fair": N_("People who answer this question well do slightly better in the rest of the quiz."),
    "none": N_("The question does not distinguish those who know from those who do not."),
    "reversed": N_("People who do well in the rest get this question wrong. Check the right answer."),
}
FORMATS: Mapping[Format, str] = {
    "gift": N_("GIFT, for Moodle and other systems"),
    "xml": N_("Moodle XML, with pictures"),
    "csv": N_("Spreadsheet (CSV), with rubrics"),
}
FORMAT_NAMES: Mapping[Format, str] = {"gift": "GIFT", "xml": "Moodle XML", "csv": "CSV"}
LOSSES: Mapping[Loss, str] = {
    "partial_credit": N_(
        "Points for partly right answers are not kept: all right choices have to be marked."
    ),
    "penalty": N_("Penalties for wrong choices are not kept."),
    "any_right": N_("Any one of the right choices was enough; here all of them have to be marked."),
    "other_answers": N_("Answers for a part of the points are not kept."),
    "feedback_cut": N_("The comment is longer than 5,000 characters and is cut."),
    "formatting": N_("The formatting is not kept."),
    "table": N_("A table becomes plain text."),
    "media": N_("A picture, audio or video outside the file is not kept."),
    "picture_without_alt": N_("A picture has no description. Add it after the import."),
    "second_picture": N_("Only the first picture is kept."),
    "tags_cut": N_("Only the first 10 tags are kept."),
}
REFUSALS: Mapping[Refusal, str] = {
    "matching": N_("Matching questions are not supported."),
    "unsupported_kind": N_("This type of question is not supported: %(detail)s."),
    "no_answer": N_("No answer begins with = or ~."),
    "unclosed": N_("The closing brace } is missing."),
    "unknown_kind": N_("This type is unknown: %(detail)s."),
    "invalid_number": N_("This is not a number: %(detail)s."),
    "unknown_right": N_("This is none of the answers: %(detail)s."),
    "invalid_picture": N_("A picture cannot be read or is too large."),
    "too_many_pictures": N_("The file has more than 200 pictures. Divide it."),
}
PROBLEMS: Mapping[str, str] = {
    "required": N_("Something is missing: %(field)s."),
    "too_short": N_("At least two choices are needed, and the question must have a text."),
    "too_long": N_("Too long: %(field)s."),
    "out_of_range": N_("The number is too large or too small: %(field)s."),
    "one_right_choice": N_("Mark one choice as the right one."),
    "no_right_choice": N_("Mark at least one choice as right."),
    "duplicate_choice": N_("Two choices have the same text."),
}
FIELDS: Mapping[str, str] = {
    "text": N_("Question"),
    "choices": N_("Choices"),
    "right": N_("Right answer"),
    "value": N_("Right number"),
    "tolerance": N_("Tolerance"),
    "accepted": N_("Accepted answers"),
    "weight": N_("Weight"),
    "feedback": N_("Comment on the answer"),
    "rubric": N_("Rubric"),
    "longest_characters": N_("Longest answer, in characters"),
    "longest_seconds": N_("Longest answer, in seconds"),
}
say(
    unknown_question_format=N_(
        "No questions were found. Send a file in GIFT, Moodle XML or our CSV template."
    ),
    question_file_too_large=N_("The file is larger than 5 MB or has more than 2,000 questions. Divide it."),
    question_file_too_complex=N_("The file takes too long to read. Divide it."),
    question_bank_full=N_("The question bank can have at most 20,000 questions."),
    question_import_not_found=N_("The file was imported already or removed after a day. Send it again."),
)
assert set(get_args(Loss)) == LOSSES.keys()
assert set(get_args(Refusal)) == REFUSALS.keys()
