"""Classes: people meet in sessions, in a room or a video call. Presence completes a module of the type CLASS.

Tables: classes, class_sessions, class_instructors, class_registrations, class_attendance,
attendance_corrections, class_notices, class_invitees, class_invitations. Events: class.created,
class.updated, class.cancelled, registration.created, registration.waitlisted, registration.cancelled,
attendance.recorded.

Whoever changes a class, its sessions, registrations or attendance locks the people concerned, then the class,
then the logs of enrollments, and inserts presence checks last.
"""
