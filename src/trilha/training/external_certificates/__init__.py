"""Certificates of training elsewhere: learners upload them, and an administrator accepts them as completions.

Tables: external_certificates. The files are sealed in the table, because they are small.
"""
