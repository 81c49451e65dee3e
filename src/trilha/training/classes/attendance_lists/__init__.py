"""The list of a session as instructors keep it: marks that devices send later, signatures of learners, the
list on paper and its scans.

Tables: attendance_marks, attendance_scans.
"""
