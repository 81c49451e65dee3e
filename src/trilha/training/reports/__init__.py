"""Figures about training. Owns `report_mails` and counters of people; reads enrollments and courses."""
