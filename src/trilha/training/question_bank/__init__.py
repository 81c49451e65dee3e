"""The question bank: questions that quizzes copy, or draw by tags; their import, export and figures.

Owns `bank_questions`, `bank_question_tags` and `question_imports`; emits no events of its own: a quiz that
receives questions is a change of its course. Changes of the bank are in the audit log.
"""
