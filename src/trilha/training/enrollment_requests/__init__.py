"""Requests of people to be enrolled in a course of the catalog, and the decisions about them.

Tables: enrollment_requests. Event: enrollment.requested.
"""
