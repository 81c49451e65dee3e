"""Reminders: tells people once, through each of their channels, that a course was assigned, is due or
overdue, and whatever else other features want them to know about an enrollment.

Tables: reminder_schedules, reminders, reminder_deliveries, reminder_settings, reminder_addresses, push_keys.
Event: reminder.sent.
"""
