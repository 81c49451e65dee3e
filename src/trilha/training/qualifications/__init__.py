"""Qualifications: what a person is qualified for, by whom, under which register number and until when.

Table: qualifications. The documents are sealed in the table, because they are small.
"""
