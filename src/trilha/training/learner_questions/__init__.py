"""Questions that learners ask the instructors of a course, the answers, and how long each answer took.

Tables: learner_questions, learner_question_messages, learner_question_sharing.
"""
