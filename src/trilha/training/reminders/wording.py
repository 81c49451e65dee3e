"""What reminders say, in each language."""

from collections.abc import Mapping

from trilha.platform.mail.schema import Locale
from trilha.training.reminders.schema import Reminder, ReminderText
from trilha.training.reminders.texts import OwnTexts

_SENTENCES: Mapping[Locale, Mapping[str, str]] = {
    "pt-BR": {
        "assigned": "Você tem um novo curso: {course}.",
        "due_30": "Faltam 30 dias ou menos para concluir {course}.",
        "due_7": "Faltam 7 dias ou menos para concluir {course}.",
        "due_1": "Falta 1 dia para concluir {course}.",
        "overdue": "O prazo para concluir {course} já passou.",
        "certificate_expiring": "Seu certificado de {course} vai vencer.",
        "quiz_graded": "Sua avaliação em {course} foi corrigida.",
        "voice_answer_waiting": "{learner} enviou uma resposta em {course}. Ela aguarda a sua correção.",
        "enrollment_requested": "{learner} pediu inscrição em {course}. Falta a sua resposta.",
        "enrollment_approved": "Sua inscrição em {course} foi aprovada.",
        "enrollment_rejected": "Seu pedido de inscrição em {course} foi recusado.",
        "question_waiting": "{learner} tem uma dúvida em {course}.",
        "question_answered": "Sua dúvida em {course} foi respondida.",
        "evaluation_follow_up": "Você fez {course} há 90 dias. Está usando no trabalho o que aprendeu?",
        "manual": "Lembrete: conclua {course}.",
    },
    "en": {
        "assigned": "You have a new course: {course}.",
        "due_30": "You have 30 days or less to complete {course}.",
        "due_7": "You have 7 days or less to complete {course}.",
        "due_1": "You have 1 day to complete {course}.",
        "overdue": "The due date of {course} has passed.",
        "certificate_expiring": "Your certificate in {course} expires soon.",
        "quiz_graded": "Your quiz in {course} was graded.",
        "voice_answer_waiting": "{learner} submitted an answer in {course}. It is waiting for your grade.",
        "enrollment_requested": "{learner} asked to enroll in {course}. The request waits for your answer.",
        "enrollment_approved": "Your enrollment in {course} was approved.",
        "enrollment_rejected": "Your request to enroll in {course} was refused.",
        "question_waiting": "{learner} has a question about {course}.",
        "question_answered": "Your question about {course} was answered.",
        "evaluation_follow_up": "You completed {course} 90 days ago. Do you use what you learned at work?",
        "manual": "Reminder: please complete {course}.",
    },
}
# The subjects of e-mails about one kind of reminder alone; others have one for everything.
_SUBJECTS: Mapping[Locale, Mapping[str, str]] = {
    "pt-BR": {
        "question_waiting": "Dúvida em {course}",
        "question_answered": "Resposta à sua dúvida em {course}",
    },
    "en": {
        "question_waiting": "Question about {course}",
        "question_answered": "Answer to your question about {course}",
    },
}


def find_subject(kind: str, locale: Locale, course: str) -> str | None:
    """Returns the usual subject of an e-mail about this kind alone, or None."""
    subject = _SUBJECTS[locale].get(kind)
    return None if subject is None else subject.format(course=course)


def get_usual(switch: str, locale: Locale) -> ReminderText:
    """Returns the usual words of a kind, with placeholders, as the beginning of one's own."""
    sentence = _SENTENCES[locale].get(switch) or _SENTENCES[locale][f"{switch}_7"]
    text = sentence.replace("{learner}", "{name}")
    return ReminderText(switch, locale, _SUBJECTS[locale].get(switch, "{course}"), text)


def write_sentence(reminder: Reminder, locale: Locale, own: OwnTexts) -> str:
    """Returns what the reminder says: in the company's own words, if it has some."""
    if text := own.find(reminder.kind, locale):
        return own.fill(text.text, locale, reminder.course, reminder.due_at, reminder.learner)
    sentences = _SENTENCES[locale]
    sentence = sentences.get(reminder.kind) or sentences[reminder.kind.partition("_")[0]]
    return sentence.format(course=reminder.course, learner=reminder.learner)
