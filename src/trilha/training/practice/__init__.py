"""Practice: a qualified assessor rates each item of a checklist, and both the assessor and the learner sign.
A wholly satisfactory, signed assessment completes a module of the type PRACTICE.

Tables: practice_assessments, practice_ratings, practice_photos. Event: practice.assessed.

Whoever changes an assessment locks the people concerned, then the log of the enrollment, then the assessment,
and requests the judging last.
"""
