"""Evaluations: what learners think of a course after completing it, and 90 days later of how they use it.

Tables: course_evaluations, course_evaluation_batches, and the column course_evaluations of tenant_settings.
Event: course.rated.

Results are anonymous. They are made of whole batches of answers, and a batch has the answers of at least five
people. So no two results, whatever their time and filter, differ by the answers of fewer than five people.
"""
